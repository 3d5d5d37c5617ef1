//===- SteadyStateTests.cpp - Steady state of runs ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Once a shape has been run, running it again takes no memory and forks once,
// and how many threads there are is not to be seen in the results.
//
//===----------------------------------------------------------------------===//

#include "CountingAllocator.h"
#include "HeapCount.h"
#include "TwiceEntry.h"

using namespace qcc::rt;
using namespace qcc::rt::test;

TEST(HeapCount, Counts) {
  if (!countsHeap())
    GTEST_SKIP() << "a sanitizer has the heap";
  int64_t before = heapAllocations();
  std::vector<int> *volatile memory = new std::vector<int>(1000);
  delete memory;
  EXPECT_GE(heapAllocations(), before + 2);
}

TEST(SteadyState, AllocatesNothingAfterTheFirstRun) {
  CountingAllocator counter;
  for (int threads : {1, 3}) {
    counter.allocations = 0;
    ContextOptions options = withThreads(threads);
    options.allocator = counter.hook();
    options.profile = true;
    Fixture f(twiceEntry(), options);
    Data data(600), smaller(20), larger(900);
    ASSERT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
    EXPECT_EQ(counter.allocations, 2); // arena, scratch
    int64_t heap = heapAllocations();
    for (int i = 0; i < 10; ++i)
      ASSERT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
    // Shapes that need no more memory are no reason to allocate either.
    ASSERT_TRUE(f.context->run(smaller.inputs, smaller.outputs).isOk());
    EXPECT_EQ(counter.allocations, 2);
    EXPECT_EQ(heapAllocations(), heap);
    ASSERT_TRUE(f.context->run(larger.inputs, larger.outputs).isOk());
    EXPECT_EQ(counter.allocations, 3);
    smaller.expectTwice();
    larger.expectTwice();
  }
  EXPECT_EQ(counter.live, 0);
}

TEST(SteadyState, DescribingTensorsAllocatesNothing) {
  Fixture f(twiceEntry(), withThreads(2));
  Data data(100);
  int64_t dims[] = {100};
  auto call = [&] {
    // As a caller does that has other descriptions of tensors.
    Tensor input(data.x.data(), i32, Shape(dims, 1));
    Tensor output(data.y.data(), i32, Shape(dims, 1));
    return f.context->run(&input, 1, &output, 1).isOk();
  };
  ASSERT_TRUE(call());
  int64_t heap = heapAllocations();
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(call());
  EXPECT_EQ(heapAllocations(), heap);
  data.expectTwice();
}

TEST(SteadyState, HostThreadsAllocateNothingEither) {
  ContextOptions options = withThreads(4);
  options.hostThreads.parallelFor = [](void *, int threads,
                                       void (*body)(void *, int), void *self) {
    for (int t = 0; t < threads; ++t)
      body(self, t);
  };
  Fixture f(twiceEntry(), options);
  Data data(100);
  ASSERT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
  int64_t heap = heapAllocations();
  ASSERT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
  EXPECT_EQ(heapAllocations(), heap);
}

/// copy, then nine times add: ten layers.
static FakeArtifact::EntrySpec tenLayers() {
  FakeArtifact::EntrySpec spec = twiceEntry();
  while (spec.steps.size() < 10)
    spec.steps.push_back({"add", addFromArena, true, 4});
  return spec;
}

TEST(SteadyState, ForksOncePerRun) {
  ContextOptions options;
  options.pool = *ThreadPool::create(3);
  Fixture f(tenLayers(), options);
  Data data(300);
  EXPECT_EQ(options.pool->forks(), 0u);
  for (uint64_t runs = 1; runs <= 5; ++runs) {
    ASSERT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
    EXPECT_EQ(options.pool->forks(), runs);
  }
  // One thread needs no fork at all.
  options.threads = 1;
  Fixture alone(tenLayers(), options);
  ASSERT_TRUE(alone.context->run(data.inputs, data.outputs).isOk());
  EXPECT_EQ(options.pool->forks(), 5u);
}

TEST(SteadyState, ResultsDoNotDependOnThreads) {
  for (int64_t size : {0, 1, 5, 8, 1000}) {
    std::vector<int32_t> expected;
    for (int threads = 1; threads <= 8; ++threads) {
      Fixture f(tenLayers(), withThreads(threads));
      Data data(size);
      ASSERT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
      data.expectTwice();
      if (threads == 1)
        expected = data.y;
      EXPECT_EQ(data.y, expected) << threads;
    }
  }
}
