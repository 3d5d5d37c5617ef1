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
// In a qnn.conv_transpose2d each element of the result has a window, too: of
// the input with strides - 1 zero points between its pixels, and so many around
// it that the outermost windows reach one pixel; strides are 1 there, and the
// kernel is read backwards.
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
#include "qcc/Dialect/QNN/Transforms/ConstantData.h"

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

namespace {
/// Zero points along H or W: before and behind the image, and between its
/// pixels, which then are `step` apart.
struct Border {
  int64_t before = 0, after = 0, step = 1;

  bool isNone() const { return before == 0 && after == 0 && step == 1; }
};
} // namespace

/// An image with zero points around it and between its pixels.
static Value emitBorder(ConversionPatternRewriter &rewriter, Location loc,
                        Value input, const std::array<Border, 2> &border,
                        Value zero) {
  if (border[0].isNone() && border[1].isNone())
    return input;
  SmallVector<OpFoldResult> low(4, rewriter.getIndexAttr(0)), high(low);
  for (unsigned d = 0; d < 2; ++d) {
    low[1 + d] = rewriter.getIndexAttr(border[d].before);
    high[1 + d] = rewriter.getIndexAttr(border[d].after);
  }
  if (border[0].step == 1 && border[1].step == 1)
    return emitPad(rewriter, loc, input, low, high, zero);
  SmallVector<OpFoldResult> steps(4, rewriter.getIndexAttr(1)),
      sizes = tensor::getMixedSizes(rewriter, loc, input), spread(sizes);
  for (unsigned d = 0; d < 2; ++d) {
    auto [before, after, step] = border[d];
    steps[1 + d] = rewriter.getIndexAttr(step);
    spread[1 + d] = affine::makeComposedFoldedAffineApply(
        rewriter, loc,
        rewriter.getAffineDimExpr(0) * step + (before + after + 1 - step),
        sizes[1 + d]);
  }
  Value zeros = tensor::EmptyOp::create(rewriter, loc, spread, zero.getType());
  zeros = linalg::FillOp::create(rewriter, loc, zero, zeros).getResult(0);
  // MLIR refuses to insert what has no elements.
  if (llvm::is_contained(cast<RankedTensorType>(input.getType()).getShape(), 0))
    return zeros;
  return tensor::InsertSliceOp::create(rewriter, loc, input, zeros, low, sizes,
                                       steps);
}

//===----------------------------------------------------------------------===//
// The weight
//===----------------------------------------------------------------------===//

/// [F, KH, KW, C] backwards along KH and KW; of a constant at compile time.
static Value reverseKernel(OpBuilder &builder, Location loc, Value weight) {
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t height = type.getDimSize(1), width = type.getDimSize(2);
  if (height == 1 && width == 1)
    return weight;
  if (std::optional<qnn::ConstantData> data = qnn::ConstantData::get(weight)) {
    std::vector<char> bytes(data->bytes.size());
    int64_t kernel = height * width;
    int64_t run =
        type.getDimSize(3) * qnn::getElementBytes(type.getElementType());
    for (int64_t f = 0; f < type.getDimSize(0); ++f)
      for (int64_t k = 0; k < kernel; ++k)
        std::copy_n(data->bytes.data() + (f * kernel + k) * run, run,
                    bytes.data() + ((f + 1) * kernel - 1 - k) * run);
    return arith::ConstantOp::create(
        builder, loc, qnn::makeConstant(type, bytes, data->name));
  }
  GenericEmitter emitter(builder, loc, /*loops=*/4, /*rank=*/4);
  emitter.addInput(weight,
                   AffineMap::get(4, 0,
                                  {builder.getAffineDimExpr(0),
                                   height - 1 - builder.getAffineDimExpr(1),
                                   width - 1 - builder.getAffineDimExpr(2),
                                   builder.getAffineDimExpr(3)},
                                  builder.getContext()));
  return emitter.build(
      emptyLike(builder, loc, weight, type.getElementType()), 0, "",
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
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
static Value emitConvolution(ConversionPatternRewriter &rewriter, Operation *op,
                             const Contraction &c) {
  Location loc = op->getLoc();
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
  c.sizes = tensor::getMixedSizes(builder, op.getLoc(), adaptor.getInput());
  c.sizes.back() = builder.getIndexAttr(
      cast<RankedTensorType>(op.getType()).getShape().back());
  return c;
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
    std::array<Border, 2> border;
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
    replaceValue(rewriter, op, emitConvolution(rewriter, op, c));
    return success();
  }
};

struct ConvertConvTranspose2D : OpConversionPattern<qnn::ConvTranspose2DOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::ConvTranspose2DOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Contraction c = contractionOf(op, adaptor, *getTypeConverter(), rewriter);
    Value input = adaptor.getInput();
    qnn::Windows windows = op.getWindows();
    std::array<Border, 2> border;
    for (unsigned d = 0; d < 2; ++d) {
      qnn::WindowDim &dim = windows.dims[d];
      int64_t added = op.getOutputPadding()[d], reach = dim.extent() - 1;
      requireSize(rewriter, op, input, 1 + d,
                  dim.leastTransposedInputSize(added));
      border[d] = {reach - dim.padBefore, reach - dim.padAfter + added,
                   dim.stride};
      c.sizes[1 + d] = affine::makeComposedFoldedAffineApply(
          rewriter, loc,
          rewriter.getAffineDimExpr(0) * dim.stride +
              (1 - dim.stride + reach + added - dim.padBefore - dim.padAfter),
          c.sizes[1 + d]);
      dim.stride = 1;
    }
    InputZero zero = emitInputZero(rewriter, loc, *c.lhsParams);
    c.lhsZero = zero.zeroPoint;
    input = emitBorder(rewriter, loc, input, border, zero.stored);
    Value weight = reverseKernel(rewriter, loc, adaptor.getWeight());
    setLoops(rewriter, loc, c, input, weight, op.getGroups(), windows.dims);
    replaceValue(rewriter, op, emitConvolution(rewriter, op, c));
    return success();
  }
};
} // namespace

void qcc::populateConvolutionPatterns(const StorageTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<ConvertConv2D, ConvertConvTranspose2D>(converter,
                                                      patterns.getContext());
}
