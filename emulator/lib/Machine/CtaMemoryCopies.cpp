//===- CtaMemoryCopies.cpp - Copies that run by themselves ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Count/Requests.h"
#include "Machine/Cta.h"
#include "Machine/CtaMemory.h"
#include <cassert>

namespace qcc::emu {

static Accessor accessorOf(Warp &warp, int lane, const Instruction &inst) {
  Accessor who;
  who.clock = &warp.clock();
  who.lanes = 1u << lane;
  who.site = inst.site;
  return who;
}

bool CtaMemory::beginCopy(Warp &warp, AsyncCopies::Request &request, int lane) {
  const Instruction &inst = *request.inst;
  uint64_t destination = request.destination[lane];
  uint64_t source = request.source[lane];
  int size = request.size;
  if (!isAligned(warp, inst, lane, StateSpace::Shared, destination, size))
    return false;
  if (!isMapped(sharedStates_, destination, size)) {
    refuse(warp, inst, lane, AccessKind::Store, StateSpace::Shared, destination,
           size);
    return false;
  }
  // A source of which nothing is read may be anywhere.
  int &sourceSize = request.sourceSize[lane];
  if (sourceSize > 0) {
    Allocation *allocation = findAllocation(source, sourceSize);
    if (!isAligned(warp, inst, lane, StateSpace::Global, source, size)) {
      sourceSize = 0;
    } else if (!allocation) {
      refuse(warp, inst, lane, AccessKind::Load, StateSpace::Global, source,
             sourceSize);
      sourceSize = 0;
    } else if (launch_.options.countAccesses) {
      allocation->loaded.add(source - allocation->base);
    }
  }

  AsyncCopies::Copy copy;
  copy.inst = &inst;
  copy.warp = warp.index();
  copy.lane = lane;
  copy.size = size;
  copy.sourceSize = sourceSize;
  copy.destination = destination;
  copy.source = source;
  AsyncCopies::Copy &added = copies_.add(copy);
  if (checks_) {
    Accessor who = accessorOf(warp, lane, inst);
    if (Conflict conflict =
            sharedRaces_.beginCopy(destination, size, who, added.number))
      reportConflict(warp, inst, lane, AccessKind::Store, StateSpace::Shared,
                     destination, size, conflict);
    if (sourceSize > 0)
      checkOrder(warp, inst, lane, AccessKind::Load,
                 *findAllocation(source, sourceSize), source, sourceSize);
    if (sourceSize > 0)
      if (Conflict conflict = globalRaces_->read(source, sourceSize, who))
        reportConflict(warp, inst, lane, AccessKind::Load, StateSpace::Global,
                       source, sourceSize, conflict);
  }
  if (launch_.options.seed != 0) {
    // Half of them late, a quarter at once.
    switch (cta_.random().below(4)) {
    case 0:
      performCopy(added);
      copies_.setMoment(added, AsyncCopies::Moment::Done);
      break;
    case 1:
      copies_.setMoment(added, AsyncCopies::Moment::Between);
      break;
    default:
      break;
    }
  }
  return true;
}

void CtaMemory::beginCopies(Warp &warp, AsyncCopies::Request &request) {
  uint32_t good = 0;
  for (uint32_t lanes = request.mask; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    if (beginCopy(warp, request, lane))
      good |= 1u << lane;
  }
  if (!launch_.options.countAccesses || good == 0)
    return;
  CounterSet::Site &site = cta_.counters().sites[request.inst->site];
  site.shared.add(countSharedRequest(request.destination, good, request.size,
                                     /*isAtomic=*/false));
  site.global.add(countGlobalRequest(request.source, request.sourceSize, good));
}

void CtaMemory::performCopy(const AsyncCopies::Copy &copy) {
  ++cta_.progress().changes;
  assert(copy.destination + copy.size <= shared_.size() &&
         "copies that are refused do not begin");
  uint8_t *to = &shared_[copy.destination];
  if (copy.sourceSize > 0) {
    // It was there when the copy began, and kernels release nothing.
    Allocation *allocation = findAllocation(copy.source, copy.sourceSize);
    assert(allocation && "the source is there until the kernel ends");
    const uint8_t *from =
        together_ ? allocation->data() + (copy.source - allocation->base)
                  : overlay_.read(*allocation, copy.source);
    memcpy(to, from, copy.sourceSize);
  }
  memset(to + copy.sourceSize, 0, copy.size - copy.sourceSize);
  memset(&sharedStates_[copy.destination], Written, copy.size);
}

void CtaMemory::advanceCopies() {
  bool hasArrivals = !copies_.arrivals().empty();
  if ((!copies_.hasBetween() && !hasArrivals && bulk_.isEmpty()) ||
      cta_.random().below(8) != 0)
    return;
  copies_.forBetween([&](AsyncCopies::Copy &copy) {
    if (cta_.random().below(2) == 0)
      return;
    performCopy(copy);
    copies_.setMoment(copy, AsyncCopies::Moment::Done);
  });
  if (launch_.options.seed == 0)
    return;
  if (hasArrivals)
    finishFirstArrival();
  advanceSomeBulk(/*isLate=*/false);
}

void CtaMemory::commitCopies(Warp &warp, uint32_t mask) {
  copies_.commit(warp.index(), mask);
}

/// Gives the memory back to the lane, whose warp is at `clock`.
void CtaMemory::finishCopy(AsyncCopies::Copy &copy, uint32_t clock) {
  if (copy.moment != AsyncCopies::Moment::Done)
    performCopy(copy);
  if (!checks_)
    return;
  AccessRecord writer = sharedRaces_.recordOf(
      accessorOf(*cta_.warps()[copy.warp], copy.lane, *copy.inst));
  writer.clock = clock;
  sharedRaces_.endCopy(copy.destination, copy.size, writer);
}

void CtaMemory::waitForCopies(Warp &warp, uint32_t mask, uint32_t allowed,
                              bool uncommitted) {
  copies_.finish(
      warp.index(), mask, allowed, uncommitted,
      [&](AsyncCopies::Copy &copy) { finishCopy(copy, warp.clock().now()); });
  // Arrivals whose copies are all done happen now.
  std::vector<AsyncCopies::Arrival> &arrivals = copies_.arrivals();
  for (size_t i = 0; i < arrivals.size();) {
    if (copies_.isAwaited(arrivals[i])) {
      ++i;
      continue;
    }
    AsyncCopies::Arrival arrival = arrivals[i];
    arrivals.erase(arrivals.begin() + static_cast<ptrdiff_t>(i));
    performArrival(arrival);
  }
}

//===----------------------------------------------------------------------===//
// Arrivals of copies
//===----------------------------------------------------------------------===//

void CtaMemory::arriveAfterCopies(Warp &warp, const Instruction &inst,
                                  uint32_t mask, uint64_t barrier) {
  uint32_t clock = warp.clock().pass();
  for (; mask; mask &= mask - 1) {
    AsyncCopies::Arrival arrival;
    arrival.inst = &inst;
    arrival.warp = warp.index();
    arrival.lane = __builtin_ctz(mask);
    arrival.barrier = barrier;
    arrival.clock = clock;
    copies_.addArrival(arrival);
  }
}

/// The copies write, and then arrive for their thread. What they wrote becomes
/// known by the barrier.
void CtaMemory::performArrival(const AsyncCopies::Arrival &arrival) {
  copies_.finish(arrival, [&](AsyncCopies::Copy &copy) {
    finishCopy(copy, arrival.clock);
  });
  Warp &warp = *cta_.warps()[arrival.warp];
  if (BarrierClocks *published = cta_.mbarriers().publishedAt(arrival.barrier))
    published->known.raiseLanes(warp.clock().agent(), 1u << arrival.lane,
                                arrival.clock);
  cta_.mbarriers().arrive({warp, *arrival.inst, arrival.lane, arrival.barrier},
                          MBarriers::Arrival());
}

bool CtaMemory::finishWhatIsLate() {
  return finishFirstArrival() || advanceSomeBulk(/*isLate=*/true);
}

bool CtaMemory::finishFirstArrival() {
  std::vector<AsyncCopies::Arrival> &arrivals = copies_.arrivals();
  if (arrivals.empty())
    return false;
  AsyncCopies::Arrival arrival = arrivals.front();
  arrivals.erase(arrivals.begin());
  performArrival(arrival);
  return true;
}

} // namespace qcc::emu
