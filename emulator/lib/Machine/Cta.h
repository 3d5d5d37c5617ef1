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
#include "Machine/Cluster.h"
#include "Machine/CtaMemory.h"
#include "Machine/MBarriers.h"
#include "Machine/Random.h"
#include "Machine/Warp.h"
#include "Machine/Warpgroups.h"

namespace qcc::emu {

class Cta {
public:
  /// `random` is drawn from by this CTA, and by others that run with it.
  /// `cluster`: null if there are no others.
  Cta(const Launch &launch, int64_t number, CounterSet &counters,
      Random &random, TogetherState *together,
      std::shared_ptr<Cluster> cluster = nullptr);

  /// One turn of one warp; false if no warp can go on: the CTA is finished, or
  /// has come to an end before that with a report.
  bool step();
  /// Whether, before the last turn, all that could go on seemed to wait.
  bool waits() const { return waits_; }

  /// What to do about CTAs that wait, while nobody works who could end it.
  enum class Wait : uint8_t {
    Goes,    ///< On: it is not known to last.
    Ends,    ///< Lanes go on that others of their warps have waited for.
    Endless, ///< It has been reported.
  };
  static Wait resolveWait(const std::vector<Cta *> &ctas);

  /// Ends everything: after trap, deadlock or a limit.
  void kill();
  /// Adds to a report of a deadlock or a limit that some CTAs have not started.
  void noteCtasNotStarted(int64_t ctas, int64_t running);
  /// Whether the launch should end.
  bool isKilled() const { return isKilled_; }

  const Launch &launch() const { return launch_; }
  int64_t number() const { return number_; }
  Cluster &cluster() { return *cluster_; }
  /// In its cluster.
  uint32_t rank() const { return rank_; }
  bool isFinished() const;
  /// Whose an offset of .shared::cluster is: then it is one in that CTA's
  /// shared memory. Null if there is no such CTA, or it has exited.
  Cta *ownerOfShared(uint64_t &offset);
  CounterSet &counters() { return counters_; }
  Random &random() { return random_; }
  ReportLog &log() { return log_; }
  CtaMemory &memory() { return memory_; }
  Barriers &barriers() { return barriers_; }
  MBarriers &mbarriers() { return mbarriers_; }
  Warpgroups &warpgroups() { return warpgroups_; }
  std::vector<std::unique_ptr<Warp>> &warps() { return warps_; }
  Progress &progress() { return progress_; }
  int64_t executed() const;

private:
  Warp *chooseWarp();
  Warp::Patience patience() const;
  void reportDeadlock();
  void reportEndlessWait();
  void reportLimit();
  Report *reportEnd(ReportKind kind);

  const Launch &launch_;
  int64_t number_;
  std::shared_ptr<Cluster> cluster_;
  uint32_t rank_;
  CounterSet &counters_;
  Random &random_;
  ReportLog log_;
  Progress ownProgress_; ///< Of a CTA on its own.
  Progress &progress_;
  CtaMemory memory_;
  Barriers barriers_;
  MBarriers mbarriers_;
  Warpgroups warpgroups_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<Warp *> working_, waiting_; ///< Scratch of step().
  bool waits_ = false, isKilled_ = false;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_CTA_H
