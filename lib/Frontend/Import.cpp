//===- Import.cpp - Programs of every format ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Frontend/Import.h"
#include "qcc/Frontend/ONNX/Import.h"
#include "llvm/Support/SourceMgr.h"

using namespace qcc;

mlir::OwningOpRef<mlir::ModuleOp>
qcc::importProgram(const llvm::SourceMgr &sources, mlir::MLIRContext *context,
                   const ImportOptions &options) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  if (isONNX(buffer->getBuffer()))
    return importONNX(sources, context, options);
  return importMLIR(sources, context, options);
}
