//===- Compare.h - Comparisons, minimum, maximum ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// setp and set, testp, min and max. T of floats is F16, BF16, F32 or F64.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_ARITH_COMPARE_H
#define QCC_EMULATOR_ARITH_COMPARE_H

#include "qcc/Emulator/Arith/FloatFormat.h"

namespace qcc::emu::arith {

enum class CompareOp : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  // Of unsigned integers: as the four above.
  Lo,
  Ls,
  Hi,
  Hs,
  // Of floats: true if an operand is NaN, else as without the u.
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num, ///< Neither operand is NaN.
  Nan  ///< An operand is NaN.
};

/// Of integers: T is the C++ type, whose sign decides.
template <typename T> constexpr bool compare(CompareOp op, T a, T b) {
  switch (op) {
  case CompareOp::Eq:
    return a == b;
  case CompareOp::Ne:
    return a != b;
  case CompareOp::Lt:
  case CompareOp::Lo:
    return a < b;
  case CompareOp::Le:
  case CompareOp::Ls:
    return a <= b;
  case CompareOp::Gt:
  case CompareOp::Hi:
    return a > b;
  case CompareOp::Ge:
  case CompareOp::Hs:
    return a >= b;
  default:
    return false;
  }
}

namespace detail {
/// Orders floats that are not NaN as integers, -0 just below +0.
template <ScalarType T> constexpr int64_t orderKey(Bits<T> a) {
  using F = FloatFormat<T>;
  return a & F::signBit ? -int64_t(a & ~F::signBit) - 1 : int64_t(a);
}
} // namespace detail

/// Of floats. The ordered forms, Ne included, are false if an operand is NaN.
template <ScalarType T>
constexpr bool compareFloat(CompareOp op, Bits<T> a, Bits<T> b,
                            bool ftz = false) {
  using F = FloatFormat<T>;
  bool unordered = isNaN<T>(a) || isNaN<T>(b);
  if (op == CompareOp::Num || op == CompareOp::Nan)
    return unordered == (op == CompareOp::Nan);
  if (unordered)
    return op >= CompareOp::Equ;
  if (op >= CompareOp::Equ)
    op = CompareOp(int(op) - int(CompareOp::Equ) + int(CompareOp::Eq));
  if (ftz) {
    a = flush<T>(a);
    b = flush<T>(b);
  }
  // Zeros are equal.
  if (a == F::signBit)
    a = 0;
  if (b == F::signBit)
    b = 0;
  return compare<int64_t>(op, detail::orderKey<T>(a), detail::orderKey<T>(b));
}

struct MinMaxMode {
  bool ftz = false;
  bool nan = false;        ///< .NaN: NaN if an operand is.
  bool xorsignAbs = false; ///< Of magnitudes; the sign is the xor of the signs.
};

/// -0 is less than +0. If one operand is NaN, the other is the result; if both
/// are, NaN.
template <ScalarType T>
constexpr Bits<T> minMax(bool wantMax, Bits<T> a, Bits<T> b, MinMaxMode mode) {
  using F = FloatFormat<T>;
  if (mode.ftz) {
    a = flush<T>(a);
    b = flush<T>(b);
  }
  Bits<T> sign = 0;
  if (mode.xorsignAbs) {
    sign = (a ^ b) & F::signBit;
    a &= ~F::signBit;
    b &= ~F::signBit;
  }
  Bits<T> result;
  if (isNaN<T>(a) || isNaN<T>(b)) {
    if (mode.nan || (isNaN<T>(a) && isNaN<T>(b)))
      return F::nan;
    result = isNaN<T>(a) ? b : a;
  } else {
    bool less = detail::orderKey<T>(a) < detail::orderKey<T>(b);
    result = less != wantMax ? a : b;
  }
  return result | sign;
}
template <ScalarType T>
constexpr Bits<T> min(Bits<T> a, Bits<T> b, MinMaxMode mode = {}) {
  return minMax<T>(false, a, b, mode);
}
template <ScalarType T>
constexpr Bits<T> max(Bits<T> a, Bits<T> b, MinMaxMode mode = {}) {
  return minMax<T>(true, a, b, mode);
}

enum class FloatClass : uint8_t {
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal, ///< +-0 included.
  Subnormal
};

template <ScalarType T> constexpr bool testp(FloatClass test, Bits<T> a) {
  using F = FloatFormat<T>;
  Bits<T> magnitude = a & ~F::signBit;
  switch (test) {
  case FloatClass::Finite:
    return magnitude < F::infinity;
  case FloatClass::Infinite:
    return magnitude == F::infinity;
  case FloatClass::Number:
    return !isNaN<T>(a);
  case FloatClass::NotANumber:
    return isNaN<T>(a);
  case FloatClass::Normal:
    return magnitude < F::infinity && !isSubnormal<T>(a);
  case FloatClass::Subnormal:
    return isSubnormal<T>(a);
  }
  return false;
}

} // namespace qcc::emu::arith

#endif // QCC_EMULATOR_ARITH_COMPARE_H
