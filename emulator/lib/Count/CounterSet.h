//===- CounterSet.h - Counting while a kernel runs --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_COUNT_COUNTERSET_H
#define QCC_LIB_EMULATOR_COUNT_COUNTERSET_H

#include "PTX/Program.h"

#include "qcc/Emulator/Counters.h"

namespace qcc::emu {

/// What one host thread counted. Sums and maxima, so that the order of adding
/// does not matter.
struct CounterSet {
  struct Site {
    int64_t executions = 0, lanes = 0;
    SharedCounters shared;
    GlobalCounters global;
  };
  std::vector<Site> sites; ///< By Instruction::site.
  int64_t barriers = 0;
  int64_t hottestAtomic = 0; ///< Of a launch, whose CTAs ran together.

  explicit CounterSet(const Program &program) : sites(program.numSites) {}
  void add(const CounterSet &other);
};

/// The sums of a launch as Counters.h has them, but for what the launch itself
/// is (CTAs, shared memory, bytes).
Counters summarize(const Program &program, const Function &kernel,
                   const CounterSet &set, int outputElementBytes);

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_COUNT_COUNTERSET_H
