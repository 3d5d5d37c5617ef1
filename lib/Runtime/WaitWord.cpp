//===- WaitWord.cpp - A number that threads wait on -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/WaitWord.h"

#include <immintrin.h>
#include <limits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace qcc::rt;

/// Threads that one thread wakes; each of them wakes as many more. One system
/// call that wakes 63 would keep its caller from its own work.
constexpr int kWokenAtOnce = 8;

static_assert(sizeof(std::atomic<uint64_t>) == sizeof(uint64_t) &&
                  __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "a futex is the upper half of the number");

static long futex(std::atomic<uint64_t> &word, int operation, uint32_t value) {
  auto *upperHalf = reinterpret_cast<uint32_t *>(&word) + 1;
  return syscall(SYS_futex, upperHalf, operation, value, nullptr, nullptr, 0);
}

// Sequential consistency orders a store before the look at parked_, and
// parkWhile's entry in parked_ before its look at the word: one of the two sees
// the other.

void WaitWord::countUp() {
  word_.store(load() + (uint64_t(1) << 32), std::memory_order_seq_cst);
}

int WaitWord::wakeUpTo(int threads) {
  if (parked_.load(std::memory_order_seq_cst) == 0)
    return 0;
  return static_cast<int>(futex(word_, FUTEX_WAKE_PRIVATE, threads));
}

int WaitWord::wake() { return wakeUpTo(kWokenAtOnce); }

int WaitWord::store(uint64_t value) {
  word_.store(value, std::memory_order_seq_cst);
  return wake();
}

int WaitWord::storeForAll(uint64_t value) {
  word_.store(value, std::memory_order_seq_cst);
  return wakeUpTo(std::numeric_limits<int>::max());
}

uint64_t WaitWord::spinWhile(uint64_t old,
                             std::chrono::nanoseconds spinTime) const {
  using Clock = std::chrono::steady_clock;
  constexpr int pausesPerLook = 4, looksPerClock = 16;
  uint64_t value = load();
  if (value != old)
    return value;
  Clock::time_point end = Clock::now() + spinTime;
  do {
    for (int look = 0; look < looksPerClock && value == old; ++look) {
      for (int i = 0; i < pausesPerLook; ++i)
        _mm_pause();
      value = load();
    }
  } while (value == old && Clock::now() < end);
  return value;
}

uint64_t WaitWord::parkWhile(uint64_t old) {
  uint64_t value = 0;
  bool wasWoken = false;
  parked_.fetch_add(1, std::memory_order_seq_cst);
  while ((value = word_.load(std::memory_order_seq_cst)) == old) {
    futex(word_, FUTEX_WAIT_PRIVATE, uint32_t(old >> 32));
    wasWoken = true;
  }
  parked_.fetch_sub(1, std::memory_order_seq_cst);
  // The kernel wakes those first who came first: whoever parked before the last
  // store is reached.
  if (wasWoken)
    wake();
  return value;
}
