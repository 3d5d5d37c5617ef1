//===- WorkLimits.h - When long work ends early -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work that takes long asks now and then whether it may go on. Once it may not,
// it ends as soon as it can, in good order, and the reason stays.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_SUPPORT_WORKLIMITS_H
#define QCC_SUPPORT_WORKLIMITS_H

#include "qcc/Base/Status.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace qcc {

/// The limits of one piece of work, for the thread that does it.
class WorkLimits {
public:
  using Clock = std::chrono::steady_clock;

  /// No limits at all.
  WorkLimits() = default;
  /// `isCancelled` may be empty and is called often; 0 means no limit.
  /// `memoryBytes` is what the process may grow by from now on, counting memory
  /// that is not of files.
  WorkLimits(std::function<bool()> isCancelled, int64_t nanoseconds,
             int64_t memoryBytes);

  /// Whether the work has to end. Once it has, it always has.
  bool isExceeded();

  /// The same before `bytes` of memory are taken.
  bool isExceededBy(uint64_t bytes);

  /// Why the work has to end; ok while it need not.
  const rt::Status &status() const { return status_; }

private:
  bool exceedMemory(uint64_t bytes);

  std::function<bool()> isCancelled_;
  std::optional<Clock::time_point> deadline_;
  int64_t nanoseconds_ = 0;
  int64_t memoryBytes_ = 0;
  int64_t memoryBefore_ = 0;
  Clock::time_point lastLook_; ///< At the memory of the process.
  rt::Status status_;
};

} // namespace qcc

#endif // QCC_SUPPORT_WORKLIMITS_H
