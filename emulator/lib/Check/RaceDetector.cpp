//===- RaceDetector.cpp - Accesses that nothing orders --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/RaceDetector.h"

#include <algorithm>

namespace qcc::emu {

AccessRecord RaceDetector::recordOf(const Accessor &who) const {
  AccessRecord record;
  record.agent = who.clock->agent();
  record.clock = who.clock->now();
  record.lanes = who.lanes;
  record.site = who.site;
  record.strength = static_cast<uint32_t>(who.strength);
  record.sizeLog = who.sizeLog;
  record.isVolatile = who.isVolatile;
  return record;
}

bool RaceDetector::mayMeet(const AccessRecord &record,
                           const Accessor &who) const {
  Strength strength = static_cast<Strength>(record.strength);
  if (strength == Strength::Weak || who.strength == Strength::Weak ||
      record.sizeLog != who.sizeLog)
    return false;
  // Lanes that execute together do not wait for each other's values. Code that
  // needs this relies on lockstep, which PTX does not promise.
  if (record.isVolatile && who.isVolatile &&
      record.agent == who.clock->agent() &&
      (record.lanes & ~who.lanes & who.together) != 0)
    return false;
  return ctaOf(record.agent) == ctaOf(who.clock->agent()) ||
         (strength == Strength::Gpu && who.strength == Strength::Gpu);
}

//===----------------------------------------------------------------------===//
// Strong accesses
//===----------------------------------------------------------------------===//

void StrongSet::add(const AccessRecord &record, uint32_t cta) {
  sizes_ |= 1u << record.sizeLog;
  anyVolatile_ |= record.isVolatile;
  anyOfCtaScope_ |= static_cast<Strength>(record.strength) == Strength::Cta;
  firstCta_ = std::min(firstCta_, cta);
  lastCta_ = std::max(lastCta_, cta);
  std::vector<AccessRecord> &records = records_[record.agent];
  for (AccessRecord &other : records) {
    if (other.isLike(record)) {
      other.lanes |= record.lanes;
      return;
    }
    if (record.standsFor(other))
      other.lanes &= ~record.lanes;
  }
  records.erase(
      std::remove_if(records.begin(), records.end(),
                     [](const AccessRecord &other) { return !other.lanes; }),
      records.end());
  records.push_back(record);
}

bool StrongSet::mayMeetAll(const Accessor &who, uint32_t cta) const {
  bool isReached = who.strength == Strength::Gpu && !anyOfCtaScope_;
  bool isOneCta = firstCta_ == cta && lastCta_ == cta;
  return who.strength != Strength::Weak && sizes_ == 1u << who.sizeLog &&
         !(anyVolatile_ && who.isVolatile) && (isReached || isOneCta);
}

const AccessRecord *RaceDetector::findUnordered(const StrongSet &set,
                                                const Accessor &who) const {
  if (set.isEmpty() || set.mayMeetAll(who, ctaOf(who.clock->agent())))
    return nullptr;
  return set.findIf(
      [&](const AccessRecord &record) { return !isOrdered(record, who); });
}

/// Keeps the reads that this one, which is strong, does not stand for.
void RaceDetector::rememberStrongRead(RaceCell &cell,
                                      const AccessRecord &record,
                                      const Accessor &who) {
  if (!cell.read ||
      (record.standsFor(cell.read) && comesBefore(cell.read, who)))
    cell.read = record;
  else if (cell.read.isLike(record))
    cell.read.lanes |= record.lanes;
  else
    cell.more.make().strongReads.add(record, ctaOf(record.agent));
}

/// Keeps all that this write, which is strong, does not stand for.
void RaceDetector::rememberStrongWrite(RaceCell &cell,
                                       const AccessRecord &record,
                                       const Accessor &who) {
  AccessRecord &last = cell.write;
  if (last && last.isLike(record)) {
    last.lanes |= record.lanes;
    last.site = record.site;
    return;
  }
  if (last && !(record.standsFor(last) && comesBefore(last, who))) {
    if (static_cast<Strength>(last.strength) == Strength::Weak)
      cell.more.make().weakWrite = last;
    else
      cell.more.make().strongWrites.add(last, ctaOf(last.agent));
  }
  last = record;
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

static Conflict raceWith(const AccessRecord &other, bool isWrite,
                         const Accessor &who) {
  Conflict conflict;
  conflict.kind = Conflict::Race;
  conflict.other = other;
  conflict.otherIsWrite = isWrite;
  conflict.differInSize =
      static_cast<Strength>(other.strength) != Strength::Weak &&
      who.strength != Strength::Weak && other.sizeLog != who.sizeLog;
  return conflict;
}

static Conflict asyncRaceWith(uint32_t copy) {
  Conflict conflict;
  conflict.kind = Conflict::Async;
  conflict.pending = copy;
  return conflict;
}

Conflict RaceDetector::conflictWithWrites(const RaceCell &cell,
                                          const Accessor &who) const {
  if (cell.pending)
    return asyncRaceWith(cell.pending);
  if (!cell.write)
    return {};
  if (who.isNonCoherent) {
    Conflict conflict = raceWith(cell.write, /*isWrite=*/true, who);
    conflict.kind = Conflict::NonCoherent;
    return conflict;
  }
  if (!isOrdered(cell.write, who) && !isRepeat(cell.write, who))
    return raceWith(cell.write, /*isWrite=*/true, who);
  const AccessRecord &write = cell.write;
  if (who.isAsync && !isSeenByUnits(write) &&
      !who.clock->hasFencedProxy(write.agent, write.clock, write.lanes,
                                 who.lanes)) {
    Conflict conflict = raceWith(cell.write, /*isWrite=*/true, who);
    conflict.kind = Conflict::Proxy;
    return conflict;
  }
  const FurtherAccesses *more = cell.more.get();
  if (!more)
    return {};
  if (more->weakWrite && !isOrdered(more->weakWrite, who))
    return raceWith(more->weakWrite, /*isWrite=*/true, who);
  if (const AccessRecord *other = findUnordered(more->strongWrites, who))
    return raceWith(*other, /*isWrite=*/true, who);
  return {};
}

Conflict RaceDetector::conflictOfWrite(const RaceCell &cell,
                                       const Accessor &who) const {
  if (Conflict conflict = conflictWithWrites(cell, who))
    return conflict;
  if (cell.readers) {
    Conflict conflict;
    conflict.kind = Conflict::AsyncRead;
    return conflict;
  }
  if (cell.read && !isOrdered(cell.read, who))
    return raceWith(cell.read, /*isWrite=*/false, who);
  const FurtherAccesses *more = cell.more.get();
  if (!more)
    return {};
  for (const AccessRecord &read : more->reads)
    if (!isOrdered(read, who))
      return raceWith(read, /*isWrite=*/false, who);
  if (const AccessRecord *other = findUnordered(more->strongReads, who))
    return raceWith(*other, /*isWrite=*/false, who);
  return {};
}

void RaceDetector::rememberRead(RaceCell &cell, const AccessRecord &record,
                                const Accessor &who) {
  if (who.strength != Strength::Weak) {
    rememberStrongRead(cell, record, who);
    return;
  }
  auto merge = [&](AccessRecord &old) {
    if (old.isLike(record))
      old.lanes |= record.lanes;
    else if (!old || comesBefore(old, who))
      old = record;
    else
      return false;
    return true;
  };
  if (merge(cell.read))
    return;
  std::vector<AccessRecord> &reads = cell.more.make().reads;
  for (AccessRecord &read : reads)
    if (merge(read))
      return;
  reads.push_back(record);
}

Conflict RaceDetector::read(uint64_t address, uint64_t size,
                            const Accessor &who) {
  Conflict first;
  AccessRecord record = recordOf(who);
  shadow_.forCells(address, size, [&](RaceCell &cell) {
    if (!first && !(isOwnWrite(cell.write, who) && !cell.pending))
      first = conflictWithWrites(cell, who);
    rememberRead(cell, record, who);
    return true;
  });
  return first;
}

Conflict RaceDetector::write(uint64_t address, uint64_t size,
                             const Accessor &who) {
  Conflict first;
  AccessRecord record = recordOf(who);
  shadow_.forCells(address, size, [&](RaceCell &cell) {
    Conflict conflict = conflictOfWrite(cell, who);
    if (!first)
      first = conflict;
    if (conflict || who.strength == Strength::Weak)
      cell.setWrite(record);
    else
      rememberStrongWrite(cell, record, who);
    return true;
  });
  return first;
}

void RaceDetector::shareWrite(uint64_t address, uint64_t size, uint32_t lanes) {
  shadow_.forCells(address, size, [&](RaceCell &cell) {
    cell.write.lanes |= lanes;
    cell.write.isCommon = 1;
    return true;
  });
}

Conflict RaceDetector::beginCopy(uint64_t address, uint64_t size,
                                 const Accessor &who, uint32_t copy) {
  Conflict first;
  shadow_.forCells(address, size, [&](RaceCell &cell) {
    if (!first)
      first = conflictOfWrite(cell, who);
    cell.pending = copy;
    return true;
  });
  return first;
}

void RaceDetector::endCopy(uint64_t address, uint64_t size,
                           const AccessRecord &writer) {
  shadow_.forCells(address, size, [&](RaceCell &cell) {
    cell.setWrite(writer);
    cell.pending = 0;
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Asynchronous units
//===----------------------------------------------------------------------===//

std::pair<Conflict, int> RaceDetector::beginRead(uint64_t address,
                                                 uint64_t size,
                                                 const Accessor *who,
                                                 int count) {
  std::pair<Conflict, int> first = {{}, 0};
  shadow_.forCells(address, size, [&](RaceCell &cell) {
    for (int i = 0; i < count && !first.first; ++i)
      first = {conflictWithWrites(cell, who[i]), i};
    ++cell.readers;
    return true;
  });
  return first;
}

void RaceDetector::endRead(uint64_t address, uint64_t size,
                           const AccessRecord &reader, const Accessor &waiter) {
  shadow_.forCells(address, size, [&](RaceCell &cell) {
    --cell.readers;
    // Products of one unit end in their order.
    if (cell.read.agent == reader.agent)
      cell.read = reader;
    else
      rememberRead(cell, reader, waiter);
    return true;
  });
}

bool RaceDetector::isSeenByUnits(const AccessRecord &write) const {
  if (isAsyncAgent(write.agent))
    return true;
  uint32_t warp = write.agent % warpsPerCta_;
  if (warp >= proxyFences_.size())
    return false;
  for (uint32_t lanes = write.lanes; lanes; lanes &= lanes - 1)
    if (proxyFences_[warp][__builtin_ctz(lanes)] < write.clock)
      return false;
  return true;
}

void RaceDetector::fenceProxy(uint32_t agent, uint32_t lanes, uint32_t clock) {
  proxyFences_.resize(warpsPerCta_);
  for (; lanes; lanes &= lanes - 1)
    proxyFences_[agent % warpsPerCta_][__builtin_ctz(lanes)] = clock;
}

} // namespace qcc::emu
