//===- FloatFormat.h - Float formats and modes ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The float formats as bit patterns, and the modifiers of float instructions.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_ARITH_FLOATFORMAT_H
#define QCC_EMULATOR_ARITH_FLOATFORMAT_H

#include "qcc/Emulator/ScalarType.h"
#include "qcc/Support/Half.h"

#include <cstdint>
#include <cstring>

namespace qcc::emu::arith {

enum class Rounding : uint8_t {
  Nearest,    ///< .rn, .rni: halves to even.
  Zero,       ///< .rz, .rzi
  Down,       ///< .rm, .rmi
  Up,         ///< .rp, .rpi
  NearestAway ///< .rna: halves away from zero.
};

/// Modifiers of float arithmetic.
struct FloatMode {
  Rounding rounding = Rounding::Nearest;
  bool ftz = false;      ///< Subnormal operands and results become zeros.
  bool saturate = false; ///< The result is clamped to [0, 1]; NaN becomes +0.
  bool relu = false;     ///< A negative result becomes +0.
};

/// F16, BF16, F32 and F64; conversions know TF32, and the elements of E4M3x2
/// and E5M2x2, as well.
template <ScalarType T> struct FloatFormat;

/// An IEEE 754 format with `exponent` bits of exponent and `fraction` of
/// fraction, in the `Int`'s low bits.
template <typename Int, int exponent, int fraction> struct IEEEFormat {
  using Bits = Int;
  static constexpr int exponentBits = exponent;
  static constexpr int fractionBits = fraction;
  static constexpr int bias = (1 << (exponent - 1)) - 1;
  static constexpr Bits signBit = Bits(Bits(1) << (exponent + fraction));
  static constexpr Bits infinity =
      Bits(((Bits(1) << exponent) - 1) << fraction);
  static constexpr Bits largest = Bits(infinity - 1);
  static constexpr Bits leastNormal = Bits(Bits(1) << fraction);
  static constexpr Bits one = Bits(Bits(bias) << fraction);
  /// What operations without a NaN operand make, and those with one make but
  /// for F64, whose payloads are kept.
  static constexpr Bits nan = Bits(signBit - 1);
};

template <>
struct FloatFormat<ScalarType::F16> : IEEEFormat<uint16_t, 5, 10> {};
template <>
struct FloatFormat<ScalarType::BF16> : IEEEFormat<uint16_t, 8, 7> {};
template <>
struct FloatFormat<ScalarType::F32> : IEEEFormat<uint32_t, 8, 23> {};
template <> struct FloatFormat<ScalarType::F64> : IEEEFormat<uint64_t, 11, 52> {
  static constexpr uint64_t nan = 0xfff8000000000000;
};

template <ScalarType T> using Bits = typename FloatFormat<T>::Bits;

template <ScalarType T> constexpr bool isNaN(Bits<T> a) {
  using F = FloatFormat<T>;
  return Bits<T>(a & ~F::signBit) > F::infinity;
}

/// -0 and +0 are not subnormal.
template <ScalarType T> constexpr bool isSubnormal(Bits<T> a) {
  using F = FloatFormat<T>;
  Bits<T> magnitude = a & ~F::signBit;
  return magnitude != 0 && magnitude < F::leastNormal;
}

/// Subnormal to the zero of its sign.
template <ScalarType T> constexpr Bits<T> flush(Bits<T> a) {
  return isSubnormal<T>(a) ? Bits<T>(a & FloatFormat<T>::signBit) : a;
}

inline double toDouble(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}
inline uint64_t fromDouble(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

} // namespace qcc::emu::arith

#endif // QCC_EMULATOR_ARITH_FLOATFORMAT_H
