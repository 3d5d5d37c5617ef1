//===- DropNaNChecks.cpp - Scalar code that sees no NaN -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"
#include "qcc/Analysis/NumberRange.h"
#include "qcc/Transforms/FloatUses.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "drop-nan-checks"

namespace qcc {
#define GEN_PASS_DEF_DROPNANCHECKS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numSelects,
                         "Choices dropped since their number is no NaN");
ALWAYS_ENABLED_STATISTIC(numFlags, "Maxima and minima that got flags");

/// The ranges of the constants that an op reads, and of nothing else: whether a
/// byte is signed is not known.
static SmallVector<NumberRange> rangesOfInputs(linalg::GenericOp op) {
  SmallVector<NumberRange> ranges;
  for (auto [input, argument] :
       llvm::zip_first(op.getDpsInputs(), op.getRegionInputArgs())) {
    std::optional<NumberRange> constant;
    if (!argument.getType().isInteger(8))
      constant = rangeOfConstant(input);
    ranges.push_back(constant.value_or(fullRange(argument.getType())));
  }
  return ranges;
}

static void dropNaNChecks(linalg::GenericOp op) {
  RegionRanges ranges(op.getRegion(), rangesOfInputs(op));
  for (Operation &nested :
       llvm::make_early_inc_range(op.getBody()->without_terminator())) {
    if (auto select = dyn_cast<arith::SelectOp>(nested)) {
      Value number = passedUnlessNaN(select);
      if (!number || ranges.of(number).canBeNaN)
        continue;
      ++numSelects;
      LDBG() << "drops the choice at " << select.getLoc()
             << ": its number is no NaN";
      Operation *condition = select.getCondition().getDefiningOp();
      select.replaceAllUsesWith(number);
      select.erase();
      if (condition->use_empty())
        condition->erase();
      continue;
    }
    if (!isa<arith::MaximumFOp, arith::MinimumFOp>(nested))
      continue;
    auto flags = arith::FastMathFlags::none;
    if (llvm::none_of(nested.getOperands(),
                      [&](Value v) { return ranges.of(v).canBeNaN; }))
      flags = flags | arith::FastMathFlags::nnan;
    if (isZeroSignUnused(nested.getResult(0)))
      flags = flags | arith::FastMathFlags::nsz;
    if (flags != arith::FastMathFlags::none) {
      ++numFlags;
      LDBG(2) << nested.getName() << " at " << nested.getLoc() << ": "
              << arith::stringifyFastMathFlags(flags);
    }
    nested.setAttr("fastmath",
                   arith::FastMathFlagsAttr::get(op.getContext(), flags));
  }
}

namespace {
struct DropNaNChecks : qcc::impl::DropNaNChecksBase<DropNaNChecks> {
  void runOnOperation() override {
    getOperation().walk([](linalg::GenericOp op) { dropNaNChecks(op); });
  }
};
} // namespace
