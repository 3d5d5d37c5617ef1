//===- Compile.h - Compiling for a caller -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_COMPILER_COMPILE_H
#define QCC_LIB_CAPI_COMPILER_COMPILE_H

#include "CrashGuard.h"
#include "Diagnostics.h"
#include "WeightHooks.h"
#include "qcc-c/Compiler.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <string>

namespace qcc::capi {

/// The program of a caller: a file, or bytes that stay during the call.
struct ProgramSource {
  const char *path = nullptr; ///< Null: `bytes` are the program.
  llvm::StringRef bytes;
};

/// What a compilation leaves behind.
struct Outcome {
  DiagnosticLog log;
  /// Where it was, for the message after a crash.
  std::string place = "while reading the program";
  std::shared_ptr<const void> owner; ///< Of the artifact; null: there is none.
  llvm::ArrayRef<char> artifact;     ///< In memory of `owner`.
  std::string explanation;           ///< JSON, or empty.
  /// Why there is no artifact, unless the log has errors.
  rt::Status failure;
};

/// What the options fix of the inputs of a model. Refers to their tensors.
rt::Result<FixedInputs> readFixedInputs(const qccCompileOptions &options);

/// Compiles in this process, on a thread of its own; the hooks of `options` are
/// not looked at. What is returned is the failure of the outcome.
rt::Status compileHere(const ProgramSource &program,
                       const qccCompileOptions &options, WeightsSource weights,
                       Signals signals, Outcome &outcome);

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_COMPILER_COMPILE_H
