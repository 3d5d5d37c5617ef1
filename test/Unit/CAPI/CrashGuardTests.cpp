//===- CrashGuardTests.cpp - Crashes that stay inside ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrashGuard.h"

#include "llvm/Support/ErrorHandling.h"
#include "gtest/gtest.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <thread>
#include <vector>

using namespace qcc;
using namespace qcc::capi;

namespace {
/// Restores the handlers that a test replaces.
class CrashGuard : public testing::Test {
protected:
  void SetUp() override {
    sigaction(SIGSEGV, nullptr, &segv);
    sigaction(SIGABRT, nullptr, &abrt);
  }
  void TearDown() override {
    sigaction(SIGSEGV, &segv, nullptr);
    sigaction(SIGABRT, &abrt, nullptr);
  }

  struct sigaction segv, abrt;
};

struct sigaction handlerOf(int signal) {
  struct sigaction action;
  sigaction(signal, nullptr, &action);
  return action;
}

/// Memory that may not be touched.
char *forbiddenMemory() {
  static char *memory = static_cast<char *>(
      mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  return memory;
}

void touch(char *memory) { *static_cast<volatile char *>(memory) = 1; }

volatile int depth = 0, maxDepth = -1;
int recurse(int n) {
  if (n == maxDepth)
    return 0;
  volatile char frame[4096];
  frame[0] = char(n);
  depth = n;
  return recurse(n + 1) + frame[0];
}
} // namespace

TEST_F(CrashGuard, RunsTheBodyOnAnotherThread) {
  std::thread::id id;
  rt::Status status =
      runGuarded(Signals::Catch, [&] { id = std::this_thread::get_id(); });
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_NE(id, std::thread::id());
  EXPECT_NE(id, std::this_thread::get_id());
}

TEST_F(CrashGuard, LeavesSignalsToTheApplication) {
  sigset_t before, during, inside;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  std::thread caller([&] {
    EXPECT_TRUE(runGuarded(Signals::Catch, [&] {
                  pthread_sigmask(SIG_BLOCK, nullptr, &inside);
                }).isOk());
    pthread_sigmask(SIG_BLOCK, nullptr, &during);
  });
  caller.join();
  for (int signal : {SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGALRM}) {
    EXPECT_EQ(sigismember(&inside, signal), 1) << signal;
    EXPECT_EQ(sigismember(&during, signal), sigismember(&before, signal));
  }
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGPROF})
    EXPECT_EQ(sigismember(&inside, signal), 0) << signal;
}

TEST_F(CrashGuard, SurvivesCrashes) {
  void (*crashes[])() = {[] { touch(forbiddenMemory()); }, [] { abort(); },
                         [] { raise(SIGFPE); }, [] { __builtin_trap(); }};
  for (int round = 0; round < 2; ++round)
    for (void (*crash)() : crashes) {
      rt::Status status = runGuarded(Signals::Catch, crash);
      EXPECT_EQ(status.code(), rt::StatusCode::Internal);
      EXPECT_NE(status.message().find("the compiler crashed"),
                std::string::npos);
    }
  EXPECT_TRUE(runGuarded(Signals::Catch, [] {}).isOk());
}

static void throwBadAlloc() { throw std::bad_alloc(); }

TEST_F(CrashGuard, SaysThatMemoryRanOut) {
  for (Signals signals : {Signals::Catch, Signals::Keep}) {
    rt::Status status = runGuarded(signals, throwBadAlloc);
    EXPECT_EQ(status.code(), rt::StatusCode::OutOfMemory) << status.message();
  }
  rt::Status status = runGuarded(
      Signals::Catch, [] { llvm::report_bad_alloc_error("no memory"); });
  EXPECT_EQ(status.code(), rt::StatusCode::Internal);
  EXPECT_NE(status.message().find("unless memory is short"), std::string::npos);
  EXPECT_TRUE(runGuarded(Signals::Catch, [] {}).isOk());
}

TEST_F(CrashGuard, SurvivesEndlessRecursion) {
  rt::Status status = runGuarded(Signals::Catch, [] { (void)recurse(0); });
  EXPECT_EQ(status.code(), rt::StatusCode::Internal);
  // The stack is larger than the usual 8 MB.
  EXPECT_GT(depth, 10000);
}

TEST_F(CrashGuard, SurvivesCrashesOfManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> crashes{0}, successes{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int run = 0; run < 20; ++run) {
        bool crash = (run + i) % 2;
        rt::Status status = runGuarded(Signals::Catch, [&] {
          if (crash)
            touch(forbiddenMemory());
        });
        (status.isOk() ? successes : crashes) += 1;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(crashes, 80);
  EXPECT_EQ(successes, 80);
}

static void *volatile faultAddress;
static sigjmp_buf afterFault;
static void takeFault(int, siginfo_t *info, void *) {
  faultAddress = info->si_addr;
  siglongjmp(afterFault, 1);
}

/// A virtual machine in the host lives on its own faults.
TEST_F(CrashGuard, LeavesFaultsOfTheHostToTheHost) {
  struct sigaction action = {};
  action.sa_sigaction = takeFault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  rt::Status status = runGuarded(Signals::Catch, [] {
    EXPECT_NE(handlerOf(SIGSEGV).sa_sigaction, takeFault);
    std::thread([] {
      if (sigsetjmp(afterFault, 1) == 0)
        touch(forbiddenMemory() + 7);
    }).join();
  });
  EXPECT_TRUE(status.isOk());
  EXPECT_EQ(faultAddress, forbiddenMemory() + 7);
  EXPECT_EQ(handlerOf(SIGSEGV).sa_sigaction, takeFault);
}

static void ignore(int) {}

TEST_F(CrashGuard, KeepsHandlersThatTheHostInstallsMeanwhile) {
  rt::Status status =
      runGuarded(Signals::Catch, [] { signal(SIGABRT, ignore); });
  EXPECT_TRUE(status.isOk());
  EXPECT_EQ(handlerOf(SIGABRT).sa_handler, ignore);
}

TEST_F(CrashGuard, TouchesNoHandlerIfToldSo) {
  auto before = handlerOf(SIGSEGV).sa_sigaction;
  rt::Status status = runGuarded(Signals::Keep, [&] {
    EXPECT_EQ(handlerOf(SIGSEGV).sa_sigaction, before);
  });
  EXPECT_TRUE(status.isOk());
}
