//===- BlockedSignals.h - Threads that leave signals alone ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Header-only.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_BASE_BLOCKEDSIGNALS_H
#define QCC_BASE_BLOCKEDSIGNALS_H

#include <pthread.h>
#include <signal.h>

namespace qcc::rt {

/// While it lives, the calling thread, and threads that it starts, leave the
/// signals of the process to the other threads of the application. What a
/// thread brings upon itself, and the profiler, still reach it.
class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t signals;
    sigfillset(&signals);
    for (int own :
         {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF})
      sigdelset(&signals, own);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals &) = delete;
  BlockedSignals &operator=(const BlockedSignals &) = delete;

private:
  sigset_t before_;
};

} // namespace qcc::rt

#endif // QCC_BASE_BLOCKEDSIGNALS_H
