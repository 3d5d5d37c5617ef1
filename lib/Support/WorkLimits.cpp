//===- WorkLimits.cpp - When long work ends early -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/WorkLimits.h"

#include "qcc/Base/Memory.h"

#include <algorithm>
#include <string>

namespace qcc {

WorkLimits::WorkLimits(std::function<bool()> isCancelled, int64_t nanoseconds,
                       int64_t memoryBytes)
    : isCancelled_(std::move(isCancelled)), nanoseconds_(nanoseconds),
      memoryBytes_(memoryBytes) {
  // More than the clock can count is never.
  constexpr int64_t never = INT64_MAX / 4;
  if (nanoseconds > 0 && nanoseconds < never)
    deadline_ = Clock::now() + std::chrono::nanoseconds(nanoseconds);
  if (memoryBytes > 0)
    memoryBefore_ = rt::privateMemory();
}

bool WorkLimits::exceedMemory(uint64_t bytes) {
  uint64_t used = std::max<int64_t>(rt::privateMemory() - memoryBefore_, 0);
  uint64_t limit = memoryBytes_;
  if (used <= limit && bytes <= limit - used)
    return false;
  status_ = rt::outOfMemory(
      "the limit of " + std::to_string(memoryBytes_) +
      " bytes of memory does not suffice; raise it, or give a smaller program");
  return true;
}

bool WorkLimits::isExceeded() {
  if (!status_.isOk())
    return true;
  if (isCancelled_ && isCancelled_()) {
    status_ = rt::Status(rt::StatusCode::Cancelled, "it was cancelled");
    return true;
  }
  if (!deadline_ && memoryBytes_ <= 0)
    return false;
  Clock::time_point now = Clock::now();
  if (deadline_ && now >= *deadline_) {
    status_ =
        rt::Status(rt::StatusCode::TimedOut,
                   "it took longer than the time limit of " +
                       std::to_string(nanoseconds_) + " nanoseconds; raise it");
    return true;
  }
  // To look costs microseconds.
  if (memoryBytes_ <= 0 || now - lastLook_ < std::chrono::milliseconds(1))
    return false;
  lastLook_ = now;
  return exceedMemory(0);
}

bool WorkLimits::isExceededBy(uint64_t bytes) {
  return isExceeded() || (memoryBytes_ > 0 && exceedMemory(bytes));
}

} // namespace qcc
