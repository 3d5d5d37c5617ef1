//===- Clocks.cpp - Vector clocks -----------------------------------------===//
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
    others_.raise(agent, clock);
  }
}

void VectorClock::raiseLanes(uint32_t agent, uint32_t lanes, uint32_t clock) {
  if (clock <= of(agent))
    return;
  for (; lanes; lanes &= lanes - 1)
    lanes_.raise(uint64_t(agent) * 32 + __builtin_ctz(lanes), clock);
}

bool VectorClock::coversLanes(uint32_t agent, uint32_t clock,
                              uint32_t lanes) const {
  for (; lanes; lanes &= lanes - 1)
    if (clock > lanes_.of(uint64_t(agent) * 32 + __builtin_ctz(lanes)))
      return false;
  return true;
}

void VectorClock::join(const VectorClock &other) {
  if (isEmpty())
    first_ = other.first_, own_.assign(other.own_.size(), 0);
  for (size_t i = 0; i < other.own_.size(); ++i)
    if (other.own_[i] != 0)
      raise(other.first_ + i, other.own_[i]);
  others_.join(other.others_);
  // What are others to the other may be own ones here.
  if (first_ != other.first_ || own_.size() != other.own_.size())
    others_.removeIf([&](uint32_t agent, uint32_t clock) {
      bool isOwn = agent - first_ < own_.size();
      if (isOwn)
        raise(agent, clock);
      return isOwn;
    });
  lanes_.join(other.lanes_);
  // What the warps' clocks have caught up with.
  lanes_.removeIf([&](uint64_t lane, uint32_t clock) {
    return clock <= of(uint32_t(lane / 32));
  });
}

WarpClock::WarpClock(uint32_t agent, uint32_t firstAgent, uint32_t agents)
    : agent_(agent), ctaNumber_(firstAgent / agents),
      known_(firstAgent, agents) {}

//===----------------------------------------------------------------------===//
// What lanes know
//===----------------------------------------------------------------------===//

bool WarpClock::isOrderedByLanes(uint32_t agent, uint32_t clock, uint32_t lanes,
                                 uint32_t current) const {
  for (uint32_t rest = current; rest; rest &= rest - 1) {
    uint32_t lane = rest & (0 - rest);
    uint32_t unknown = agent == agent_ ? lanes & ~lane : lanes;
    for (uint32_t other = unknown; other; other &= other - 1) {
      uint32_t one = other & (0 - other);
      bool isKnown = known_.covers(agent, clock, one);
      for (const Extra &extra : extras_)
        isKnown |=
            (extra.lanes & lane) && extra.known.covers(agent, clock, one);
      if (!isKnown)
        return false;
    }
  }
  return true;
}

VectorClock &WarpClock::extraOf(uint32_t lanes) {
  for (Extra &extra : extras_)
    if (extra.lanes == lanes)
      return extra.known;
  return extras_.emplace_back(Extra{lanes, VectorClock()}).known;
}

VectorClock WarpClock::knownTo(int lane) const {
  VectorClock known = known_;
  for (const Extra &extra : extras_)
    if (extra.lanes >> lane & 1)
      known.join(extra.known);
  return known;
}

/// What `lanes` together know and did.
void WarpClock::releaseTo(VectorClock &published, uint32_t lanes,
                          uint32_t all) const {
  published.join(known_);
  for (const Extra &extra : extras_)
    if (extra.lanes & lanes)
      published.join(extra.known);
  if ((lanes & all) == all)
    published.raise(agent_, now_);
  else
    published.raiseLanes(agent_, lanes, now_);
}

void WarpClock::syncLanes(uint32_t lanes, uint32_t all) {
  VectorClock joined;
  releaseTo(joined, lanes, all);
  tick();
  // Nothing is left that only some of them know.
  extras_.erase(std::remove_if(extras_.begin(), extras_.end(),
                               [&](const Extra &extra) {
                                 return (extra.lanes & all & ~lanes) == 0;
                               }),
                extras_.end());
  ((lanes & all) == all ? known_ : extraOf(lanes)).join(joined);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void WarpClock::release(BarrierClocks &published, uint32_t lanes,
                        uint32_t all) {
  published.sequential.join(sequential_);
  if (!handedOn_.isEmpty())
    published.observed.join(handedOn_);
  for (const Observed &observed : observed_)
    if (lanes >> observed.lane & 1) {
      published.observed.cta.join(observed.cta);
      published.observed.gpu.join(observed.gpu);
    }
  releaseTo(published.known, lanes, all);
  tick();
}

void WarpClock::acquire(const BarrierClocks &published, uint32_t lanes,
                        uint32_t all) {
  fenced_.join(published.sequential);
  sequential_.join(published.sequential);
  if (!published.observed.isEmpty())
    handedOn_.join(published.observed);
  if ((lanes & all) == all) {
    extras_.clear();
    known_.join(published.known);
  } else {
    extraOf(lanes).join(published.known);
  }
}

//===----------------------------------------------------------------------===//
// Fences, strong writes and reads
//===----------------------------------------------------------------------===//

void WarpClock::addFenced(std::vector<Fenced> &list, uint32_t lanes) const {
  // A later fence of the same reach has published more.
  for (Fenced &old : list)
    old.lanes &= ~lanes;
  list.erase(std::remove_if(list.begin(), list.end(),
                            [](const Fenced &old) { return old.lanes == 0; }),
             list.end());
  uint32_t alike = lanes;
  for (const Extra &extra : extras_)
    alike &= ~extra.lanes;
  if (alike)
    list.push_back({alike, known_, now_});
  for (uint32_t rest = lanes & ~alike; rest; rest &= rest - 1)
    list.push_back({rest & (0 - rest), knownTo(__builtin_ctz(rest)), now_});
}

void WarpClock::publishFenced(const std::vector<Fenced> &list, int lane,
                              VectorClock &published) const {
  for (const Fenced &fenced : list)
    if (fenced.lanes >> lane & 1) {
      published.join(fenced.known);
      published.raiseLanes(agent_, 1u << lane, fenced.clock);
    }
}

void WarpClock::fence(Strength scope, FenceKind kind, uint32_t lanes,
                      uint32_t all) {
  // It ends an acquire pattern ...
  if (kind != FenceKind::Release)
    for (Observed &observed : observed_) {
      if (!(lanes >> observed.lane & 1))
        continue;
      VectorClock &extra = extraOf(1u << observed.lane);
      extra.join(observed.cta);
      observed.cta.clear();
      if (scope == Strength::Gpu) {
        extra.join(observed.gpu);
        observed.gpu.clear();
      }
    }
  if (kind == FenceKind::Sequential && !handedOn_.isEmpty()) {
    bool isAll = (lanes & all) == all;
    VectorClock &known = isAll ? known_ : extraOf(lanes);
    known.join(handedOn_.cta);
    if (scope == Strength::Gpu)
      known.join(handedOn_.gpu);
    if (isAll && scope == Strength::Gpu)
      handedOn_ = FencedClocks();
  }
  if (kind == FenceKind::Acquire)
    return;
  // ... and starts a release pattern.
  addFenced(fencedCta_, lanes);
  if (scope == Strength::Gpu)
    addFenced(fencedGpu_, lanes);
  if (kind == FenceKind::Sequential) {
    releaseTo(sequential_.cta, lanes, all);
    if (scope == Strength::Gpu)
      releaseTo(sequential_.gpu, lanes, all);
  }
  tick();
}

void WarpClock::fenceProxy(uint32_t lanes) {
  addFenced(fencedProxy_, lanes);
  tick();
}

bool WarpClock::hasFencedProxy(uint32_t agent, uint32_t clock, uint32_t lanes,
                               uint32_t current) const {
  for (const Fenced &fenced : fencedProxy_)
    if ((fenced.lanes & current) && fenced.known.covers(agent, clock, lanes))
      current &= ~fenced.lanes;
  return current == 0;
}

void WarpClock::publish(SyncVariable &variable, Strength scope, bool isRelease,
                        bool replaces, int lane) {
  if (replaces) {
    variable.cta.clear();
    variable.gpu.clear();
  }
  if (variable.ctaNumber != ctaNumber_) {
    variable.cta.clear();
    variable.ctaNumber = ctaNumber_;
  }
  variable.cta.join(fenced_.cta);
  publishFenced(fencedCta_, lane, variable.cta);
  if (scope == Strength::Gpu) {
    variable.gpu.join(fenced_.gpu);
    publishFenced(fencedGpu_, lane, variable.gpu);
  }
  if (!isRelease)
    return;
  // One lane's doing, even if no other is left.
  releaseTo(scope == Strength::Gpu ? variable.gpu : variable.cta, 1u << lane,
            ~0u);
  tick();
}

void WarpClock::observe(const SyncVariable &variable, Strength scope,
                        bool isAcquire, int lane) {
  bool seesCta = variable.ctaNumber == ctaNumber_;
  bool seesGpu = scope == Strength::Gpu || seesCta;
  bool hasCta = seesCta && !variable.cta.isEmpty();
  bool hasGpu = seesGpu && !variable.gpu.isEmpty();
  if (!hasCta && !hasGpu)
    return;
  if (isAcquire) {
    VectorClock &extra = extraOf(1u << lane);
    if (hasCta)
      extra.join(variable.cta);
    if (hasGpu)
      extra.join(variable.gpu);
    return;
  }
  auto mine =
      std::find_if(observed_.begin(), observed_.end(),
                   [&](const Observed &old) { return old.lane == lane; });
  if (mine == observed_.end())
    mine = observed_.insert(mine, Observed{lane, {}, {}});
  // Within the CTA any fence completes the pattern.
  if (hasCta)
    mine->cta.join(variable.cta);
  if (hasGpu)
    (seesCta ? mine->cta : mine->gpu).join(variable.gpu);
}

} // namespace qcc::emu
