//===- TaskThreadTests.cpp - A thread that does tasks for a caller --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/TaskThread.h"

#include "gtest/gtest.h"

#include <atomic>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace qcc::rt;

static std::unique_ptr<TaskThread> makeThread() {
  Result<std::unique_ptr<TaskThread>> thread = TaskThread::create();
  EXPECT_TRUE(thread.isOk()) << thread.message();
  return std::move(*thread);
}

namespace {
/// Counts its tasks, each of which starts the next one.
struct Chain {
  TaskThread *thread = nullptr;
  std::atomic<int> done{0};
  int length = 1;
  bool isElsewhere = true;
  std::thread::id caller = std::this_thread::get_id();

  static void step(void *argument) {
    auto &chain = *static_cast<Chain *>(argument);
    chain.isElsewhere &= std::this_thread::get_id() != chain.caller;
    if (chain.done.load() + 1 < chain.length)
      chain.thread->start(step, argument);
    ++chain.done;
  }
};
} // namespace

TEST(TaskThread, DoesTasksThatStartTheNext) {
  std::unique_ptr<TaskThread> thread = makeThread();
  Chain chain;
  chain.thread = thread.get();
  chain.length = 500;
  thread->start(Chain::step, &chain);
  thread.reset(); // Waits for all of them.
  EXPECT_EQ(chain.done, 500);
  EXPECT_TRUE(chain.isElsewhere);
}

TEST(TaskThread, DoesTasksAfterAPause) {
  std::unique_ptr<TaskThread> thread = makeThread();
  Chain chain;
  chain.thread = thread.get();
  for (int i = 1; i <= 20; ++i) {
    thread->start(Chain::step, &chain);
    while (chain.done != i)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(TaskThread, LeavesSignalsToTheApplication) {
  sigset_t seen;
  sigemptyset(&seen);
  std::unique_ptr<TaskThread> thread = makeThread();
  thread->start(
      [](void *set) {
        pthread_sigmask(SIG_BLOCK, nullptr, static_cast<sigset_t *>(set));
      },
      &seen);
  thread.reset();
  EXPECT_EQ(sigismember(&seen, SIGTERM), 1);
  EXPECT_EQ(sigismember(&seen, SIGSEGV), 0);
}

TEST(TaskThread, IsLostInAFork) {
  std::unique_ptr<TaskThread> thread = makeThread();
  EXPECT_FALSE(thread->wasLostInFork());
  pid_t child = fork();
  if (child == 0) {
    bool wasLost = thread->wasLostInFork();
    thread.reset(); // Would wait for ever if it joined.
    _exit(wasLost ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_FALSE(thread->wasLostInFork());
}
