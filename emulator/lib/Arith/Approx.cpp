//===- Approx.cpp - Approximate functions ---------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function in f64 by a series of its own, of additions, multiplications
// and divisions alone: a host's math library would give other bits on another
// host.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Arith/Approx.h"

#include "qcc/Emulator/Arith/Convert.h"
#include "qcc/Emulator/Arith/Float.h"

#include <cmath>
#include <limits>

namespace qcc::emu::arith {

namespace {

constexpr auto F32 = ScalarType::F32;
constexpr auto F64 = ScalarType::F64;
constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Functions of f64, good to about 2^-50
//===----------------------------------------------------------------------===//

double exp2Of(double x) {
  if (x >= 1024)
    return infinity;
  if (x < -1080)
    return 0;
  double whole = std::floor(x + 0.5);
  double r = (x - whole) * 0.69314718055994530942; // within ln(2) / 2
  double sum = 1;
  for (int i = 16; i > 0; --i)
    sum = 1 + sum * r / i;
  return std::ldexp(sum, int(whole));
}

/// Of a positive finite number.
double log2Of(double x) {
  int exponent;
  double fraction = std::frexp(x, &exponent);
  if (fraction < 0.70710678118654752440) {
    fraction *= 2;
    --exponent;
  }
  // ln(f) = 2 artanh(s) with s = (f - 1) / (f + 1), |s| < 0.172
  double s = (fraction - 1) / (fraction + 1), square = s * s, sum = 0;
  for (int i = 23; i > 0; i -= 2)
    sum = sum * square + 1.0 / i;
  return exponent + 2 * 1.4426950408889634074 * s * sum;
}

/// sin(x) for quadrant 0, cos(x) for 1, and so on; x is finite.
double sinOf(double x, int quadrant) {
  int quotient;
  constexpr double halfPi = 1.57079632679489661923;
  double r = std::remquo(x, halfPi, &quotient);
  if (std::fabs(x) < 1 << 20) {
    // What the f64 next to pi/2 lacks.
    double n = (x - r) / halfPi;
    r -= n * 6.123233995736766036e-17;
  }
  quadrant = (quadrant + quotient) & 3;
  double square = r * r, sum = 0;
  if (quadrant & 1) {
    for (int i = 18; i > 0; i -= 2)
      sum = (1 + sum) * -square / (i * (i - 1));
    sum += 1;
  } else {
    for (int i = 19; i > 1; i -= 2)
      sum = (1 + sum) * -square / (i * (i - 1));
    sum = r + r * sum;
  }
  return quadrant & 2 ? -sum : sum;
}

double tanhOf(double x) {
  double magnitude = std::fabs(x), result;
  if (magnitude < 0x1p-6) {
    double square = x * x;
    result = magnitude * (1 - square * (1.0 / 3 - square * (2.0 / 15)));
  } else {
    result = 1 - 2 / (exp2Of(magnitude * 2 * 1.4426950408889634074) + 1);
  }
  return std::copysign(result, x);
}

//===----------------------------------------------------------------------===//
// Around them
//===----------------------------------------------------------------------===//

/// `function` of an operand that is not NaN, rounded to f32.
template <typename Function>
uint32_t approximate(uint32_t a, bool ftz, Function function) {
  if (isNaN<F32>(a))
    return FloatFormat<F32>::nan;
  double value = function(double(floatFromBits(ftz ? flush<F32>(a) : a)));
  if (std::isnan(value))
    return FloatFormat<F32>::nan;
  uint32_t result = floatBits(float(value));
  return ftz ? flush<F32>(result) : result;
}

template <ScalarType T, typename Function>
Bits<T> approximate16(Bits<T> a, bool ftz, Function function) {
  if (isNaN<T>(a))
    return FloatFormat<T>::nan;
  uint64_t wide = convert(ftz ? flush<T>(a) : a, F64, T);
  Bits<T> result =
      Bits<T>(convert(fromDouble(function(toDouble(wide))), T, F64));
  return ftz ? flush<T>(result) : result;
}

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

double sinOrNaN(double x, int quadrant) {
  return std::isinf(x) ? notANumber : sinOf(x, quadrant);
}

/// What the .ftz.f64 forms do around their function.
template <typename Function>
uint64_t approximateUpperHalf(uint64_t a, Function function) {
  constexpr uint64_t upper = 0xffffffff00000000, nan = 0x7fffffff00000000;
  if (isNaN<F64>(a))
    return nan;
  double result = function(toDouble(flush<F64>(a) & upper));
  if (std::isnan(result))
    return nan;
  return flush<F64>(fromDouble(result)) & upper;
}

} // namespace

uint32_t rcpApprox(uint32_t a, bool ftz) {
  return rcp<F32>(a, {Rounding::Nearest, ftz});
}

uint32_t sqrtApprox(uint32_t a, bool ftz) {
  return sqrt<F32>(a, {Rounding::Nearest, ftz});
}

uint32_t rsqrtApprox(uint32_t a, bool ftz) {
  return approximate(a, ftz, [](double x) { return 1 / std::sqrt(x); });
}

uint32_t divApprox(uint32_t a, uint32_t b, bool ftz) {
  using F = FloatFormat<F32>;
  uint32_t magnitude = b & ~F::signBit;
  constexpr uint32_t twoTo126 = 0x7e800000;
  if (magnitude > twoTo126 && magnitude < F::infinity && !isNaN<F32>(a)) {
    bool infinite = (a & ~F::signBit) == F::infinity;
    return infinite ? F::nan : (a ^ b) & F::signBit;
  }
  return divFull(a, b, ftz);
}

uint32_t divFull(uint32_t a, uint32_t b, bool ftz) {
  return div<F32>(a, b, {Rounding::Nearest, ftz});
}

uint32_t sinApprox(uint32_t a, bool ftz) {
  return approximate(a, ftz,
                     [](double x) { return x == 0 ? x : sinOrNaN(x, 0); });
}

uint32_t cosApprox(uint32_t a, bool ftz) {
  return approximate(a, ftz, [](double x) { return sinOrNaN(x, 1); });
}

uint32_t lg2Approx(uint32_t a, bool ftz) {
  return approximate(a, ftz, [](double x) {
    if (x == 0)
      return -infinity;
    if (x < 0)
      return notANumber;
    return std::isinf(x) ? x : log2Of(x);
  });
}

uint32_t ex2Approx(uint32_t a, bool ftz) { return approximate(a, ftz, exp2Of); }

uint32_t tanhApprox(uint32_t a) { return approximate(a, false, tanhOf); }

template <ScalarType T> Bits<T> ex2Approx16(Bits<T> a, bool ftz) {
  return approximate16<T>(a, ftz, exp2Of);
}

template <ScalarType T> Bits<T> tanhApprox16(Bits<T> a) {
  return approximate16<T>(a, false, tanhOf);
}

template uint16_t ex2Approx16<ScalarType::F16>(uint16_t, bool);
template uint16_t ex2Approx16<ScalarType::BF16>(uint16_t, bool);
template uint16_t tanhApprox16<ScalarType::F16>(uint16_t);
template uint16_t tanhApprox16<ScalarType::BF16>(uint16_t);

uint64_t rcpApproxF64(uint64_t a) {
  return approximateUpperHalf(a, [](double x) { return 1 / x; });
}

uint64_t rsqrtApproxFtzF64(uint64_t a) {
  return approximateUpperHalf(a, [](double x) { return 1 / std::sqrt(x); });
}

uint64_t rsqrtApproxF64(uint64_t a) {
  if (isNaN<F64>(a))
    return a | uint64_t(1) << 51;
  double result = 1 / std::sqrt(toDouble(a));
  return std::isnan(result) ? FloatFormat<F64>::nan : fromDouble(result);
}

} // namespace qcc::emu::arith
