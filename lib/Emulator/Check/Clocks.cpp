//===- Clocks.cpp - What happens before what ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/Clocks.h"

#include <algorithm>

namespace qcc::emu {

void VectorClock::raise(uint32_t agent, uint32_t clock) {
  if (agent - first_ < own_.size()) {
    uint32_t &own = own_[agent - first_];
    own = std::max(own, clock);
  } else {
    uint32_t &other = others_[agent];
    other = std::max(other, clock);
  }
}

void VectorClock::join(const VectorClock &other) {
  if (isEmpty())
    first_ = other.first_, own_.assign(other.own_.size(), 0);
  for (size_t i = 0; i < other.own_.size(); ++i)
    if (other.own_[i] != 0)
      raise(other.first_ + i, other.own_[i]);
  for (auto [agent, clock] : other.others_)
    raise(agent, clock);
}

WarpClock::WarpClock(uint32_t agent, uint32_t firstAgent, uint32_t agents)
    : agent_(agent), ctaNumber_(firstAgent / agents),
      known_(firstAgent, agents) {}

void WarpClock::releaseTo(VectorClock &published) {
  published.join(known_);
  published.raise(agent_, now_);
  tick();
}

void WarpClock::release(BarrierClocks &published) {
  published.sequential.join(sequential_);
  releaseTo(published.known);
}

void WarpClock::acquire(const BarrierClocks &published) {
  known_.join(published.known);
  fenced_.join(published.sequential);
  sequential_.join(published.sequential);
  lanes_.reset();
}

bool WarpClock::areLanesOrdered(uint32_t clock, uint32_t lanes,
                                uint32_t current) const {
  if (!lanes_)
    return false;
  for (uint32_t b = current; b; b &= b - 1)
    for (uint32_t a = lanes; a; a &= a - 1) {
      int reader = __builtin_ctz(b), writer = __builtin_ctz(a);
      if (reader != writer && clock >= (*lanes_)[reader][writer])
        return false;
    }
  return true;
}

void WarpClock::syncLanes(uint32_t lanes, uint32_t all) {
  tick();
  if ((lanes & all) == all) {
    known_.raise(agent_, now_ - 1);
    lanes_.reset();
    return;
  }
  if (!lanes_) {
    lanes_ = std::make_unique<LaneTable>();
    for (auto &row : *lanes_)
      row.fill(0);
  }
  // Each learns what any of them knew, and what they did.
  std::array<uint32_t, 32> joined = {};
  for (uint32_t b = lanes; b; b &= b - 1)
    for (int a = 0; a < 32; ++a)
      joined[a] = std::max(joined[a], (*lanes_)[__builtin_ctz(b)][a]);
  for (uint32_t a = lanes; a; a &= a - 1)
    joined[__builtin_ctz(a)] = now_;
  for (uint32_t b = lanes; b; b &= b - 1)
    (*lanes_)[__builtin_ctz(b)] = joined;
}

void WarpClock::fence(Strength scope, FenceKind kind) {
  // It ends an acquire pattern ...
  if (kind != FenceKind::Release) {
    known_.join(observedCta_);
    observedCta_.clear();
    if (scope == Strength::Gpu) {
      known_.join(observedGpu_);
      observedGpu_.clear();
    }
  }
  if (kind == FenceKind::Acquire)
    return;
  // ... and starts a release pattern.
  FencedClocks now;
  releaseTo(now.cta);
  if (scope == Strength::Gpu)
    now.gpu = now.cta;
  fenced_.join(now);
  if (kind == FenceKind::Sequential)
    sequential_.join(now);
}

void WarpClock::publish(SyncVariable &variable, Strength scope, bool isRelease,
                        bool replaces) {
  if (replaces) {
    variable.cta.clear();
    variable.gpu.clear();
  }
  if (variable.ctaNumber != ctaNumber_) {
    variable.cta.clear();
    variable.ctaNumber = ctaNumber_;
  }
  variable.cta.join(fenced_.cta);
  if (scope == Strength::Gpu)
    variable.gpu.join(fenced_.gpu);
  if (!isRelease)
    return;
  releaseTo(scope == Strength::Gpu ? variable.gpu : variable.cta);
}

void WarpClock::observe(const SyncVariable &variable, Strength scope,
                        bool isAcquire) {
  bool seesCta = variable.ctaNumber == ctaNumber_;
  if (isAcquire) {
    if (seesCta)
      known_.join(variable.cta);
    if (scope == Strength::Gpu || seesCta)
      known_.join(variable.gpu);
    return;
  }
  // Within the CTA any fence completes the pattern.
  if (seesCta)
    observedCta_.join(variable.cta);
  (scope == Strength::Gpu ? observedGpu_ : observedCta_).join(variable.gpu);
}

} // namespace qcc::emu
