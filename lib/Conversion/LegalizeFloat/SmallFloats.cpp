//===- SmallFloats.cpp - f16 and bf16 with one rounding -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every target has instructions for f16. bf16 is the upper half of an f32, so
// that integers can do its conversions, a shift and an addition that rounds,
// where the target has no instructions for them. A narrowing from f64 goes
// through f32, rounded to odd on the way so that the second rounding is the
// only one that counts.
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"

using namespace mlir;
using namespace qcc;

/// bf16 to f32.
static Value emitExtendBF16(FloatBuilder &s, Value x) {
  Value half = s.bitcast(x, s.builder.getI16Type());
  Value wide = arith::ExtUIOp::create(s.builder, s.loc,
                                      s.typeLike(s.builder.getI32Type()), half);
  return s.asF32(s.shl(wide, 16));
}

/// f32 to bf16. Adding 0x7fff and the lowest kept bit carries into the kept
/// half exactly where half to even rounds up, up to infinity; a NaN must not
/// carry, so it is replaced.
static Value emitRoundToBF16(FloatBuilder &s, Value x) {
  Value bits = s.bits(x);
  Value odd = s.andi(s.shru(bits, 16), s.i32(1));
  Value rounded = s.addi(bits, s.addi(odd, s.i32(0x7fff)));
  Value kept = s.select(s.isNaN(x), s.i32(0x7fc00000), rounded);
  Value half = arith::TruncIOp::create(
      s.builder, s.loc, s.typeLike(s.builder.getI16Type()), s.shru(kept, 16));
  return s.bitcast(half, s.builder.getBF16Type());
}

/// f64 to f32, rounded to odd: an inexact result gets an odd significand.
static Value emitRoundToOdd(FloatBuilder &s, Value x) {
  Value nearest = arith::TruncFOp::create(
      s.builder, s.loc, s.typeLike(s.builder.getF32Type()), x);
  Value back = arith::ExtFOp::create(s.builder, s.loc, x.getType(), nearest);
  Value bits = s.bits(nearest);
  // Towards zero first: one step back where the nearest is too large.
  Value tooLarge = s.gt(s.abs(back), s.abs(x));
  Value inward = s.select(tooLarge, s.subi(bits, s.i32(1)), bits);
  Value inexact = s.cmp(arith::CmpFPredicate::ONE, back, x);
  return s.asF32(s.select(inexact, s.ori(inward, s.i32(1)), bits));
}

Value qcc::emitExtend(OpBuilder &builder, Location loc, Value value,
                      FloatType type, BF16Conversions bf16) {
  Type from = getElementTypeOrSelf(value);
  if (from == type)
    return value;
  FloatBuilder s(builder, loc, value);
  if (from.isBF16()) {
    if (bf16 == BF16Conversions::OnIntegers)
      value = emitExtendBF16(s, value);
    else
      value = arith::ExtFOp::create(builder, loc,
                                    s.typeLike(builder.getF32Type()), value);
    if (type.isF32())
      return value;
  }
  return arith::ExtFOp::create(builder, loc, s.typeLike(type), value);
}

Value qcc::emitRound(OpBuilder &builder, Location loc, Value value,
                     FloatType type, BF16Conversions bf16) {
  Type from = getElementTypeOrSelf(value);
  if (from == type)
    return value;
  FloatBuilder s(builder, loc, value);
  if (from.isF64() && !type.isF32())
    value = emitRoundToOdd(s, value);
  if (type.isBF16() && bf16 == BF16Conversions::OnIntegers)
    return emitRoundToBF16(s, value);
  return arith::TruncFOp::create(builder, loc, s.typeLike(type), value);
}
