//===- DiagnosticPrinter.h - Diagnostics on the standard errors -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_DIAGNOSTICPRINTER_H
#define QCC_TOOLS_QCC_DIAGNOSTICPRINTER_H

#include "mlir/IR/Diagnostics.h"

namespace qcc::driver {

/// Prints "file:line:column: error: message" and the line of the source. Models
/// have no lines: "model.onnx: error: message".
class DiagnosticPrinter : public mlir::SourceMgrDiagnosticHandler {
public:
  DiagnosticPrinter(llvm::SourceMgr &sources, mlir::MLIRContext *context);

private:
  void print(mlir::Diagnostic &diagnostic);
};

} // namespace qcc::driver

#endif // QCC_TOOLS_QCC_DIAGNOSTICPRINTER_H
