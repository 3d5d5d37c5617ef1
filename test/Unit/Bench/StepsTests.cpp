//===- StepsTests.cpp -----------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps.h"
#include <gtest/gtest.h>

using namespace qcc;
using namespace qcc::bench;

TEST(Steps, FunctionsHaveTheAliasesOfTheirFile) {
  auto steps = splitSteps("// A comment.\n"
                          "#m = affine_map<(d0) -> (d0)>\n"
                          "\n"
                          "func.func @a(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                          "  return %x : tensor<4xf32>\n"
                          "}\n"
                          "// Between them.\n"
                          "func.func @b() {\n"
                          "  return\n"
                          "}\n");
  ASSERT_TRUE(bool(steps)) << llvm::toString(steps.takeError());
  ASSERT_EQ(steps->size(), 2u);
  EXPECT_EQ((*steps)[0].name, "a");
  EXPECT_EQ((*steps)[0].text,
            "#m = affine_map<(d0) -> (d0)>\n"
            "func.func @a(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  return %x : tensor<4xf32>\n"
            "}\n");
  EXPECT_EQ((*steps)[1].name, "b");
  EXPECT_EQ((*steps)[1].text, "#m = affine_map<(d0) -> (d0)>\n"
                              "func.func @b() {\n"
                              "  return\n"
                              "}\n");
}

TEST(Steps, TextWithoutFunctionsFails) {
  auto steps = splitSteps("module {\n  func.func @a() { return }\n}\n");
  ASSERT_FALSE(bool(steps));
  EXPECT_EQ(llvm::toString(steps.takeError()),
            "has no function that begins a line");
}

TEST(Steps, NamesOfShapesAreNoSteps) {
  EXPECT_EQ(findStepSuite("gemm"), std::nullopt);
  EXPECT_EQ(findStepSuite("a.json"), std::nullopt);
  EXPECT_EQ(findStepSuite("folder/a.mlir"), "folder/a.mlir");
}
