//===- Import.h - Programs from ONNX models ---------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads an ONNX model and gives a program of one entry, `main`, with the inputs
// and outputs of the graph in their order. docs/Rationale/ONNX.md has the
// design, docs/Numerics.md what each op computes.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_FRONTEND_ONNX_IMPORT_H
#define QCC_FRONTEND_ONNX_IMPORT_H

#include "qcc/Frontend/MLIR/Import.h"

namespace qcc {

/// Whether bytes are an ONNX model, by their content.
bool isONNX(llvm::StringRef bytes);

/// Imports the main buffer of `sources`, which must live as long as `context`:
/// weights stay in it. A null result has been reported as a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> importONNX(const llvm::SourceMgr &sources,
                                             mlir::MLIRContext *context,
                                             const ImportOptions &options = {});

} // namespace qcc

#endif // QCC_FRONTEND_ONNX_IMPORT_H
