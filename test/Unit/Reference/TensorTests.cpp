//===- TensorTests.cpp - tensor, scf, func and constants ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace qcc::reference;
using namespace qcc::reference::test;

using I32 = std::vector<int32_t>;
static TensorValue iota(std::vector<int64_t> shape) {
  TensorValue result = TensorValue::allocate(typeOf<int32_t>(), shape);
  for (int32_t i = 0; i < result.elementCount(); ++i)
    reinterpret_cast<int32_t *>(result.bytes.get())[i] = i;
  return result;
}

TEST(Tensor, Slices) {
  EXPECT_EQ(runOne<int32_t>(R"(
    func.func @main(%a: tensor<3x4xi32>) -> tensor<2xi32> {
      %r = tensor.extract_slice %a[1, 0] [1, 2] [1, 2]
        : tensor<3x4xi32> to tensor<2xi32>
      return %r : tensor<2xi32>
    })",
                            {iota({3, 4})}),
            (I32{4, 6}));
  EXPECT_EQ(runOne<int32_t>(R"(
    func.func @main(%a: tensor<2xi32>, %b: tensor<2x3xi32>) -> tensor<2x3xi32> {
      %r = tensor.insert_slice %a into %b[0, 1] [2, 1] [1, 1]
        : tensor<2xi32> into tensor<2x3xi32>
      return %r : tensor<2x3xi32>
    })",
                            {tensor<int32_t>({2}, {-1, -2}), iota({2, 3})}),
            (I32{0, -1, 2, 3, -2, 5}));
}

TEST(Tensor, PadConcatGather) {
  EXPECT_EQ(runOne<int32_t>(
                R"(
    func.func @main(%a: tensor<1x2xi32>, %n: index) -> tensor<2x?xi32> {
      %r = tensor.pad %a low[1, %n] high[0, 1] {
      ^bb0(%i: index, %j: index):
        %s = arith.addi %i, %j : index
        %v = arith.index_cast %s : index to i32
        tensor.yield %v : i32
      } : tensor<1x2xi32> to tensor<2x?xi32>
      return %r : tensor<2x?xi32>
    })",
                {tensor<int32_t>({1, 2}, {-1, -2}), tensor<int64_t>({}, {1})}),
            (I32{0, 1, 2, 3, 1, -1, -2, 4}));
  EXPECT_EQ(runOne<int32_t>(R"(
    func.func @main(%a: tensor<2x1xi32>, %b: tensor<2x2xi32>)
        -> tensor<2x3xi32> {
      %r = tensor.concat dim(1) %a, %b
        : (tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<2x3xi32>
      return %r : tensor<2x3xi32>
    })",
                            {tensor<int32_t>({2, 1}, {8, 9}), iota({2, 2})}),
            (I32{8, 0, 1, 9, 2, 3}));
  EXPECT_EQ(runOne<int32_t>(R"(
    func.func @main(%a: tensor<3x2xi32>, %i: tensor<2x1xindex>)
        -> tensor<2x2xi32> {
      %r = tensor.gather %a[%i] gather_dims([0])
        : (tensor<3x2xi32>, tensor<2x1xindex>) -> tensor<2x2xi32>
      return %r : tensor<2x2xi32>
    })",
                            {iota({3, 2}), tensor<int64_t>({2, 1}, {2, 0})}),
            (I32{4, 5, 0, 1}));
}

TEST(Tensor, Reshapes) {
  std::vector<TensorValue> results =
      run(R"(
    func.func @main(%a: tensor<?x4xi32>, %s: tensor<2xindex>)
        -> (tensor<?x2x2xi32>, tensor<?xi32>, tensor<2x?xi32>, index, index) {
      %z = arith.constant 0 : index
      %n = tensor.dim %a, %z : tensor<?x4xi32>
      %e = tensor.expand_shape %a [[0], [1, 2]] output_shape [%n, 2, 2]
        : tensor<?x4xi32> into tensor<?x2x2xi32>
      %c = tensor.collapse_shape %a [[0, 1]]
        : tensor<?x4xi32> into tensor<?xi32>
      %t = tensor.reshape %a(%s)
        : (tensor<?x4xi32>, tensor<2xindex>) -> tensor<2x?xi32>
      %r = tensor.rank %e : tensor<?x2x2xi32>
      return %e, %c, %t, %n, %r
        : tensor<?x2x2xi32>, tensor<?xi32>, tensor<2x?xi32>, index, index
    })",
          {iota({3, 4}), tensor<int64_t>({2}, {2, 6})});
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(results[0].shape, (std::vector<int64_t>{3, 2, 2}));
  EXPECT_EQ(results[1].shape, (std::vector<int64_t>{12}));
  EXPECT_EQ(results[2].shape, (std::vector<int64_t>{2, 6}));
  EXPECT_EQ(values<int32_t>(results[2]), values<int32_t>(iota({12})));
  EXPECT_EQ(values<int64_t>(results[3])[0], 3);
  EXPECT_EQ(values<int64_t>(results[4])[0], 3);
}

TEST(Tensor, Construction) {
  EXPECT_EQ(
      runOne<int32_t>(R"(
    func.func @main(%n: index, %v: i32) -> tensor<2x?xi32> {
      %g = tensor.generate %n {
      ^bb0(%i: index, %j: index):
        %c = arith.cmpi eq, %i, %j : index
        %x = scf.if %c -> i32 {
          %y = arith.index_cast %j : index to i32
          scf.yield %y : i32
        } else {
          scf.yield %v : i32
        }
        tensor.yield %x : i32
      } : tensor<2x?xi32>
      return %g : tensor<2x?xi32>
    })",
                      {tensor<int64_t>({}, {3}), tensor<int32_t>({}, {7})}),
      (I32{0, 7, 7, 7, 1, 7}));
  EXPECT_EQ(
      runOne<int32_t>(R"(
    func.func @main(%v: i32, %w: i32) -> tensor<4xi32> {
      %i = arith.constant 2 : index
      %a = tensor.splat %v : tensor<2xi32>
      %b = tensor.from_elements %w, %v : tensor<2xi32>
      %c = tensor.concat dim(0) %a, %b
        : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
      %x = tensor.extract %c[%i] : tensor<4xi32>
      %y = arith.addi %x, %x : i32
      %r = tensor.insert %y into %c[%i] : tensor<4xi32>
      return %r : tensor<4xi32>
    })",
                      {tensor<int32_t>({}, {1}), tensor<int32_t>({}, {2})}),
      (I32{1, 1, 4, 1}));
}

TEST(Tensor, Constants) {
  std::vector<TensorValue> results = run(R"(
    func.func @main() -> (tensor<2xi8>, tensor<3xf32>, tensor<2xi1>,
                          tensor<2xf16>, tensor<2xindex>, tensor<2xf32>,
                          tensor<2xi4>) {
      %a = arith.constant dense<[-1, 2]> : tensor<2xi8>
      %b = arith.constant dense<0.5> : tensor<3xf32>
      %c = arith.constant dense<[true, false]> : tensor<2xi1>
      %d = arith.constant dense<1.0> : tensor<2xf16>
      %e = arith.constant dense<[3, -4]> : tensor<2xindex>
      %f = arith.constant dense_resource<w> : tensor<2xf32>
      %g = arith.constant dense<[7, -8]> : tensor<2xi4>
      return %a, %b, %c, %d, %e, %f, %g
        : tensor<2xi8>, tensor<3xf32>, tensor<2xi1>, tensor<2xf16>,
          tensor<2xindex>, tensor<2xf32>, tensor<2xi4>
    }
    {-# dialect_resources: { builtin: {
      w: "0x040000000000803F00000040" } } #-})");
  ASSERT_EQ(results.size(), 7u);
  EXPECT_EQ(values<int8_t>(results[0]), (std::vector<int8_t>{-1, 2}));
  EXPECT_EQ(values<float>(results[1]), (std::vector<float>{0.5, 0.5, 0.5}));
  EXPECT_EQ(values<uint8_t>(results[2]), (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(values<uint16_t>(results[3]),
            (std::vector<uint16_t>{0x3c00, 0x3c00}));
  EXPECT_EQ(values<int64_t>(results[4]), (std::vector<int64_t>{3, -4}));
  EXPECT_EQ(values<float>(results[5]), (std::vector<float>{1, 2}));
  EXPECT_EQ(values<int8_t>(results[6]), (std::vector<int8_t>{7, -8}));
}

TEST(ControlFlow, LoopsAndCalls) {
  // 10! by a loop, 2^k above 100 by a while, both through a call.
  std::vector<TensorValue> results = run(R"(
    func.func @work(%n: index) -> (i64, i64) {
      %one = arith.constant 1 : index
      %i1 = arith.constant 1 : i64
      %limit = arith.constant 100 : i64
      %end = affine.apply affine_map<(d0) -> (d0 + 1)>(%n)
      %f = scf.for %i = %one to %end step %one iter_args(%a = %i1) -> i64 {
        %v = arith.index_cast %i : index to i64
        %m = arith.muli %a, %v : i64
        scf.yield %m : i64
      }
      %w = scf.while (%a = %i1) : (i64) -> i64 {
        %c = arith.cmpi slt, %a, %limit : i64
        scf.condition(%c) %a : i64
      } do {
      ^bb0(%a: i64):
        %d = arith.addi %a, %a : i64
        scf.yield %d : i64
      }
      return %f, %w : i64, i64
    }
    func.func @main(%n: index) -> (i64, i64, index) {
      %r:2 = func.call @work(%n) : (index) -> (i64, i64)
      %m = affine.min affine_map<(d0) -> (d0 floordiv 3, 7)>(%n)
      return %r#0, %r#1, %m : i64, i64, index
    })",
                                         {tensor<int64_t>({}, {10})});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(values<int64_t>(results[0])[0], 3628800);
  EXPECT_EQ(values<int64_t>(results[1])[0], 128);
  EXPECT_EQ(values<int64_t>(results[2])[0], 3);
}

// N11: indices that depend on data are clamped, offsets so that the slice fits.
TEST(Tensor, ClampsIndices) {
  TensorValue a = tensor<float>({5}, {0, 1, 2, 3, 4});
  auto at = [](int64_t value) { return tensor<int64_t>({}, {value}); };
  const char *extract = R"(
    func.func @main(%a: tensor<5xf32>, %i: index) -> tensor<3xf32> {
      %c2 = arith.constant 2 : index
      %j = arith.muli %i, %c2 : index
      %k = tensor.extract %a[%j] : tensor<5xf32>
      %s = tensor.extract_slice %a[%i] [2] [2] : tensor<5xf32> to tensor<2xf32>
      %e = tensor.from_elements %k : tensor<1xf32>
      %r = tensor.concat dim(0) %e, %s
        : (tensor<1xf32>, tensor<2xf32>) -> tensor<3xf32>
      return %r : tensor<3xf32>
    })";
  using Floats = std::vector<float>;
  EXPECT_EQ(runOne<float>(extract, {a, at(1)}), (Floats{2, 1, 3}));
  EXPECT_EQ(runOne<float>(extract, {a, at(3)}), (Floats{4, 2, 4}));
  EXPECT_EQ(runOne<float>(extract, {a, at(-1)}), (Floats{0, 0, 2}));
  EXPECT_EQ(runOne<float>(extract, {a, at(INT64_MAX)}), (Floats{0, 2, 4}));
  const char *insert = R"(
    func.func @main(%a: tensor<5xf32>, %i: index, %s: tensor<2xf32>, %v: f32)
        -> tensor<5xf32> {
      %0 = tensor.insert_slice %s into %a[%i] [2] [1]
        : tensor<2xf32> into tensor<5xf32>
      %1 = tensor.insert %v into %0[%i] : tensor<5xf32>
      return %1 : tensor<5xf32>
    })";
  TensorValue s = tensor<float>({2}, {8, 9}), v = tensor<float>({}, {7});
  EXPECT_EQ(runOne<float>(insert, {a, at(2), s, v}), (Floats{0, 1, 7, 9, 4}));
  EXPECT_EQ(runOne<float>(insert, {a, at(4), s, v}), (Floats{0, 1, 2, 8, 7}));
  EXPECT_EQ(runOne<float>(insert, {a, at(-9), s, v}), (Floats{7, 9, 2, 3, 4}));
  EXPECT_EQ(runOne<int64_t>(R"(
    func.func @main(%a: tensor<?xf32>, %i: index) -> index {
      %r = tensor.dim %a, %i : tensor<?xf32>
      return %r : index
    })",
                            {a, at(1)}),
            std::vector<int64_t>{5});
}
