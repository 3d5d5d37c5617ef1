//===- MatrixAtom.h - Fragments by matrix instructions ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_MATRIXATOM_H
#define QCC_LIB_TARGET_NVPTX_EMIT_MATRIXATOM_H

#include "ScalarCode.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/NVPTX/Spec.h"

namespace qcc::nvptx {

/// Words that a thread has of a fragment of each operand, and sums.
inline constexpr int64_t kLhsWords = 4, kRhsWords = 2, kSums = 4;

/// Multiplies 16 rows by 8 columns over 32 elements of K, by one instruction or
/// several of a smaller atom.
class MatrixAtom {
public:
  MatrixAtom(ScalarCode &code, kernel::ContractOp op, const Atom &atom)
      : code(code), op(op), atom(atom) {}

  /// With g = lane / 4, words of the left operand are of rows g and g + 8 of
  /// the first half of K, then of the second one; those of the right one are of
  /// column g of both halves. Sums are of row g, in two columns, and of row g +
  /// 8. Without `hasHighRows` the rows from 8 on do not count.
  void multiply(mlir::ValueRange lhs, mlir::ValueRange rhs,
                llvm::MutableArrayRef<mlir::Value> sums,
                bool hasHighRows = true);

private:
  void emit(mlir::ValueRange lhs, mlir::ValueRange rhs,
            llvm::ArrayRef<mlir::Value *> accumulators);

  ScalarCode &code;
  kernel::ContractOp op;
  const Atom &atom;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_MATRIXATOM_H
