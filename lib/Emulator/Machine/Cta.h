//===- Cta.h - A block of threads -------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The warps of a CTA, its memory and its barriers. Warps run in turns whose
// order and lengths the seed decides.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_CTA_H
#define QCC_LIB_EMULATOR_MACHINE_CTA_H

#include "Check/ReportLog.h"
#include "Machine/Barriers.h"
#include "Machine/CtaMemory.h"
#include "Machine/Random.h"
#include "Machine/Warp.h"

namespace qcc::emu {

class Cta {
public:
  /// `random` is drawn from by this CTA, and by others that run with it.
  Cta(const Launch &launch, int64_t number, CounterSet &counters,
      Random &random, TogetherState *together);

  /// One turn of one warp; false if no warp can go on: the CTA is finished, or
  /// has come to an end before that with a report.
  bool step();

  /// Ends everything: after trap, deadlock or a limit.
  void kill();
  /// Adds to a report of a limit that some CTAs have not started, as so many
  /// run at once.
  void noteCtasNotStarted(int64_t ctas, int64_t resident);
  /// Whether the launch should end.
  bool isKilled() const { return isKilled_; }

  const Launch &launch() const { return launch_; }
  int64_t number() const { return number_; }
  CounterSet &counters() { return counters_; }
  Random &random() { return random_; }
  ReportLog &log() { return log_; }
  CtaMemory &memory() { return memory_; }
  Barriers &barriers() { return barriers_; }
  std::vector<std::unique_ptr<Warp>> &warps() { return warps_; }
  int64_t executed() const;

private:
  void reportDeadlock();
  void reportLimit();
  Report *reportEnd(ReportKind kind);

  const Launch &launch_;
  int64_t number_;
  CounterSet &counters_;
  Random &random_;
  ReportLog log_;
  CtaMemory memory_;
  Barriers barriers_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<int> ready_; ///< Scratch of step().
  bool isKilled_ = false;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_CTA_H
