//===- Reference.cpp - Arithmetic by MPFR ---------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include <cmath>
#include <limits>

namespace qcc::emu::test {

namespace {

/// By the formats' definitions, not by the code under test.
struct Layout {
  int exponentBits, fractionBits, zeroBits;
  bool hasInfinity;
};

Layout layoutOf(ScalarType type) {
  switch (type) {
  case ScalarType::E4M3x2:
    return {4, 3, 0, false};
  case ScalarType::E5M2x2:
    return {5, 2, 0, true};
  case ScalarType::F16:
    return {5, 10, 0, true};
  case ScalarType::BF16:
    return {8, 7, 0, true};
  case ScalarType::TF32:
    return {8, 10, 13, true};
  case ScalarType::F32:
    return {8, 23, 0, true};
  default:
    return {11, 52, 0, true};
  }
}

} // namespace

double decode(ScalarType type, uint64_t bits) {
  Layout layout = layoutOf(type);
  bits >>= layout.zeroBits;
  int top = (1 << layout.exponentBits) - 1;
  uint64_t fraction = bits & ((uint64_t(1) << layout.fractionBits) - 1);
  int exponent = int(bits >> layout.fractionBits) & top;
  bool negative = bits >> (layout.fractionBits + layout.exponentBits) & 1;
  int bias = top / 2;
  double magnitude;
  if (exponent == top && layout.hasInfinity)
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (exponent == top && fraction == 7)
    magnitude = std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    magnitude = std::ldexp(double(fraction), 1 - bias - layout.fractionBits);
  else
    magnitude =
        std::ldexp(double(fraction + (uint64_t(1) << layout.fractionBits)),
                   exponent - bias - layout.fractionBits);
  return negative ? -magnitude : magnitude;
}

uint64_t encode(ScalarType type, double value) {
  Layout layout = layoutOf(type);
  int top = (1 << layout.exponentBits) - 1, bias = top / 2;
  uint64_t magnitude;
  if (std::isnan(value)) {
    return ((uint64_t(top) << layout.fractionBits) +
            (layout.hasInfinity ? 1 : 7))
           << layout.zeroBits;
  }
  if (std::isinf(value)) {
    magnitude = uint64_t(top) << layout.fractionBits;
  } else if (value == 0) {
    magnitude = 0;
  } else {
    int exponent = std::ilogb(value) + bias;
    if (exponent < 1)
      exponent = 1;
    magnitude = uint64_t(std::ldexp(std::fabs(value),
                                    layout.fractionBits + bias - exponent)) +
                (uint64_t(exponent - 1) << layout.fractionBits);
  }
  uint64_t sign = std::signbit(value)
                      ? uint64_t(1)
                            << (layout.exponentBits + layout.fractionBits)
                      : 0;
  return (sign | magnitude) << layout.zeroBits;
}

bool isNaN(ScalarType type, uint64_t bits) {
  return std::isnan(decode(type, bits));
}

bool same(ScalarType type, uint64_t x, uint64_t y) {
  return x == y || (isNaN(type, x) && isNaN(type, y));
}

mpfr_rnd_t mpfrRounding(Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return MPFR_RNDZ;
  case Rounding::Down:
    return MPFR_RNDD;
  case Rounding::Up:
    return MPFR_RNDU;
  default:
    return MPFR_RNDN;
  }
}

uint64_t rounded(ScalarType type, Rounding rounding,
                 const std::function<int(mpfr_ptr, mpfr_rnd_t)> &operation) {
  Layout layout = layoutOf(type);
  int bias = (1 << (layout.exponentBits - 1)) - 1;
  mpfr_rnd_t direction = mpfrRounding(rounding);
  Number result(layout.fractionBits + 1);
  mpfr_exp_t least = mpfr_get_emin(), greatest = mpfr_get_emax();
  int ternary = operation(result, direction);
  // MPFR's significands lie in [1/2, 1).
  mpfr_set_emin(2 - bias - layout.fractionBits);
  mpfr_set_emax(bias + 1 + !layout.hasInfinity);
  ternary = mpfr_check_range(result, ternary, direction);
  mpfr_subnormalize(result, ternary, direction);
  mpfr_set_emin(least);
  mpfr_set_emax(greatest);
  return encode(type, mpfr_get_d(result, MPFR_RNDN));
}

bool isTiny(ScalarType type, Rounding rounding,
            const std::function<int(mpfr_ptr, mpfr_rnd_t)> &operation) {
  Layout layout = layoutOf(type);
  Number result(layout.fractionBits + 1);
  operation(result, mpfrRounding(rounding));
  int bias = (1 << (layout.exponentBits - 1)) - 1;
  // The least normal number is 1/2 * 2^(2 - bias).
  return mpfr_regular_p(result) && mpfr_get_exp(result) < 2 - bias;
}

uint64_t Operands::ofFloat(ScalarType type) {
  Layout layout = layoutOf(type);
  int width = layout.exponentBits + layout.fractionBits;
  uint64_t sign = (random_() & 1) << width;
  uint64_t one = uint64_t(1) << layout.fractionBits;
  uint64_t infinity = uint64_t((1 << layout.exponentBits) - 1)
                      << layout.fractionBits;
  uint64_t magnitude = 0;
  switch (random_() % 8) {
  case 0: { // Ends of the format's ranges.
    const uint64_t special[] = {0,
                                1,
                                2,
                                one - 1,
                                one,
                                one + 1,
                                infinity,
                                infinity - 1,
                                one / 2,
                                infinity / 2,
                                infinity + 1,
                                2 * infinity / 3};
    magnitude = special[random_() % std::size(special)];
    break;
  }
  case 1: // Next to a power of two.
    magnitude = (random_() % (infinity / one) * one) + random_() % 5 - 2;
    break;
  case 2: // Few bits.
    magnitude = random_() & random_() & random_();
    break;
  case 3: // Magnitudes near one, where operands meet.
    magnitude = (infinity / 2 & ~(one - 1)) + random_() % (8 * one) - 4 * one;
    break;
  case 4: // Subnormal.
    magnitude = random_() % one;
    break;
  default:
    magnitude = random_();
  }
  magnitude &= (uint64_t(1) << width) - 1;
  return (sign | magnitude) << layout.zeroBits;
}

uint64_t Operands::ofInteger(int bits) {
  uint64_t mask = ~uint64_t(0) >> (64 - bits);
  switch (random_() % 4) {
  case 0: { // Next to a power of two, of either sign.
    uint64_t power = uint64_t(1) << (random_() % bits);
    uint64_t value = power + random_() % 5 - 2;
    return (random_() & 1 ? value : -value) & mask;
  }
  case 1: // Small.
    return (random_() % 512 - 256) & mask;
  case 2: // Few bits, at the top and below.
    return (random_() & random_() & random_()) & mask;
  default:
    return random_() & mask;
  }
}

uint64_t Operands::of(ScalarType type) {
  return isFloat(type) ? ofFloat(type) : ofInteger(bitsOf(type));
}

std::string hex(uint64_t bits) {
  char text[24];
  snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(bits));
  return text;
}

} // namespace qcc::emu::test
