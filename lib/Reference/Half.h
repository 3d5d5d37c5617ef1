//===- Half.h - f16 and bf16 conversions ------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact widening and one rounding, half to even, denormals kept (N7).
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_HALF_H
#define QCC_LIB_REFERENCE_HALF_H

#include <cstdint>
#include <cstring>

namespace qcc::reference {

template <typename To, typename From> inline To bitsAs(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof(To));
  return result;
}

/// Rounds a double once to a binary format of 16 bits with `mantissaBits`
/// explicit bits and exponent bias `bias`.
template <int mantissaBits, int bias> inline uint16_t narrowTo16(double value) {
  constexpr int exponentBits = 15 - mantissaBits;
  constexpr uint64_t infinity = ((uint64_t(1) << exponentBits) - 1)
                                << mantissaBits;
  uint64_t bits = bitsAs<uint64_t>(value);
  uint16_t sign = static_cast<uint16_t>(bits >> 48) & 0x8000;
  uint64_t magnitude = bits & ~(uint64_t(1) << 63);
  if (magnitude > 0x7ff0000000000000)
    return sign | infinity | (uint64_t(1) << (mantissaBits - 1));
  int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent > bias)
    return sign | infinity;
  // Too small to reach half of the least denormal.
  if (exponent < 1 - bias - mantissaBits - 1)
    return sign;
  uint64_t significand =
      (magnitude & ((uint64_t(1) << 52) - 1)) | (uint64_t(1) << 52);
  int drop = 52 - mantissaBits;
  uint64_t biased = 0;
  if (exponent < 1 - bias)
    drop += 1 - bias - exponent;
  else
    // The implicit bit of the significand adds the missing one.
    biased = static_cast<uint64_t>(exponent + bias - 1) << mantissaBits;
  uint64_t kept = significand >> drop;
  uint64_t rest = significand & ((uint64_t(1) << drop) - 1);
  uint64_t half = uint64_t(1) << (drop - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // A carry out of the significand moves into the exponent, up to infinity.
  return sign | static_cast<uint16_t>(biased + kept);
}

inline uint16_t toF16(double value) { return narrowTo16<10, 15>(value); }
inline uint16_t toBF16(double value) { return narrowTo16<7, 127>(value); }

inline float fromBF16(uint16_t bits) {
  return bitsAs<float>(static_cast<uint32_t>(bits) << 16);
}

inline float fromF16(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31;
  uint32_t mantissa = bits & 1023;
  if (exponent == 31)
    return bitsAs<float>(sign | 0x7f800000 | (mantissa << 13));
  if (exponent == 0) {
    float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return bitsAs<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

inline float roundToF16(double value) { return fromF16(toF16(value)); }
inline float roundToBF16(double value) { return fromBF16(toBF16(value)); }

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_HALF_H
