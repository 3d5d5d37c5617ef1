//===- ContextTests.cpp - Planning, checking and running ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TwiceEntry.h"

#include <cstdlib>
#include <limits>
#include <new>
#include <thread>
#include <xmmintrin.h>

using namespace qcc::rt;
using namespace qcc::rt::test;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

TEST(Context, RunsOnAnyNumberOfThreads) {
  for (int threads : {1, 2, 3, 8, 17}) {
    Fixture f(twiceEntry(), withThreads(threads));
    EXPECT_EQ(f.context->threads(), threads);
    for (int64_t size : {1, 2, 7, 1000}) {
      Data data(size);
      for (int repeat = 0; repeat < 10; ++repeat) {
        std::fill(data.y.begin(), data.y.end(), 0);
        Status status = f.context->run(data.inputs, data.outputs);
        ASSERT_TRUE(status.isOk()) << status.message();
        data.expectTwice();
      }
    }
  }
}

TEST(Context, ZeroSizeDimensions) {
  Fixture f(twiceEntry(), withThreads(2));
  Status status =
      f.context->run({Tensor(nullptr, i32, {0})}, {Tensor(nullptr, i32, {0})});
  EXPECT_TRUE(status.isOk()) << status.message();
  Result<std::vector<OwnedTensor>> results =
      f.context->allocateResults({Tensor(nullptr, i32, {0})});
  ASSERT_TRUE(results.isOk());
  EXPECT_EQ((*results)[0].tensor.shape, std::vector<int64_t>{0});
}

TEST(Context, PlansAndAllocatesResults) {
  Fixture f(twiceEntry(), withThreads(3));
  ASSERT_TRUE(f.context->plan({5}).isOk());
  EXPECT_EQ(f.context->values(), (std::vector<int64_t>{5, 5}));
  EXPECT_EQ(f.context->arenaBytes(), 20);
  EXPECT_EQ(f.context->scratchBytes(), 3 * 128);
  expectFailure(f.context->plan({}), StatusCode::InvalidArgument,
                "1 dynamic dimensions, but 0");
  expectFailure(f.context->plan({-1}), StatusCode::InvalidArgument, "negative");

  Data data(7);
  Result<std::vector<Shape>> shapes =
      f.context->resultShapes({Tensor(nullptr, i32, {7})});
  ASSERT_TRUE(shapes.isOk()) << shapes.message();
  EXPECT_EQ(*shapes, (std::vector<Shape>{{7}}));
  Result<std::vector<OwnedTensor>> results =
      f.context->allocateResults(data.inputs);
  ASSERT_TRUE(results.isOk()) << results.message();
  ASSERT_TRUE(f.context->run(data.inputs, {(*results)[0].tensor}).isOk());
  EXPECT_EQ(static_cast<int32_t *>((*results)[0].tensor.data)[6], 14);
}

TEST(Context, SerialStepsRunOnce) {
  static std::atomic<int> calls;
  FakeArtifact::EntrySpec spec = twiceEntry();
  auto serial = [](const qcc_frame *, int32_t thread, int32_t threads) {
    EXPECT_EQ(thread, 0);
    EXPECT_EQ(threads, 1);
    ++calls;
  };
  spec.steps = {{"s0", serial, false},          {"copy", copyToArena},
                {"s1", serial, false},          {"s2", serial, false},
                {"add", addFromArena, true, 4}, {"s3", serial, false},
                {"s4", serial, false}};
  for (int threads : {1, 2, 5}) {
    calls = 0;
    Fixture f(spec, withThreads(threads));
    Data data(100);
    ASSERT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
    data.expectTwice();
    EXPECT_EQ(calls, 5);
  }
  // Without a parallel step there is nothing for more threads to do.
  spec.steps = {{"s0", serial, false}, {"s1", serial, false}};
  Fixture f(spec, withThreads(4));
  EXPECT_EQ(f.context->threads(), 1);
  Data data(1);
  EXPECT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
}

TEST(Context, EntryWithoutSteps) {
  FakeArtifact::EntrySpec spec = twiceEntry();
  spec.steps.clear();
  Fixture f(spec);
  Data data(3);
  EXPECT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
}

TEST(Context, SharedPool) {
  Result<std::shared_ptr<ThreadPool>> pool = ThreadPool::create(3);
  ASSERT_TRUE(pool.isOk());
  ContextOptions options;
  options.pool = *pool;
  Fixture a(twiceEntry(), options), b(twiceEntry(), options);
  EXPECT_EQ(a.context->threads(), 3);
  auto loop = [](Fixture &f) {
    Data data(500);
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
      data.expectTwice();
    }
  };
  std::thread other([&] { loop(a); });
  loop(b);
  other.join();
}

TEST(Context, LittleWorkWakesNoThread) {
  Result<std::shared_ptr<ThreadPool>> pool = ThreadPool::create(2);
  ASSERT_TRUE(pool.isOk());
  ContextOptions options;
  options.pool = *pool;
  auto forksOf = [&](int64_t operations) {
    FakeArtifact::EntrySpec spec = twiceEntry();
    for (FakeArtifact::StepSpec &step : spec.steps)
      step.operations = operations;
    Fixture f(spec, options);
    EXPECT_EQ(f.context->threads(), 2);
    Data data(8);
    uint64_t before = (*pool)->forks();
    EXPECT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
    data.expectTwice();
    return (*pool)->forks() - before;
  };
  EXPECT_EQ(forksOf(8), 0u);
  EXPECT_EQ(forksOf(1 << 16), 1u);
  EXPECT_EQ(forksOf(INT64_MAX), 1u);
  // It does not say.
  EXPECT_EQ(forksOf(0), 1u);
}

TEST(Context, LittleStepsHaveFewParts) {
  static std::atomic<int> parts[4];
  FakeArtifact::EntrySpec spec = twiceEntry();
  spec.steps = {
      {"little", [](const qcc_frame *, int32_t, int32_t n) { parts[0] = n; }},
      {"some", [](const qcc_frame *, int32_t, int32_t n) { parts[1] = n; }},
      {"much", [](const qcc_frame *, int32_t, int32_t n) { parts[2] = n; }},
      {"unknown", [](const qcc_frame *, int32_t, int32_t n) { parts[3] = n; }}};
  spec.steps[0].operations = 5000;
  spec.steps[1].operations = 3 * 4096;
  spec.steps[2].operations = int64_t(1) << 40;
  Fixture f(spec, withThreads(5));
  Data data(8);
  EXPECT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
  EXPECT_EQ(parts[0], 1);
  EXPECT_EQ(parts[1], 3);
  EXPECT_EQ(parts[2], 5);
  EXPECT_EQ(parts[3], 5);
}

TEST(Context, ManyContextsShareAModule) {
  Fixture f(twiceEntry());
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      Result<std::unique_ptr<Context>> context =
          Context::create(f.module, "main", withThreads(1 + t % 3));
      ASSERT_TRUE(context.isOk());
      Data data(100 + t);
      for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE((*context)->run(data.inputs, data.outputs).isOk());
        data.expectTwice();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Context, HostThreads) {
  static int forks;
  forks = 0;
  ContextOptions options = withThreads(4);
  // One after another and backwards: steps may not wait for each other.
  options.hostThreads.parallelFor = [](void *context, int threads,
                                       void (*body)(void *, int), void *self) {
    EXPECT_EQ(context, &forks);
    ++forks;
    for (int t = threads - 1; t >= 0; --t)
      body(self, t);
  };
  options.hostThreads.context = &forks;
  Fixture f(twiceEntry(), options);
  Data data(50);
  ASSERT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
  data.expectTwice();
  EXPECT_EQ(forks, 2);
}

TEST(Context, CreationIsChecked) {
  Fixture f(twiceEntry());
  auto create = [&](const char *entry, const ContextOptions &options) {
    return Context::create(f.module, entry, options).status();
  };
  expectFailure(create("other", withThreads(1)), StatusCode::NotFound,
                "no entry 'other'; it has: main");
  expectFailure(create("", withThreads(-1)), StatusCode::InvalidArgument,
                "negative");
  expectFailure(Context::create(nullptr, "").status(),
                StatusCode::InvalidArgument, "no module");
  ContextOptions both = withThreads(5);
  both.pool = *ThreadPool::create(2);
  expectFailure(create("", both), StatusCode::InvalidArgument,
                "5 threads of a pool of 2");
  both.hostThreads.parallelFor = [](void *, int, void (*)(void *, int),
                                    void *) {};
  expectFailure(create("", both), StatusCode::InvalidArgument, "choose one");
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

TEST(Context, RefusesWrongTensors) {
  FakeArtifact::EntrySpec spec = twiceEntry();
  spec.arguments.push_back({f32, {value(0), 4}});
  Fixture f(spec, withThreads(1));
  alignas(64) int32_t x[8] = {}, y[8] = {};
  float z[32] = {};
  auto run = [&](std::vector<Tensor> inputs, std::vector<Tensor> outputs) {
    return f.context->run(inputs, outputs);
  };
  Tensor goodX(x, i32, {8}), goodZ(z, f32, {8, 4}), goodY(y, i32, {8});
  EXPECT_TRUE(run({goodX, goodZ}, {goodY}).isOk());

  constexpr StatusCode invalid = StatusCode::InvalidArgument;
  expectFailure(run({goodX}, {goodY}), invalid,
                "has 2 arguments, but the call has 1");
  expectFailure(run({goodX, goodZ}, {}), invalid, "has 1 results");
  expectFailure(f.context->run(nullptr, 2, &goodY, 1), invalid,
                "the list of arguments is a null pointer");
  const Tensor good[] = {goodX, goodZ};
  expectFailure(f.context->run(good, 2, nullptr, 1), invalid,
                "the list of results is a null pointer");
  EXPECT_TRUE(f.context->run(good, 2, &goodY, 1).isOk());
  expectFailure(run({Tensor(x, f32, {8}), goodZ}, {goodY}), invalid,
                "argument 0 ('x') has elements of type f32, but the program "
                "wants i32");
  expectFailure(run({Tensor(x, i32, {2, 4}), goodZ}, {goodY}), invalid,
                "argument 0 ('x') is 2x4xi32, of rank 2, but the program wants "
                "?xi32, of rank 1");
  expectFailure(run({goodX, Tensor(z, f32, {8, 3})}, {goodY}), invalid,
                "argument 1 is 8x3xf32, but the program wants ?x4xf32: "
                "dimension 1 must be 4");
  expectFailure(run({goodX, Tensor(z, f32, {7, 4})}, {goodY}), invalid,
                "dimension 0 must be 8");
  expectFailure(run({Tensor(x, i32, {-1}), goodZ}, {goodY}), invalid,
                "negative dimension");
  expectFailure(
      run({Tensor(x, i32, {std::numeric_limits<int64_t>::max()}), goodZ},
          {goodY}),
      invalid, "too many elements");
  expectFailure(run({Tensor(nullptr, i32, {8}), goodZ}, {goodY}), invalid,
                "argument 0 ('x') has no data");
  expectFailure(run({goodX, goodZ}, {Tensor(nullptr, i32, {8})}), invalid,
                "result 0 ('y') has no data");
  expectFailure(run({goodX, goodZ}, {Tensor(y, i32, {7})}), invalid,
                "result 0 ('y') is 7xi32, but for these inputs it must be "
                "8xi32");
  char *odd = reinterpret_cast<char *>(x) + 1;
  expectFailure(run({Tensor(odd, i32, {4}), Tensor(z, f32, {4, 4})},
                    {Tensor(y, i32, {4})}),
                invalid, "not aligned");
}

TEST(Context, RefusesShapesThatContradictRequirements) {
  Fixture f(twiceEntry());
  Data data(1001);
  expectFailure(f.context->run(data.inputs, data.outputs),
                StatusCode::InvalidArgument,
                "cannot run with these shapes: at most 1000 elements");
  // The context is as good as new.
  Data good(1000);
  EXPECT_TRUE(f.context->run(good.inputs, good.outputs).isOk());
  good.expectTwice();
}

TEST(Context, TellsSizesOfDimensionsThatRequirementsName) {
  for (auto [text, sizes] :
       {std::pair("dimension 0 of argument 0 is large",
                  " (dimension 0 of argument 0 is 1001)"),
        std::pair("dimension 0 of argument 0 - dimension 0 of argument 0",
                  " (dimension 0 of argument 0 is 1001)"),
        std::pair("dimension 1 of argument 0, dimension 0 of argument 1", ""),
        std::pair("dimension x of argument 0, dimension 0 of argument", ""),
        std::pair("dimension 99999999999999999999 of argument 0, dimension ",
                  "")}) {
    FakeArtifact::EntrySpec spec = twiceEntry();
    spec.requirements = {text};
    Fixture f(spec);
    Data data(1001);
    Status status = f.context->run(data.inputs, data.outputs);
    EXPECT_EQ(status.message(), "the program cannot run with these shapes: " +
                                    std::string(text) + sizes);
  }
}

TEST(Context, RefusesImpossibleSizes) {
  for (auto plan : {qcc_plan_fn([](int64_t *) -> int64_t { return -77; }),
                    qcc_plan_fn([](int64_t *values) -> int64_t {
                      values[1] = -5;
                      return 0;
                    })}) {
    FakeArtifact::EntrySpec spec = twiceEntry();
    spec.plan = plan;
    Fixture f(spec);
    Data data(4);
    expectFailure(f.context->run(data.inputs, data.outputs),
                  StatusCode::InvalidArgument, "exceed all memory");
  }
}

TEST(Context, RefusesOverlap) {
  Fixture f(twiceEntry());
  std::vector<int32_t> memory(16);
  auto run = [&](Fixture &f, int x, int y) {
    return f.context->run({Tensor(&memory[x], i32, {8})},
                          {Tensor(&memory[y], i32, {8})});
  };
  EXPECT_TRUE(run(f, 0, 8).isOk());
  EXPECT_TRUE(run(f, 8, 0).isOk());
  // Empty tensors may lie anywhere.
  EXPECT_TRUE(
      f.context
          ->run({Tensor(&memory[4], i32, {0})}, {Tensor(&memory[4], i32, {0})})
          .isOk());
  for (int y : {0, 1, 7})
    expectFailure(run(f, 0, y), StatusCode::InvalidArgument,
                  "result 0 ('y') overlaps the memory of argument 0 ('x')");

  FakeArtifact::EntrySpec inPlace = twiceEntry();
  inPlace.inPlace = {0};
  Fixture g(inPlace);
  EXPECT_TRUE(run(g, 0, 0).isOk());
  expectFailure(run(g, 0, 1), StatusCode::InvalidArgument,
                "result 0 ('y') overlaps the memory of argument 0 ('x'), but "
                "only tensors of one address and one shape may share it");

  // Another argument in the same memory would change while it is read.
  inPlace.arguments.push_back({i32, {value(0)}, "other"});
  Fixture twice(inPlace);
  Tensor first(&memory[0], i32, {8}), second(&memory[8], i32, {8});
  EXPECT_TRUE(twice.context->run({first, second}, {first}).isOk());
  expectFailure(twice.context->run({first, first}, {first}),
                StatusCode::InvalidArgument,
                "result 0 ('y') overlaps the memory of argument 1 ('other')");
  expectFailure(twice.context->run({first, second}, {second}),
                StatusCode::InvalidArgument,
                "result 0 ('y') overlaps the memory of argument 1 ('other')");

  FakeArtifact::EntrySpec twoResults = twiceEntry();
  twoResults.results.push_back({i32, {value(0)}});
  Fixture h(twoResults);
  std::vector<int32_t> y(12);
  expectFailure(
      h.context->run({Tensor(&memory[0], i32, {8})},
                     {Tensor(&y[0], i32, {8}), Tensor(&y[4], i32, {8})}),
      StatusCode::InvalidArgument,
      "result 1 overlaps the memory of result 0 ('y')");
}

TEST(Context, ReportsFailuresOfSteps) {
  static std::atomic<int> later;
  later = 0;
  FakeArtifact::EntrySpec spec = twiceEntry();
  spec.steps = {{"copy", copyToArena},
                {"bad",
                 [](const qcc_frame *frame, int32_t, int32_t) {
                   frame->runtime->fail(frame, "index out of bounds");
                 }},
                {"later", [](const qcc_frame *, int32_t, int32_t) { ++later; }},
                {"last", [](const qcc_frame *, int32_t, int32_t) { ++later; }}};
  for (bool parallel : {true, false}) {
    spec.steps[1].parallel = spec.steps[2].parallel = parallel;
    for (int threads : {1, 2, 6}) {
      Fixture f(spec, withThreads(threads));
      Data data(10);
      for (int repeat = 0; repeat < 20; ++repeat)
        expectFailure(f.context->run(data.inputs, data.outputs),
                      StatusCode::KernelFailed,
                      "step 'bad' failed: index out of bounds");
    }
  }
  EXPECT_EQ(later, 0);
}

/// Hooks of runs may run other contexts, on the same pool as well.
TEST(Context, RunsWithinTheStepsOfAnother) {
  Result<std::shared_ptr<ThreadPool>> pool = ThreadPool::create(3);
  ASSERT_TRUE(pool.isOk());
  struct Nested {
    Fixture inner;
    Data data{7};
    int runs = 0;
  };
  ContextOptions options;
  options.pool = *pool;
  Nested nested{Fixture(twiceEntry(), options)};
  options.observer = {[](void *self, const Context &, size_t) {
                        auto &nested = *static_cast<Nested *>(self);
                        nested.runs +=
                            nested.inner.context
                                ->run(nested.data.inputs, nested.data.outputs)
                                .isOk();
                        nested.data.expectTwice();
                      },
                      &nested};
  Fixture outer(twiceEntry(), options);
  Data data(9);
  ASSERT_TRUE(outer.context->run(data.inputs, data.outputs).isOk());
  data.expectTwice();
  EXPECT_EQ(size_t(nested.runs), outer.context->entry().steps.size());
}

TEST(Context, UsesThePoolOfTheProcess) {
  Fixture first(twiceEntry(), ContextOptions()),
      second(twiceEntry(), ContextOptions());
  Result<std::shared_ptr<ThreadPool>> pool = ThreadPool::getDefault();
  ASSERT_TRUE(pool.isOk());
  uint64_t forks = (*pool)->forks();
  Data data(9);
  ASSERT_TRUE(first.context->run(data.inputs, data.outputs).isOk());
  ASSERT_TRUE(second.context->run(data.inputs, data.outputs).isOk());
  EXPECT_EQ(first.context->threads(), (*pool)->size());
  if ((*pool)->size() > 1)
    EXPECT_EQ((*pool)->forks(), forks + 2);
}

TEST(Context, RefusesASecondThread) {
  static std::atomic<bool> entered, leave;
  entered = leave = false;
  FakeArtifact::EntrySpec spec = twiceEntry();
  spec.steps = {{"wait", [](const qcc_frame *, int32_t, int32_t) {
                   entered = true;
                   while (!leave)
                     std::this_thread::yield();
                 }}};
  Fixture f(spec, withThreads(1));
  Data data(4);
  std::thread first(
      [&] { EXPECT_TRUE(f.context->run(data.inputs, data.outputs).isOk()); });
  while (!entered)
    std::this_thread::yield();
  expectFailure(f.context->run(data.inputs, data.outputs), StatusCode::Busy,
                "in use by another thread");
  EXPECT_EQ(f.context->plan({4}).code(), StatusCode::Busy);
  EXPECT_EQ(f.context->resultShapes(data.inputs).status().code(),
            StatusCode::Busy);
  leave = true;
  first.join();
  EXPECT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
}

//===----------------------------------------------------------------------===//
// Environment
//===----------------------------------------------------------------------===//

TEST(Context, SetsAndRestoresTheControlWord) {
  static std::atomic<int> wrong;
  wrong = 0;
  FakeArtifact::EntrySpec spec = twiceEntry();
  spec.steps = {{"look", [](const qcc_frame *, int32_t, int32_t) {
                   if ((_mm_getcsr() & ~0x3fu) != 0x1f80u)
                     ++wrong;
                   // What a careless step would leave behind.
                   _mm_setcsr(_mm_getcsr() | 0x8040);
                 }}};
  ContextOptions hostThreads = withThreads(2);
  hostThreads.hostThreads.parallelFor =
      [](void *, int threads, void (*body)(void *, int), void *self) {
        for (int t = 0; t < threads; ++t)
          body(self, t);
      };
  for (const ContextOptions &options :
       {withThreads(1), withThreads(4), hostThreads}) {
    Fixture f(spec, options);
    Data data(4);
    unsigned saved = _mm_getcsr();
    constexpr unsigned roundUpFlushToZero = 0x1f80 | 0x4000 | 0x8000 | 0x40;
    _mm_setcsr(roundUpFlushToZero);
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
    unsigned after = _mm_getcsr();
    _mm_setcsr(saved);
    EXPECT_EQ(after, roundUpFlushToZero);
    EXPECT_EQ(wrong, 0);
  }
}

TEST(Context, ProfilesSteps) {
  FakeArtifact::EntrySpec spec = twiceEntry();
  spec.steps.push_back({"sleep", [](const qcc_frame *, int32_t, int32_t) {
                          std::this_thread::sleep_for(
                              std::chrono::milliseconds(20));
                        }});
  ContextOptions options = withThreads(2);
  options.profile = true;
  Fixture f(spec, options);
  Data data(100);
  ASSERT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
  ASSERT_EQ(f.context->stepNanoseconds().size(), 3u);
  EXPECT_GE(f.context->stepNanoseconds()[0], 0);
  EXPECT_GE(f.context->stepNanoseconds()[2], 2000000);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST(Context, ReportsFailedAllocations) {
  ContextOptions options = withThreads(1);
  options.allocator.allocate = [](size_t, size_t, void *) -> void * {
    return nullptr;
  };
  Fixture f(twiceEntry(), options);
  Data data(4);
  expectFailure(f.context->run(data.inputs, data.outputs),
                StatusCode::OutOfMemory, "temporaries of 'main'");
  expectFailure(f.context->allocateResults(data.inputs).status(),
                StatusCode::OutOfMemory, "result 0 ('y')");
}

TEST(Context, Logs) {
  std::string log;
  ContextOptions options = withThreads(2);
  options.log.log = [](void *context, const char *message) {
    *static_cast<std::string *>(context) += std::string(message) + "\n";
  };
  options.log.context = &log;
  Fixture f(twiceEntry(), options);
  Data data(4);
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
  EXPECT_EQ(log, "planned 'main': 16 bytes of arena, 256 bytes of scratch for "
                 "2 threads\nthe arena grows\n");
}
