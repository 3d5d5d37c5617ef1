//===- Process.h - Counters and the log of a process ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime did in this process, for whoever operates it. A second copy
// of the runtime in the process has its own.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_PROCESS_H
#define QCC_RUNTIME_PROCESS_H

#include "qcc/Runtime/FunctionRef.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace qcc::rt {

/// Counted by the C API, unless something else is said. Any thread counts.
struct ProcessCounters {
  using Count = std::atomic<uint64_t>;

  /// Runs that were asked for, and those of them that have ended. These two are
  /// all that a run costs, so each has a cache line of its own.
  alignas(64) Count startedRuns{0};
  alignas(64) Count runs{0};
  /// How runs ended that did not succeed.
  alignas(64) Count failedRuns{0};
  Count busyRuns{0}, cancelledRuns{0}, timedOutRuns{0};
  /// Modules that were asked for, and how long loading took in all.
  Count loads{0}, failedLoads{0}, loadNanoseconds{0};
  /// Modules whose code and weights went to a GPU; counted by the runtime.
  Count deviceLoads{0}, deviceLoadNanoseconds{0};

  // What there is now.
  std::atomic<int64_t> modules{0}, contexts{0};
  /// Runs that wait for the threads of a pool; counted by the pools.
  std::atomic<int64_t> runsWaiting{0};

  static ProcessCounters &get();
};

/// One more of `count`, for as long as this lives.
class CountedHere {
public:
  explicit CountedHere(std::atomic<int64_t> &count) : count_(count) {
    count_.fetch_add(1, std::memory_order_relaxed);
  }
  ~CountedHere() { count_.fetch_sub(1, std::memory_order_relaxed); }
  CountedHere(const CountedHere &) = delete;
  CountedHere &operator=(const CountedHere &) = delete;

private:
  std::atomic<int64_t> &count_;
};

enum class LogLevel : int32_t { Error = 0, Warning = 1, Info = 2, Debug = 3 };

struct LogRecord {
  LogLevel level;
  const char *message;
  uint64_t tag = 0; ///< That the host gave the run; 0: none.
};

/// Called by any thread, also by several at once.
struct LogHandler {
  void (*handle)(void *context, const LogRecord &record) = nullptr;
  void *context = nullptr;
  LogLevel level = LogLevel::Info; ///< Of the least important records.
};

/// From now on; calls of the handler before may still be under way. Nothing:
/// nobody is told.
void setLogHandler(std::optional<LogHandler> handler);

/// Whether the handler asks for records of this level.
bool isLogged(LogLevel level);

/// Hands the message that `makeMessage` returns to the handler, if it asks for
/// this level. Does nothing where there is no memory for the message.
void log(LogLevel level, uint64_t tag, FunctionRef<std::string()> makeMessage);

/// Nanoseconds of the steady clock.
int64_t steadyNanoseconds();

} // namespace qcc::rt

#endif // QCC_RUNTIME_PROCESS_H
