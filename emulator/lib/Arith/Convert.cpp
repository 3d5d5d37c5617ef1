//===- Convert.cpp - Conversions between types ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt and cvt.pack.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Arith/Convert.h"

#include "Unpacked.h"

namespace qcc::emu::arith {

namespace {

/// Bits above the type replaced by its sign, or zeros.
uint64_t extend(uint64_t value, int bits, bool isSigned) {
  if (bits == 64)
    return value;
  uint64_t low = value & ((uint64_t(1) << bits) - 1);
  return isSigned && (low >> (bits - 1) & 1) ? low | ~uint64_t(0) << bits : low;
}

/// The integer of the type nearest to (-1)^negative * magnitude.
uint64_t clamp(bool negative, uint64_t magnitude, int bits, bool isSigned) {
  if (isSigned) {
    uint64_t limit = (uint64_t(1) << (bits - 1)) - !negative;
    uint64_t value = magnitude < limit ? magnitude : limit;
    return negative ? -value : value;
  }
  if (negative)
    return 0;
  uint64_t limit = ~uint64_t(0) >> (64 - bits);
  return magnitude < limit ? magnitude : limit;
}

uint64_t floatToInteger(Unpacked value, int bits, bool isSigned,
                        Rounding rounding) {
  value = roundToIntegral(value, rounding);
  uint64_t magnitude = 0;
  if (value.kind == Unpacked::Infinite)
    magnitude = ~uint64_t(0);
  else if (value.kind == Unpacked::Finite) {
    // Significands of all formats have at most 53 bits.
    uint64_t significand = uint64_t(value.significand);
    bool fits = value.exponent <= __builtin_clzll(significand);
    magnitude = fits ? significand << value.exponent : ~uint64_t(0);
  }
  return clamp(value.negative, magnitude, bits, isSigned);
}

/// The NaN that results have.
uint64_t canonicalNaN(ScalarType type) {
  switch (type) {
  case ScalarType::E4M3x2:
  case ScalarType::E5M2x2:
    return 0x7f;
  case ScalarType::F16:
  case ScalarType::BF16:
    return 0x7fff;
  case ScalarType::F64:
    return FloatFormat<ScalarType::F64>::nan;
  default:
    return 0x7fffffff;
  }
}

uint64_t toFloatType(const Unpacked &value, ScalarType to,
                     const ConvertMode &mode) {
  FormatInfo format = formatInfo(to);
  if (value.kind == Unpacked::NaN)
    return mode.saturate ? 0 : canonicalNaN(to);
  uint64_t result = pack(format, value, mode.rounding, mode.satfinite);
  if (mode.ftz && to == ScalarType::F32)
    result = flush<ScalarType::F32>(uint32_t(result));
  if ((mode.saturate || mode.relu) && (result & format.signBit()))
    result = 0;
  uint64_t one = uint64_t(format.bias())
                 << (format.fractionBits + format.shift);
  if (mode.saturate && result > one)
    result = one;
  return result;
}

} // namespace

uint64_t convert(uint64_t value, ScalarType to, ScalarType from,
                 ConvertMode mode) {
  int toBits = bitsOf(to), fromBits = bitsOf(from);
  if (!isFloat(from)) {
    uint64_t source = extend(value, fromBits, isSigned(from));
    bool negative = isSigned(from) && int64_t(source) < 0;
    uint64_t magnitude = negative ? -source : source;
    if (isFloat(to))
      return toFloatType(unpackInteger(negative, magnitude), to, mode);
    if (mode.saturate)
      source = clamp(negative, magnitude, toBits, isSigned(to));
    return extend(source, toBits, isSigned(to));
  }

  if (mode.ftz && from == ScalarType::F32)
    value = flush<ScalarType::F32>(uint32_t(value));
  Unpacked source = unpack(formatInfo(from), extend(value, fromBits, false));
  if (!isFloat(to)) {
    if (source.kind == Unpacked::NaN) {
      bool zero = from != ScalarType::F64 && toBits < 64;
      return zero ? 0
                  : extend(uint64_t(1) << (toBits - 1), toBits, isSigned(to));
    }
    return floatToInteger(source, toBits, isSigned(to), mode.rounding);
  }
  // Between F64s a NaN's payload is kept, as F64 arithmetic keeps it.
  if (source.kind == Unpacked::NaN && to == from && to == ScalarType::F64 &&
      !mode.saturate)
    return value | uint64_t(1) << 51;
  // TF32 lacks the low bits of an F32 NaN, as on an H200: one with no other
  // bits becomes an infinity.
  if (source.kind == Unpacked::NaN && from == ScalarType::F32 &&
      to == ScalarType::TF32 && mode.rounding == Rounding::NearestAway &&
      !mode.satfinite && !mode.relu)
    return uint32_t(value) & ~uint64_t(0x1fff);
  if (mode.toInteger)
    source = roundToIntegral(source, mode.rounding);
  return toFloatType(source, to, mode);
}

uint8_t convertToFloat8(uint32_t value, ScalarType to, ScalarType from,
                        bool relu) {
  ConvertMode mode;
  mode.satfinite = true;
  mode.relu = relu;
  Unpacked source =
      unpack(formatInfo(from), extend(value, bitsOf(from), false));
  return uint8_t(toFloatType(source, to, mode));
}

uint16_t convertFromFloat8(uint8_t value, ScalarType from, bool relu) {
  ConvertMode mode;
  mode.relu = relu;
  return uint16_t(
      toFloatType(unpack(formatInfo(from), value), ScalarType::F16, mode));
}

uint32_t convertPack(int bits, bool isSigned, uint32_t a, uint32_t b,
                     uint32_t c) {
  auto element = [&](uint32_t value) {
    bool negative = int32_t(value) < 0;
    uint64_t magnitude = negative ? -uint64_t(int32_t(value)) : value;
    return uint32_t(clamp(negative, magnitude, bits, isSigned)) &
           ((1u << bits) - 1);
  };
  uint32_t low = element(a) << bits | element(b);
  return bits == 16 ? low : c << (2 * bits) | low;
}

} // namespace qcc::emu::arith
