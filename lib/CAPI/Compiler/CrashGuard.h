//===- CrashGuard.h - Crashes that stay inside ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compilation in the process of somebody else: a crash should not end the
// process, and nobody outside should see what the compiler does to signals.
//
// A body runs on a thread of its own. The thread has a stack large enough for
// deep programs, a second stack for signal handlers, and the floating-point
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

/// Runs the body. Returns Internal if the body crashed, and OutOfMemory if the
/// C++ library threw for want of memory. In both cases the memory of the body
/// may be lost, and a lock that it held stays locked: LLVM is not made to be
/// left like this. Any number of threads may call this at once.
rt::Status runGuarded(Signals signals, llvm::function_ref<void()> body);

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_COMPILER_CRASHGUARD_H
