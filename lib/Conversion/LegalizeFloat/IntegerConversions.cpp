//===- IntegerConversions.cpp - Integers and floats -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions to integers saturate and turn NaN into 0; where the value is
// known to be in range, the plain conversion is left. Conversions to f16 and
// bf16 go through f32.
//
//===----------------------------------------------------------------------===//

#include "Steps.h"
#include "mlir/IR/Matchers.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace qcc;

Value qcc::emitSaturatingConversion(Steps &s, Value x, IntegerType type,
                                    bool isSigned) {
  auto floatType = cast<FloatType>(getElementTypeOrSelf(x));
  unsigned width = type.getWidth();
  APInt low = isSigned ? APInt::getSignedMinValue(width) : APInt(width, 0);
  APInt high =
      isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  // The largest float that is at most `high`; `low` is a power of two or 0.
  APFloat highFloat(floatType.getFloatSemantics());
  highFloat.convertFromAPInt(high, isSigned, APFloat::rmTowardZero);
  APFloat lowFloat(floatType.getFloatSemantics());
  lowFloat.convertFromAPInt(low, isSigned, APFloat::rmTowardZero);
  // Floats below this limit truncate to at most `high`.
  double limit = std::ldexp(1.0, isSigned ? width - 1 : width);

  FloatRange range = getFloatRange(x);
  bool needsHigh = !(range.high < limit);
  if (range.maybeNaN)
    x = s.select(s.isNaN(x), s.floating(floatType, 0.0), x);
  Value clamped = x;
  if (!(range.low >= lowFloat.convertToDouble())) {
    Value bound = s.constant(s.builder.getFloatAttr(floatType, lowFloat));
    clamped = s.select(s.lt(clamped, bound), bound, clamped);
  }
  if (needsHigh) {
    Value bound = s.constant(s.builder.getFloatAttr(floatType, highFloat));
    clamped = s.select(s.gt(clamped, bound), bound, clamped);
  }
  Type result = s.typeLike(type);
  Value converted =
      isSigned ? arith::FPToSIOp::create(s.builder, s.loc, result, clamped)
                     .getResult()
               : arith::FPToUIOp::create(s.builder, s.loc, result, clamped)
                     .getResult();
  // Where `high` is no float, the clamp fell short of it.
  bool isExact = highFloat.convertToDouble() == limit - 1.0;
  if (!needsHigh || isExact)
    return converted;
  Value beyond =
      s.cmp(arith::CmpFPredicate::OGE, x, s.floating(floatType, limit));
  return s.select(beyond, s.constant(s.builder.getIntegerAttr(type, high)),
                  converted);
}

Value qcc::emitIntegerToSmallFloat(Steps &s, Value x, FloatType type,
                                   bool isSigned) {
  Type f32 = s.typeLike(s.builder.getF32Type());
  Value wide =
      isSigned ? arith::SIToFPOp::create(s.builder, s.loc, f32, x).getResult()
               : arith::UIToFPOp::create(s.builder, s.loc, f32, x);
  return emitRound(s.builder, s.loc, wide, type);
}

static FloatRange unknownRange() {
  double infinity = std::numeric_limits<double>::infinity();
  return {-infinity, infinity, true};
}

/// The range of a constant, which may be a splat.
static std::optional<FloatRange> getConstantRange(Value value) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(attr))
    attr = splat.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(attr);
  if (!number)
    return std::nullopt;
  double v = number.getValueAsDouble();
  if (std::isnan(v))
    return unknownRange();
  return FloatRange{v, v, false};
}

/// select(x uno x, a, x) and select(x ord x, x, a): x without its NaNs.
static std::optional<FloatRange> getNaNSelectRange(arith::SelectOp select,
                                                   unsigned depth) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return std::nullopt;
  auto predicate = compare.getPredicate();
  bool testsNaN = predicate == arith::CmpFPredicate::UNO ||
                  predicate == arith::CmpFPredicate::UNE;
  bool testsNumber = predicate == arith::CmpFPredicate::ORD ||
                     predicate == arith::CmpFPredicate::OEQ;
  if ((!testsNaN && !testsNumber) || compare.getLhs() != compare.getRhs())
    return std::nullopt;
  Value number = testsNaN ? select.getFalseValue() : select.getTrueValue();
  Value other = testsNaN ? select.getTrueValue() : select.getFalseValue();
  if (number != compare.getLhs())
    return std::nullopt;
  FloatRange a = getFloatRange(number, depth);
  FloatRange b = getFloatRange(other, depth);
  return FloatRange{std::min(a.low, b.low), std::max(a.high, b.high),
                    b.maybeNaN};
}

FloatRange qcc::getFloatRange(Value value, unsigned depth) {
  if (std::optional<FloatRange> constant = getConstantRange(value))
    return *constant;
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return unknownRange();
  auto range = [&](unsigned operand) {
    return getFloatRange(op->getOperand(operand), depth - 1);
  };
  if (isa<math::RoundEvenOp, math::FloorOp, math::CeilOp, math::TruncOp>(op)) {
    FloatRange r = range(0);
    // Rounding to an integer moves by less than one, and not at all at
    // integers.
    return {std::floor(r.low), std::ceil(r.high), r.maybeNaN};
  }
  if (isa<arith::MaximumFOp>(op)) {
    FloatRange a = range(0), b = range(1);
    return {std::max(a.low, b.low), std::max(a.high, b.high),
            a.maybeNaN || b.maybeNaN};
  }
  if (isa<arith::MinimumFOp>(op)) {
    FloatRange a = range(0), b = range(1);
    return {std::min(a.low, b.low), std::min(a.high, b.high),
            a.maybeNaN || b.maybeNaN};
  }
  // These give the other operand for a NaN, so its whole range counts.
  if (isa<arith::MaxNumFOp>(op)) {
    FloatRange a = range(0), b = range(1);
    double low = std::max(a.low, b.low);
    if (a.maybeNaN)
      low = std::min(low, b.low);
    if (b.maybeNaN)
      low = std::min(low, a.low);
    return {low, std::max(a.high, b.high), a.maybeNaN && b.maybeNaN};
  }
  if (isa<arith::MinNumFOp>(op)) {
    FloatRange a = range(0), b = range(1);
    double high = std::min(a.high, b.high);
    if (a.maybeNaN)
      high = std::max(high, b.high);
    if (b.maybeNaN)
      high = std::max(high, a.high);
    return {std::min(a.low, b.low), high, a.maybeNaN && b.maybeNaN};
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (auto r = getNaNSelectRange(select, depth - 1))
      return *r;
    FloatRange a = range(1), b = range(2);
    return {std::min(a.low, b.low), std::max(a.high, b.high),
            a.maybeNaN || b.maybeNaN};
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    Type from = getElementTypeOrSelf(op->getOperand(0));
    unsigned width = from.getIntOrFloatBitWidth();
    if (width > 64)
      return unknownRange();
    bool isSigned = isa<arith::SIToFPOp>(op);
    return {isSigned ? -std::ldexp(1.0, width - 1) : 0.0,
            std::ldexp(1.0, isSigned ? width - 1 : width), false};
  }
  return unknownRange();
}
