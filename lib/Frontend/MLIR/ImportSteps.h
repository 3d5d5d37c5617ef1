//===- ImportSteps.h - The steps of an import -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each step reports what is wrong, all of it, and fails.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_MLIR_IMPORTSTEPS_H
#define QCC_LIB_FRONTEND_MLIR_IMPORTSTEPS_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "qcc/Frontend/MLIR/Import.h"

namespace llvm {
class MemoryBuffer;
} // namespace llvm

namespace qcc {

/// Rejects text at which MLIR's parser would crash. It is not parsed otherwise.
mlir::LogicalResult checkText(const llvm::SourceMgr &sources,
                              mlir::MLIRContext *context);

/// Rejects bytecode that counts more elements than it has bytes for.
mlir::LogicalResult checkBytecode(const llvm::MemoryBuffer &buffer,
                                  mlir::MLIRContext *context);

/// Lets the reader of bytecode end where attributes or types contain
/// themselves.
void limitReads(mlir::ParserConfig &config);

/// Rejects what is nested too deeply; to be called before anything recurses.
mlir::LogicalResult verifyDepth(mlir::ModuleOp module);

/// Rejects attributes that no part of the compiler would look at, and those by
/// which its parts talk to each other.
mlir::LogicalResult verifyAttributes(mlir::Operation *op);

/// Rejects operations, types and functions that are not accepted.
mlir::LogicalResult verifyProgram(mlir::ModuleOp module);

/// Rejects reads of elements that have no values, and linalg ops whose parallel
/// iterations are not independent.
mlir::LogicalResult verifyTensors(mlir::ModuleOp module);

/// Gives data to every resource that has none and checks the size of those that
/// have.
mlir::LogicalResult fillResources(mlir::ModuleOp module,
                                  const ImportOptions &options);

} // namespace qcc

#endif // QCC_LIB_FRONTEND_MLIR_IMPORTSTEPS_H
