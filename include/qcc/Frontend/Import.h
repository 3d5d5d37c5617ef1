//===- Import.h - Programs of every format ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_FRONTEND_IMPORT_H
#define QCC_FRONTEND_IMPORT_H

#include "qcc/Frontend/MLIR/Import.h"

namespace qcc {

/// Imports the main buffer of `sources`, whose content tells its format: text
/// or bytecode of MLIR, or an ONNX model; of other formats a diagnostic says
/// how to convert them (FileFormat.h). `sources` must live as long as
/// `context`. A null result has been reported as a diagnostic of `context`.
mlir::OwningOpRef<mlir::ModuleOp>
importProgram(const llvm::SourceMgr &sources, mlir::MLIRContext *context,
              const ImportOptions &options = {});

} // namespace qcc

#endif // QCC_FRONTEND_IMPORT_H
