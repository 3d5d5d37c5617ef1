//===- FloatTests.cpp - Float arithmetic ----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against MPFR: every operation of every format and rounding, by software and,
// to nearest, by the host; then the modifiers and NaNs.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Arith/Float.h"

#include "Reference.h"

#include <gtest/gtest.h>

using namespace qcc::emu;
using namespace qcc::emu::arith;
using test::hex;
using test::Number;
using test::Operands;

namespace {

constexpr auto F16 = ScalarType::F16, BF16 = ScalarType::BF16,
               F32 = ScalarType::F32, F64 = ScalarType::F64;

enum class Op { Add, Sub, Mul, Fma, Div, Rcp, Sqrt };
constexpr Op ops[] = {Op::Add, Op::Sub, Op::Mul, Op::Fma,
                      Op::Div, Op::Rcp, Op::Sqrt};

template <ScalarType T>
uint64_t compute(Op op, uint64_t a, uint64_t b, uint64_t c, FloatMode mode) {
  switch (op) {
  case Op::Add:
    return add<T>(a, b, mode);
  case Op::Sub:
    return sub<T>(a, b, mode);
  case Op::Mul:
    return mul<T>(a, b, mode);
  case Op::Fma:
    return fma<T>(a, b, c, mode);
  case Op::Div:
    return div<T>(a, b, mode);
  case Op::Rcp:
    return rcp<T>(a, mode);
  case Op::Sqrt:
    return arith::sqrt<T>(a, mode);
  }
  return 0;
}

/// As compute(), but never by the host's floats.
template <ScalarType T>
uint64_t computeSoft(Op op, uint64_t a, uint64_t b, uint64_t c,
                     FloatMode mode) {
  switch (op) {
  case Op::Add:
    return soft::add<T>(a, b, mode);
  case Op::Sub:
    return soft::add<T>(a, b ^ FloatFormat<T>::signBit, mode);
  case Op::Mul:
    return soft::mul<T>(a, b, mode);
  case Op::Fma:
    return soft::fma<T>(a, b, c, mode);
  case Op::Div:
    return soft::div<T>(a, b, mode);
  case Op::Rcp:
    return soft::div<T>(FloatFormat<T>::one, a, mode);
  case Op::Sqrt:
    return soft::sqrt<T>(a, mode);
  }
  return 0;
}

/// The operation of MPFR on operands, for test::rounded() and test::isTiny().
std::function<int(mpfr_ptr, mpfr_rnd_t)>
operation(ScalarType type, Op op, uint64_t a, uint64_t b, uint64_t c) {
  double x = test::decode(type, a), y = test::decode(type, b),
         z = test::decode(type, c);
  return [op, x, y, z](mpfr_ptr r, mpfr_rnd_t direction) {
    Number p(x), q(y), s(z);
    switch (op) {
    case Op::Add:
      return mpfr_add(r, p, q, direction);
    case Op::Sub:
      return mpfr_sub(r, p, q, direction);
    case Op::Mul:
      return mpfr_mul(r, p, q, direction);
    case Op::Fma:
      return mpfr_fma(r, p, q, s, direction);
    case Op::Div:
      return mpfr_div(r, p, q, direction);
    case Op::Rcp:
      return mpfr_ui_div(r, 1, p, direction);
    case Op::Sqrt:
      return mpfr_sqrt(r, p, direction);
    }
    return 0;
  };
}

uint64_t expected(ScalarType type, Op op, Rounding rounding, uint64_t a,
                  uint64_t b, uint64_t c) {
  return test::rounded(type, rounding, operation(type, op, a, b, c));
}

/// Compares one operation; false ends a loop of thousands.
template <ScalarType T>
bool agrees(Op op, Rounding rounding, uint64_t a, uint64_t b, uint64_t c) {
  FloatMode mode;
  mode.rounding = rounding;
  uint64_t want = expected(T, op, rounding, a, b, c);
  uint64_t got = compute<T>(op, a, b, c, mode);
  uint64_t soft = computeSoft<T>(op, a, b, c, mode);
  bool good = test::same(T, got, want) && test::same(T, soft, want);
  EXPECT_TRUE(good) << typeName(T) << " op " << int(op) << " rounding "
                    << int(rounding) << " of " << hex(a) << ", " << hex(b)
                    << ", " << hex(c) << ": got " << hex(got)
                    << ", in software " << hex(soft) << ", expected "
                    << hex(want);
  return good;
}

template <ScalarType T> void checkRandom(int count) {
  Operands operands{uint64_t(T) + 1};
  for (Op op : ops)
    for (Rounding rounding : test::roundings)
      for (int i = 0; i < count; ++i) {
        uint64_t a = operands.ofFloat(T), b = operands.ofFloat(T),
                 c = operands.ofFloat(T);
        // Sums that cancel, fully or nearly.
        if (i % 8 == 0)
          b = a ^ FloatFormat<T>::signBit ^ (operands.bits() % 4);
        if (i % 8 == 1)
          c = mul<T>(a, b) ^ FloatFormat<T>::signBit ^ (operands.bits() % 4);
        if (!agrees<T>(op, rounding, a, b, c))
          return;
      }
}

/// All first operands; the others vary.
template <ScalarType T> void checkAll16() {
  Operands operands{uint64_t(T) + 100};
  for (Op op : ops)
    for (Rounding rounding : test::roundings)
      for (uint32_t a = 0; a < 0x10000; ++a)
        if (!agrees<T>(op, rounding, a, operands.ofFloat(T),
                       operands.ofFloat(T)))
          return;
}

} // namespace

TEST(Float, EncodesWhatItDecodes) {
  for (ScalarType type : {F16, BF16, ScalarType::E4M3x2, ScalarType::E5M2x2}) {
    uint32_t count = type == F16 || type == BF16 ? 0x10000 : 0x100;
    for (uint32_t bits = 0; bits < count; ++bits)
      ASSERT_TRUE(
          test::same(type, test::encode(type, test::decode(type, bits)), bits))
          << typeName(type) << " " << hex(bits);
  }
  EXPECT_EQ(test::decode(F32, 0x3f800001), 1 + 0x1p-23);
  EXPECT_EQ(test::decode(F64, 0x3ff0000000000001), 1 + 0x1p-52);
  EXPECT_EQ(test::decode(ScalarType::E4M3x2, 0x7e), 448);
  EXPECT_EQ(test::decode(ScalarType::E5M2x2, 0x7b), 57344);
}

TEST(Float, F16AgreesWithMpfr) { checkAll16<F16>(); }
TEST(Float, BF16AgreesWithMpfr) { checkAll16<BF16>(); }
TEST(Float, F32AgreesWithMpfr) { checkRandom<F32>(250000); }
TEST(Float, F64AgreesWithMpfr) { checkRandom<F64>(20000); }

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

namespace {

/// Results with modifiers from those without, by value; `isTiny` ones are 0.
template <ScalarType T>
uint64_t modified(uint64_t plain, bool saturate, bool relu, bool isTiny) {
  double value = test::decode(T, plain);
  if (std::isnan(value))
    return saturate ? 0 : FloatFormat<T>::nan;
  if (isTiny)
    value = std::copysign(0.0, value);
  if ((saturate || relu) && std::signbit(value))
    value = 0;
  if (saturate && value > 1)
    value = 1;
  return test::encode(T, value);
}

template <ScalarType T> uint64_t flushed(uint64_t bits) {
  double value = test::decode(T, bits);
  bool subnormal =
      value != 0 &&
      std::fabs(value) < test::decode(T, FloatFormat<T>::leastNormal);
  return subnormal ? test::encode(T, std::copysign(0.0, value)) : bits;
}

template <ScalarType T> void checkModifiers(int count) {
  Operands operands{uint64_t(T) + 200};
  for (Op op : ops)
    for (int modifiers = 1; modifiers < 8; ++modifiers)
      for (int i = 0; i < count; ++i) {
        FloatMode mode;
        mode.ftz = modifiers & 1;
        mode.saturate = modifiers & 2;
        mode.relu = modifiers & 4;
        if (i % 4 == 0)
          mode.rounding = test::roundings[i / 4 % 4];
        uint64_t a = operands.ofFloat(T), b = operands.ofFloat(T),
                 c = operands.ofFloat(T);
        uint64_t x = a, y = b, z = c;
        if (mode.ftz) {
          x = flushed<T>(a);
          y = flushed<T>(b);
          z = flushed<T>(c);
        }
        FloatMode plain;
        plain.rounding = mode.rounding;
        bool isTiny = mode.ftz &&
                      test::isTiny(T, mode.rounding, operation(T, op, x, y, z));
        uint64_t want = modified<T>(compute<T>(op, x, y, z, plain),
                                    mode.saturate, mode.relu, isTiny);
        ASSERT_TRUE(test::same(T, compute<T>(op, a, b, c, mode), want))
            << typeName(T) << " op " << int(op) << " modifiers " << modifiers
            << " of " << hex(a) << ", " << hex(b) << ", " << hex(c) << ": got "
            << hex(compute<T>(op, a, b, c, mode)) << ", expected " << hex(want);
        ASSERT_TRUE(test::same(T, computeSoft<T>(op, a, b, c, mode), want));
      }
}

} // namespace

// What an H200 computed: the product rounds to the least normal number only
// among subnormal ones.
TEST(Float, FtzFlushesWhatIsSubnormalWithMoreExponents) {
  FloatMode nearest, down, up;
  nearest.ftz = down.ftz = up.ftz = true;
  down.rounding = Rounding::Down;
  up.rounding = Rounding::Up;
  EXPECT_EQ(arith::mul<F32>(0x800000, 0xbf7fffff, nearest), 0x80000000);
  EXPECT_EQ(arith::mul<F32>(0x800000, 0xbf7fffff, down), 0x80000000);
  EXPECT_EQ(arith::mul<F32>(0xbf7fffff, 0x80800000, up), 0u);
  EXPECT_EQ(arith::div<F32>(0x80800000, 0x3f800001, down), 0x80000000);
  EXPECT_EQ(arith::div<F32>(0x800000, 0x3f800001, up), 0u);
  EXPECT_EQ(arith::mul<F16>(0x400, 0x3bff, nearest), 0);
  // Without ftz it is the least normal number.
  EXPECT_EQ(arith::mul<F32>(0x800000, 0xbf7fffff), 0x80800000);
}

TEST(Float, ModifiersChangeOperandsAndResults) {
  checkModifiers<F16>(2000);
  checkModifiers<BF16>(2000);
  checkModifiers<F32>(2000);
}

TEST(Float, NaNsAreCanonicalInNarrowFormats) {
  EXPECT_EQ(add<F32>(0xffc12345, 0x3f800000), 0x7fffffffu);
  EXPECT_EQ(add<F32>(0x7f800000, 0xff800000), 0x7fffffffu);
  EXPECT_EQ(mul<F32>(0x7f800000, 0), 0x7fffffffu);
  EXPECT_EQ(fma<F32>(0, 0x7f800000, 0x3f800000), 0x7fffffffu);
  EXPECT_EQ(arith::sqrt<F32>(0xbf800000), 0x7fffffffu);
  EXPECT_EQ(div<F32>(0, 0), 0x7fffffffu);
  EXPECT_EQ(add<F16>(0xfe01, 0), 0x7fff);
  EXPECT_EQ(add<BF16>(0xff81, 0), 0x7fff);
  EXPECT_EQ(arith::abs<F32>(0xffc00001), 0x7fffffffu);
  EXPECT_EQ(neg<F16>(0x7e00), 0x7fff);
  // With saturation there are none.
  FloatMode saturate;
  saturate.saturate = true;
  EXPECT_EQ(add<F32>(0x7fc00000, 0, saturate), 0u);
  EXPECT_EQ(add<F16>(0x7e00, 0, saturate), 0);
}

TEST(Float, F64KeepsPayloads) {
  constexpr uint64_t signaling = 0xfff0000000000abc, quiet = 0xfff8000000000abc;
  EXPECT_EQ(add<F64>(signaling, 0), quiet);
  EXPECT_EQ(mul<F64>(0, signaling), quiet);
  EXPECT_EQ(sub<F64>(0, signaling), quiet);
  EXPECT_EQ(fma<F64>(signaling, 0x7ff8000000000001, 0), quiet);
  FloatMode up;
  up.rounding = Rounding::Up;
  EXPECT_EQ(add<F64>(signaling, 0, up), quiet);
  EXPECT_EQ(div<F64>(0, 0), 0xfff8000000000000u);
  EXPECT_EQ(arith::abs<F64>(signaling), signaling);
  EXPECT_EQ(neg<F64>(signaling), signaling);
}

TEST(Float, SignsOfOneOperand) {
  Operands operands(7);
  for (int i = 0; i < 1000; ++i) {
    uint32_t a = operands.ofFloat(F32), b = operands.ofFloat(F32);
    if (!std::isnan(qcc::floatFromBits(a))) {
      EXPECT_EQ(arith::abs<F32>(a),
                qcc::floatBits(std::fabs(qcc::floatFromBits(a))));
      EXPECT_EQ(neg<F32>(a), qcc::floatBits(-qcc::floatFromBits(a)));
      EXPECT_EQ(arith::abs<F32>(a, true), flushed<F32>(a) & 0x7fffffff);
      EXPECT_EQ(neg<F32>(a, true), flushed<F32>(a) ^ 0x80000000);
    }
    // The sign comes from the first operand, the magnitude from the second.
    EXPECT_EQ(arith::copysign<F32>(a, b), (a & 0x80000000) | (b & 0x7fffffff));
  }
}

// Exact zero sums are -0 only when rounding down.
TEST(Float, ZeroSums) {
  for (Rounding rounding : test::roundings) {
    FloatMode mode;
    mode.rounding = rounding;
    uint32_t want = rounding == Rounding::Down ? 0x80000000 : 0;
    EXPECT_EQ(add<F32>(0x3f800000, 0xbf800000, mode), want);
    EXPECT_EQ(add<F32>(0, 0x80000000, mode), want);
    EXPECT_EQ(add<F32>(0x80000000, 0x80000000, mode), 0x80000000u);
    EXPECT_EQ(fma<F32>(0x3f800000, 0x3f800000, 0xbf800000, mode), want);
  }
}
