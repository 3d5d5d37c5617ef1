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
//   depthwise with one result per channel:  n, oh, ow, c, and kh, kw
//
// form-contractions knows the windows by their maps.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "Patterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// The input
//===----------------------------------------------------------------------===//

/// The stored integer that stands for 0.
static Value emitStoredZero(ConversionPatternRewriter &rewriter, Location loc,
                            const qnn::QuantParams &params) {
  ZeroPoint zero = ZeroPoint::get(rewriter, loc, params);
  auto type = rewriter.getIntegerType(params.width);
  if (zero.constant)
    return arith::ConstantOp::create(
        rewriter, loc,
        rewriter.getIntegerAttr(type, APInt(params.width, *zero.constant,
                                            /*isSigned=*/true,
                                            /*implicitTrunc=*/true)));
  int64_t rank = cast<RankedTensorType>(zero.tensor.getType()).getRank();
  SmallVector<Value> first(
      rank, arith::ConstantIndexOp::create(rewriter, loc, 0).getResult());
  Value stored =
      tensor::ExtractOp::create(rewriter, loc, zero.tensor, first).getResult();
  return arith::TruncIOp::create(rewriter, loc, type, stored);
}

/// Leaves a requirement for insert-shape-checks: that an image has enough
/// elements along H or W.
static void requireSize(OpBuilder &builder, Location loc, StringRef origin,
                        Value input, unsigned dim, int64_t least) {
  auto type = cast<RankedTensorType>(input.getType());
  if (!type.isDynamicDim(dim) || least <= 0)
    return;
  Value size = tensor::DimOp::create(builder, loc, input, dim);
  Value bound = arith::ConstantIndexOp::create(builder, loc, least);
  Value isEnough = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle, bound, size);
  auto check =
      cf::AssertOp::create(builder, loc, isEnough,
                           ("a window needs at least " + Twine(least) +
                            " elements along " + (dim == 1 ? "H" : "W"))
                               .str());
  check->setAttr(kOriginAttr, builder.getStringAttr(origin));
}

/// What is added around an image, [H, W].
using Border = std::array<std::pair<int64_t, int64_t>, 2>;

static Value emitBorder(ConversionPatternRewriter &rewriter, Location loc,
                        Value input, const Border &border,
                        const qnn::QuantParams &params) {
  if (border == Border())
    return input;
  OpFoldResult none = rewriter.getIndexAttr(0);
  SmallVector<OpFoldResult> low(4, none), high(4, none);
  for (unsigned d = 0; d < 2; ++d) {
    low[1 + d] = rewriter.getIndexAttr(border[d].first);
    high[1 + d] = rewriter.getIndexAttr(border[d].second);
  }
  return tensor::PadOp::create(rewriter, loc, Type(), input, low, high,
                               emitStoredZero(rewriter, loc, params))
      .getResult();
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

/// Fills in operands, maps and loops for windows over `input`, which is padded
/// already, and [F, KH, KW, C / groups] `weight`. c.sizes is [N, OH, OW, F].
static void setLoops(OpBuilder &builder, Location loc, Contraction &c,
                     Value input, Value weight, int64_t groups,
                     const std::array<qnn::WindowDim, 2> &windows) {
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t filters = type.getDimSize(0);
  bool isDepthwise = groups > 1 && filters == groups && type.getDimSize(3) == 1;
  c.lhs = input;
  c.rhs = weight;
  if (isDepthwise) {
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

namespace {
struct ConvertConv2D : OpConversionPattern<qnn::Conv2DOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::Conv2DOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Contraction c = Contraction::of(op, *getTypeConverter());
    c.bias = adaptor.getBias();
    c.lhsParams = op.getInputParams();
    c.rhsParams = op.getWeightParams();
    Value input = adaptor.getInput();
    c.sizes = tensor::getMixedSizes(rewriter, loc, input);
    c.sizes.back() = rewriter.getIndexAttr(
        cast<RankedTensorType>(op.getType()).getShape().back());
    qnn::Windows windows = op.getWindows();
    Border border;
    for (unsigned d = 0; d < 2; ++d) {
      const qnn::WindowDim &dim = windows.dims[d];
      requireSize(rewriter, loc, c.origin, input, 1 + d, dim.leastInputSize());
      border[d] = {dim.padBefore, dim.padAfter};
      int64_t room = dim.padBefore + dim.padAfter - dim.extent();
      c.sizes[1 + d] = affine::makeComposedFoldedAffineApply(
          rewriter, loc,
          (rewriter.getAffineDimExpr(0) + room).floorDiv(dim.stride) + 1,
          c.sizes[1 + d]);
    }
    input = emitBorder(rewriter, loc, input, border, *c.lhsParams);
    setLoops(rewriter, loc, c, input, adaptor.getWeight(), op.getGroups(),
             windows.dims);
    replaceValue(rewriter, op, emitConvolution(rewriter, op, c));
    return success();
  }
};
} // namespace

void qcc::populateConvolutionPatterns(const StorageTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<ConvertConv2D>(converter, patterns.getContext());
}
