//===- Diagnostics.cpp - Diagnostics for callers of the C API -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "../Convert.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace qcc;
using namespace qcc::capi;

static qccSeverity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return QCC_SEVERITY_ERROR;
  case mlir::DiagnosticSeverity::Warning:
    return QCC_SEVERITY_WARNING;
  case mlir::DiagnosticSeverity::Remark:
    return QCC_SEVERITY_REMARK;
  case mlir::DiagnosticSeverity::Note:
    return QCC_SEVERITY_NOTE;
  }
  return QCC_SEVERITY_ERROR;
}

static const char *nameOf(qccSeverity severity) {
  switch (severity) {
  case QCC_SEVERITY_ERROR:
    return "error";
  case QCC_SEVERITY_WARNING:
    return "warning";
  case QCC_SEVERITY_REMARK:
    return "remark";
  case QCC_SEVERITY_NOTE:
    return "note";
  }
  return "error";
}

void DiagnosticLog::addOne(const mlir::Diagnostic &diagnostic) {
  Entry entry;
  entry.severity = severityOf(diagnostic.getSeverity());
  entry.message = diagnostic.str();
  // The first place in a file that the location names, however it is wrapped.
  diagnostic.getLocation()->walk([&](mlir::Location location) {
    auto place = llvm::dyn_cast<mlir::FileLineColLoc>(location);
    if (!place)
      return mlir::WalkResult::advance();
    entry.file = place.getFilename().str();
    entry.line = place.getLine();
    entry.column = place.getColumn();
    return mlir::WalkResult::interrupt();
  });
  entries.push_back(std::move(entry));
}

void DiagnosticLog::add(mlir::Diagnostic &diagnostic) {
  addOne(diagnostic);
  for (const mlir::Diagnostic &note : diagnostic.getNotes())
    addOne(note);
}

std::string DiagnosticLog::errors() const {
  std::string text;
  bool inError = false;
  for (const Entry &entry : entries) {
    if (entry.severity != QCC_SEVERITY_NOTE)
      inError = entry.severity == QCC_SEVERITY_ERROR;
    if (!inError)
      continue;
    if (!text.empty())
      text += '\n';
    if (!entry.file.empty())
      text += entry.file + ": ";
    // A model has no lines.
    if (entry.line > 0)
      text.insert(text.size() - 2, ":" + std::to_string(entry.line) + ":" +
                                       std::to_string(entry.column));
    text += std::string(nameOf(entry.severity)) + ": " + entry.message;
  }
  return text;
}

void DiagnosticLog::deliver(const qccDiagnosticHook &hook) const {
  if (!hook.handle)
    return;
  for (const Entry &entry : entries) {
    qccDiagnostic diagnostic;
    diagnostic.size = sizeof(diagnostic);
    diagnostic.severity = entry.severity;
    diagnostic.file = entry.file.c_str();
    diagnostic.line = entry.line;
    diagnostic.column = entry.column;
    diagnostic.message = entry.message.c_str();
    hook.handle(hook.context, &diagnostic);
  }
}

/// How options of version 1.1 had the hook, by value.
struct HookOfVersion11 {
  decltype(qccDiagnosticHook::context) context;
  decltype(qccDiagnosticHook::handle) handle;
};
static_assert(sizeof(HookOfVersion11) ==
                  sizeof(qccCompileOptions::diagnosticsOfVersion11),
              "the fields of version 1.1 have kept their places");

rt::Result<qccDiagnosticHook>
capi::readDiagnosticHook(const qccCompileOptions &options) {
  qccDiagnosticHook hook;
  rt::Status status = readHook(options.diagnostics, hook,
                               &qccDiagnosticHook::handle, "diagnostics");
  if (!status.isOk())
    return status;
  if (!options.diagnostics) {
    HookOfVersion11 old;
    memcpy(&old, options.diagnosticsOfVersion11, sizeof(old));
    hook.context = old.context;
    hook.handle = old.handle;
    if (hook.context && !hook.handle)
      return rt::invalidArgument("the hook of diagnostics has a context, but "
                                 "its function is a null pointer; set the "
                                 "function, or leave the whole hook zero");
  }
  return hook;
}
