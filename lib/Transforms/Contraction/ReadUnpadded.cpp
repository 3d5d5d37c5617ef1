//===- ReadUnpadded.cpp - Padding that is not copied around an operand ----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TargetPass.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "read-unpadded"

namespace qcc {
#define GEN_PASS_DEF_READUNPADDED
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using kernel::ContractOp;

ALWAYS_ENABLED_STATISTIC(numRead,
                         "Paddings that contractions apply as they read");
ALWAYS_ENABLED_STATISTIC(numKept, "Paddings that stay");

namespace {
/// A pad as `lhs_padding` states it.
struct Padding {
  SmallVector<int64_t> widths;
  IntegerAttr value;

  /// Nothing where widths or the value are not known.
  static std::optional<Padding> of(tensor::PadOp pad);
};
} // namespace

std::optional<Padding> Padding::of(tensor::PadOp pad) {
  Padding padding;
  Value value = pad.getConstantPaddingValue();
  if (!value || !matchPattern(value, m_Constant(&padding.value)) ||
      !padding.value.getType().isInteger(8))
    return std::nullopt;
  for (auto [low, high] :
       llvm::zip_equal(pad.getMixedLowPad(), pad.getMixedHighPad()))
    for (OpFoldResult width : {low, high}) {
      std::optional<int64_t> known = getConstantIntValue(width);
      if (!known || *known < 0)
        return std::nullopt;
      padding.widths.push_back(*known);
    }
  return padding;
}

/// Whether the use is a left operand that is read where it lies, and windows
/// move in each dimension that is padded.
static bool canReadUnpadded(OpOperand &use, RankedTensorType type,
                            const Padding &padding, const Target &target) {
  auto op = dyn_cast<ContractOp>(use.getOwner());
  if (!op || use.getOperandNumber() != 0 || op.getLhsPadding() ||
      !target.readsLhsAsItLies(op, type, padding.widths))
    return false;
  assert(padding.widths.size() == 2 * op.getLhsMap().getNumResults() &&
         "two widths for each dimension");
  for (auto [d, expr] : llvm::enumerate(op.getLhsMap().getResults()))
    if (padding.widths[2 * d] + padding.widths[2 * d + 1] > 0 &&
        isa<AffineDimExpr>(expr))
      return false;
  return true;
}

static void readUnpadded(IRRewriter &rewriter, tensor::PadOp pad,
                         const Target &target) {
  // What computes the source computes it inside of the padding.
  auto keep = [&](StringRef reason) {
    ++numKept;
    LDBG() << "keeps the padding at " << pad.getLoc() << ": " << reason;
  };
  if (pad.getSource().getDefiningOp<DestinationStyleOpInterface>())
    return keep("the op before it computes inside of the padding");
  std::optional<Padding> padding = Padding::of(pad);
  if (!padding || !llvm::all_of(pad->getUses(), [&](OpOperand &use) {
        return canReadUnpadded(use, pad.getSourceType(), *padding, target);
      }))
    return keep(padding ? "a reader cannot read the source where it lies"
                        : "its widths or its value are not constant");
  ++numRead;
  LDBG() << "the contractions that read the padding at " << pad.getLoc()
         << " apply it themselves";
  for (OpOperand &use : llvm::make_early_inc_range(pad->getUses())) {
    auto op = cast<ContractOp>(use.getOwner());
    rewriter.setInsertionPoint(op);
    ContractParts parts = ContractParts::of(op);
    parts.lhs.value = pad.getSource();
    parts.attributes.lhs_padding = kernel::PaddingAttr::get(
        rewriter.getContext(), padding->widths,
        int8_t(padding->value.getValue().getSExtValue()));
    parts.fused.insert(parts.fused.begin(),
                       pad->getName().getStringRef().str());
    ContractOp unpadded = parts.createFrom(rewriter, op);
    rewriter.replaceOp(op, unpadded.getResults());
  }
  rewriter.eraseOp(pad);
}

namespace {
struct ReadUnpadded : TargetPass<qcc::impl::ReadUnpaddedBase<ReadUnpadded>> {
  using TargetPass::TargetPass;

  void runOnOperation() override {
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](tensor::PadOp pad) { pads.push_back(pad); });
    IRRewriter rewriter(&getContext());
    for (tensor::PadOp pad : pads)
      readUnpadded(rewriter, pad, *target);
  }
};
} // namespace

std::unique_ptr<Pass> qcc::createReadUnpadded(TargetRef target) {
  return std::make_unique<ReadUnpadded>(std::move(target));
}
