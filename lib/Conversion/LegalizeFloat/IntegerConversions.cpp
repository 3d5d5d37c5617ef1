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

#include "FloatBuilder.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Analysis/NumberRange.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace qcc;

Value qcc::emitSaturatingConversion(FloatBuilder &s, Value x, IntegerType type,
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

  NumberRange range = rangeOf(x);
  bool needsHigh = !(range.high < limit);
  if (range.canBeNaN)
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

Value qcc::emitIntegerToSmallFloat(FloatBuilder &s, Value x, FloatType type,
                                   bool isSigned, BF16Conversions bf16) {
  Type f32 = s.typeLike(s.builder.getF32Type());
  Value wide =
      isSigned ? arith::SIToFPOp::create(s.builder, s.loc, f32, x).getResult()
               : arith::UIToFPOp::create(s.builder, s.loc, f32, x);
  return emitRound(s.builder, s.loc, wide, type, bf16);
}
