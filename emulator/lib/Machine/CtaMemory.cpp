//===- CtaMemory.cpp - Memory as a CTA sees it ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/CtaMemory.h"
#include <cassert>

#include "Count/Requests.h"
#include "Machine/AddressSpace.h"
#include "Machine/Cta.h"

namespace qcc::emu {

CtaMemory::CtaMemory(Cta &cta, TogetherState *together)
    : cta_(cta), launch_(cta.launch()), together_(together),
      checks_(launch_.checks()), shared_(launch_.sharedStates.size()),
      sharedStates_(launch_.sharedStates), sharedRaces_(launch_.warpsPerCta),
      ownGlobalRaces_(launch_.warpsPerCta),
      globalRaces_(together ? &together->races : &ownGlobalRaces_),
      globalVariables_(together ? &together->variables : &ownGlobalVariables_),
      copies_(launch_.warpsPerCta), bulk_(launch_.warpsPerCta) {
  // Whoever reads what nobody wrote shall not find zeros.
  constexpr uint8_t garbage = 0xa5;
  std::fill(shared_.begin(), shared_.end(), garbage);
}

Allocation *CtaMemory::findAllocation(uint64_t address, int size) {
  if (!lastAllocation_ || !lastAllocation_->contains(address, size)) {
    Allocation *allocation = launch_.memory->find(address, size);
    if (!allocation)
      return nullptr;
    lastAllocation_ = allocation;
  }
  return lastAllocation_;
}

uint8_t *CtaMemory::locateDevice(Warp &warp, Access &access, int lane,
                                 StateSpace space, uint64_t address) {
  Allocation *allocation = findAllocation(address, access.size);
  if (!allocation || (space == StateSpace::Const && !allocation->isConst)) {
    refuse(warp, *access.inst, lane, access.kind, space, address, access.size);
    return nullptr;
  }
  if (access.kind != AccessKind::Load && allocation->isConst) {
    refuseConstWrite(warp, access, lane, StateSpace::Const, address,
                     allocation->name);
    return nullptr;
  }
  uint64_t offset = address - allocation->base;
  assert(offset + access.size <= uint64_t(allocation->size) &&
         "an allocation contains the accesses that it is found for");
  if (launch_.options.countAccesses) {
    if (access.kind != AccessKind::Store)
      allocation->loaded.add(offset);
    if (access.kind != AccessKind::Load)
      allocation->stored.add(offset);
    // Kernels with such atomics run together.
    if (access.kind == AccessKind::Atomic && together_)
      ++together_->atomics[address];
  }
  if (checks_ && !allocation->isConst) {
    checkOrder(warp, *access.inst, lane, access.kind, *allocation, address,
               access.size);
    checkRace(warp, access, lane, StateSpace::Global, address);
    if (access.kind != AccessKind::Load)
      checkCopySources(warp, access, lane, address);
  }
  if (together_ && together_->visible)
    return accessVisible(warp, access, lane, address,
                         allocation->data() + offset);
  if (access.strength != Strength::Weak && checks_)
    synchronize(warp, access, lane, StateSpace::Global, address);
  if (together_)
    return allocation->data() + offset;
  if (access.kind == AccessKind::Load)
    // Only read from.
    return const_cast<uint8_t *>(overlay_.read(*allocation, address));
  return overlay_.write(*allocation, address, access.size);
}

/// Of global memory that CTAs see each other write, at different times.
uint8_t *CtaMemory::accessVisible(Warp &warp, Access &access, int lane,
                                  uint64_t address, uint8_t *memory) {
  VisibleWrites &visible = *together_->visible;
  uint32_t cta = static_cast<uint32_t>(cta_.number());
  if (access.strength == Strength::Weak) {
    if (access.kind != AccessKind::Load)
      visible.forget(address, access.size);
    return memory;
  }
  const VisibleWrites::Past *past = nullptr;
  if (access.kind == AccessKind::Load)
    past = visible.read(cta, address, access.size, access.isAcquire);
  else
    visible.write(cta, address, access, memory, (*globalVariables_)[address]);
  access.isLatest &= past == nullptr;
  synchronize(warp, access, lane, StateSpace::Global, address, past);
  // Only read from.
  return past ? const_cast<uint8_t *>(past->value) : memory;
}

void CtaMemory::fence(FenceKind kind) {
  if (together_ && together_->visible)
    together_->visible->fence(static_cast<uint32_t>(cta_.number()), kind);
}

uint8_t *CtaMemory::locate(Warp &warp, Access &access, int lane,
                           StateSpace space, uint64_t offset) {
  if (space == StateSpace::Shared && namesRank(offset) &&
      (access.space == StateSpace::Generic ||
       access.inst->has(Mod::shared_cluster))) {
    Cta *owner = cta_.ownerOfShared(offset);
    if (owner && owner != &cta_)
      return owner->memory().locate(warp, access, lane, space, offset);
  }
  if (!isAligned(warp, *access.inst, lane, space, offset, access.size))
    return nullptr;
  switch (space) {
  case StateSpace::Shared: {
    if (!isMapped(sharedStates_, offset, access.size))
      break;
    if (!checks_)
      return &shared_[offset];
    if (cta_.mbarriers().overlapping(offset, access.size) >= 0)
      checkMBarriers(warp, access, lane, offset);
    if (checkRace(warp, access, lane, space, offset))
      checkWritten(warp, access, lane, space, offset, &sharedStates_[offset]);
    if (access.kind != AccessKind::Load)
      memset(&sharedStates_[offset], Written, access.size);
    if (access.strength != Strength::Weak)
      synchronize(warp, access, lane, space, offset);
    return &shared_[offset];
  }
  case StateSpace::Local: {
    int64_t end = warp.frame().localEnd;
    if (offset >= uint64_t(end) || uint64_t(access.size) > end - offset)
      break;
    uint8_t *written = warp.local().written(lane, offset);
    if (written[0] == Unmapped || written[access.size - 1] == Unmapped)
      break;
    if (checks_)
      checkWritten(warp, access, lane, space, offset, written);
    if (access.kind != AccessKind::Load)
      memset(written, Written, access.size);
    return warp.local().data(lane, offset);
  }
  case StateSpace::Param: {
    if (!isMapped(launch_.paramStates, offset, access.size))
      break;
    if (access.kind != AccessKind::Load) {
      refuseConstWrite(warp, access, lane, space, offset, "the parameters");
      return nullptr;
    }
    return const_cast<uint8_t *>(&launch_.params[offset]);
  }
  default:
    return locateDevice(warp, access, lane, space, offset);
  }
  refuse(warp, *access.inst, lane, access.kind, space, offset, access.size);
  return nullptr;
}

const uint8_t *CtaMemory::constantBytes(uint64_t address, int size) {
  if (spaceOfGeneric(address) == StateSpace::Param) {
    uint64_t offset = address - paramWindow;
    return isMapped(launch_.paramStates, offset, size) ? &launch_.params[offset]
                                                       : nullptr;
  }
  Allocation *allocation = findAllocation(address, size);
  return allocation ? allocation->data() + (address - allocation->base)
                    : nullptr;
}

void CtaMemory::access(Warp &warp, Access &access) {
  uint64_t offsets[32];
  uint32_t sharedLanes = 0, deviceLanes = 0;
  const bool compares = warp.mayBeIdle();
  if (together_ && together_->visible && access.strength != Strength::Weak)
    together_->visible->beginAccess();
  bool changes = false, changesOwn = false;
  for (uint32_t lanes = access.mask; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    uint64_t offset = access.address[lane];
    StateSpace space = access.space;
    if (space == StateSpace::Generic) {
      space = spaceOfGeneric(offset);
      offset -= warp.window(space, lane);
    }
    offsets[lane] = offset;
    uint8_t *memory = locate(warp, access, lane, space, offset);
    access.memory[lane] = memory;
    if (!memory) {
      if (access.kind == AccessKind::Load)
        memset(access.data[lane], 0, access.size);
      continue;
    }
    if (access.kind == AccessKind::Load)
      memcpy(access.data[lane], memory, access.size);
    else if (access.kind == AccessKind::Store) {
      bool &change = space == StateSpace::Local ? changesOwn : changes;
      change |=
          !compares || memcmp(memory, access.data[lane], access.size) != 0;
      memcpy(memory, access.data[lane], access.size);
    }
    if (space == StateSpace::Shared)
      sharedLanes |= 1u << lane;
    else if (space == StateSpace::Global)
      deviceLanes |= 1u << lane;
  }
  if (changes)
    warp.noteChange();
  if (changesOwn)
    warp.noteOwnChange();
  if (launch_.options.countAccesses)
    count(access, offsets, sharedLanes, deviceLanes);
}

void CtaMemory::count(const Access &access, const uint64_t *offsets,
                      uint32_t sharedLanes, uint32_t deviceLanes) {
  CounterSet::Site &site = cta_.counters().sites[access.inst->site];
  if (sharedLanes)
    site.shared.add(countSharedRequest(offsets, sharedLanes, access.size,
                                       access.kind == AccessKind::Atomic));
  if (deviceLanes)
    site.global.add(countGlobalRequest(offsets, deviceLanes, access.size));
}

} // namespace qcc::emu
