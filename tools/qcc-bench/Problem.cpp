//===- Problem.cpp - One shape with its program and its data --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"
#include "qcc/Support/Random.h"
#include <cmath>

using namespace qcc;
using namespace qcc::bench;

/// Streams of random data.
enum Stream : uint64_t { LhsData, RhsData, ScaleData, BiasData };

static llvm::Expected<HostTensor> allocate(rt::DType type,
                                           std::vector<int64_t> shape) {
  rt::Result<HostTensor> tensor = HostTensor::create(type, std::move(shape));
  if (!tensor.isOk())
    return llvm::createStringError(tensor.message());
  return std::move(*tensor);
}

/// In [0, 1).
static double uniform(Stream stream, uint64_t index) {
  return (randomBits(Problem::kSeed, stream, index) >> 11) * 0x1p-53;
}

llvm::Expected<Problem> Problem::create(const Shape &shape, DataType type,
                                        bool fillData) {
  Problem problem;
  problem.shape = shape;
  problem.type = type;
  problem.lhsScale = 0.02f;
  problem.rhsScale = 0.01f;
  // The root mean square of uniform bytes, and the deviation of a sum of k
  // products: results shall fill their range and seldom leave it.
  double lhs = problem.isUnsigned() ? 147.2 : 73.9, rhs = 73.9;
  double deviation = std::sqrt(double(shape.reduction())) * lhs * rhs;
  problem.resultScale =
      float(double(problem.lhsScale) * problem.rhsScale * deviation / 50);
  if (shape.hasWeights())
    for (int64_t i = 0; i < shape.columns(); ++i) {
      problem.weightScales.push_back(
          float(problem.rhsScale * (0.5 + uniform(ScaleData, i))));
      problem.bias.push_back(
          int32_t((2 * uniform(BiasData, i) - 1) * deviation));
      problem.realBias.push_back(float(2 * uniform(BiasData, i) - 1));
    }
  if (!fillData)
    return problem;

  // Floats of both signs; bytes of their whole range.
  RandomSpec random{kSeed, -1, 1};
  auto x = allocate(problem.activationType(), shape.lhsShape());
  if (!x)
    return x.takeError();
  fillRandom(*x, random, LhsData);
  problem.lhs = std::move(*x);
  if (!shape.hasWeights()) {
    auto y = allocate(problem.rhsType(), shape.rhsShape());
    if (!y)
      return y.takeError();
    fillRandom(*y, random, RhsData);
    problem.rhs = std::move(*y);
  }
  auto result = allocate(problem.activationType(), shape.resultShape());
  if (!result)
    return result.takeError();
  problem.result = std::move(*result);
  return problem;
}

std::vector<rt::Tensor> Problem::inputs() {
  std::vector<rt::Tensor> tensors;
  tensors.emplace_back(lhs.data(), lhs.dtype(), lhs.shape());
  if (!shape.hasWeights())
    tensors.emplace_back(rhs.data(), rhs.dtype(), rhs.shape());
  return tensors;
}

rt::Tensor Problem::output() {
  return {result.data(), result.dtype(), result.shape()};
}
