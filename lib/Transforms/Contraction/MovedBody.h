//===- MovedBody.h - Bodies that become parts of a contraction --*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_CONTRACTION_MOVEDBODY_H
#define QCC_LIB_TRANSFORMS_CONTRACTION_MOVEDBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "qcc/Transforms/Contraction/ContractParts.h"

namespace qcc {

/// The scalars from outside that the body of an op uses, constants aside.
llvm::SmallVector<mlir::Value> capturedScalars(mlir::linalg::GenericOp op);

/// The body of an elementwise op on its way into a block of a contraction,
/// whose first arguments, as many as `leading`, are the main operand, or the
/// accumulator and the total of groups, and whose others are `operands`.
class MovedBody {
public:
  MovedBody(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp from,
            mlir::Block *block, unsigned loops,
            llvm::SmallVectorImpl<MappedOperand> &operands,
            unsigned leading = 1)
      : rewriter(rewriter), from(from), block(block), loops(loops),
        operands(operands), leading(leading) {}

  /// The body's `inner` becomes `value`, which is in the block.
  void bindTo(mlir::Value inner, mlir::Value value) {
    mapping.map(inner, value);
  }
  /// The body's argument for `operand` becomes an operand of the contraction,
  /// which reads it with `map`.
  void bind(mlir::OpOperand &operand, mlir::AffineMap map);
  /// Scalars from outside that the body uses become operands.
  void bindCapturedScalars();
  /// Clones the constants that the body captures, and the body, before the
  /// terminator of the block; returns the values that it yields.
  llvm::SmallVector<mlir::Value> clone();

private:
  void bindOperand(mlir::Value inner, MappedOperand operand);
  void bindScalar(mlir::Value inner, mlir::Value scalar);

  mlir::RewriterBase &rewriter;
  mlir::linalg::GenericOp from;
  mlir::Block *block;
  unsigned loops;
  llvm::SmallVectorImpl<MappedOperand> &operands;
  unsigned leading;
  mlir::IRMapping mapping;
};

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_CONTRACTION_MOVEDBODY_H
