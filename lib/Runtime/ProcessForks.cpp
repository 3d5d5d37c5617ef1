//===- ProcessForks.cpp - Whether threads were left behind ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProcessForks.h"

#include <atomic>
#include <pthread.h>

namespace qcc::rt {

/// Nobody else has a thread yet when it changes.
static std::atomic<uint32_t> forks{0};

uint32_t countForks() {
  static const int registered = pthread_atfork(
      nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  (void)registered;
  return forks.load(std::memory_order_relaxed);
}

} // namespace qcc::rt
