//===- ExtractKernelTests.cpp ---------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestKernel.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "qcc/Tuning/EntrySizes.h"
#include "qcc/Tuning/ExtractKernel.h"
#include "qcc/Tuning/KernelKey.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace qcc;
using namespace qcc::test;

TEST(ExtractKernel, OperandsBecomeArguments) {
  TestKernel kernel{KernelText()};
  auto extracted = extractKernel(kernel.contract);
  ASSERT_TRUE(static_cast<bool>(extracted));
  EXPECT_TRUE(succeeded(verify(*extracted->module)));
  auto entry = *extracted->module->getOps<func::FuncOp>().begin();
  EXPECT_EQ(entry.getName(), "kernel");
  EXPECT_EQ(entry.getResultTypes(), kernel.contract.getResultTypes());
  // The result's memory is no argument.
  ASSERT_EQ(extracted->arguments.size(), 3u);
  EXPECT_EQ(extracted->arguments[0], kernel.contract.getLhs());
  EXPECT_EQ(extracted->arguments[2], kernel.contract.getEpilogueOperands()[0]);
  kernel::ContractOp copy = extracted->contract();
  EXPECT_TRUE(copy.getOuts()[0].getDefiningOp<tensor::EmptyOp>());
  EXPECT_EQ(describeKernel(copy), describeKernel(kernel.contract));
}

TEST(ExtractKernel, ConstantsComeAlong) {
  KernelText text;
  text.scale = "%constant";
  TestKernel kernel(text);
  auto extracted = extractKernel(kernel.contract);
  ASSERT_TRUE(static_cast<bool>(extracted));
  EXPECT_EQ(extracted->arguments.size(), 2u);
  kernel::ContractOp copy = extracted->contract();
  EXPECT_TRUE(copy.getEpilogueOperands()[0].getDefiningOp<arith::ConstantOp>());
  EXPECT_EQ(fingerprintOf(copy), fingerprintOf(kernel.contract));
}

TEST(ExtractKernel, OneValueIsOneArgument) {
  TestKernel kernel(R"(
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%x: tensor<4x4xi8>, %o: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %y = kernel.contract lhs(%x : tensor<4x4xi8>) rhs(%x : tensor<4x4xi8>) outs(%o : tensor<4x4xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 4>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x4xi32>
  return %y : tensor<4x4xi32>
})");
  auto extracted = extractKernel(kernel.contract);
  ASSERT_TRUE(static_cast<bool>(extracted));
  EXPECT_EQ(extracted->arguments.size(), 1u);
}

/// An elementwise op on tensors has its operand for a destination.
TEST(ExtractKernel, ADestinationThatIsRead) {
  TestKernel kernel(R"(
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%x: tensor<4x4xi8>, %r: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %y = kernel.contract lhs(%x : tensor<4x4xi8>) rhs(%x : tensor<4x4xi8>)
      epilogue_ins(%r : tensor<4x4xi32>) outs(%r : tensor<4x4xi32>)
      {indexing_maps = [#mk, #nk, #mn, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 4>}
      epilogue {
      ^bb0(%acc: i32, %s: i32):
        %z = arith.addi %acc, %s : i32
        kernel.yield %z : i32
      } -> tensor<4x4xi32>
  return %y : tensor<4x4xi32>
})");
  ASSERT_TRUE(kernel.contract);
  auto extracted = extractKernel(kernel.contract);
  ASSERT_TRUE(static_cast<bool>(extracted));
  EXPECT_TRUE(succeeded(verify(*extracted->module)));
  ASSERT_EQ(extracted->arguments.size(), 2u);
  kernel::ContractOp copy = extracted->contract();
  EXPECT_TRUE(isa<BlockArgument>(copy.getEpilogueOperands()[0]));
  EXPECT_TRUE(copy.getOuts()[0].getDefiningOp<tensor::EmptyOp>());
}

/// As many windows of 3 elements, 2 apart, as fit into what they slide over.
TEST(ExtractKernel, WindowsOfAnUnknownSize) {
  TestKernel kernel(R"(
#x = affine_map<(m, n, k) -> (m * 2 + k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @f(%x: tensor<?xi8>, %w: tensor<4x3xi8>, %o: tensor<?x4xi32>) -> tensor<?x4xi32> {
  %y = kernel.contract lhs(%x : tensor<?xi8>) rhs(%w : tensor<4x3xi8>) outs(%o : tensor<?x4xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x4xi32>
  return %y : tensor<?x4xi32>
})");
  auto extracted = extractKernel(kernel.contract);
  ASSERT_TRUE(static_cast<bool>(extracted));
  EXPECT_TRUE(succeeded(verify(*extracted->module)));
  auto entry = *extracted->module->getOps<func::FuncOp>().begin();
  for (auto [size, windows] :
       {std::pair(3, 1), std::pair(4, 1), std::pair(5, 2), std::pair(16, 7)}) {
    std::vector<std::vector<int64_t>> shapes{{size}, {4, 3}};
    EntrySizes sizes(entry, shapes);
    EXPECT_EQ(sizes.sizeOf(extracted->contract().getOuts()[0], 0), windows);
  }
}

/// Windows reach into padding of 1 before the operand and 2 behind it.
TEST(ExtractKernel, PaddedWindowsOfAnUnknownSize) {
  TestKernel kernel(R"(
#x = affine_map<(m, n, k) -> (m * 2 + k, n)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @f(%x: tensor<?x4xi8>, %w: tensor<4x3xi8>, %o: tensor<?x4xi32>) -> tensor<?x4xi32> {
  %y = kernel.contract lhs(%x : tensor<?x4xi8>) rhs(%w : tensor<4x3xi8>) outs(%o : tensor<?x4xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>,
       lhs_padding = #kernel.padding<[1, 2, 0, 0], 0>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x4xi32>
  return %y : tensor<?x4xi32>
})");
  ASSERT_TRUE(kernel.contract);
  auto extracted = extractKernel(kernel.contract);
  ASSERT_TRUE(static_cast<bool>(extracted));
  auto entry = *extracted->module->getOps<func::FuncOp>().begin();
  for (auto [size, windows] :
       {std::pair(1, 1), std::pair(2, 2), std::pair(13, 7)}) {
    std::vector<std::vector<int64_t>> shapes{{size, 4}, {4, 3}};
    EntrySizes sizes(entry, shapes);
    EXPECT_EQ(sizes.sizeOf(extracted->contract().getOuts()[0], 0), windows);
  }
}

/// A dimension that the result alone has.
TEST(ExtractKernel, UnknownSizeOfAResult) {
  TestKernel kernel(R"(
#mk = affine_map<(b, m, n, k) -> (m, k)>
#nk = affine_map<(b, m, n, k) -> (n, k)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%x: tensor<4x4xi8>, %w: tensor<4x4xi8>, %o: tensor<?x4x4xi32>) -> tensor<?x4x4xi32> {
  %y = kernel.contract lhs(%x : tensor<4x4xi8>) rhs(%w : tensor<4x4xi8>) outs(%o : tensor<?x4x4xi32>)
      {indexing_maps = [#mk, #nk, #bmn], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 4>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x4x4xi32>
  return %y : tensor<?x4x4xi32>
})");
  ASSERT_TRUE(kernel.contract);
  auto extracted = extractKernel(kernel.contract);
  ASSERT_FALSE(static_cast<bool>(extracted));
  EXPECT_EQ(llvm::toString(extracted.takeError()),
            "no operand of the contraction has dimension 0 of its result");
}
