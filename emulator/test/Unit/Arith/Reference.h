//===- Reference.h - Arithmetic by MPFR -------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The independent source that arithmetic is compared with: MPFR computes with
// the precision and exponent range of a format and rounds once. Decoding and
// encoding go through double, which holds every format exactly.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_EMULATOR_ARITH_REFERENCE_H
#define QCC_TEST_UNIT_EMULATOR_ARITH_REFERENCE_H

#include "qcc/Emulator/Arith/FloatFormat.h"

#include <cstdint>
#include <functional>
#include <mpfr.h>
#include <random>
#include <string>

namespace qcc::emu::test {

using arith::Rounding;

/// An MPFR number of enough precision for any operand.
class Number {
public:
  explicit Number(int precision = 64) { mpfr_init2(value_, precision); }
  explicit Number(double value) : Number(64) {
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  ~Number() { mpfr_clear(value_); }
  Number(const Number &) = delete;
  Number &operator=(const Number &) = delete;
  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }

private:
  mpfr_t value_;
};

/// What bits of F16, BF16, TF32, F32, F64, or of an element of E4M3x2 or E5M2x2
/// stand for.
double decode(ScalarType type, uint64_t bits);
/// The inverse, of values that the type has. Any NaN: the least positive one.
uint64_t encode(ScalarType type, double value);

bool isNaN(ScalarType type, uint64_t bits);
/// Equal bits, or both NaN.
bool same(ScalarType type, uint64_t x, uint64_t y);

mpfr_rnd_t mpfrRounding(Rounding rounding);

/// The result of `operation`, an MPFR function that returns its ternary value,
/// rounded once to the type. Not for NearestAway.
uint64_t rounded(ScalarType type, Rounding rounding,
                 const std::function<int(mpfr_ptr, mpfr_rnd_t)> &operation);

/// Whether that result is subnormal, were it rounded with more exponents.
bool isTiny(ScalarType type, Rounding rounding,
            const std::function<int(mpfr_ptr, mpfr_rnd_t)> &operation);

/// Operands of any width: special values, neighbours of powers of two, few or
/// many bits, and everything else.
class Operands {
public:
  explicit Operands(uint64_t seed) : random_(seed) {}
  uint64_t bits() { return random_(); }
  uint64_t ofFloat(ScalarType type);
  uint64_t ofInteger(int bits);
  uint64_t of(ScalarType type);

private:
  std::mt19937_64 random_;
};

/// For messages.
std::string hex(uint64_t bits);

constexpr Rounding roundings[] = {Rounding::Nearest, Rounding::Zero,
                                  Rounding::Down, Rounding::Up};

} // namespace qcc::emu::test

#endif // QCC_TEST_UNIT_EMULATOR_ARITH_REFERENCE_H
