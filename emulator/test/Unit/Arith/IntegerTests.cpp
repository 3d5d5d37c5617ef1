//===- IntegerTests.cpp - Integer arithmetic ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against 128-bit integers, over all pairs of small or special operands and
// random ones.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Arith/Integer.h"

#include "Reference.h"

#include <gtest/gtest.h>

using namespace qcc::emu;
using namespace qcc::emu::arith;
using test::Operands;

namespace {

using Wide = __int128;

template <typename T> constexpr int width = 8 * sizeof(T);

template <typename T> void checkPairs() {
  Operands operands(sizeof(T) + std::is_signed_v<T>);
  const Wide least = std::numeric_limits<T>::min();
  const Wide greatest = std::numeric_limits<T>::max();
  auto wraps = [](T got, Wide exact) { return got == T(exact); };
  for (int i = 0; i < 100000; ++i) {
    T a = T(operands.ofInteger(width<T>)), b = T(operands.ofInteger(width<T>)),
      c = T(operands.ofInteger(width<T>));
    if (i % 16 == 0)
      b = T(i / 16 % 3 - 1);
    if (i % 32 == 0)
      a = T(least);
    Wide x = a, y = b;
    ASSERT_TRUE(wraps(wrapAdd(a, b), x + y));
    ASSERT_TRUE(wraps(wrapSub(a, b), x - y));
    // A product of two u64 fits no __int128, but its low bits do not care.
    unsigned __int128 product =
        static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y);
    ASSERT_EQ(mulLo(a, b), T(product));
    ASSERT_EQ(mulHi(a, b), T(product >> width<T>));
    Wide distance = x > y ? x - y : y - x;
    ASSERT_TRUE(wraps(sad(a, b, c), distance + c));
    ASSERT_TRUE(wraps(absolute(a), x < 0 ? -x : x));
    ASSERT_EQ(relu(a), x < 0 ? T(0) : a);
    if (y != 0) {
      ASSERT_TRUE(wraps(divide(a, b), x / y));
      ASSERT_TRUE(wraps(arith::remainder(a, b), x % y));
    } else {
      ASSERT_EQ(divide(a, b), T(-1));
      ASSERT_EQ(arith::remainder(a, b), T(-1));
    }
    for (bool in : {false, true}) {
      Unsigned<T> ua = a, ub = b;
      Wide sum = Wide(ua) + ub + in, difference = Wide(ua) - ub - in;
      WithCarry<T> added = addCarry(a, b, in), taken = subBorrow(a, b, in);
      ASSERT_TRUE(wraps(added.value, sum));
      ASSERT_EQ(added.carry, sum >> width<T> != 0);
      ASSERT_TRUE(wraps(taken.value, difference));
      ASSERT_EQ(taken.carry, difference < 0);
    }
    // Every amount, and some that do not fit.
    for (uint32_t amount :
         {0u, 1u, 7u, uint32_t(width<T> - 1), uint32_t(width<T>),
          uint32_t(width<T> + 1), 0x100u, 0x80000000u, 0xffffffffu}) {
      uint32_t clamped = amount < 64 ? amount : 64;
      ASSERT_TRUE(wraps(shiftLeft(a, amount), static_cast<unsigned __int128>(x)
                                                  << clamped));
      ASSERT_TRUE(wraps(shiftRight(a, amount), x >> clamped));
    }
    ASSERT_LE(least, Wide(a));
    ASSERT_GE(greatest, Wide(a));
  }
}

} // namespace

TEST(Integer, S16) { checkPairs<int16_t>(); }
TEST(Integer, U16) { checkPairs<uint16_t>(); }
TEST(Integer, S32) { checkPairs<int32_t>(); }
TEST(Integer, U32) { checkPairs<uint32_t>(); }
TEST(Integer, S64) { checkPairs<int64_t>(); }
TEST(Integer, U64) { checkPairs<uint64_t>(); }

TEST(Integer, WideProducts) {
  Operands operands(20);
  for (int i = 0; i < 100000; ++i) {
    uint64_t a = operands.ofInteger(32), b = operands.ofInteger(32);
    ASSERT_EQ(mulWide(int32_t(a), int32_t(b)),
              int64_t(int32_t(a)) * int32_t(b));
    ASSERT_EQ(mulWide(uint32_t(a), uint32_t(b)), a * b);
    ASSERT_EQ(mulWide(int16_t(a), int16_t(b)), int16_t(a) * int16_t(b));
    ASSERT_EQ(mulWide(uint16_t(a), uint16_t(b)),
              uint32_t(uint16_t(a)) * uint16_t(b));
  }
  static_assert(
      std::is_same_v<decltype(mulWide(int16_t(), int16_t())), int32_t>);
  static_assert(
      std::is_same_v<decltype(mulWide(uint32_t(), uint32_t())), uint64_t>);
}

TEST(Integer, Products24) {
  Operands operands(21);
  auto signed24 = [](uint32_t x) {
    int64_t low = x & 0xffffff;
    return low >= 0x800000 ? low - 0x1000000 : low;
  };
  for (int i = 0; i < 100000; ++i) {
    uint32_t a = operands.ofInteger(32), b = operands.ofInteger(32);
    uint64_t product = uint64_t(a & 0xffffff) * (b & 0xffffff);
    ASSERT_EQ(mul24Lo<uint32_t>(a, b), uint32_t(product));
    ASSERT_EQ(mul24Hi<uint32_t>(a, b), uint32_t(product >> 16));
    int64_t signedProduct = signed24(a) * signed24(b);
    ASSERT_EQ(mul24Lo<int32_t>(a, b), int32_t(signedProduct));
    ASSERT_EQ(mul24Hi<int32_t>(a, b), int32_t(signedProduct >> 16));
  }
}

TEST(Integer, Saturates) {
  EXPECT_EQ(addSat(INT32_MAX, 1), INT32_MAX);
  EXPECT_EQ(addSat(INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(addSat(INT32_MIN, INT32_MAX), -1);
  EXPECT_EQ(subSat(INT32_MIN, 1), INT32_MIN);
  EXPECT_EQ(subSat(0, INT32_MIN), INT32_MAX);
  EXPECT_EQ(subSat(5, 7), -2);
}

TEST(Integer, Halves) {
  auto lesser = [](auto a, auto b) { return a < b ? a : b; };
  EXPECT_EQ(onHalves<int16_t>(0x80000001, 0x0001ffff, lesser), 0x8000ffffu);
  EXPECT_EQ(onHalves<uint16_t>(0x80000001, 0x0001ffff, lesser), 0x00010001u);
  auto sum = [](auto a, auto b) { return wrapAdd(a, b); };
  EXPECT_EQ(onHalves<uint16_t>(0xffff8000, 0x00018000, sum), 0u);
}
