//===- WideExpansion.cpp - The sequences of N8 in binary64 ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operation by operation the lists of docs/Numerics.md, "Parts in binary64" and
// what follows; the names of the values are the names there.
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qcc;

static constexpr uint64_t kOne = 0x3ff0000000000000;
static constexpr uint64_t kHalf = 0x3fe0000000000000;
static constexpr uint64_t kInfinity = 0x7ff0000000000000;
static constexpr uint64_t kNaN = 0x7ff8000000000000;
static constexpr uint64_t kSign = uint64_t(1) << 63;
/// Added to a number, it leaves the integer in the lowest bits.
static constexpr uint64_t kMagic = 0x4338000000000000;

namespace {
/// a * b + c, each an operation; no fma.
struct Wide : FloatBuilder {
  using FloatBuilder::FloatBuilder;

  Value madd(Value a, Value b, Value c) { return add(mul(a, b), c); }
  Value rint(Value a) { return math::RoundEvenOp::create(builder, loc, a); }
  Value sqrt(Value a) { return math::SqrtOp::create(builder, loc, a); }
  Value bits64(Value a) { return bitcast(a, builder.getI64Type()); }
  Value asF64(Value a) { return bitcast(a, builder.getF64Type()); }
  Value one() { return f64(kOne); }
  Value zero() { return f64(0); }
  Value magnitude(Value x) { return asF64(andi(bits64(x), i64(~kSign))); }
  Value withSignOf(Value y, Value x) {
    return asF64(ori(bits64(y), andi(bits64(x), i64(kSign))));
  }
  /// 1 or -1, by the lowest bit.
  Value signOf(Value k) { return asF64(ori(shl(k, 63), i64(kOne))); }
  Value isEven(Value k) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                 andi(k, i64(1)), i64(0));
  }
  Value horner(Value x, ArrayRef<uint64_t> coefficients) {
    Value q = f64(coefficients.front());
    for (uint64_t c : coefficients.drop_front())
      q = madd(q, x, f64(c));
    return q;
  }
};

struct Exponential {
  Value z, h;
};
struct Angle {
  Value k, s, c;
};
} // namespace

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static Exponential emitH(Wide &s, Value t) {
  Value high = s.f64(0x4085e00000000000); // 700
  Value low = s.f64(0xc085e00000000000);  // -700
  Value c = s.select(s.gt(t, high), high, t);
  c = s.select(s.lt(c, low), low, c);
  Value w = s.madd(c, s.f64(0x3ff71547652b82fe), s.f64(kMagic));
  Value k = s.sub(w, s.f64(kMagic));
  Value r = s.sub(c, s.mul(k, s.f64(0x3fe62e42fee00000)));
  r = s.sub(r, s.mul(k, s.f64(0x3dea39ef35793c76)));
  Value q = s.horner(r, {0x3efa1132017fcc47, 0x3f2a15179d80b294,
                         0x3f56c16858b792d4, 0x3f81110c632a3087,
                         0x3fa5555555c87151, 0x3fc55555567532ad, kHalf});
  Value h = s.madd(q, s.mul(r, r), r);
  Value z = s.asF64(s.shl(s.addi(s.bits64(w), s.i64(1023)), 52));
  return {z, h};
}

static Value emitL(Wide &s, Value z) {
  Value k = s.addi(s.bits64(z), s.i64(0x00095f619980c433));
  Value e = s.asF64(s.ori(s.shru(k, 52), s.i64(0x4330000000000000)));
  e = s.sub(e, s.f64(0x43300000000003ff));
  Value m = s.asF64(
      s.addi(s.andi(k, s.i64(0x000fffffffffffff)), s.i64(0x3fe6a09e667f3bcd)));
  Value f = s.sub(m, s.one());
  Value t = s.div(f, s.add(m, s.one()));
  Value v = s.mul(t, t);
  Value q =
      s.horner(v, {0x3fc8c8cb726d7aa8, 0x3fcc67ad18001868, 0x3fd249323f5fe311,
                   0x3fd999998cae671b, 0x3fe5555555564eb7});
  Value l = s.madd(s.mul(q, v), t, s.add(t, t));
  l = s.madd(e, s.f64(0x3fe62e42fefa39ef), l);
  Value y = s.select(s.gt(z, s.zero()), l, s.f64(kNaN));
  y = s.select(s.eq(z, s.zero()), s.f64(kInfinity | kSign), y);
  return s.select(s.eq(z, s.f64(kInfinity)), z, y);
}

static Value emitP(Wide &s, Value u) {
  Value w = s.add(s.one(), u);
  Value l = emitL(s, w);
  Value c = s.div(s.sub(u, s.sub(w, s.one())), w);
  Value y = s.add(l, c);
  y = s.select(s.eq(w, s.zero()), s.f64(kInfinity | kSign), y);
  y = s.select(s.eq(u, s.zero()), u, y);
  return s.select(s.eq(u, s.f64(kInfinity)), u, y);
}

static Value emitA(Wide &s, Value y, Value d) {
  Value aboveI = s.gt(y, s.mul(d, s.f64(0x3fda827999fcef32)));
  Value aboveJ = s.gt(y, s.mul(d, s.f64(0x4003504f333f9de6)));
  Value n = s.select(aboveI, s.sub(y, d), y);
  n = s.select(aboveJ, s.sub(s.zero(), d), n);
  Value e = s.select(aboveI, s.add(y, d), d);
  e = s.select(aboveJ, y, e);
  Value b = s.select(aboveI, s.f64(0x3fe921fb54442d18), s.zero());
  b = s.select(aboveJ, s.f64(0x3ff921fb54442d18), b);
  Value z = s.div(n, e);
  Value v = s.mul(z, z);
  Value q =
      s.horner(v, {0xbfa4b348fe3b2d73, 0x3fb24425baa721c3, 0xbfb71d3963f812c8,
                   0x3fbc6f683c69396c, 0xbfc2491c07b55d37, 0x3fc9999982560b1f,
                   0xbfd55555555020aa});
  Value a = s.madd(s.mul(q, v), z, z);
  return s.add(b, a);
}

static Angle emitT(Wide &s, Value x) {
  auto turns = [&](uint64_t part) {
    Value a = s.mul(x, s.f64(part));
    return s.sub(a, s.rint(a));
  };
  Value a = turns(0x3fc45f306e000000);
  Value b = turns(0xbddb1bbeac000000);
  Value d = turns(0xbc1603d8a8000000);
  Value e = turns(0xba27056590000000);
  Value f = turns(0xb861f924ec000000);
  Value t = s.add(s.add(s.add(s.add(a, b), d), e), f);
  Value n = s.rint(s.mul(t, s.f64(0x4010000000000000))); // 4
  Value quarters = s.mul(n, s.f64(0x3fd0000000000000));  // 0.25
  Value r = s.add(s.add(s.add(s.sub(a, quarters), b), d), e);
  r = s.add(r, f);
  r = s.add(r, s.mul(x, s.f64(0x3695993c44000000)));
  r = s.add(r, s.mul(x, s.f64(0xb4bbef8068000000)));
  r = s.mul(r, s.f64(0x401921fb54442d18));
  Value k = s.bits64(s.add(n, s.f64(kMagic)));
  Value u = s.mul(r, r);
  Value sine = s.horner(u, {0x3ec6dbc38841c3aa, 0xbf2a0139fe113d15,
                            0x3f811110de5d4b08, 0xbfc5555555452ac3});
  sine = s.madd(s.mul(sine, u), r, r);
  Value c = s.horner(u, {0xbe92518d8918b099, 0x3efa01592cd09121,
                         0xbf56c16bf170e4b9, 0x3fa55555554dbca9});
  c = s.sub(s.mul(c, u), s.f64(kHalf));
  return {k, sine, s.madd(c, u, s.one())};
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static Value emitSin(Wide &s, Value x) {
  Angle a = emitT(s, x);
  Value y = s.select(s.isEven(a.k), a.s, a.c);
  y = s.mul(y, s.signOf(s.shru(a.k, 1)));
  return s.select(s.eq(x, s.zero()), x, y);
}

static Value emitCos(Wide &s, Value x) {
  Angle a = emitT(s, x);
  Value y = s.select(s.isEven(a.k), a.c, a.s);
  return s.mul(y, s.signOf(s.shru(s.addi(a.k, s.i64(1)), 1)));
}

static Value emitTan(Wide &s, Value x) {
  Angle a = emitT(s, x);
  Value isEven = s.isEven(a.k);
  Value n = s.select(isEven, a.s, a.c);
  Value d = s.select(isEven, a.c, a.s);
  Value y = s.mul(s.div(n, d), s.signOf(a.k));
  return s.select(s.eq(x, s.zero()), x, y);
}

static Value emitAtan(Wide &s, Value x) {
  return s.withSignOf(emitA(s, s.magnitude(x), s.one()), x);
}

/// The root of 1 - t * t.
static Value emitOtherSide(Wide &s, Value t) {
  return s.sqrt(s.sub(s.one(), s.mul(t, t)));
}

static Value emitAsin(Wide &s, Value x) {
  Value t = s.magnitude(x);
  return s.withSignOf(emitA(s, t, emitOtherSide(s, t)), x);
}

static Value emitAcos(Wide &s, Value x) {
  Value t = s.magnitude(x);
  Value y = emitA(s, emitOtherSide(s, t), t);
  Value other = s.sub(s.f64(0x400921fb54442d18), y);
  return s.select(s.lt(x, s.zero()), other, y);
}

/// exp(x) - 1, but for the sign of a zero.
static Value emitM(Wide &s, Value x) {
  auto [z, h] = emitH(s, x);
  return s.madd(z, h, s.sub(z, s.one()));
}

static Value emitExpm1(Wide &s, Value x) {
  return s.select(s.eq(x, s.zero()), x, emitM(s, x));
}

static Value emitSinh(Wide &s, Value x) {
  Value m = emitM(s, s.magnitude(x));
  Value sum = s.add(m, s.div(m, s.add(m, s.one())));
  return s.withSignOf(s.mul(sum, s.f64(kHalf)), x);
}

static Value emitCosh(Wide &s, Value x) {
  auto [z, h] = emitH(s, s.magnitude(x));
  Value e = s.madd(z, h, z);
  return s.mul(s.add(e, s.div(s.one(), e)), s.f64(kHalf));
}

static Value emitAsinh(Wide &s, Value x) {
  Value t = s.magnitude(x);
  Value v = s.mul(t, t);
  Value root = s.sqrt(s.add(v, s.one()));
  Value u = s.add(s.div(v, s.add(root, s.one())), t);
  Value y = emitP(s, u);
  y = s.select(s.eq(t, s.f64(kInfinity)), t, y);
  return s.withSignOf(y, x);
}

static Value emitAcosh(Wide &s, Value x) {
  Value u = s.sub(x, s.one());
  Value y = emitP(s, s.add(s.sqrt(s.mul(u, s.add(x, s.one()))), u));
  return s.select(s.lt(x, s.one()), s.f64(kNaN), y);
}

static Value emitAtanh(Wide &s, Value x) {
  Value t = s.magnitude(x);
  Value u = s.div(s.add(t, t), s.sub(s.one(), t));
  return s.withSignOf(s.mul(emitP(s, u), s.f64(kHalf)), x);
}

static Value emitPow(Wide &s, Value x, Value y) {
  Value zero = s.zero();
  Value a = s.magnitude(x);
  Value t = s.mul(y, emitL(s, a));
  t = s.select(s.eq(a, s.one()), zero, t);
  t = s.select(s.eq(y, zero), zero, t);
  auto [z, h] = emitH(s, t);
  Value e = s.madd(z, h, z);
  Value half = s.mul(y, s.f64(kHalf));
  Value isEven = s.eq(half, s.rint(half));
  Value isInteger = s.eq(y, s.rint(y));
  Value o = s.andi(s.bits64(x), s.i64(kSign));
  o = s.select(isEven, s.i64(0), o);
  o = s.select(isInteger, o, s.i64(0));
  e = s.asF64(s.ori(s.bits64(e), o));
  Value n = s.select(isInteger, e, s.f64(kNaN));
  n = s.select(s.eq(x, s.f64(kInfinity | kSign)), e, n);
  return s.select(s.lt(x, zero), n, e);
}

bool qcc::isWideSequence(Operation *op) {
  return isa<math::SinOp, math::CosOp, math::TanOp, math::AsinOp, math::AcosOp,
             math::AtanOp, math::SinhOp, math::CoshOp, math::AsinhOp,
             math::AcoshOp, math::AtanhOp, math::ExpM1Op, math::Log1pOp,
             math::PowFOp>(op);
}

Value qcc::emitWideSequence(FloatBuilder &narrow, Operation *op,
                            ValueRange operands) {
  Wide s(narrow.builder, narrow.loc, operands.front());
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(arith::ExtFOp::create(
        s.builder, s.loc, s.typeLike(s.builder.getF64Type()), operand));
  Value x = wide.front();
  Value y = TypeSwitch<Operation *, Value>(op)
                .Case([&](math::SinOp) { return emitSin(s, x); })
                .Case([&](math::CosOp) { return emitCos(s, x); })
                .Case([&](math::TanOp) { return emitTan(s, x); })
                .Case([&](math::AsinOp) { return emitAsin(s, x); })
                .Case([&](math::AcosOp) { return emitAcos(s, x); })
                .Case([&](math::AtanOp) { return emitAtan(s, x); })
                .Case([&](math::SinhOp) { return emitSinh(s, x); })
                .Case([&](math::CoshOp) { return emitCosh(s, x); })
                .Case([&](math::AsinhOp) { return emitAsinh(s, x); })
                .Case([&](math::AcoshOp) { return emitAcosh(s, x); })
                .Case([&](math::AtanhOp) { return emitAtanh(s, x); })
                .Case([&](math::ExpM1Op) { return emitExpm1(s, x); })
                .Case([&](math::Log1pOp) { return emitP(s, x); })
                .Case([&](math::PowFOp) { return emitPow(s, x, wide[1]); });
  return arith::TruncFOp::create(s.builder, s.loc,
                                 s.typeLike(s.builder.getF32Type()), y);
}
