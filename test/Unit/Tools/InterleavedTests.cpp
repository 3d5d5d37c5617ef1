//===- InterleavedTests.cpp - Measurements that take turns ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Interleaved.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace qcc::tools;

static double cpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

/// A call takes that much of the CPU, also where others want it.
static TimedRun busy(double seconds) {
  TimedRun candidate;
  candidate.run = [seconds](int64_t calls) {
    double end = cpuSeconds() + seconds * double(calls);
    while (cpuSeconds() < end) {
    }
  };
  return candidate;
}

TEST(Interleaved, Median) {
  EXPECT_EQ(medianOf({}), 0);
  EXPECT_EQ(medianOf({3, 1, 2}), 2);
  EXPECT_EQ(medianOf({4, 1, 2, 3}), 2.5);
}

TEST(Interleaved, TakeTurns) {
  TimedRun fast = busy(50e-6), slow = busy(2e-3);
  std::string order;
  fast.enter = [&] { order += '('; };
  fast.leave = [&] { order += ')'; };
  slow.enter = [&] { order += 's'; };
  calibrate(fast);
  calibrate(slow);
  EXPECT_GT(fast.callsPerBatch, 1);
  EXPECT_EQ(slow.callsPerBatch, 1);
  order.clear();
  measure({&fast, &slow}, 4);
  // Back and forth.
  EXPECT_EQ(order, "s()()ss()()s");
  ASSERT_EQ(fast.seconds.size(), 4u);
  ASSERT_EQ(slow.seconds.size(), 4u);
  // A host that others use makes any call longer, and none shorter.
  auto fastest = [](const TimedRun &candidate) {
    return *std::min_element(candidate.seconds.begin(),
                             candidate.seconds.end());
  };
  EXPECT_GE(fastest(slow), 1.5e-3);
  EXPECT_GE(fastest(fast), 45e-6);
  EXPECT_LT(fastest(fast), 1e-3) << "seconds of the calls of a batch";
}

TEST(Interleaved, OtherProcesses) {
  using Clock = std::chrono::steady_clock;
  double ours = cpuSeconds();
  Clock::time_point start = Clock::now();
  OtherProcesses others;
  busy(1e-3).run(100);
  ours = cpuSeconds() - ours;
  std::optional<double> share = others.share();
  double wall = std::chrono::duration<double>(Clock::now() - start).count();
  ASSERT_TRUE(share.has_value());
  EXPECT_GE(*share, 0);
  // What this process does is no other's; the kernel counts in hundredths.
  double all = wall * double(sysconf(_SC_NPROCESSORS_ONLN));
  EXPECT_LE(*share, 1 - (ours - 0.02) / all);
}
