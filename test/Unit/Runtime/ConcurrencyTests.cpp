//===- ConcurrencyTests.cpp - Many threads, one module --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meant for ThreadSanitizer as well: nothing that is wrong here needs to go
// wrong to be seen by it.
//
//===----------------------------------------------------------------------===//

#include "CountingAllocator.h"
#include "TwiceEntry.h"

#include <functional>
#include <thread>

using namespace qcc::rt;
using namespace qcc::rt::test;

namespace {

constexpr int numThreads = 8, numRuns = 1000;

/// Runs of different sizes on a context of its own, with checked results.
void runMany(const std::shared_ptr<const Module> &module,
             const ContextOptions &options, int seed,
             std::atomic<int> &goodRuns) {
  Result<std::unique_ptr<Context>> context =
      Context::create(module, "", options);
  ASSERT_TRUE(context.isOk()) << context.message();
  for (int run = 0; run < numRuns; ++run) {
    int64_t size = 1 + (run * 7 + seed * 13) % 97;
    Data data(size);
    Status status = (*context)->run(data.inputs, data.outputs);
    ASSERT_TRUE(status.isOk()) << status.message();
    data.expectTwice();
    ++goodRuns;
  }
}

void runOnManyThreads(const std::function<ContextOptions(int)> &optionsOf) {
  FakeArtifact artifact(twiceEntry());
  std::shared_ptr<const Module> module = *artifact.load();
  std::atomic<int> goodRuns{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < numThreads; ++t)
    threads.emplace_back(
        [&, t] { runMany(module, optionsOf(t), t, goodRuns); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(goodRuns, numThreads * numRuns);
}

} // namespace

TEST(Concurrency, EightThreadsShareAModule) {
  runOnManyThreads([](int) { return withThreads(1); });
}

TEST(Concurrency, EightThreadsWithPoolsOfTheirOwn) {
  runOnManyThreads([](int t) { return withThreads(1 + t % 2); });
}

TEST(Concurrency, EightThreadsShareAPool) {
  std::shared_ptr<ThreadPool> pool = *ThreadPool::create(2);
  runOnManyThreads([&](int) {
    ContextOptions options;
    options.pool = pool;
    return options;
  });
  EXPECT_EQ(pool->forks(), uint64_t(numThreads) * numRuns);
}

TEST(Concurrency, EightThreadsOpenTheSameFile) {
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < numThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        good += Module::open(QCC_TEST_ARTIFACT).isOk();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, numThreads * 20);
}

TEST(Concurrency, OneContextForTwoThreadsIsBusyOrRight) {
  Fixture f(twiceEntry(), withThreads(2));
  std::atomic<int> right{0}, busy{0};
  auto caller = [&] {
    for (int run = 0; run < numRuns; ++run) {
      Data data(50);
      Status status = f.context->run(data.inputs, data.outputs);
      if (status.isOk()) {
        data.expectTwice();
        ++right;
      } else {
        ASSERT_EQ(status.code(), StatusCode::Busy);
        ++busy;
      }
    }
  };
  std::thread other(caller);
  caller();
  other.join();
  EXPECT_EQ(right + busy, 2 * numRuns);
  EXPECT_GT(right, 0);
}

TEST(Concurrency, ASecondContextCostsOnlyItsArena) {
  CountingAllocator counter;
  FakeArtifact artifact(twiceEntry());
  std::shared_ptr<const Module> module = *artifact.load();
  ContextOptions options = withThreads(1);
  options.allocator = counter.hook();
  Data data(1000);
  constexpr int64_t arena = 1000 * 4, scratch = 128;
  std::vector<std::unique_ptr<Context>> contexts;
  for (int count = 1; count <= 4; ++count) {
    Result<std::unique_ptr<Context>> context =
        Context::create(module, "", options);
    ASSERT_TRUE(context.isOk());
    contexts.push_back(*std::move(context));
    // Nothing yet: what it needs depends on the shapes.
    EXPECT_EQ(counter.live, (count - 1) * (arena + scratch));
    ASSERT_TRUE(contexts.back()->run(data.inputs, data.outputs).isOk());
    EXPECT_EQ(counter.live, count * (arena + scratch));
    EXPECT_EQ(counter.allocations, count * 2);
  }
  contexts.clear();
  EXPECT_EQ(counter.live, 0);
}
