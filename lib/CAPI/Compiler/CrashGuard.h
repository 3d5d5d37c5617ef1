//===- CrashGuard.h - Crashes that stay inside ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler in the process of somebody else: neither a crash of it nor a lack
// of memory must end the process, and what it does to signals must not be seen
// outside.
//
// A body runs on a thread of its own, which has a stack large enough for deep
// programs, a second stack for signal handlers, and the floating-point
// environment of a new process, so that constants fold alike in every host.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_COMPILER_CRASHGUARD_H
#define QCC_LIB_CAPI_COMPILER_CRASHGUARD_H

#include "qcc/Base/Status.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace qcc::capi {

enum class Signals {
  Catch, ///< While a body runs; other threads' go to the host's handlers.
  Keep   ///< The host's handlers stay, and a crash ends the process.
};

/// Runs the body; Internal if it crashed, and what it allocated may be lost
/// then. OutOfMemory if it lacked memory, even if it came to its end: the first
/// request that fails is made up for, and only after that may something be
/// lost. Any number of threads may do so at once.
rt::Status runGuarded(Signals signals, llvm::function_ref<void()> body);

/// Whether memory has run out for the body that this thread runs: it has to end
/// soon.
bool lacksMemory();

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_COMPILER_CRASHGUARD_H
