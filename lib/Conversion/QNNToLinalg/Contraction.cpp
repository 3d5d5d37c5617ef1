//===- Contraction.cpp - Linear layers and matrix products ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// qnn.linear and qnn.matmul become two linalg.generic ops:
//
//   acc[.., m, n] = init + sum over k of (x[.., m, k] - zx) * (w[.., n, k] -
//   zw) y[.., m, n]   = the rest of the formula on acc, elementwise
//
// Later passes take the first for a kernel and the second for its epilogue.
// Convolutions do so as well, with other loops and maps: Convolution.cpp.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/QNN/IR/ReductionLimit.h"
#include "qcc/Dialect/Utils/Notes.h"

using namespace mlir;
using namespace qcc;

/// acc + (x - zx) * (w - zw), of the body's first two arguments and its last.
static Value emitProduct(OpBuilder &builder, Location loc, const Contraction &c,
                         const ZeroPoint &lhsZero,
                         const GenericEmitter::Reader &readLhsZero,
                         const ZeroPoint &rhsZero,
                         const GenericEmitter::Reader &readRhsZero,
                         ValueRange args) {
  Value x = emitDifference(builder, loc, args[0], c.lhsParams->isSigned,
                           lhsZero, readLhsZero, args);
  Value w = emitDifference(builder, loc, args[1], c.rhsParams->isSigned,
                           rhsZero, readRhsZero, args);
  Value product = arith::MulIOp::create(builder, loc, x, w);
  return arith::AddIOp::create(builder, loc, args.back(), product);
}

/// The initial value of the accumulator: the bias in all rows, or 0.
static Value emitInit(OpBuilder &builder, Location loc, const Contraction &c,
                      Value bias, Type accType) {
  Value empty = tensor::EmptyOp::create(builder, loc, c.sizes, accType);
  if (!bias) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(accType));
    return linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  }
  if (c.rank() == 1)
    return bias;
  GenericEmitter emitter = c.emitter(builder, loc, /*reductions=*/0);
  GenericEmitter::Reader readBias = emitter.addChannels(bias, c.channelAxis());
  return emitter.build(empty, 0, "",
                       [&](OpBuilder &b, Location loc, ValueRange args) {
                         return readBias(b, loc, args);
                       });
}

/// The bias where the accumulator has one, or null.
static Value integerBias(const Contraction &c) {
  return c.bias && getElementTypeOrSelf(c.bias).isInteger(32) ? c.bias
                                                              : Value();
}

/// `tensor` [.., K] as [.., K / size, size].
static Value expandGroups(OpBuilder &builder, Location loc, Value tensor,
                          int64_t size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  int64_t groups = shape.pop_back_val() / size;
  shape.append({groups, size});
  sizes.pop_back();
  sizes.append({builder.getIndexAttr(groups), builder.getIndexAttr(size)});
  SmallVector<ReassociationIndices> dims;
  for (int64_t d = 0; d < type.getRank(); ++d)
    dims.push_back({d});
  dims.back().push_back(type.getRank());
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), tensor,
                                       dims, sizes);
}

/// The sums of groups of K, [K / G, .., N]. The loops are those of the result,
/// the groups, and the elements of a group.
static Value emitGroupSums(ConversionPatternRewriter &rewriter, Location loc,
                           const Contraction &c) {
  int64_t rank = c.rank();
  GenericEmitter emitter = c.emitter(rewriter, loc, /*reductions=*/2);
  AffineMap loops = rewriter.getMultiDimIdentityMap(rank + 2);
  Value lhs = expandGroups(rewriter, loc, c.lhs, c.groupSize),
        rhs = expandGroups(rewriter, loc, c.rhs, c.groupSize);
  emitter.addInput(lhs, loops.dropResult(rank - 1));
  emitter.addInput(rhs, loops.getMinorSubMap(3));
  ZeroPoint lhsZero = ZeroPoint::get(rewriter, loc, *c.lhsParams),
            rhsZero = ZeroPoint::get(rewriter, loc, *c.rhsParams);
  rhsZero.axis = c.channelAxis();
  auto readLhsZero = emitter.add(lhsZero), readRhsZero = emitter.add(rhsZero);

  SmallVector<OpFoldResult> sizes(c.sizes);
  sizes.insert(sizes.begin(), tensor::getMixedSize(rewriter, loc, rhs, 1));
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, rewriter.getI32Type());
  Value init = linalg::FillOp::create(rewriter, loc,
                                      intConstant(rewriter, loc, 0), empty)
                   .getResult(0);
  SmallVector<AffineExpr> results(loops.getResults().take_front(rank));
  results.insert(results.begin(), loops.getResult(rank));
  return emitter.build(
      init, /*reductions=*/1, c.origin,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        return emitProduct(b, loc, c, lhsZero, readLhsZero, rhsZero,
                           readRhsZero, args);
      },
      AffineMap::get(rank + 2, 0, results, rewriter.getContext()));
}

/// The chain over `sums` of groups, [.., N] of f32 (N3).
static Value emitGroupChain(ConversionPatternRewriter &rewriter, Location loc,
                            const Contraction &c, Value sums) {
  int64_t rank = c.rank();
  GenericEmitter emitter = c.emitter(rewriter, loc, /*reductions=*/1);
  AffineMap loops = rewriter.getMultiDimIdentityMap(rank + 1);
  SmallVector<AffineExpr> reads(loops.getResults().take_front(rank));
  reads.insert(reads.begin(), loops.getResult(rank));
  emitter.addInput(sums,
                   AffineMap::get(rank + 1, 0, reads, rewriter.getContext()));
  Param rhsScale = Param::scale(rewriter, loc, *c.rhsParams);
  rhsScale.axis = c.channelAxis();
  auto readScale = emitter.add(
      mul(rewriter, loc, Param::scale(rewriter, loc, *c.lhsParams), rhsScale));
  Value init = emitInit(rewriter, loc, c, c.bias, rewriter.getF32Type());
  return emitter.build(
      init, /*reductions=*/1, c.origin,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value sum = arith::SIToFPOp::create(b, loc, b.getF32Type(), args[0]);
        return math::FmaOp::create(b, loc, sum, readScale(b, loc, args),
                                   args.back())
            .getResult();
      });
}

static Value emitAccumulate(ConversionPatternRewriter &rewriter, Location loc,
                            const Contraction &c) {
  if (!c.lhs)
    return emitInit(rewriter, loc, c, integerBias(c), rewriter.getI32Type());
  if (c.groupSize)
    return emitGroupSums(rewriter, loc, c);
  GenericEmitter emitter = c.emitter(rewriter, loc, c.reductions);
  emitter.addInput(c.lhs, c.lhsMap);
  emitter.addInput(c.rhs, c.rhsMap);
  if (!c.lhsParams) {
    Value init = emitInit(rewriter, loc, c, Value(), rewriter.getF32Type());
    return emitter.build(
        init, c.reductions, c.origin,
        [](OpBuilder &b, Location loc, ValueRange args) {
          Value product = arith::MulFOp::create(b, loc, args[0], args[1]);
          return arith::AddFOp::create(b, loc, args.back(), product)
              .getResult();
        });
  }
  ZeroPoint lhsZero =
      c.lhsZero ? *c.lhsZero : ZeroPoint::get(rewriter, loc, *c.lhsParams);
  ZeroPoint rhsZero = ZeroPoint::get(rewriter, loc, *c.rhsParams);
  rhsZero.axis = c.channelAxis();
  auto readLhsZero = emitter.add(lhsZero), readRhsZero = emitter.add(rhsZero);
  Value init =
      emitInit(rewriter, loc, c, integerBias(c), rewriter.getI32Type());
  return emitter.build(init, c.reductions, c.origin,
                       [&](OpBuilder &b, Location loc, ValueRange args) {
                         return emitProduct(b, loc, c, lhsZero, readLhsZero,
                                            rhsZero, readRhsZero, args);
                       });
}

/// The clamp of a real result (N7): minimumf(maximumf(v, low), high), each
/// bound where it is given.
static Value emitRealClamp(OpBuilder &builder, Location loc, Value v,
                           const GenericEmitter::Reader &low,
                           const GenericEmitter::Reader &high,
                           ValueRange args) {
  if (low)
    v = arith::MaximumFOp::create(builder, loc, v, low(builder, loc, args));
  if (high)
    v = arith::MinimumFOp::create(builder, loc, v, high(builder, loc, args));
  return v;
}

/// The clamp of N6 where bounds are known only at run time: v stays NaN, and a
/// bound that is NaN (0 divided by a scale of 0) does not clamp.
static Value emitQuotientClamp(OpBuilder &builder, Location loc, Value v,
                               const GenericEmitter::Reader &low,
                               const GenericEmitter::Reader &high,
                               ValueRange args) {
  auto clamp = [&](const GenericEmitter::Reader &read,
                   arith::CmpFPredicate outside) {
    if (!read)
      return;
    Value bound = read(builder, loc, args);
    Value isOutside = arith::CmpFOp::create(builder, loc, outside, v, bound);
    v = arith::SelectOp::create(builder, loc, isOutside, bound, v);
  };
  clamp(low, arith::CmpFPredicate::OLT);
  clamp(high, arith::CmpFPredicate::OGT);
  return v;
}

/// The formulas of N3 and N6 on the accumulator, or those of N4.
static Value emitEpilogue(ConversionPatternRewriter &rewriter, Location loc,
                          const Contraction &c, Value acc) {
  GenericEmitter emitter = c.emitter(rewriter, loc, /*reductions=*/0);
  emitter.addInput(acc);

  // m, b and the bounds, all divided by the scale of the result if it has one.
  std::optional<Param> resultScale;
  if (c.resultParams)
    resultScale = Param::scale(rewriter, loc, *c.resultParams);
  auto scaled = [&](const Param &param) {
    return resultScale ? div(rewriter, loc, param, *resultScale) : param;
  };
  GenericEmitter::Reader readScale, readBias, readMin, readMax;
  bool mayBeNaN = false;
  if (c.lhsParams) {
    Param rhsScale = Param::scale(rewriter, loc, *c.rhsParams);
    rhsScale.axis = c.channelAxis();
    Param m = scaled(mul(rewriter, loc,
                         Param::scale(rewriter, loc, *c.lhsParams), rhsScale));
    mayBeNaN |= !m.isFinite();
    readScale = emitter.add(m);
  }
  if (c.bias && getElementTypeOrSelf(c.bias).isF32()) {
    Param b = scaled(Param::perChannel(c.bias, c.channelAxis()));
    mayBeNaN |= !b.isFinite();
    readBias = emitter.add(b);
  }
  std::optional<QuantizeTail> tail;
  if (c.resultParams)
    tail = makeTail(rewriter, loc, emitter, *c.resultParams, mayBeNaN);
  // Bounds that are known, like the zero point, join the saturation.
  auto addBound = [&](std::optional<float> bound, bool isLow) {
    GenericEmitter::Reader reader;
    if (!bound)
      return reader;
    Param param = scaled(Param::constant(*bound));
    if (tail && tail->zeroPoint.constant && param.isConstant()) {
      (isLow ? tail->low : tail->high) = param.values.front();
      return reader;
    }
    return emitter.add(param);
  };
  readMin = addBound(c.clampMin, /*isLow=*/true);
  readMax = addBound(c.clampMax, /*isLow=*/false);

  Value init = tensor::EmptyOp::create(rewriter, loc, c.sizes, c.resultElement);
  return emitter.build(
      init, 0, c.origin, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value v = args[0];
        if (readScale) {
          v = arith::SIToFPOp::create(b, loc, b.getF32Type(), v);
          Value m = readScale(b, loc, args);
          if (readBias)
            v = math::FmaOp::create(b, loc, v, m, readBias(b, loc, args));
          else
            v = arith::MulFOp::create(b, loc, v, m);
        } else if (readBias) {
          v = arith::AddFOp::create(b, loc, v, readBias(b, loc, args));
        }
        if (tail) {
          v = emitQuotientClamp(b, loc, v, readMin, readMax, args);
          return tail->emit(b, loc, v, args);
        }
        v = emitRealClamp(b, loc, v, readMin, readMax, args);
        return emitRound(b, loc, v, c.resultElement);
      });
}

/// What follows the accumulator, or the chain over groups.
static Value finishContraction(ConversionPatternRewriter &rewriter,
                               Location loc, const Contraction &c, Value acc) {
  bool isAccumulator = c.resultElement.isInteger(32);
  bool isPlainReal = !c.lhsParams && !c.bias && !c.clampMin && !c.clampMax &&
                     c.resultElement.isF32();
  return isAccumulator || isPlainReal ? acc
                                      : emitEpilogue(rewriter, loc, c, acc);
}

Value qcc::emitContraction(ConversionPatternRewriter &rewriter, Location loc,
                           const Contraction &c) {
  Value acc = emitAccumulate(rewriter, loc, c);
  if (c.refusal)
    acc.getDefiningOp()->setAttr(kRefusedAttr, c.refusal);
  if (c.weight)
    acc.getDefiningOp()->setAttr(kWeightAttr, c.weight);
  if (c.groupSize) {
    Contraction rest = c;
    rest.lhsParams = rest.rhsParams = std::nullopt;
    rest.bias = {};
    rest.groupSize = 0;
    return finishContraction(rewriter, loc, rest,
                             emitGroupChain(rewriter, loc, c, acc));
  }
  return finishContraction(rewriter, loc, c, acc);
}

/// [.., m, n, k] -> [.., m, k].
static AffineMap rowsMap(OpBuilder &builder, int64_t rank) {
  return builder.getMultiDimIdentityMap(rank + 1).dropResult(rank - 1);
}

namespace {
struct ConvertLinear : OpConversionPattern<qnn::LinearOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::LinearOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Contraction c = Contraction::of(op, *getTypeConverter());
    c.lhs = adaptor.getInput();
    c.rhs = adaptor.getWeight();
    c.bias = adaptor.getBias();
    c.sizes = tensor::getMixedSizes(rewriter, loc, c.lhs);
    int64_t rank = c.rank(), n = op.getResult().getType().getShape().back();
    c.sizes.back() = rewriter.getIndexAttr(n);
    c.lhsMap = rowsMap(rewriter, rank);
    c.rhsMap = AffineMap::get(
        rank + 1, 0,
        {rewriter.getAffineDimExpr(rank - 1), rewriter.getAffineDimExpr(rank)},
        getContext());
    if (!op.hasFloatOperands()) {
      c.lhsParams = op.getInputParams();
      c.rhsParams = op.getWeightParams();
      c.groupSize = op.getGroupSize();
    }
    c.noteWeight(op.getWeight());
    replaceValue(rewriter, op, emitContraction(rewriter, loc, c));
    return success();
  }
};

struct ConvertMatmul : OpConversionPattern<qnn::MatmulOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::MatmulOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Contraction c = Contraction::of(op, *getTypeConverter());
    c.lhs = adaptor.getLhs();
    c.rhs = adaptor.getRhs();
    c.sizes = tensor::getMixedSizes(rewriter, loc, c.lhs);
    int64_t rank = c.rank();
    bool transposed = op.getTransposeRhs();
    c.sizes.back() = tensor::getMixedSize(rewriter, loc, c.rhs,
                                          transposed ? rank - 2 : rank - 1);
    c.lhsMap = rowsMap(rewriter, rank);
    // [batch.., m, n, k] without m.
    c.rhsMap = rewriter.getMultiDimIdentityMap(rank + 1).dropResult(rank - 2);
    if (!transposed) {
      SmallVector<AffineExpr> exprs(c.rhsMap.getResults());
      std::swap(exprs[rank - 2], exprs[rank - 1]);
      c.rhsMap = AffineMap::get(rank + 1, 0, exprs, getContext());
    }
    if (!op.hasFloatOperands()) {
      c.lhsParams = op.getLhsParams();
      c.rhsParams = op.getRhsParams();
      requireReduction(
          rewriter, op, tensor::getMixedSize(rewriter, loc, c.lhs, rank - 1),
          qnn::getMostProducts(op.getLhsParams(), op.getRhsParams()));
    }
    c.noteWeight(op.getRhs());
    replaceValue(rewriter, op, emitContraction(rewriter, loc, c));
    return success();
  }
};
} // namespace

void qcc::populateContractionPatterns(const StorageTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<ConvertLinear, ConvertMatmul>(converter, patterns.getContext());
}
