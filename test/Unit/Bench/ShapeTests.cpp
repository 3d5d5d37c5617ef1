//===- ShapeTests.cpp -----------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"
#include <gtest/gtest.h>

using namespace qcc;
using namespace qcc::bench;

/// 9x7x12 to 20 channels by windows of 3x3.
static ConvolutionShape makeConvolution() {
  ConvolutionShape shape;
  shape.h = 9;
  shape.w = 7;
  shape.c = 12;
  shape.f = 20;
  shape.kh = shape.kw = 3;
  return shape;
}

TEST(Shape, NamesOfMatrices) {
  EXPECT_EQ(Shape(MatrixShape{0, 128, 768, 3072, false}).name(),
            "128x768x3072");
  EXPECT_EQ(Shape(MatrixShape{12, 128, 64, 96, true}).name(), "12x128x64x96t");
}

TEST(Shape, NamesOfConvolutions) {
  ConvolutionShape shape = makeConvolution();
  EXPECT_EQ(Shape(shape).name(), "9x7x12-20k3");
  shape.top = shape.bottom = shape.left = shape.right = 1;
  EXPECT_EQ(Shape(shape).name(), "9x7x12-20k3p1");
  shape.right = 2;
  shape.n = 8;
  shape.kw = 5;
  shape.stride = 2;
  shape.dilation = 3;
  shape.groups = 4;
  EXPECT_EQ(Shape(shape).name(), "8x9x7x12-20k3x5s2d3p1x1x1x2g4");
}

TEST(Shape, SizesOfMatrices) {
  Shape product(MatrixShape{12, 2, 3, 5, false});
  EXPECT_EQ(product.operations(), 720);
  EXPECT_EQ(product.rows(), 2);
  EXPECT_EQ(product.batches(), 12);
  EXPECT_FALSE(product.hasWeights());
  EXPECT_EQ(product.withRows(7).name(), "12x7x3x5");
  Shape layer(MatrixShape{0, 2, 3, 5, false});
  EXPECT_EQ(layer.operations(), 60);
  EXPECT_EQ(layer.batches(), 1);
  EXPECT_TRUE(layer.hasWeights());
  EXPECT_EQ(layer.rhsShape(), (std::vector<int64_t>{3, 5}));
}

TEST(Shape, SizesOfConvolutions) {
  ConvolutionShape conv = makeConvolution();
  conv.n = 2;
  conv.stride = 2;
  conv.dilation = 2;
  conv.groups = 4;
  conv.top = 1;
  conv.left = 3;
  Shape shape(conv);
  // Windows of 5x5 in images of 10x10.
  EXPECT_EQ(shape.resultShape(), (std::vector<int64_t>{2, 3, 3, 20}));
  EXPECT_EQ(shape.lhsShape(), (std::vector<int64_t>{2, 9, 7, 12}));
  EXPECT_EQ(shape.rhsShape(), (std::vector<int64_t>{20, 3, 3, 3}));
  EXPECT_EQ(shape.reduction(), 27);
  EXPECT_EQ(shape.columns(), 20);
  EXPECT_EQ(shape.rows(), 6);
  EXPECT_EQ(shape.operations(), 2 * 360 * 27);
  EXPECT_TRUE(shape.hasWeights());
  Shape part = shape.withRows(5);
  EXPECT_EQ(part.lhsShape(), (std::vector<int64_t>{5, 5, 7, 12}));
  EXPECT_EQ(part.resultShape(), (std::vector<int64_t>{5, 1, 3, 20}));
  EXPECT_EQ(part.rows(), 5);
}

TEST(Suite, RoundsUp) {
  Suite suite;
  suite.roundUp = {16, 64};
  EXPECT_EQ(suite.rounded(MatrixShape{0, 17, 16, 65, false}).name(),
            "32x16x128");
  ConvolutionShape conv = makeConvolution();
  EXPECT_EQ(suite.rounded(conv).name(), "9x7x64-32k3");
  // Each group by itself, or, where each channel is one, the number of groups.
  conv.groups = 2;
  EXPECT_EQ(suite.rounded(conv).name(), "9x7x128-32k3g2");
  conv.groups = 12;
  conv.f = 24;
  EXPECT_EQ(suite.rounded(conv).name(), "9x7x64-128k3g64");
}
