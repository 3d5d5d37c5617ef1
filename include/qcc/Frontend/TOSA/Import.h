//===- Import.h - Programs from TOSA ----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_FRONTEND_TOSA_IMPORT_H
#define QCC_FRONTEND_TOSA_IMPORT_H

#include "mlir/IR/BuiltinOps.h"

namespace qcc {

/// Whether a module has ops of TOSA.
bool isTOSA(mlir::ModuleOp module);

/// Lowers the ops of TOSA to linalg, tensor, arith and scf by MLIR's own
/// passes. Variables become arguments and results of the only function, behind
/// its own, in their order: what a call gives is what the next one takes. Fails
/// with a diagnostic at the op that is refused.
mlir::LogicalResult lowerTOSA(mlir::ModuleOp module);

} // namespace qcc

#endif // QCC_FRONTEND_TOSA_IMPORT_H
