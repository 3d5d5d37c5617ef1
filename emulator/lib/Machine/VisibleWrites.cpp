//===- VisibleWrites.cpp - Strong writes that others see late -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/VisibleWrites.h"
#include <cassert>

#include <algorithm>
#include <cstring>

namespace qcc::emu {

/// Values that a location keeps; older ones can be read no more.
constexpr size_t maxPast = 8;
/// How long reads that acquire get the first value: longer than any others.
constexpr uint32_t acquiringStays = 128, acquiringFactor = 16;

VisibleWrites::Location *VisibleWrites::find(uint64_t address, int size) {
  auto it = granules_.find(granuleOf(address));
  if (it == granules_.end())
    return nullptr;
  for (Location &location : it->second)
    if (location.address == address && location.size == size)
      return &location;
  return nullptr;
}

VisibleWrites::View &VisibleWrites::viewOf(Location &location, uint32_t cta) {
  auto it = std::lower_bound(
      location.views.begin(), location.views.end(), cta,
      [](const View &view, uint32_t cta) { return view.cta < cta; });
  if (it == location.views.end() || it->cta != cta) {
    it = location.views.insert(it, View());
    it->cta = cta;
  }
  return *it;
}

VisibleWrites::Horizon &VisibleWrites::horizonOf(uint32_t cta) {
  if (cta >= horizons_.size())
    horizons_.resize(cta + 1);
  return horizons_[cta];
}

void VisibleWrites::acquire(Horizon &horizon, uint64_t released,
                            bool isAcquire) {
  uint64_t &time = isAcquire ? horizon.time : horizon.observed;
  time = std::max(time, released);
}

/// One of the values that may be read, from the oldest on; past.size() is the
/// one in memory.
size_t VisibleWrites::choose(const Location &location, size_t oldest,
                             View &view, bool isAcquire) {
  // Some CTAs are much later than others, and those that acquire are so rather
  // than those that do not.
  auto manyStays = [&] { return (1 + random_.below(8)) << random_.below(4); };
  if (view.access == 0)
    view.stays = isMixed_    ? random_.below(2)
                 : isAcquire ? acquiringStays + acquiringFactor * manyStays()
                             : manyStays();
  if (view.stays > 0) {
    --view.stays;
    return oldest;
  }
  view.stays = manyStays();
  const std::vector<Past> &past = location.past;
  size_t newest = past.size();
  assert(oldest < newest && "there is a newer value");
  size_t chosen =
      oldest + 1 + random_.below(static_cast<uint32_t>(newest - oldest));
  if (isMixed_ || !isAcquire)
    return chosen;
  // The one that tells least of what its writer has done.
  auto released = [&](size_t i) {
    return i == newest ? location.released : past[i].released;
  };
  for (size_t i = oldest + 1; i <= newest; ++i)
    if (released(i) < released(chosen))
      chosen = i;
  return chosen;
}

const VisibleWrites::Past *VisibleWrites::read(uint32_t cta, uint64_t address,
                                               int size, bool isAcquire) {
  Location *location = find(address, size);
  if (!location)
    return nullptr;
  Horizon &horizon = horizonOf(cta);
  View &view = viewOf(*location, cta);
  std::vector<Past> &past = location->past;
  size_t chosen = past.size(); // What is in memory.
  uint64_t seen =
      view.access == access_ ? view.time : std::max(view.time, horizon.time);
  if (location->time > seen) {
    assert(!past.empty() && "what was written has a value before");
    size_t oldest = 0;
    while (oldest + 1 < past.size() && past[oldest + 1].time <= seen)
      ++oldest;
    // Other lanes of the instruction have chosen.
    chosen = view.access == access_
                 ? oldest
                 : choose(*location, oldest, view, isAcquire);
  }
  bool isLatest = chosen == past.size();
  view.time = isLatest ? location->time : past[chosen].time;
  view.access = access_;
  acquire(horizon, isLatest ? location->released : past[chosen].released,
          isAcquire);
  return isLatest ? nullptr : &past[chosen];
}

void VisibleWrites::write(uint32_t cta, uint64_t address, const Access &access,
                          const uint8_t *old, const SyncVariable &sync) {
  Location *location = find(address, access.size);
  if (!location) {
    // Accesses of other sizes see each other in order, or race.
    forget(address, access.size);
    std::vector<Location> &locations = granules_[granuleOf(address)];
    location = &locations.emplace_back();
    location->address = address;
    location->size = access.size;
  }
  Horizon &horizon = horizonOf(cta);
  bool isAtomic = access.kind == AccessKind::Atomic;
  if (isAtomic)
    acquire(horizon, location->released, access.isAcquire);
  if (location->access != access_) {
    Past past;
    past.time = location->time;
    past.released = location->released;
    assert(size_t(access.size) <= sizeof(past.value) && "values fit");
    memcpy(past.value, old, access.size);
    past.sync = sync;
    if (location->past.size() == maxPast)
      location->past.erase(location->past.begin());
    location->past.push_back(std::move(past));
  }
  uint64_t before = isAtomic ? location->released : 0;
  location->time = ++now_;
  location->access = access_;
  location->released =
      std::max(before, access.isRelease ? now_ : horizon.fenced);
  View &view = viewOf(*location, cta);
  view.time = now_;
}

void VisibleWrites::forget(uint64_t address, int size) {
  if (granules_.empty())
    return;
  auto it = granules_.find(granuleOf(address));
  if (it == granules_.end())
    return;
  std::vector<Location> &locations = it->second;
  locations.erase(std::remove_if(locations.begin(), locations.end(),
                                 [&](const Location &location) {
                                   return location.address < address + size &&
                                          address <
                                              location.address + location.size;
                                 }),
                  locations.end());
}

void VisibleWrites::fence(uint32_t cta, FenceKind kind) {
  Horizon &horizon = horizonOf(cta);
  if (kind != FenceKind::Release)
    horizon.time = std::max(horizon.time, horizon.observed);
  if (kind == FenceKind::Sequential) {
    horizon.time = std::max(horizon.time, lastSequential_);
    lastSequential_ = now_;
  }
  if (kind != FenceKind::Acquire)
    horizon.fenced = now_;
}

} // namespace qcc::emu
