//===- WorkLimitsTests.cpp ------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/WorkLimits.h"
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace qcc;

TEST(WorkLimits, NoneIsNeverExceeded) {
  WorkLimits limits;
  EXPECT_FALSE(limits.isExceeded());
  EXPECT_FALSE(limits.isExceededBy(UINT64_MAX));
  WorkLimits never({}, INT64_MAX, 0);
  EXPECT_FALSE(never.isExceeded());
  EXPECT_TRUE(never.status().isOk());
}

TEST(WorkLimits, ACancellationStays) {
  bool isCancelled = false;
  WorkLimits limits([&] { return isCancelled; }, 0, 0);
  EXPECT_FALSE(limits.isExceeded());
  isCancelled = true;
  EXPECT_TRUE(limits.isExceeded());
  isCancelled = false;
  EXPECT_TRUE(limits.isExceeded());
  EXPECT_EQ(limits.status().code(), rt::StatusCode::Cancelled);
}

TEST(WorkLimits, TimePasses) {
  WorkLimits limits({}, 20'000'000, 0);
  EXPECT_FALSE(limits.isExceeded());
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_TRUE(limits.isExceeded());
  EXPECT_EQ(limits.status().code(), rt::StatusCode::TimedOut);
  EXPECT_EQ(limits.status().message(),
            "it took longer than the time limit of 20000000 nanoseconds; "
            "raise it");
}

TEST(WorkLimits, MemoryIsThatOfTheProcess) {
  constexpr int64_t limit = 64 << 20;
  WorkLimits limits({}, 0, limit);
  EXPECT_FALSE(limits.isExceededBy(limit / 2));
  WorkLimits before({}, 0, limit);
  EXPECT_TRUE(before.isExceededBy(2 * limit));
  EXPECT_EQ(before.status().code(), rt::StatusCode::OutOfMemory);
  EXPECT_TRUE(before.isExceeded());
  // What has not been announced counts, too.
  std::vector<char> memory(2 * limit);
  for (int64_t i = 0; i < 2 * limit; i += 4096)
    const_cast<volatile char *>(memory.data())[i] = 1;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_TRUE(limits.isExceeded());
  EXPECT_EQ(limits.status().code(), rt::StatusCode::OutOfMemory);
}
