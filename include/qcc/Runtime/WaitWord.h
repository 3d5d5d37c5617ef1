//===- WaitWord.h - A number that threads wait on ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_WAITWORD_H
#define QCC_RUNTIME_WAITWORD_H

#include <atomic>
#include <chrono>
#include <cstdint>

namespace qcc::rt {

/// A number that threads wait on until it changes. Each store() must change its
/// upper half.
class alignas(64) WaitWord {
public:
  uint64_t load() const { return word_.load(std::memory_order_acquire); }

  /// Changes the number, and wakes some of the parked threads, which wake the
  /// others. Returns how many threads this call woke.
  int store(uint64_t value);
  /// Changes the number, and wakes all parked threads itself: none of them
  /// waits until another one has got a CPU. Returns how many threads it woke.
  int storeForAll(uint64_t value);
  /// Adds one to the upper half. Parked threads sleep until wake(). No other
  /// thread may change the number at the same time.
  void countUp();
  /// Wakes some of the parked threads, which wake the others. Returns how many
  /// threads this call woke.
  int wake();

  /// Returns once the number differs from `old`, or after `spinTime`, and
  /// returns the number.
  uint64_t spinWhile(uint64_t old, std::chrono::nanoseconds spinTime) const;
  /// Returns once the number differs from `old`, and returns the number.
  uint64_t parkWhile(uint64_t old);

private:
  int wakeUpTo(int threads);

  std::atomic<uint64_t> word_{0};
  std::atomic<uint32_t> parked_{0};
};

} // namespace qcc::rt

#endif // QCC_RUNTIME_WAITWORD_H
