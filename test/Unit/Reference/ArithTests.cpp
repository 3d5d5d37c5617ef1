//===- ArithTests.cpp - arith and math against hand-made values -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace qcc::reference;
using namespace qcc::reference::test;

/// `op` on two tensors of `type`.
static std::string binary(const std::string &op, const std::string &type,
                          int64_t count) {
  std::string t = "tensor<" + std::to_string(count) + "x" + type + ">";
  return "func.func @main(%a: " + t + ", %b: " + t + ") -> " + t +
         " { %r = " + op + " %a, %b : " + t + " return %r : " + t + " }";
}
static std::string convert(const std::string &op, const std::string &from,
                           const std::string &to, int64_t count) {
  std::string n = "tensor<" + std::to_string(count) + "x";
  return "func.func @main(%a: " + n + from + ">) -> " + n + to +
         "> { %r = " + op + " %a : " + n + from + "> to " + n + to +
         "> return %r : " + n + to + "> }";
}
static std::string unary(const std::string &op, const std::string &type,
                         int64_t count) {
  std::string t = "tensor<" + std::to_string(count) + "x" + type + ">";
  return "func.func @main(%a: " + t + ") -> " + t + " { %r = " + op +
         " %a : " + t + " return %r : " + t + " }";
}

template <typename T>
static std::vector<T> evaluate(const std::string &op, const std::string &type,
                               const std::vector<T> &a,
                               const std::vector<T> &b) {
  int64_t n = a.size();
  return runOne<T>(binary(op, type, n), {tensor<T>({n}, a), tensor<T>({n}, b)});
}

using I8 = std::vector<int8_t>;

TEST(Arith, IntegersWrap) {
  EXPECT_EQ(evaluate<int8_t>("arith.addi", "i8", {127, -128}, {1, -1}),
            (I8{-128, 127}));
  EXPECT_EQ(evaluate<int8_t>("arith.subi", "i8", {-128}, {1}), (I8{127}));
  EXPECT_EQ(evaluate<int8_t>("arith.muli", "i8", {64, -128}, {2, -1}),
            (I8{-128, -128}));
  EXPECT_EQ(evaluate<int64_t>("arith.muli", "i64", {INT64_MAX}, {3}),
            (std::vector<int64_t>{INT64_MAX - 2}));
}

TEST(Arith, Division) {
  I8 a = {7, -7, 7, -7, -128}, b = {2, 2, -2, -2, -1};
  EXPECT_EQ(evaluate<int8_t>("arith.divsi", "i8", a, b),
            (I8{3, -3, -3, 3, -128}));
  EXPECT_EQ(evaluate<int8_t>("arith.remsi", "i8", a, b), (I8{1, -1, 1, -1, 0}));
  EXPECT_EQ(evaluate<int8_t>("arith.floordivsi", "i8", a, b),
            (I8{3, -4, -4, 3, -128}));
  EXPECT_EQ(evaluate<int8_t>("arith.ceildivsi", "i8", a, b),
            (I8{4, -3, -3, 4, -128}));
  EXPECT_EQ(evaluate<int8_t>("arith.divui", "i8", {-1, 7}, {2, 3}),
            (I8{127, 2}));
  EXPECT_EQ(evaluate<int8_t>("arith.remui", "i8", {-1, 7}, {16, 3}),
            (I8{15, 1}));
  EXPECT_EQ(evaluate<int8_t>("arith.ceildivui", "i8", {-1, 6}, {2, 3}),
            (I8{-128, 2}));

  // By zero (N8).
  for (const char *op :
       {"arith.divsi", "arith.divui", "arith.remsi", "arith.remui",
        "arith.floordivsi", "arith.ceildivsi", "arith.ceildivui"})
    EXPECT_EQ(evaluate<int8_t>(op, "i8", {7, -7, 0, -128}, {0, 0, 0, 0}),
              (I8{0, 0, 0, 0}))
        << op;
}

TEST(Arith, Shifts) {
  EXPECT_EQ(evaluate<int8_t>("arith.shli", "i8", {3, 3}, {6, 8}), (I8{-64, 0}));
  EXPECT_EQ(evaluate<int8_t>("arith.shrsi", "i8", {-5, -5}, {1, 9}),
            (I8{-3, -1}));
  EXPECT_EQ(evaluate<int8_t>("arith.shrui", "i8", {-5, -5}, {1, 8}),
            (I8{125, 0}));
}

TEST(Arith, MinMaxAndBits) {
  I8 a = {-1, 5}, b = {1, -7};
  EXPECT_EQ(evaluate<int8_t>("arith.maxsi", "i8", a, b), (I8{1, 5}));
  EXPECT_EQ(evaluate<int8_t>("arith.maxui", "i8", a, b), (I8{-1, -7}));
  EXPECT_EQ(evaluate<int8_t>("arith.minsi", "i8", a, b), (I8{-1, -7}));
  EXPECT_EQ(evaluate<int8_t>("arith.minui", "i8", a, b), (I8{1, 5}));
  EXPECT_EQ(evaluate<int8_t>("arith.andi", "i8", a, b), (I8{1, 1}));
  EXPECT_EQ(evaluate<int8_t>("arith.ori", "i8", a, b), (I8{-1, -3}));
  EXPECT_EQ(evaluate<int8_t>("arith.xori", "i8", a, b), (I8{-2, -4}));
  auto one = [](const char *op, int8_t x) {
    return runOne<int8_t>(unary(op, "i8", 1), {tensor<int8_t>({1}, {x})})[0];
  };
  EXPECT_EQ(one("math.absi", -128), -128);
  EXPECT_EQ(one("math.ctlz", 1), 7);
  EXPECT_EQ(one("math.ctlz", 0), 8);
  EXPECT_EQ(one("math.cttz", 8), 3);
  EXPECT_EQ(one("math.ctpop", -1), 8);
}

TEST(Arith, Extended) {
  std::vector<TensorValue> results =
      run(R"(
    func.func @main(%a: i8, %b: i8) -> (i8, i1, i8, i8, i8, i8) {
      %s, %c = arith.addui_extended %a, %b : i8, i1
      %l, %h = arith.mulsi_extended %a, %b : i8
      %m, %i = arith.mului_extended %a, %b : i8
      return %s, %c, %l, %h, %m, %i : i8, i1, i8, i8, i8, i8
    })",
          {tensor<int8_t>({}, {-1}), tensor<int8_t>({}, {-2})});
  ASSERT_EQ(results.size(), 6u);
  int8_t expected[] = {-3, 1, 2, 0, 2, -3};
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(values<int8_t>(results[i])[0], expected[i]) << i;
  EXPECT_EQ(results[1].type.code, TypeCode::Bool);
}

TEST(Arith, FloatMinMax) {
  std::vector<float> a = {notANumber, 1, -0.0f, 0.0f, 2},
                     b = {1, notANumber, 0.0f, -0.0f, 3};
  EXPECT_EQ(bitsOf(evaluate<float>("arith.maximumf", "f32", a, b)),
            bitsOf({notANumber, notANumber, 0.0f, 0.0f, 3}));
  EXPECT_EQ(bitsOf(evaluate<float>("arith.minimumf", "f32", a, b)),
            bitsOf({notANumber, notANumber, -0.0f, -0.0f, 2}));
  EXPECT_EQ(bitsOf(evaluate<float>("arith.maxnumf", "f32", a, b)),
            bitsOf({1, 1, 0.0f, 0.0f, 3}));
  EXPECT_EQ(bitsOf(evaluate<float>("arith.minnumf", "f32", a, b)),
            bitsOf({1, 1, -0.0f, -0.0f, 2}));
}

TEST(Arith, FloatsDoNotContract) {
  // (1 + e)(1 - e) - 1 is -e^2 exactly and 0 if the product is rounded.
  float e = 0x1p-13f;
  EXPECT_EQ(
      runOne<float>(R"(
    func.func @main(%a: f32, %b: f32) -> f32 {
      %m = arith.mulf %a, %b fastmath<fast> : f32
      %one = arith.constant 1.0 : f32
      %r = arith.subf %m, %one fastmath<fast> : f32
      return %r : f32
    })",
                    {tensor<float>({}, {1 + e}), tensor<float>({}, {1 - e})}),
      (std::vector<float>{0.0f}));
}

TEST(Arith, Rounding) {
  std::vector<float> x = {0.5f, 1.5f, -2.5f, 2.4f, -0.2f};
  auto one = [&](const char *op) {
    return bitsOf(runOne<float>(unary(op, "f32", 5), {tensor<float>({5}, x)}));
  };
  EXPECT_EQ(one("math.roundeven"), bitsOf({0, 2, -2, 2, -0.0f}));
  EXPECT_EQ(one("math.round"), bitsOf({1, 2, -3, 2, -0.0f}));
  EXPECT_EQ(one("math.floor"), bitsOf({0, 1, -3, 2, -1}));
  EXPECT_EQ(one("math.ceil"), bitsOf({1, 2, -2, 3, -0.0f}));
  EXPECT_EQ(one("math.trunc"), bitsOf({0, 1, -2, 2, -0.0f}));
  EXPECT_EQ(one("arith.negf"), bitsOf({-0.5f, -1.5f, 2.5f, -2.4f, 0.2f}));
  EXPECT_EQ(one("math.absf"), bitsOf({0.5f, 1.5f, 2.5f, 2.4f, 0.2f}));
}

TEST(Arith, FloatToIntSaturates) {
  std::vector<float> x = {notANumber, infinity, -infinity, 127.9f, 128.0f,
                          -1.9f,      -128.9f,  -129.0f,   255.5f, 256.0f};
  EXPECT_EQ(runOne<int8_t>(convert("arith.fptosi", "f32", "i8", 10),
                           {tensor<float>({10}, x)}),
            (I8{0, 127, -128, 127, 127, -1, -128, -128, 127, 127}));
  EXPECT_EQ(runOne<int8_t>(convert("arith.fptoui", "f32", "i8", 10),
                           {tensor<float>({10}, x)}),
            (I8{0, -1, 0, 127, -128, 0, 0, 0, -1, -1}));
  EXPECT_EQ(runOne<int64_t>(convert("arith.fptosi", "f32", "i64", 2),
                            {tensor<float>({2}, {0x1p63f, -0x1p70f})}),
            (std::vector<int64_t>{INT64_MAX, INT64_MIN}));
}

TEST(Arith, IntToFloat) {
  EXPECT_EQ(runOne<float>(convert("arith.sitofp", "i32", "f32", 2),
                          {tensor<int32_t>({2}, {16777217, -1})}),
            (std::vector<float>{16777216.0f, -1.0f}));
  EXPECT_EQ(runOne<float>(convert("arith.uitofp", "i8", "f32", 1),
                          {tensor<int8_t>({1}, {-1})}),
            (std::vector<float>{255.0f}));
}

TEST(Arith, IntegerCasts) {
  EXPECT_EQ(runOne<int32_t>(convert("arith.extui", "i8", "i32", 1),
                            {tensor<int8_t>({1}, {-1})}),
            (std::vector<int32_t>{255}));
  EXPECT_EQ(runOne<int32_t>(convert("arith.extsi", "i8", "i32", 1),
                            {tensor<int8_t>({1}, {-1})}),
            (std::vector<int32_t>{-1}));
  EXPECT_EQ(runOne<int8_t>(convert("arith.trunci", "i32", "i8", 1),
                           {tensor<int32_t>({1}, {0x181})}),
            (I8{-127}));
  EXPECT_EQ(runOne<int32_t>(convert("arith.bitcast", "f32", "i32", 1),
                            {tensor<float>({1}, {1.0f})}),
            (std::vector<int32_t>{0x3f800000}));
}

TEST(Arith, ComparisonsAndSelect) {
  std::vector<TensorValue> results = run(
      R"(
    func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: i1)
        -> (tensor<3xi1>, tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, i32) {
      %olt = arith.cmpf olt, %a, %b : tensor<3xf32>
      %uge = arith.cmpf uge, %a, %b : tensor<3xf32>
      %s = arith.select %olt, %a, %b : tensor<3xi1>, tensor<3xf32>
      %t = arith.select %c, %a, %b : tensor<3xf32>
      %m = arith.constant -1 : i8
      %z = arith.constant 0 : i8
      %u = arith.cmpi ult, %z, %m : i8
      %e = arith.extui %u : i1 to i32
      return %olt, %uge, %s, %t, %e
          : tensor<3xi1>, tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, i32
    })",
      {tensor<float>({3}, {1, 3, notANumber}), tensor<float>({3}, {2, 2, 2}),
       tensor<uint8_t>({}, {0}, {TypeCode::Bool, 8})});
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(values<uint8_t>(results[0]), (std::vector<uint8_t>{1, 0, 0}));
  EXPECT_EQ(values<uint8_t>(results[1]), (std::vector<uint8_t>{0, 1, 1}));
  EXPECT_EQ(values<float>(results[2]), (std::vector<float>{1, 2, 2}));
  EXPECT_EQ(values<float>(results[3]), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(values<int32_t>(results[4]), (std::vector<int32_t>{1}));
}

TEST(Arith, HalfWidensOperatesRounds) {
  // 2048 + 1 is a tie of f16, to even; 2048 + 3 another, up.
  EXPECT_EQ(runOne<uint16_t>(
                binary("arith.addf", "f16", 2),
                {half({2}, {0x6800, 0x6800}), half({2}, {0x3c00, 0x4200})}),
            (std::vector<uint16_t>{0x6800, 0x6802}));
  // 65504 + 32 overflows; the least denormals add up.
  EXPECT_EQ(runOne<uint16_t>(
                binary("arith.addf", "f16", 2),
                {half({2}, {0x7bff, 0x0001}), half({2}, {0x5000, 0x0001})}),
            (std::vector<uint16_t>{0x7c00, 0x0002}));
  EXPECT_EQ(runOne<uint16_t>(binary("arith.mulf", "bf16", 1),
                             {half({1}, {0x3f81}, TypeCode::BFloat),
                              half({1}, {0x3f81}, TypeCode::BFloat)}),
            (std::vector<uint16_t>{0x3f82}));
}

TEST(Arith, TruncfRoundsOnce) {
  EXPECT_EQ(
      runOne<uint16_t>(convert("arith.truncf", "f32", "f16", 5),
                       {tensor<float>({5}, {0x1p-25f, 0x1.8p-25f, 65519.0f,
                                            65520.0f, -0x1p-24f})}),
      (std::vector<uint16_t>{0, 1, 0x7bff, 0x7c00, 0x8001}));
  // Through f32 this would round twice, first to the tie.
  EXPECT_EQ(runOne<uint16_t>(convert("arith.truncf", "f64", "f16", 1),
                             {tensor<double>({1}, {1.0 + 0x1p-11 + 0x1p-40})}),
            (std::vector<uint16_t>{0x3c01}));
  EXPECT_EQ(runOne<uint16_t>(convert("arith.truncf", "f32", "bf16", 2),
                             {tensor<float>({2}, {0x1.01p0f, 0x1p-133f})}),
            (std::vector<uint16_t>{0x3f80, 0x0001}));
}
