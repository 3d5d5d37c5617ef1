//===- LinalgTests.cpp - linalg against direct loops ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include <functional>

using namespace qcc::reference;
using namespace qcc::reference::test;

/// N8, written anew: 32 strided lanes, then a tree, then the initial value.
static float reduceInLanes(const std::vector<float> &e, float initial,
                           float neutral,
                           const std::function<float(float, float)> &combine) {
  float lanes[32];
  std::fill_n(lanes, 32, neutral);
  for (size_t i = 0; i < e.size(); ++i)
    lanes[i % 32] = combine(lanes[i % 32], e[i]);
  for (int s : {16, 8, 4, 2, 1})
    for (int l = 0; l < s; ++l)
      lanes[l] = combine(lanes[l], lanes[l + s]);
  return combine(initial, lanes[0]);
}
static float plus(float a, float b) { return a + b; }
static float times(float a, float b) { return a * b; }

static std::vector<float> part(const std::vector<float> &all, size_t from,
                               size_t count, size_t stride = 1) {
  std::vector<float> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(all[from + i * stride]);
  return result;
}

TEST(Reduction, RowsInLanes) {
  for (int64_t k : {0, 1, 31, 32, 33, 300, 1000}) {
    std::vector<float> x = Random(k).reals(3 * k), init = {0.5f, -2, 1e8f};
    std::vector<float> expected;
    for (int r = 0; r < 3; ++r)
      expected.push_back(
          reduceInLanes(part(x, r * k, k), init[r], -0.0f, plus));
    EXPECT_EQ(bitsOf(runOne<float>(
                  R"(
      func.func @main(%x: tensor<3x?xf32>, %i: tensor<3xf32>) -> tensor<3xf32> {
        %r = linalg.reduce { arith.addf } ins(%x : tensor<3x?xf32>)
          outs(%i : tensor<3xf32>) dimensions = [1]
        return %r : tensor<3xf32>
      })",
                  {tensor<float>({3, k}, x), tensor<float>({3}, init)})),
              bitsOf(expected))
        << k;
  }
}

TEST(Reduction, SeveralDimensionsRowMajor) {
  // Dimensions 0 and 2 of [3, 2, 25], with the element a function of the input.
  std::vector<float> x = Random(5).reals(150);
  std::vector<float> expected;
  for (int j = 0; j < 2; ++j) {
    std::vector<float> e;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 25; ++k) {
        float v = x[(i * 2 + j) * 25 + k];
        e.push_back(v * v);
      }
    expected.push_back(reduceInLanes(e, 0.0f, -0.0f, plus));
  }
  EXPECT_EQ(bitsOf(runOne<float>(R"(
    func.func @main(%x: tensor<3x2x25xf32>) -> tensor<2xf32> {
      %z = arith.constant dense<0.0> : tensor<2xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>,
                           affine_map<(a, b, c) -> (b)>],
          iterator_types = ["reduction", "parallel", "reduction"]}
          ins(%x : tensor<3x2x25xf32>) outs(%z : tensor<2xf32>) {
      ^bb0(%e: f32, %acc: f32):
        %q = arith.mulf %e, %e : f32
        %s = arith.addf %q, %acc : f32
        linalg.yield %s : f32
      } -> tensor<2xf32>
      return %r : tensor<2xf32>
    })",
                                 {tensor<float>({3, 2, 25}, x)})),
            bitsOf(expected));
}

TEST(Reduction, OtherCombinations) {
  std::vector<float> x = Random(6).reals(100, 0.9f, 1.1f);
  auto reduce = [&](const std::string &op, float init) {
    return runOne<float>("func.func @main(%x: tensor<100xf32>,"
                         " %i: tensor<f32>) -> tensor<f32> {"
                         " %r = linalg.reduce { arith." +
                             op +
                             " } ins(%x : tensor<100xf32>)"
                             " outs(%i : tensor<f32>) dimensions = [0]"
                             " return %r : tensor<f32> }",
                         {tensor<float>({100}, x), tensor<float>({}, {init})});
  };
  EXPECT_EQ(bitsOf(reduce("mulf", 2)), bitsOf({reduceInLanes(x, 2, 1, times)}));
  EXPECT_EQ(reduce("maximumf", -infinity)[0],
            *std::max_element(x.begin(), x.end()));
  EXPECT_EQ(reduce("minnumf", notANumber)[0],
            *std::min_element(x.begin(), x.end()));
  x[77] = notANumber;
  EXPECT_TRUE(std::isnan(reduce("maximumf", 0)[0]));
  EXPECT_EQ(reduce("minimumf", 0.0f).size(), 1u);
  EXPECT_FALSE(std::isnan(reduce("maxnumf", 0)[0]));
}

TEST(Reduction, SeveralOutputs) {
  // A sum and a maximum of one input: each in lanes.
  std::vector<float> x = Random(7).reals(90);
  std::vector<TensorValue> results =
      run(R"(
    func.func @main(%x: tensor<90xf32>, %i: tensor<f32>)
        -> (tensor<f32>, tensor<f32>) {
      %r:2 = linalg.generic {
          indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> ()>,
                           affine_map<(a) -> ()>],
          iterator_types = ["reduction"]}
          ins(%x : tensor<90xf32>) outs(%i, %i : tensor<f32>, tensor<f32>) {
      ^bb0(%e: f32, %s: f32, %m: f32):
        %a = arith.addf %s, %e : f32
        %b = arith.maximumf %e, %m : f32
        linalg.yield %a, %b : f32, f32
      } -> (tensor<f32>, tensor<f32>)
      return %r#0, %r#1 : tensor<f32>, tensor<f32>
    })",
          {tensor<float>({90}, x), tensor<float>({}, {0.25f})});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(values<float>(results[0])[0], reduceInLanes(x, 0.25f, -0.0f, plus));
  EXPECT_EQ(values<float>(results[1])[0],
            std::max(0.25f, *std::max_element(x.begin(), x.end())));
}

TEST(Reduction, OtherBodiesRunInOrder) {
  // acc - e is no combination of N8; arg-max has two accumulators that mix.
  std::vector<float> x = Random(8).reals(70);
  float difference = 1;
  for (float e : x)
    difference = difference - e;
  EXPECT_EQ(runOne<float>(R"(
    func.func @main(%x: tensor<70xf32>) -> tensor<f32> {
      %i = arith.constant dense<1.0> : tensor<f32>
      %r = linalg.reduce ins(%x : tensor<70xf32>) outs(%i : tensor<f32>)
        dimensions = [0] (%e: f32, %acc: f32) {
          %s = arith.subf %acc, %e : f32
          linalg.yield %s : f32
        }
      return %r : tensor<f32>
    })",
                          {tensor<float>({70}, x)})[0],
            difference);
  std::vector<TensorValue> results = run(R"(
    func.func @main(%x: tensor<2x35xf32>) -> (tensor<2xf32>, tensor<2xindex>) {
      %m = arith.constant dense<0xFF800000> : tensor<2xf32>
      %z = arith.constant dense<0> : tensor<2xindex>
      %r:2 = linalg.generic {
          indexing_maps = [affine_map<(a, b) -> (a, b)>,
                           affine_map<(a, b) -> (a)>,
                           affine_map<(a, b) -> (a)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<2x35xf32>) outs(%m, %z : tensor<2xf32>, tensor<2xindex>) {
      ^bb0(%e: f32, %best: f32, %at: index):
        %i = linalg.index 1 : index
        %c = arith.cmpf ogt, %e, %best : f32
        %v = arith.select %c, %e, %best : f32
        %p = arith.select %c, %i, %at : index
        linalg.yield %v, %p : f32, index
      } -> (tensor<2xf32>, tensor<2xindex>)
      return %r#0, %r#1 : tensor<2xf32>, tensor<2xindex>
    })",
                                         {tensor<float>({2, 35}, x)});
  ASSERT_EQ(results.size(), 2u);
  for (int r = 0; r < 2; ++r) {
    auto row = x.begin() + r * 35;
    auto best = std::max_element(row, row + 35);
    EXPECT_EQ(values<float>(results[0])[r], *best);
    EXPECT_EQ(values<int64_t>(results[1])[r], best - row);
  }
}

TEST(Reduction, IntegersWrapInAnyOrder) {
  std::vector<int32_t> x = Random(9).integers<int32_t>(1000);
  uint32_t sum = 5;
  for (int32_t e : x)
    sum += static_cast<uint32_t>(e);
  EXPECT_EQ(runOne<int32_t>(R"(
    func.func @main(%x: tensor<1000xi32>) -> tensor<i32> {
      %i = arith.constant dense<5> : tensor<i32>
      %r = linalg.reduce { arith.addi } ins(%x : tensor<1000xi32>)
        outs(%i : tensor<i32>) dimensions = [0]
      return %r : tensor<i32>
    })",
                            {tensor<int32_t>({1000}, x)})[0],
            static_cast<int32_t>(sum));
}

TEST(Linalg, Elementwise) {
  // Broadcasts, transposed reads, indices and a nested condition.
  EXPECT_EQ(runOne<float>(R"(
    func.func @main(%x: tensor<3x2xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
      %e = tensor.empty() : tensor<2x3xf32>
      %two = arith.constant 2.0 : f32
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (j, i)>,
                           affine_map<(i, j) -> (j)>,
                           affine_map<(i, j) -> ()>,
                           affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%x, %b, %two : tensor<3x2xf32>, tensor<3xf32>, f32)
          outs(%e : tensor<2x3xf32>) {
      ^bb0(%v: f32, %c: f32, %s: f32, %o: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %k = arith.index_cast %i : index to i32
        %f = arith.sitofp %k : i32 to f32
        %m = arith.mulf %v, %s : f32
        %a = arith.addf %m, %c : f32
        %d = arith.cmpi eq, %i, %j : index
        %t = scf.if %d -> f32 {
          %l = tensor.extract %b[%i] : tensor<3xf32>
          scf.yield %l : f32
        } else {
          %h = arith.addf %a, %f : f32
          scf.yield %h : f32
        }
        linalg.yield %t : f32
      } -> tensor<2x3xf32>
      return %r : tensor<2x3xf32>
    })",
                          {tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}),
                           tensor<float>({3}, {10, 20, 30})}),
            (std::vector<float>{10, 26, 40, 15, 20, 43}));
}

TEST(Linalg, TableInTheBody) {
  EXPECT_EQ(runOne<float>(R"(
    func.func @main(%x: tensor<4xi8>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]}
          ins(%x : tensor<4xi8>) outs(%e : tensor<4xf32>) {
      ^bb0(%v: i8, %o: f32):
        %t = arith.constant dense<[1.5, 2.5, 3.5]> : tensor<3xf32>
        %i = arith.index_cast %v : i8 to index
        %s = tensor.extract %t[%i] : tensor<3xf32>
        linalg.yield %s : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    })",
                          {tensor<int8_t>({4}, {2, 0, 1, 2})}),
            (std::vector<float>{3.5, 1.5, 2.5, 3.5}));
}

TEST(Linalg, NamedMovement) {
  std::vector<TensorValue> results = run(
      R"(
    func.func @main(%x: tensor<2x3xi8>, %v: i8)
        -> (tensor<3x2xi8>, tensor<2x2x3xi8>, tensor<2x3xi8>, tensor<2x3xi8>) {
      %a = tensor.empty() : tensor<3x2xi8>
      %b = tensor.empty() : tensor<2x2x3xi8>
      %c = tensor.empty() : tensor<2x3xi8>
      %t = linalg.transpose ins(%x : tensor<2x3xi8>) outs(%a : tensor<3x2xi8>)
        permutation = [1, 0]
      %u = linalg.broadcast ins(%x : tensor<2x3xi8>)
        outs(%b : tensor<2x2x3xi8>) dimensions = [1]
      %f = linalg.fill ins(%v : i8) outs(%c : tensor<2x3xi8>) -> tensor<2x3xi8>
      %m = linalg.map { arith.addi } ins(%x, %f : tensor<2x3xi8>, tensor<2x3xi8>)
        outs(%c : tensor<2x3xi8>)
      return %t, %u, %f, %m : tensor<3x2xi8>, tensor<2x2x3xi8>,
        tensor<2x3xi8>, tensor<2x3xi8>
    })",
      {tensor<int8_t>({2, 3}, {1, 2, 3, 4, 5, 127}), tensor<int8_t>({}, {1})});
  ASSERT_EQ(results.size(), 4u);
  using I8 = std::vector<int8_t>;
  EXPECT_EQ(values<int8_t>(results[0]), (I8{1, 4, 2, 5, 3, 127}));
  EXPECT_EQ(values<int8_t>(results[1]),
            (I8{1, 2, 3, 1, 2, 3, 4, 5, 127, 4, 5, 127}));
  EXPECT_EQ(values<int8_t>(results[2]), (I8{1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(values<int8_t>(results[3]), (I8{2, 3, 4, 5, 6, -128}));
}

TEST(Linalg, UnusualMaps) {
  // A read that no stride describes, a result with several writers in order.
  EXPECT_EQ(runOne<int32_t>(R"(
    func.func @main(%x: tensor<3xi32>, %o: tensor<6xi32>) -> tensor<6xi32> {
      %r = linalg.generic {
          indexing_maps = [affine_map<(i) -> (i floordiv 2)>,
                           affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]}
          ins(%x : tensor<3xi32>) outs(%o : tensor<6xi32>) {
      ^bb0(%v: i32, %a: i32):
        %s = arith.addi %v, %a : i32
        linalg.yield %s : i32
      } -> tensor<6xi32>
      return %r : tensor<6xi32>
    })",
                            {tensor<int32_t>({3}, {10, 20, 30}),
                             tensor<int32_t>({6}, {0, 1, 2, 3, 4, 5})}),
            (std::vector<int32_t>{10, 11, 22, 23, 34, 35}));
  EXPECT_EQ(runOne<int32_t>(R"(
    func.func @main(%x: tensor<4xi32>, %o: tensor<2xi32>) -> tensor<2xi32> {
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i * 2 + j)>,
                           affine_map<(i, j) -> (j)>,
                           affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%x, %o : tensor<4xi32>, tensor<2xi32>) outs(%o : tensor<2xi32>) {
      ^bb0(%v: i32, %w: i32, %a: i32):
        %s = arith.muli %a, %a : i32
        %t = arith.addi %s, %v : i32
        linalg.yield %t : i32
      } -> tensor<2xi32>
      return %r : tensor<2xi32>
    })",
                            {tensor<int32_t>({4}, {1, 2, 3, 4}),
                             tensor<int32_t>({2}, {1, 2})}),
            (std::vector<int32_t>{6, 53}));
}

TEST(Linalg, IntegerMatmulWraps) {
  for (int64_t k : {1, 17, 70}) {
    Random random(k);
    std::vector<int32_t> a = random.integers<int32_t>(5 * k);
    std::vector<int32_t> b = random.integers<int32_t>(k * 7);
    std::vector<int32_t> c = random.integers<int32_t>(35), expected;
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 7; ++j) {
        uint32_t acc = c[i * 7 + j];
        for (int l = 0; l < k; ++l)
          acc += uint32_t(a[i * k + l]) * uint32_t(b[l * 7 + j]);
        expected.push_back(acc);
      }
    EXPECT_EQ(
        runOne<int32_t>(R"(
      func.func @main(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>,
                      %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
        %r = linalg.matmul ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>)
          outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
        return %r : tensor<?x?xi32>
      })",
                        {tensor<int32_t>({5, k}, a), tensor<int32_t>({k, 7}, b),
                         tensor<int32_t>({5, 7}, c)}),
        expected);
  }
}

TEST(Linalg, QuantizedMatmul) {
  Random random(3);
  std::vector<int8_t> a = random.integers<int8_t>(3 * 40);
  std::vector<int8_t> b = random.integers<int8_t>(40 * 37);
  std::vector<int32_t> expected(3 * 37);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 37; ++j)
      for (int l = 0; l < 40; ++l)
        expected[i * 37 + j] += (a[i * 40 + l] + 128) * (b[l * 37 + j] - 127);
  EXPECT_EQ(runOne<int32_t>(
                R"(
    func.func @main(%a: tensor<3x40xi8>, %b: tensor<40x37xi8>)
        -> tensor<3x37xi32> {
      %za = arith.constant -128 : i32
      %zb = arith.constant 127 : i32
      %c = arith.constant dense<0> : tensor<3x37xi32>
      %r = linalg.quantized_matmul
        ins(%a, %b, %za, %zb : tensor<3x40xi8>, tensor<40x37xi8>, i32, i32)
        outs(%c : tensor<3x37xi32>) -> tensor<3x37xi32>
      return %r : tensor<3x37xi32>
    })",
                {tensor<int8_t>({3, 40}, a), tensor<int8_t>({40, 37}, b)}),
            expected);
}

TEST(Linalg, Convolutions) {
  // NHWC, strides 2, and a depthwise one: batches of one column.
  Random random(4);
  std::vector<int8_t> x = random.integers<int8_t>(2 * 7 * 7 * 3);
  std::vector<int8_t> w = random.integers<int8_t>(3 * 3 * 3 * 5);
  std::vector<int8_t> d = random.integers<int8_t>(3 * 3 * 3);
  std::vector<int32_t> full, depthwise;
  for (int n = 0; n < 2; ++n)
    for (int h = 0; h < 3; ++h)
      for (int v = 0; v < 3; ++v) {
        auto at = [&](int kh, int kw, int c) {
          return x[((n * 7 + h * 2 + kh) * 7 + v * 2 + kw) * 3 + c];
        };
        for (int f = 0; f < 5; ++f) {
          int32_t acc = 0;
          for (int k = 0; k < 27; ++k)
            acc += at(k / 9, k / 3 % 3, k % 3) * w[k * 5 + f];
          full.push_back(acc);
        }
        for (int c = 0; c < 3; ++c) {
          int32_t acc = 0;
          for (int k = 0; k < 9; ++k)
            acc += at(k / 3, k % 3, c) * d[k * 3 + c];
          depthwise.push_back(acc);
        }
      }
  std::vector<TensorValue> results =
      run(R"(
    func.func @main(%x: tensor<2x7x7x3xi8>, %w: tensor<3x3x3x5xi8>,
                    %d: tensor<3x3x3xi8>)
        -> (tensor<2x3x3x5xi32>, tensor<2x3x3x3xi32>) {
      %a = arith.constant dense<0> : tensor<2x3x3x5xi32>
      %b = arith.constant dense<0> : tensor<2x3x3x3xi32>
      %f = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
        ins(%x, %w : tensor<2x7x7x3xi8>, tensor<3x3x3x5xi8>)
        outs(%a : tensor<2x3x3x5xi32>) -> tensor<2x3x3x5xi32>
      %g = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : tensor<2xi64>}
        ins(%x, %d : tensor<2x7x7x3xi8>, tensor<3x3x3xi8>)
        outs(%b : tensor<2x3x3x3xi32>) -> tensor<2x3x3x3xi32>
      return %f, %g : tensor<2x3x3x5xi32>, tensor<2x3x3x3xi32>
    })",
          {tensor<int8_t>({2, 7, 7, 3}, x), tensor<int8_t>({3, 3, 3, 5}, w),
           tensor<int8_t>({3, 3, 3}, d)});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(values<int32_t>(results[0]), full);
  EXPECT_EQ(values<int32_t>(results[1]), depthwise);
}

TEST(Linalg, Pooling) {
  std::vector<float> x = Random(11).reals(36), expected;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      expected.push_back(
          std::max(std::max(x[i * 6 + j], x[i * 6 + j + 1]),
                   std::max(x[i * 6 + j + 6], x[i * 6 + j + 7])));
  EXPECT_EQ(runOne<float>(R"(
    func.func @main(%x: tensor<1x6x6x1xf32>) -> tensor<1x5x5x1xf32> {
      %w = tensor.empty() : tensor<2x2xf32>
      %m = arith.constant dense<0xFF800000> : tensor<1x5x5x1xf32>
      %r = linalg.pooling_nhwc_max
        ins(%x, %w : tensor<1x6x6x1xf32>, tensor<2x2xf32>)
        outs(%m : tensor<1x5x5x1xf32>) -> tensor<1x5x5x1xf32>
      return %r : tensor<1x5x5x1xf32>
    })",
                          {tensor<float>({1, 6, 6, 1}, x)}),
            expected);
}

TEST(Linalg, FloatContractionIsAChain) {
  for (int64_t n : {1, 16, 33}) {
    Random random(n);
    std::vector<float> a = random.reals(3 * 50), b = random.reals(50 * n),
                       c = random.reals(3 * n), expected;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < n; ++j) {
        float acc = c[i * n + j];
        for (int k = 0; k < 50; ++k)
          acc = std::fma(a[i * 50 + k], b[k * n + j], acc);
        expected.push_back(acc);
      }
    EXPECT_EQ(bitsOf(runOne<float>(R"(
      func.func @main(%a: tensor<3x?xf32>, %b: tensor<?x?xf32>,
                      %c: tensor<3x?xf32>) -> tensor<3x?xf32> {
        %r = linalg.matmul ins(%a, %b : tensor<3x?xf32>, tensor<?x?xf32>)
          outs(%c : tensor<3x?xf32>) -> tensor<3x?xf32>
        return %r : tensor<3x?xf32>
      })",
                                   {tensor<float>({3, 50}, a),
                                    tensor<float>({50, n}, b),
                                    tensor<float>({3, n}, c)})),
              bitsOf(expected));
  }
}

TEST(Linalg, HalfContractionRoundsEveryStep) {
  // 2048 + 1 stays 2048 in f16 however often 1 is added.
  std::vector<uint16_t> ones(64, 0x3c00);
  std::string program = R"(
    func.func @main(%a: tensor<64xf16>, %c: tensor<ACC>) -> tensor<ACC> {
      %r = linalg.dot ins(%a, %a : tensor<64xf16>, tensor<64xf16>)
        outs(%c : tensor<ACC>) -> tensor<ACC>
      return %r : tensor<ACC>
    })";
  auto with = [&](const char *acc) {
    std::string text = program;
    for (size_t at; (at = text.find("ACC")) != std::string::npos;)
      text.replace(at, 3, acc);
    return text;
  };
  EXPECT_EQ(
      runOne<uint16_t>(with("f16"), {half({64}, ones), half({}, {0x6800})}),
      (std::vector<uint16_t>{0x6800}));
  EXPECT_EQ(
      runOne<float>(with("f32"), {half({64}, ones), tensor<float>({}, {2048})}),
      (std::vector<float>{2112}));
}

TEST(Linalg, ThreadsDoNotChangeBits) {
  const char *program = R"(
    func.func @main(%x: tensor<67x129xf32>) -> (tensor<67xf32>, tensor<67x67xf32>,
                                                tensor<67x129xf32>) {
      %z = arith.constant dense<0.0> : tensor<67xf32>
      %y = arith.constant dense<0.0> : tensor<67x67xf32>
      %s = linalg.reduce { arith.addf } ins(%x : tensor<67x129xf32>)
        outs(%z : tensor<67xf32>) dimensions = [1]
      %m = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                                          affine_map<(i, j, k) -> (j, k)>,
                                          affine_map<(i, j, k) -> (i, j)>]
        ins(%x, %x : tensor<67x129xf32>, tensor<67x129xf32>)
        outs(%y : tensor<67x67xf32>) -> tensor<67x67xf32>
      %e = math.exp %x : tensor<67x129xf32>
      return %s, %m, %e : tensor<67xf32>, tensor<67x67xf32>, tensor<67x129xf32>
    })";
  std::vector<TensorValue> inputs = {
      tensor<float>({67, 129}, Random(12).reals(67 * 129))};
  std::vector<TensorValue> one = run(program, inputs, 1);
  std::vector<TensorValue> many = run(program, inputs, 7);
  ASSERT_EQ(one.size(), 3u);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(bitsOf(values<float>(one[i])), bitsOf(values<float>(many[i])));
}
