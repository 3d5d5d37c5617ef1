//===- ThreadsTests.cpp - Work on several threads -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "qcc/Support/WorkLimits.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "gtest/gtest.h"
#include <atomic>
#include <csignal>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

using namespace qcc;

namespace {
/// The number of threads.
class Threads : public testing::TestWithParam<unsigned> {
protected:
  std::string run(size_t count,
                  llvm::function_ref<llvm::Error(size_t, WorkLimits *)> work,
                  WorkLimits *limits = nullptr) {
    llvm::Error error = runOnThreads(count, GetParam(), limits, work);
    return error ? llvm::toString(std::move(error)) : "";
  }
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Numbers, Threads, testing::Values(1, 2, 5, 64));

TEST_P(Threads, DoEachNumberOnce) {
  for (size_t count : {0, 1, 2, 3, 100}) {
    std::vector<std::atomic<int>> done(count);
    EXPECT_EQ(run(count,
                  [&](size_t number, WorkLimits *) {
                    ++done[number];
                    return llvm::Error::success();
                  }),
              "");
    for (std::atomic<int> &times : done)
      EXPECT_EQ(times, 1);
  }
}

TEST_P(Threads, WorkAtOnce) {
  // Each number waits until all threads have one.
  std::atomic<unsigned> arrived{0};
  EXPECT_EQ(run(GetParam(),
                [&](size_t, WorkLimits *) {
                  ++arrived;
                  while (GetParam() > 1 && arrived < GetParam())
                    std::this_thread::yield();
                  return llvm::Error::success();
                }),
            "");
}

TEST_P(Threads, GiveTheFirstError) {
  // All numbers fail that are begun, of which 0 is one.
  std::atomic<int> calls{0};
  EXPECT_EQ(run(1000,
                [&](size_t number, WorkLimits *) {
                  ++calls;
                  return llvm::createStringError("number %zu", number);
                }),
            "number 0");
  EXPECT_LE(calls, int(GetParam()));
}

TEST_P(Threads, StopAtTheLimits) {
  std::atomic<int> calls{0};
  WorkLimits limits([&] { return calls > 10; }, 0, 0);
  std::string message = run(
      1000000,
      [&](size_t, WorkLimits *mine) {
        ++calls;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        return mine && mine->isExceeded()
                   ? llvm::createStringError("it was cancelled")
                   : llvm::Error::success();
      },
      &limits);
  EXPECT_EQ(message, "it was cancelled");
  EXPECT_LT(calls, 100000);
  EXPECT_EQ(limits.status().code(), rt::StatusCode::Cancelled);
}

TEST_P(Threads, AskForLimitsOnTheCallersThread) {
  std::set<std::thread::id> asking;
  WorkLimits limits(
      [&] {
        asking.insert(std::this_thread::get_id());
        return false;
      },
      0, 0);
  EXPECT_EQ(run(
                50,
                [&](size_t, WorkLimits *mine) {
                  std::this_thread::sleep_for(std::chrono::microseconds(200));
                  return mine && mine->isExceeded()
                             ? llvm::createStringError("exceeded")
                             : llvm::Error::success();
                },
                &limits),
            "");
  EXPECT_EQ(asking, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST_P(Threads, HandOnALackOfMemory) {
  EXPECT_THROW(run(8,
                   [](size_t number, WorkLimits *) -> llvm::Error {
                     if (number == 3)
                       throw std::bad_alloc();
                     return llvm::Error::success();
                   }),
               std::bad_alloc);
}

TEST_P(Threads, HandOnCrashes) {
  llvm::CrashRecoveryContext::Enable();
  for (int i = 0; i < 20; ++i) {
    llvm::CrashRecoveryContext recovery;
    bool survived = recovery.RunSafely([&] {
      run(8, [](size_t number, WorkLimits *) {
        if (number == 3)
          __builtin_trap();
        return llvm::Error::success();
      });
      ADD_FAILURE() << "the crash is lost";
    });
    EXPECT_FALSE(survived);
  }
  llvm::CrashRecoveryContext::Disable();
}

static int descend(volatile char *above) {
  volatile char here[4096];
  here[0] = *above;
  return descend(here) + here[0];
}

TEST_P(Threads, HandOnTheEndOfAStack) {
  if (GetParam() == 1)
    GTEST_SKIP() << "the caller's stack is the caller's";
  llvm::CrashRecoveryContext::Enable();
  // As libqcc does, which catches signals before LLVM.
  struct sigaction action;
  sigaction(SIGSEGV, nullptr, &action);
  action.sa_flags |= SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  {
    llvm::CrashRecoveryContext recovery;
    EXPECT_FALSE(recovery.RunSafely([&] {
      run(2, [](size_t, WorkLimits *) {
        volatile char top = 0;
        // The value is used, so that the descent is not dropped.
        return descend(&top) == 1 ? llvm::createStringError("no end")
                                  : llvm::Error::success();
      });
    }));
  }
  llvm::CrashRecoveryContext::Disable();
}
