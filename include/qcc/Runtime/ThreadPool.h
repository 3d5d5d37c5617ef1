//===- ThreadPool.h - Threads that spin, then park --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run forks once: the caller becomes thread 0, workers become the others, and
// the steps of a program are separated by a Barrier inside the run. A waiting
// thread spins for some tens of microseconds, the usual distance between two
// steps or two runs. Then it parks in a futex: an idle pool costs nothing, and
// more threads than CPUs still make progress.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_THREADPOOL_H
#define QCC_RUNTIME_THREADPOOL_H

#include "qcc/Base/Status.h"
#include "qcc/Runtime/FunctionRef.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace qcc::rt {

/// A word that threads wait on until it changes.
class alignas(64) WaitWord {
public:
  uint32_t load() const { return word_.load(std::memory_order_acquire); }

  /// Changes the word and wakes everybody who waits for that.
  void store(uint32_t value);

  /// Returns once the word differs from `old`, and returns its new value.
  uint32_t waitWhile(uint32_t old, bool maySpin);

private:
  std::atomic<uint32_t> word_{0};
  std::atomic<uint32_t> parked_{0};
};

/// A barrier for a fixed number of threads, used any number of times. The last
/// one to arrive runs `completion` while all others are still held: what it
/// decides, they all see.
class Barrier {
public:
  Barrier(int threads, bool maySpin) : threads_(threads), maySpin_(maySpin) {}

  void arriveAndWait(FunctionRef<void()> completion);

private:
  const int threads_;
  const bool maySpin_;
  alignas(64) std::atomic<int> arrived_{0};
  WaitWord generation_;
};

struct ThreadPoolOptions {
  /// Runs have up to so many threads, the caller's included. 0: one for each of
  /// `cpus`, or one for each CPU that the process may keep busy.
  int threads = 0;
  /// Where the pool's own threads run: thread i on cpus[i % size] alone. Thread
  /// 0 is the caller's and stays where it is. Empty: on any CPU.
  std::vector<int> cpus;
};

class ThreadPool {
public:
  static Result<std::shared_ptr<ThreadPool>>
  create(const ThreadPoolOptions &options);
  static Result<std::shared_ptr<ThreadPool>> create(int threads) {
    return create(ThreadPoolOptions{threads, {}});
  }
  ~ThreadPool();

  /// The pool of this process for whoever has none of its own: the one that was
  /// set, or one for each CPU, made at the first call. A child of fork() has
  /// another one than its parent. It lives until the process ends.
  static Result<std::shared_ptr<ThreadPool>> getDefault();

  /// What getDefault() returns from now on; null: a new one for each CPU.
  static void setDefault(std::shared_ptr<ThreadPool> pool);

  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int size() const { return size_; }

  /// Whether waiting by spinning makes sense for that many threads.
  bool maySpin(int threads) const { return threads <= cpus_; }

  /// Calls body(thread, threads) on `threads` threads at once, 1 to size(), and
  /// returns when all have returned. Runs of several callers follow one
  /// another. A body must not call run() of the same pool with more than one
  /// thread, see isRunningHere().
  void run(int threads, FunctionRef<void(int, int)> body);

  /// The same, unless mustEnd() becomes true while another caller's run is
  /// waited for. Then it returns false.
  bool runUnless(FunctionRef<bool()> mustEnd, int threads,
                 FunctionRef<void(int, int)> body);

  /// Whether the calling thread is in a body that this pool runs.
  bool isRunningHere() const;

  /// Whether this is a child of the process that made the pool: fork() copies
  /// no thread but the caller's. Such a pool must not run.
  bool wasLostInFork() const;

  /// How often run() has woken other threads.
  uint64_t forks() const { return forks_.load(std::memory_order_relaxed); }

private:
  struct Worker {
    ThreadPool *pool = nullptr;
    int index = 0;
    pthread_t thread;
    WaitWord generation; ///< Changes when there is work.
  };

  ThreadPool() = default;
  Status startWorkers(const std::vector<int> &cpus);
  static void *workerMain(void *worker);
  void leaveCallersCpu();
  void runLocked(int threads, FunctionRef<void(int, int)> body);

  int size_ = 1;
  int cpus_ = 1;
  uint32_t process_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;

  std::timed_mutex runMutex_;
  FunctionRef<void(int, int)> body_;
  int threads_ = 0;
  bool stopping_ = false;
  std::atomic<uint64_t> forks_{0};
  std::atomic<int> callerCpu_{-1}; ///< Where the last run() was called.
  alignas(64) std::atomic<int> running_{0};
  WaitWord finished_; ///< Changes when the last worker of a run is done.
};

} // namespace qcc::rt

#endif // QCC_RUNTIME_THREADPOOL_H
