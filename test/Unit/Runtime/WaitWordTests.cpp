//===- WaitWordTests.cpp - Threads that park on a number ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/WaitWord.h"

#include "gtest/gtest.h"

#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace qcc::rt;

namespace {
/// Threads that park while a word is 0.
class ParkedThreads {
public:
  ParkedThreads(WaitWord &word, int count) : ids(count) {
    for (std::atomic<pid_t> &id : ids)
      threads.emplace_back([&word, &id] {
        id = gettid();
        EXPECT_NE(word.parkWhile(0), 0u);
      });
    for (std::atomic<pid_t> &id : ids)
      while (!isAsleep(id))
        std::this_thread::yield();
  }
  ~ParkedThreads() {
    for (std::thread &thread : threads)
      thread.join();
  }
  ParkedThreads(const ParkedThreads &) = delete;
  ParkedThreads &operator=(const ParkedThreads &) = delete;

private:
  /// Whether the thread has begun, and sleeps.
  static bool isAsleep(pid_t id) {
    std::ifstream file("/proc/self/task/" + std::to_string(id) + "/stat");
    std::string text;
    std::getline(file, text);
    size_t name = text.rfind(')');
    return id != 0 && name != std::string::npos && text[name + 2] == 'S';
  }

  std::vector<std::atomic<pid_t>> ids;
  std::vector<std::thread> threads;
};
} // namespace

constexpr uint64_t kOne = uint64_t(1) << 32;

TEST(WaitWord, StoreForAllWakesEveryThreadItself) {
  WaitWord word;
  ParkedThreads threads(word, 12);
  EXPECT_EQ(word.storeForAll(kOne), 12);
}

TEST(WaitWord, StoreWakesSomeWhoWakeTheOthers) {
  WaitWord word;
  ParkedThreads threads(word, 20); // All of them end, or the test hangs.
  EXPECT_EQ(word.store(kOne), 8);
}

TEST(WaitWord, WakesNobodyIfNobodyIsParked) {
  WaitWord word;
  EXPECT_EQ(word.store(kOne), 0);
  EXPECT_EQ(word.storeForAll(2 * kOne), 0);
  EXPECT_EQ(word.parkWhile(kOne), 2 * kOne);
}

TEST(WaitWord, ThreadsOfCountUpSleepUntilTheyAreWoken) {
  WaitWord word;
  ParkedThreads threads(word, 3);
  word.countUp();
  EXPECT_EQ(word.load(), kOne);
  EXPECT_EQ(word.wake(), 3);
}
