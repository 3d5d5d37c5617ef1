//===- Contraction.h - Shared checks of contractions ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constraints of qnn.linear, matmul, conv2d and conv_transpose2d that do
// not depend on how their operands are indexed.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_DIALECT_QNN_IR_CONTRACTION_H
#define QCC_LIB_DIALECT_QNN_IR_CONTRACTION_H

#include "qcc/Dialect/QNN/IR/QNN.h"

namespace qcc::qnn {

mlir::Type elementOf(mlir::Value tensor);
llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor);

/// Whether the result of a contraction is its accumulator.
bool yieldsInt32(mlir::Value result);
/// Whether the result of a contraction is neither real nor its accumulator.
bool isQuantizedResult(mlir::Value result);

/// Checks the bounds of a clamp; each may be absent.
mlir::LogicalResult verifyClampBounds(mlir::Operation *op,
                                      std::optional<llvm::APFloat> low,
                                      std::optional<llvm::APFloat> high);

/// A contraction apart from shapes.
struct ContractionTensors {
  QuantTensor lhs, rhs, result;
  mlir::Value bias; ///< or null
  std::optional<llvm::APFloat> clampMin, clampMax;
  int64_t k; ///< the size of the reduction
};

/// Checks element types, parameters, bias, clamp, and that the sum cannot
/// overflow (N2).
mlir::LogicalResult verifyContraction(mlir::Operation *op,
                                      const ContractionTensors &tensors);

} // namespace qcc::qnn

#endif // QCC_LIB_DIALECT_QNN_IR_CONTRACTION_H
