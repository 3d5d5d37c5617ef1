//===- Threads.h - Work on several threads ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CODEGEN_THREADS_H
#define QCC_LIB_CODEGEN_THREADS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace qcc {

class WorkLimits;

/// Calls `work` for each number below `count`, on up to `threads` threads that
/// end before this function does. `work` gets limits of its own thread, which
/// may be null. Only the calling thread looks at `limits`, which may be null.
///
/// Everything that can happen to `work` happens to the caller: an error (that
/// of the smallest number), limits that are exceeded, an exception for lack of
/// memory, and a crash, if the caller runs in a CrashRecoveryContext. The
/// remaining work is left undone then.
llvm::Error
runOnThreads(size_t count, unsigned threads, WorkLimits *limits,
             llvm::function_ref<llvm::Error(size_t, WorkLimits *)> work);

} // namespace qcc

#endif // QCC_LIB_CODEGEN_THREADS_H
