//===- CompareTests.cpp - How far two tensors are apart -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Compare.h"
#include "qcc/Support/Half.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace qcc;
using namespace qcc::tools;

namespace {
template <typename T> rt::Tensor view(std::vector<T> &values, rt::DType dtype) {
  return rt::Tensor(values.data(), dtype, {int64_t(values.size())});
}
const rt::DType f32{QCC_FLOAT, 32}, i8{QCC_INT, 8}, u8{QCC_UINT, 8},
    i32{QCC_INT, 32}, f16{QCC_FLOAT, 16}, bf16{QCC_BFLOAT, 16},
    i64{QCC_INT, 64}, u64{QCC_UINT, 64};
const float notANumber = std::nanf(""), infinity = HUGE_VALF;

Difference compareFloats(std::vector<float> a, std::vector<float> b,
                         double tolerance = 0) {
  return compare(view(a, f32), view(b, f32), tolerance);
}
} // namespace

TEST(Compare, EqualTensorsHaveNoNoise) {
  Difference d =
      compareFloats({1, notANumber, infinity}, {1, notANumber, infinity});
  EXPECT_EQ(d.elements, 3);
  EXPECT_EQ(d.differing, 0);
  EXPECT_EQ(d.first, -1);
  EXPECT_EQ(d.largest, 0);
  EXPECT_EQ(d.signalToNoise(), std::numeric_limits<double>::infinity());
}

TEST(Compare, MeasuresErrors) {
  Difference d = compareFloats({1, 2, 3, 6}, {1, 4, 3, 5});
  EXPECT_EQ(d.differing, 2);
  EXPECT_EQ(d.first, 1);
  EXPECT_EQ(d.largest, 2);
  EXPECT_EQ(d.mean, 0.75);
  EXPECT_DOUBLE_EQ(d.signalToNoise(), 10 * std::log10(51.0 / 5.0));
}

TEST(Compare, BitsCountWithoutATolerance) {
  EXPECT_EQ(compareFloats({-0.0f}, {0.0f}).differing, 1);
  EXPECT_EQ(compareFloats({-0.0f}, {0.0f}).largest, 0);
  std::vector<float> quiet = {floatFromBits(0x7fc00001)}, other = {-notANumber};
  EXPECT_EQ(compare(view(quiet, f32), view(other, f32)).differing, 0);
}

TEST(Compare, ToleranceIsOfTheLargestMagnitude) {
  // 1 % of 200.
  EXPECT_EQ(compareFloats({2, 200}, {0, -200}, 0.01).differing, 1);
  EXPECT_EQ(compareFloats({2, 200}, {0, 200}, 0.01).differing, 0);
  EXPECT_EQ(compareFloats({2.5, 200}, {0, 200}, 0.01).differing, 1);
  EXPECT_EQ(compareFloats({-0.0f}, {0.0f}, 0.01).differing, 0);
}

TEST(Compare, WhatIsNotFiniteHasToAgree) {
  for (auto [a, b] : {std::pair(notANumber, 1.f), std::pair(1.f, notANumber),
                      std::pair(infinity, 1.f), std::pair(1.f, infinity),
                      std::pair(infinity, -infinity)}) {
    Difference d = compareFloats({a, 2}, {b, 2}, 0.5);
    EXPECT_EQ(d.differing, 1) << a << " " << b;
    EXPECT_EQ(d.largest, HUGE_VAL);
    EXPECT_EQ(d.signalToNoise(), -HUGE_VAL);
  }
}

TEST(Compare, TakesAllTypes) {
  std::vector<int8_t> a = {-128, 3}, b = {-127, 3};
  Difference d = compare(view(a, i8), view(b, i8));
  EXPECT_EQ(d.differing, 1);
  EXPECT_EQ(d.largest, 1);
  EXPECT_EQ(elementText(view(a, i8), 0), "-128");
  std::vector<uint8_t> unsignedBytes = {200};
  EXPECT_EQ(elementText(view(unsignedBytes, u8), 0), "200");
  std::vector<uint16_t> half = {floatToF16(0.5f)}, brain = {floatToBF16(-2.f)};
  EXPECT_EQ(elementText(view(half, f16), 0), "0.5");
  EXPECT_EQ(elementText(view(brain, bf16), 0), "-2");
  std::vector<int64_t> large = {INT64_MAX}, smaller = {INT64_MAX - 1};
  EXPECT_EQ(compare(view(large, i64), view(smaller, i64)).differing, 1);
  EXPECT_EQ(compare(view(large, i64), view(smaller, i64)).largest, 1);
  std::vector<uint64_t> largest = {UINT64_MAX};
  EXPECT_EQ(elementText(view(largest, u64), 0), "18446744073709551615");
}

TEST(Compare, ValuesCountWhereTypesDiffer) {
  std::vector<float> a = {0.5f, 1};
  std::vector<uint16_t> b = {floatToF16(0.5f), floatToF16(2)};
  Difference d = compare(view(a, f32), view(b, f16));
  EXPECT_EQ(d.differing, 1);
  EXPECT_EQ(d.first, 1);
  EXPECT_EQ(d.largest, 1);
}

TEST(Compare, NothingIsEqualToNothing) {
  EXPECT_EQ(compareFloats({}, {}).differing, 0);
  EXPECT_EQ(compareFloats({}, {}).mean, 0);
}

TEST(Compare, SaysTheBitsOfFloats) {
  std::vector<float> a = {0, -0.f}, b = {0, 0};
  EXPECT_EQ(differenceText(view(a, f32), view(b, f32), 1),
            "[1]: -0 (0x80000000) instead of 0 (0x00000000)");
  std::vector<uint16_t> half = {floatToF16(1)}, other = {floatToF16(2)};
  EXPECT_EQ(differenceText(view(half, f16), view(other, f16), 0),
            "[0]: 1 (0x3c00) instead of 2 (0x4000)");
  std::vector<int32_t> c = {5}, d = {6};
  EXPECT_EQ(differenceText(view(c, i32), view(d, i32), 0),
            "[0]: 5 instead of 6");
}

TEST(Compare, SaysWhere) {
  EXPECT_EQ(indexText(0, rt::Shape{2, 3}), "[0, 0]");
  EXPECT_EQ(indexText(5, rt::Shape{2, 3}), "[1, 2]");
  EXPECT_EQ(indexText(0, rt::Shape{}), "[]");
}
