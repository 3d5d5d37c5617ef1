//===- ValuesTests.cpp - Between stored and real values -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Execution.h"
#include "common/Values.h"
#include "qcc/Support/Half.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace qcc;
using namespace qcc::tools;

namespace {
const rt::DType f32{QCC_FLOAT, 32}, f64{QCC_FLOAT, 64}, f16{QCC_FLOAT, 16},
    bf16{QCC_BFLOAT, 16}, i8{QCC_INT, 8}, u8{QCC_UINT, 8}, i32{QCC_INT, 32};

struct Parameters {
  Parameters(std::vector<float> scales, std::vector<int32_t> zeroPoints,
             int axis = -1)
      : scales(std::move(scales)), zeroPoints(std::move(zeroPoints)) {
    quantization.emplace();
    quantization->perChannel = axis >= 0;
    quantization->axis = std::max(axis, 0);
    quantization->count = int64_t(this->scales.size());
    quantization->scales = this->scales.data();
    quantization->zeroPoints = this->zeroPoints.data();
  }
  std::vector<float> scales;
  std::vector<int32_t> zeroPoints;
  std::optional<rt::Quantization> quantization;
};

template <typename T>
HostTensor tensorOf(rt::DType dtype, std::vector<int64_t> shape,
                    std::vector<T> values) {
  rt::Result<HostTensor> tensor = HostTensor::create(dtype, std::move(shape));
  std::copy(values.begin(), values.end(), tensor->as<T>());
  return *std::move(tensor);
}

template <typename T> std::vector<T> elements(const HostTensor &tensor) {
  return {tensor.as<T>(), tensor.as<T>() + tensor.numElements()};
}

template <typename T>
std::vector<T> store(std::vector<float> values, rt::DType dtype,
                     const std::optional<rt::Quantization> &quantization,
                     std::vector<int64_t> shape = {}) {
  if (shape.empty())
    shape = {int64_t(values.size())};
  rt::Result<HostTensor> stored =
      storedValues(tensorOf(f32, shape, values), dtype, quantization);
  EXPECT_TRUE(stored.isOk()) << stored.message();
  EXPECT_EQ(stored->dtype(), dtype);
  return elements<T>(*stored);
}
} // namespace

TEST(Values, AreScaledDistancesFromTheZeroPoint) {
  Parameters p({0.5f}, {3});
  HostTensor q = tensorOf<int8_t>(i8, {3}, {3, -128, 127});
  rt::Result<HostTensor> real = realValues(viewOf(q), p.quantization);
  ASSERT_TRUE(real.isOk()) << real.message();
  EXPECT_EQ(real->dtype(), f32);
  EXPECT_EQ(elements<float>(*real), (std::vector<float>{0, -65.5f, 62}));
  HostTensor u = tensorOf<uint8_t>(u8, {1}, {255});
  EXPECT_EQ(elements<float>(*realValues(viewOf(u), p.quantization)),
            (std::vector<float>{126}));
}

TEST(Values, HaveParametersOfTheirChannel) {
  Parameters p({1, 0.5f, 2}, {0, 1, 2}, 1);
  HostTensor q =
      tensorOf<int8_t>(i8, {2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  rt::Result<HostTensor> real = realValues(viewOf(q), p.quantization);
  ASSERT_TRUE(real.isOk()) << real.message();
  const std::vector<float> expected = {1, 2, 1, 1.5f, 6,  8,
                                       7, 8, 4, 4.5f, 18, 20};
  EXPECT_EQ(elements<float>(*real), expected);
  EXPECT_EQ(store<int8_t>(expected, i8, p.quantization, {2, 3, 2}),
            elements<int8_t>(q));
}

TEST(Values, WithoutQuantizationAreCopied) {
  HostTensor x = tensorOf<int32_t>(i32, {2}, {1, -7});
  rt::Result<HostTensor> copy = realValues(viewOf(x), std::nullopt);
  EXPECT_EQ(copy->dtype(), i32);
  EXPECT_EQ(elements<int32_t>(*copy), (std::vector<int32_t>{1, -7}));
}

TEST(Values, AreQuantizedByTheRule) {
  Parameters p({0.5f}, {3});
  // Half to even before the zero point is added, saturation after.
  EXPECT_EQ(store<int8_t>({0, 0.25f, 0.75f, -0.25f, 1000, -1000, HUGE_VALF,
                           -HUGE_VALF, std::nanf(""), 3e38f},
                          i8, p.quantization),
            (std::vector<int8_t>{3, 3, 5, 3, 127, -128, 127, -128, 3, 127}));
  EXPECT_EQ(store<uint8_t>({-5, 0, 1000}, u8, p.quantization),
            (std::vector<uint8_t>{0, 3, 255}));
  // Divided, not multiplied by a reciprocal: 0.35 / 0.1f is below 3.5.
  Parameters tenth({0.1f}, {0});
  EXPECT_EQ(store<int8_t>({0.35f}, i8, tenth.quantization),
            (std::vector<int8_t>{int8_t(std::nearbyint(0.35f / 0.1f))}));
  EXPECT_EQ(store<int32_t>({1e9f, -1e30f}, i32, p.quantization),
            (std::vector<int32_t>{2000000003, INT32_MIN}));
}

TEST(Values, AreRoundedToFloats) {
  EXPECT_EQ(store<float>({0.1f}, f32, std::nullopt),
            (std::vector<float>{0.1f}));
  EXPECT_EQ(store<double>({0.1f}, f64, std::nullopt),
            (std::vector<double>{double(0.1f)}));
  EXPECT_EQ(store<uint16_t>({0.1f}, f16, std::nullopt),
            (std::vector<uint16_t>{floatToF16(0.1f)}));
  EXPECT_EQ(store<uint16_t>({0.1f}, bf16, std::nullopt),
            (std::vector<uint16_t>{floatToBF16(0.1f)}));
}

TEST(Values, NeedAMeaning) {
  HostTensor x = tensorOf<float>(f32, {2}, {1, 2});
  EXPECT_EQ(storedValues(x, i8, std::nullopt).message(),
            "nothing says how real values become elements of type i8: they "
            "have no quantization");
  Parameters p({1}, {0}), channels({1, 2, 3}, {0, 0, 0}, 0);
  EXPECT_EQ(realValues(viewOf(x), p.quantization).message(),
            "elements of type f32 cannot be quantized values");
  EXPECT_EQ(storedValues(x, i8, channels.quantization).message(),
            "2xi8 does not have 3 channels in dimension 0");
}

TEST(Values, KnowTheSameQuantization) {
  Parameters a({1, 2}, {0, 1}, 0), b({1, 2}, {0, 1}, 0), c({1, 2}, {0, 2}, 0),
      d({1, 2}, {0, 1}, 1);
  EXPECT_TRUE(isSameQuantization(a.quantization, b.quantization));
  EXPECT_FALSE(isSameQuantization(a.quantization, c.quantization));
  EXPECT_FALSE(isSameQuantization(a.quantization, d.quantization));
  EXPECT_FALSE(isSameQuantization(a.quantization, std::nullopt));
  EXPECT_TRUE(isSameQuantization(std::nullopt, std::nullopt));
}
