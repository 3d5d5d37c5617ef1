//===- Isolated.h - Compiling in another process ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host starts the program qcc-isolated-compiler, which opens the same
// libqcc and calls qccServeCompilation. The two talk over one connection:
//
//   host      Request, then Weight or NoWeight for each WeightRequest
//   compiler  WeightRequest, any number of them, then Result
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_COMPILER_ISOLATED_H
#define QCC_LIB_CAPI_COMPILER_ISOLATED_H

#include "Compile.h"

namespace qcc::capi {

/// Compiles in a process of its own, otherwise as compileHere. The result also
/// says what became of that process if it did not answer.
rt::Status compileIsolated(const ProgramSource &program,
                           const qccCompileOptions &options,
                           const WeightsSource &weights, Outcome &outcome);

} // namespace qcc::capi

/// Compiles what the process at the other end of `socket` asks for, once, and
/// answers. False if the other end is gone or sends what is no request.
extern "C" QCC_EXPORTED bool qccServeCompilation(int socket);

#endif // QCC_LIB_CAPI_COMPILER_ISOLATED_H
