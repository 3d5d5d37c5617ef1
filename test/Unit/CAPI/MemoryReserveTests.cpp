//===- MemoryReserveTests.cpp - Memory for the way out --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Support/Sanitized.h"
#include "MemoryReserve.h"
#include "RedirectCalls.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <new>
#include <thread>
#include <unistd.h>

using namespace qcc::capi;

namespace {
/// More than there can be.
constexpr size_t kTooMuch = size_t(1) << 60;
volatile size_t tooMuch = kTooMuch;

int numHostCalls = 0;
void countAndThrow() {
  ++numHostCalls;
  throw std::bad_alloc();
}

template <typename Work> bool hasMemoryFor(Work work) {
  try {
    work();
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

bool canAllocate(size_t bytes) {
  return hasMemoryFor([=] { ::operator delete(::operator new(bytes)); });
}
} // namespace

TEST(MemoryReserve, IsSpentOnce) {
  EXPECT_FALSE(MemoryReserve::spend());
  MemoryReserve reserve;
  ASSERT_TRUE(reserve.isThere());
  EXPECT_FALSE(MemoryReserve::isSpentHere());
  std::thread([] { EXPECT_FALSE(MemoryReserve::spend()); }).join();
  EXPECT_TRUE(MemoryReserve::spend());
  EXPECT_TRUE(reserve.isSpent());
  EXPECT_TRUE(MemoryReserve::isSpentHere());
  EXPECT_FALSE(MemoryReserve::spend());
}

static int numDestroyed = 0;
namespace {
struct Counted {
  ~Counted() { ++numDestroyed; }
};
} // namespace

TEST(MemoryReserve, LetsThreadsDestroyTheirObjects) {
  GuardedAllocations guarded;
  numDestroyed = 0;
  std::thread([] {
    MemoryReserve reserve;
    thread_local Counted first, second;
    // They are made where they are used first.
    EXPECT_NE(static_cast<void *>(&first), static_cast<void *>(&second));
    EXPECT_EQ(numDestroyed, 0);
  }).join();
  EXPECT_EQ(numDestroyed, 2);
}

TEST(MemoryReserve, IsForFailuresOfNew) {
  if (QCC_TEST_SANITIZED)
    GTEST_SKIP() << "a sanitizer ends the process for want of memory";
  GuardedAllocations guarded;
  MemoryReserve reserve;
  EXPECT_TRUE(canAllocate(1000));
  EXPECT_FALSE(reserve.isSpent());
  EXPECT_FALSE(canAllocate(tooMuch));
  EXPECT_TRUE(reserve.isSpent());
}

/// SmallVector calls malloc.
TEST(MemoryReserve, IsForFailuresOfMallocInLLVM) {
  if (QCC_TEST_SANITIZED)
    GTEST_SKIP() << "a sanitizer ends the process for want of memory";
  GuardedAllocations guarded;
  MemoryReserve reserve;
  EXPECT_FALSE(hasMemoryFor([] {
    llvm::SmallVector<char, 0> bytes;
    bytes.resize_for_overwrite(tooMuch);
  }));
  EXPECT_TRUE(reserve.isSpent());
}

TEST(MemoryReserve, LeavesOtherThreadsToTheHandlerOfTheHost) {
  if (QCC_TEST_SANITIZED)
    GTEST_SKIP() << "a sanitizer ends the process for want of memory";
  std::new_handler before = std::set_new_handler(countAndThrow);
  numHostCalls = 0;
  {
    GuardedAllocations guarded;
    MemoryReserve reserve;
    std::thread([] { EXPECT_FALSE(canAllocate(tooMuch)); }).join();
    EXPECT_EQ(numHostCalls, 1);
    EXPECT_FALSE(reserve.isSpent());
    // Once the reserve is spent, this thread's failures are the host's as well.
    EXPECT_FALSE(canAllocate(tooMuch));
    EXPECT_EQ(numHostCalls, 2);
  }
  EXPECT_EQ(std::set_new_handler(before), countAndThrow);
}

TEST(MemoryReserve, KeepsAHandlerThatTheHostInstallsMeanwhile) {
  std::new_handler before = std::get_new_handler();
  {
    GuardedAllocations guarded;
    std::set_new_handler(countAndThrow);
  }
  EXPECT_EQ(std::set_new_handler(before), countAndThrow);
}

static long countedCalls = 0;
static long countCall() { return ++countedCalls; }

/// The table of this program, which has a function that nothing else calls.
TEST(RedirectCalls, ConcernsTheLibraryOfTheAddress) {
  pid_t parent = getppid();
  EXPECT_NE(parent, countedCalls + 1);
  redirectCalls({reinterpret_cast<const void *>(&llvm::errs)},
                {{"getppid", reinterpret_cast<void *>(&countCall)}});
  EXPECT_EQ(getppid(), parent);
  redirectCalls({reinterpret_cast<const void *>(&countCall)},
                {{"getppid", reinterpret_cast<void *>(&countCall)}});
  EXPECT_EQ(getppid(), 1);
  EXPECT_EQ(countedCalls, 1);
}
