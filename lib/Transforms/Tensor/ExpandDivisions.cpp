//===- ExpandDivisions.cpp - Divisions of quantization to products --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExactDivision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Transforms/FloatUses.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include <cmath>

#define DEBUG_TYPE "expand-divisions"

namespace qcc {
#define GEN_PASS_DEF_EXPANDDIVISIONS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numExpanded, "Divisions that became products");
ALWAYS_ENABLED_STATISTIC(numKept,
                         "Divisions by numbers without an exact reciprocal");

/// How far beyond the clamp of a quotient the dividend is clamped: not so far
/// that the quotient rounds to another integer, for clamps up to kLargestClamp.
constexpr double kMargin = 0x1p-10;
constexpr double kLargestClamp = 256;

namespace {
/// A division by a constant whose quotient is clamped to whole numbers and then
/// rounded.
struct QuantizingDivision {
  arith::DivFOp division;
  float divisor;
  Operation *lastClamp;
  double low, high;
};
} // namespace

static std::optional<double> constantOf(Value value) {
  APFloat number(0.0f);
  if (!value.getType().isF32() ||
      !matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  return number.convertToFloat();
}

/// Whether a number is only rounded, but for a select that replaces NaN.
static bool isOnlyRounded(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           if (auto compare = dyn_cast<arith::CmpFOp>(user))
             return compare.getLhs() == compare.getRhs();
           if (isa<arith::SelectOp>(user))
             return isOnlyRounded(user->getResult(0));
           return isa<math::RoundEvenOp>(user);
         });
}

static std::optional<QuantizingDivision> match(arith::DivFOp division) {
  auto divisor = constantOf(division.getRhs());
  if (!divisor)
    return std::nullopt;
  QuantizingDivision found{division, float(*divisor), division, -HUGE_VAL,
                           HUGE_VAL};
  for (int i = 0; i < 2; ++i) {
    Value value = found.lastClamp->getResult(0);
    if (!value.hasOneUse())
      return std::nullopt;
    Operation *clamp = *value.user_begin();
    if (!isa<arith::MaximumFOp, arith::MinimumFOp>(clamp))
      return std::nullopt;
    auto bound =
        constantOf(clamp->getOperand(clamp->getOperand(0) == value ? 1 : 0));
    if (!bound || *bound != std::rint(*bound) ||
        std::abs(*bound) > kLargestClamp)
      return std::nullopt;
    (isa<arith::MaximumFOp>(clamp) ? found.low : found.high) = *bound;
    found.lastClamp = clamp;
  }
  if (!(std::isfinite(found.low) && std::isfinite(found.high) &&
        found.low <= found.high) ||
      !isOnlyRounded(found.lastClamp->getResult(0)))
    return std::nullopt;
  return found;
}

static void expand(RewriterBase &rewriter, QuantizingDivision found,
                   Reciprocal reciprocal) {
  assert(found.low <= found.high && std::isfinite(reciprocal.high) &&
         "the quotient is clamped, and its divisor not 0");
  Operation *last = found.lastClamp;
  Location loc = found.division.getLoc();
  rewriter.setInsertionPoint(last);
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(rewriter, loc,
                                     rewriter.getF32FloatAttr(value));
  };
  // The bound is moved by a product, since a sum would not keep the sign of a
  // bound that is zero.
  auto beyond = [&](double bound, double sign) {
    double factor = bound * sign < 0 ? 1 - kMargin : 1 + kMargin;
    return constant(bound * factor * found.divisor);
  };
  Value x = found.division.getLhs();
  x = arith::MaximumFOp::create(rewriter, loc, x, beyond(found.low, -1));
  x = arith::MinimumFOp::create(rewriter, loc, x, beyond(found.high, 1));
  // The reciprocal of a power of 2 is exact, so that there is no rest to add.
  Value quotient = arith::MulFOp::create(
      rewriter, loc, x,
      constant(reciprocal.low == 0 ? reciprocal.high : reciprocal.low));
  if (reciprocal.low != 0)
    quotient = math::FmaOp::create(rewriter, loc, x, constant(reciprocal.high),
                                   quotient);
  rewriter.replaceOp(last, quotient);
}

namespace {
struct ExpandDivisions : qcc::impl::ExpandDivisionsBase<ExpandDivisions> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<arith::DivFOp> divisions;
    getOperation().walk([&](arith::DivFOp op) { divisions.push_back(op); });
    llvm::DenseMap<std::pair<uint32_t, unsigned>, std::optional<Reciprocal>>
        known;
    for (arith::DivFOp division : divisions) {
      auto found = match(division);
      if (!found)
        continue;
      bool keepZeroSign = !isZeroSignUnused(found->lastClamp->getResult(0));
      auto [it, isNew] = known.try_emplace(
          {llvm::bit_cast<uint32_t>(found->divisor), keepZeroSign});
      if (isNew)
        it->second = exactReciprocal(found->divisor, keepZeroSign);
      if (!it->second) {
        ++numKept;
        LDBG() << "keeps the division at " << division.getLoc() << ": "
               << found->divisor << " has no exact reciprocal";
        continue;
      }
      ++numExpanded;
      LDBG() << "multiplies by the reciprocal of " << found->divisor << " at "
             << division.getLoc();
      Operation *first = *division->user_begin();
      expand(rewriter, *found, *it->second);
      rewriter.eraseOp(first);
      rewriter.eraseOp(division);
    }
  }
};
} // namespace
