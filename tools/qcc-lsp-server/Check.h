//===- Check.h - Check of a document -------------------------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check parses a document, imports it as a program of qcc and runs the stages
// of the compiler. What it finds are diagnostics of the protocol:
//
// * errors of MLIR's parser and verifiers (source "mlir");
// * warnings where qcc refuses a program that MLIR accepts (source "qcc");
// * hints where a step is not fast, with the reason that `qcc explain` prints.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_LSP_SERVER_CHECK_H
#define QCC_TOOLS_QCC_LSP_SERVER_CHECK_H

#include "Settings.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace qcc::lsp {

/// How much a diagnostic matters, as the protocol numbers it.
enum class Severity { Error = 1, Warning = 2, Information = 3, Hint = 4 };

/// A diagnostic of the protocol.
llvm::json::Object makeDiagnostic(llvm::json::Object range, Severity severity,
                                  llvm::StringRef source,
                                  llvm::StringRef message);

struct CheckRequest {
  std::string uri;
  std::string path; ///< of the file; messages of other parts name it
  llvm::StringRef text;
  Settings settings;
};

/// Checks a document, in a process for it alone. Writes lines of JSON:
/// {"diagnostic": ...} for each that it finds, {"stage": "kernel"} before each
/// stage of the compiler, and {"end": true}.
void checkDocument(const CheckRequest &request, llvm::raw_ostream &results);

} // namespace qcc::lsp

#endif // QCC_TOOLS_QCC_LSP_SERVER_CHECK_H
