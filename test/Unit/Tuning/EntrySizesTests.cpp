//===- EntrySizesTests.cpp ------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "qcc/Tuning/EntrySizes.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace qcc;

namespace {
/// f(%x: ?x3xf32, %y: ?x?xf32, %i: index) whose body is given.
struct Entry {
  explicit Entry(const std::string &body) {
    context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                        func::FuncDialect, linalg::LinalgDialect,
                        scf::SCFDialect, tensor::TensorDialect>();
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: tensor<?x3xf32>, %y: tensor<?x?xf32>, %i: index) {\n"
        "%c0 = arith.constant 0 : index\n"
        "%c1 = arith.constant 1 : index\n"
        "%m = tensor.dim %x, %c0 : tensor<?x3xf32>\n"
        "%n = tensor.dim %y, %c1 : tensor<?x?xf32>\n" +
            body + "\nreturn\n}",
        &context);
  }
  /// The shape of the last result before the return: x has 5 rows, y 7 by 11.
  std::optional<std::vector<int64_t>> shape() {
    EXPECT_TRUE(module);
    if (!module)
      return std::nullopt;
    auto entry = *module->getOps<func::FuncOp>().begin();
    Operation *last = entry.getBody().front().getTerminator()->getPrevNode();
    std::vector<std::vector<int64_t>> shapes{{5, 3}, {7, 11}, {}};
    return EntrySizes(entry, shapes).shapeOf(last->getResult(0));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

using Shape = std::vector<int64_t>;

TEST(EntrySizes, Arithmetic) {
  auto size = [](const std::string &body) {
    auto shape = Entry(body + "%e = tensor.empty(%s) : tensor<?xf32>").shape();
    return shape ? shape->front() : -1;
  };
  EXPECT_EQ(size("%s = arith.addi %m, %n : index\n"), 16);
  EXPECT_EQ(size("%s = arith.subi %n, %m : index\n"), 6);
  EXPECT_EQ(size("%s = arith.muli %n, %m : index\n"), 55);
  EXPECT_EQ(size("%s = arith.divui %n, %m : index\n"), 2);
  EXPECT_EQ(size("%s = arith.ceildivsi %n, %m : index\n"), 3);
  EXPECT_EQ(size("%s = arith.remsi %n, %m : index\n"), 1);
  EXPECT_EQ(size("%s = arith.minsi %n, %m : index\n"), 5);
  EXPECT_EQ(size("%s = arith.maxsi %n, %m : index\n"), 11);
  EXPECT_EQ(
      size("%s = affine.apply affine_map<(d)[s] -> (2 * d + s)>(%n)[%m]\n"),
      27);
  EXPECT_EQ(size("%j = arith.index_cast %n : index to i64\n"
                 "%s = arith.index_cast %j : i64 to index\n"),
            11);
  // What depends on data, and what is not defined.
  EXPECT_EQ(size("%s = arith.addi %m, %i : index\n"), -1);
  EXPECT_EQ(size("%s = arith.divui %m, %c0 : index\n"), -1);
  EXPECT_EQ(size("%s = arith.xori %m, %n : index\n"), -1);
}

TEST(EntrySizes, Overflow) {
  EXPECT_FALSE(Entry("%big = arith.constant 9223372036854775807 : index\n"
                     "%s = arith.muli %big, %m : index\n"
                     "%e = tensor.empty(%s) : tensor<?xf32>")
                   .shape());
}

TEST(EntrySizes, Movement) {
  EXPECT_EQ(
      Entry("%r = tensor.cast %y : tensor<?x?xf32> to tensor<?x?xf32>").shape(),
      Shape({7, 11}));
  EXPECT_EQ(Entry("%r = tensor.collapse_shape %y [[0, 1]] : tensor<?x?xf32> "
                  "into tensor<?xf32>")
                .shape(),
            Shape({77}));
  EXPECT_EQ(Entry("%r = tensor.expand_shape %x [[0, 1], [2]] output_shape "
                  "[1, %m, 3] : tensor<?x3xf32> into tensor<1x?x3xf32>")
                .shape(),
            Shape({1, 5, 3}));
  EXPECT_EQ(Entry("%r = tensor.extract_slice %y[0, 0] [1, %m] [1, 1] : "
                  "tensor<?x?xf32> to tensor<?xf32>")
                .shape(),
            Shape({5}));
  EXPECT_EQ(Entry("%z = arith.constant 0.0 : f32\n"
                  "%r = tensor.pad %x low[1, 0] high[%m, 0] {\n"
                  "^bb0(%a: index, %b: index):\n"
                  "tensor.yield %z : f32\n"
                  "} : tensor<?x3xf32> to tensor<?x3xf32>")
                .shape(),
            Shape({11, 3}));
  EXPECT_EQ(Entry("%r = tensor.concat dim(0) %x, %x : (tensor<?x3xf32>, "
                  "tensor<?x3xf32>) -> tensor<?x3xf32>")
                .shape(),
            Shape({10, 3}));
}

TEST(EntrySizes, Destinations) {
  EXPECT_EQ(Entry("%e = tensor.empty(%n, %m) : tensor<?x?xf32>\n"
                  "%z = arith.constant 0.0 : f32\n"
                  "%r = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) "
                  "-> tensor<?x?xf32>")
                .shape(),
            Shape({11, 5}));
  EXPECT_EQ(Entry("%r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> "
                  "(tensor<?x3xf32>) {\n"
                  "scf.yield %a : tensor<?x3xf32>\n}")
                .shape(),
            Shape({5, 3}));
}

TEST(EntrySizes, DependOnData) {
  EXPECT_FALSE(Entry("%e = tensor.empty(%i) : tensor<?xf32>").shape());
  EXPECT_FALSE(Entry("%b = arith.cmpi eq, %m, %n : index\n"
                     "%r = scf.if %b -> tensor<?x3xf32> {\n"
                     "scf.yield %x : tensor<?x3xf32>\n"
                     "} else {\n"
                     "%e = tensor.empty(%n) : tensor<?x3xf32>\n"
                     "scf.yield %e : tensor<?x3xf32>\n}")
                   .shape());
}
