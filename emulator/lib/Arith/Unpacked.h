//===- Unpacked.h - Floats as integers --------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A float of any format as sign, significand and exponent, exact operations on
// those, and the one place that rounds. Formats are described at run time, so
// that conversions between any two are one function.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_ARITH_UNPACKED_H
#define QCC_LIB_EMULATOR_ARITH_UNPACKED_H

#include "qcc/Emulator/Arith/FloatFormat.h"

namespace qcc::emu::arith {

using u128 = unsigned __int128;

/// A format's layout. The bits below `shift` are zero (TF32 in 32 bits).
struct FormatInfo {
  int exponentBits, fractionBits;
  int shift = 0;
  /// E4M3: the highest exponent is a normal one, all ones are NaN.
  bool hasInfinity = true;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  uint64_t signBit() const {
    return uint64_t(1) << (exponentBits + fractionBits + shift);
  }
  /// The least magnitude, in units of the last place, that is not a number.
  uint64_t notFinite() const {
    return hasInfinity ? ((uint64_t(1) << exponentBits) - 1) << fractionBits
                       : (uint64_t(1) << (exponentBits + fractionBits)) - 1;
  }
};

/// Of F16, BF16, TF32, F32, F64, E4M3x2 and E5M2x2 (an element of these).
FormatInfo formatInfo(ScalarType type);

/// (-1)^negative * significand * 2^exponent. In a result of the operations
/// below the lowest bit is sticky: it is also set if any lower bit would be.
struct Unpacked {
  enum Kind : uint8_t { Zero, Finite, Infinite, NaN };
  Kind kind = Zero;
  bool negative = false;
  int exponent = 0;
  u128 significand = 0;
};

Unpacked unpack(const FormatInfo &format, uint64_t bits);
Unpacked unpackInteger(bool negative, uint64_t magnitude);

/// Sums, products and so on; no operand is NaN. The sign of an exact zero sum
/// depends on the rounding.
Unpacked addExact(Unpacked a, Unpacked b, Rounding rounding);
Unpacked mulExact(const Unpacked &a, const Unpacked &b);
Unpacked divSticky(const Unpacked &a, const Unpacked &b);
Unpacked sqrtSticky(const Unpacked &a);

/// The nearest integral value in the rounding's direction, signed zero
/// included.
Unpacked roundToIntegral(Unpacked a, Rounding rounding);

/// Rounds to the format. `a` is not NaN. Too large is what IEEE 754 says, or
/// with satfinite the largest finite value; without infinities it is NaN.
uint64_t pack(const FormatInfo &format, const Unpacked &a, Rounding rounding,
              bool satfinite = false);

/// Whether a magnitude whose discarded part compares so with one half (less,
/// equal, greater: -1, 0, 1; 2 if nothing was discarded) is rounded up.
bool roundsUp(Rounding rounding, bool negative, bool odd, int half);

} // namespace qcc::emu::arith

#endif // QCC_LIB_EMULATOR_ARITH_UNPACKED_H
