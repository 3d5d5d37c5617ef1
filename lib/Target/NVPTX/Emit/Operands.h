//===- Operands.h - The operands of a contraction ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_OPERANDS_H
#define QCC_LIB_TARGET_NVPTX_EMIT_OPERANDS_H

#include "ScalarCode.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

namespace qcc::nvptx {

/// What all strategies do with the operands of a contraction.
class Operands {
public:
  Operands(ScalarCode &code, kernel::ContractOp op) : code(code), op(op) {}

  /// The size of a parallel loop: all of them index the first result.
  mlir::OpFoldResult sizeOf(unsigned loop);
  /// A byte of the left or the right operand, the prologue applied. The right
  /// one is not packed.
  mlir::Value lhs(const Point &point);
  mlir::Value rhs(const Point &point);
  /// Zero points as i32; null for an operand without a zero point.
  mlir::Value lhsZeroPoint(const Point &point);
  mlir::Value rhsZeroPoint(const Point &point);
  /// The initial value of the accumulator or of the total of groups of K, 0 if
  /// the contraction has no initial value.
  mlir::Value init(const Point &point);
  /// The total of groups of K with the sum of one more.
  mlir::Value addGroup(mlir::Value sum, mlir::Value total, const Point &point);
  /// Applies the epilogue to an accumulator or a total and stores the results.
  void storeResults(mlir::Value accumulator, const Point &point);

private:
  ScalarCode &code;
  kernel::ContractOp op;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_OPERANDS_H
