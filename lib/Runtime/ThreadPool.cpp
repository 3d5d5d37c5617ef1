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

#include "ProcessForks.h"
#include "qcc/Base/BlockedSignals.h"
#include "qcc/Base/SystemFailure.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Runtime/Process.h"

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstring>
#include <immintrin.h>
#include <linux/futex.h>
#include <sched.h>
#include <set>
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

/// The pool whose body the thread is in, or null.
static thread_local const ThreadPool *poolOfThread = nullptr;

bool ThreadPool::wasLostInFork() const { return process_ != countForks(); }

/// Starts a thread, on CPU number `cpu` unless that is negative.
static int startThread(pthread_t &thread, int cpu, void *(*main)(void *),
                       void *argument) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error != 0)
    return error;
  if (cpu >= 0) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    error = pthread_attr_setaffinity_np(&attributes, sizeof(only), &only);
  }
  if (error == 0)
    error = pthread_create(&thread, &attributes, main, argument);
  pthread_attr_destroy(&attributes);
  return error;
}

Status ThreadPool::startWorkers(const std::vector<int> &cpus) {
  // No thread may start whose worker could get lost for want of memory.
  workers_.reserve(size_ - 1);
  BlockedSignals blocked;
  for (int i = 1; i < size_; ++i) {
    auto worker = std::make_unique<Worker>();
    worker->pool = this;
    worker->index = i;
    int cpu = cpus.empty() ? -1 : cpus[i % cpus.size()];
    int error = startThread(worker->thread, cpu, workerMain, worker.get());
    if (error == EINVAL && cpu >= 0)
      return invalidArgument("CPU " + std::to_string(cpu) +
                             " is none that this process may use; take those "
                             "of sched_getaffinity");
    if (error != 0)
      return systemFailure("cannot start thread " + std::to_string(i) + " of " +
                               std::to_string(size_),
                           error);
    workers_.push_back(std::move(worker));
  }
  log(LogLevel::Info, 0,
      [&] { return "made a pool of " + std::to_string(size_) + " threads"; });
  return Status::ok();
}

Result<std::shared_ptr<ThreadPool>>
ThreadPool::create(const ThreadPoolOptions &options) {
  constexpr int maxThreads = 4096;
  if (options.threads < 0 || options.threads > maxThreads)
    return invalidArgument("a pool of " + std::to_string(options.threads) +
                           " threads: the number must lie between 0 (one for "
                           "each CPU) and " +
                           std::to_string(maxThreads));
  for (int cpu : options.cpus)
    if (cpu < 0 || cpu >= CPU_SETSIZE)
      return invalidArgument("there is no CPU " + std::to_string(cpu) +
                             "; their numbers lie between 0 and " +
                             std::to_string(CPU_SETSIZE - 1));
  std::shared_ptr<ThreadPool> pool(new ThreadPool());
  pool->process_ = countForks();
  std::set<int> cpus(options.cpus.begin(), options.cpus.end());
  pool->cpus_ = cpus.empty() ? availableCpus() : int(cpus.size());
  pool->size_ = options.threads == 0 ? pool->cpus_ : options.threads;
  Status status = pool->startWorkers(options.cpus);
  if (!status.isOk())
    return status;
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

/// "qcc-1", as debuggers and `top -H` show it.
static void nameThread(int index) {
  char name[16];
  snprintf(name, sizeof(name), "qcc-%d", index);
  pthread_setname_np(pthread_self(), name);
}

void *ThreadPool::workerMain(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  ThreadPool &pool = *worker.pool;
  poolOfThread = &pool;
  nameThread(worker.index);
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

namespace {
/// While it lives, the calling thread is in a body of the pool.
class InBody {
public:
  explicit InBody(const ThreadPool *pool)
      : before_(std::exchange(poolOfThread, pool)) {}
  ~InBody() { poolOfThread = before_; }
  InBody(const InBody &) = delete;
  InBody &operator=(const InBody &) = delete;

private:
  const ThreadPool *before_;
};
} // namespace

bool ThreadPool::isRunningHere() const { return poolOfThread == this; }

void ThreadPool::run(int threads, FunctionRef<void(int, int)> body) {
  runUnless([] { return false; }, threads, body);
}

bool ThreadPool::runUnless(FunctionRef<bool()> mustEnd, int threads,
                           FunctionRef<void(int, int)> body) {
  threads = threads < 1 ? 1 : threads > size_ ? size_ : threads;
  if (threads == 1) {
    body(0, 1);
    return true;
  }
  constexpr auto timeBetweenLooks = std::chrono::milliseconds(2);
  std::unique_lock<std::timed_mutex> lock(runMutex_, std::try_to_lock);
  if (!lock.owns_lock()) {
    CountedHere waiting(ProcessCounters::get().runsWaiting);
    while (!lock.owns_lock())
      if (!lock.try_lock_for(timeBetweenLooks) && mustEnd())
        return false;
  }
  runLocked(threads, body);
  return true;
}

void ThreadPool::runLocked(int threads, FunctionRef<void(int, int)> body) {
  InBody inBody(this);
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

//===----------------------------------------------------------------------===//
// The pool of the process
//===----------------------------------------------------------------------===//

namespace {
/// Never destroyed: a process may end while its pool is in use.
struct DefaultPool {
  std::mutex mutex;
  std::shared_ptr<ThreadPool> pool;

  static DefaultPool &get() {
    static DefaultPool *const instance = [] {
      auto *made = new DefaultPool();
      // A child must not find the mutex in the hands of a thread that it lacks.
      pthread_atfork([] { get().mutex.lock(); }, [] { get().mutex.unlock(); },
                     [] { get().mutex.unlock(); });
      return made;
    }();
    return *instance;
  }
};
} // namespace

Result<std::shared_ptr<ThreadPool>> ThreadPool::getDefault() {
  DefaultPool &instance = DefaultPool::get();
  std::lock_guard<std::mutex> lock(instance.mutex);
  if (!instance.pool || instance.pool->wasLostInFork()) {
    Result<std::shared_ptr<ThreadPool>> created = create(0);
    if (!created.isOk())
      return created.status();
    instance.pool = *created;
  }
  return instance.pool;
}

void ThreadPool::setDefault(std::shared_ptr<ThreadPool> pool) {
  DefaultPool &instance = DefaultPool::get();
  std::lock_guard<std::mutex> lock(instance.mutex);
  instance.pool.swap(pool);
}

} // namespace qcc::rt
