//===- Unpacked.cpp - Floats as integers ----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unpacking, exact operations, rounding.
//
//===----------------------------------------------------------------------===//

#include "Unpacked.h"

namespace qcc::emu::arith {

FormatInfo formatInfo(ScalarType type) {
  switch (type) {
  case ScalarType::E4M3x2:
    return {4, 3, 0, false};
  case ScalarType::E5M2x2:
    return {5, 2};
  case ScalarType::F16:
    return {5, 10};
  case ScalarType::BF16:
    return {8, 7};
  case ScalarType::TF32:
    return {8, 10, 13};
  case ScalarType::F64:
    return {11, 52};
  default:
    return {8, 23};
  }
}

/// The position of the highest bit of a value that is not 0.
static int highestBit(u128 value) {
  uint64_t high = uint64_t(value >> 64);
  return high ? 127 - __builtin_clzll(high)
              : 63 - __builtin_clzll(uint64_t(value));
}

/// Shifts right and keeps what falls out in the sticky lowest bit.
static u128 shiftRightSticky(u128 value, int amount) {
  if (amount <= 0)
    return value;
  if (amount > 127)
    return value != 0;
  bool lost = (value & ((u128(1) << amount) - 1)) != 0;
  return (value >> amount) | lost;
}

/// Brings the highest bit of a significand to `position`, which is above it.
static void alignTo(Unpacked &a, int position) {
  int amount = position - highestBit(a.significand);
  a.significand <<= amount;
  a.exponent -= amount;
}

Unpacked unpack(const FormatInfo &format, uint64_t bits) {
  Unpacked result;
  result.negative = (bits & format.signBit()) != 0;
  uint64_t magnitude = (bits & (format.signBit() - 1)) >> format.shift;
  if (magnitude >= format.notFinite()) {
    result.kind = format.hasInfinity && magnitude == format.notFinite()
                      ? Unpacked::Infinite
                      : Unpacked::NaN;
    return result;
  }
  if (magnitude == 0)
    return result;
  result.kind = Unpacked::Finite;
  int exponent = int(magnitude >> format.fractionBits);
  result.significand = magnitude & ((uint64_t(1) << format.fractionBits) - 1);
  if (exponent == 0)
    exponent = 1;
  else
    result.significand |= uint64_t(1) << format.fractionBits;
  result.exponent = exponent - format.bias() - format.fractionBits;
  return result;
}

Unpacked unpackInteger(bool negative, uint64_t magnitude) {
  Unpacked result;
  if (magnitude == 0)
    return result;
  result.kind = Unpacked::Finite;
  result.negative = negative;
  result.significand = magnitude;
  return result;
}

Unpacked addExact(Unpacked a, Unpacked b, Rounding rounding) {
  if (a.kind == Unpacked::Infinite || b.kind == Unpacked::Infinite) {
    if (a.kind == b.kind && a.negative != b.negative)
      a.kind = Unpacked::NaN;
    return a.kind == Unpacked::Finite || a.kind == Unpacked::Zero ? b : a;
  }
  Unpacked zero;
  zero.negative = rounding == Rounding::Down;
  if (a.kind == Unpacked::Zero && b.kind == Unpacked::Zero)
    return a.negative == b.negative ? a : zero;
  if (a.kind == Unpacked::Zero)
    return b;
  if (b.kind == Unpacked::Zero)
    return a;

  // Significands have at most 106 bits. Once more than 20 of the smaller one's
  // are shifted out, the difference loses at most one leading bit, so that the
  // sticky bit stays far below what any format keeps.
  alignTo(a, 125);
  alignTo(b, 125);
  if (a.exponent < b.exponent ||
      (a.exponent == b.exponent && a.significand < b.significand))
    std::swap(a, b);
  u128 smaller = shiftRightSticky(b.significand, a.exponent - b.exponent);
  if (a.negative == b.negative)
    a.significand += smaller;
  else
    a.significand -= smaller;
  return a.significand == 0 ? zero : a;
}

Unpacked mulExact(const Unpacked &a, const Unpacked &b) {
  Unpacked result;
  result.negative = a.negative != b.negative;
  bool infinite = a.kind == Unpacked::Infinite || b.kind == Unpacked::Infinite;
  bool zero = a.kind == Unpacked::Zero || b.kind == Unpacked::Zero;
  if (infinite || zero) {
    result.kind = infinite && zero ? Unpacked::NaN
                  : infinite       ? Unpacked::Infinite
                                   : Unpacked::Zero;
    return result;
  }
  result.kind = Unpacked::Finite;
  result.significand = a.significand * b.significand;
  result.exponent = a.exponent + b.exponent;
  return result;
}

Unpacked divSticky(const Unpacked &a, const Unpacked &b) {
  Unpacked result;
  result.negative = a.negative != b.negative;
  if (a.kind == b.kind && a.kind != Unpacked::Finite) {
    result.kind = Unpacked::NaN;
    return result;
  }
  if (a.kind == Unpacked::Infinite || b.kind == Unpacked::Zero) {
    result.kind = Unpacked::Infinite;
    return result;
  }
  if (a.kind == Unpacked::Zero || b.kind == Unpacked::Infinite)
    return result;
  Unpacked dividend = a, divisor = b;
  alignTo(dividend, 126);
  alignTo(divisor, 63);
  result.kind = Unpacked::Finite;
  result.significand = dividend.significand / divisor.significand;
  if (dividend.significand % divisor.significand != 0)
    result.significand |= 1;
  result.exponent = dividend.exponent - divisor.exponent;
  return result;
}

Unpacked sqrtSticky(const Unpacked &a) {
  Unpacked result = a;
  if (a.kind == Unpacked::Zero)
    return result;
  if (a.negative) {
    result.kind = Unpacked::NaN;
    return result;
  }
  if (a.kind == Unpacked::Infinite)
    return result;
  alignTo(result, 125);
  if (result.exponent & 1) {
    result.significand <<= 1;
    --result.exponent;
  }
  // One bit of the root at a time.
  u128 rest = result.significand, root = 0;
  for (u128 bit = u128(1) << 126; bit != 0; bit >>= 2) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  result.significand = root | (rest != 0);
  result.exponent /= 2;
  return result;
}

bool roundsUp(Rounding rounding, bool negative, bool odd, int half) {
  if (half == 2)
    return false;
  switch (rounding) {
  case Rounding::Nearest:
    return half > 0 || (half == 0 && odd);
  case Rounding::NearestAway:
    return half >= 0;
  case Rounding::Zero:
    return false;
  case Rounding::Down:
    return negative;
  case Rounding::Up:
    return !negative;
  }
  return false;
}

/// The significand without its `amount` lowest bits, rounded.
static u128 dropBits(u128 significand, int amount, Rounding rounding,
                     bool negative) {
  if (amount <= 0)
    return significand << -amount;
  // All of it lies below one half.
  if (amount > 127)
    return roundsUp(rounding, negative, false, -1);
  u128 kept = significand >> amount;
  u128 dropped = significand & ((u128(1) << amount) - 1);
  u128 middle = u128(1) << (amount - 1);
  int half = dropped == 0        ? 2
             : dropped == middle ? 0
             : dropped > middle  ? 1
                                 : -1;
  return kept + roundsUp(rounding, negative, kept & 1, half);
}

Unpacked roundToIntegral(Unpacked a, Rounding rounding) {
  if (a.kind != Unpacked::Finite || a.exponent >= 0)
    return a;
  a.significand = dropBits(a.significand, -a.exponent, rounding, a.negative);
  a.exponent = 0;
  if (a.significand == 0)
    a.kind = Unpacked::Zero;
  return a;
}

uint64_t pack(const FormatInfo &format, const Unpacked &a, Rounding rounding,
              bool satfinite) {
  uint64_t sign = a.negative ? format.signBit() : 0;
  if (a.kind == Unpacked::Zero)
    return sign;
  uint64_t largest = format.notFinite() - 1;
  if (a.kind == Unpacked::Infinite)
    return sign | (satfinite ? largest : format.notFinite()) << format.shift;

  int leastExponent = 1 - format.bias();
  int exponent = a.exponent + highestBit(a.significand);
  if (exponent < leastExponent)
    exponent = leastExponent;
  int amount = exponent - format.fractionBits - a.exponent;
  // A carry out of the significand moves on to the exponent's bits, and from
  // the subnormals to the least normal number, by itself.
  u128 magnitude = dropBits(a.significand, amount, rounding, a.negative) +
                   (u128(exponent - leastExponent) << format.fractionBits);
  if (magnitude > largest) {
    bool toLargest = satfinite || rounding == Rounding::Zero ||
                     rounding == (a.negative ? Rounding::Up : Rounding::Down);
    magnitude = toLargest ? largest : format.notFinite();
  }
  return sign | uint64_t(magnitude) << format.shift;
}

} // namespace qcc::emu::arith
