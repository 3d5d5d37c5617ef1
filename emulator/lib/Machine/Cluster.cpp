//===- Cluster.cpp - CTAs that share their memory -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Cluster.h"

#include "Machine/Cta.h"

namespace qcc::emu {

static void misuse(Warp &warp, const Instruction &inst, uint32_t lanes,
                   const char *message) {
  if (Report *report =
          warp.report(ReportKind::BarrierMisuse, inst, __builtin_ctz(lanes)))
    report->message = message;
}

void Cluster::arrive(Warp &warp, const Instruction &inst, uint32_t lanes) {
  ClusterLanes &state = warp.clusterLanes;
  if (uint32_t twice = lanes & (state.arrived | state.ready))
    misuse(warp, inst, twice,
           "a thread arrives at the barrier of the cluster again, and has not "
           "waited since it arrived");
  if (!inst.has(Mod::relaxed))
    warp.clock().release(published_, lanes, warp.lanes() & ~warp.exited());
  state.arrived |= lanes;
  state.ready &= ~lanes;
  isUsed_ = true;
  warp.noteChange();
  completeIfDone();
}

bool Cluster::wait(Warp &warp, const Instruction &inst, uint32_t lanes) {
  ClusterLanes &state = warp.clusterLanes;
  if (uint32_t stray = lanes & ~(state.arrived | state.ready)) {
    misuse(warp, inst, stray,
           "a thread waits for the cluster and has not arrived");
    state.ready |= stray;
  }
  if (lanes & state.arrived)
    return false;
  state.ready &= ~lanes;
  warp.clock().acquire(completed_, lanes, warp.lanes() & ~warp.exited());
  return true;
}

int Cluster::missing() const {
  int threads = 0;
  for (Cta *cta : ctas_)
    for (const auto &warp : cta->warps())
      threads += __builtin_popcount(warp->lanes() & ~warp->exited() &
                                    ~warp->clusterLanes.arrived);
  return threads;
}

void Cluster::noteExit() {
  if (isUsed_)
    completeIfDone();
}

void Cluster::completeIfDone() {
  if (missing() > 0)
    return;
  isUsed_ = false;
  completed_ = published_;
  for (Cta *cta : ctas_) {
    for (const auto &warp : cta->warps()) {
      warp->clusterLanes.ready |= warp->clusterLanes.arrived;
      warp->clusterLanes.arrived = 0;
      warp->wake();
    }
    ++cta->counters().barriers;
  }
}

std::string Cluster::describeMissing() const {
  return std::to_string(missing()) + " threads of the cluster";
}

} // namespace qcc::emu
