//===- CtaMemoryBulk.cpp - Bulk copies ------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load owns its destination until its bytes have come. Then they are writes
// of an agent that belongs to its mbarrier, whose clock counts the steps in
// which bytes came. Who waits for the mbarrier knows the agent.
//
// A store reads shared memory, and owns its destination, until its thread waits
// for its group.
//
//===----------------------------------------------------------------------===//

#include "Machine/Cta.h"
#include "Machine/CtaMemory.h"

#include <algorithm>

namespace qcc::emu {

/// Calls take(address, bytes) for the parts of global memory of a copy, as few
/// as there are.
template <typename Take>
static void forGlobalRanges(const BulkCopy &copy, Take take) {
  uint64_t begin = 0, end = 0;
  for (const BulkPiece &piece : copy.pieces) {
    if (piece.begin >= piece.end)
      continue;
    uint64_t from = piece.global + piece.begin, to = piece.global + piece.end;
    if (from != end || end == begin) {
      if (end != begin)
        take(begin, end - begin);
      begin = from;
    }
    end = to;
  }
  if (end != begin)
    take(begin, end - begin);
}

static Accessor issuerOf(Warp &warp, const BulkCopy &copy) {
  Accessor who;
  who.clock = &warp.clock();
  who.lanes = 1u << copy.lane;
  who.site = copy.inst->site;
  return who;
}

//===----------------------------------------------------------------------===//
// The issue
//===----------------------------------------------------------------------===//

/// Pieces of global memory that no allocation holds do not exist.
void CtaMemory::checkBulkPieces(Warp &warp, BulkCopy &copy) {
  AccessKind kind = copy.isLoad ? AccessKind::Load : AccessKind::Store;
  for (BulkPiece &piece : copy.pieces) {
    int size = piece.end - piece.begin;
    if (size <= 0)
      continue;
    uint64_t address = piece.global + piece.begin;
    Allocation *allocation = findAllocation(address, size);
    if (!allocation || (!copy.isLoad && allocation->isConst)) {
      refuse(warp, *copy.inst, copy.lane, kind, StateSpace::Global, address,
             size);
      piece.begin = piece.end = 0;
      continue;
    }
    if (!launch_.options.countAccesses)
      continue;
    auto &sectors = copy.isLoad ? allocation->loaded : allocation->stored;
    sectors.add(address - allocation->base);
    sectors.add(address - allocation->base + static_cast<uint64_t>(size) - 1);
  }
}

void CtaMemory::countBulk(const BulkCopy &copy) {
  countUnitAccess(*copy.inst,
                  static_cast<int64_t>(copy.pieces.size()) * BulkPiece::most);
  constexpr uint64_t sectorBytes = 32;
  GlobalCounters access;
  access.requests = 1;
  // The rows of a box lie in any order.
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  forGlobalRanges(copy, [&](uint64_t address, uint64_t bytes) {
    ranges.push_back({address, bytes});
  });
  std::sort(ranges.begin(), ranges.end());
  uint64_t next = 0;
  for (auto [address, bytes] : ranges) {
    uint64_t first = std::max(address / sectorBytes, next);
    uint64_t last = (address + bytes - 1) / sectorBytes;
    if (last >= first)
      access.sectors += static_cast<int64_t>(last - first + 1);
    next = std::max(next, last + 1);
    access.usefulBytes += static_cast<int64_t>(bytes);
  }
  if (!copy.isRepeat)
    cta_.counters().sites[copy.inst->site].global.add(access);
}

/// Conflicts with what came before, in both memories.
void CtaMemory::checkBulkRaces(Warp &warp, const BulkCopy &copy) {
  uint64_t begin = copy.sharedBegin, size = copy.sharedEnd - begin;
  Accessor who = issuerOf(warp, copy);
  auto report = [&](const Conflict &conflict, AccessKind kind, StateSpace space,
                    uint64_t address, uint64_t bytes) {
    if (conflict)
      reportConflict(warp, *copy.inst, copy.lane, kind, space, address,
                     static_cast<int>(bytes), conflict);
  };
  Accessor unit = who;
  unit.isAsync = true;
  if (copy.isLoad)
    report(sharedRaces_.beginCopy(begin, size, unit, copy.number),
           AccessKind::Store, StateSpace::Shared, begin, size);
  else
    report(sharedRaces_.beginRead(begin, size, &unit, 1).first,
           AccessKind::Load, StateSpace::Shared, begin, size);
  forGlobalRanges(copy, [&](uint64_t address, uint64_t bytes) {
    int length = static_cast<int>(bytes);
    checkOrder(warp, *copy.inst, copy.lane,
               copy.isLoad ? AccessKind::Load : AccessKind::Store,
               *findAllocation(address, length), address, length);
    if (copy.isLoad)
      report(globalRaces_->read(address, bytes, who), AccessKind::Load,
             StateSpace::Global, address, bytes);
    else
      report(globalRaces_->beginCopy(address, bytes, who, copy.number),
             AccessKind::Store, StateSpace::Global, address, bytes);
  });
}

/// What a store reads must have been written, what a load writes be no
/// mbarrier.
void CtaMemory::checkBulkBytes(Warp &warp, const BulkCopy &copy) {
  uint64_t begin = copy.sharedBegin;
  int size = static_cast<int>(copy.sharedEnd - begin);
  if (cta_.mbarriers().overlapping(begin, size) >= 0) {
    Access access;
    access.inst = copy.inst;
    access.kind = copy.isLoad ? AccessKind::Store : AccessKind::Load;
    access.size = size;
    checkMBarriers(warp, access, copy.lane, begin);
  }
  if (copy.isLoad)
    return;
  const uint8_t *states = &sharedStates_[begin];
  const uint8_t *hole = std::find(states, states + size, Unwritten);
  if (hole == states + size)
    return;
  Report *report =
      warp.report(ReportKind::UninitializedRead, *copy.inst, copy.lane);
  if (!report)
    return;
  report->message = "a bulk copy reads byte " +
                    hexText(begin + static_cast<uint64_t>(hole - states)) +
                    " of shared memory, which nothing has written";
  report->space = StateSpace::Shared;
  report->address = begin;
  report->allocation = "shared memory";
}

void CtaMemory::beginBulk(Warp &warp, BulkCopy copy) {
  uint64_t begin = copy.sharedBegin;
  bool isMapped =
      copy.sharedEnd <= sharedStates_.size() && begin < copy.sharedEnd &&
      std::find(&sharedStates_[begin],
                &sharedStates_[begin] + (copy.sharedEnd - begin),
                Unmapped) == &sharedStates_[begin] + (copy.sharedEnd - begin);
  if (!isMapped) {
    refuse(warp, *copy.inst, copy.lane,
           copy.isLoad ? AccessKind::Store : AccessKind::Load,
           StateSpace::Shared, begin, static_cast<int>(copy.sharedEnd - begin));
    return;
  }
  checkBulkPieces(warp, copy);
  if (launch_.options.countAccesses)
    countBulk(copy);
  BulkCopy &added = bulk_.add(std::move(copy));
  added.clock = warp.clock().now();
  if (checks_) {
    checkBulkBytes(warp, added);
    checkBulkRaces(warp, added);
  }
  warp.noteOwnChange();
  constexpr uint32_t chances = 4;
  if (launch_.options.seed == 0 || cta_.random().below(chances) != 0)
    return;
  advanceBulk(added, added.pieces.size());
  if (added.isLoad)
    bulk_.copies().pop_back();
}

//===----------------------------------------------------------------------===//
// The bytes
//===----------------------------------------------------------------------===//

void CtaMemory::loadPiece(const BulkCopy &copy, const BulkPiece &piece) {
  uint8_t *to = &shared_[piece.shared];
  memset(to, copy.fill, BulkPiece::most);
  memset(&sharedStates_[piece.shared], Written, BulkPiece::most);
  // A block of an overlay may end within the piece.
  for (int i = piece.begin; i < piece.end; ++i) {
    uint64_t address = piece.global + static_cast<uint64_t>(i);
    Allocation *allocation = findAllocation(address, 1);
    to[i] = together_ ? allocation->data()[address - allocation->base]
                      : *overlay_.read(*allocation, address);
  }
}

void CtaMemory::storePiece(const BulkPiece &piece) {
  for (int i = piece.begin; i < piece.end; ++i) {
    uint64_t address = piece.global + static_cast<uint64_t>(i);
    Allocation *allocation = findAllocation(address, 1);
    uint8_t *to = together_ ? allocation->data() + (address - allocation->base)
                            : overlay_.write(*allocation, address, 1);
    *to = shared_[piece.shared + static_cast<uint32_t>(i)];
  }
}

/// A load's pieces from `first` on have come; the mbarrier learns of it.
void CtaMemory::announceBulk(const BulkCopy &copy, size_t first) {
  constexpr uint32_t firstUnit = 64;
  Warp &warp = *copy.issuer;
  AccessRecord writer;
  writer.agent = asyncAgent(
      cta_.number(),
      firstUnit + static_cast<uint32_t>(copy.barrier / MBarriers::objectBytes));
  writer.clock = ++bulkClocks_[copy.barrier];
  writer.lanes = 1;
  writer.site = copy.inst->site;
  if (checks_)
    for (size_t i = first; i < copy.done; ++i)
      sharedRaces_.endCopy(copy.pieces[i].shared, BulkPiece::most, writer);
  if (BarrierClocks *published = cta_.mbarriers().publishedAt(copy.barrier))
    published->known.raise(writer.agent, writer.clock);
  cta_.mbarriers().addBytes({warp, *copy.inst, copy.lane, copy.barrier},
                            -static_cast<int64_t>(copy.done - first) *
                                BulkPiece::most);
}

void CtaMemory::advanceBulk(BulkCopy &copy, size_t count) {
  size_t first = copy.done;
  count = std::min(count, copy.pieces.size() - first);
  if (count == 0)
    return;
  ++cta_.progress().changes;
  for (; copy.done < first + count; ++copy.done)
    if (copy.isLoad)
      loadPiece(copy, copy.pieces[copy.done]);
    else
      storePiece(copy.pieces[copy.done]);
  if (copy.isLoad)
    announceBulk(copy, first);
}

bool CtaMemory::advanceSomeBulk(bool isLate) {
  auto &copies = bulk_.copies();
  size_t loads = 0;
  for (const BulkCopy &copy : copies)
    loads += copy.isLoad;
  if (isLate ? loads == 0 : copies.empty())
    return false;
  bool isFirst = launch_.options.seed == 0;
  size_t candidates = isLate ? loads : copies.size();
  size_t chosen =
      isFirst ? 0 : cta_.random().below(static_cast<uint32_t>(candidates));
  for (auto it = copies.begin(); it != copies.end(); ++it) {
    if ((isLate && !it->isLoad) || chosen-- != 0)
      continue;
    size_t left = it->pieces.size() - it->done;
    size_t count =
        isFirst ? left
                : 1 + cta_.random().below(static_cast<uint32_t>(left) + 1);
    advanceBulk(*it, count);
    if (it->isLoad && it->isDone())
      copies.erase(it);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

void CtaMemory::commitBulk(Warp &warp, uint32_t mask) {
  bulk_.commit(warp.index(), mask);
}

/// A store has read shared memory, which its thread knows.
void CtaMemory::endBulkRead(Warp &warp, BulkCopy &copy) {
  advanceBulk(copy, copy.pieces.size());
  if (checks_ && !copy.hasRead) {
    Accessor who = issuerOf(warp, copy);
    sharedRaces_.endRead(copy.sharedBegin, copy.sharedEnd - copy.sharedBegin,
                         sharedRaces_.recordOf(who), who);
  }
  copy.hasRead = true;
}

/// A store has written, which its thread knows from `clock` on.
void CtaMemory::endBulkWrite(Warp &warp, const BulkCopy &copy, uint32_t clock) {
  if (!checks_)
    return;
  AccessRecord writer = globalRaces_->recordOf(issuerOf(warp, copy));
  writer.clock = clock;
  forGlobalRanges(copy, [&](uint64_t address, uint64_t bytes) {
    globalRaces_->endCopy(address, bytes, writer);
  });
}

void CtaMemory::waitForBulk(Warp &warp, uint32_t mask, uint32_t allowed,
                            bool readsOnly) {
  auto &copies = bulk_.copies();
  for (auto it = copies.begin(); it != copies.end();) {
    bool isOwn =
        !it->isLoad && it->warp == warp.index() && (mask >> it->lane & 1);
    if (!isOwn || !bulk_.isAwaited(*it, allowed)) {
      ++it;
      continue;
    }
    endBulkRead(warp, *it);
    if (readsOnly) {
      ++it;
      continue;
    }
    endBulkWrite(warp, *it, warp.clock().now());
    it = copies.erase(it);
  }
}

void CtaMemory::finishAtExit() {
  for (BulkCopy &copy : bulk_.copies()) {
    Warp &warp = *copy.issuer;
    if (copy.isLoad || !copy.hasRead)
      if (Report *report =
              warp.report(ReportKind::AsyncRace, *copy.inst, copy.lane)) {
        report->message =
            copy.isLoad ? "the CTA ends while this copy may still write its "
                          "shared memory; a thread must wait for the mbarrier"
                        : "the CTA ends while this copy may still read its "
                          "shared memory; its thread must execute "
                          "cp.async.bulk.commit_group and wait_group.read";
        report->space = StateSpace::Shared;
        report->address = copy.sharedBegin;
        report->allocation = "shared memory";
      }
    if (copy.isLoad)
      continue;
    advanceBulk(copy, copy.pieces.size());
    endBulkWrite(warp, copy, copy.clock);
  }
  bulk_.copies().clear();
}

} // namespace qcc::emu
