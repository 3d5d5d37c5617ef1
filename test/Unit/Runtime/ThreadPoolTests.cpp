//===- ThreadPoolTests.cpp - Forks, barriers, memory ----------------------===//
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

using namespace qcc::rt;

static std::shared_ptr<ThreadPool> makePool(int threads) {
  Result<std::shared_ptr<ThreadPool>> pool = ThreadPool::create(threads);
  EXPECT_TRUE(pool.isOk()) << pool.message();
  return *pool;
}

TEST(ThreadPool, CallsEveryThreadOnce) {
  std::shared_ptr<ThreadPool> pool = makePool(9);
  for (int threads = 1; threads <= 9; ++threads)
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<int> calls(threads);
      pool->run(threads, [&](int thread, int count) {
        EXPECT_EQ(count, threads);
        ++calls[thread];
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
  pool->run(3, [&](int thread, int) {
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
      pool->run(3, [&](int thread, int) {
        if (thread == 0)
          EXPECT_EQ(++inside, 1);
        ++calls;
        if (thread == 0)
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
  int calls = 0, looks = 0;
  EXPECT_FALSE(pool->runUnless([&] { return ++looks == 3; }, 2,
                               [&](int, int) { ++calls; }));
  EXPECT_EQ(looks, 3);
  EXPECT_EQ(calls, 0);
  // One thread is the caller's, which needs nobody.
  EXPECT_TRUE(
      pool->runUnless([] { return true; }, 1, [&](int, int) { ++calls; }));
  EXPECT_EQ(calls, 1);
  release = true;
  holder.join();
  std::atomic<int> both{0};
  EXPECT_TRUE(
      pool->runUnless([] { return true; }, 2, [&](int, int) { ++both; }));
  EXPECT_EQ(both, 2);
}

TEST(ThreadPool, KnowsWhoIsInItsBodies) {
  std::shared_ptr<ThreadPool> pool = makePool(2), other = makePool(2);
  EXPECT_FALSE(pool->isRunningHere());
  std::atomic<int> right{0};
  pool->run(2, [&](int thread, int) {
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
    (*pool)->run(3, [&](int thread, int) {
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

/// Between two barriers each thread sees what all others wrote before the
/// first. The data is not atomic: a thread sanitizer sees a broken barrier.
static void testBarrier(int threads, int rounds, bool maySpin) {
  std::shared_ptr<ThreadPool> pool = makePool(threads);
  Barrier barrier(threads, maySpin);
  std::vector<int> data(threads);
  int completions = 0;
  std::atomic<bool> good{true};
  pool->run(threads, [&](int thread, int) {
    for (int round = 1; round <= rounds; ++round) {
      data[thread] = round;
      barrier.arriveAndWait([&] { ++completions; });
      int next = data[(thread + 1) % threads];
      if (next != round || completions != 2 * round - 1)
        good = false;
      barrier.arriveAndWait([&] { ++completions; });
    }
  });
  EXPECT_TRUE(good);
  EXPECT_EQ(completions, 2 * rounds);
}

TEST(Barrier, SeparatesSteps) { testBarrier(2, 2000, true); }
TEST(Barrier, SeparatesStepsWithoutSpinning) { testBarrier(2, 500, false); }
TEST(Barrier, OfOneThread) { testBarrier(1, 10, true); }
TEST(Barrier, OfMoreThreadsThanCpus) { testBarrier(16, 100, false); }

TEST(ThreadPool, LeavesSignalsToTheApplication) {
  sigset_t before, after, worker;
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &before), 0);
  std::shared_ptr<ThreadPool> pool = makePool(2);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &after), 0);
  pool->run(2, [&](int thread, int) {
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
    pool->run(2, [&](int thread, int) {
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
