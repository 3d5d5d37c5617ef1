//===- Threads.cpp - Work on several threads ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file is compiled with exceptions: a lack of memory on a thread goes on
// to the caller as std::bad_alloc.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "EarlyEnd.h"
#include "qcc/Base/BlockedSignals.h"
#include "qcc/Base/HandlerStack.h"
#include "qcc/Support/WorkLimits.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <vector>

using namespace qcc;

namespace {
/// What the threads of one call share.
class Crew {
public:
  using Work = llvm::function_ref<llvm::Error(size_t, WorkLimits *)>;

  Crew(size_t count, Work work)
      : count(count), work(work),
        recovers(llvm::CrashRecoveryContext::GetCurrent() != nullptr) {}
  ~Crew() { join(); }

  /// Starts as many threads as the system allows, at most `wanted`.
  void start(unsigned wanted);
  bool hasThreads() const { return !threads.empty(); }
  /// Returns when all threads have ended. Stops them once `limits` are
  /// exceeded.
  void wait(WorkLimits *limits);
  /// What has happened to the work.
  llvm::Error takeOutcome();

private:
  static void *threadMain(void *self) {
    static_cast<Crew *>(self)->runThread();
    return nullptr;
  }
  void runThread();
  void takeNumbers();
  void takeNumbersOrCatch();
  void fail(size_t number, llvm::Error error);
  void join();

  const size_t count;
  const Work work;
  const bool recovers; ///< From crashes, as the caller does.
  std::vector<pthread_t> threads;

  std::atomic<size_t> next{0};
  std::atomic<bool> stopped{false};

  std::mutex mutex; ///< Of all that follows.
  std::condition_variable changed;
  size_t running = 0;
  bool crashed = false;
  std::exception_ptr exception;
  size_t failed = 0; ///< The number that `error` belongs to.
  std::string message;
  bool hasFailed = false;
};
} // namespace

void Crew::start(unsigned wanted) {
  // As much as the main thread of a process has. Only what is used is taken
  // from memory.
  constexpr size_t stackBytes = 16 << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  rt::BlockedSignals blocked;
  threads.reserve(wanted);
  running = wanted;
  for (unsigned i = 0; i < wanted; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, threadMain, this) != 0)
      break;
    threads.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  std::lock_guard<std::mutex> lock(mutex);
  running -= wanted - threads.size();
}

void Crew::fail(size_t number, llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  stopped = true;
  std::lock_guard<std::mutex> lock(mutex);
  if (hasFailed && failed < number)
    return;
  hasFailed = true;
  failed = number;
  message = std::move(text);
}

void Crew::takeNumbers() {
  WorkLimits untilStopped([this] { return stopped.load(); }, 0, 0);
  for (size_t number = next++; number < count && !stopped; number = next++)
    if (llvm::Error error = work(number, &untilStopped))
      fail(number, std::move(error));
}

void Crew::takeNumbersOrCatch() {
  try {
    takeNumbers();
  } catch (...) {
    stopped = true;
    std::lock_guard<std::mutex> lock(mutex);
    exception = std::current_exception();
  }
}

void Crew::runThread() {
  fesetenv(FE_DFL_ENV);
  bool survived = true;
  if (recovers) {
    rt::HandlerStack handlerStack;
    llvm::CrashRecoveryContext recovery;
    survived = recovery.RunSafely([this] { takeNumbersOrCatch(); });
  } else {
    takeNumbersOrCatch();
  }
  if (!survived)
    stopped = true;
  std::lock_guard<std::mutex> lock(mutex);
  crashed |= !survived;
  --running;
  changed.notify_one();
}

void Crew::join() {
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
  // No destructor runs where a crash goes on to the caller.
  std::vector<pthread_t>().swap(threads);
}

void Crew::wait(WorkLimits *limits) {
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (limits && running > 0) {
      changed.wait_for(lock, std::chrono::milliseconds(1));
      lock.unlock();
      if (limits->isExceeded())
        stopped = true;
      lock.lock();
    }
  }
  join();
}

llvm::Error Crew::takeOutcome() {
  if (crashed)
    raise(SIGABRT); // The caller recovers from it.
  if (exception)
    std::rethrow_exception(exception);
  if (hasFailed)
    return llvm::createStringError(message);
  return llvm::Error::success();
}

llvm::Error
qcc::runOnThreads(size_t count, unsigned threads, WorkLimits *limits,
                  llvm::function_ref<llvm::Error(size_t, WorkLimits *)> work) {
  unsigned wanted = unsigned(std::min<size_t>(threads, count));
  if (wanted > 1) {
    Crew crew(count, work);
    crew.start(wanted);
    if (crew.hasThreads()) {
      crew.wait(limits);
      if (llvm::Error error = checkLimits(limits))
        return error;
      return crew.takeOutcome();
    }
  }
  for (size_t number = 0; number < count; ++number)
    if (llvm::Error error = work(number, limits))
      return error;
  return llvm::Error::success();
}
