//===- ExtractKernel.h - A contraction as a program -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TUNING_EXTRACTKERNEL_H
#define QCC_TUNING_EXTRACTKERNEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "llvm/Support/Error.h"

namespace qcc {

/// A program that holds one contraction and what it needs.
struct ExtractedKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// What the arguments of its entry `kernel` were, in order: values of the
  /// program that it was taken from.
  llvm::SmallVector<mlir::Value> arguments;

  /// The contraction in `module`.
  kernel::ContractOp contract() const;
};

/// Copies a contraction on tensors that is not packed. Constants that it reads
/// are copied too; its other operands become arguments. Fails where the
/// operands do not tell the size of a result.
llvm::Expected<ExtractedKernel> extractKernel(kernel::ContractOp op);

} // namespace qcc

#endif // QCC_TUNING_EXTRACTKERNEL_H
