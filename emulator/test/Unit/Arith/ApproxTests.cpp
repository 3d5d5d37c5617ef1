//===- ApproxTests.cpp - Approximate functions ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors against MPFR, within the bounds that the PTX ISA documents, and the
// documented corner cases.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Arith/Approx.h"

#include "Reference.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace qcc::emu;
using namespace qcc::emu::arith;
using test::hex;
using test::Number;
using test::Operands;

namespace {

constexpr auto F16 = ScalarType::F16, BF16 = ScalarType::BF16,
               F32 = ScalarType::F32, F64 = ScalarType::F64;

constexpr uint32_t inf = 0x7f800000, minusInf = 0xff800000,
                   canonical = 0x7fffffff, minusZero = 0x80000000,
                   one = 0x3f800000, subnormal = 0x00000100,
                   minusSubnormal = 0x80000100;

using Exact = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

struct Errors {
  double absolute, relative;
};

/// How far a result is from function(a), computed with 120 bits.
Errors errorsOf(double got, double a, Exact function) {
  Number x(a), want(120), difference(120);
  function(want, x, MPFR_RNDN);
  mpfr_sub(difference, want, Number(got), MPFR_RNDN);
  Errors errors;
  errors.absolute = std::fabs(mpfr_get_d(difference, MPFR_RNDN));
  mpfr_div(difference, difference, want, MPFR_RNDN);
  errors.relative = std::fabs(mpfr_get_d(difference, MPFR_RNDN));
  return errors;
}

/// The exact value rounded to F32, subnormals included, and units of its last
/// place between it and the result.
double ulpsOf(uint32_t got, double a, Exact function) {
  Number x(a);
  uint32_t want =
      test::rounded(F32, Rounding::Nearest, [&](mpfr_ptr r, mpfr_rnd_t d) {
        return function(r, x, d);
      });
  if (test::same(F32, got, want))
    return 0;
  return std::fabs(double(got) - double(want));
}

int rcpExact(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t d) {
  return mpfr_ui_div(r, 1, x, d);
}
int rsqrtExact(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t d) {
  return mpfr_rec_sqrt(r, x, d);
}

constexpr int count = 200000;

} // namespace

TEST(Approx, Reciprocal) {
  Operands operands(1);
  for (int i = 0; i < count; ++i) {
    uint32_t a = operands.ofFloat(F32);
    ASSERT_LE(ulpsOf(rcpApprox(a, false), qcc::floatFromBits(a), rcpExact), 1)
        << hex(a);
  }
  EXPECT_EQ(rcpApprox(minusInf, false), minusZero);
  EXPECT_EQ(rcpApprox(minusZero, false), minusInf);
  EXPECT_EQ(rcpApprox(0, false), inf);
  EXPECT_EQ(rcpApprox(inf, false), 0u);
  EXPECT_EQ(rcpApprox(canonical, false), canonical);
  EXPECT_EQ(rcpApprox(minusSubnormal, true), minusInf);
  EXPECT_EQ(rcpApprox(0x7f7fffff, true), 0u);
}

TEST(Approx, SquareRoots) {
  Operands operands(2);
  for (int i = 0; i < count; ++i) {
    uint32_t a = operands.ofFloat(F32) & ~minusZero;
    if (a == 0 || a >= inf)
      continue;
    double x = qcc::floatFromBits(a);
    Errors root =
        errorsOf(qcc::floatFromBits(sqrtApprox(a, false)), x, mpfr_sqrt);
    ASSERT_LE(root.relative, 0x1p-23) << hex(a);
    Errors inverse =
        errorsOf(qcc::floatFromBits(rsqrtApprox(a, false)), x, rsqrtExact);
    ASSERT_LE(inverse.relative, std::exp2(-22.9)) << hex(a);
  }
  EXPECT_EQ(sqrtApprox(minusInf, false), canonical);
  EXPECT_EQ(sqrtApprox(0xbf800000, false), canonical);
  EXPECT_EQ(sqrtApprox(minusZero, false), minusZero);
  EXPECT_EQ(sqrtApprox(inf, false), inf);
  EXPECT_EQ(sqrtApprox(minusSubnormal, true), minusZero);
  EXPECT_EQ(rsqrtApprox(minusInf, false), canonical);
  EXPECT_EQ(rsqrtApprox(0xbf800000, false), canonical);
  EXPECT_EQ(rsqrtApprox(minusZero, false), minusInf);
  EXPECT_EQ(rsqrtApprox(0, false), inf);
  EXPECT_EQ(rsqrtApprox(inf, false), 0u);
  EXPECT_EQ(rsqrtApprox(minusSubnormal, true), minusInf);
  EXPECT_EQ(rsqrtApprox(subnormal, true), inf);
}

TEST(Approx, Division) {
  Operands operands(3);
  for (int i = 0; i < count; ++i) {
    uint32_t a = operands.ofFloat(F32), b = operands.ofFloat(F32);
    Number x(qcc::floatFromBits(a)), y(qcc::floatFromBits(b));
    uint32_t want =
        test::rounded(F32, Rounding::Nearest, [&](mpfr_ptr r, mpfr_rnd_t d) {
          return mpfr_div(r, x, y, d);
        });
    uint32_t full = divFull(a, b, false), approx = divApprox(a, b, false);
    ASSERT_TRUE(test::same(F32, full, want) ||
                std::fabs(double(full) - double(want)) <= 2)
        << hex(a) << " / " << hex(b);
    double magnitude = std::fabs(qcc::floatFromBits(b));
    if (magnitude >= 0x1p-126 && magnitude <= 0x1p126) {
      ASSERT_TRUE(test::same(F32, approx, want) ||
                  std::fabs(double(approx) - double(want)) <= 2)
          << hex(a) << " / " << hex(b);
    } else if (magnitude > 0x1p126 && std::isfinite(magnitude) &&
               !std::isnan(qcc::floatFromBits(a))) {
      bool infinite = std::isinf(qcc::floatFromBits(a));
      ASSERT_EQ(approx & (infinite ? ~0u : 0x7fffffff),
                infinite ? canonical : 0);
    }
  }
  EXPECT_EQ(divFull(one, minusSubnormal, true), minusInf);
  EXPECT_EQ(divApprox(one, minusZero, false), minusInf);
}

TEST(Approx, SineAndCosine) {
  std::mt19937_64 random(4);
  const double pi = 3.14159265358979323846;
  for (int i = 0; i < count; ++i) {
    bool wide = i % 2;
    double limit = wide ? 100 * pi : 2 * pi;
    double bound = std::exp2(wide ? -14.7 : -20.5);
    float x = float((double(random() >> 11) * 0x1p-52 - 1) * limit);
    if (i % 16 == 0) // Near zeros of both.
      x = float(pi / 2 * double(int(random() % 9) - 4));
    uint32_t a = qcc::floatBits(x);
    ASSERT_LE(
        errorsOf(qcc::floatFromBits(sinApprox(a, false)), x, mpfr_sin).absolute,
        bound)
        << x;
    ASSERT_LE(
        errorsOf(qcc::floatFromBits(cosApprox(a, false)), x, mpfr_cos).absolute,
        bound)
        << x;
  }
  for (float x : {1e5f, 9.9e5f, -7.7e5f})
    EXPECT_LE(errorsOf(qcc::floatFromBits(sinApprox(qcc::floatBits(x), false)),
                       x, mpfr_sin)
                  .absolute,
              0x1p-20);
  EXPECT_EQ(sinApprox(inf, false), canonical);
  EXPECT_EQ(cosApprox(minusInf, false), canonical);
  EXPECT_EQ(sinApprox(canonical, false), canonical);
  EXPECT_EQ(sinApprox(minusZero, false), minusZero);
  EXPECT_EQ(sinApprox(0, false), 0u);
  EXPECT_EQ(cosApprox(minusZero, false), one);
  EXPECT_EQ(sinApprox(minusSubnormal, false), minusSubnormal);
  EXPECT_EQ(sinApprox(minusSubnormal, true), minusZero);
  EXPECT_EQ(cosApprox(minusSubnormal, true), one);
  // No bound, but a value.
  EXPECT_LE(std::fabs(qcc::floatFromBits(sinApprox(0x7f7fffff, false))), 1);
}

TEST(Approx, Logarithm) {
  Operands operands(5);
  for (int i = 0; i < count; ++i) {
    uint32_t a = operands.ofFloat(F32) & ~minusZero;
    if (a == 0 || a >= inf)
      continue;
    float x = qcc::floatFromBits(a);
    Errors errors =
        errorsOf(qcc::floatFromBits(lg2Approx(a, false)), x, mpfr_log2);
    if (x > 0.5 && x < 2)
      ASSERT_LE(errors.absolute, 0x1p-22) << hex(a);
    else
      ASSERT_LE(errors.relative, 0x1p-22) << hex(a);
  }
  EXPECT_EQ(lg2Approx(minusInf, false), canonical);
  EXPECT_EQ(lg2Approx(0xbf800000, false), canonical);
  EXPECT_EQ(lg2Approx(minusZero, false), minusInf);
  EXPECT_EQ(lg2Approx(0, false), minusInf);
  EXPECT_EQ(lg2Approx(inf, false), inf);
  EXPECT_EQ(lg2Approx(subnormal, true), minusInf);
  EXPECT_EQ(lg2Approx(minusSubnormal, true), minusInf);
  EXPECT_EQ(lg2Approx(one, false), 0u);
}

TEST(Approx, Exponential) {
  Operands operands(6);
  std::mt19937_64 random(6);
  for (int i = 0; i < count; ++i) {
    uint32_t a = operands.ofFloat(F32);
    if (i % 2) // Where the result is neither 0 nor infinite.
      a = qcc::floatBits(float(double(random() >> 11) * 0x1p-53 * 290 - 155));
    ASSERT_LE(ulpsOf(ex2Approx(a, false), qcc::floatFromBits(a), mpfr_exp2), 2)
        << hex(a);
  }
  EXPECT_EQ(ex2Approx(minusInf, false), 0u);
  EXPECT_EQ(ex2Approx(minusZero, false), one);
  EXPECT_EQ(ex2Approx(0, false), one);
  EXPECT_EQ(ex2Approx(inf, false), inf);
  EXPECT_EQ(ex2Approx(canonical, false), canonical);
  EXPECT_EQ(ex2Approx(minusSubnormal, true), one);
  EXPECT_EQ(ex2Approx(qcc::floatBits(-140), false), 1u << 9);
  EXPECT_EQ(ex2Approx(qcc::floatBits(-140), true), 0u);
  EXPECT_EQ(ex2Approx(qcc::floatBits(128), false), inf);
}

TEST(Approx, HyperbolicTangent) {
  Operands operands(7);
  for (int i = 0; i < count; ++i) {
    uint32_t a = operands.ofFloat(F32);
    if ((a & ~minusZero) == 0 || std::isnan(qcc::floatFromBits(a)))
      continue;
    // Below f32's normal numbers no relative bound can hold.
    if (std::fabs(qcc::floatFromBits(a)) < 0x1p-114)
      ASSERT_EQ(tanhApprox(a), a);
    else
      ASSERT_LE(errorsOf(qcc::floatFromBits(tanhApprox(a)),
                         qcc::floatFromBits(a), mpfr_tanh)
                    .relative,
                0x1p-11)
          << hex(a);
  }
  EXPECT_EQ(tanhApprox(minusInf), 0xbf800000u);
  EXPECT_EQ(tanhApprox(inf), one);
  EXPECT_EQ(tanhApprox(minusZero), minusZero);
  EXPECT_EQ(tanhApprox(0), 0u);
  EXPECT_EQ(tanhApprox(canonical), canonical);
}

namespace {
template <ScalarType T> void check16(double ex2Bound, double tanhBound) {
  for (uint32_t a = 0; a < 0x10000; ++a) {
    double x = test::decode(T, a);
    uint16_t power = ex2Approx16<T>(a, false), tangent = tanhApprox16<T>(a);
    if (std::isnan(x)) {
      ASSERT_EQ(power, 0x7fff);
      ASSERT_EQ(tangent, 0x7fff);
      continue;
    }
    ASSERT_LE(errorsOf(test::decode(T, tangent), x, mpfr_tanh).absolute,
              tanhBound)
        << hex(a);
    Number argument(x);
    uint64_t exact =
        test::rounded(T, Rounding::Nearest, [&](mpfr_ptr r, mpfr_rnd_t d) {
          return mpfr_exp2(r, argument, d);
        });
    bool normal = (exact & 0x7fff) >= FloatFormat<T>::leastNormal &&
                  exact < FloatFormat<T>::infinity;
    if (normal)
      ASSERT_LE(errorsOf(test::decode(T, power), x, mpfr_exp2).relative,
                ex2Bound)
          << hex(a);
    else
      ASSERT_EQ(power, exact) << hex(a);
    // Flushing.
    bool tiny = (exact & 0x7fff) < FloatFormat<T>::leastNormal;
    ASSERT_EQ(ex2Approx16<T>(a, true), tiny ? 0 : power) << hex(a);
  }
}
} // namespace

TEST(Approx, AllOfF16) { check16<F16>(std::exp2(-9.9), std::exp2(-10.987)); }
TEST(Approx, AllOfBF16) { check16<BF16>(0x1p-7, 0x1p-8); }

TEST(Approx, F64) {
  Operands operands(8);
  for (int i = 0; i < count; ++i) {
    uint64_t a = operands.ofFloat(F64);
    double x = toDouble(a);
    if (!std::isnormal(x) || std::fabs(x) > 0x1p1000)
      continue;
    uint64_t rcp = rcpApproxF64(a);
    ASSERT_EQ(rcp << 32, 0u);
    ASSERT_LE(errorsOf(toDouble(rcp), x, rcpExact).relative, 0x1p-18) << hex(a);
    if (x < 0)
      continue;
    uint64_t rsqrt = rsqrtApproxFtzF64(a);
    ASSERT_EQ(rsqrt << 32, 0u);
    ASSERT_LE(errorsOf(toDouble(rsqrt), x, rsqrtExact).relative, 0x1p-18);
    ASSERT_LE(errorsOf(toDouble(rsqrtApproxF64(a)), x, rsqrtExact).relative,
              0x1p-52);
  }
  constexpr uint64_t infinity = 0x7ff0000000000000, sign = uint64_t(1) << 63;
  EXPECT_EQ(rcpApproxF64(sign | infinity), sign);
  EXPECT_EQ(rcpApproxF64(sign | 5), sign | infinity);
  EXPECT_EQ(rcpApproxF64(0), infinity);
  EXPECT_EQ(rcpApproxF64(infinity), 0u);
  EXPECT_EQ(rcpApproxF64(infinity | 1), 0x7fffffff00000000u);
  EXPECT_EQ(rcpApproxF64(0x7fd8000000000000), 0u); // Flushed.
  EXPECT_EQ(rsqrtApproxFtzF64(sign | infinity), 0x7fffffff00000000u);
  EXPECT_EQ(rsqrtApproxFtzF64(sign | 5), sign | infinity);
  EXPECT_EQ(rsqrtApproxF64(sign | 0x3ff0000000000000), 0xfff8000000000000u);
  EXPECT_EQ(rsqrtApproxF64(infinity), 0u);
}
