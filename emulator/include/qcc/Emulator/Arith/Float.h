//===- Float.h - Float arithmetic -------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Correctly rounded arithmetic of f16, bf16, f32 and f64 with every rounding
// and modifier, and what only touches signs. T is F16, BF16, F32 or F64; packed
// types (f16x2, bf16x2) are two calls. A NaN result is the format's `nan`; in
// F64 a NaN operand, the first if there are several, comes through, made quiet.
//
// With ftz a result counts as subnormal if it is one once it is rounded to the
// format's digits without a least exponent, as on an H200: what rounds up to
// the least normal number only among subnormal ones is 0.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_ARITH_FLOAT_H
#define QCC_EMULATOR_ARITH_FLOAT_H

#include "qcc/Emulator/Arith/FloatFormat.h"

#include <cmath>
#include <initializer_list>

namespace qcc::emu::arith {

/// With integers alone, for all formats and modes.
namespace soft {
template <ScalarType T> Bits<T> add(Bits<T> a, Bits<T> b, FloatMode mode);
template <ScalarType T> Bits<T> mul(Bits<T> a, Bits<T> b, FloatMode mode);
template <ScalarType T>
Bits<T> fma(Bits<T> a, Bits<T> b, Bits<T> c, FloatMode mode);
template <ScalarType T> Bits<T> div(Bits<T> a, Bits<T> b, FloatMode mode);
template <ScalarType T> Bits<T> sqrt(Bits<T> a, FloatMode mode);
} // namespace soft

namespace detail {

/// Whether the host's float computes this, but for the modifiers.
template <ScalarType T> constexpr bool onHost(FloatMode mode) {
  return (T == ScalarType::F32 || T == ScalarType::F64) &&
         mode.rounding == Rounding::Nearest;
}

/// What the modifiers make of a result that is not NaN.
template <ScalarType T> constexpr Bits<T> modify(Bits<T> a, FloatMode mode) {
  using F = FloatFormat<T>;
  if (mode.ftz)
    a = flush<T>(a);
  if ((mode.saturate || mode.relu) && (a & F::signBit))
    a = 0;
  if (mode.saturate && a > F::one)
    a = F::one;
  return a;
}

/// Whether rounding among subnormal numbers may have made a host's result
/// normal, which ftz makes 0.
template <ScalarType T> constexpr bool isDoubtful(Bits<T> a, FloatMode mode) {
  using F = FloatFormat<T>;
  return mode.ftz && (a & ~F::signBit) == Bits<T>(1) << F::fractionBits;
}

/// Calls `op` on host floats unless an operand is NaN.
template <ScalarType T, typename Op, typename... Operands>
Bits<T> host(FloatMode mode, Op op, Operands... operands) {
  using F = FloatFormat<T>;
  Bits<T> result;
  if constexpr (T == ScalarType::F32) {
    result = floatBits(
        op(floatFromBits(mode.ftz ? flush<T>(operands) : operands)...));
  } else {
    result = fromDouble(op(toDouble(operands)...));
    for (Bits<T> operand : {operands...})
      if (isNaN<T>(operand))
        return mode.saturate ? 0 : operand | uint64_t(1) << 51;
  }
  if (isNaN<T>(result))
    return mode.saturate ? 0 : F::nan;
  return modify<T>(result, mode);
}

} // namespace detail

template <ScalarType T> Bits<T> add(Bits<T> a, Bits<T> b, FloatMode mode = {}) {
  if constexpr (T == ScalarType::F32 || T == ScalarType::F64)
    if (detail::onHost<T>(mode)) {
      Bits<T> result =
          detail::host<T>(mode, [](auto x, auto y) { return x + y; }, a, b);
      if (!detail::isDoubtful<T>(result, mode))
        return result;
    }
  return soft::add<T>(a, b, mode);
}

template <ScalarType T> Bits<T> sub(Bits<T> a, Bits<T> b, FloatMode mode = {}) {
  // A NaN keeps its payload, sign included.
  if (isNaN<T>(b))
    return add<T>(a, b, mode);
  return add<T>(a, b ^ FloatFormat<T>::signBit, mode);
}

template <ScalarType T> Bits<T> mul(Bits<T> a, Bits<T> b, FloatMode mode = {}) {
  if constexpr (T == ScalarType::F32 || T == ScalarType::F64)
    if (detail::onHost<T>(mode)) {
      Bits<T> result =
          detail::host<T>(mode, [](auto x, auto y) { return x * y; }, a, b);
      if (!detail::isDoubtful<T>(result, mode))
        return result;
    }
  return soft::mul<T>(a, b, mode);
}

/// a * b + c, rounded once.
template <ScalarType T>
Bits<T> fma(Bits<T> a, Bits<T> b, Bits<T> c, FloatMode mode = {}) {
  if constexpr (T == ScalarType::F32 || T == ScalarType::F64)
    if (detail::onHost<T>(mode)) {
      Bits<T> result = detail::host<T>(
          mode, [](auto x, auto y, auto z) { return std::fma(x, y, z); }, a, b,
          c);
      if (!detail::isDoubtful<T>(result, mode))
        return result;
    }
  return soft::fma<T>(a, b, c, mode);
}

template <ScalarType T> Bits<T> div(Bits<T> a, Bits<T> b, FloatMode mode = {}) {
  if constexpr (T == ScalarType::F32 || T == ScalarType::F64)
    if (detail::onHost<T>(mode)) {
      Bits<T> result =
          detail::host<T>(mode, [](auto x, auto y) { return x / y; }, a, b);
      if (!detail::isDoubtful<T>(result, mode))
        return result;
    }
  return soft::div<T>(a, b, mode);
}

template <ScalarType T> Bits<T> rcp(Bits<T> a, FloatMode mode = {}) {
  return div<T>(FloatFormat<T>::one, a, mode);
}

template <ScalarType T> Bits<T> sqrt(Bits<T> a, FloatMode mode = {}) {
  if constexpr (T == ScalarType::F32 || T == ScalarType::F64)
    if (detail::onHost<T>(mode)) {
      Bits<T> result =
          detail::host<T>(mode, [](auto x) { return std::sqrt(x); }, a);
      if (!detail::isDoubtful<T>(result, mode))
        return result;
    }
  return soft::sqrt<T>(a, mode);
}

/// A NaN becomes the format's; that of an F64 stays as it is, sign included.
template <ScalarType T> Bits<T> abs(Bits<T> a, bool ftz = false) {
  using F = FloatFormat<T>;
  if (isNaN<T>(a))
    return T == ScalarType::F64 ? a : F::nan;
  a &= ~F::signBit;
  return ftz ? flush<T>(a) : a;
}
template <ScalarType T> Bits<T> neg(Bits<T> a, bool ftz = false) {
  using F = FloatFormat<T>;
  if (isNaN<T>(a))
    return T == ScalarType::F64 ? a : F::nan;
  a ^= F::signBit;
  return ftz ? flush<T>(a) : a;
}

/// The magnitude of b with the sign of a: the operands of copysign in order.
template <ScalarType T> Bits<T> copysign(Bits<T> a, Bits<T> b) {
  using F = FloatFormat<T>;
  return (b & ~F::signBit) | (a & F::signBit);
}

} // namespace qcc::emu::arith

#endif // QCC_EMULATOR_ARITH_FLOAT_H
