//===- Diagnostics.h - Diagnostics for callers of the C API -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diagnostics are kept while a compilation runs, on a thread of its own, and
// delivered by the thread that called.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_COMPILER_DIAGNOSTICS_H
#define QCC_LIB_CAPI_COMPILER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "qcc-c/Compiler.h"
#include "qcc/Base/Status.h"
#include <string>
#include <vector>

namespace qcc::capi {

class DiagnosticLog {
public:
  struct Entry {
    qccSeverity severity;
    std::string file;
    int32_t line = 0, column = 0;
    std::string message;
  };

  /// Keeps a diagnostic and the notes attached to it.
  void add(mlir::Diagnostic &diagnostic);
  void add(Entry entry) { entries.push_back(std::move(entry)); }

  const std::vector<Entry> &getEntries() const { return entries; }

  /// Errors and their notes, a line each; empty if there is no error.
  std::string errors() const;

  void deliver(const qccDiagnosticHook &hook) const;

private:
  void addOne(const mlir::Diagnostic &diagnostic);

  std::vector<Entry> entries;
};

/// The hook that the options have, as a structure of its own or in the form of
/// version 1.1.
rt::Result<qccDiagnosticHook>
readDiagnosticHook(const qccCompileOptions &options);

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_COMPILER_DIAGNOSTICS_H
