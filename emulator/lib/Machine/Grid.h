//===- Grid.h - All CTAs of a launch ----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs run in one of two ways, told apart by the kernel's instructions:
//
//   * On their own, where the kernel has no atomics, volatile or ordered
//     accesses of global memory, so that no CTA can wait for another or learn
//     what it did. Each runs from beginning to end, on any host thread, and
//     sees its own writes over memory as it was (Overlay.h); a byte that one
//     writes and another touches is a race (CrossCtaShadow.h).
//   * Together: some number of CTAs take turns on one host thread, on the
//     memory itself, with clocks that span them all. The others start as those
//     end, or as all seem to wait (Waiting.h), up to what the chip holds.
//
// Either way results and reports depend on the seed and not on host threads.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_GRID_H
#define QCC_LIB_EMULATOR_MACHINE_GRID_H

#include "Check/CrossCtaShadow.h"
#include "Check/ReportLog.h"
#include "Count/CounterSet.h"
#include "Machine/CtaMemory.h"
#include "Machine/Random.h"

#include "qcc/Runtime/ThreadPool.h"

#include <condition_variable>
#include <mutex>

namespace qcc::emu {

class Cta;

class Grid {
public:
  explicit Grid(Launch &launch);
  ~Grid();

  /// On the threads of the pool, where CTAs run on their own.
  void run(rt::ThreadPool &pool, int threads);

  CounterSet &counters() { return counters_; }
  std::vector<Report> takeReports() { return log_.take(); }

private:
  /// What a CTA that ran on its own leaves behind.
  struct Outcome {
    bool isDone = false, isKilled = false;
    std::unique_ptr<CounterSet> counters;
    std::unique_ptr<Random> random;
    std::unique_ptr<Cta> cta; ///< Until it is compared with those before.
    Overlay overlay;
  };

  class Residents;

  void runTogether();
  void runAlone(rt::ThreadPool &pool, int threads);
  void runOne(int64_t number);
  void collect();
  void compare(int64_t number, Outcome &outcome);

  Launch &launch_;
  CounterSet counters_;
  ReportLog log_;

  std::atomic<int64_t> next_{0};
  /// The last CTA that counts: one that trapped or hung ends the launch.
  std::atomic<int64_t> last_;
  std::mutex mutex_; ///< Of what follows.
  std::condition_variable collectedMore_;
  std::vector<Outcome> outcomes_;
  int64_t collected_ = 0;
  CrossCtaShadow crossCta_;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_GRID_H
