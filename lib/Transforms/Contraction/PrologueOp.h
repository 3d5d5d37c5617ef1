//===- PrologueOp.h - Prologues as ops of their own -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_CONTRACTION_PROLOGUEOP_H
#define QCC_LIB_TRANSFORMS_CONTRACTION_PROLOGUEOP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qcc/Transforms/Contraction/ContractParts.h"

namespace qcc {

/// Creates the elementwise op that computes a prologue, over the dimensions of
/// `operand`, which has static sizes; `others` are those of the prologue. Null
/// where a dimension is no loop, or where one of `others` has a loop that
/// `operand` has not.
mlir::linalg::GenericOp createPrologueOp(mlir::OpBuilder &builder,
                                         mlir::Block &prologue,
                                         const MappedOperand &operand,
                                         llvm::ArrayRef<MappedOperand> others);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_CONTRACTION_PROLOGUEOP_H
