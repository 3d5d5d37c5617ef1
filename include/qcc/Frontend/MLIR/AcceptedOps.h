//===- AcceptedOps.h - Which operations programs may use --------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table decides what the import accepts, and is what `qcc ops` prints.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_FRONTEND_MLIR_ACCEPTEDOPS_H
#define QCC_FRONTEND_MLIR_ACCEPTEDOPS_H

#include "mlir/IR/OperationSupport.h"
#include <string>
#include <vector>

namespace qcc {

struct OpAcceptance {
  bool isAccepted = false;
  /// Limits of an accepted operation, empty where there are none; or why it is
  /// not accepted and what to use, which completes "'op' op ...". Empty as well
  /// where nothing of the dialect is accepted.
  llvm::StringRef note;
};

OpAcceptance acceptanceOf(mlir::OperationName name);

/// The dialects of accepted operations.
llvm::ArrayRef<llvm::StringLiteral> acceptedDialects();

struct AcceptedOp {
  std::string dialect, name; ///< "linalg", "matmul"
  std::string limits;
};
/// All accepted operations that a context has registered, sorted.
std::vector<AcceptedOp> acceptedOps(mlir::MLIRContext &context);

} // namespace qcc

#endif // QCC_FRONTEND_MLIR_ACCEPTEDOPS_H
