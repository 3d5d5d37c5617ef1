//===- MathExpansion.cpp - The fixed sequences of N8 ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operation by operation the lists of docs/Numerics.md, "The fixed sequences of
// N8"; the names of the values are the names there.
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"
#include "qcc/Analysis/NumberRange.h"

using namespace mlir;
using namespace qcc;

/// The polynomial c[0] + x * (c[1] + ...), given from its last coefficient on.
static Value emitHorner(FloatBuilder &s, Value x,
                        ArrayRef<uint32_t> coefficients) {
  Value q = s.f32(coefficients.front());
  for (uint32_t c : coefficients.drop_front())
    q = s.fma(q, x, s.f32(c));
  return q;
}

/// exp(c) = p * 2^n.
static std::pair<Value, Value> emitReducedExp(FloatBuilder &s, Value c) {
  Value magic = s.f32(0x4b400000);
  Value t = s.fma(c, s.f32(0x3fb8aa3b), magic);
  Value n = s.subi(s.bits(t), s.i32(0x4b400000));
  Value k = s.sub(t, magic);
  Value r = s.fma(k, s.f32(0xbf317218), c);
  r = s.fma(k, s.f32(0x3102e308), r);
  Value q = emitHorner(
      s, r, {0x3ab56281, 0x3c091ee5, 0x3d2aac2c, 0x3e2aaa46, 0x3efffffe});
  Value square = s.mul(r, r);
  Value p = s.fma(square, q, r);
  p = s.add(p, s.f32(0x3f800000));
  return {n, p};
}

/// 2^n, -126 <= n <= 127.
static Value emitPowerOfTwo(FloatBuilder &s, Value n) {
  return s.asF32(s.shl(s.addi(n, s.i32(127)), 23));
}

/// |y| with the sign of x.
static Value emitWithSign(FloatBuilder &s, Value y, Value x) {
  Value magnitude = s.andi(s.bits(y), s.i32(0x7fffffff));
  Value sign = s.andi(s.bits(x), s.i32(0x80000000));
  return s.asF32(s.ori(magnitude, sign));
}

static Value emitMagnitude(FloatBuilder &s, Value x) {
  return s.asF32(s.andi(s.bits(x), s.i32(0x7fffffff)));
}

Value qcc::emitExp(FloatBuilder &s, Value x) {
  Value high = s.f32(0x42b20000); // 89
  Value low = s.f32(0xc2d20000);  // -105
  Value c = s.select(s.gt(x, high), high, x);
  c = s.select(s.lt(c, low), low, c);
  auto [n, p] = emitReducedExp(s, c);
  Value a = s.shrs(n, 1);
  Value b = s.subi(n, a);
  Value u = s.mul(p, emitPowerOfTwo(s, a));
  return s.mul(u, emitPowerOfTwo(s, b));
}

/// `y` with the sign of `x`, which no arithmetic tells to be at most 1.
static Value emitFromMinusOneToOne(FloatBuilder &s, Value y, Value x) {
  Value result = emitWithSign(s, y, x);
  if (Operation *op = result.getDefiningOp())
    op->setDiscardableAttr(kBoundsAttr,
                           s.builder.getDenseF64ArrayAttr({-1.0, 1.0}));
  return result;
}

Value qcc::emitTanh(FloatBuilder &s, Value x) {
  Value one = s.f32(0x3f800000);
  Value t = emitMagnitude(s, x);
  Value square = s.mul(t, t);
  Value q = emitHorner(
      s, square, {0xbbba8671, 0x3ca8fc67, 0xbd5c1ad2, 0x3e08837b, 0xbeaaaa99});
  Value v = s.mul(t, square);
  Value small = s.fma(v, q, t);
  Value limit = s.f32(0x41200000); // 10
  Value c = s.select(s.gt(t, limit), limit, t);
  Value d = s.add(c, c);
  auto [n, p] = emitReducedExp(s, d);
  Value e = s.mul(p, emitPowerOfTwo(s, n));
  Value g = s.add(e, one);
  Value h = s.div(s.f32(0x40000000), g);
  Value big = s.sub(one, h);
  Value y = s.select(s.lt(t, s.f32(0x3f200000)), small, big); // 0.625
  return emitFromMinusOneToOne(s, y, x);
}

Value qcc::emitErf(FloatBuilder &s, Value x) {
  Value t = emitMagnitude(s, x);
  Value square = s.mul(t, t);
  Value q = emitHorner(s, square,
                       {0x38a71c15, 0xba52dbe2, 0x3baa211f, 0xbcdc003f,
                        0x3de716b0, 0xbec093a0, 0x3e0375d4});
  Value small = s.fma(t, q, t);
  Value limit = s.f32(0x40800000); // 4
  Value c = s.select(s.gt(t, limit), limit, t);
  Value w = emitHorner(s, c,
                       {0x394c6bdd, 0xbb46d173, 0x3cb5c780, 0xbdd4b2b1,
                        0xbf2323d9, 0xbf905618, 0xb95913ee});
  auto [n, p] = emitReducedExp(s, w);
  Value e = s.mul(p, emitPowerOfTwo(s, n));
  Value big = s.sub(s.f32(0x3f800000), e);
  Value y = s.select(s.lt(t, s.f32(0x3f6c0000)), small, big); // 0.921875
  return emitFromMinusOneToOne(s, y, x);
}

Value qcc::emitRsqrt(FloatBuilder &s, Value x) {
  Value root = math::SqrtOp::create(s.builder, s.loc, x);
  return s.div(s.f32(0x3f800000), root);
}

Value qcc::emitLog(FloatBuilder &s, Value x) {
  Value zero = s.f32(0);
  Value infinity = s.f32(0x7f800000);
  Value scaled = s.mul(x, s.f32(0x4b000000));    // 2^23
  Value isDenormal = s.lt(x, s.f32(0x00800000)); // 2^-126
  Value z = s.select(isDenormal, scaled, x);
  Value j = s.select(isDenormal, s.f32(0xc1b80000), zero); // -23
  Value base = s.i32(0x3f2aaaab);
  Value k = s.subi(s.bits(z), base);
  Value e =
      arith::SIToFPOp::create(s.builder, s.loc, x.getType(), s.shrs(k, 23));
  e = s.add(e, j);
  Value m = s.asF32(s.addi(s.andi(k, s.i32(0x007fffff)), base));
  Value f = s.sub(m, s.f32(0x3f800000));
  Value q =
      emitHorner(s, f,
                 {0xbe03e44a, 0x3e0f33c6, 0xbdf9997c, 0x3e0f6b31, 0xbe2ace22,
                  0x3e4ce822, 0xbe7fff7e, 0x3eaaaa83, 0xbf000000});
  Value square = s.mul(f, f);
  Value l = s.fma(square, q, f);
  l = s.fma(e, s.f32(0xb102e308), l);
  l = s.fma(e, s.f32(0x3f317218), l);
  Value y = s.select(s.gt(x, zero), l, s.f32(0x7fc00000));
  y = s.select(s.eq(x, zero), s.f32(0xff800000), y);
  return s.select(s.eq(x, infinity), infinity, y);
}

Value qcc::emitRoundHalfAway(FloatBuilder &s, Value x) {
  auto type = cast<FloatType>(getElementTypeOrSelf(x));
  Value t = math::TruncOp::create(s.builder, s.loc, x);
  Value rest = s.abs(s.sub(x, t)); // exact; NaN for an infinite x
  Value one =
      math::CopySignOp::create(s.builder, s.loc, s.floating(type, 1.0), x);
  Value away = s.cmp(arith::CmpFPredicate::OGE, rest, s.floating(type, 0.5));
  return s.select(away, s.add(t, one), t);
}
