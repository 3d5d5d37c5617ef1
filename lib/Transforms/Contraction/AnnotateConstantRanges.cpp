//===- AnnotateConstantRanges.cpp - Ranges of constants onto epilogues ----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "qcc/Analysis/NumberRange.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/InterleavedRange.h"
#include <cmath>
#include <limits>

#define DEBUG_TYPE "annotate-constant-ranges"

namespace qcc {
#define GEN_PASS_DEF_ANNOTATECONSTANTRANGES
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(
    numAnnotated, "Contractions whose epilogue reads constants of known range");

/// Bounds are rounded to powers of 2^4 away from 0, since it matters how large
/// a product can be, and to powers of 2^16 towards 0, where the sign matters.
constexpr int kBitsAway = 4, kBitsTowards = 16;

/// A power of two, 0 or the negative of one, up from x or down.
static double roundBound(double x, bool up) {
  if (x == 0)
    return 0;
  bool isAway = (x > 0) == up;
  int bits = isAway ? kBitsAway : kBitsTowards;
  double exponent = std::log2(std::abs(x)) / bits;
  double rounded = isAway ? std::ceil(exponent) : std::floor(exponent);
  return std::copysign(std::exp2(bits * rounded), x);
}

namespace {
struct AnnotateConstantRanges
    : qcc::impl::AnnotateConstantRangesBase<AnnotateConstantRanges> {
  void runOnOperation() override {
    getOperation().walk([](kernel::ContractOp op) {
      SmallVector<double> ranges;
      bool isKnown = false;
      for (Value operand : op.getEpilogueOperands()) {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        NumberRange range{nan, nan};
        if (!getElementTypeOrSelf(operand.getType()).isInteger(8))
          range = rangeOfConstant(operand).value_or(range);
        isKnown |= !std::isnan(range.low);
        ranges.append({roundBound(range.low, /*up=*/false),
                       roundBound(range.high, /*up=*/true)});
      }
      if (!isKnown)
        return;
      ++numAnnotated;
      LDBG() << "contraction at " << op.getLoc() << ": ranges "
             << llvm::interleaved_array(ranges);
      kernel::Facts facts = op.getKnownFacts();
      facts.epilogueRanges = DenseF64ArrayAttr::get(op.getContext(), ranges);
      op.setKnownFacts(facts);
    });
  }
};
} // namespace
