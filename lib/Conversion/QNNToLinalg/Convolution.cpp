//===- Convolution.cpp - Convolutions -------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// qnn.conv2d becomes a tensor.pad by the zero point, where it has padding, and
// then what a linear layer becomes, with these loops:
//
//   one group:  n, oh, ow, f, and kh, kw, c
//   groups:     n, oh, ow, g, f, and kh, kw, c, all channels taken apart into
//               groups and the channels of each
//   depthwise:  n, oh, ow, f, and kh, kw, each channel of the input being there
//               as often as it has results
//
// form-contractions knows the windows by their maps.
//
// A qnn.conv_transpose2d becomes one such convolution, with strides of 1, for
// each phase of its result (Windows.h): pixels whose places are equal modulo
// the strides. Each is put where it belongs by two concatenations and a
// reshape.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "Patterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Dialect/Utils/ConstantData.h"

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// The input
//===----------------------------------------------------------------------===//

namespace {
/// The zero point of the input, and as it is stored.
struct InputZero {
  ZeroPoint zeroPoint;
  Value stored;
};
} // namespace

/// A zero point that is known only at run time counts by what can be stored of
/// it (N2), so that padding adds nothing whatever it is.
static InputZero emitInputZero(ConversionPatternRewriter &rewriter,
                               Location loc, const qnn::QuantParams &params) {
  InputZero zero{ZeroPoint::get(rewriter, loc, params), {}};
  auto type = rewriter.getIntegerType(params.width);
  if (zero.zeroPoint.constant) {
    APInt value(params.width, *zero.zeroPoint.constant, /*isSigned=*/true,
                /*implicitTrunc=*/true);
    zero.stored = arith::ConstantOp::create(
        rewriter, loc, rewriter.getIntegerAttr(type, value));
    return zero;
  }
  Value tensor = zero.zeroPoint.tensor;
  SmallVector<Value> first(
      cast<RankedTensorType>(tensor.getType()).getRank(),
      arith::ConstantIndexOp::create(rewriter, loc, 0).getResult());
  Value number = tensor::ExtractOp::create(rewriter, loc, tensor, first);
  zero.stored = arith::TruncIOp::create(rewriter, loc, type, number);
  Type i32 = rewriter.getI32Type();
  number =
      params.isSigned
          ? arith::ExtSIOp::create(rewriter, loc, i32, zero.stored).getResult()
          : arith::ExtUIOp::create(rewriter, loc, i32, zero.stored).getResult();
  zero.zeroPoint.tensor = tensor::FromElementsOp::create(
      rewriter, loc, RankedTensorType::get({}, i32), number);
  return zero;
}

/// Zero points before and behind an image along H, and along W.
using Borders = std::array<std::pair<int64_t, int64_t>, 2>;

static Value emitBorder(ConversionPatternRewriter &rewriter, Location loc,
                        Value input, const Borders &border, Value zero) {
  if (border == Borders())
    return input;
  SmallVector<OpFoldResult> low(4, rewriter.getIndexAttr(0)), high(low);
  for (unsigned d = 0; d < 2; ++d) {
    low[1 + d] = rewriter.getIndexAttr(border[d].first);
    high[1 + d] = rewriter.getIndexAttr(border[d].second);
  }
  return emitPad(rewriter, loc, input, low, high, zero);
}

//===----------------------------------------------------------------------===//
// The weight
//===----------------------------------------------------------------------===//

/// The elements of [F, KH, KW, C] that add to a phase, in the order of its
/// windows; of a constant at compile time.
static Value phaseOfKernel(ConversionPatternRewriter &rewriter, Location loc,
                           Value weight,
                           const std::array<qnn::TransposedPhase, 2> &phase,
                           const std::array<int64_t, 2> &tapSteps) {
  auto type = cast<RankedTensorType>(weight.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<AffineExpr> reads{rewriter.getAffineDimExpr(0)};
  for (unsigned d = 0; d < 2; ++d) {
    shape[1 + d] = phase[d].taps;
    reads.push_back((phase[d].taps - 1 - rewriter.getAffineDimExpr(1 + d)) *
                        tapSteps[d] +
                    phase[d].tap);
  }
  reads.push_back(rewriter.getAffineDimExpr(3));
  GenericEmitter emitter(rewriter, loc, /*loops=*/4, /*rank=*/4);
  emitter.addInput(weight, AffineMap::get(4, 0, reads, rewriter.getContext()));
  Value part = emitter.build(
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType()), 0,
      "", [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  TypedAttr constant = foldMovement(part.getDefiningOp());
  if (!constant)
    return part;
  rewriter.eraseOp(part.getDefiningOp());
  return arith::ConstantOp::create(rewriter, loc, constant);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// [.., groups * n, ..] as [.., groups, n, ..], the dimension being `dim`.
static Value expandGroups(OpBuilder &builder, Location loc, Value tensor,
                          int64_t dim, int64_t groups) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= groups;
  shape.insert(shape.begin() + dim, groups);
  SmallVector<ReassociationIndices> dims;
  for (int64_t d = 0, next = 0; d < type.getRank(); ++d) {
    dims.push_back({next++});
    if (d == dim)
      dims.back().push_back(next++);
  }
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), tensor,
                                       dims);
}

/// [N, H, W, C] as [N, H, W, C * count], each channel `count` times in a row.
static Value repeatChannels(OpBuilder &builder, Location loc, Value image,
                            int64_t count) {
  if (count == 1)
    return image;
  auto type = cast<RankedTensorType>(image.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, image);
  sizes.push_back(builder.getIndexAttr(count));
  GenericEmitter emitter(builder, loc, /*loops=*/5, /*rank=*/5);
  emitter.addInput(
      image,
      AffineMap::getMultiDimIdentityMap(5, builder.getContext()).dropResult(4));
  Value repeated = emitter.build(
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType()), 0,
      "", [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  return tensor::CollapseShapeOp::create(
      builder, loc, repeated,
      SmallVector<ReassociationIndices>{{0}, {1}, {2}, {3, 4}});
}

/// Fills in operands, maps and loops for windows over `input`, which is padded
/// already, and [F, KH, KW, C / groups] `weight`. c.sizes is [N, OH, OW, F].
static void setLoops(OpBuilder &builder, Location loc, Contraction &c,
                     Value input, Value weight, int64_t groups,
                     const std::array<qnn::WindowDim, 2> &windows) {
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t filters = type.getDimSize(0);
  bool isDepthwise = groups > 1 && type.getDimSize(3) == 1;
  c.lhs = input;
  c.rhs = weight;
  if (isDepthwise) {
    c.lhs = repeatChannels(builder, loc, input, filters / groups);
    c.rhs = tensor::CollapseShapeOp::create(
        builder, loc, weight,
        SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}});
  } else if (groups > 1) {
    c.lhs = expandGroups(builder, loc, input, 3, groups);
    c.rhs = expandGroups(builder, loc, weight, 0, groups);
    c.groups = groups;
    c.sizes.back() = builder.getIndexAttr(filters / groups);
    c.sizes.insert(c.sizes.end() - 1, builder.getIndexAttr(groups));
  }
  c.reductions = isDepthwise ? 2 : 3;

  unsigned rank = c.rank();
  auto loop = [&](unsigned d) { return builder.getAffineDimExpr(d); };
  SmallVector<AffineExpr> lhs = {loop(0)}, rhs;
  for (unsigned d = 0; d < 2; ++d)
    lhs.push_back(loop(1 + d) * windows[d].stride +
                  loop(rank + d) * windows[d].dilation);
  if (isDepthwise || groups > 1)
    lhs.push_back(loop(3));
  for (unsigned d = 3; d < rank; ++d)
    rhs.push_back(loop(d));
  rhs.append({loop(rank), loop(rank + 1)});
  if (!isDepthwise) {
    lhs.push_back(loop(rank + 2));
    rhs.push_back(loop(rank + 2));
  }
  unsigned loops = rank + c.reductions;
  c.lhsMap = AffineMap::get(loops, 0, lhs, builder.getContext());
  c.rhsMap = AffineMap::get(loops, 0, rhs, builder.getContext());
}

/// The result of `c` as [N, OH, OW, F].
static Value emitConvolution(ConversionPatternRewriter &rewriter, Location loc,
                             Operation *op, const Contraction &c) {
  Value result = emitContraction(rewriter, loc, c);
  if (c.groups == 1)
    return result;
  Type type = getElementTypeOrSelf(op->getResult(0));
  result.getDefiningOp()->setLoc(withType(loc, type));
  return tensor::CollapseShapeOp::create(
      rewriter, loc, result,
      SmallVector<ReassociationIndices>{{0}, {1}, {2}, {3, 4}});
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// What both ops have in common; sizes[1] and sizes[2] are those of the input.
template <typename OpTy>
static Contraction contractionOf(OpTy op, typename OpTy::Adaptor adaptor,
                                 const TypeConverter &converter,
                                 OpBuilder &builder) {
  Contraction c = Contraction::of(op, converter);
  c.bias = adaptor.getBias();
  c.lhsParams = op.getInputParams();
  c.rhsParams = op.getWeightParams();
  c.noteWeight(op.getWeight());
  c.sizes = tensor::getMixedSizes(builder, op.getLoc(), adaptor.getInput());
  c.sizes.back() = builder.getIndexAttr(
      cast<RankedTensorType>(op.getType()).getShape().back());
  return c;
}

/// Elements of an image that follow each other along H and W; the image itself
/// where that is all of it.
static Value emitPart(OpBuilder &builder, Location loc, Value image,
                      const std::array<int64_t, 2> &first,
                      ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(image.getType());
  SmallVector<OpFoldResult> starts(4, builder.getIndexAttr(0)),
      steps(4, builder.getIndexAttr(1));
  for (unsigned d = 0; d < 2; ++d)
    starts[1 + d] = builder.getIndexAttr(first[d]);
  RankedTensorType part = tensor::ExtractSliceOp::inferResultType(type, sizes);
  if (part == type && type.hasStaticShape())
    return image;
  // MLIR takes nothing of what has no elements.
  if (llvm::is_contained(type.getShape(), 0))
    return tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  return tensor::ExtractSliceOp::create(builder, loc, part, image, starts,
                                        sizes, steps);
}

namespace {
struct ConvertConv2D : OpConversionPattern<qnn::Conv2DOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::Conv2DOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Contraction c = contractionOf(op, adaptor, *getTypeConverter(), rewriter);
    Value input = adaptor.getInput();
    qnn::Windows windows = op.getWindows();
    Borders border;
    for (unsigned d = 0; d < 2; ++d) {
      const qnn::WindowDim &dim = windows.dims[d];
      requireSize(rewriter, op, input, 1 + d, dim.leastInputSize());
      border[d] = {dim.padBefore, dim.padAfter};
      int64_t room = dim.padBefore + dim.padAfter - dim.extent();
      c.sizes[1 + d] = affine::makeComposedFoldedAffineApply(
          rewriter, loc,
          (rewriter.getAffineDimExpr(0) + room).floorDiv(dim.stride) + 1,
          c.sizes[1 + d]);
    }
    InputZero zero = emitInputZero(rewriter, loc, *c.lhsParams);
    c.lhsZero = zero.zeroPoint;
    input = emitBorder(rewriter, loc, input, border, zero.stored);
    setLoops(rewriter, loc, c, input, adaptor.getWeight(), op.getGroups(),
             windows.dims);
    replaceValue(rewriter, op, emitConvolution(rewriter, loc, op, c));
    return success();
  }
};

struct ConvertConvTranspose2D : OpConversionPattern<qnn::ConvTranspose2DOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::ConvTranspose2DOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

/// A qnn.conv_transpose2d as the convolutions of its phases.
struct PhasedConvolution {
  mutable qnn::ConvTranspose2DOp op;
  ConversionPatternRewriter &rewriter;
  Location loc; ///< of the results of phases
  /// What all phases have in common; its sizes are those of each of them.
  Contraction common;
  std::array<qnn::TransposedPhases, 2> along;
  Value input; ///< with its border
  Value weight;

  bool hasOnePhase() const {
    return along[0].phases.size() == 1 && along[1].phases.size() == 1;
  }
  Value emitPhase(unsigned h, unsigned w) const;
  Value emit() const;
};
} // namespace

/// The results [N, H, W, F] of a phase.
Value PhasedConvolution::emitPhase(unsigned h, unsigned w) const {
  std::array<qnn::TransposedPhase, 2> phase{along[0].phases[h],
                                            along[1].phases[w]};
  Contraction c = common;
  std::array<qnn::WindowDim, 2> windows;
  std::array<int64_t, 2> first;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, input);
  if (phase[0].taps == 0 || phase[1].taps == 0)
    return emitConvolution(rewriter, loc, op, c); // sums of no products
  for (unsigned d = 0; d < 2; ++d) {
    windows[d].dilation = along[d].dilation;
    first[d] = along[d].before + phase[d].offset;
    sizes[1 + d] = affine::makeComposedFoldedAffineApply(
        rewriter, loc,
        rewriter.getAffineDimExpr(0) + (phase[d].taps - 1) * along[d].dilation,
        common.sizes[1 + d]);
  }
  Value read =
      hasOnePhase() ? input : emitPart(rewriter, loc, input, first, sizes);
  Value kernel = phaseOfKernel(rewriter, loc, weight, phase,
                               {along[0].tapStep, along[1].tapStep});
  setLoops(rewriter, loc, c, read, kernel, op.getGroups(), windows);
  return emitConvolution(rewriter, loc, op, c);
}

/// Values of [N, H, W, F] as the parts of one with a dimension for them behind
/// dimension `d`: [N, H, parts, W, F] for d = 1.
static Value joinBehind(OpBuilder &builder, Location loc, ArrayRef<Value> parts,
                        int64_t d) {
  SmallVector<Value> expanded;
  for (Value part : parts) {
    auto type = cast<RankedTensorType>(part.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + d + 1, 1);
    SmallVector<ReassociationIndices> groups;
    for (int64_t i = 0, next = 0; i < type.getRank(); ++i) {
      groups.push_back({next++});
      if (i == d)
        groups.back().push_back(next++);
    }
    expanded.push_back(tensor::ExpandShapeOp::create(
        builder, loc, type.clone(shape), part, groups));
  }
  return expanded.size() == 1
             ? expanded.front()
             : tensor::ConcatOp::create(builder, loc, d + 1, expanded);
}

/// The result of all phases, with what does not belong to it cut off.
Value PhasedConvolution::emit() const {
  if (hasOnePhase())
    return emitPhase(0, 0);
  SmallVector<Value> lines;
  for (unsigned h = 0; h < along[0].phases.size(); ++h) {
    SmallVector<Value> columns;
    for (unsigned w = 0; w < along[1].phases.size(); ++w)
      columns.push_back(emitPhase(h, w));
    lines.push_back(joinBehind(rewriter, loc, columns, 2));
  }
  // [N, H, phases, W, phases, F]
  Value joined = joinBehind(rewriter, loc, lines, 1);
  joined = tensor::CollapseShapeOp::create(
      rewriter, loc, joined,
      SmallVector<ReassociationIndices>{{0}, {1, 2}, {3, 4}, {5}});
  if (along[0].rest == 0 && along[1].rest == 0)
    return joined;
  SmallVector<OpFoldResult> sizes = common.sizes;
  for (unsigned d = 0; d < 2; ++d)
    sizes[1 + d] = affine::makeComposedFoldedAffineApply(
        rewriter, loc,
        rewriter.getAffineDimExpr(0) * int64_t(along[d].phases.size()) -
            along[d].rest,
        sizes[1 + d]);
  return emitPart(rewriter, loc, joined, {0, 0}, sizes);
}

LogicalResult ConvertConvTranspose2D::matchAndRewrite(
    qnn::ConvTranspose2DOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  Value input = adaptor.getInput();
  qnn::Windows windows = op.getWindows();
  bool isOnePhase = windows.dims[0].stride == 1 && windows.dims[1].stride == 1;
  PhasedConvolution phased{
      op,
      rewriter,
      isOnePhase ? loc : asPartOfLayer(loc),
      contractionOf(op, adaptor, *getTypeConverter(), rewriter),
      {},
      {},
      adaptor.getWeight()};
  Contraction &c = phased.common;
  Borders border;
  for (unsigned d = 0; d < 2; ++d) {
    const qnn::WindowDim &dim = windows.dims[d];
    int64_t added = op.getOutputPadding()[d];
    requireSize(rewriter, op, input, 1 + d,
                dim.leastTransposedInputSize(added));
    qnn::TransposedPhases &along = phased.along[d];
    along = qnn::TransposedPhases::get(dim, added);
    border[d] = {along.before, along.after};
    c.sizes[1 + d] = affine::makeComposedFoldedAffineApply(
        rewriter, loc, rewriter.getAffineDimExpr(0) + along.more,
        c.sizes[1 + d]);
  }
  InputZero zero = emitInputZero(rewriter, loc, *c.lhsParams);
  c.lhsZero = zero.zeroPoint;
  phased.input = emitBorder(rewriter, loc, input, border, zero.stored);
  replaceValue(rewriter, op, phased.emit());
  return success();
}

void qcc::populateConvolutionPatterns(const StorageTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<ConvertConv2D, ConvertConvTranspose2D>(converter,
                                                      patterns.getContext());
}
