//===- PadInPlace.cpp - Padding to borders of the buffers it is around ----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../KnownSizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "pad-in-place"

namespace qcc {
#define GEN_PASS_DEF_PADINPLACE
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numInPlace,
                         "Tensors computed inside of their padding");
ALWAYS_ENABLED_STATISTIC(numCopied, "Tensors copied into their padding");
ALWAYS_ENABLED_STATISTIC(numKept,
                         "Paddings of widths or sizes that are not known");

/// The widths of padding where they are static.
static std::optional<SmallVector<int64_t>>
staticWidths(ArrayRef<OpFoldResult> widths) {
  SmallVector<int64_t> result;
  for (OpFoldResult width : widths) {
    std::optional<int64_t> value = getConstantIntValue(width);
    if (!value || *value < 0)
      return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

/// The operand that says where the source of a pad is computed, if that is
/// nowhere in particular; null where the source has to be copied.
static OpOperand *destinationOf(tensor::PadOp pad) {
  auto result = dyn_cast<OpResult>(pad.getSource());
  auto producer = result
                      ? dyn_cast<DestinationStyleOpInterface>(result.getOwner())
                      : DestinationStyleOpInterface();
  if (!producer || producer->getBlock() != pad->getBlock())
    return nullptr;
  OpOperand *destination = producer.getTiedOpOperand(result);
  return destination->get().getDefiningOp<tensor::EmptyOp>() ? destination
                                                             : nullptr;
}

/// Nothing but padding: slices without elements may lie out of bounds.
static void fill(RewriterBase &rewriter, tensor::PadOp pad, Value value) {
  rewriter.setInsertionPoint(pad);
  Value empty = tensor::EmptyOp::create(rewriter, pad.getLoc(),
                                        pad.getResultType().getShape(),
                                        pad.getResultType().getElementType());
  rewriter.replaceOpWithNewOp<linalg::FillOp>(pad, value, empty);
}

static void padInPlace(RewriterBase &rewriter, tensor::PadOp pad,
                       func::FuncOp func) {
  Value value = pad.getConstantPaddingValue();
  if (value && pad.getResultType().hasStaticShape() &&
      llvm::is_contained(pad.getSourceType().getShape(), 0))
    return fill(rewriter, pad, value);
  auto low = staticWidths(pad.getMixedLowPad()),
       high = staticWidths(pad.getMixedHighPad());
  auto keep = [&](StringRef reason) {
    ++numKept;
    LDBG() << "keeps the padding at " << pad.getLoc() << ": " << reason;
  };
  if (!value || !low || !high)
    return keep("its value or its widths are not known");
  // The border is filled before the producer runs, so that the producer can
  // write to what it surrounds.
  KnownSizes known(func);
  bool isConstant = matchPattern(value, m_Constant());
  OpOperand *destination = isConstant ? destinationOf(pad) : nullptr;
  Operation *first = destination ? destination->getOwner() : pad.getOperation();
  if (!known.setInsertionPoint(first))
    return;
  SmallVector<OpFoldResult> inner, padded;
  auto type = cast<RankedTensorType>(pad.getType());
  AffineExpr inside = getAffineDimExpr(0, func.getContext());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    OpFoldResult size = known.sizeOf(pad.getSource(), d);
    if (!size)
      return keep("a size is not known before it is computed");
    inner.push_back(size);
    padded.push_back(known.apply(inside + (*low)[d] + (*high)[d], {size}));
  }
  Location loc = pad.getLoc();
  ++(destination ? numInPlace : numCopied);
  LDBG() << (destination ? "computes the tensor padded at "
                         : "copies the tensor padded at ")
         << loc << " inside of its padding";
  rewriter.setInsertionPoint(first);
  if (isConstant)
    value = rewriter.clone(*value.getDefiningOp())->getResult(0);
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, padded, type.getElementType());
  if (empty.getType() != type)
    empty = tensor::CastOp::create(rewriter, loc, type, empty);
  Value border =
      kernel::FillBorderOp::create(rewriter, loc, TypeRange{type}, value, empty,
                                   rewriter.getDenseI64ArrayAttr(*low),
                                   rewriter.getDenseI64ArrayAttr(*high))
          .getResult(0);
  SmallVector<OpFoldResult> ones(type.getRank(), rewriter.getIndexAttr(1));
  SmallVector<OpFoldResult> offsets =
      getAsIndexOpFoldResult(func.getContext(), *low);
  if (destination)
    destination->set(tensor::ExtractSliceOp::create(
        rewriter, destination->getOwner()->getLoc(), pad.getSourceType(),
        border, offsets, inner, ones));
  rewriter.setInsertionPoint(pad);
  rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
      pad, pad.getSource(), border, offsets, inner, ones);
}

namespace {
struct PadInPlace : qcc::impl::PadInPlaceBase<PadInPlace> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](tensor::PadOp pad) { pads.push_back(pad); });
    for (tensor::PadOp pad : pads)
      padInPlace(rewriter, pad, getOperation());
  }
};
} // namespace
