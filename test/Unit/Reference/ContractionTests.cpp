//===- ContractionTests.cpp - Contractions of dequantized values ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// N3: which contractions of floats are defined on integers, and which are not.
// The two differ in nearly every bit pattern of the data used here.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace qcc::reference;
using namespace qcc::reference::test;

namespace {

constexpr int64_t m = 5, n = 6, k = 40;
constexpr float sx = 0.0123f;
constexpr int zx = 3;

/// x is [m, k] u8 with (sx, zx), w [n, k] i8 with one scale per row.
struct Data {
  std::vector<uint8_t> x = Random(1).integers<uint8_t>(m * k);
  std::vector<int8_t> w = Random(2).integers<int8_t>(n * k);
  std::vector<float> sw = Random(3).reals(n, 0.001f, 0.01f);
  std::vector<float> bias = Random(4).reals(n);

  std::vector<TensorValue> inputs() const {
    return {tensor<uint8_t>({m, k}, x), tensor<int8_t>({n, k}, w),
            tensor<float>({n}, sw), tensor<float>({n}, bias)};
  }
  int32_t acc(int i, int j) const {
    int32_t sum = 0;
    for (int l = 0; l < k; ++l)
      sum += (x[i * k + l] - zx) * w[j * k + l];
    return sum;
  }
  /// N3, with or without a bias.
  std::vector<float> onIntegers(bool hasBias) const {
    std::vector<float> result;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        float v = static_cast<float>(acc(i, j)), s = sx * sw[j];
        result.push_back(hasBias ? std::fma(v, s, bias[j]) : v * s);
      }
    return result;
  }
  /// N8, on the dequantized floats.
  std::vector<float> literal(bool hasBias) const {
    std::vector<float> result;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        float v = hasBias ? bias[j] : 0.0f;
        for (int l = 0; l < k; ++l)
          v = std::fma(static_cast<float>(x[i * k + l] - zx) * sx,
                       static_cast<float>(w[j * k + l]) * sw[j], v);
        result.push_back(v);
      }
    return result;
  }
};

/// A program that dequantizes to %x and %w and has `body`, which defines %r.
std::string program(const std::string &body,
                    const std::string &result = "tensor<5x6xf32>") {
  return R"(
    func.func @main(%qx: tensor<5x40xui8>, %qw: tensor<6x40xi8>,
                    %sw: tensor<6xf32>, %bias: tensor<6xf32>) -> )" +
         result + R"( {
      %sx = arith.constant 0.0123 : f32
      %zx = arith.constant 3 : i32
      %x = qnn.dequantize %qx scale(%sx : f32) zero_point(%zx : i32)
        : tensor<5x40xui8> -> tensor<5x40xf32>
      %w = qnn.dequantize %qw scale(%sw : tensor<6xf32>) {axis = 0 : i64}
        : tensor<6x40xi8> -> tensor<6x40xf32>
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<5x6xf32>
      %init = linalg.fill ins(%zero : f32) outs(%e : tensor<5x6xf32>)
        -> tensor<5x6xf32>
      %b = linalg.broadcast ins(%bias : tensor<6xf32>)
        outs(%e : tensor<5x6xf32>) dimensions = [0]
)" + body +
         "\n return %r : " + result + " }";
}

/// x * transpose(w) as a named op.
std::string product(const std::string &x, const std::string &w,
                    const std::string &init) {
  return "%r = linalg.matmul indexing_maps = ["
         "affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,"
         "affine_map<(i, j, k) -> (i, j)>] ins(" +
         x + ", " + w + " : tensor<5x40xf32>, tensor<6x40xf32>) outs(" + init +
         " : tensor<5x6xf32>) -> tensor<5x6xf32>";
}

void expectIntegers(const std::string &body, bool hasBias = false) {
  Data data;
  EXPECT_EQ(bitsOf(runOne<float>(program(body), data.inputs())),
            bitsOf(data.onIntegers(hasBias)))
      << body;
}
void expectLiteral(const std::string &body, bool hasBias = false) {
  Data data;
  EXPECT_EQ(bitsOf(runOne<float>(program(body), data.inputs())),
            bitsOf(data.literal(hasBias)))
      << body;
}

} // namespace

TEST(DequantizedContraction, TheTwoDefinitionsDiffer) {
  Data data;
  EXPECT_NE(bitsOf(data.onIntegers(false)), bitsOf(data.literal(false)));
  EXPECT_NE(bitsOf(data.onIntegers(true)), bitsOf(data.literal(true)));
}

TEST(DequantizedContraction, WithAndWithoutBias) {
  expectIntegers(product("%x", "%w", "%init"));
  expectIntegers(product("%x", "%w", "%b"), true);
  expectIntegers("%c = arith.constant dense<0.0> : tensor<5x6xf32>\n" +
                 product("%x", "%w", "%c"));
}

TEST(DequantizedContraction, ThroughMovement) {
  expectIntegers(R"(
      %te = tensor.empty() : tensor<40x6xf32>
      %t = linalg.transpose ins(%w : tensor<6x40xf32>)
        outs(%te : tensor<40x6xf32>) permutation = [1, 0]
      %r = linalg.matmul ins(%x, %t : tensor<5x40xf32>, tensor<40x6xf32>)
        outs(%init : tensor<5x6xf32>) -> tensor<5x6xf32>)");
  expectIntegers(R"(
      %xe = tensor.expand_shape %x [[0], [1, 2]] output_shape [5, 8, 5]
        : tensor<5x40xf32> into tensor<5x8x5xf32>
      %we = tensor.expand_shape %w [[0], [1, 2]] output_shape [6, 8, 5]
        : tensor<6x40xf32> into tensor<6x8x5xf32>
      %xc = tensor.collapse_shape %xe [[0], [1, 2]]
        : tensor<5x8x5xf32> into tensor<5x40xf32>
      %wc = tensor.collapse_shape %we [[0], [1, 2]]
        : tensor<6x8x5xf32> into tensor<6x40xf32>)" +
                 product("%xc", "%wc", "%init"));
  expectIntegers(R"(
      %xp = tensor.pad %x low[2, 4] high[0, 1] {
      ^bb0(%i: index, %j: index):
        tensor.yield %zero : f32
      } : tensor<5x40xf32> to tensor<7x45xf32>
      %wp = tensor.pad %w low[0, 4] high[1, 1] {
      ^bb0(%i: index, %j: index):
        tensor.yield %zero : f32
      } : tensor<6x40xf32> to tensor<7x45xf32>
      %xs = tensor.extract_slice %xp[2, 0] [5, 45] [1, 1]
        : tensor<7x45xf32> to tensor<5x45xf32>
      %ws = tensor.extract_slice %wp[0, 0] [6, 45] [1, 1]
        : tensor<7x45xf32> to tensor<6x45xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                           affine_map<(i, j, k) -> (j, k)>,
                           affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%xs, %ws : tensor<5x45xf32>, tensor<6x45xf32>)
          outs(%init : tensor<5x6xf32>) {
      ^bb0(%a: f32, %c: f32, %acc: f32):
        %p = arith.mulf %c, %a : f32
        %s = arith.addf %p, %acc : f32
        linalg.yield %s : f32
      } -> tensor<5x6xf32>)");
  expectIntegers(R"(
      %ge = tensor.empty() : tensor<6x40xf32>
      %g = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>,
                           affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%w : tensor<6x40xf32>) outs(%ge : tensor<6x40xf32>) {
      ^bb0(%a: f32, %o: f32):
        linalg.yield %a : f32
      } -> tensor<6x40xf32>)" +
                 product("%x", "%g", "%init"));
}

TEST(DequantizedContraction, WhatIsNotMovementIsLiteral) {
  expectLiteral(R"(
      %one = arith.constant dense<1.0> : tensor<5x40xf32>
      %y = arith.mulf %x, %one : tensor<5x40xf32>)" +
                product("%y", "%w", "%init"));
  expectLiteral(R"(
      %true = arith.constant true
      %y = scf.if %true -> tensor<5x40xf32> {
        scf.yield %x : tensor<5x40xf32>
      } else {
        scf.yield %x : tensor<5x40xf32>
      })" + product("%y", "%w", "%init"));
  expectLiteral(R"(
      %y = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>,
                           affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<5x40xf32>) outs(%x : tensor<5x40xf32>) {
      ^bb0(%a: f32, %o: f32):
        %h = arith.addf %a, %zero : f32
        linalg.yield %h : f32
      } -> tensor<5x40xf32>)" +
                    product("%y", "%w", "%b"),
                true);
}

TEST(DequantizedContraction, DynamicReductionIsOnIntegers) {
  expectIntegers(R"(
      %xd = tensor.cast %x : tensor<5x40xf32> to tensor<5x?xf32>
      %wd = tensor.cast %w : tensor<6x40xf32> to tensor<6x?xf32>
      %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
          affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
        ins(%xd, %wd : tensor<5x?xf32>, tensor<6x?xf32>)
        outs(%init : tensor<5x6xf32>) -> tensor<5x6xf32>)");
}

TEST(DequantizedContraction, ScaleAlongTheReductionIsLiteral) {
  // w * transpose(w) over the dimension of its scales.
  Data data;
  std::vector<float> expected;
  auto real = [&](int j, int l) {
    return static_cast<float>(data.w[j * k + l]) * data.sw[j];
  };
  for (int a = 0; a < k; ++a)
    for (int b = 0; b < k; ++b) {
      float v = 0;
      for (int j = 0; j < n; ++j)
        v = std::fma(real(j, a), real(j, b), v);
      expected.push_back(v);
    }
  EXPECT_EQ(bitsOf(runOne<float>(program(R"(
      %c = arith.constant dense<0.0> : tensor<40x40xf32>
      %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>,
          affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
        ins(%w, %w : tensor<6x40xf32>, tensor<6x40xf32>)
        outs(%c : tensor<40x40xf32>) -> tensor<40x40xf32>)",
                                         "tensor<40x40xf32>"),
                                 data.inputs())),
            bitsOf(expected));
}

TEST(DequantizedContraction, OverflowIsLiteral) {
  // 33026 * 255 * 255 exceeds 2^31 - 1; one element less does not.
  for (int64_t size : {33025, 33026}) {
    std::vector<uint8_t> x(size, 255), w(size, 255);
    for (int64_t i = 0; i < size; i += 3)
      x[i] = 254;
    std::string type = std::to_string(size);
    std::string text = R"(
      func.func @main(%x: tensor<Kxui8>, %w: tensor<Kxui8>) -> tensor<f32> {
        %s = arith.constant 0.1 : f32
        %a = qnn.dequantize %x scale(%s : f32) : tensor<Kxui8> -> tensor<Kxf32>
        %b = qnn.dequantize %w scale(%s : f32) : tensor<Kxui8> -> tensor<Kxf32>
        %c = arith.constant dense<0.0> : tensor<f32>
        %r = linalg.dot ins(%a, %b : tensor<Kxf32>, tensor<Kxf32>)
          outs(%c : tensor<f32>) -> tensor<f32>
        return %r : tensor<f32>
      })";
    for (size_t at; (at = text.find("<K")) != std::string::npos;)
      text.replace(at + 1, 1, type);
    int64_t acc = 0;
    float chain = 0;
    for (int64_t i = 0; i < size; ++i) {
      acc += int64_t(x[i]) * w[i];
      chain = std::fma(x[i] * 0.1f, w[i] * 0.1f, chain);
    }
    float integer = static_cast<float>(acc) * (0.1f * 0.1f);
    ASSERT_NE(integer, chain);
    EXPECT_EQ(runOne<float>(text, {tensor<uint8_t>({size}, x),
                                   tensor<uint8_t>({size}, w)})[0],
              size == 33025 ? integer : chain);
  }
}

TEST(DequantizedContraction, OverflowOfADynamicReductionIsAnError) {
  const char *text = R"(
    func.func @main(%x: tensor<?xui8>, %w: tensor<?xui8>) -> tensor<f32> {
      %s = arith.constant 0.1 : f32
      %a = qnn.dequantize %x scale(%s : f32) : tensor<?xui8> -> tensor<?xf32>
      %b = qnn.dequantize %w scale(%s : f32) : tensor<?xui8> -> tensor<?xf32>
      %c = arith.constant dense<0.0> : tensor<f32>
      %r = linalg.dot ins(%a, %b : tensor<?xf32>, tensor<?xf32>)
        outs(%c : tensor<f32>) -> tensor<f32>
      return %r : tensor<f32>
    })";
  auto inputs = [](int64_t size) -> std::vector<TensorValue> {
    std::vector<uint8_t> ones(size, 1);
    return {tensor<uint8_t>({size}, ones), tensor<uint8_t>({size}, ones)};
  };
  EXPECT_EQ(runOne<float>(text, inputs(33025))[0], 33025.0f * (0.1f * 0.1f));
  EXPECT_NE(errorOf(text, inputs(33026))
                .find("has a reduction of 33026 products, whose sum could "
                      "overflow i32"),
            std::string::npos);
}

TEST(DequantizedContraction, HalfResultRoundsOnce) {
  Data data;
  std::vector<TensorValue> inputs = data.inputs();
  std::vector<TensorValue> results = run(program(R"(
      %c = arith.constant dense<0.0> : tensor<5x6xf16>
      %xh = qnn.dequantize %qx scale(%sx : f32) zero_point(%zx : i32)
        : tensor<5x40xui8> -> tensor<5x40xf16>
      %wh = qnn.dequantize %qw scale(%sw : tensor<6xf32>) {axis = 0 : i64}
        : tensor<6x40xi8> -> tensor<6x40xf16>
      %h = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
          affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
        ins(%xh, %wh : tensor<5x40xf16>, tensor<6x40xf16>)
        outs(%c : tensor<5x6xf16>) -> tensor<5x6xf16>
      %f = arith.constant dense<0.0> : tensor<5x6xf32>
      %g = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
          affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
        ins(%xh, %wh : tensor<5x40xf16>, tensor<6x40xf16>)
        outs(%f : tensor<5x6xf32>) -> tensor<5x6xf32>
      %t = arith.truncf %g : tensor<5x6xf32> to tensor<5x6xf16>
      %d = arith.cmpf oeq, %t, %h : tensor<5x6xf16>
      %u = arith.uitofp %d : tensor<5x6xi1> to tensor<5x6xf32>
      %r = tensor.concat dim(0) %g, %u
        : (tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<10x6xf32>)",
                                                 "tensor<10x6xf32>"),
                                         inputs);
  ASSERT_EQ(results.size(), 1u);
  std::vector<float> expected = data.onIntegers(false);
  expected.resize(60, 1.0f);
  EXPECT_EQ(bitsOf(values<float>(results[0])), bitsOf(expected));
}

TEST(DequantizedContraction, ConvolutionWithPadding) {
  // A padded border stands for the difference 0, whatever the zero point.
  std::vector<uint8_t> x = Random(8).integers<uint8_t>(5 * 5 * 2);
  std::vector<int8_t> w = Random(9).integers<int8_t>(3 * 3 * 2 * 4);
  std::vector<float> expected;
  for (int h = 0; h < 5; ++h)
    for (int v = 0; v < 5; ++v)
      for (int f = 0; f < 4; ++f) {
        int32_t acc = 0;
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 2; ++c) {
              int i = h + a - 1, j = v + b - 1;
              if (i >= 0 && i < 5 && j >= 0 && j < 5)
                acc += (x[(i * 5 + j) * 2 + c] - 200) *
                       w[((a * 3 + b) * 2 + c) * 4 + f];
            }
        expected.push_back(static_cast<float>(acc) * (0.05f * 0.02f));
      }
  EXPECT_EQ(bitsOf(runOne<float>(R"(
    !x = tensor<1x5x5x2x!quant.uniform<u8:f32, 0.05:200>>
    !w = tensor<3x3x2x4x!quant.uniform<i8:f32, 0.02>>
    func.func @main(%qx: !x, %qw: !w) -> tensor<1x5x5x4xf32> {
      %zero = arith.constant 0.0 : f32
      %x = qnn.dequantize %qx : !x -> tensor<1x5x5x2xf32>
      %w = qnn.dequantize %qw : !w -> tensor<3x3x2x4xf32>
      %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
      ^bb0(%a: index, %b: index, %c: index, %d: index):
        tensor.yield %zero : f32
      } : tensor<1x5x5x2xf32> to tensor<1x7x7x2xf32>
      %e = tensor.empty() : tensor<1x5x5x4xf32>
      %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x5x4xf32>)
        -> tensor<1x5x5x4xf32>
      %r = linalg.conv_2d_nhwc_hwcf
        ins(%p, %w : tensor<1x7x7x2xf32>, tensor<3x3x2x4xf32>)
        outs(%i : tensor<1x5x5x4xf32>) -> tensor<1x5x5x4xf32>
      return %r : tensor<1x5x5x4xf32>
    })",
                                 {tensor<uint8_t>({1, 5, 5, 2}, x),
                                  tensor<int8_t>({3, 3, 2, 4}, w)})),
            bitsOf(expected));
}
