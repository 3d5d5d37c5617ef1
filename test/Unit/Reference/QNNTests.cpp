//===- QNNTests.cpp - qnn ops against direct formulas ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// N5 and N6, written anew in double precision where that is exact, in float
// where a rounding is part of the rule.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace qcc::reference;
using namespace qcc::reference::test;

/// saturate(rint(v) + z), NaN giving z.
static int saturated(float v, int z, int low, int high) {
  if (std::isnan(v))
    return z;
  double r = std::rint(static_cast<double>(v)) + z;
  return static_cast<int>(std::min<double>(std::max<double>(r, low), high));
}

using I8 = std::vector<int8_t>;
using U8 = std::vector<uint8_t>;

TEST(Quantize, TiesSaturationAndNaN) {
  std::vector<float> x = {0.25f,  0.75f,      -0.25f,   1e30f,
                          -1e30f, notANumber, infinity, -infinity};
  TensorValue input = tensor<float>({8}, x);
  EXPECT_EQ(runOne<int8_t>(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8x!quant.uniform<i8:f32, 0.5:3>> {
      %q = qnn.quantize %x : tensor<8xf32> -> tensor<8x!quant.uniform<i8:f32, 0.5:3>>
      return %q : tensor<8x!quant.uniform<i8:f32, 0.5:3>>
    })",
                           {input}),
            (I8{3, 5, 3, 127, -128, 3, 127, -128}));
  // The zero point joins before rounding: ties go to other numbers.
  EXPECT_EQ(runOne<int8_t>(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8x!quant.uniform<i8:f32, 0.5:3>> {
      %q = qnn.quantize %x {zero_point_before_rounding}
        : tensor<8xf32> -> tensor<8x!quant.uniform<i8:f32, 0.5:3>>
      return %q : tensor<8x!quant.uniform<i8:f32, 0.5:3>>
    })",
                           {input}),
            (I8{4, 4, 2, 127, -128, 3, 127, -128}));
  // A narrower range of the type.
  EXPECT_EQ(runOne<int8_t>(R"(
    !q = !quant.uniform<i8<-127:127>:f32, 0.5>
    func.func @main(%x: tensor<8xf32>) -> tensor<8x!q> {
      %q = qnn.quantize %x : tensor<8xf32> -> tensor<8x!q>
      return %q : tensor<8x!q>
    })",
                           {input}),
            (I8{0, 2, 0, 127, -127, 0, 127, -127}));
}

TEST(Quantize, DividesAndDoesNotMultiply) {
  Random random(1);
  std::vector<float> x = random.reals(3000, -30, 30), s = {0.1f, 0.237f, 0.7f};
  I8 expected;
  for (int i = 0; i < 3000; ++i)
    expected.push_back(saturated(x[i] / s[i / 1000], -7, -128, 127));
  // One scale per row, a zero point of the storage type.
  EXPECT_EQ(
      runOne<int8_t>(R"(
    func.func @main(%x: tensor<?x1000xf32>, %s: tensor<?x1xf32>)
        -> tensor<?x1000xi8> {
      %z = arith.constant dense<-7> : tensor<1xi8>
      %q = qnn.quantize %x scale(%s : tensor<?x1xf32>)
        zero_point(%z : tensor<1xi8>) : tensor<?x1000xf32> -> tensor<?x1000xi8>
      return %q : tensor<?x1000xi8>
    })",
                     {tensor<float>({3, 1000}, x), tensor<float>({3, 1}, s)}),
      expected);
}

TEST(Quantize, RunTimeScalesFollowIEEE) {
  // N9: x / 0, x / NaN, x / inf.
  EXPECT_EQ(runOne<uint8_t>(R"(
    func.func @main(%x: tensor<2x4xf32>, %s: tensor<4xf32>) -> tensor<2x4xui8> {
      %z = arith.constant 9 : i32
      %q = qnn.quantize %x scale(%s : tensor<4xf32>) zero_point(%z : i32)
        : tensor<2x4xf32> -> tensor<2x4xui8>
      return %q : tensor<2x4xui8>
    })",
                            {tensor<float>({2, 4}, {1, 1, 1, 1, -1, -1, -1, 0}),
                             tensor<float>({4}, {0, notANumber, infinity, 0})}),
            (U8{255, 9, 9, 255, 0, 9, 9, 9}));
}

TEST(Dequantize, Forms) {
  std::vector<TensorValue> results =
      run(R"(
    !u = tensor<2x2x!quant.uniform<u8:f32:1, {0.5:255, 0.25:0}>>
    func.func @main(%a: !u, %b: tensor<2x2xi32>, %s: tensor<2xf32>)
        -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf16>) {
      %x = qnn.dequantize %a : !u -> tensor<2x2xf32>
      %y = qnn.dequantize %b scale(%s : tensor<2xf32>) {axis = 0 : i64}
        : tensor<2x2xi32> -> tensor<2x2xf32>
      %z = qnn.dequantize %b scale(%s : tensor<2xf32>)
        : tensor<2x2xi32> -> tensor<2x2xf16>
      return %x, %y, %z : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf16>
    })",
          {tensor<uint8_t>({2, 2}, {0, 255, 255, 1}),
           tensor<int32_t>({2, 2}, {16777217, -3, 5, 6}),
           tensor<float>({2}, {2, 0.5f})});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(values<float>(results[0]),
            (std::vector<float>{-127.5f, 63.75f, 0, 0.25f}));
  EXPECT_EQ(values<float>(results[1]),
            (std::vector<float>{33554432.0f, -6, 2.5f, 3}));
  EXPECT_EQ(values<uint16_t>(results[2]),
            (std::vector<uint16_t>{0x7c00, 0xbe00, 0x4900, 0x4200}));
}

TEST(Elementwise, RequantizeAddMul) {
  Random random(2);
  U8 a = random.integers<uint8_t>(500);
  I8 b = random.integers<int8_t>(500);
  const float sa = 0.05f, sb = 0.11f, sy = 0.3f;
  const int za = 128, zb = -128, zy = 5;
  I8 requantized, sum, product;
  for (int i = 0; i < 500; ++i) {
    float x = static_cast<float>(a[i] - za), y = static_cast<float>(b[i] - zb);
    requantized.push_back(saturated(x * (sa / sy), zy, -128, 127));
    sum.push_back(
        saturated(std::fma(x, sa / sy, y * (sb / sy)), zy, -128, 127));
    product.push_back(saturated(static_cast<float>((a[i] - za) * (b[i] - zb)) *
                                    ((sa * sb) / sy),
                                zy, -128, 127));
  }
  std::vector<TensorValue> results =
      run(R"(
    !a = tensor<500x!quant.uniform<u8:f32, 0.05:128>>
    !b = tensor<500x!quant.uniform<i8:f32, 0.11:-128>>
    !y = tensor<500x!quant.uniform<i8:f32, 0.3:5>>
    func.func @main(%a: !a, %b: !b) -> (!y, !y, !y) {
      %r = qnn.requantize %a : !a -> !y
      %s = qnn.add %a, %b : !a, !b -> !y
      %p = qnn.mul %a, %b : !a, !b -> !y
      return %r, %s, %p : !y, !y, !y
    })",
          {tensor<uint8_t>({500}, a), tensor<int8_t>({500}, b)});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(values<int8_t>(results[0]), requantized);
  EXPECT_EQ(values<int8_t>(results[1]), sum);
  EXPECT_EQ(values<int8_t>(results[2]), product);
}

// An operand without rows or columns of its own, and rows of parameters that
// are those of the operand.
TEST(Elementwise, Broadcast) {
  std::vector<TensorValue> results =
      run(R"(
    !a = tensor<2x1x3x!quant.uniform<i8:f32, 0.5:1>>
    !b = tensor<1x2x1x!quant.uniform<u8:f32, 1.0:2>>
    !y = tensor<2x2x3x!quant.uniform<i8:f32, 0.5>>
    !d = tensor<1x2x3xi8>
    !s = tensor<1x2x1xf32>
    func.func @main(%a: !a, %b: !b, %d: !d, %s: !s) -> (!y, !y, !y) {
      %p = qnn.mul %a, %b : !a, !b -> !y
      %t = qnn.add %b, %a : !b, !a -> !y
      %u = qnn.add %a, %d rhs_scale(%s : !s) : !a, !d -> !y
      return %p, %t, %u : !y, !y, !y
    })",
          {tensor<int8_t>({2, 1, 3}, {1, 2, 3, -4, 5, 6}),
           tensor<uint8_t>({1, 2, 1}, {3, 0}),
           tensor<int8_t>({1, 2, 3}, {1, 2, 3, 4, 5, 6}),
           tensor<float>({1, 2, 1}, {0.5f, 2.0f})});
  ASSERT_EQ(results.size(), 3u);
  // (a - 1) (b - 2) (0.5 * 1 / 0.5), with b - 2 = 1 and -2.
  EXPECT_EQ(values<int8_t>(results[0]),
            (I8{0, 1, 2, 0, -2, -4, -5, 4, 5, 10, -8, -10}));
  // a - 1 + 2 (b - 2).
  EXPECT_EQ(values<int8_t>(results[1]),
            (I8{2, 3, 4, -4, -3, -2, -3, 6, 7, -9, 0, 1}));
  // a - 1 + d * s / 0.5, with s / 0.5 = 1 and 4.
  EXPECT_EQ(values<int8_t>(results[2]),
            (I8{1, 3, 5, 16, 21, 26, -4, 6, 8, 11, 24, 29}));
}

TEST(Elementwise, ADynamicSizeIsNotBroadcast) {
  std::string text = R"(
    !a = tensor<?x3x!quant.uniform<i8:f32, 0.5>>
    func.func @main(%a: !a, %b: !a) -> !a {
      %0 = qnn.add %a, %b : !a, !a -> !a
      return %0 : !a
    })";
  EXPECT_EQ(values<int8_t>(run(text, {tensor<int8_t>({1, 3}, {1, 2, 3}),
                                      tensor<int8_t>({1, 3}, {1, 2, 3})})[0]),
            (I8{2, 4, 6}));
  std::string error =
      errorOf(text, {tensor<int8_t>({1, 3}, {1, 2, 3}),
                     tensor<int8_t>({2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_NE(error.find("operands have different shapes"), std::string::npos)
      << error;
}

TEST(Elementwise, ClampAndLookup) {
  std::vector<uint8_t> q(256);
  for (int i = 0; i < 256; ++i)
    q[i] = i;
  std::vector<int32_t> table(256);
  for (int i = 0; i < 256; ++i)
    table[i] = i * 1000;
  std::vector<TensorValue> results = run(
      R"(
    !u = tensor<256x!quant.uniform<u8:f32, 0.5:10>>
    !s = tensor<256x!quant.uniform<i8:f32, 0.5>>
    func.func @main(%u: !u, %s: !s, %t: tensor<256xi32>)
        -> (!u, !s, tensor<256xi32>, tensor<256xi32>) {
      %a = qnn.clamp %u {min = -1.25 : f32, max = 20.25 : f32} : !u
      %b = qnn.clamp %s {max = 0.0 : f32} : !s
      %c = qnn.lookup %u, %t : !u, tensor<256xi32> -> tensor<256xi32>
      %d = qnn.lookup %s, %t : !s, tensor<256xi32> -> tensor<256xi32>
      return %a, %b, %c, %d : !u, !s, tensor<256xi32>, tensor<256xi32>
    })",
      {tensor<uint8_t>({256}, q), tensor<uint8_t>({256}, q, typeOf<int8_t>()),
       tensor<int32_t>({256}, table)});
  ASSERT_EQ(results.size(), 4u);
  for (int i = 0; i < 256; ++i) {
    int s = static_cast<int8_t>(i);
    EXPECT_EQ(values<uint8_t>(results[0])[i], std::min(std::max(i, 8), 50));
    EXPECT_EQ(values<int8_t>(results[1])[i], std::min(s, 0));
    EXPECT_EQ(values<int32_t>(results[2])[i], i * 1000);
    EXPECT_EQ(values<int32_t>(results[3])[i], (s + 128) * 1000);
  }
}

namespace {

/// qnn.linear over odd sizes, with everything that varies.
struct Linear {
  static constexpr int64_t m = 7, n = 9, k = 67;
  U8 x = Random(1).integers<uint8_t>(m * k);
  I8 w = Random(2).integers<int8_t>(n * k);
  std::vector<float> sx = Random(3).reals(m, 0.001f, 0.1f);
  std::vector<float> sw = Random(4).reals(n, 0.001f, 0.1f);
  std::vector<int32_t> zx = Random(5).integers<int32_t>(m, 0, 255);
  std::vector<int32_t> bias = Random(6).integers<int32_t>(n, -9999, 9999);
  std::vector<float> realBias = Random(7).reals(n);

  int32_t acc(int i, int j) const {
    int32_t sum = 0;
    for (int l = 0; l < k; ++l)
      sum += (x[i * k + l] - zx[i]) * (w[j * k + l] + 128);
    return sum;
  }
  std::vector<TensorValue> inputs() const {
    return {tensor<uint8_t>({m, k}, x),  tensor<int8_t>({n, k}, w),
            tensor<float>({m, 1}, sx),   tensor<int32_t>({m, 1}, zx),
            tensor<float>({n}, sw),      tensor<int32_t>({n}, bias),
            tensor<float>({n}, realBias)};
  }
  std::string program(const std::string &bias, const std::string &attributes,
                      const std::string &result) const {
    return R"(
      func.func @main(%x: tensor<?x67xui8>, %w: tensor<9x67xi8>,
                      %sx: tensor<?x1xf32>, %zx: tensor<?x1xi32>,
                      %sw: tensor<9xf32>, %ib: tensor<9xi32>,
                      %fb: tensor<9xf32>) -> )" +
           result + R"( {
        %zw = arith.constant -128 : i32
        %r = qnn.linear %x, %w )" +
           bias + R"( input_scale(%sx : tensor<?x1xf32>)
          input_zero_point(%zx : tensor<?x1xi32>)
          weight_scale(%sw : tensor<9xf32>) weight_zero_point(%zw : i32) )" +
           attributes + " : tensor<?x67xui8>, tensor<9x67xi8> -> " + result +
           "\n return %r : " + result + " }";
  }
};

} // namespace

TEST(Linear, Accumulators) {
  Linear data;
  std::vector<int32_t> expected;
  for (int i = 0; i < data.m; ++i)
    for (int j = 0; j < data.n; ++j)
      expected.push_back(data.acc(i, j) + data.bias[j]);
  EXPECT_EQ(runOne<int32_t>(data.program("bias(%ib : tensor<9xi32>)", "",
                                         "tensor<?x9xi32>"),
                            data.inputs()),
            expected);
}

TEST(Linear, BiasWraps) {
  EXPECT_EQ(runOne<int32_t>(
                R"(
    func.func @main(%x: tensor<1x1xi8>, %w: tensor<1x1xi8>) -> tensor<1x1xi32> {
      %b = arith.constant dense<2147483647> : tensor<1xi32>
      %r = qnn.linear %x, %w bias(%b : tensor<1xi32>)
        : tensor<1x1xi8>, tensor<1x1xi8> -> tensor<1x1xi32>
      return %r : tensor<1x1xi32>
    })",
                {tensor<int8_t>({1, 1}, {2}), tensor<int8_t>({1, 1}, {1})}),
            (std::vector<int32_t>{INT32_MIN + 1}));
}

TEST(Linear, FloatResults) {
  Linear data;
  std::vector<float> integerBias, floatBias;
  for (int i = 0; i < data.m; ++i)
    for (int j = 0; j < data.n; ++j) {
      float s = data.sx[i] * data.sw[j];
      integerBias.push_back(static_cast<float>(data.acc(i, j) + data.bias[j]) *
                            s);
      float v =
          std::fma(static_cast<float>(data.acc(i, j)), s, data.realBias[j]);
      floatBias.push_back(std::min(std::max(v, -0.5f), 6.0f));
    }
  EXPECT_EQ(bitsOf(runOne<float>(data.program("bias(%ib : tensor<9xi32>)", "",
                                              "tensor<?x9xf32>"),
                                 data.inputs())),
            bitsOf(integerBias));
  EXPECT_EQ(bitsOf(runOne<float>(
                data.program("bias(%fb : tensor<9xf32>)",
                             "{clamp_min = -0.5 : f32, clamp_max = 6.0 : f32}",
                             "tensor<?x9xf32>"),
                data.inputs())),
            bitsOf(floatBias));
}

TEST(Linear, QuantizedResults) {
  Linear data;
  const float sy = 0.07f;
  I8 integerBias;
  U8 floatBias;
  for (int i = 0; i < data.m; ++i)
    for (int j = 0; j < data.n; ++j) {
      float m = (data.sx[i] * data.sw[j]) / sy;
      integerBias.push_back(
          saturated(static_cast<float>(data.acc(i, j) + data.bias[j]) * m, -5,
                    -128, 127));
      float v = std::fma(static_cast<float>(data.acc(i, j)), m,
                         data.realBias[j] / sy);
      v = std::min(std::max(v, 0.0f / sy), 6.0f / sy);
      floatBias.push_back(saturated(v, 17, 0, 255));
    }
  EXPECT_EQ(runOne<int8_t>(
                data.program("bias(%ib : tensor<9xi32>)", "",
                             "tensor<?x9x!quant.uniform<i8:f32, 0.07:-5>>"),
                data.inputs()),
            integerBias);
  EXPECT_EQ(runOne<uint8_t>(
                data.program("bias(%fb : tensor<9xf32>)",
                             "{clamp_min = 0.0 : f32, clamp_max = 6.0 : f32}",
                             "tensor<?x9x!quant.uniform<u8:f32, 0.07:17>>"),
                data.inputs()),
            floatBias);
}

/// A clamp that is absent does not clamp, whatever sign the scale has.
TEST(Linear, NegativeScaleOfAResult) {
  auto run = [&](const std::string &clamp, float scale) {
    return runOne<int8_t>(
        "func.func @main(%x: tensor<2x1x!quant.uniform<i8:f32, 0.5>>, "
        "%w: tensor<1x1x!quant.uniform<i8:f32, 0.5>>, %sy: tensor<f32>, "
        "%zy: tensor<i8>) -> tensor<2x1xi8> {\n"
        "%r = qnn.linear %x, %w output_scale(%sy : tensor<f32>) "
        "output_zero_point(%zy : tensor<i8>) " +
            clamp +
            " : tensor<2x1x!quant.uniform<i8:f32, 0.5>>, "
            "tensor<1x1x!quant.uniform<i8:f32, 0.5>> -> tensor<2x1xi8>\n"
            "return %r : tensor<2x1xi8>\n}\n",
        {tensor<int8_t>({2, 1}, {8, -8}), tensor<int8_t>({1, 1}, {1}),
         tensor<float>({}, {scale}), tensor<int8_t>({}, {1})});
  };
  // +-2 / -0.25 + 1.
  EXPECT_EQ(run("", -0.25f), (I8{-7, 9}));
  // Bounds are divided as well: at least 0 / -0.25.
  EXPECT_EQ(run("{clamp_min = 0.0 : f32}", -0.25f), (I8{1, 9}));
  EXPECT_EQ(run("{clamp_max = 1.0 : f32}", -0.25f), (I8{-7, -3}));
  EXPECT_EQ(run("", std::nanf("")), (I8{1, 1}));
}

TEST(Linear, FloatOperandsThatAreNotDequantized) {
  Random random(8);
  std::vector<float> x = random.reals(2 * 33), w = random.reals(3 * 33),
                     b = random.reals(3), expected;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      float v = 0;
      for (int l = 0; l < 33; ++l)
        v = std::fma(x[i * 33 + l], w[j * 33 + l], v);
      v = v + b[j];
      expected.push_back(std::max(v, 0.0f));
    }
  EXPECT_EQ(
      bitsOf(runOne<float>(R"(
    func.func @main(%x: tensor<2x33xf32>, %w: tensor<3x33xf32>, %b: tensor<3xf32>)
        -> tensor<2x3xf32> {
      %r = qnn.linear %x, %w bias(%b : tensor<3xf32>) {clamp_min = 0.0 : f32}
        : tensor<2x33xf32>, tensor<3x33xf32> -> tensor<2x3xf32>
      return %r : tensor<2x3xf32>
    })",
                           {tensor<float>({2, 33}, x),
                            tensor<float>({3, 33}, w), tensor<float>({3}, b)})),
      bitsOf(expected));
}

TEST(Linear, DequantizedOperandsAreIntegers) {
  Random random(9);
  I8 x = random.integers<int8_t>(2 * 33), w = random.integers<int8_t>(3 * 33);
  std::vector<float> b = random.reals(3), expected;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      int acc = 0;
      for (int l = 0; l < 33; ++l)
        acc += (x[i * 33 + l] - 3) * w[j * 33 + l];
      expected.push_back(std::fma(static_cast<float>(acc), 0.3f * 0.7f, b[j]));
    }
  EXPECT_EQ(bitsOf(runOne<float>(R"(
    !x = tensor<2x33x!quant.uniform<i8:f32, 0.3:3>>
    !w = tensor<3x33x!quant.uniform<i8:f32, 0.7>>
    func.func @main(%qx: !x, %qw: !w, %b: tensor<3xf32>) -> tensor<2x3xf32> {
      %x = qnn.dequantize %qx : !x -> tensor<2x33xf32>
      %w = qnn.dequantize %qw : !w -> tensor<3x33xf32>
      %r = qnn.linear %x, %w bias(%b : tensor<3xf32>)
        : tensor<2x33xf32>, tensor<3x33xf32> -> tensor<2x3xf32>
      return %r : tensor<2x3xf32>
    })",
                                 {tensor<int8_t>({2, 33}, x),
                                  tensor<int8_t>({3, 33}, w),
                                  tensor<float>({3}, b)})),
            bitsOf(expected));
}

TEST(Matmul, BatchesAndBothOrders) {
  const int batches = 3, m = 4, n = 6, k = 19;
  Random random(10);
  I8 a = random.integers<int8_t>(batches * m * k);
  U8 b = random.integers<uint8_t>(batches * n * k), transposed(b.size());
  for (int t = 0; t < batches; ++t)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < k; ++l)
        transposed[(t * k + l) * n + j] = b[(t * n + j) * k + l];
  std::vector<float> expected;
  for (int t = 0; t < batches; ++t)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        int acc = 0;
        for (int l = 0; l < k; ++l)
          acc += (a[(t * m + i) * k + l] + 4) * (b[(t * n + j) * k + l] - 99);
        expected.push_back(static_cast<float>(acc) * (0.3f * 0.01f));
      }
  std::vector<TensorValue> results =
      run(R"(
    !a = tensor<3x4x19x!quant.uniform<i8:f32, 0.3:-4>>
    !b = tensor<3x6x19x!quant.uniform<u8:f32, 0.01:99>>
    !t = tensor<3x19x6x!quant.uniform<u8:f32, 0.01:99>>
    func.func @main(%a: !a, %b: !b, %t: !t)
        -> (tensor<3x4x6xf32>, tensor<3x4x6xf32>, tensor<3x4x6xf32>) {
      %r = qnn.matmul %a, %b {transpose_rhs} : !a, !b -> tensor<3x4x6xf32>
      %s = qnn.matmul %a, %t : !a, !t -> tensor<3x4x6xf32>
      %x = qnn.dequantize %a : !a -> tensor<3x4x19xf32>
      %y = qnn.dequantize %t : !t -> tensor<3x19x6xf32>
      %u = qnn.matmul %x, %y
        : tensor<3x4x19xf32>, tensor<3x19x6xf32> -> tensor<3x4x6xf32>
      return %r, %s, %u : tensor<3x4x6xf32>, tensor<3x4x6xf32>, tensor<3x4x6xf32>
    })",
          {tensor<int8_t>({3, 4, 19}, a), tensor<uint8_t>({3, 6, 19}, b),
           tensor<uint8_t>({3, 19, 6}, transposed)});
  ASSERT_EQ(results.size(), 3u);
  for (const TensorValue &result : results)
    EXPECT_EQ(bitsOf(values<float>(result)), bitsOf(expected));
}

TEST(Quant, StorageCastKeepsBits) {
  EXPECT_EQ(runOne<int8_t>(R"(
    !q = tensor<2x!quant.uniform<u8:f32, 0.5:3>>
    func.func @main(%x: !q) -> tensor<2xi8> {
      %r = quant.scast %x : !q to tensor<2xi8>
      return %r : tensor<2xi8>
    })",
                           {tensor<uint8_t>({2}, {255, 3})}),
            (I8{-1, 3}));
}
