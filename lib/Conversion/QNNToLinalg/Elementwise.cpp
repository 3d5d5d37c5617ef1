//===- Elementwise.cpp - Integer to integer, one element at a time --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// qnn.add, qnn.mul, qnn.clamp and qnn.lookup (N6).
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include <cmath>

using namespace mlir;
using namespace qcc;

static int64_t rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

static bool isSignedStorage(Type element) {
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return quantized.isSigned();
  return !element.isUnsignedInteger();
}

namespace {
template <typename OpTy> struct ConvertBinary : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  static constexpr bool isAdd = std::is_same_v<OpTy, qnn::AddOp>;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    qnn::QuantParams lhs = op.getLhsParams(), rhs = op.getRhsParams(),
                     to = op.getResultParams();
    Param scaleA = Param::scale(rewriter, loc, lhs),
          scaleB = Param::scale(rewriter, loc, rhs),
          scaleY = Param::scale(rewriter, loc, to);
    int64_t rank = rankOf(op.getLhs());
    GenericEmitter emitter(rewriter, loc, rank, rank);
    emitter.addInput(adaptor.getLhs());
    emitter.addInput(adaptor.getRhs());
    ZeroPoint zeroA = ZeroPoint::get(rewriter, loc, lhs),
              zeroB = ZeroPoint::get(rewriter, loc, rhs);
    auto readZeroA = emitter.add(zeroA), readZeroB = emitter.add(zeroB);
    GenericEmitter::Reader readFirst, readSecond;
    bool mayBeNaN = true;
    if (isAdd) {
      Param first = div(rewriter, loc, scaleA, scaleY);
      Param second = div(rewriter, loc, scaleB, scaleY);
      mayBeNaN = !first.isFinite() || !second.isFinite();
      readFirst = emitter.add(first);
      readSecond = emitter.add(second);
    } else {
      Param factor =
          div(rewriter, loc, mul(rewriter, loc, scaleA, scaleB), scaleY);
      mayBeNaN = !factor.isFinite();
      readFirst = emitter.add(factor);
    }
    QuantizeTail tail = makeTail(rewriter, loc, emitter, to, mayBeNaN);
    Value init = emptyLike(rewriter, loc, adaptor.getLhs(),
                           rewriter.getIntegerType(to.width));
    auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
      Type f32 = b.getF32Type();
      Value x =
          emitDifference(b, loc, args[0], lhs.isSigned, zeroA, readZeroA, args);
      Value y =
          emitDifference(b, loc, args[1], rhs.isSigned, zeroB, readZeroB, args);
      if (!isAdd) {
        Value product = arith::MulIOp::create(b, loc, x, y);
        Value v = arith::SIToFPOp::create(b, loc, f32, product);
        v = arith::MulFOp::create(b, loc, v, readFirst(b, loc, args));
        return tail.emit(b, loc, v, args);
      }
      Value fx = arith::SIToFPOp::create(b, loc, f32, x);
      Value fy = arith::SIToFPOp::create(b, loc, f32, y);
      Value addend =
          arith::MulFOp::create(b, loc, fy, readSecond(b, loc, args));
      Value v =
          math::FmaOp::create(b, loc, fx, readFirst(b, loc, args), addend);
      return tail.emit(b, loc, v, args);
    };
    replaceValue(rewriter, op,
                 emitter.build(init, 0, op->getName().getStringRef(), body));
    return success();
  }
};

struct ConvertClamp : OpConversionPattern<qnn::ClampOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::ClampOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    qnn::QuantParams params = op.getInputParams();
    int64_t rank = rankOf(op.getInput());
    GenericEmitter emitter(rewriter, loc, rank, rank);
    emitter.addInput(adaptor.getInput());
    Bound low = quantizeBound(rewriter, loc, emitter, params, op.getMin());
    Bound high = quantizeBound(rewriter, loc, emitter, params, op.getMax());
    Value init = emptyLike(rewriter, loc, adaptor.getInput(),
                           rewriter.getIntegerType(params.width));
    auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
      Value q = args[0];
      if (low)
        q = params.isSigned
                ? arith::MaxSIOp::create(b, loc, q, low(b, loc, args))
                      .getResult()
                : arith::MaxUIOp::create(b, loc, q, low(b, loc, args));
      if (high)
        q = params.isSigned
                ? arith::MinSIOp::create(b, loc, q, high(b, loc, args))
                      .getResult()
                : arith::MinUIOp::create(b, loc, q, high(b, loc, args));
      return q;
    };
    replaceValue(rewriter, op,
                 emitter.build(init, 0, op->getName().getStringRef(), body));
    return success();
  }

private:
  using Bound = GenericEmitter::Reader;

  /// Q(bound) of N5 as storage: a constant, or a tensor of what varies.
  static Bound quantizeBound(ConversionPatternRewriter &rewriter, Location loc,
                             GenericEmitter &emitter,
                             const qnn::QuantParams &params,
                             std::optional<APFloat> bound) {
    using Kind = qnn::QuantParams::Kind;
    if (!bound)
      return {};
    Param quotient =
        div(rewriter, loc, Param::constant(bound->convertToFloat()),
            Param::scale(rewriter, loc, params));
    ZeroPoint zeroPoint = ZeroPoint::get(rewriter, loc, params);
    Type storage = rewriter.getIntegerType(params.width);
    if (quotient.isConstant() && zeroPoint.constant) {
      int64_t q =
          saturatedRound(quotient.values.front(), *zeroPoint.constant, params);
      return [q, storage](OpBuilder &b, Location loc, ValueRange) {
        return arith::ConstantOp::create(b, loc, b.getIntegerAttr(storage, q))
            .getResult();
      };
    }
    // Either varies per row or not at all.
    ZeroPoint result;
    result.constant = std::nullopt;
    Value shape;
    if (quotient.kind == Kind::PerRow)
      shape = quotient.tensor;
    else if (zeroPoint.kind == Kind::PerRow)
      shape = zeroPoint.tensor;
    result.kind = shape ? Kind::PerRow : Kind::PerTensor;
    Value init = shape ? emptyLike(rewriter, loc, shape, storage)
                       : tensor::EmptyOp::create(rewriter, loc,
                                                 ArrayRef<int64_t>{}, storage)
                             .getResult();
    int64_t loops = cast<RankedTensorType>(init.getType()).getRank();
    GenericEmitter small(rewriter, loc, loops, loops);
    auto read = small.add(quotient);
    QuantizeTail tail = makeTail(rewriter, loc, small, params,
                                 /*mayBeNaN=*/!quotient.isConstant());
    result.tensor = small.build(
        init, 0, "", [&](OpBuilder &b, Location loc, ValueRange args) {
          return tail.emit(b, loc, read(b, loc, args), args);
        });
    return emitter.add(result);
  }

  /// saturate(rint(v) + z) of a v that is not NaN.
  static int64_t saturatedRound(float v, int64_t zeroPoint,
                                const qnn::QuantParams &params) {
    float least = params.qmin - zeroPoint, greatest = params.qmax - zeroPoint;
    float rounded = std::nearbyint(std::clamp(v, least, greatest));
    return static_cast<int64_t>(rounded) + zeroPoint;
  }
};

struct ConvertLookup : OpConversionPattern<qnn::LookupOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::LookupOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    bool isSigned = isSignedStorage(op.getInput().getType().getElementType());
    int64_t rank = rankOf(op.getInput());
    GenericEmitter emitter(rewriter, loc, rank, rank);
    emitter.addInput(adaptor.getInput());
    Value table = adaptor.getTable();
    Value init = emptyLike(rewriter, loc, adaptor.getInput(),
                           getElementTypeOrSelf(table));
    auto body = [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
      Value q = args[0];
      if (isSigned) {
        Value sign = arith::ConstantOp::create(
            b, loc, b.getIntegerAttr(b.getI8Type(), -128));
        q = arith::XOrIOp::create(b, loc, q, sign);
      }
      Value index = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), q);
      return tensor::ExtractOp::create(b, loc, table, index);
    };
    replaceValue(rewriter, op,
                 emitter.build(init, 0, op->getName().getStringRef(), body));
    return success();
  }
};
} // namespace

void qcc::populateElementwisePatterns(const StorageTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<ConvertBinary<qnn::AddOp>, ConvertBinary<qnn::MulOp>,
               ConvertClamp, ConvertLookup>(converter, patterns.getContext());
}
