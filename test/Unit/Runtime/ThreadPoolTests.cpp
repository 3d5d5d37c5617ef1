//===- ThreadPoolTests.cpp - Runs, phases, memory -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/Allocator.h"
#include "qcc/Runtime/ThreadPool.h"

#include "gtest/gtest.h"

#include <chrono>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace qcc::rt;

static std::shared_ptr<ThreadPool> makePool(int threads) {
  Result<std::shared_ptr<ThreadPool>> pool = ThreadPool::create(threads);
  EXPECT_TRUE(pool.isOk()) << pool.message();
  return *pool;
}

/// Calls body(thread) on each of `threads` threads: none ends before all have
/// begun, so that none takes the part of another.
static void runOnEach(ThreadPool &pool, int threads,
                      FunctionRef<void(int)> body) {
  std::atomic<int> begun{0};
  pool.run(threads, [&](int part, int thread) {
    EXPECT_EQ(part, thread);
    for (++begun; begun != threads;)
      std::this_thread::yield();
    body(thread);
  });
}

TEST(ThreadPool, ComputesEveryPartOnce) {
  std::shared_ptr<ThreadPool> pool = makePool(9);
  for (int threads = 1; threads <= 9; ++threads)
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<int> calls(threads);
      pool->run(threads, [&](int part, int thread) {
        EXPECT_LT(thread, threads);
        ++calls[part];
      });
      EXPECT_EQ(calls, std::vector<int>(threads, 1));
    }
}

TEST(ThreadPool, KnowsThatAForkLostItsThreads) {
  std::shared_ptr<ThreadPool> pool = makePool(3);
  pool->run(3, [](int, int) {});
  pid_t child = fork();
  if (child == 0) {
    bool wasLost = pool->wasLostInFork();
    pool.reset(); // Would wait for ever if it joined.
    _exit(wasLost ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_FALSE(pool->wasLostInFork());
  pool->run(3, [](int, int) {});
}

TEST(ThreadPool, CallerIsThreadZero) {
  std::shared_ptr<ThreadPool> pool = makePool(3);
  std::thread::id zero;
  runOnEach(*pool, 3, [&](int thread) {
    if (thread == 0)
      zero = std::this_thread::get_id();
  });
  EXPECT_EQ(zero, std::this_thread::get_id());
}

TEST(ThreadPool, WakesParkedWorkers) {
  std::shared_ptr<ThreadPool> pool = makePool(4);
  for (int repeat = 0; repeat < 5; ++repeat) {
    // Far longer than anybody spins.
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    std::atomic<int> calls{0};
    pool->run(4, [&](int, int) { ++calls; });
    EXPECT_EQ(calls, 4);
  }
}

TEST(ThreadPool, DefaultsToCpusAndRefusesNonsense) {
  EXPECT_GE(makePool(0)->size(), 1);
  EXPECT_FALSE(ThreadPool::create(-1).isOk());
  EXPECT_FALSE(ThreadPool::create(100000).isOk());
}

TEST(ThreadPool, CallersFollowOneAnother) {
  std::shared_ptr<ThreadPool> pool = makePool(3);
  std::atomic<int> calls{0}, inside{0};
  auto caller = [&] {
    for (int i = 0; i < 50; ++i)
      pool->run(3, [&](int part, int) {
        if (part == 0)
          EXPECT_EQ(++inside, 1);
        ++calls;
        if (part == 0)
          --inside;
      });
  };
  std::thread a(caller), b(caller);
  a.join();
  b.join();
  EXPECT_EQ(calls, 300);
}

TEST(ThreadPool, WaitsForOthersUntilItMustEnd) {
  std::shared_ptr<ThreadPool> pool = makePool(2);
  std::atomic<bool> isHeld{false}, release{false};
  std::thread holder([&] {
    pool->run(2, [&](int, int) {
      isHeld = true;
      while (!release)
        std::this_thread::yield();
    });
  });
  while (!isHeld)
    std::this_thread::yield();
  int looks = 0, parts = 1;
  std::atomic<int> calls{0};
  auto part = [&](int, int) { ++calls; };
  auto next = [&] { return std::exchange(parts, 0); };
  EXPECT_FALSE(pool->runUnless([&] { return ++looks == 3; }, 2, {part, next}));
  EXPECT_EQ(looks, 3);
  EXPECT_EQ(calls, 0);
  // One thread is the caller's, which needs nobody.
  EXPECT_TRUE(pool->runUnless([] { return true; }, 1, {part, next}));
  EXPECT_EQ(calls, 1);
  release = true;
  holder.join();
  parts = 2;
  EXPECT_TRUE(pool->runUnless([] { return true; }, 2, {part, next}));
  EXPECT_EQ(calls, 3);
}

TEST(ThreadPool, KnowsWhoIsInItsParts) {
  std::shared_ptr<ThreadPool> pool = makePool(2), other = makePool(2);
  EXPECT_FALSE(pool->isRunningHere());
  std::atomic<int> right{0};
  runOnEach(*pool, 2, [&](int thread) {
    right += pool->isRunningHere() && !other->isRunningHere();
    if (thread == 0)
      other->run(2, [&](int, int) { right += other->isRunningHere(); });
    right += pool->isRunningHere();
  });
  EXPECT_EQ(right, 6);
  EXPECT_FALSE(pool->isRunningHere());
}

TEST(ThreadPool, PinsItsThreads) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &before))
    ++cpu;
  Result<std::shared_ptr<ThreadPool>> pool = ThreadPool::create({3, {cpu}});
  ASSERT_TRUE(pool.isOk()) << pool.message();
  std::atomic<int> right{0};
  for (int round = 0; round < 3; ++round)
    runOnEach(**pool, 3, [&](int thread) {
      cpu_set_t own;
      sched_getaffinity(0, sizeof(own), &own);
      right += thread == 0 ? CPU_EQUAL(&own, &before)
                           : CPU_COUNT(&own) == 1 && CPU_ISSET(cpu, &own);
    });
  EXPECT_EQ(right, 9);
  // As many threads as CPUs that are named.
  pool = ThreadPool::create({0, {cpu, cpu}});
  ASSERT_TRUE(pool.isOk()) << pool.message();
  EXPECT_EQ((*pool)->size(), 1);
  pool = ThreadPool::create({2, {cpu, CPU_SETSIZE - 1}});
  ASSERT_FALSE(pool.isOk());
  EXPECT_EQ(pool.message(), "CPU 1023 is none that this process may use; take "
                            "those of sched_getaffinity");
  pool = ThreadPool::create({2, {cpu, -1}});
  ASSERT_FALSE(pool.isOk());
  EXPECT_EQ(pool.message(),
            "there is no CPU -1; their numbers lie between 0 and 1023");
}

TEST(ThreadPool, OneIsTheProcesss) {
  Result<std::shared_ptr<ThreadPool>> first = ThreadPool::getDefault();
  ASSERT_TRUE(first.isOk()) << first.message();
  EXPECT_EQ(*ThreadPool::getDefault(), *first);
  EXPECT_EQ((*first)->size(), makePool(0)->size());
  std::shared_ptr<ThreadPool> mine = makePool(3);
  ThreadPool::setDefault(mine);
  EXPECT_EQ(*ThreadPool::getDefault(), mine);
  pid_t child = fork();
  if (child == 0) {
    std::atomic<int> calls{0};
    Result<std::shared_ptr<ThreadPool>> own = ThreadPool::getDefault();
    if (own.isOk())
      (*own)->run((*own)->size(), [&](int, int) { ++calls; });
    _exit(own.isOk() && *own != mine && calls == (*own)->size() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ThreadPool::setDefault(nullptr);
  EXPECT_NE(*ThreadPool::getDefault(), mine);
}

/// In each phase, each part sees what all others wrote in the one before. The
/// data is not atomic: a thread sanitizer sees phases that overlap.
static void testPhases(int threads, int phases) {
  std::shared_ptr<ThreadPool> pool = makePool(threads);
  std::vector<int> data(threads), before(threads);
  int phase = 0, parts = 0;
  std::atomic<bool> good{true};
  auto part = [&](int part, int) {
    if (before[(part + 1) % threads] != phase - 1)
      good = false;
    data[part] = phase;
  };
  auto next = [&] {
    // Parts that the last phase did not have.
    for (int i = parts; i < threads; ++i)
      data[i] = phase;
    before = data;
    // Each number of parts, and now and then some phases of one in a row.
    parts = phase % 7 < 3 ? 1 : phase % threads + 1;
    return phase++ == phases ? 0 : parts;
  };
  EXPECT_TRUE(pool->runUnless([] { return false; }, threads, {part, next}));
  EXPECT_TRUE(good);
  EXPECT_EQ(phase, phases + 1);
  EXPECT_EQ(data, std::vector<int>(threads, phases));
}

TEST(ThreadPool, SeparatesPhases) { testPhases(2, 4000); }
TEST(ThreadPool, SeparatesPhasesOfOneThread) { testPhases(1, 20); }
TEST(ThreadPool, SeparatesPhasesOfMoreThreadsThanCpus) { testPhases(40, 300); }

/// The last part takes so long that all others park, the caller among them.
TEST(ThreadPool, RunsOfMoreThreadsThanCpusEndWhileTheCallerIsParked) {
  constexpr int threads = 12, runs = 50;
  std::shared_ptr<ThreadPool> pool = makePool(threads);
  int endedByWorkers = 0;
  for (int run = 0; run < runs; ++run) {
    std::atomic<int> last{0};
    pool->run(threads, [&](int part, int thread) {
      if (part != threads - 1)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      last = thread;
    });
    endedByWorkers += last != 0;
  }
  EXPECT_GT(endedByWorkers, 0);
}

static std::atomic<bool> isHeldBySignal{false}, mayGoOn{false};

/// The worker is held by a signal, as another process on its CPU would hold it.
TEST(ThreadPool, OthersTakeThePartsOfThreadsThatDoNotCome) {
  std::shared_ptr<ThreadPool> pool = makePool(3);
  pthread_t worker;
  runOnEach(*pool, 3, [&](int thread) {
    if (thread == 1)
      worker = pthread_self();
  });
  isHeldBySignal = mayGoOn = false;
  struct sigaction hold = {}, before;
  hold.sa_handler = [](int) {
    isHeldBySignal = true;
    while (!mayGoOn)
      sched_yield();
  };
  ASSERT_EQ(sigaction(SIGPROF, &hold, &before), 0);
  ASSERT_EQ(pthread_kill(worker, SIGPROF), 0);
  while (!isHeldBySignal)
    std::this_thread::yield();
  std::atomic<int> calls{0};
  for (int run = 0; run < 100; ++run) {
    int phase = 0;
    auto part = [&](int, int thread) {
      EXPECT_NE(thread, 1);
      ++calls;
    };
    auto next = [&] { return phase++ < 5 ? 3 : 0; };
    EXPECT_TRUE(pool->runUnless([] { return false; }, 3, {part, next}));
  }
  EXPECT_EQ(calls, 1500);
  // It was called a hundred times, and comes when there is nothing to do.
  mayGoOn = true;
  runOnEach(*pool, 3, [&](int) { ++calls; });
  EXPECT_EQ(calls, 1503);
  ASSERT_EQ(sigaction(SIGPROF, &before, nullptr), 0);
}

TEST(ThreadPool, LeavesSignalsToTheApplication) {
  sigset_t before, after, worker;
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &before), 0);
  std::shared_ptr<ThreadPool> pool = makePool(2);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &after), 0);
  runOnEach(*pool, 2, [&](int thread) {
    if (thread == 1)
      pthread_sigmask(SIG_BLOCK, nullptr, &worker);
  });
  for (int signal : {SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGALRM}) {
    EXPECT_EQ(sigismember(&worker, signal), 1) << signal;
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal));
  }
  for (int signal : {SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGPROF})
    EXPECT_EQ(sigismember(&worker, signal), 0) << signal;
}

/// After an idle time, the kernel likes to wake the worker on the CPU of its
/// waker.
TEST(ThreadPool, LeavesTheCpuOfTheCaller) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  if (CPU_COUNT(&before) < 2)
    GTEST_SKIP() << "one CPU";
  std::shared_ptr<ThreadPool> pool = makePool(2);
  constexpr int rounds = 40;
  int apart = 0;
  bool mayUseAll = true;
  for (int round = 0; round < rounds; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
    int cpus[2] = {-1, -1};
    cpu_set_t after;
    runOnEach(*pool, 2, [&](int thread) {
      cpus[thread] = sched_getcpu();
      if (thread == 1)
        sched_getaffinity(0, sizeof(after), &after);
    });
    apart += cpus[0] != cpus[1];
    mayUseAll &= CPU_EQUAL(&before, &after);
  }
  // The caller may move, too: without interference nearly all.
  EXPECT_GT(apart, rounds / 2);
  EXPECT_TRUE(mayUseAll);
}

TEST(AlignedBuffer, GrowsOnly) {
  AlignedBuffer buffer;
  ASSERT_TRUE(buffer.reserve(0).isOk());
  EXPECT_EQ(buffer.data(), nullptr);
  ASSERT_TRUE(buffer.reserve(100).isOk());
  char *data = buffer.data();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
  ASSERT_TRUE(buffer.reserve(50).isOk());
  EXPECT_EQ(buffer.data(), data);
  AlignedBuffer moved = std::move(buffer);
  EXPECT_EQ(moved.data(), data);
}

TEST(AlignedBuffer, ReportsFailures) {
  Allocator empty = defaultAllocator();
  empty.allocate = [](size_t, size_t, void *) -> void * { return nullptr; };
  Status status = AlignedBuffer(empty).reserve(64);
  EXPECT_EQ(status.code(), StatusCode::OutOfMemory);

  alignas(64) static char memory[256];
  Allocator crooked;
  crooked.allocate = [](size_t, size_t, void *) -> void * {
    return memory + 1;
  };
  crooked.deallocate = [](void *, size_t, size_t, void *) {};
  crooked.context = nullptr;
  status = AlignedBuffer(crooked).reserve(64);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("not aligned"), std::string::npos);
}
