//===- Barriers.h - The barriers of a CTA -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CTA has 16 barriers. Each counts the threads that have come, in whole
// warps, until as many are there as its first arrival named (all that have not
// exited where none is named); then those who wait go on, and it starts anew.
// bar.arrive counts and does not wait; bar.red also combines one predicate of
// each thread.
//
// An arrival at a barrier that starts anew must come after all arrivals before
// it: else it could have been counted among them, and what goes on together
// depends on the order in which warps run.
//
// Threads that have exited are not waited for. Those that have taken part in an
// aligned barrier before are missed, though: all threads of the CTA execute it
// alike, or its behavior is undefined.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_BARRIERS_H
#define QCC_LIB_EMULATOR_MACHINE_BARRIERS_H

#include "Check/Clocks.h"
#include "PTX/Program.h"

#include <array>
#include <string>

namespace qcc::emu {

class Cta;
class Warp;

class Barriers {
public:
  static constexpr int count = 16;

  enum class Reduction : uint8_t { None, Popc, And, Or };

  struct Arrival {
    const Instruction *inst = nullptr;
    uint32_t mask = 0;
    int barrier = 0;
    int threads = 0; ///< 0: all of the CTA.
    bool waits = true;
    bool isAligned = true;
    Reduction reduction = Reduction::None;
    uint32_t predicates = 0;
  };

  explicit Barriers(Cta &cta) : cta_(cta) {}

  /// Counts lanes of a warp in. The warp waits unless this completes the
  /// barrier, which wakes all others.
  void arrive(Warp &warp, const Arrival &arrival);
  /// All lanes of a warp have exited: barriers for all threads expect fewer.
  void noteExit();

  /// "barrier 0, where 32 of 128 threads are"
  std::string describe(int barrier) const;

private:
  /// Lanes of a warp that came, and when.
  struct Participant {
    int warp = 0;
    uint32_t lanes = 0; ///< All that the arrival counts.
    uint32_t came = 0;  ///< Those that executed it.
    uint32_t clock = 0;
    const Instruction *inst = nullptr;
    bool waited = true;
    bool isAligned = true;
  };
  struct Barrier {
    int expected = 0;      ///< 0: nobody has come.
    bool isForAll = false; ///< No number of threads was named.
    int arrived = 0;
    Reduction reduction = Reduction::None;
    uint32_t trues = 0, threads = 0; ///< Predicates so far.
    /// Lanes that wait, by warp.
    std::array<uint32_t, 32> waiting = {};
    BarrierClocks published;
    std::vector<Participant> participants;
  };

  bool check(Warp &warp, const Arrival &arrival, int expected);
  void checkOrder(Warp &warp, const Arrival &arrival);
  void checkExited(int number, const Barrier &done);
  void complete(int number);
  /// Of the warps that have threads which have not exited.
  int threadsLeft() const;

  Cta &cta_;
  std::array<Barrier, count> barriers_;
  uint64_t changesBefore_ = 0; ///< At the last barrier that was complete.
  /// Who came to each barrier the last time that it was complete.
  std::array<std::vector<Participant>, count> last_;
  /// By barrier and warp: lanes that have taken part in an aligned barrier for
  /// all threads.
  std::array<std::array<uint32_t, 32>, count> alignedBefore_ = {};
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_BARRIERS_H
