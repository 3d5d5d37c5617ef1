//===- FloatTests.cpp - The fixed float functions -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits are those of docs/Numerics.md; here they are bounded by the error
// that it states, against double precision.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace qcc::reference;
using namespace qcc::reference::test;

static std::vector<float> evaluate(const std::string &op,
                                   const std::vector<float> &x) {
  std::string t = "tensor<?xf32>";
  return runOne<float>("func.func @main(%a: " + t + ") -> " + t +
                           " { %r = math." + op + " %a : " + t +
                           " return %r : " + t + " }",
                       {tensor<float>({int64_t(x.size())}, x)});
}

/// The distance from the exact value in units of the last place there.
static double ulps(float value, double exact) {
  float nearest = static_cast<float>(exact);
  double ulp = std::nextafter(std::fabs(nearest), infinity) -
               std::fabs(static_cast<double>(nearest));
  return std::fabs(value - exact) / ulp;
}

/// A dense sample of bit patterns, of finite numbers in (low, high).
static std::vector<float> sample(float low, float high) {
  std::vector<float> result;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 65521) {
    uint32_t pattern = static_cast<uint32_t>(bits);
    float x;
    std::memcpy(&x, &pattern, 4);
    if (x > low && x < high)
      result.push_back(x);
  }
  return result;
}

static void expectWithin(const std::string &op, double (*exact)(double),
                         double bound, float low, float high) {
  std::vector<float> x = sample(low, high);
  std::vector<float> y = evaluate(op, x);
  ASSERT_EQ(x.size(), y.size());
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_LE(ulps(y[i], exact(x[i])), bound) << op << "(" << x[i] << ")";
}

TEST(FloatLibrary, StaysWithinItsBounds) {
  expectWithin("exp", std::exp, 1.02, -103, 88.7f);
  expectWithin("tanh", std::tanh, 1.5, -infinity, infinity);
  expectWithin("erf", std::erf, 1.25, -infinity, infinity);
  expectWithin("log", std::log, 1.0, 0, infinity);
  expectWithin(
      "rsqrt", [](double x) { return 1 / std::sqrt(x); }, 1.5, 0, infinity);
}

/// Of every exponent, as far as the result is finite.
TEST(FloatLibrary, FunctionsInBinary64StayWithinTheirBounds) {
  constexpr double bound = 0.51;
  expectWithin("sin", std::sin, bound, -infinity, infinity);
  expectWithin("cos", std::cos, bound, -infinity, infinity);
  expectWithin("tan", std::tan, bound, -infinity, infinity);
  expectWithin("asin", std::asin, bound, -1, 1);
  expectWithin("acos", std::acos, bound, -1, 1);
  expectWithin("atan", std::atan, bound, -infinity, infinity);
  expectWithin("sinh", std::sinh, bound, -89, 89);
  expectWithin("cosh", std::cosh, bound, -89, 89);
  expectWithin("asinh", std::asinh, bound, -infinity, infinity);
  expectWithin("acosh", std::acosh, bound, 1, infinity);
  expectWithin("atanh", std::atanh, bound, -1, 1);
  expectWithin("expm1", std::expm1, bound, -infinity, 88);
  expectWithin("log1p", std::log1p, bound, -1, infinity);
}

TEST(FloatLibrary, SpecialValues) {
  auto expect = [](const char *op, std::vector<float> x, std::vector<float> y) {
    EXPECT_EQ(bitsOf(evaluate(op, x)), bitsOf(y)) << op;
  };
  std::vector<float> x = {0.0f, -0.0f, infinity, -infinity, notANumber};
  expect("exp", x, {1, 1, infinity, 0.0f, notANumber});
  expect("tanh", x, {0.0f, -0.0f, 1, -1, notANumber});
  expect("erf", x, {0.0f, -0.0f, 1, -1, notANumber});
  expect("log", x, {-infinity, -infinity, infinity, notANumber, notANumber});
  expect("rsqrt", x, {infinity, -infinity, 0.0f, notANumber, notANumber});
  expect("log", {-1.0f, 1.0f}, {notANumber, 0.0f});
  expect("exp", {89.0f, -104.0f}, {infinity, 0.0f});
}

TEST(FloatLibrary, HalvesRoundTheF32Result) {
  EXPECT_EQ(runOne<uint16_t>("func.func @main(%a: f16) -> f16 {"
                             " %r = math.exp %a : f16 return %r : f16 }",
                             {half({}, {0x3c00})}),
            (std::vector<uint16_t>{0x4170}));
}
