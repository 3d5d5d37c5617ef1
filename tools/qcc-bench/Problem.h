//===- Problem.h - One shape with its program and its data ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is computed, for qcc as a program and for the peer as parameters:
//
//   y = quantize(relu(sx * sw[n] * (bias[n] + sum over k of x[m, k] * w[n,
//   k])))
//
// with 8-bit x, w and y, one scale per output channel, and an i32 bias; of a
// convolution, m stands for a pixel of the result and k for an element of the
// window, which is 0 where it is padding. All zero points are 0.
// Products of two activations have one scale and neither bias nor relu. Weights
// are the program's own random constants, activations random over their whole
// range.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_BENCH_PROBLEM_H
#define QCC_TOOLS_QCC_BENCH_PROBLEM_H

#include "Suite.h"
#include "qcc/Runtime/Tensor.h"
#include "qcc/Support/HostTensor.h"

namespace qcc::bench {

class Problem {
public:
  /// Fails where memory does not suffice.
  static llvm::Expected<Problem> create(const Shape &shape, DataType type,
                                        bool fillData = true);

  /// The text of the program, whose only function is called `name`.
  std::string program(llvm::StringRef name = "f") const {
    return program(shape, name);
  }
  /// The same for another number of rows: `part` is a Shape::withRows().
  std::string program(const Shape &part, llvm::StringRef name = "f") const;

  /// What `dense_resource` of the program is filled from.
  static constexpr uint64_t kSeed = 7;

  Shape shape;
  DataType type = DataType::S8; ///< Of x and y.
  float lhsScale, rhsScale, resultScale;
  /// For each column; empty without weights.
  std::vector<float> weightScales;
  std::vector<int32_t> bias;
  std::vector<float> realBias; ///< The same of floats.
  HostTensor lhs, rhs;         ///< `rhs` only without weights.
  HostTensor result;

  bool isUnsigned() const { return type == DataType::U8; }
  bool isOfFloats() const { return type == DataType::F32; }
  rt::DType activationType() const {
    if (isOfFloats())
      return {QCC_FLOAT, 32};
    return {uint8_t(isUnsigned() ? QCC_UINT : QCC_INT), 8};
  }
  rt::DType rhsType() const {
    return isOfFloats() ? activationType() : rt::DType{QCC_INT, 8};
  }
  std::vector<rt::Tensor> inputs();
  rt::Tensor output();
};

} // namespace qcc::bench

#endif // QCC_TOOLS_QCC_BENCH_PROBLEM_H
