//===- DiagnosticPrinter.cpp - Diagnostics on the standard errors ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DiagnosticPrinter.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace qcc::driver;

static llvm::SourceMgr::DiagKind kindOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return llvm::SourceMgr::DK_Note;
  case DiagnosticSeverity::Warning:
    return llvm::SourceMgr::DK_Warning;
  case DiagnosticSeverity::Error:
    return llvm::SourceMgr::DK_Error;
  case DiagnosticSeverity::Remark:
    return llvm::SourceMgr::DK_Remark;
  }
  llvm_unreachable("covered switch");
}

DiagnosticPrinter::DiagnosticPrinter(llvm::SourceMgr &sources,
                                     MLIRContext *context)
    : SourceMgrDiagnosticHandler(sources, context) {
  setHandler([this](Diagnostic &diagnostic) { print(diagnostic); });
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  auto file = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  if (!file || file.getLine() > 0)
    return emitDiagnostic(diagnostic);
  auto printOne = [&](Diagnostic &one) {
    llvm::SMDiagnostic(file.getFilename(), kindOf(one.getSeverity()), one.str())
        .print(nullptr, os);
  };
  printOne(diagnostic);
  for (Diagnostic &note : diagnostic.getNotes())
    printOne(note);
}
