//===- Convert.h - Conversions between types --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt in all its forms, and cvt.pack.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_ARITH_CONVERT_H
#define QCC_EMULATOR_ARITH_CONVERT_H

#include "qcc/Emulator/Arith/FloatFormat.h"

namespace qcc::emu::arith {

struct ConvertMode {
  Rounding rounding = Rounding::Nearest;
  /// Between floats, the result has an integral value (.rni, .rzi, .rmi, .rpi).
  bool toInteger = false;
  bool ftz = false;      ///< Subnormal F32 operands and results become zeros.
  bool saturate = false; ///< Clamp to the integer's range; of floats to [0, 1].
  bool satfinite = false; ///< Too large becomes the largest finite value.
  bool relu = false;      ///< Negative becomes +0.
};

/// The low bits of `value`, of type `from`, as type `to`. Both are U8 to U64,
/// S8 to S64, F16, BF16, F32 or F64; `to` also TF32, whose low 13 bits are
/// zero. A signed integer result is extended by its sign to 64 bits, all others
/// with zeros: a destination register takes the low bits.
///
/// * Integer to narrower integer: the low bits; with saturate the nearest
/// value.
/// * Float to integer: rounded, then clamped to the range in any case. NaN
///   becomes 0; but from F64, or to 64 bits, the integer with only the highest
///   bit set.
/// * To float: rounded once; too large as IEEE 754 has it, unless satfinite.
uint64_t convert(uint64_t value, ScalarType to, ScalarType from,
                 ConvertMode mode = {});

/// One element of a conversion to E4M3x2 or E5M2x2 (`to`) from F32, F16 or
/// BF16: to nearest; too large, or infinite, becomes the largest finite value.
uint8_t convertToFloat8(uint32_t value, ScalarType to, ScalarType from,
                        bool relu = false);
/// One element of E4M3x2 or E5M2x2 as f16.
uint16_t convertFromFloat8(uint8_t value, ScalarType from, bool relu = false);

/// cvt.pack.sat.T.s32{.b32}: a and b clamped to an integer of `bits` (2, 4, 8
/// or 16), a above b; the low bits of c above both. Without c (16 bits) pass 0.
uint32_t convertPack(int bits, bool isSigned, uint32_t a, uint32_t b,
                     uint32_t c);

} // namespace qcc::emu::arith

#endif // QCC_EMULATOR_ARITH_CONVERT_H
