//===- Process.cpp - Counters and the log of a process --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/Process.h"

#include <chrono>
#include <mutex>
#include <new>
#include <pthread.h>

namespace qcc::rt {

ProcessCounters &ProcessCounters::get() {
  // Never destroyed: threads count until the process ends.
  static ProcessCounters *const counters = new ProcessCounters();
  return *counters;
}

namespace {
/// The handler of the process.
struct Log {
  /// The level of the handler, or less than every level if no handler is set.
  std::atomic<int32_t> level{nobody};
  std::mutex mutex;
  LogHandler handler;

  static constexpr int32_t nobody = -1;

  static Log &get() {
    static Log *const log = [] {
      auto *made = new Log();
      // A child must not find the mutex in the hands of a thread that it lacks.
      pthread_atfork([] { get().mutex.lock(); }, [] { get().mutex.unlock(); },
                     [] { get().mutex.unlock(); });
      return made;
    }();
    return *log;
  }
};
} // namespace

void setLogHandler(std::optional<LogHandler> handler) {
  Log &log = Log::get();
  std::lock_guard<std::mutex> lock(log.mutex);
  log.handler = handler.value_or(LogHandler());
  log.level.store(handler ? int32_t(handler->level) : Log::nobody,
                  std::memory_order_relaxed);
}

bool isLogged(LogLevel level) {
  return int32_t(level) <= Log::get().level.load(std::memory_order_relaxed);
}

void log(LogLevel level, uint64_t tag, FunctionRef<std::string()> makeMessage) {
  if (!isLogged(level))
    return;
  Log &log = Log::get();
  LogHandler handler;
  {
    std::lock_guard<std::mutex> lock(log.mutex);
    handler = log.handler;
  }
  if (!handler.handle || level > handler.level)
    return;
  try {
    std::string message = makeMessage();
    handler.handle(handler.context, LogRecord{level, message.c_str(), tag});
  } catch (const std::bad_alloc &) {
    // A log is not worth a failure.
  }
}

int64_t steadyNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

} // namespace qcc::rt
