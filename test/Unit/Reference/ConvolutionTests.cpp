//===- ConvolutionTests.cpp - qnn convolutions against numbers ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers small enough to be computed by hand; test/Python has a second oracle
// for all forms.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace qcc::reference;
using namespace qcc::reference::test;

using I8 = std::vector<int8_t>;
using U8 = std::vector<uint8_t>;
using I32 = std::vector<int32_t>;

/// A program of one op on storage: `input` and `weight` are types, and the op
/// follows the operands with `rest`, the result being `result`.
static std::string program(const std::string &op, const std::string &input,
                           const std::string &weight, const std::string &rest,
                           const std::string &result) {
  return "func.func @main(%x: " + input + ", %w: " + weight + ") -> " + result +
         " {\n  %y = qnn." + op + " %x, %w " + rest + " : " + input + ", " +
         weight + " -> " + result + "\n  return %y : " + result + "\n}\n";
}

TEST(Conv2D, PaddingAddsNothing) {
  // The zero point is 10: the image is [[1, 2], [3, 4]].
  TensorValue x = tensor<uint8_t>({1, 2, 2, 1}, {11, 12, 13, 14});
  TensorValue w = tensor<int8_t>({1, 2, 2, 1}, {1, 10, 100, -1});
  std::string type = "tensor<1x2x2x1x!quant.uniform<u8:f32, 0.5:10>>";
  std::string weight = "tensor<1x2x2x1x!quant.uniform<i8:f32, 0.25>>";
  EXPECT_EQ(
      runOne<int32_t>(
          program("conv2d", type, weight, "", "tensor<1x1x1x1xi32>"), {x, w}),
      (I32{1 + 20 + 300 - 4}));
  // One row above, one column at the right.
  EXPECT_EQ(runOne<int32_t>(program("conv2d", type, weight,
                                    "{padding = array<i64: 1, 0, 0, 1>}",
                                    "tensor<1x2x2x1xi32>"),
                            {x, w}),
            (I32{100 - 2, 200, 1 + 20 + 300 - 4, 2 + 400}));
}

TEST(Conv2D, StridesAndDilations) {
  TensorValue x = tensor<int8_t>({1, 3, 5, 1}, {1, 2, 3, 4, 5,  //
                                                6, 7, 8, 9, 10, //
                                                11, 12, 13, 14, 15});
  TensorValue w = tensor<int8_t>({1, 2, 2, 1}, {1, 2, 3, 4});
  std::string type = "tensor<1x3x5x1x!quant.uniform<i8:f32, 0.5>>";
  std::string weight = "tensor<1x2x2x1x!quant.uniform<i8:f32, 0.25>>";
  auto at = [](int a, int b, int c, int d) {
    return a + 2 * b + 3 * c + 4 * d;
  };
  EXPECT_EQ(runOne<int32_t>(program("conv2d", type, weight,
                                    "{strides = array<i64: 1, 3>}",
                                    "tensor<1x2x2x1xi32>"),
                            {x, w}),
            (I32{at(1, 2, 6, 7), at(4, 5, 9, 10), at(6, 7, 11, 12),
                 at(9, 10, 14, 15)}));
  EXPECT_EQ(runOne<int32_t>(program("conv2d", type, weight,
                                    "{dilations = array<i64: 2, 3>}",
                                    "tensor<1x1x2x1xi32>"),
                            {x, w}),
            (I32{at(1, 4, 11, 14), at(2, 5, 12, 15)}));
}

TEST(Conv2D, Groups) {
  // Filters 0 and 1 read channels 0 and 1, filters 2 and 3 channels 2 and 3.
  TensorValue x = tensor<int8_t>({1, 1, 1, 4}, {1, 2, 3, 4});
  TensorValue w = tensor<int8_t>({4, 1, 1, 2}, {1, 10, 2, 20, 3, 30, 4, 40});
  EXPECT_EQ(runOne<int32_t>(
                program("conv2d", "tensor<1x1x1x4x!quant.uniform<i8:f32, 1.0>>",
                        "tensor<4x1x1x2x!quant.uniform<i8:f32, 1.0>>",
                        "{groups = 2 : i64}", "tensor<1x1x1x4xi32>"),
                {x, w}),
            (I32{21, 42, 129, 172}));
  // A depthwise convolution with two results for each channel.
  TensorValue v = tensor<int8_t>({4, 1, 1, 1}, {1, 2, 3, 4});
  TensorValue y = tensor<int8_t>({1, 1, 1, 2}, {5, 7});
  EXPECT_EQ(runOne<int32_t>(
                program("conv2d", "tensor<1x1x1x2x!quant.uniform<i8:f32, 1.0>>",
                        "tensor<4x1x1x1x!quant.uniform<i8:f32, 1.0>>",
                        "{groups = 2 : i64}", "tensor<1x1x1x4xi32>"),
                {y, v}),
            (I32{5, 10, 21, 28}));
}

TEST(Conv2D, Results) {
  // The sums are 6 and 8 - 3 = 5, in units of 0.5 * 0.25 and 0.5 * 2.
  TensorValue x = tensor<int8_t>({1, 1, 1, 2}, {2, 4});
  TensorValue w = tensor<int8_t>({2, 1, 1, 2}, {1, 1, 2, 1});
  std::string head =
      "!x = !quant.uniform<i8:f32, 0.5>\n"
      "!w = !quant.uniform<i8:f32:0, {0.25, 2.0}>\n"
      "func.func @main(%x: tensor<1x1x1x2x!x>, %w: tensor<2x1x1x2x!w>) -> ";
  auto run = [&](const std::string &bias, const std::string &rest,
                 const std::string &type) {
    return head + type + " {\n" + bias + "\n  %y = qnn.conv2d %x, %w " + rest +
           " : tensor<1x1x1x2x!x>, tensor<2x1x1x2x!w> -> " + type +
           "\n  return %y : " + type + "\n}\n";
  };
  std::string integers = "%b = arith.constant dense<[0, -3]> : tensor<2xi32>";
  std::string reals = "%b = arith.constant dense<[1.0, -3.0]> : tensor<2xf32>";
  EXPECT_EQ(runOne<int32_t>(run(integers, "bias(%b : tensor<2xi32>)",
                                "tensor<1x1x1x2xi32>"),
                            {x, w}),
            (I32{6, 5}));
  EXPECT_EQ(runOne<float>(run(integers, "bias(%b : tensor<2xi32>)",
                              "tensor<1x1x1x2xf32>"),
                          {x, w}),
            (std::vector<float>{0.75, 5}));
  EXPECT_EQ(runOne<float>(
                run(reals, "bias(%b : tensor<2xf32>) {clamp_max = 4.0 : f32}",
                    "tensor<1x1x1x2xf32>"),
                {x, w}),
            (std::vector<float>{1.75, 4}));
  // 0.75 and 5, over 0.5, is a tie and 10; then the zero point is added.
  EXPECT_EQ(
      runOne<uint8_t>(run(integers, "bias(%b : tensor<2xi32>)",
                          "tensor<1x1x1x2x!quant.uniform<u8:f32, 0.5:7>>"),
                      {x, w}),
      (U8{9, 17}));
}

/// The zero point is 256 + 10, of which 10 counts, in the image and around it.
TEST(Conv2D, ZeroPointAtRunTime) {
  TensorValue x = tensor<uint8_t>({1, 1, 2, 1}, {11, 13});
  TensorValue w = tensor<int8_t>({1, 1, 2, 1}, {1, 10});
  EXPECT_EQ(runOne<int32_t>(R"(
    func.func @main(%x: tensor<1x1x2x1xui8>, %w: tensor<1x1x2x1xi8>, %z: i32) -> tensor<1x1x3x1xi32> {
      %y = qnn.conv2d %x, %w input_zero_point(%z : i32) {padding = array<i64: 0, 0, 1, 1>}
        : tensor<1x1x2x1xui8>, tensor<1x1x2x1xi8> -> tensor<1x1x3x1xi32>
      return %y : tensor<1x1x3x1xi32>
    })",
                            {x, w, tensor<int32_t>({}, {266})}),
            (I32{10, 31, 3}));
}

TEST(Conv2D, NoWindow) {
  TensorValue x = tensor<int8_t>({1, 1, 2, 1}, {1, 2});
  TensorValue w = tensor<int8_t>({1, 2, 2, 1}, {1, 2, 3, 4});
  std::string text =
      errorOf(program("conv2d", "tensor<1x?x2x1x!quant.uniform<i8:f32, 1.0>>",
                      "tensor<1x2x2x1x!quant.uniform<i8:f32, 1.0>>", "",
                      "tensor<1x?x1x1xi32>"),
              {x, w});
  EXPECT_NE(text.find("has no window in an input of 1 x 2 elements"),
            std::string::npos)
      << text;
}

TEST(ConvTranspose2D, EachPixelAddsAWindow) {
  // The zero point is -1: the image is [[1, 2]].
  TensorValue x = tensor<int8_t>({1, 1, 2, 1}, {0, 1});
  TensorValue w = tensor<int8_t>({1, 2, 3, 1}, {1, 10, 100, -1, -2, -3});
  std::string type = "tensor<1x1x2x1x!quant.uniform<i8:f32, 0.5:-1>>";
  std::string weight = "tensor<1x2x3x1x!quant.uniform<i8:f32, 0.25>>";
  // Windows that overlap.
  EXPECT_EQ(runOne<int32_t>(program("conv_transpose2d", type, weight, "",
                                    "tensor<1x2x4x1xi32>"),
                            {x, w}),
            (I32{1, 12, 120, 200, -1, -4, -7, -6}));
  // Strides, what is cut off, and what is added.
  EXPECT_EQ(runOne<int32_t>(
                program("conv_transpose2d", type, weight,
                        "{strides = array<i64: 2, 2>, padding = array<i64: 1, "
                        "0, 1, 0>, output_padding = array<i64: 1, 1>}",
                        "tensor<1x2x5x1xi32>"),
                {x, w}),
            (I32{-2, -3 - 2, -4, -6, 0, 0, 0, 0, 0, 0}));
  // The kernel's elements apart from each other.
  EXPECT_EQ(runOne<int32_t>(program("conv_transpose2d", type, weight,
                                    "{dilations = array<i64: 1, 2>}",
                                    "tensor<1x2x6x1xi32>"),
                            {x, w}),
            (I32{1, 2, 10, 20, 100, 200, -1, -2, -2, -4, -3, -6}));
}

TEST(ConvTranspose2D, GroupsAndBias) {
  // Where no pixel adds anything, the bias alone counts.
  EXPECT_EQ(runOne<float>(R"(
    !q = !quant.uniform<i8:f32, 0.5>
    func.func @main(%x: tensor<1x1x2x2x!q>, %w: tensor<2x1x1x1x!q>, %b: tensor<2xf32>) -> tensor<1x1x3x2xf32> {
      %y = qnn.conv_transpose2d %x, %w bias(%b : tensor<2xf32>) {strides = array<i64: 1, 2>, groups = 2 : i64}
        : tensor<1x1x2x2x!q>, tensor<2x1x1x1x!q> -> tensor<1x1x3x2xf32>
      return %y : tensor<1x1x3x2xf32>
    })",
                          {tensor<int8_t>({1, 1, 2, 2}, {4, 8, 12, 16}),
                           tensor<int8_t>({2, 1, 1, 1}, {1, 2}),
                           tensor<float>({2}, {0.5, -1})}),
            (std::vector<float>{1.5, 3, 0.5, -1, 3.5, 7}));
}
