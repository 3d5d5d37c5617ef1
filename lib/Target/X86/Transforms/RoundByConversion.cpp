//===- RoundByConversion.cpp - Rounding and converting at once ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "qcc/Analysis/NumberRange.h"
#include "qcc/Target/X86/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "round-by-conversion"

namespace qcc {
#define GEN_PASS_DEF_ROUNDBYCONVERSION
#include "qcc/Target/X86/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numConversions, "Roundings that became conversions");

/// What is rounded to give `value`, which may be a whole number in place of
/// NaN; null if `value` is not rounded.
static Value unrounded(OpBuilder &builder, Location loc, Value value) {
  if (auto round = value.getDefiningOp<math::RoundEvenOp>())
    return round.getOperand();
  auto select = value.getDefiningOp<arith::SelectOp>();
  Value tested = select ? passedUnlessNaN(select) : Value();
  auto round =
      tested ? tested.getDefiningOp<math::RoundEvenOp>() : math::RoundEvenOp();
  if (!round)
    return {};
  Value other = tested == select.getTrueValue() ? select.getFalseValue()
                                                : select.getTrueValue();
  APFloat constant(0.0f);
  if (!matchPattern(other, m_ConstantFloat(&constant)) || !constant.isInteger())
    return {};
  // A number is NaN before it is rounded if it is after.
  Value number = round.getOperand();
  Value ordered = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD,
                                        number, number);
  return arith::SelectOp::create(builder, loc, ordered, number, other);
}

static void roundByConversion(RewriterBase &rewriter, arith::FPToSIOp op) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type || !llvm::isPowerOf2_64(type.getNumElements()) ||
      !type.getElementType().isInteger(32) ||
      !cast<VectorType>(op.getIn().getType()).getElementType().isF32() ||
      !rangeOf(op.getIn())
           .isWithin(std::numeric_limits<int32_t>::min(),
                     std::numeric_limits<int32_t>::max()))
    return;
  rewriter.setInsertionPoint(op);
  if (Value number = unrounded(rewriter, op.getLoc(), op.getIn())) {
    ++numConversions;
    LDBG() << "rounds by the conversion at " << op.getLoc();
    rewriter.replaceOpWithNewOp<LLVM::LrintOp>(op, type, number);
  }
}

namespace {
struct RoundByConversion : qcc::impl::RoundByConversionBase<RoundByConversion> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk(
        [&](arith::FPToSIOp op) { roundByConversion(rewriter, op); });
  }
};
} // namespace
