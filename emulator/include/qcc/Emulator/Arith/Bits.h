//===- Bits.h - Bit manipulation and byte dot products ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// T is uint32_t or uint64_t, or the signed type where the sign matters.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_ARITH_BITS_H
#define QCC_EMULATOR_ARITH_BITS_H

#include "qcc/Emulator/Arith/Integer.h"

namespace qcc::emu::arith {

constexpr uint32_t popc(uint64_t a) { return __builtin_popcountll(a); }

/// Leading zeros; the width for 0.
template <typename T> constexpr uint32_t clz(T a) {
  constexpr uint32_t width = 8 * sizeof(T);
  return a == 0 ? width
                : uint32_t(__builtin_clzll(Unsigned<T>(a))) - (64 - width);
}

template <typename T> constexpr T brev(T a) {
  Unsigned<T> result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i)
    result |= (Unsigned<T>(a) >> i & 1) << (8 * sizeof(T) - 1 - i);
  return T(result);
}

/// The position of the highest bit that differs from the sign (of 0 for
/// unsigned types), all ones if all bits equal the sign; with shiftAmount how
/// far to shift left to bring it to the top.
template <typename T> constexpr uint32_t bfind(T a, bool shiftAmount) {
  constexpr uint32_t width = 8 * sizeof(T);
  Unsigned<T> bits = std::is_signed_v<T> && a < 0 ? ~Unsigned<T>(a) : a;
  if (bits == 0)
    return ~0u;
  uint32_t zeros = clz(bits);
  return shiftAmount ? zeros : width - 1 - zeros;
}

/// `length` bits of a from `start` on, each modulo 256, extended by the highest
/// one (by a's own, past its end) if T is signed.
template <typename T> constexpr T bfe(T a, uint32_t start, uint32_t length) {
  constexpr uint32_t width = 8 * sizeof(T);
  start &= 0xff;
  length &= 0xff;
  if (length == 0)
    return 0;
  Unsigned<T> field = shiftRight<T>(a, start);
  if (length >= width || (std::is_signed_v<T> && start + length > width))
    return T(field);
  Unsigned<T> mask = (Unsigned<T>(1) << length) - 1;
  field &= mask;
  if (std::is_signed_v<T> && (field >> (length - 1) & 1))
    field |= ~mask;
  return T(field);
}

/// b with `length` bits from `start` on replaced by the low bits of a; bits
/// past the end are dropped.
template <typename T>
constexpr T bfi(T a, T b, uint32_t start, uint32_t length) {
  constexpr uint32_t width = 8 * sizeof(T);
  start &= 0xff;
  length &= 0xff;
  Unsigned<T> mask =
      length >= width ? ~Unsigned<T>(0) : (Unsigned<T>(1) << length) - 1;
  mask = shiftLeft<Unsigned<T>>(mask, start);
  return T((shiftLeft<Unsigned<T>>(a, start) & mask) |
           (Unsigned<T>(b) & ~mask));
}

/// What lies beyond the width of a shift, position or length.
enum class ShiftMode : uint8_t { Clamp, Wrap };

/// The low `b` bits of a, extended by the highest of them if isSigned.
constexpr uint32_t szext(ShiftMode mode, bool isSigned, uint32_t a,
                         uint32_t b) {
  if (mode == ShiftMode::Clamp && b >= 32)
    return a;
  uint32_t length = b & 31;
  if (length == 0)
    return 0;
  uint32_t mask = (1u << length) - 1;
  bool sign = isSigned && (a >> (length - 1) & 1);
  return sign ? a | ~mask : a & mask;
}

/// `b` ones from bit `a` on.
constexpr uint32_t bmsk(ShiftMode mode, uint32_t a, uint32_t b) {
  if (mode == ShiftMode::Clamp) {
    a = a < 32 ? a : 32;
    b = b < 32 ? b : 32;
  } else {
    a &= 31;
    b &= 31;
  }
  uint64_t ones = ((uint64_t(1) << b) - 1) << a;
  return uint32_t(ones);
}

/// Funnel shifts of b:a by c, clamped to 32 or modulo 32: the upper word of the
/// left one, the lower word of the right one.
constexpr uint32_t shfLeft(ShiftMode mode, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t amount = mode == ShiftMode::Wrap ? c & 31 : c < 32 ? c : 32;
  return uint32_t(((uint64_t(b) << 32 | a) << amount) >> 32);
}
constexpr uint32_t shfRight(ShiftMode mode, uint32_t a, uint32_t b,
                            uint32_t c) {
  uint32_t amount = mode == ShiftMode::Wrap ? c & 31 : c < 32 ? c : 32;
  return uint32_t((uint64_t(b) << 32 | a) >> amount);
}

/// Any function of three bits: bit 4a + 2b + c of `table`.
constexpr uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint8_t table) {
  uint32_t result = 0;
  for (int i = 0; i < 8; ++i)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

enum class PermuteMode : uint8_t { Default, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };

/// prmt: four bytes chosen from b:a. In the default mode by the nibbles of c,
/// whose highest bit asks for the byte's sign instead; else by c's low two
/// bits.
constexpr uint32_t prmt(PermuteMode mode, uint32_t a, uint32_t b, uint32_t c) {
  constexpr uint16_t selectors[][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
      {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
      {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  if (mode != PermuteMode::Default)
    c = selectors[int(mode) - 1][c & 3];
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t selector = c >> (4 * i);
    uint32_t byte = bytes >> (8 * (selector & 7)) & 0xff;
    if (selector & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

namespace detail {
/// Element i of `bits` wide elements, by its sign or not.
constexpr int64_t element(uint32_t word, int i, int bits, bool isSigned) {
  uint32_t top = word << (32 - bits * (i + 1));
  return isSigned ? int64_t(int32_t(top) >> (32 - bits))
                  : int64_t(top >> (32 - bits));
}
} // namespace detail

/// c plus the products of the four bytes of a and b, modulo 2^32.
constexpr uint32_t dp4a(bool aSigned, bool bSigned, uint32_t a, uint32_t b,
                        uint32_t c) {
  int64_t sum = c;
  for (int i = 0; i < 4; ++i)
    sum +=
        detail::element(a, i, 8, aSigned) * detail::element(b, i, 8, bSigned);
  return uint32_t(sum);
}

/// c plus the products of the two halves of a and two bytes of b: the lower
/// two, or with `high` the upper.
constexpr uint32_t dp2a(bool aSigned, bool bSigned, bool high, uint32_t a,
                        uint32_t b, uint32_t c) {
  int64_t sum = c;
  for (int i = 0; i < 2; ++i)
    sum += detail::element(a, i, 16, aSigned) *
           detail::element(b, i + (high ? 2 : 0), 8, bSigned);
  return uint32_t(sum);
}

/// The position of the |offset|-th one from bit `base` on (which counts), up or
/// down by the sign of offset; 0: of base itself. All ones if there are fewer
/// ones.
constexpr uint32_t fns(uint32_t mask, uint32_t base, int32_t offset) {
  base &= 31;
  if (offset == 0)
    return mask >> base & 1 ? base : ~0u;
  int64_t left = offset > 0 ? int64_t(offset) : -int64_t(offset);
  for (int i = int(base); i >= 0 && i < 32; i += offset > 0 ? 1 : -1)
    if ((mask >> i & 1) && --left == 0)
      return uint32_t(i);
  return ~0u;
}

} // namespace qcc::emu::arith

#endif // QCC_EMULATOR_ARITH_BITS_H
