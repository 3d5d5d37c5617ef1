//===- ThreadPool.h - Threads that spin, then park --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run is a sequence of phases, the steps of a program. A phase has parts.
// Each thread takes the part of its own number, so that a CPU finds in its
// caches what it has written before. A part whose thread does not come, because
// other processes have its CPU, is taken by a thread that has nothing to do.
// The last one to finish a part begins the next phase. Nobody waits for a
// thread that has no part.
//
// A waiting thread spins for some tens of microseconds, the usual distance
// between two phases or two runs. Then it parks in a futex: an idle pool costs
// nothing, and more threads than CPUs still make progress.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_THREADPOOL_H
#define QCC_RUNTIME_THREADPOOL_H

#include "qcc/Base/Status.h"
#include "qcc/Runtime/FunctionRef.h"
#include "qcc/Runtime/WaitWord.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace qcc::rt {

/// What a run computes.
struct PhasedWork {
  /// Computes part `part` of a phase on thread `thread`. It must not wait for
  /// another part.
  FunctionRef<void(int part, int thread)> part;
  /// Begins a phase, while no thread is in a part, and returns the number of
  /// its parts: 1 to that of the run's threads; 0 at the end. What it writes,
  /// all parts of the phase see.
  FunctionRef<int()> next;
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

  /// Computes the parts 0 to threads - 1 of one phase, on up to that many
  /// threads. Runs of several callers follow one another. A part must not call
  /// run() of the same pool with more than one thread, see isRunningHere().
  void run(int threads, FunctionRef<void(int part, int thread)> part);

  /// The same with all phases of `work`, on 1 to size() threads; unless
  /// mustEnd() becomes true while another caller's run is waited for. Then it
  /// returns false.
  bool runUnless(FunctionRef<bool()> mustEnd, int threads,
                 const PhasedWork &work);

  /// Whether the calling thread is in a part that this pool runs.
  bool isRunningHere() const;

  /// Whether this is a child of the process that made the pool: fork() copies
  /// no thread but the caller's. Such a pool must not run.
  bool wasLostInFork() const;

  /// How often run() has woken other threads.
  uint64_t forks() const { return forks_.load(std::memory_order_relaxed); }

private:
  /// One of the pool's threads: that of the caller has no pthread.
  struct alignas(64) Thread {
    ThreadPool *pool = nullptr;
    int index = 0;
    pthread_t thread;
    WaitWord call; ///< Changes when there is a run for the thread.
    /// The last phase whose part of this number somebody has taken.
    alignas(64) std::atomic<uint32_t> taken{0};
  };

  /// The phase that a run is in, as phase_ has it.
  struct Phase {
    uint32_t number;
    int threads; ///< Of the run.
    int parts;   ///< 0: the run has ended.

    uint64_t pack() const;
    static Phase unpack(uint64_t word);
  };

  ThreadPool() = default;
  Status startWorkers(const std::vector<int> &cpus);
  static void *workerMain(void *thread);
  void leaveCallersCpu();
  void wakeWorkers(int waker, int threads);
  void runLocked(int threads, const PhasedWork &work);
  bool take(Phase phase, int part);
  int takeAny(Phase phase);
  void takeParts(int thread);
  void compute(Phase phase, int part, int thread);
  void beginPhase(Phase last, int thread);

  int size_ = 1;
  int cpus_ = 1;
  uint32_t process_ = 0;
  std::vector<std::unique_ptr<Thread>> threads_;

  std::timed_mutex runMutex_;
  PhasedWork work_;
  std::atomic<bool> stopping_{false};
  std::atomic<uint64_t> forks_{0};
  std::atomic<int> callerCpu_{-1}; ///< Where the last run() was called.
  WaitWord phase_;                 ///< A Phase.
  alignas(64) std::atomic<int> finishedParts_{0}; ///< Of the phase.
};

} // namespace qcc::rt

#endif // QCC_RUNTIME_THREADPOOL_H
