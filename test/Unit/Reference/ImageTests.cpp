//===- ImageTests.cpp - Ops on images -------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace qcc::reference;
using namespace qcc::reference::test;

using I8 = std::vector<int8_t>;
using U8 = std::vector<uint8_t>;
using F32 = std::vector<float>;

static void expectError(llvm::StringRef program,
                        std::vector<TensorValue> inputs, const char *text) {
  std::string error = errorOf(program, std::move(inputs));
  EXPECT_NE(error.find(text), std::string::npos)
      << error << "\nwhere expected: " << text;
}

/// A function @main of an image with one op.
static std::string program(const std::string &op, const std::string &from,
                           const std::string &to) {
  return "func.func @main(%x: tensor<" + from + ">) -> tensor<" + to +
         "> {\n  %0 = qnn." + op + " : tensor<" + from + "> -> tensor<" + to +
         ">\n  return %0 : tensor<" + to + ">\n}";
}

//===----------------------------------------------------------------------===//
// The greatest element
//===----------------------------------------------------------------------===//

TEST(MaxPool, Windows) {
  // Two channels, one of which falls.
  EXPECT_EQ(
      runOne<int8_t>(program("max_pool2d %x {window = array<i64: 2, 2>}",
                             "1x2x3x2xi8", "1x1x2x2xi8"),
                     {tensor<int8_t>({1, 2, 3, 2}, {1, -1, 2, -2, 3, -3, //
                                                    4, -4, 5, -5, 6, -6})}),
      (I8{5, -1, 6, -2}));
}

TEST(MaxPool, SignIsThatOfTheStorage) {
  U8 bytes{127, 128, 1, 255};
  I8 same{127, -128, 1, -1};
  EXPECT_EQ(runOne<uint8_t>(program("max_pool2d %x {window = array<i64: 1, 2>}",
                                    "1x1x4x1xui8", "1x1x3x1xui8"),
                            {tensor<uint8_t>({1, 1, 4, 1}, bytes)}),
            (U8{128, 128, 255}));
  EXPECT_EQ(runOne<int8_t>(program("max_pool2d %x {window = array<i64: 1, 2>}",
                                   "1x1x4x1x!quant.uniform<i8:f32, 0.1:5>",
                                   "1x1x3x1x!quant.uniform<i8:f32, 0.1:5>"),
                           {tensor<int8_t>({1, 1, 4, 1}, same)}),
            (I8{127, 1, 1}));
}

TEST(MaxPool, PaddingNeverWins) {
  // All elements are the least but one: what is padded is no 0.
  EXPECT_EQ(
      runOne<int8_t>(program("max_pool2d %x {window = array<i64: 2, 2>, "
                             "padding = array<i64: 1, 0, 0, 1>}",
                             "1x2x2x1xi8", "1x2x2x1xi8"),
                     {tensor<int8_t>({1, 2, 2, 1}, {-128, -3, -128, -128})}),
      (I8{-3, -3, -3, -3}));
}

TEST(MaxPool, StridesAndDilations) {
  // Rows 0 and 2, columns 0 and 3 of each window; windows start at column -1.
  EXPECT_EQ(runOne<uint8_t>(
                program("max_pool2d %x {window = array<i64: 2, 2>, strides = "
                        "array<i64: 1, 2>, dilations = array<i64: 2, 3>, "
                        "padding = array<i64: 0, 0, 1, 0>}",
                        "?x?x?x1xui8", "?x?x?x1xui8"),
                {tensor<uint8_t>({1, 3, 5, 1}, {1, 2, 3, 4, 5,      //
                                                90, 90, 90, 90, 90, //
                                                6, 7, 8, 1, 0})}),
            (U8{8, 7}));
}

TEST(MaxPool, WindowsThatDoNotFit) {
  std::string text = program("max_pool2d %x {window = array<i64: 3, 2>, "
                             "dilations = array<i64: 1, 4>, padding = "
                             "array<i64: 0, 1, 2, 2>}",
                             "1x?x?x1xi8", "1x?x?x1xi8");
  EXPECT_EQ(runOne<int8_t>(
                text, {tensor<int8_t>({1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8})}),
            (I8{7, 8, 5, 6}));
  expectError(text, {tensor<int8_t>({1, 1, 4, 1}, {1, 2, 3, 4})},
              "'qnn.max_pool2d': has an image of 1 elements along H, which is "
              "less than a window");
  expectError(text, {tensor<int8_t>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6})},
              "has windows that lie in padding alone along W, where the image "
              "has 3 elements");
}

//===----------------------------------------------------------------------===//
// The mean
//===----------------------------------------------------------------------===//

TEST(AvgPool, BothCounts) {
  std::string from = "1x2x2x1x!quant.uniform<i8:f32, 0.5:1>";
  std::string windows = "avg_pool2d %x {window = array<i64: 2, 2>, padding = "
                        "array<i64: 1, 0, 0, 0>";
  std::vector<TensorValue> input{tensor<int8_t>({1, 2, 2, 1}, {2, 4, 6, 8})};
  // Differences 1, 3 above 5, 7: sums of 4, of which 2 are inside, and 16.
  EXPECT_EQ(runOne<float>(program(windows + "}", from, "1x2x1x1xf32"), input),
            (F32{4 * (0.5f / 2), 16 * (0.5f / 4)}));
  EXPECT_EQ(runOne<float>(
                program(windows + ", count_include_pad}", from, "1x2x1x1xf32"),
                input),
            (F32{4 * (0.5f / 4), 16 * (0.5f / 4)}));
}

// The result is 1/6 of the sum, and the sums lie between two results. The
// factor rounded in this order is below 1/6, so that ties go to zero; in
// another order they would go to the even result.
TEST(AvgPool, FactorIsScaleByCountByResultScale) {
  const float sx = 0.01f, sy = 0.02f;
  ASSERT_NE((sx / 3.0f) / sy, (sx / sy) / 3.0f);
  I8 q(3 * 64), expected, otherwise;
  for (int k = 0; k < 64; ++k) {
    int acc = 12 * k - 381;
    q[k] = acc / 3;
    q[64 + k] = acc / 3;
    q[128 + k] = acc / 3;
    expected.push_back(
        std::nearbyint(static_cast<float>(acc) * ((sx / 3.0f) / sy)));
    otherwise.push_back(
        std::nearbyint(static_cast<float>(acc) * ((sx / sy) / 3.0f)));
  }
  EXPECT_NE(expected, otherwise);
  EXPECT_EQ(runOne<int8_t>(program("avg_pool2d %x {window = array<i64: 3, 1>}",
                                   "1x3x64x1x!quant.uniform<i8:f32, 0.01>",
                                   "1x1x64x1x!quant.uniform<i8:f32, 0.02>"),
                           {tensor<int8_t>({1, 3, 64, 1}, q)}),
            expected);
}

TEST(AvgPool, RoundsHalfToEven) {
  // Means of 0.5, 1.5, 2.5 and -0.5.
  EXPECT_EQ(
      runOne<int8_t>(program("avg_pool2d %x {window = array<i64: 2, 1>}",
                             "1x2x4x1x!quant.uniform<i8:f32, 1.0>",
                             "1x1x4x1x!quant.uniform<i8:f32, 1.0:1>"),
                     {tensor<int8_t>({1, 2, 4, 1}, {0, 1, 2, -1, 1, 2, 3, 0})}),
      (I8{1, 3, 3, 1}));
}

TEST(AvgPool, SmallFloatsAreRoundedOnce) {
  std::vector<TensorValue> input{
      tensor<uint8_t>({1, 1, 3, 1}, {255, 255, 253})};
  std::string from = "1x1x3x1x!quant.uniform<u8:f32, 1.0>";
  float mean = 763.0f * (1.0f / 3.0f);
  EXPECT_EQ(runOne<float>(program("avg_pool2d %x", from, "1x1x1x1xf32"), input),
            (F32{mean}));
  // 254.33333 has 8 bits in bf16 and 11 in f16.
  EXPECT_EQ(
      runOne<uint16_t>(program("avg_pool2d %x", from, "1x1x1x1xbf16"), input),
      (std::vector<uint16_t>{0x437e}));
  EXPECT_EQ(
      runOne<uint16_t>(program("avg_pool2d %x", from, "1x1x1x1xf16"), input),
      (std::vector<uint16_t>{0x5bf3}));
}

TEST(AvgPool, WholeImages) {
  std::string text = program("avg_pool2d %x",
                             "?x?x?x2x!quant.uniform<i8:f32, "
                             "0.5>",
                             "?x1x1x2xf32");
  EXPECT_EQ(runOne<float>(text, {tensor<int8_t>({2, 1, 2, 2},
                                                {1, -1, 3, -5, 2, 0, 5, 1})}),
            (F32{4 * 0.25f, -6 * 0.25f, 7 * 0.25f, 1 * 0.25f}));
  expectError(text, {tensor<int8_t>({1, 0, 2, 2}, {})},
              "has an image without elements, which has no mean");
}

TEST(AvgPool, ParametersOfChannelsAndAtRunTime) {
  std::vector<TensorValue> results =
      run(R"(
    !x = tensor<1x1x2x2x!quant.uniform<i8:f32:3, {0.5, 2.0:1}>>
    !p = tensor<1x1x2x2xui8>
    func.func @main(%x: !x, %p: !p, %s: f32, %z: i32, %t: tensor<2xf32>)
        -> (tensor<1x1x1x2xi8>, tensor<1x1x1x2xf32>) {
      %0 = qnn.avg_pool2d %x output_scale(%t : tensor<2xf32>) output_zero_point(%z : i32)
        : !x -> tensor<1x1x1x2xi8>
      %1 = qnn.avg_pool2d %p input_scale(%s : f32) input_zero_point(%z : i32)
        : !p -> tensor<1x1x1x2xf32>
      return %0, %1 : tensor<1x1x1x2xi8>, tensor<1x1x1x2xf32>
    })",
          {tensor<int8_t>({1, 1, 2, 2}, {4, 5, 8, 9}),
           tensor<uint8_t>({1, 1, 2, 2}, {255, 0, 255, 10}),
           tensor<float>({}, {0.5f}), tensor<int32_t>({}, {7}),
           tensor<float>({2}, {1.0f, 0.5f})});
  ASSERT_EQ(results.size(), 2u);
  // 12 * ((0.5 / 2) / 1) + 7, and (4 + 8) * ((2 / 2) / 0.5) + 7.
  EXPECT_EQ(values<int8_t>(results[0]), (I8{10, 31}));
  EXPECT_EQ(values<float>(results[1]), (F32{496 * 0.25f, -4 * 0.25f}));
}

//===----------------------------------------------------------------------===//
// Other sizes
//===----------------------------------------------------------------------===//

static std::string resize(const std::string &mode, const std::string &places,
                          const std::string &rounding = "") {
  return "resize %x {mode = \"" + mode + "\", coordinate_transformation = \"" +
         places + "\"" +
         (rounding.empty() ? "" : ", rounding = \"" + rounding + "\"") + "}";
}

/// The row 0, 10, 20, ... of `from` pixels as a row of `to` pixels.
static U8 nearestRow(int from, int to, const std::string &places,
                     const std::string &rounding) {
  U8 row;
  for (int i = 0; i < from; ++i)
    row.push_back(10 * i);
  return runOne<uint8_t>(program(resize("nearest", places, rounding),
                                 "1x1x" + std::to_string(from) + "x1xui8",
                                 "1x1x" + std::to_string(to) + "x1xui8"),
                         {tensor<uint8_t>({1, 1, from, 1}, row)});
}

TEST(Resize, NearestOfAsymmetricPlaces) {
  // At 0, 2/3, 4/3, 2, 8/3, 10/3.
  EXPECT_EQ(nearestRow(4, 6, "asymmetric", "floor"),
            (U8{0, 0, 10, 20, 20, 30}));
  EXPECT_EQ(nearestRow(4, 6, "asymmetric", "ceil"),
            (U8{0, 10, 20, 20, 30, 30}));
  // At 0, 0.5, 1, 1.5.
  EXPECT_EQ(nearestRow(2, 4, "asymmetric", "round_prefer_floor"),
            (U8{0, 0, 10, 10}));
  EXPECT_EQ(nearestRow(2, 4, "asymmetric", "round_prefer_ceil"),
            (U8{0, 10, 10, 10}));
  // At 0, 2.5, 5, 7.5.
  EXPECT_EQ(nearestRow(10, 4, "asymmetric", "round_prefer_floor"),
            (U8{0, 20, 50, 70}));
  EXPECT_EQ(nearestRow(10, 4, "asymmetric", "round_prefer_ceil"),
            (U8{0, 30, 50, 80}));
}

TEST(Resize, NearestOfHalfPixels) {
  // At -0.25, 0.25, 0.75, 1.25.
  EXPECT_EQ(nearestRow(2, 4, "half_pixel", "floor"), (U8{0, 0, 0, 10}));
  EXPECT_EQ(nearestRow(2, 4, "half_pixel", "ceil"), (U8{0, 10, 10, 10}));
  // At 0.5, 2.5, 4.5.
  EXPECT_EQ(nearestRow(6, 3, "half_pixel", "round_prefer_floor"),
            (U8{0, 20, 40}));
  EXPECT_EQ(nearestRow(6, 3, "half_pixel", "round_prefer_ceil"),
            (U8{10, 30, 50}));
}

TEST(Resize, NearestOfAlignedCorners) {
  // At 0, 4/3, 8/3, 4; at 0, 0.5, 1; at 0.
  EXPECT_EQ(nearestRow(5, 4, "align_corners", "floor"), (U8{0, 10, 20, 40}));
  EXPECT_EQ(nearestRow(5, 4, "align_corners", "round_prefer_ceil"),
            (U8{0, 10, 30, 40}));
  EXPECT_EQ(nearestRow(2, 3, "align_corners", "round_prefer_floor"),
            (U8{0, 0, 10}));
  EXPECT_EQ(nearestRow(5, 1, "align_corners", "ceil"), (U8{0}));
}

TEST(Resize, NearestKeepsRowsAndChannelsApart) {
  EXPECT_EQ(
      runOne<int8_t>(program(resize("nearest", "asymmetric", "floor"),
                             "?x2x2x2x!quant.uniform<i8:f32, 0.1>",
                             "?x4x2x2x!quant.uniform<i8:f32, 0.1>"),
                     {tensor<int8_t>({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}),
      (I8{1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8}));
}

TEST(Resize, LinearOfHalfPixels) {
  // Rows and columns at -0.25, 0.25, 0.75, 1.25; values 0, 2, 4, 8.
  EXPECT_EQ(runOne<float>(program(resize("linear", "half_pixel"),
                                  "1x2x2x1x!quant.uniform<i8:f32, 0.5:1>",
                                  "1x4x4x1xf32"),
                          {tensor<int8_t>({1, 2, 2, 1}, {1, 5, 9, 17})}),
            (F32{0, 0.5, 1.5, 2,       //
                 1, 1.625, 2.875, 3.5, //
                 3, 3.875, 5.625, 6.5, //
                 4, 5, 7, 8}));
}

// Weights of 1/3 are not exact, so that another order of operations has another
// result.
TEST(Resize, LinearIsHorizontalFirst) {
  const float w = 1.0f / 3, top = std::fma(7.0f, w, 0.0f),
              bottom = std::fma(39.0f, w, 0.0f);
  const float right = std::fma(39.0f - 7.0f, w, 7.0f);
  const float expected = std::fma(bottom - top, w, top);
  ASSERT_NE(expected, std::fma(right, w, 0.0f));
  EXPECT_EQ(runOne<float>(program(resize("linear", "align_corners"),
                                  "1x2x2x1x!quant.uniform<u8:f32, 1.0>",
                                  "1x4x4x1xf32"),
                          {tensor<uint8_t>({1, 2, 2, 1}, {0, 7, 0, 39})})[5],
            expected);
}

TEST(Resize, LinearResults) {
  std::vector<TensorValue> row{tensor<int8_t>({1, 1, 2, 1}, {-100, 101})};
  std::string from = "1x1x2x1x!quant.uniform<i8:f32, 0.5>";
  // At 0, 0.5, 1 and 1.5: -100, 0.5, 101, 101, divided by 4.
  EXPECT_EQ(runOne<int8_t>(program(resize("linear", "asymmetric"), from,
                                   "1x1x4x1x!quant.uniform<i8:f32, 2.0:3>"),
                           row),
            (I8{-22, 3, 28, 28}));
  EXPECT_EQ(runOne<uint8_t>(program(resize("linear", "asymmetric"), from,
                                    "1x1x4x1x!quant.uniform<u8:f32, 0.125:9>"),
                            row),
            (U8{0, 11, 255, 255}));
  EXPECT_EQ(
      runOne<uint16_t>(
          program(resize("linear", "asymmetric"), from, "1x1x4x1xbf16"), row),
      (std::vector<uint16_t>{0xc248, 0x3e80, 0x424a, 0x424a}));
}
