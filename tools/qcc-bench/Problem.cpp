//===- Problem.cpp - One shape with its program and its data --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"
#include "qcc/Support/Random.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
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

llvm::Expected<Problem> Problem::create(const Shape &shape, bool isUnsigned,
                                        bool fillData) {
  Problem problem;
  problem.shape = shape;
  problem.isUnsigned = isUnsigned;
  problem.lhsScale = 0.02f;
  problem.rhsScale = 0.01f;
  // The root mean square of uniform bytes, and the deviation of a sum of k
  // products: results shall fill their range and seldom leave it.
  double lhs = isUnsigned ? 147.2 : 73.9, rhs = 73.9;
  double deviation = std::sqrt(double(shape.k)) * lhs * rhs;
  problem.resultScale =
      float(double(problem.lhsScale) * problem.rhsScale * deviation / 50);
  if (!shape.batch)
    for (int64_t i = 0; i < shape.n; ++i) {
      problem.weightScales.push_back(
          float(problem.rhsScale * (0.5 + uniform(ScaleData, i))));
      problem.bias.push_back(
          int32_t((2 * uniform(BiasData, i) - 1) * deviation));
    }
  if (!fillData)
    return problem;

  rt::DType type = problem.activationType();
  auto x = allocate(type, problem.lhsShape(shape.m));
  if (!x)
    return x.takeError();
  fillRandom(*x, {kSeed}, LhsData);
  problem.lhs = std::move(*x);
  if (shape.batch) {
    auto y =
        allocate({QCC_INT, 8},
                 shape.transposeRhs
                     ? std::vector<int64_t>{shape.batch, shape.n, shape.k}
                     : std::vector<int64_t>{shape.batch, shape.k, shape.n});
    if (!y)
      return y.takeError();
    fillRandom(*y, {kSeed}, RhsData);
    problem.rhs = std::move(*y);
  }
  auto result = allocate(type, problem.resultShape(shape.m));
  if (!result)
    return result.takeError();
  problem.result = std::move(*result);
  return problem;
}

std::vector<int64_t> Problem::lhsShape(int64_t rows) const {
  if (shape.batch)
    return {shape.batch, rows, shape.k};
  return {rows, shape.k};
}

std::vector<int64_t> Problem::resultShape(int64_t rows) const {
  if (shape.batch)
    return {shape.batch, rows, shape.n};
  return {rows, shape.n};
}

std::vector<rt::Tensor> Problem::inputs() {
  std::vector<rt::Tensor> tensors;
  tensors.emplace_back(lhs.data(), lhs.dtype(), lhs.shape());
  if (shape.batch)
    tensors.emplace_back(rhs.data(), rhs.dtype(), rhs.shape());
  return tensors;
}

rt::Tensor Problem::output() {
  return {result.data(), result.dtype(), result.shape()};
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Nine digits name a float exactly.
static std::string text(float value) { return llvm::formatv("{0:e8}", value); }

static std::string quantized(const char *storage, const std::string &scale) {
  return "!quant.uniform<" + std::string(storage) + ":f32" + scale + ">";
}

std::string Problem::program(int64_t rows, llvm::StringRef name) const {
  const char *activation = isUnsigned ? "u8" : "i8";
  std::string out;
  llvm::raw_string_ostream os(out);
  std::string x = quantized(activation, ", " + text(lhsScale));
  std::string y = quantized(activation, ", " + text(resultScale));
  auto tensor = [](std::vector<int64_t> dims, const std::string &element) {
    std::string type = "tensor<";
    for (int64_t dim : dims)
      type += std::to_string(dim) + "x";
    return type + element + ">";
  };
  std::string xType = tensor(lhsShape(rows), x);
  std::string yType = tensor(resultShape(rows), y);
  if (shape.batch) {
    std::string z = quantized("i8", ", " + text(rhsScale));
    std::string zType =
        tensor({shape.batch, shape.transposeRhs ? shape.n : shape.k,
                shape.transposeRhs ? shape.k : shape.n},
               z);
    os << "func.func @" << name << "(%x: " << xType << ", %z: " << zType
       << ") -> " << yType << " {\n"
       << "  %y = qnn.matmul %x, %z"
       << (shape.transposeRhs ? " {transpose_rhs}" : "") << " : " << xType
       << ", " << zType << " -> " << yType << "\n"
       << "  return %y : " << yType << "\n}\n";
    return out;
  }
  std::string scales = ":0, {";
  for (int64_t i = 0; i < shape.n; ++i)
    scales += (i ? ", " : "") + text(weightScales[i]);
  std::string wType = tensor({shape.n, shape.k}, quantized("i8", scales + "}"));
  std::string bType = "tensor<" + std::to_string(shape.n) + "xi32>";
  os << "func.func @" << name << "(%x: " << xType << ") -> " << yType << " {\n"
     << "  %w = arith.constant dense_resource<" << name << "_w> : " << wType
     << "\n  %b = arith.constant dense<[";
  for (int64_t i = 0; i < shape.n; ++i)
    os << (i ? ", " : "") << bias[i];
  os << "]> : " << bType << "\n"
     << "  %y = qnn.linear %x, %w bias(%b : " << bType
     << ") {clamp_min = 0.000000e+00 : f32}\n    : " << xType << ", " << wType
     << " -> " << yType << "\n"
     << "  return %y : " << yType << "\n}\n";
  return out;
}
