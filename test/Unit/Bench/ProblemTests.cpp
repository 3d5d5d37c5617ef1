//===- ProblemTests.cpp ---------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That the checks of qcc-bench notice a wrong number.
//
//===----------------------------------------------------------------------===//

#include "Isa.h"
#include "Kernel.h"
#include "PeerData.h"
#include "qcc/Runtime/Context.h"
#include <gtest/gtest.h>

using namespace qcc;
using namespace qcc::bench;

namespace {
/// A problem whose result compiled code has computed.
struct Solved {
  Problem problem;
  Kernel kernel;
};
} // namespace

static void solve(const Shape &shape, DataType type, Solved &solved) {
  const rt::HostFeatures &host = rt::HostFeatures::host();
  auto target = findIsa("best", host)->target(host);
  ASSERT_TRUE(bool(target));
  auto problem = Problem::create(shape, type);
  ASSERT_TRUE(bool(problem));
  solved.problem = std::move(*problem);
  auto kernel = compile(solved.problem.program(), *target);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  solved.kernel = std::move(*kernel);
  auto context = rt::Context::create(solved.kernel.module, "");
  ASSERT_TRUE(context.isOk()) << context.message();
  std::vector<rt::Tensor> outputs{solved.problem.output()};
  rt::Status status = (*context)->run(solved.problem.inputs(), outputs);
  ASSERT_TRUE(status.isOk()) << status.message();
}

static std::string check(const Problem &problem) {
  return llvm::toString(checkAgainstReference(problem));
}

/// Few results are clamped, and the relu makes some of them 0.
static void expectFullRange(const Shape &shape, DataType type) {
  Solved solved;
  solve(shape, type, solved);
  int64_t saturated = 0, zero = 0, count = solved.problem.result.numElements();
  for (int64_t i = 0; i < count; ++i) {
    uint8_t value = solved.problem.result.as<uint8_t>()[i];
    saturated += value == (type == DataType::U8 ? 255 : 127);
    zero += value == 0;
  }
  EXPECT_LT(saturated, count / 10);
  EXPECT_GT(zero, count / 10);
  EXPECT_LT(zero, count);
}

TEST(Problem, ResultsFillTheirRange) {
  for (DataType type : {DataType::S8, DataType::U8})
    expectFullRange(MatrixShape{0, 64, 48, 96, false}, type);
}

TEST(Problem, WrongNumbersAreFound) {
  Solved solved;
  solve(MatrixShape{0, 37, 19, 65, false}, DataType::S8, solved);
  EXPECT_EQ(check(solved.problem), "");
  int8_t &value = solved.problem.result.as<int8_t>()[36 * 19 + 5];
  int expected = value;
  value ^= 1;
  EXPECT_EQ(check(solved.problem),
            "wrong numbers: 1 of 703 elements differ from the reference, the "
            "first at row 36, column 5: " +
                std::to_string(int(value)) + " instead of " +
                std::to_string(expected) + "; this is a bug of qcc");
}

TEST(Problem, WrongNumbersOfABatchAreFound) {
  for (bool transposed : {false, true}) {
    Solved solved;
    solve(MatrixShape{3, 5, 7, 12, transposed}, DataType::U8, solved);
    EXPECT_EQ(check(solved.problem), "");
    solved.problem.result.as<uint8_t>()[2 * 35 + 3 * 7 + 1] ^= 128;
    EXPECT_NE(check(solved.problem).find("row 3, column 1"), std::string::npos)
        << check(solved.problem);
  }
}

TEST(Problem, LargeOnesAreSampledAtTheirEdges) {
  Solved solved;
  solve(MatrixShape{0, 5000, 64, 1024, false}, DataType::S8, solved);
  EXPECT_EQ(check(solved.problem), "");
  for (int64_t row : {0, 7, 4992, 4999}) {
    solved.problem.result.as<int8_t>()[row * 64] ^= 1;
    EXPECT_NE(check(solved.problem), "") << row;
    solved.problem.result.as<int8_t>()[row * 64] ^= 1;
  }
}

/// Two images of 9x7x12, to 8x7x20, with padding that differs from side to
/// side.
static ConvolutionShape smallConvolution(int64_t groups) {
  ConvolutionShape shape;
  shape.n = 2;
  shape.h = 9;
  shape.w = 7;
  shape.c = 12;
  shape.f = 20;
  shape.kh = 3;
  shape.kw = 2;
  shape.dilation = 2;
  shape.groups = groups;
  shape.top = 1;
  shape.bottom = 2;
  shape.left = 2;
  shape.right = 0;
  return shape;
}

TEST(Problem, ConvolutionsFillTheirRange) {
  for (DataType type : {DataType::S8, DataType::U8})
    expectFullRange(smallConvolution(1), type);
}

TEST(Problem, WrongNumbersOfAConvolutionAreFound) {
  for (int64_t groups : {1, 4}) {
    Solved solved;
    solve(smallConvolution(groups), DataType::U8, solved);
    EXPECT_EQ(check(solved.problem), "");
    // The corners are computed of padding for the most part.
    ASSERT_EQ(solved.problem.result.shape(),
              (std::vector<int64_t>{2, 8, 7, 20}));
    solved.problem.result.as<uint8_t>()[((8 + 7) * 7 + 6) * 20 + 19] ^= 1;
    EXPECT_NE(
        check(solved.problem).find("image 1, row 7, column 6, channel 19: "),
        std::string::npos)
        << check(solved.problem);
  }
}

/// The difference that was found, or the error.
static std::string differenceOfPeer(const Solved &solved, bool isFloat,
                                    bool exact) {
  auto data = PeerData::create(solved.problem, solved.kernel, isFloat);
  if (!data)
    return llvm::toString(data.takeError());
  if (!data->missing.empty())
    return data->missing;
  auto difference = data->check(solved.problem, exact);
  return difference ? std::to_string(*difference)
                    : llvm::toString(difference.takeError());
}

TEST(Problem, PeerIsComparedWith) {
  if (peerVersion().empty())
    GTEST_SKIP() << "built without a peer";
  Shape shapes[] = {MatrixShape{0, 33, 20, 70, false},
                    MatrixShape{2, 33, 20, 70, false}, smallConvolution(1),
                    smallConvolution(4)};
  bool hasAVX512 = rt::HostFeatures::host().has("avx512bw");
  for (bool isFloat : {false, true})
    for (const Shape &shape : shapes) {
      Solved solved;
      solve(shape, DataType::U8, solved);
      std::string difference =
          differenceOfPeer(solved, isFloat, /*exact=*/false);
      // oneDNN convolves groups of a few int8 channels with AVX-512 only.
      if (!hasAVX512 && !isFloat && shape.convolution() &&
          shape.convolution()->groups > 1 &&
          difference == "oneDNN has no optimized implementation")
        continue;
      int64_t number = -1;
      EXPECT_FALSE(llvm::StringRef(difference).getAsInteger(10, number))
          << shape.name() << ": " << difference;
      EXPECT_GE(number, 0);
      // Without VNNI the peer itself is not exact.
      EXPECT_LE(number, isFloat ? 1 : 128);
      if (!isFloat)
        continue;
      uint8_t &value = solved.problem.result.as<uint8_t>()[7];
      value = value > 100 ? value - 3 : value + 3;
      std::string message = differenceOfPeer(solved, isFloat, /*exact=*/true);
      EXPECT_NE(message.find("differs from the result"), std::string::npos)
          << message;
    }
}

TEST(Problem, PeerOffersConvolutionsInSeveralLayouts) {
  if (peerVersion().empty())
    GTEST_SKIP() << "built without a peer";
  // Large enough for layouts in blocks and, with AVX-512, for Winograd.
  ConvolutionShape shape;
  shape.h = shape.w = 14;
  shape.c = shape.f = 64;
  shape.kh = shape.kw = 3;
  shape.top = shape.bottom = shape.left = shape.right = 1;
  Solved solved;
  solve(shape, DataType::S8, solved);
  std::string found =
      differenceOfPeer(solved, /*isFloat=*/true, /*exact=*/true);
  EXPECT_TRUE(found == "0" || found == "1") << found;
  std::vector<float> lhs(14 * 14 * 64), rhs(64 * 9 * 64), bias(64), out(lhs);
  PeerProblem problem;
  problem.shape = shape;
  problem.isFloat = true;
  problem.lhs = lhs.data();
  problem.rhs = rhs.data();
  problem.bias = bias.data();
  problem.out = out.data();
  std::string error;
  auto kernels = makePeerKernels(problem, error);
  EXPECT_EQ(error, "");
  int64_t inPlace = 0, reordered = 0;
  for (const std::unique_ptr<PeerKernel> &kernel : kernels) {
    std::string text = kernel->name();
    llvm::StringRef name = text;
    inPlace += !name.contains("reordered");
    reordered += name.ends_with(", source reordered, result reordered");
  }
  EXPECT_GT(inPlace, 0);
  EXPECT_GT(reordered, 0);
}

TEST(Problem, CompilerMessagesArrive) {
  const rt::HostFeatures &host = rt::HostFeatures::host();
  auto target = findIsa("best", host)->target(host);
  ASSERT_TRUE(bool(target));
  auto kernel = compile("func.func @f( {", *target);
  ASSERT_FALSE(bool(kernel));
  EXPECT_NE(llvm::toString(kernel.takeError()), "");
}
