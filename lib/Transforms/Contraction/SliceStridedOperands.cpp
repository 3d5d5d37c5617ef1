//===- SliceStridedOperands.cpp - Only what windows read is copied --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TargetPass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "slice-strided-operands"

namespace qcc {
#define GEN_PASS_DEF_SLICESTRIDEDOPERANDS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using kernel::ContractOp;

ALWAYS_ENABLED_STATISTIC(
    numSliced, "Left operands copied without the elements between strides");

namespace {
/// Of a dimension of a left operand, `source` padded by `low` and `high`: the
/// elements offset + i * stride of `source` for i < size, padded.
struct SlicedDim {
  OpFoldResult offset, size, stride, low, high;
};
} // namespace

/// What a dimension is without the elements between those at
/// `loop` * `stride`; none where a size is not known, or where all of them are
/// padding.
static std::optional<SlicedDim> sliceOf(Builder &builder, int64_t sourceSize,
                                        OpFoldResult low, int64_t stride,
                                        int64_t loopSize) {
  std::optional<int64_t> padding = getConstantIntValue(low);
  if (!padding || *padding < 0 || ShapedType::isDynamic(sourceSize) ||
      ShapedType::isDynamic(loopSize))
    return std::nullopt;
  int64_t newLow = llvm::divideCeil(*padding, stride),
          offset = newLow * stride - *padding;
  if (newLow >= loopSize || offset >= sourceSize)
    return std::nullopt;
  int64_t size = std::min<int64_t>(
      llvm::divideCeil(sourceSize - offset, stride), loopSize - newLow);
  assert(size > 0 && offset >= 0 && offset + (size - 1) * stride < sourceSize &&
         "the slice has elements of the source alone");
  assert(newLow + size <= loopSize && "the slice is no larger than the loop");
  auto attr = [&](int64_t value) { return builder.getIndexAttr(value); };
  return SlicedDim{attr(offset), attr(size), attr(stride), attr(newLow),
                   attr(loopSize - newLow - size)};
}

/// The loop and the factor of `loop * factor` with a factor of at least 2.
static std::optional<std::pair<unsigned, int64_t>> strideOf(AffineExpr expr) {
  auto product = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!product || product.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto loop = dyn_cast<AffineDimExpr>(product.getLHS());
  auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
  if (!loop || !factor || factor.getValue() < 2)
    return std::nullopt;
  return std::pair{loop.getPosition(), factor.getValue()};
}

/// Whether the left operand is copied before it is multiplied: into padding,
/// since nothing computes it that could write there, or because the target
/// reads unsigned bytes where windows overlap.
static bool isCopied(ContractOp op, tensor::PadOp pad, Value source,
                     const Target &target) {
  if (source.getDefiningOp<DestinationStyleOpInterface>() ||
      !op.getLhsPrologue().empty())
    return false;
  if (pad)
    return pad->hasOneUse() && pad.getConstantPaddingValue();
  return source.hasOneUse() && !op.isOfFloats() && !op.getLhsUnsigned() &&
         target.prefersUnsignedLhs() &&
         !target.readsLhsAsItLies(op, cast<RankedTensorType>(source.getType()));
}

/// `source` as the contraction reads it; `slices` says what becomes of each
/// dimension, those without a slice stay as they are.
static Value slice(IRRewriter &rewriter, tensor::PadOp pad, Value source,
                   ArrayRef<std::optional<SlicedDim>> slices) {
  Location loc = source.getLoc();
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets, sizes, strides, low, high;
  for (auto [d, sliced] : llvm::enumerate(slices)) {
    SlicedDim dim = sliced.value_or(SlicedDim{zero, {}, one, zero, zero});
    if (!sliced) {
      dim.size = tensor::getMixedSize(rewriter, loc, source, d);
      if (pad) {
        dim.low = pad.getMixedLowPad()[d];
        dim.high = pad.getMixedHighPad()[d];
      }
    }
    offsets.push_back(dim.offset);
    sizes.push_back(dim.size);
    strides.push_back(dim.stride);
    low.push_back(dim.low);
    high.push_back(dim.high);
  }
  Value sliced = tensor::ExtractSliceOp::create(rewriter, loc, source, offsets,
                                                sizes, strides);
  if (!pad)
    return sliced;
  return tensor::PadOp::create(rewriter, pad.getLoc(), Type(), sliced, low,
                               high, pad.getConstantPaddingValue());
}

static void sliceLhs(IRRewriter &rewriter, ContractOp op,
                     const Target &target) {
  auto pad = op.getLhs().getDefiningOp<tensor::PadOp>();
  Value source = pad ? pad.getSource() : op.getLhs();
  if (!isCopied(op, pad, source, target))
    return;
  auto type = cast<RankedTensorType>(source.getType());
  ContractParts parts = ContractParts::of(op);
  SmallVector<AffineExpr> reads(parts.lhs.map.getResults());
  SmallVector<int64_t> loopSizes = op.getStaticLoopSizes();
  SmallVector<std::optional<SlicedDim>> slices(reads.size());
  for (auto [d, read] : llvm::enumerate(reads)) {
    auto stride = strideOf(read);
    if (!stride)
      continue;
    OpFoldResult low =
        pad ? pad.getMixedLowPad()[d] : OpFoldResult(rewriter.getIndexAttr(0));
    slices[d] = sliceOf(rewriter, type.getDimSize(d), low, stride->second,
                        loopSizes[stride->first]);
    if (slices[d])
      read = rewriter.getAffineDimExpr(stride->first);
  }
  if (llvm::none_of(slices, [](const auto &dim) { return dim.has_value(); }))
    return;
  ++numSliced;
  LDBG() << "slices the left operand of the contraction at " << op.getLoc()
         << ", which is copied, by its strides";
  rewriter.setInsertionPoint(op);
  parts.lhs = {slice(rewriter, pad, source, slices),
               AffineMap::get(parts.lhs.map.getNumDims(), 0, reads,
                              rewriter.getContext())};
  ContractOp sliced = parts.createFrom(rewriter, op);
  rewriter.replaceOp(op, sliced.getResults());
  if (pad)
    rewriter.eraseOp(pad);
}

namespace {
struct SliceStridedOperands
    : TargetPass<qcc::impl::SliceStridedOperandsBase<SliceStridedOperands>> {
  using TargetPass::TargetPass;

  void runOnOperation() override {
    SmallVector<ContractOp> ops;
    getOperation().walk([&](ContractOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (ContractOp op : ops)
      sliceLhs(rewriter, op, *target);
  }
};
} // namespace

std::unique_ptr<Pass> qcc::createSliceStridedOperands(TargetRef target) {
  return std::make_unique<SliceStridedOperands>(std::move(target));
}
