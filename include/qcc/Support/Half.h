//===- Half.h - f16 and bf16 ------------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact conversion between f32 and the two 16-bit formats, on any CPU: round
// half to even, denormals kept, too large becomes infinite, a NaN stays a
// (quiet) NaN. Header-only.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_SUPPORT_HALF_H
#define QCC_SUPPORT_HALF_H

#include <cstdint>
#include <cstring>

namespace qcc {

inline uint32_t floatBits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float floatFromBits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

inline float f16ToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 31, fraction = half & 0x3ff;
  if (exponent == 31) // Infinity, or a NaN, which becomes quiet.
    return floatFromBits(sign | 0x7f800000 | (fraction << 13) |
                         (fraction ? 0x400000 : 0));
  if (exponent != 0)
    return floatFromBits(sign | ((exponent + 112) << 23) | (fraction << 13));
  // Zero or denormal: fraction * 2^-24, which is exact.
  float magnitude = float(fraction) * floatFromBits(103u << 23);
  return floatFromBits(sign | floatBits(magnitude));
}

inline uint16_t floatToF16(float value) {
  uint32_t bits = floatBits(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00 | ((magnitude >> 13) & 0x3ff);
  if (magnitude >= 0x47800000) // 2^16 and above; what rounds there is below.
    return sign | 0x7c00;
  if (magnitude >= 0x38800000) { // 2^-14: normal.
    uint32_t odd = (magnitude >> 13) & 1;
    return sign | ((magnitude - (112u << 23) + 0xfff + odd) >> 13);
  }
  if (magnitude < 0x33000000) // Below 2^-25, half of the least denormal.
    return sign;
  // value = significand * 2^(exponent - 150); count in units of 2^-24.
  uint32_t exponent = magnitude >> 23;
  uint32_t significand = (magnitude & 0x7fffff) | 0x800000;
  uint32_t shift = 126 - exponent; // 14 to 24
  uint32_t quotient = significand >> shift;
  uint32_t rest = significand & ((1u << shift) - 1), half = 1u << (shift - 1);
  if (rest > half || (rest == half && (quotient & 1)))
    ++quotient;
  return sign | quotient;
}

inline float bf16ToFloat(uint16_t value) {
  return floatFromBits(uint32_t(value) << 16);
}

inline uint16_t floatToBF16(float value) {
  uint32_t bits = floatBits(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (bits >> 16) | 0x40;
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

} // namespace qcc

#endif // QCC_SUPPORT_HALF_H
