//===- ThreadPool.cpp - Threads that spin, then park ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase that has ended stays ended: whoever looks at it late finds all of its
// parts taken. So a run ends without those who have no part. They touch nothing
// but the pool.
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/ThreadPool.h"

#include "ProcessForks.h"
#include "qcc/Base/BlockedSignals.h"
#include "qcc/Base/SystemFailure.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Runtime/Process.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sched.h>
#include <set>
#include <utility>

namespace qcc::rt {

/// How long a thread waits for the next run or phase before it parks.
constexpr std::chrono::microseconds kSpinTime(40);
/// How long a thread leaves a part to the thread of the part's number.
constexpr std::chrono::microseconds kPatience(2);
/// So many workers are woken by the caller, and by each of them.
constexpr int kCalledAtOnce = 4;

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

/// The pool whose part the thread is in, or null.
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
  // No thread may start whose record could get lost for want of memory.
  for (int i = 0; i < size_; ++i) {
    threads_.push_back(std::make_unique<Thread>());
    threads_[i]->pool = this;
    threads_[i]->index = i;
  }
  BlockedSignals blocked;
  for (int i = 1; i < size_; ++i) {
    int cpu = cpus.empty() ? -1 : cpus[i % cpus.size()];
    int error =
        startThread(threads_[i]->thread, cpu, workerMain, threads_[i].get());
    if (error == 0)
      continue;
    threads_.resize(i);
    if (error == EINVAL && cpu >= 0)
      return invalidArgument("CPU " + std::to_string(cpu) +
                             " is none that this process may use; take those "
                             "of sched_getaffinity");
    return systemFailure("cannot start thread " + std::to_string(i) + " of " +
                             std::to_string(size_),
                         error);
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
  for (size_t i = 1; i < threads_.size(); ++i)
    threads_[i]->call.countUp();
  for (size_t i = 1; i < threads_.size(); ++i) {
    threads_[i]->call.wake();
    pthread_join(threads_[i]->thread, nullptr);
  }
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

/// Wakes those called workers that are the waker's to wake.
void ThreadPool::wakeWorkers(int waker, int threads) {
  int first = waker * kCalledAtOnce + 1;
  for (int i = first; i < std::min(first + kCalledAtOnce, threads); ++i)
    threads_[i]->call.wake();
}

void *ThreadPool::workerMain(void *argument) {
  Thread &self = *static_cast<Thread *>(argument);
  ThreadPool &pool = *self.pool;
  poolOfThread = &pool;
  nameThread(self.index);
  bool maySpin = pool.maySpin(pool.size_);
  uint64_t seen = 0;
  while (true) {
    uint64_t call = maySpin ? self.call.spinWhile(seen, kSpinTime) : seen;
    seen = call != seen ? call : self.call.parkWhile(seen);
    if (pool.stopping_)
      return nullptr;
    pool.wakeWorkers(self.index, Phase::unpack(pool.phase_.load()).threads);
    if (maySpin)
      pool.leaveCallersCpu();
    pool.takeParts(self.index);
  }
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

uint64_t ThreadPool::Phase::pack() const {
  return uint64_t(number) << 32 | uint64_t(threads) << 16 | uint64_t(parts);
}

ThreadPool::Phase ThreadPool::Phase::unpack(uint64_t word) {
  return {uint32_t(word >> 32), int(word >> 16 & 0xffff), int(word & 0xffff)};
}

/// Whether the part is the calling thread's from now on.
bool ThreadPool::take(Phase phase, int part) {
  std::atomic<uint32_t> &taken = threads_[part]->taken;
  uint32_t last = taken.load(std::memory_order_relaxed);
  return int32_t(last - phase.number) < 0 &&
         taken.compare_exchange_strong(last, phase.number,
                                       std::memory_order_acq_rel,
                                       std::memory_order_relaxed);
}

/// The first part that nobody has taken, which the calling thread takes; -1 if
/// all are taken.
int ThreadPool::takeAny(Phase phase) {
  for (int part = 0; part < phase.parts; ++part)
    if (take(phase, part))
      return part;
  return -1;
}

/// Computes parts until the run has ended.
void ThreadPool::takeParts(int thread) {
  uint64_t word = phase_.load();
  for (Phase phase = Phase::unpack(word);
       phase.parts > 0 && thread < phase.threads; phase = Phase::unpack(word)) {
    bool spins = maySpin(phase.threads);
    int part = thread < phase.parts && take(phase, thread) ? thread : -1;
    uint64_t next = word;
    if (part < 0 && spins)
      next = phase_.spinWhile(word, kPatience);
    if (part < 0 && next == word)
      part = takeAny(phase);
    if (part >= 0) {
      compute(phase, part, thread);
      word = phase_.load();
      continue;
    }
    if (next == word && spins)
      next = phase_.spinWhile(word, kSpinTime);
    word = next != word ? next : phase_.parkWhile(word);
  }
}

void ThreadPool::compute(Phase phase, int part, int thread) {
  work_.part(part, thread);
  int finished = finishedParts_.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (finished == phase.parts)
    beginPhase(phase, thread);
}

/// Begins the phase after `last`. A phase of one part needs nobody else.
void ThreadPool::beginPhase(Phase last, int thread) {
  int parts = 0;
  while ((parts = work_.next()) == 1)
    work_.part(0, thread);
  finishedParts_.store(0, std::memory_order_relaxed);
  uint64_t next = Phase{last.number + 1, last.threads, parts}.pack();
  // The caller of the run may be parked behind any number of workers. It must
  // not wait for them to get CPUs. Where it ends the run itself, it must not
  // wait for a system call that wakes them all.
  if (parts == 0 && thread != 0)
    phase_.storeForAll(next);
  else
    phase_.store(next);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

namespace {
/// While it lives, the calling thread is in a part of the pool.
class InPart {
public:
  explicit InPart(const ThreadPool *pool)
      : before_(std::exchange(poolOfThread, pool)) {}
  ~InPart() { poolOfThread = before_; }
  InPart(const InPart &) = delete;
  InPart &operator=(const InPart &) = delete;

private:
  const ThreadPool *before_;
};
} // namespace

bool ThreadPool::isRunningHere() const { return poolOfThread == this; }

void ThreadPool::run(int threads, FunctionRef<void(int, int)> part) {
  bool hasBegun = false;
  auto next = [&] { return std::exchange(hasBegun, true) ? 0 : threads; };
  runUnless([] { return false; }, threads, PhasedWork{part, next});
}

bool ThreadPool::runUnless(FunctionRef<bool()> mustEnd, int threads,
                           const PhasedWork &work) {
  assert(threads >= 1 && threads <= size_);
  if (threads == 1) {
    while (work.next() != 0)
      work.part(0, 0);
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
  runLocked(threads, work);
  return true;
}

void ThreadPool::runLocked(int threads, const PhasedWork &work) {
  InPart inPart(this);
  work_ = work;
  forks_.store(forks() + 1, std::memory_order_relaxed);
  callerCpu_.store(sched_getcpu(), std::memory_order_relaxed);
  Phase phase = Phase::unpack(phase_.load());
  for (int i = 0; i < threads; ++i)
    threads_[i]->taken.store(phase.number, std::memory_order_relaxed);
  finishedParts_.store(0, std::memory_order_relaxed);
  int parts = work.next();
  phase_.store(Phase{phase.number + 1, threads, parts}.pack());
  for (int i = 1; i < threads; ++i)
    threads_[i]->call.countUp();
  wakeWorkers(0, threads);
  takeParts(0);
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
