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

  /// Changes the number, and wakes all who are parked; or some, who wake the
  /// others.
  void store(uint64_t value);
  /// Adds one to the upper half. Those who are parked sleep until wake(). No
  /// other thread may change the number at the same time.
  void countUp();
  void wake();

  /// Returns once the number differs from `old`, or after `spinTime`, and
  /// returns the number.
  uint64_t spinWhile(uint64_t old, std::chrono::nanoseconds spinTime) const;
  /// Returns once the number differs from `old`, and returns the number.
  uint64_t parkWhile(uint64_t old);

private:
  std::atomic<uint64_t> word_{0};
  std::atomic<uint32_t> parked_{0};
};

} // namespace qcc::rt

#endif // QCC_RUNTIME_WAITWORD_H
