//===- EndedRunTests.cpp - Runs that end early ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TwiceEntry.h"

#include <chrono>
#include <ctime>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

using namespace qcc::rt;
using namespace qcc::rt::test;

TEST(Context, CancelsBetweenSteps) {
  static std::atomic<bool> cancel;
  static std::atomic<int> later;
  FakeArtifact::EntrySpec spec = twiceEntry();
  spec.steps = {
      {"copy", copyToArena},
      {"cancel", [](const qcc_frame *, int32_t, int32_t) { cancel = true; }},
      {"later", [](const qcc_frame *, int32_t, int32_t) { ++later; }}};
  later = 0;
  for (int threads : {1, 2, 5}) {
    ContextOptions options = withThreads(threads);
    options.cancel = &cancel;
    Fixture f(spec, options);
    Data data(10);
    cancel = false;
    expectFailure(f.context->run(data.inputs, data.outputs),
                  StatusCode::Cancelled, "before the end of step 3 of 3");
    // Still set: not even the first step runs.
    expectFailure(f.context->run(data.inputs, data.outputs),
                  StatusCode::Cancelled, "before the end of step 1 of 3");
    EXPECT_EQ(later, 0);
  }
}

namespace {
/// A long step, of which each thread cancels after some parts.
struct LongStep {
  static constexpr int64_t operations = int64_t(1) << 32;
  static constexpr int numParts = 3; ///< Of each thread, until it cancels.
  static inline std::atomic<bool> cancel;
  static inline std::atomic<int> calls;
  static inline std::atomic<bool> mayCancel;
  static inline std::mutex mutex;
  static inline std::map<std::thread::id, std::set<char *>> scratch;
  static inline std::set<int> shares;
  static inline int maxThreads;

  static void run(const qcc_frame *frame, int32_t thread, int32_t threads) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      scratch[std::this_thread::get_id()].insert(
          frame->scratch + thread * frame->scratch_stride);
      shares.insert(thread);
      maxThreads = threads;
    }
    if (++calls >= numParts && mayCancel)
      cancel = true;
  }
  static void reset(bool cancels) {
    cancel = false;
    mayCancel = cancels;
    calls = 0;
    scratch.clear();
    shares.clear();
  }
};
} // namespace

TEST(Context, CancelsWithinLongSteps) {
  static std::atomic<int> later;
  FakeArtifact::EntrySpec spec = twiceEntry();
  spec.steps = {
      {"long", LongStep::run, true, 64, LongStep::operations},
      {"later", [](const qcc_frame *, int32_t, int32_t) { ++later; }}};
  HostThreads host;
  host.parallelFor = [](void *, int threads, void (*body)(void *, int),
                        void *context) {
    for (int i = threads; i-- > 0;)
      body(context, i);
  };
  for (bool onHost : {false, true})
    for (int threads : {1, 2, 5}) {
      ContextOptions options = withThreads(threads);
      if (onHost)
        options.hostThreads = host;
      Fixture f(spec, options);
      Data data(10);
      RunOptions run;
      run.cancel = &LongStep::cancel;
      later = 0;
      LongStep::reset(/*cancels=*/true);
      expectFailure(f.context->run(data.inputs, data.outputs, run),
                    StatusCode::Cancelled,
                    "the run was cancelled before the end of step 1 of 2");
      EXPECT_GE(LongStep::calls, LongStep::numParts);
      EXPECT_LT(LongStep::calls, LongStep::numParts + threads);
      EXPECT_EQ(later, 0);

      // All pieces are done once, and no thread uses the scratch memory of
      // another.
      LongStep::reset(/*cancels=*/false);
      EXPECT_TRUE(f.context->run(data.inputs, data.outputs, run).isOk());
      EXPECT_EQ(LongStep::maxThreads, 1024 / threads * threads);
      EXPECT_EQ(LongStep::calls, LongStep::maxThreads);
      EXPECT_EQ(int(LongStep::shares.size()), LongStep::maxThreads);
      EXPECT_EQ(*LongStep::shares.rbegin(), LongStep::maxThreads - 1);
      std::set<const char *> all;
      size_t numMemories = 0;
      for (const auto &[thread, memories] : LongStep::scratch) {
        all.insert(memories.begin(), memories.end());
        numMemories += memories.size();
      }
      EXPECT_EQ(all.size(), numMemories);
      EXPECT_EQ(all.size(), size_t(threads));
      EXPECT_EQ(later, threads);

      // By now it is known that the step does not take long, or soon, where
      // other processes have the CPUs.
      for (int attempt = 0; attempt < 20; ++attempt) {
        LongStep::reset(/*cancels=*/false);
        EXPECT_TRUE(f.context->run(data.inputs, data.outputs, run).isOk());
        if (LongStep::calls == threads)
          break;
      }
      EXPECT_EQ(LongStep::calls, threads);

      // A run that cannot end early is not divided.
      LongStep::reset(/*cancels=*/false);
      EXPECT_TRUE(f.context->run(data.inputs, data.outputs).isOk());
      EXPECT_EQ(LongStep::calls, threads);
    }
}

TEST(Context, EndsAtItsTimeLimit) {
  static std::atomic<int> later;
  FakeArtifact::EntrySpec spec = twiceEntry();
  spec.steps = {
      {"slow",
       [](const qcc_frame *, int32_t, int32_t) {
         std::this_thread::sleep_for(std::chrono::milliseconds(2));
       },
       true, 0, LongStep::operations},
      {"later", [](const qcc_frame *, int32_t, int32_t) { ++later; }}};
  Fixture f(spec, withThreads(2));
  Data data(10);
  RunOptions run;
  run.timeoutNanoseconds = 1000000;
  later = 0;
  auto begin = std::chrono::steady_clock::now();
  expectFailure(f.context->run(data.inputs, data.outputs, run),
                StatusCode::TimedOut,
                "the time limit of the run passed before the end of step 1");
  // All parts would take a second.
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            std::chrono::milliseconds(400));
  EXPECT_EQ(later, 0);
  run.timeoutNanoseconds = INT64_MAX;
  EXPECT_TRUE(f.context->run(data.inputs, data.outputs, run).isOk());
  run.timeoutNanoseconds = -1;
  expectFailure(f.context->run(data.inputs, data.outputs, run),
                StatusCode::InvalidArgument, "is negative");
}

/// A step of a run that may end early is divided by the time that it took, in
/// which each part sleeps as long as its share of 200 milliseconds is.
TEST(Context, DividesStepsByTheTimeThatTheyTook) {
  static std::atomic<int> parts;
  FakeArtifact::EntrySpec spec = twiceEntry();
  spec.steps = {{"slow", [](const qcc_frame *, int32_t, int32_t threads) {
                   parts = threads;
                   std::this_thread::sleep_for(
                       std::chrono::microseconds(200000 / threads));
                 }}};
  Fixture f(spec, withThreads(1));
  Data data(10);
  std::atomic<bool> cancel{false};
  RunOptions run;
  run.cancel = &cancel;
  EXPECT_TRUE(f.context->run(data.inputs, data.outputs, run).isOk());
  EXPECT_EQ(parts, 1); // It does not say how much work it has.
  EXPECT_TRUE(f.context->run(data.inputs, data.outputs, run).isOk());
  EXPECT_GE(parts, 100);
  // Other shapes take another time.
  Data more(11);
  EXPECT_TRUE(f.context->run(more.inputs, more.outputs, run).isOk());
  EXPECT_EQ(parts, 1);
}

/// What the CPUs have done for a thread, or for the process.
static std::chrono::nanoseconds cpuTime(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::nanoseconds(time.tv_nsec);
}

/// Two seconds of code that does two operations in a nanosecond on one thread.
static FakeArtifact::EntrySpec slowEntry() {
  FakeArtifact::EntrySpec spec = twiceEntry();
  spec.steps = {{"slow",
                 [](const qcc_frame *, int32_t, int32_t threads) {
                   auto end = cpuTime(CLOCK_THREAD_CPUTIME_ID) +
                              std::chrono::microseconds(2000000 / threads);
                   while (cpuTime(CLOCK_THREAD_CPUTIME_ID) < end)
                     ;
                 },
                 true, 0, int64_t(4) << 30}};
  return spec;
}

/// How much the process computes after a run should have ended: `run` is called
/// with a function that is told when this is. Not how long it takes, for other
/// processes may have the CPUs.
static std::chrono::nanoseconds
workAfterEnd(const std::function<void(const std::function<void()> &)> &run) {
  std::atomic<std::chrono::nanoseconds> end{};
  run([&] { end = cpuTime(CLOCK_PROCESS_CPUTIME_ID); });
  return cpuTime(CLOCK_PROCESS_CPUTIME_ID) - end.load();
}

/// The first run of a context, and later ones, for which the time of the step
/// is known.
TEST(Context, EndsWithin20MillisecondsInALongStep) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds before(30);
  for (int threads : {1, 2}) {
    const auto limit = std::chrono::milliseconds(20) * threads;
    Fixture f(slowEntry(), withThreads(threads));
    Data data(10);
    auto runUntil = [&](const RunOptions &options, StatusCode code,
                        const std::function<void()> &end) {
      auto at = Clock::now() + before;
      std::thread other([&] {
        std::this_thread::sleep_until(at);
        end();
      });
      EXPECT_EQ(f.context->run(data.inputs, data.outputs, options).code(),
                code);
      other.join();
    };
    for (int run = 0; run < 5; ++run) {
      RunOptions timed;
      timed.timeoutNanoseconds = std::chrono::nanoseconds(before).count();
      EXPECT_LT(workAfterEnd([&](const std::function<void()> &end) {
                  runUntil(timed, StatusCode::TimedOut, end);
                }),
                limit);
      std::atomic<bool> cancel{false};
      RunOptions cancelled;
      cancelled.cancel = &cancel;
      EXPECT_LT(workAfterEnd([&](const std::function<void()> &end) {
                  runUntil(cancelled, StatusCode::Cancelled, [&] {
                    end();
                    cancel = true;
                  });
                }),
                limit);
    }
  }
}

/// How long a run goes on after it should have ended, in the best of some
/// attempts: other processes may have the CPUs.
static std::chrono::nanoseconds
latencyOf(const std::function<std::chrono::steady_clock::time_point()> &run) {
  std::chrono::nanoseconds best = std::chrono::hours(1);
  for (int attempt = 0; attempt < 5; ++attempt) {
    auto end = run();
    best = std::min<std::chrono::nanoseconds>(
        best, std::chrono::steady_clock::now() - end);
  }
  return best;
}

/// A run that waits for the threads of another one's pool.
TEST(Context, EndsWhileItWaitsForThePool) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds limit(20), before(10);
  ContextOptions options;
  Result<std::shared_ptr<ThreadPool>> pool = ThreadPool::create(2);
  ASSERT_TRUE(pool.isOk());
  options.pool = *pool;
  Fixture f(slowEntry(), options);
  Data data(10);
  std::atomic<bool> isHeld{false}, release{false};
  std::thread holder([&] {
    (*pool)->run(2, [&](int, int) {
      isHeld = true;
      while (!release)
        std::this_thread::yield();
    });
  });
  while (!isHeld)
    std::this_thread::yield();
  RunOptions timed;
  timed.timeoutNanoseconds = std::chrono::nanoseconds(before).count();
  EXPECT_LT(latencyOf([&] {
              auto end = Clock::now() + before;
              EXPECT_EQ(f.context->run(data.inputs, data.outputs, timed).code(),
                        StatusCode::TimedOut);
              return end;
            }),
            limit);
  release = true;
  holder.join();
}
