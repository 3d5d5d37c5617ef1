//===- Import.cpp - Programs of every format ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Frontend/Import.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "qcc/Frontend/ONNX/Import.h"
#include "qcc/Frontend/TFLite/Import.h"
#include "qcc/Support/FileFormat.h"
#include "llvm/Support/SourceMgr.h"

using namespace qcc;

/// Why bytes are no program, if their format shows it. MLIR's parser would
/// print the line that it cannot read, whatever is in it.
static std::optional<std::string> refuseBytes(const llvm::MemoryBuffer &buffer,
                                              bool isModel) {
  llvm::StringRef bytes = buffer.getBuffer();
  if (std::optional<std::string> reason =
          refuseFormat({bytes.data(), bytes.size()}, FileUse::Program))
    return reason;
  if (!isModel && !mlir::isBytecode(buffer) &&
      isBinary({bytes.data(), bytes.size()}))
    return "this is binary data, but neither bytecode of MLIR nor an ONNX "
           "or TFLite model; give one of these, or MLIR as text";
  return std::nullopt;
}

mlir::OwningOpRef<mlir::ModuleOp>
qcc::importProgram(const llvm::SourceMgr &sources, mlir::MLIRContext *context,
                   const ImportOptions &options) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  bool isLite = isTFLite(buffer->getBuffer());
  bool isModel = isLite || isONNX(buffer->getBuffer());
  std::optional<std::string> reason = refuseBytes(*buffer, isModel);
  if (!reason && !isLite && options.tfliteRounding != TFLiteRounding::Reference)
    reason = "rounding xnnpack is for TFLite models, and this is not one; "
             "leave it out";
  if (reason) {
    mlir::emitError(
        mlir::FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0))
        << *reason;
    return {};
  }
  if (isLite)
    return importTFLite(sources, context, options);
  if (isModel)
    return importONNX(sources, context, options);
  return importMLIR(sources, context, options);
}
