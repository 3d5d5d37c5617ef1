//===- ConvertTests.cpp - Conversions -------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against MPFR and 128-bit integers: all values of types of 8 and 16 bits, and
// random and special ones of wider types, to every type in every rounding.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Arith/Convert.h"

#include "Reference.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace qcc::emu;
using namespace qcc::emu::arith;
using test::hex;
using test::Number;
using test::Operands;

namespace {

constexpr auto F32 = ScalarType::F32;

constexpr ScalarType sources[] = {
    ScalarType::U8,  ScalarType::S8,   ScalarType::U16, ScalarType::S16,
    ScalarType::F16, ScalarType::BF16, ScalarType::U32, ScalarType::S32,
    ScalarType::F32, ScalarType::U64,  ScalarType::S64, ScalarType::F64};

//===----------------------------------------------------------------------===//
// Expected values
//===----------------------------------------------------------------------===//

__int128 integerValue(ScalarType type, uint64_t bits) {
  __int128 modulus = __int128(1) << bitsOf(type);
  __int128 value = __int128(bits) % modulus;
  return isSigned(type) && value >= modulus / 2 ? value - modulus : value;
}

__int128 leastOf(ScalarType type) {
  return isSigned(type) ? -(__int128(1) << (bitsOf(type) - 1)) : 0;
}
__int128 greatestOf(ScalarType type) {
  return leastOf(type) + (__int128(1) << bitsOf(type)) - 1;
}
__int128 clampTo(ScalarType type, __int128 value) {
  return std::max(leastOf(type), std::min(greatestOf(type), value));
}

/// The value of a float operand, subnormals flushed if asked.
double floatValue(ScalarType type, uint64_t bits, bool ftz) {
  double value = test::decode(type, bits);
  if (ftz && type == F32 && std::fabs(value) < 0x1p-126)
    return std::copysign(0.0, value);
  return value;
}

double roundToInteger(double value, Rounding rounding) {
  Number x(value), result(64);
  mpfr_rint(result, x, test::mpfrRounding(rounding));
  return mpfr_get_d(result, MPFR_RNDN);
}

uint64_t expectedInteger(ScalarType to, ScalarType from, uint64_t bits,
                         const ConvertMode &mode) {
  if (!isFloat(from)) {
    __int128 value = integerValue(from, bits);
    return uint64_t(mode.saturate ? clampTo(to, value)
                                  : integerValue(to, uint64_t(value)));
  }
  double value = floatValue(from, bits, mode.ftz);
  if (std::isnan(value)) {
    if (from != ScalarType::F64 && bitsOf(to) != 64)
      return 0;
    return uint64_t(isSigned(to) ? leastOf(to)
                                 : __int128(1) << (bitsOf(to) - 1));
  }
  value = roundToInteger(value, mode.rounding);
  if (std::fabs(value) >= 0x1p64)
    value = std::copysign(0x1p64, value);
  return uint64_t(clampTo(to, __int128(value)));
}

double largestOf(ScalarType to) {
  switch (to) {
  case ScalarType::E4M3x2:
    return 448;
  case ScalarType::E5M2x2:
    return 57344;
  case ScalarType::F16:
    return 65504;
  case ScalarType::BF16:
    return 0x1.fep127;
  case ScalarType::TF32:
    return 0x1.ffcp127;
  case ScalarType::F32:
    return 0x1.fffffep127;
  default:
    return 0x1.fffffffffffffp1023;
  }
}

uint64_t expectedFloat(ScalarType to, ScalarType from, uint64_t bits,
                       const ConvertMode &mode) {
  uint64_t result =
      test::rounded(to, mode.rounding, [&](mpfr_ptr r, mpfr_rnd_t direction) {
        if (!isFloat(from)) {
          __int128 value = integerValue(from, bits);
          return value < 0 ? mpfr_set_sj(r, intmax_t(value), direction)
                           : mpfr_set_uj(r, uintmax_t(value), direction);
        }
        double value = floatValue(from, bits, mode.ftz);
        if (mode.toInteger && std::isfinite(value))
          value = roundToInteger(value, mode.rounding);
        if (mode.satfinite && std::fabs(value) > largestOf(to))
          value = std::copysign(largestOf(to), value);
        return mpfr_set_d(r, value, direction);
      });
  double value = test::decode(to, result);
  if (std::isnan(value))
    return mode.saturate ? 0 : result;
  if (mode.ftz && to == F32 && std::fabs(value) < 0x1p-126)
    value = std::copysign(0.0, value);
  if ((mode.saturate || mode.relu) && std::signbit(value))
    value = 0;
  if (mode.saturate && value > 1)
    value = 1;
  return test::encode(to, value);
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

bool agrees(ScalarType to, ScalarType from, uint64_t bits,
            const ConvertMode &mode) {
  uint64_t got = convert(bits, to, from, mode);
  uint64_t want = isFloat(to) ? expectedFloat(to, from, bits, mode)
                              : expectedInteger(to, from, bits, mode);
  bool good = isFloat(to) ? test::same(to, got, want) : got == want;
  EXPECT_TRUE(good) << typeName(to) << " from " << typeName(from) << " "
                    << hex(bits) << ", rounding " << int(mode.rounding)
                    << (mode.toInteger ? ", to integer" : "")
                    << (mode.ftz ? ", ftz" : "")
                    << (mode.saturate ? ", sat" : "")
                    << (mode.satfinite ? ", satfinite" : "")
                    << (mode.relu ? ", relu" : "") << ": got " << hex(got)
                    << ", expected " << hex(want);
  return good;
}

/// Whether the result can depend on the rounding.
bool rounds(ScalarType to, ScalarType from, const ConvertMode &mode) {
  if (!isFloat(from) && !isFloat(to))
    return false;
  return mode.toInteger || !isFloat(to) || to != from;
}

/// The modes a conversion can have, apart from the rounding.
std::vector<ConvertMode> modesOf(ScalarType to, ScalarType from) {
  std::vector<ConvertMode> modes(1);
  ConvertMode mode;
  mode.saturate = true;
  modes.push_back(mode);
  if (from == F32 || to == F32) {
    mode.saturate = false;
    mode.ftz = true;
    modes.push_back(mode);
  }
  mode = ConvertMode();
  if (isFloat(to) && to == from) {
    mode.toInteger = true;
    modes.push_back(mode);
    mode = ConvertMode();
  }
  if (isFloat(to) && isFloat(from)) {
    mode.relu = true;
    modes.push_back(mode);
    mode.satfinite = true;
    modes.push_back(mode);
    mode.relu = false;
    modes.push_back(mode);
  }
  return modes;
}

void checkAllModes(ScalarType to, ScalarType from, uint64_t count,
                   const std::function<uint64_t(uint64_t)> &operand) {
  std::vector<ConvertMode> modes = modesOf(to, from);
  for (ConvertMode mode : modes)
    for (Rounding rounding : test::roundings) {
      mode.rounding = rounding;
      for (uint64_t i = 0; i < count; ++i)
        if (!agrees(to, from, operand(i), mode))
          return;
      if (!rounds(to, from, mode))
        break;
    }
}

class Convert : public testing::TestWithParam<ScalarType> {};

} // namespace

TEST_P(Convert, AgreesWithMpfr) {
  ScalarType from = GetParam();
  int bits = bitsOf(from);
  std::vector<ScalarType> targets(std::begin(sources), std::end(sources));
  if (from == F32)
    targets.push_back(ScalarType::TF32);
  Operands operands{uint64_t(from)};
  for (ScalarType to : targets) {
    if (bits <= 16) {
      checkAllModes(to, from, uint64_t(1) << bits,
                    [](uint64_t i) { return i; });
    } else {
      // About 10^6 for each pair of types, over all modes.
      uint64_t count = 1000000 / (4 * modesOf(to, from).size()) + 1;
      checkAllModes(to, from, count,
                    [&](uint64_t) { return operands.of(from); });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(From, Convert, testing::ValuesIn(sources),
                         [](const auto &info) {
                           return std::string(typeName(info.param));
                         });

//===----------------------------------------------------------------------===//
// Special forms
//===----------------------------------------------------------------------===//

TEST(ConvertForms, IgnoresBitsAboveTheSource) {
  EXPECT_EQ(convert(0xabcdef80, ScalarType::S32, ScalarType::S8),
            uint64_t(-128));
  EXPECT_EQ(convert(0xabcd3c00, ScalarType::F32, ScalarType::F16), 0x3f800000u);
  EXPECT_EQ(convert(0x12345678ffffffff, ScalarType::U64, ScalarType::U32),
            0xffffffffu);
}

// The low 13 bits go; adding half of their range rounds, carries included. NaNs
// are cut off, as on an H200.
TEST(ConvertForms, TF32ToNearestAway) {
  ConvertMode mode;
  mode.rounding = Rounding::NearestAway;
  Operands operands(3);
  for (int i = 0; i < 1000000; ++i) {
    uint32_t a = operands.ofFloat(F32);
    uint32_t got = convert(a, ScalarType::TF32, F32, mode);
    uint32_t half = std::isnan(qcc::floatFromBits(a)) ? 0 : 0x1000;
    ASSERT_EQ(got, (a + half) & ~0x1fffu) << hex(a);
  }
}

TEST(ConvertForms, NaNsOfResults) {
  uint64_t nan = 0xffc00001;
  EXPECT_EQ(convert(nan, ScalarType::F16, F32), 0x7fffu);
  EXPECT_EQ(convert(nan, ScalarType::BF16, F32), 0x7fffu);
  EXPECT_EQ(convert(nan, F32, F32), 0x7fffffffu);
  EXPECT_EQ(convert(nan, ScalarType::F64, F32), 0xfff8000000000000u);
  EXPECT_EQ(convert(0x7ff0000000000007, ScalarType::F64, ScalarType::F64),
            0x7ff8000000000007u);
}

TEST(ConvertForms, Float8) {
  for (ScalarType to : {ScalarType::E4M3x2, ScalarType::E5M2x2}) {
    Operands operands{uint64_t(to)};
    for (ScalarType from : {ScalarType::F16, ScalarType::BF16, ScalarType::F32})
      for (bool relu : {false, true})
        for (uint32_t i = 0; i < 0x10000; ++i) {
          uint32_t bits = from == F32 ? uint32_t(operands.ofFloat(from)) : i;
          ConvertMode mode;
          mode.relu = relu;
          mode.satfinite = true;
          uint8_t got = convertToFloat8(bits, to, from, relu);
          if (test::isNaN(from, bits))
            ASSERT_EQ(got, 0x7f);
          else
            ASSERT_EQ(got, expectedFloat(to, from, bits, mode))
                << typeName(to) << " from " << typeName(from) << " "
                << hex(bits);
        }
    for (int i = 0; i < 0x100; ++i) {
      double value = test::decode(to, i);
      uint16_t got = convertFromFloat8(i, to);
      ASSERT_TRUE(test::same(ScalarType::F16, got,
                             test::encode(ScalarType::F16, value)))
          << typeName(to) << " " << hex(i);
      uint16_t positive = convertFromFloat8(i, to, true);
      if (std::isnan(value))
        ASSERT_EQ(positive, 0x7fff);
      else
        ASSERT_EQ(positive, value > 0 ? got : 0) << hex(i);
    }
  }
}

TEST(ConvertForms, Pack) {
  EXPECT_EQ(convertPack(8, true, 0x7fffffff, uint32_t(-5), 0x11223344),
            0x33447ffbu);
  EXPECT_EQ(convertPack(8, false, 300, uint32_t(-5), 0x11223344), 0x3344ff00u);
  EXPECT_EQ(convertPack(16, true, uint32_t(-40000), 40000, 0xdeadbeef),
            0x80007fffu);
  EXPECT_EQ(convertPack(16, false, uint32_t(-40000), 70000, 0), 0x0000ffffu);
  EXPECT_EQ(convertPack(4, true, 100, uint32_t(-100), 0x01020304), 0x02030478u);
  EXPECT_EQ(convertPack(4, false, 9, 20, 0x01020304), 0x0203049fu);
  EXPECT_EQ(convertPack(2, true, 100, uint32_t(-100), 0x12345678), 0x23456786u);
  EXPECT_EQ(convertPack(2, false, uint32_t(-1), 2, 0x12345678), 0x23456782u);

  Operands operands(5);
  for (int i = 0; i < 100000; ++i) {
    uint32_t a = operands.ofInteger(32), b = operands.ofInteger(32),
             c = operands.ofInteger(32);
    auto clamp = [](uint32_t value, int low, int high) {
      return uint32_t(std::max(low, std::min(high, int32_t(value))));
    };
    uint32_t want = c << 16 | (clamp(a, -128, 127) & 0xff) << 8 |
                    (clamp(b, -128, 127) & 0xff);
    ASSERT_EQ(convertPack(8, true, a, b, c), want);
    want = c << 16 | clamp(a, 0, 255) << 8 | clamp(b, 0, 255);
    ASSERT_EQ(convertPack(8, false, a, b, c), want);
  }
}
