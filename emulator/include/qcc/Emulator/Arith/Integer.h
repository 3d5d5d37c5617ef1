//===- Integer.h - Integer arithmetic ---------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer instructions whose meaning goes beyond a C++ operator. T is the C++
// type of the PTX type: int16_t to uint64_t. Everything wraps unless it says
// otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_ARITH_INTEGER_H
#define QCC_EMULATOR_ARITH_INTEGER_H

#include <cstdint>
#include <limits>
#include <type_traits>

namespace qcc::emu::arith {

template <typename T> using Unsigned = std::make_unsigned_t<T>;

/// Add, subtract and multiply without the undefined overflow of signed types.
template <typename T> constexpr T wrapAdd(T a, T b) {
  return T(Unsigned<T>(Unsigned<T>(a) + Unsigned<T>(b)));
}
template <typename T> constexpr T wrapSub(T a, T b) {
  return T(Unsigned<T>(Unsigned<T>(a) - Unsigned<T>(b)));
}
template <typename T> constexpr T mulLo(T a, T b) {
  // In 64 bits: uint16_t would be promoted to int.
  return T(uint64_t(a) * uint64_t(b));
}

/// The upper half of the product.
template <typename T> constexpr T mulHi(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    using Wide =
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return T((Wide(a) * b) >> 64);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    return T((Wide(a) * b) >> (8 * sizeof(T)));
  }
}

/// The whole product, of 16 or 32 bits by as many.
template <typename T> constexpr auto mulWide(T a, T b) {
  static_assert(sizeof(T) <= 4);
  using Wide = std::conditional_t<
      sizeof(T) == 2,
      std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
      std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
  return Wide(mulLo<Wide>(Wide(a), Wide(b)));
}

/// Of the low 24 bits of 32: bits 0-31 of the 48-bit product, or bits 16-47.
template <typename T> constexpr T mul24Lo(T a, T b) {
  static_assert(sizeof(T) == 4);
  return T(uint64_t(int64_t(T(uint32_t(a) << 8) >> 8)) *
           uint64_t(int64_t(T(uint32_t(b) << 8) >> 8)));
}
template <typename T> constexpr T mul24Hi(T a, T b) {
  static_assert(sizeof(T) == 4);
  return T((uint64_t(int64_t(T(uint32_t(a) << 8) >> 8)) *
            uint64_t(int64_t(T(uint32_t(b) << 8) >> 8))) >>
           16);
}

/// .sat of 32-bit signed sums: x is exact.
constexpr int32_t clampToInt32(int64_t x) {
  return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : int32_t(x);
}
constexpr int32_t addSat(int32_t a, int32_t b) {
  return clampToInt32(int64_t(a) + b);
}
constexpr int32_t subSat(int32_t a, int32_t b) {
  return clampToInt32(int64_t(a) - b);
}

template <typename T> struct WithCarry {
  T value;
  bool carry;
};
/// add.cc and addc{.cc}: the carry out of a + b + carry.
template <typename T> constexpr WithCarry<T> addCarry(T a, T b, bool carry) {
  using U = Unsigned<T>;
  U partial = U(a) + U(b), sum = partial + U(carry);
  return {T(sum), partial < U(a) || sum < partial};
}
/// sub.cc and subc{.cc}: the borrow out of a - (b + borrow).
template <typename T> constexpr WithCarry<T> subBorrow(T a, T b, bool borrow) {
  using U = Unsigned<T>;
  return {T(U(a) - U(b) - U(borrow)), U(a) < U(b) || (borrow && U(a) == U(b))};
}

/// c + |a - b|
template <typename T> constexpr T sad(T a, T b, T c) {
  return wrapAdd<T>(c, a < b ? wrapSub<T>(b, a) : wrapSub<T>(a, b));
}

/// Division by zero, which PTX leaves open, gives all ones, as chips do; so
/// does the remainder. The least value by -1 wraps to itself, remainder 0.
template <typename T> constexpr T divide(T a, T b) {
  if (b == 0)
    return T(~T(0));
  if (std::is_signed_v<T> && b == T(-1))
    return wrapSub<T>(0, a);
  return T(a / b);
}
template <typename T> constexpr T remainder(T a, T b) {
  if (b == 0)
    return T(~T(0));
  if (std::is_signed_v<T> && b == T(-1))
    return 0;
  return T(a % b);
}

template <typename T> constexpr T absolute(T a) {
  return a < 0 ? wrapSub<T>(0, a) : a;
}

/// .relu of minimum and maximum.
template <typename T> constexpr T relu(T a) { return a < 0 ? T(0) : a; }

/// Shifts by any 32-bit amount: from the width on nothing is left but the sign
/// of a signed type that is shifted right.
template <typename T> constexpr T shiftLeft(T a, uint32_t amount) {
  return amount >= 8 * sizeof(T) ? T(0) : T(Unsigned<T>(a) << amount);
}
template <typename T> constexpr T shiftRight(T a, uint32_t amount) {
  constexpr uint32_t width = 8 * sizeof(T);
  if (amount >= width)
    return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
  return T(a >> amount);
}

/// `op` on the halves of 16x2 operands; T is int16_t or uint16_t.
template <typename T, typename Op>
constexpr uint32_t onHalves(uint32_t a, uint32_t b, Op op) {
  uint16_t low = uint16_t(op(T(a), T(b)));
  uint16_t high = uint16_t(op(T(a >> 16), T(b >> 16)));
  return uint32_t(high) << 16 | low;
}

} // namespace qcc::emu::arith

#endif // QCC_EMULATOR_ARITH_INTEGER_H
