//===- QuantMath.h - The formulas of quantization ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// N2, N3, N5 and N6, one function for one formula. None has a product and a sum
// that a compiler could contract: where one rounding is meant, fma says so.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_QUANTMATH_H
#define QCC_LIB_REFERENCE_QUANTMATH_H

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace qcc::reference {

/// N2: K * max|x - zx| * max|w - zw| <= 2^31 - 1.
inline bool cannotOverflow(int64_t k, int64_t maxX, int64_t maxW) {
  int64_t product = maxX * maxW;
  return product == 0 || k <= INT32_MAX / product;
}

/// f32(acc) * m, and fma(f32(acc), m, b). `acc` is an i32.
inline float scaled(int64_t acc, float m) {
  return static_cast<float>(static_cast<int32_t>(acc)) * m;
}
inline float fusedBias(int64_t acc, float m, float b) {
  return std::fma(static_cast<float>(static_cast<int32_t>(acc)), m, b);
}

/// The storage range of a quantized value.
struct StorageRange {
  int64_t least = -128, greatest = 127;
};

/// saturate(rint(v) + z); NaN gives z.
inline int64_t roundAndSaturate(float v, int64_t z, StorageRange range) {
  if (std::isnan(v))
    return z;
  // Beyond 2^33 everything saturates, whatever an i32 zero point is.
  float r = std::min(std::max(std::nearbyint(v), -0x1p33f), 0x1p33f);
  return std::clamp(static_cast<int64_t>(r) + z, range.least, range.greatest);
}

/// N5.
inline int64_t quantize(float x, float s, int64_t z, StorageRange range,
                        bool zeroPointBeforeRounding) {
  float quotient = x / s;
  if (!zeroPointBeforeRounding)
    return roundAndSaturate(quotient, z, range);
  float v = quotient + static_cast<float>(z);
  return std::isnan(v) ? z : roundAndSaturate(v, 0, range);
}

/// The clamp of a float result (N7): minimumf(maximumf(v, lo), hi). Bounds are
/// never NaN, and -0 < +0.
inline float clampFloat(float v, float lo, float hi) {
  if (std::isnan(v))
    return v;
  if (v < lo || (v == lo && std::signbit(v)))
    v = lo;
  if (v > hi || (v == hi && !std::signbit(v)))
    v = hi;
  return v;
}

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_QUANTMATH_H
