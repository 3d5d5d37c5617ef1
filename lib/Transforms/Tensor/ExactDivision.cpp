//===- ExactDivision.cpp - Quotients by product and FMA -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Brisebarre, Muller and Raina, "Accelerating correctly rounded floating-point
// division when the divisor is known in advance": the formula is exact for
// nearly all divisors, and for others it fails for a few significands of x. A
// quotient that is off by one unit in the last place rounds to the same integer
// unless a tie lies between the two.
//
//===----------------------------------------------------------------------===//

#include "ExactDivision.h"
#include <cmath>
#include <cstdint>
#include <cstring>

using namespace qcc;

/// Numbers in [1, 2) are 1 + i 2^-23.
constexpr uint32_t kSignificands = 1u << 23;
constexpr uint32_t kBlock = 1u << 12;

static float fromSignificand(uint32_t i) {
  uint32_t bits = 0x3f800000u | i;
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

/// Whether some quotient of a block differs.
static bool differsPortably(uint32_t first, float s, Reciprocal r) {
  bool differs = false;
  for (uint32_t i = first; i < first + kBlock; ++i) {
    float x = fromSignificand(i);
    differs |= std::fma(x, r.high, x * r.low) != x / s;
  }
  return differs;
}

#ifdef __x86_64__
/// As differsPortably, vectorized by the compiler.
__attribute__((target("avx2,fma"))) static bool
differsByFMA(uint32_t first, float s, Reciprocal r) {
  uint32_t differs = 0;
  for (uint32_t i = first; i < first + kBlock; ++i) {
    uint32_t bits = 0x3f800000u | i;
    float x;
    __builtin_memcpy(&x, &bits, sizeof(x));
    differs |= __builtin_fmaf(x, r.high, x * r.low) != x / s;
  }
  return differs;
}
#endif

static bool differs(uint32_t first, float s, Reciprocal r) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return differsByFMA(first, s, r);
#endif
  return differsPortably(first, s, r);
}

/// Whether the quotients of a block, scaled by powers of 2, round to the same
/// integers.
static bool roundAlike(uint32_t first, float s, Reciprocal r) {
  for (uint32_t i = first; i < first + kBlock; ++i) {
    float x = fromSignificand(i);
    float exact = x / s, other = std::fma(x, r.high, x * r.low);
    if (exact == other)
      continue;
    for (int exponent = -2; exponent <= 10; ++exponent)
      if (std::nearbyint(std::ldexp(exact, exponent)) !=
          std::nearbyint(std::ldexp(other, exponent)))
        return false;
  }
  return true;
}

std::optional<Reciprocal> qcc::exactReciprocal(float s, bool keepZeroSign) {
  if (!(s >= 0x1p-60f && s <= 0x1p60f))
    return std::nullopt;
  // Powers of 2 scale everything: nothing leaves the range of normal numbers.
  int exponent;
  float scaled = 2 * std::frexp(s, &exponent);
  Reciprocal r;
  r.high = 1 / scaled;
  r.low = std::fma(-r.high, scaled, 1.0f) / scaled;
  if (keepZeroSign && r.low < 0) {
    r.high = std::nextafter(r.high, 0.0f);
    r.low = std::fma(-r.high, scaled, 1.0f) / scaled;
  }
  for (uint32_t first = 0; first < kSignificands; first += kBlock)
    if (differs(first, scaled, r) && !roundAlike(first, scaled, r))
      return std::nullopt;
  return Reciprocal{std::ldexp(r.high, 1 - exponent),
                    std::ldexp(r.low, 1 - exponent)};
}
