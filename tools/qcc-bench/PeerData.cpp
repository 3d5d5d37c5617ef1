//===- PeerData.cpp - A problem, handed to the peer -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeerData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

using namespace qcc;
using namespace qcc::bench;

/// The real values of the operands.
static void dequantize(const Problem &problem, const int8_t *rhs,
                       std::vector<float> &lhsReal, std::vector<float> &rhsReal,
                       std::vector<float> &biasReal) {
  const Shape &shape = problem.shape;
  if (problem.isOfFloats()) {
    const float *x = problem.lhs.as<float>();
    lhsReal.assign(x, x + problem.lhs.numElements());
    rhsReal.resize(shape.batches() * shape.columns() * shape.reduction());
    memcpy(rhsReal.data(), rhs, rhsReal.size() * sizeof(float));
    biasReal = problem.realBias;
    return;
  }
  int64_t count = problem.lhs.numElements();
  for (int64_t i = 0; i < count; ++i)
    lhsReal.push_back(problem.lhsScale *
                      (problem.isUnsigned()
                           ? float(problem.lhs.as<uint8_t>()[i])
                           : float(problem.lhs.as<int8_t>()[i])));
  int64_t k = shape.reduction();
  for (int64_t i = 0; i < shape.batches() * shape.columns() * k; ++i)
    rhsReal.push_back(float(rhs[i]) * (shape.hasWeights()
                                           ? problem.weightScales[i / k]
                                           : problem.rhsScale));
  for (auto [bias, scale] : llvm::zip(problem.bias, problem.weightScales))
    biasReal.push_back(float(bias) * problem.lhsScale * scale);
}

llvm::Expected<PeerData> PeerData::create(const Problem &from,
                                          const Kernel &kernel, bool isFloat) {
  PeerData data;
  const Shape &shape = from.shape;
  bool hasWeights = shape.hasWeights();
  const int8_t *rhs =
      hasWeights ? kernel.weights.data() : from.rhs.as<int8_t>();
  if (hasWeights && int64_t(kernel.weights.size()) != shape.columns() *
                                                          shape.reduction() *
                                                          rhsBytesOf(from.type))
    return llvm::createStringError("the weights of the program were not found");
  rt::DType type = isFloat ? rt::DType{QCC_FLOAT, 32} : from.activationType();
  auto out = HostTensor::create(type, shape.resultShape());
  if (!out.isOk())
    return llvm::createStringError(out.message());
  data.out = std::move(*out);

  PeerProblem &to = data.problem;
  to.shape = shape;
  to.isFloat = isFloat;
  to.isUnsigned = from.isUnsigned();
  to.out = data.out.data();
  if (isFloat) {
    dequantize(from, rhs, data.lhs, data.rhs, data.bias);
    to.lhs = data.lhs.data();
    to.rhs = data.rhs.data();
    to.bias = hasWeights ? data.bias.data() : nullptr;
  } else {
    to.lhs = from.lhs.data();
    to.rhs = rhs;
    to.bias = hasWeights ? from.bias.data() : nullptr;
    double scale = double(from.lhsScale) / from.resultScale;
    for (float weightScale : from.weightScales)
      to.scales.push_back(float(scale * weightScale));
    if (!hasWeights)
      to.scales.push_back(float(scale * from.rhsScale));
  }
  data.kernels = makePeerKernels(to, data.missing);
  return data;
}

/// 0 where the peer's floats are as near to qcc's as roundings explain, in any
/// order of the sum and, with more of them, by Winograd's formula; 255 where
/// they are not.
static int64_t differenceOfFloats(const Problem &problem,
                                  const HostTensor &out) {
  constexpr double kNear = 1e-3;
  double largest = 0, difference = 0;
  bool areNumbers = true;
  for (int64_t i = 0; i < out.numElements(); ++i) {
    double ours = problem.result.as<float>()[i], theirs = out.as<float>()[i];
    largest = std::max(largest, std::abs(ours));
    difference = std::max(difference, std::abs(theirs - ours));
    areNumbers &= std::isfinite(theirs);
  }
  return areNumbers && difference <= kNear * largest ? 0 : 255;
}

/// How far the peer's result is from qcc's, in units of the 8-bit result.
static int64_t differenceOf(const Problem &problem, const HostTensor &out) {
  if (problem.isOfFloats())
    return differenceOfFloats(problem, out);
  double low = problem.isUnsigned() ? 0 : -128;
  double high = problem.isUnsigned() ? 255 : 127, largest = 0;
  for (int64_t i = 0; i < out.numElements(); ++i) {
    double ours = problem.isUnsigned() ? double(problem.result.as<uint8_t>()[i])
                                       : double(problem.result.as<int8_t>()[i]);
    double theirs;
    if (out.dtype().isFloat())
      theirs = std::clamp(
          std::nearbyint(double(out.as<float>()[i]) / problem.resultScale), low,
          high);
    else
      theirs = problem.isUnsigned() ? double(out.as<uint8_t>()[i])
                                    : double(out.as<int8_t>()[i]);
    // A NaN is far from everything.
    double difference = std::abs(theirs - ours);
    largest = difference <= 255 ? std::max(largest, difference) : 255;
  }
  return int64_t(largest);
}

llvm::Expected<int64_t> PeerData::check(const Problem &from, bool exact) {
  int64_t largest = -1;
  std::vector<std::unique_ptr<PeerKernel>> working;
  for (std::unique_ptr<PeerKernel> &kernel : kernels) {
    memset(out.data(), 0x55, out.numBytes());
    if (!kernel->run())
      continue;
    int64_t difference = differenceOf(from, out);
    if (difference > 1 && (exact || problem.isFloat))
      return llvm::createStringError(llvm::formatv(
          "the peer's {0} differs from the result, which the reference "
          "confirms, by {1}: what is compared is not the same",
          kernel->name(), difference));
    largest = std::max(largest, difference);
    working.push_back(std::move(kernel));
  }
  kernels = std::move(working);
  if (kernels.empty() && missing.empty())
    missing = "no implementation of the peer ran";
  return largest;
}

std::vector<tools::TimedRun> PeerData::candidates(int threads) {
  constexpr double kNear = 1.15;
  constexpr size_t kMost = 3;
  std::vector<std::pair<double, tools::TimedRun>> timed;
  for (std::unique_ptr<PeerKernel> &kernel : kernels) {
    tools::TimedRun candidate;
    candidate.name = kernel->name();
    candidate.oneThread = threads == 1;
    candidate.run = [&kernel = *kernel](int64_t calls) {
      for (int64_t i = 0; i < calls; ++i)
        kernel.run();
    };
    // Its threads spin for some milliseconds more, on the CPUs of the next.
    if (threads > 1)
      candidate.leave = [] {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      };
    tools::TimedRun trial = candidate;
    calibrate(trial);
    tools::measure({&trial}, 2);
    timed.emplace_back(trial.median(), std::move(candidate));
  }
  llvm::sort(timed, llvm::less_first());
  std::vector<tools::TimedRun> near;
  for (auto &[seconds, candidate] : timed)
    if (near.size() < kMost && seconds <= kNear * timed.front().first)
      near.push_back(std::move(candidate));
  return near;
}
