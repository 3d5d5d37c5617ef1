//===- ThreadPool.cpp - Threads that spin, then park ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waiting, the barrier and the pool.
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/ThreadPool.h"

#include "SystemFailure.h"
#include "qcc/Runtime/BlockedSignals.h"
#include "qcc/Runtime/HostFeatures.h"

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <immintrin.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace qcc::rt {

//===----------------------------------------------------------------------===//
// WaitWord
//===----------------------------------------------------------------------===//

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t),
              "a futex is a plain 32-bit word");

static void futexWait(std::atomic<uint32_t> &word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

static void futexWakeAll(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void WaitWord::store(uint32_t value) {
  // Sequential consistency orders this store before the look at parked_, and
  // waitWhile's entry in parked_ before its look at the word: one of the two
  // sees the other.
  word_.store(value, std::memory_order_seq_cst);
  if (parked_.load(std::memory_order_seq_cst) != 0)
    futexWakeAll(word_);
}

uint32_t WaitWord::waitWhile(uint32_t old, bool maySpin) {
  using Clock = std::chrono::steady_clock;
  constexpr auto spinTime = std::chrono::microseconds(40);
  constexpr int pausesPerLook = 4, looksPerClock = 16;

  uint32_t value = load();
  if (maySpin && value == old) {
    Clock::time_point end = Clock::now() + spinTime;
    do {
      for (int look = 0; look < looksPerClock && value == old; ++look) {
        for (int i = 0; i < pausesPerLook; ++i)
          _mm_pause();
        value = load();
      }
    } while (value == old && Clock::now() < end);
  } else {
    // With more threads than CPUs, whoever is waited for needs this one.
    constexpr int yields = 4;
    for (int i = 0; i < yields && value == old; ++i) {
      sched_yield();
      value = load();
    }
  }
  if (value != old)
    return value;

  parked_.fetch_add(1, std::memory_order_seq_cst);
  while ((value = word_.load(std::memory_order_seq_cst)) == old)
    futexWait(word_, old);
  parked_.fetch_sub(1, std::memory_order_relaxed);
  return value;
}

//===----------------------------------------------------------------------===//
// Barrier
//===----------------------------------------------------------------------===//

void Barrier::arriveAndWait(FunctionRef<void()> completion) {
  // The generation cannot change before this thread has arrived.
  uint32_t generation = generation_.load();
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < threads_) {
    generation_.waitWhile(generation, maySpin_);
    return;
  }
  completion();
  arrived_.store(0, std::memory_order_relaxed);
  generation_.store(generation + 1);
}

//===----------------------------------------------------------------------===//
// ThreadPool
//===----------------------------------------------------------------------===//

/// Counts the forks between the first process and this one. Nobody else has a
/// thread yet when it changes.
static std::atomic<uint32_t> processNumber{0};

static void countForks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] {
    processNumber.fetch_add(1, std::memory_order_relaxed);
  });
  (void)registered;
}

bool ThreadPool::wasLostInFork() const {
  return process_ != processNumber.load(std::memory_order_relaxed);
}

Result<std::shared_ptr<ThreadPool>> ThreadPool::create(int threads) {
  constexpr int maxThreads = 4096;
  if (threads < 0 || threads > maxThreads)
    return invalidArgument("a pool of " + std::to_string(threads) +
                           " threads: the number must lie between 0 (one for "
                           "each CPU) and " +
                           std::to_string(maxThreads));
  countForks();
  std::shared_ptr<ThreadPool> pool(new ThreadPool());
  pool->process_ = processNumber.load(std::memory_order_relaxed);
  pool->cpus_ = availableCpus();
  pool->size_ = threads == 0 ? pool->cpus_ : threads;
  // No thread may start whose worker could get lost for want of memory.
  pool->workers_.reserve(pool->size_ - 1);
  BlockedSignals blocked;
  for (int i = 1; i < pool->size_; ++i) {
    auto worker = std::make_unique<Worker>();
    worker->pool = pool.get();
    worker->index = i;
    int error =
        pthread_create(&worker->thread, nullptr, workerMain, worker.get());
    if (error != 0)
      return systemFailure("cannot start thread " + std::to_string(i) + " of " +
                               std::to_string(pool->size_),
                           error);
    pool->workers_.push_back(std::move(worker));
  }
  return pool;
}

ThreadPool::~ThreadPool() {
  if (wasLostInFork())
    return;
  stopping_ = true;
  for (std::unique_ptr<Worker> &worker : workers_)
    worker->generation.store(worker->generation.load() + 1);
  for (std::unique_ptr<Worker> &worker : workers_)
    pthread_join(worker->thread, nullptr);
}

/// Moves the calling thread to another of the CPUs that it may use, if there is
/// one. Asking for the other CPUs alone moves it; then it may use all again.
static void leaveCpu(int cpu) {
  cpu_set_t allowed, others;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 ||
      CPU_COUNT(&allowed) < 2)
    return;
  others = allowed;
  CPU_CLR(cpu, &others);
  if (sched_setaffinity(0, sizeof(others), &others) == 0)
    sched_setaffinity(0, sizeof(allowed), &allowed);
}

/// The kernel may wake a worker on the CPU of the thread that wakes it. Both
/// then take turns there: each waits for the other, spins, parks, and leaves
/// the CPU, so that only one is ever ready to run and the load balancer sees
/// nothing to balance. That lasts for many milliseconds.
void ThreadPool::leaveCallersCpu() {
  int cpu = sched_getcpu();
  if (cpu >= 0 && cpu == callerCpu_.load(std::memory_order_relaxed))
    leaveCpu(cpu);
}

void *ThreadPool::workerMain(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  ThreadPool &pool = *worker.pool;
  bool maySpin = pool.maySpin(pool.size_);
  uint32_t generation = 0;
  while (true) {
    generation = worker.generation.waitWhile(generation, maySpin);
    if (pool.stopping_)
      return nullptr;
    if (maySpin)
      pool.leaveCallersCpu();
    pool.body_(worker.index, pool.threads_);
    if (pool.running_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      pool.finished_.store(pool.finished_.load() + 1);
  }
}

void ThreadPool::run(int threads, FunctionRef<void(int, int)> body) {
  threads = threads < 1 ? 1 : threads > size_ ? size_ : threads;
  if (threads == 1)
    return body(0, 1);

  std::lock_guard<std::mutex> lock(runMutex_);
  body_ = body;
  threads_ = threads;
  forks_.store(forks() + 1, std::memory_order_relaxed);
  running_.store(threads - 1, std::memory_order_relaxed);
  callerCpu_.store(sched_getcpu(), std::memory_order_relaxed);
  uint32_t finished = finished_.load();
  for (int i = 1; i < threads; ++i) {
    WaitWord &generation = workers_[i - 1]->generation;
    generation.store(generation.load() + 1);
  }
  body(0, threads);
  finished_.waitWhile(finished, maySpin(threads));
}

} // namespace qcc::rt
