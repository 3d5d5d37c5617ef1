//===- HalfTests.cpp - f16 and bf16 ---------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/Half.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace qcc;

/// The nearest representable value, found by search: `widen` is monotonic over
/// the non-negative patterns up to infinity.
template <float (*widen)(uint16_t)>
static uint16_t roundBySearch(float value, uint16_t infinity) {
  double magnitude = std::fabs(double(value));
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  uint16_t low = 0, high = infinity;
  while (high - low > 1) {
    uint16_t middle = (low + high) / 2;
    (widen(middle) <= magnitude ? low : high) = middle;
  }
  if (high == infinity) {
    // Infinity stands where the next larger value would be.
    double last = widen(low), step = last - widen(low - 1);
    bool up = magnitude >= last + step / 2;
    return sign | (up ? infinity : low);
  }
  double below = magnitude - widen(low), above = widen(high) - magnitude;
  bool up = above < below || (above == below && (high & 1) == 0);
  return sign | (up ? high : low);
}

TEST(Half, KnownValues) {
  EXPECT_EQ(floatToF16(0.0f), 0x0000);
  EXPECT_EQ(floatToF16(-0.0f), 0x8000);
  EXPECT_EQ(floatToF16(1.0f), 0x3c00);
  EXPECT_EQ(floatToF16(65504.0f), 0x7bff);
  EXPECT_EQ(floatToF16(65519.99f), 0x7bff);
  EXPECT_EQ(floatToF16(65520.0f), 0x7c00);
  EXPECT_EQ(floatToF16(0x1p-24f), 0x0001);
  EXPECT_EQ(floatToF16(0x1p-25f), 0x0000);
  EXPECT_EQ(floatToF16(0x1.000002p-25f), 0x0001);
  EXPECT_EQ(floatToF16(-INFINITY), 0xfc00);
  EXPECT_EQ(floatToBF16(1.0f), 0x3f80);
  EXPECT_EQ(floatToBF16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(floatToBF16(0x1.01p0f), 0x3f80);
  EXPECT_EQ(floatToBF16(0x1.03p0f), 0x3f82);
  EXPECT_EQ(floatToBF16(0x1p-133f), 0x0001);
}

TEST(Half, EveryPatternRoundTrips) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float wide = f16ToFloat(uint16_t(bits));
    if (std::isnan(wide))
      EXPECT_TRUE(std::isnan(f16ToFloat(floatToF16(wide))));
    else
      EXPECT_EQ(floatToF16(wide), bits);
    wide = bf16ToFloat(uint16_t(bits));
    if (std::isnan(wide))
      EXPECT_TRUE(std::isnan(bf16ToFloat(floatToBF16(wide))));
    else
      EXPECT_EQ(floatToBF16(wide), bits);
  }
}

TEST(Half, RoundsHalfToEven) {
  // All exponents and signs, with fractions around every rounding boundary.
  for (uint32_t exponent = 0; exponent < 255; ++exponent)
    for (uint32_t sign : {0u, 0x80000000u})
      for (uint32_t fraction = 0; fraction < 0x800000; fraction += 0x1fff3)
        for (uint32_t pattern :
             {fraction, fraction & ~0xfffu, (fraction & ~0xfffu) | 1,
              (fraction & ~0x7fffu) | 0x8000, (fraction & ~0xffffu) | 0x7fff}) {
          float value = floatFromBits(sign | exponent << 23 | pattern);
          ASSERT_EQ(floatToF16(value), roundBySearch<f16ToFloat>(value, 0x7c00))
              << std::hexfloat << value;
          ASSERT_EQ(floatToBF16(value),
                    roundBySearch<bf16ToFloat>(value, 0x7f80))
              << std::hexfloat << value;
        }
}

TEST(Half, KeepsNaN) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(f16ToFloat(floatToF16(nan))));
  EXPECT_TRUE(std::isnan(bf16ToFloat(floatToBF16(nan))));
  // A payload that the narrow format would cut to infinity.
  float low = floatFromBits(0x7f800001);
  EXPECT_EQ(floatToF16(low), 0x7e00);
  EXPECT_EQ(floatToBF16(low), 0x7fc0);
}
