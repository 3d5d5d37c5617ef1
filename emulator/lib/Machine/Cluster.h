//===- Cluster.h - CTAs that share their memory -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The CTAs of a cluster run at the same time. Each may access the shared memory
// of the others, and all meet at barrier.cluster. A CTA without a cluster is
// one of its own.
//
// An address of .shared::cluster names the CTA by its upper bits
// (AddressSpace.h).
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_CLUSTER_H
#define QCC_LIB_EMULATOR_MACHINE_CLUSTER_H

#include "Check/Clocks.h"
#include "PTX/Program.h"

#include <string>
#include <vector>

namespace qcc::emu {

class Cta;
class Warp;

class Cluster {
public:
  /// CTAs join in the order of their ranks, before any of them runs.
  void join(Cta &cta) { ctas_.push_back(&cta); }
  /// Null if the cluster lacks the rank.
  Cta *ctaOfRank(uint64_t rank) const {
    return rank < ctas_.size() ? ctas_[rank] : nullptr;
  }

  /// A CTA has come to its end.
  void noteEnd() { ++ended_; }
  bool isOver() const { return ended_ == ctas_.size(); }

  /// barrier.cluster.arrive by lanes of a warp.
  void arrive(Warp &warp, const Instruction &inst, uint32_t lanes);
  /// Whether barrier.cluster.wait may go on. If so, the lanes know what all
  /// arrivals released.
  bool wait(Warp &warp, const Instruction &inst, uint32_t lanes);
  /// Lanes have exited: the barrier does without them.
  void noteExit();
  /// "3 threads of the cluster", which have yet to arrive.
  std::string describeMissing() const;

private:
  int missing() const;
  void completeIfDone();

  std::vector<Cta *> ctas_;
  size_t ended_ = 0;
  bool isUsed_ = false; ///< Some lane has arrived in this phase.
  BarrierClocks published_, completed_;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_CLUSTER_H
