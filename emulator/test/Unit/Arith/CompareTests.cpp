//===- CompareTests.cpp - Comparisons, minimum, maximum -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against the host's comparisons of doubles, which hold every operand exactly.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Arith/Compare.h"

#include "Reference.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace qcc::emu;
using namespace qcc::emu::arith;
using test::hex;
using test::Operands;

namespace {

constexpr auto F16 = ScalarType::F16, BF16 = ScalarType::BF16,
               F32 = ScalarType::F32, F64 = ScalarType::F64;

bool expectedCompare(CompareOp op, double x, double y) {
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (op) {
  case CompareOp::Eq:
    return x == y;
  case CompareOp::Ne:
    return !unordered && x != y;
  case CompareOp::Lt:
    return x < y;
  case CompareOp::Le:
    return x <= y;
  case CompareOp::Gt:
    return x > y;
  case CompareOp::Ge:
    return x >= y;
  case CompareOp::Equ:
    return unordered || x == y;
  case CompareOp::Neu:
    return unordered || x != y;
  case CompareOp::Ltu:
    return unordered || x < y;
  case CompareOp::Leu:
    return unordered || x <= y;
  case CompareOp::Gtu:
    return unordered || x > y;
  case CompareOp::Geu:
    return unordered || x >= y;
  case CompareOp::Num:
    return !unordered;
  case CompareOp::Nan:
    return unordered;
  default:
    return false;
  }
}

constexpr CompareOp floatOps[] = {
    CompareOp::Eq,  CompareOp::Ne,  CompareOp::Lt,  CompareOp::Le,
    CompareOp::Gt,  CompareOp::Ge,  CompareOp::Equ, CompareOp::Neu,
    CompareOp::Ltu, CompareOp::Leu, CompareOp::Gtu, CompareOp::Geu,
    CompareOp::Num, CompareOp::Nan};

template <ScalarType T> double valueOf(uint64_t bits, bool ftz) {
  double value = test::decode(T, bits);
  bool tiny = std::fabs(value) < test::decode(T, FloatFormat<T>::leastNormal);
  return ftz && tiny ? std::copysign(0.0, value) : value;
}

/// By the pseudocode of the ISA, with -0 < +0.
template <ScalarType T>
uint64_t expectedMinMax(bool wantMax, uint64_t a, uint64_t b, MinMaxMode mode) {
  double x = valueOf<T>(a, mode.ftz), y = valueOf<T>(b, mode.ftz);
  bool sign = std::signbit(x) != std::signbit(y);
  if (mode.xorsignAbs) {
    x = std::fabs(x);
    y = std::fabs(y);
  }
  if ((std::isnan(x) && std::isnan(y)) ||
      (mode.nan && (std::isnan(x) || std::isnan(y))))
    return FloatFormat<T>::nan;
  double result;
  if (std::isnan(x))
    result = y;
  else if (std::isnan(y))
    result = x;
  else if (x == 0 && y == 0)
    result = wantMax == std::signbit(x) ? y : x;
  else
    result = wantMax ? std::max(x, y) : std::min(x, y);
  if (mode.xorsignAbs)
    result = std::copysign(result, sign ? -1.0 : 1.0);
  return test::encode(T, result);
}

template <ScalarType T> void check() {
  Operands operands{uint64_t(T)};
  for (int i = 0; i < 50000; ++i) {
    uint64_t a = operands.ofFloat(T), b = operands.ofFloat(T);
    if (i % 8 == 0)
      b = a;
    if (i % 8 == 1)
      b = a ^ FloatFormat<T>::signBit;
    for (bool ftz : {false, true})
      for (CompareOp op : floatOps)
        ASSERT_EQ(compareFloat<T>(op, a, b, ftz),
                  expectedCompare(op, valueOf<T>(a, ftz), valueOf<T>(b, ftz)))
            << typeName(T) << " op " << int(op) << " of " << hex(a) << ", "
            << hex(b) << (ftz ? ", ftz" : "");
    for (int bits = 0; bits < 8; ++bits) {
      MinMaxMode mode;
      mode.ftz = bits & 1;
      mode.nan = bits & 2;
      mode.xorsignAbs = bits & 4;
      ASSERT_EQ(arith::min<T>(a, b, mode), expectedMinMax<T>(false, a, b, mode))
          << typeName(T) << " min of " << hex(a) << ", " << hex(b) << " mode "
          << bits;
      ASSERT_EQ(arith::max<T>(a, b, mode), expectedMinMax<T>(true, a, b, mode))
          << typeName(T) << " max of " << hex(a) << ", " << hex(b) << " mode "
          << bits;
    }
    double value = test::decode(T, a);
    bool tiny =
        value != 0 &&
        std::fabs(value) < valueOf<T>(FloatFormat<T>::leastNormal, false);
    ASSERT_EQ(testp<T>(FloatClass::Finite, a), std::isfinite(value));
    ASSERT_EQ(testp<T>(FloatClass::Infinite, a), std::isinf(value));
    ASSERT_EQ(testp<T>(FloatClass::Number, a), !std::isnan(value));
    ASSERT_EQ(testp<T>(FloatClass::NotANumber, a), std::isnan(value));
    ASSERT_EQ(testp<T>(FloatClass::Normal, a), std::isfinite(value) && !tiny);
    ASSERT_EQ(testp<T>(FloatClass::Subnormal, a), tiny);
  }
}

} // namespace

TEST(Compare, F16) { check<F16>(); }
TEST(Compare, BF16) { check<BF16>(); }
TEST(Compare, F32) { check<F32>(); }
TEST(Compare, F64) { check<F64>(); }

TEST(Compare, IntegersBySign) {
  EXPECT_TRUE(compare<int32_t>(CompareOp::Lt, -1, 0));
  EXPECT_FALSE(compare<uint32_t>(CompareOp::Lt, -1, 0));
  EXPECT_TRUE(compare<uint32_t>(CompareOp::Hi, -1, 0));
  EXPECT_FALSE(compare<uint32_t>(CompareOp::Lo, -1, 0));
  Operands operands(9);
  for (int i = 0; i < 10000; ++i) {
    int64_t a = operands.ofInteger(64), b = operands.ofInteger(64);
    if (i % 4 == 0)
      b = a;
    uint64_t x = a, y = b;
    EXPECT_EQ(compare(CompareOp::Eq, a, b), a == b);
    EXPECT_EQ(compare(CompareOp::Ne, a, b), a != b);
    EXPECT_EQ(compare(CompareOp::Le, a, b), a <= b);
    EXPECT_EQ(compare(CompareOp::Gt, a, b), a > b);
    EXPECT_EQ(compare(CompareOp::Ge, a, b), a >= b);
    EXPECT_EQ(compare(CompareOp::Ls, x, y), x <= y);
    EXPECT_EQ(compare(CompareOp::Hs, x, y), x >= y);
  }
}
