//===- Float.cpp - Float arithmetic with integers -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of all formats and modes on unpacked values.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Arith/Float.h"

#include "Unpacked.h"

namespace qcc::emu::arith {

namespace {

template <ScalarType T> struct Soft {
  using F = FloatFormat<T>;
  using B = Bits<T>;
  static constexpr FormatInfo format{F::exponentBits, F::fractionBits};

  static Unpacked read(B bits, FloatMode mode) {
    return unpack(format, mode.ftz ? flush<T>(bits) : bits);
  }

  /// The result of an operation with a NaN operand.
  static B nan(FloatMode mode, std::initializer_list<B> operands) {
    if (mode.saturate)
      return 0;
    if constexpr (T == ScalarType::F64)
      for (B operand : operands)
        if (isNaN<T>(operand))
          return operand | uint64_t(1) << 51;
    return F::nan;
  }

  /// Whether the value is subnormal when it is rounded with more exponents.
  static bool isTiny(const Unpacked &value, FloatMode mode) {
    constexpr FormatInfo wide{F::exponentBits + 1, F::fractionBits};
    uint64_t magnitude =
        pack(wide, value, mode.rounding) & (wide.signBit() - 1);
    int leastExponent = wide.bias() - format.bias() + 1;
    return magnitude < uint64_t(leastExponent) << F::fractionBits;
  }

  static B write(const Unpacked &value, FloatMode mode) {
    if (value.kind == Unpacked::NaN)
      return mode.saturate ? B(0) : F::nan;
    if (mode.ftz && isTiny(value, mode))
      return detail::modify<T>(value.negative ? F::signBit : B(0), mode);
    return detail::modify<T>(B(pack(format, value, mode.rounding)), mode);
  }
};

} // namespace

template <ScalarType T>
Bits<T> soft::add(Bits<T> a, Bits<T> b, FloatMode mode) {
  using S = Soft<T>;
  if (isNaN<T>(a) || isNaN<T>(b))
    return S::nan(mode, {a, b});
  return S::write(addExact(S::read(a, mode), S::read(b, mode), mode.rounding),
                  mode);
}

template <ScalarType T>
Bits<T> soft::mul(Bits<T> a, Bits<T> b, FloatMode mode) {
  using S = Soft<T>;
  if (isNaN<T>(a) || isNaN<T>(b))
    return S::nan(mode, {a, b});
  return S::write(mulExact(S::read(a, mode), S::read(b, mode)), mode);
}

template <ScalarType T>
Bits<T> soft::fma(Bits<T> a, Bits<T> b, Bits<T> c, FloatMode mode) {
  using S = Soft<T>;
  if (isNaN<T>(a) || isNaN<T>(b) || isNaN<T>(c))
    return S::nan(mode, {a, b, c});
  Unpacked product = mulExact(S::read(a, mode), S::read(b, mode));
  if (product.kind == Unpacked::NaN)
    return S::write(product, mode);
  return S::write(addExact(product, S::read(c, mode), mode.rounding), mode);
}

template <ScalarType T>
Bits<T> soft::div(Bits<T> a, Bits<T> b, FloatMode mode) {
  using S = Soft<T>;
  if (isNaN<T>(a) || isNaN<T>(b))
    return S::nan(mode, {a, b});
  return S::write(divSticky(S::read(a, mode), S::read(b, mode)), mode);
}

template <ScalarType T> Bits<T> soft::sqrt(Bits<T> a, FloatMode mode) {
  using S = Soft<T>;
  if (isNaN<T>(a))
    return S::nan(mode, {a});
  return S::write(sqrtSticky(S::read(a, mode)), mode);
}

#define QCC_INSTANTIATE(T)                                                     \
  template Bits<T> soft::add<T>(Bits<T>, Bits<T>, FloatMode);                  \
  template Bits<T> soft::mul<T>(Bits<T>, Bits<T>, FloatMode);                  \
  template Bits<T> soft::fma<T>(Bits<T>, Bits<T>, Bits<T>, FloatMode);         \
  template Bits<T> soft::div<T>(Bits<T>, Bits<T>, FloatMode);                  \
  template Bits<T> soft::sqrt<T>(Bits<T>, FloatMode);
QCC_INSTANTIATE(ScalarType::F16)
QCC_INSTANTIATE(ScalarType::BF16)
QCC_INSTANTIATE(ScalarType::F32)
QCC_INSTANTIATE(ScalarType::F64)
#undef QCC_INSTANTIATE

} // namespace qcc::emu::arith
