//===- Barriers.h - The barriers of a CTA -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CTA has 16 barriers. Each counts the threads that have come, in whole
// warps, until as many are there as its first arrival named (all of the CTA
// where none is named); then those who wait go on, and it starts anew.
// bar.arrive counts and does not wait; bar.red also combines one predicate of
// each thread.
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

  /// "barrier 0, where 32 of 128 threads are"
  std::string describe(int barrier) const;

private:
  struct Barrier {
    int expected = 0; ///< 0: nobody has come.
    int arrived = 0;
    Reduction reduction = Reduction::None;
    uint32_t trues = 0, threads = 0; ///< Predicates so far.
    /// Lanes that wait, by warp.
    std::array<uint32_t, 32> waiting = {};
    BarrierClocks published;
  };

  bool check(Warp &warp, const Arrival &arrival, int expected);
  void complete(int number);

  Cta &cta_;
  std::array<Barrier, count> barriers_;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_BARRIERS_H
