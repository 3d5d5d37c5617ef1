//===- RaceDetector.cpp - Accesses that nothing orders --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/RaceDetector.h"

namespace qcc::emu {

AccessRecord RaceDetector::recordOf(const Accessor &who) const {
  AccessRecord record;
  record.agent = who.clock->agent();
  record.clock = who.clock->now();
  record.lanes = who.lanes;
  record.site = who.site;
  record.strength = static_cast<uint32_t>(who.strength);
  return record;
}

bool RaceDetector::isOrdered(const AccessRecord &record,
                             const Accessor &who) const {
  if (who.clock->isOrdered(record.agent, record.clock, record.lanes, who.lanes))
    return true;
  // Strong accesses that reach each other are no race.
  Strength strength = static_cast<Strength>(record.strength);
  if (strength == Strength::Weak || who.strength == Strength::Weak)
    return false;
  bool inOneCta =
      record.agent / warpsPerCta_ == who.clock->agent() / warpsPerCta_;
  return inOneCta ||
         (strength == Strength::Gpu && who.strength == Strength::Gpu);
}

static Conflict raceWith(const AccessRecord &other, bool isWrite) {
  Conflict conflict;
  conflict.kind = Conflict::Race;
  conflict.other = other;
  conflict.otherIsWrite = isWrite;
  return conflict;
}

static Conflict asyncRaceWith(uint32_t copy) {
  Conflict conflict;
  conflict.kind = Conflict::Async;
  conflict.pending = copy;
  return conflict;
}

Conflict RaceDetector::conflictOfWrite(const RaceCell &cell,
                                       const Accessor &who) const {
  if (cell.pending)
    return asyncRaceWith(cell.pending);
  if (cell.write && !isOrdered(cell.write, who))
    return raceWith(cell.write, /*isWrite=*/true);
  if (cell.read && !isOrdered(cell.read, who))
    return raceWith(cell.read, /*isWrite=*/false);
  for (const AccessRecord &read : cell.moreReads)
    if (!isOrdered(read, who))
      return raceWith(read, /*isWrite=*/false);
  return {};
}

void RaceDetector::rememberRead(RaceCell &cell, const Accessor &who) {
  AccessRecord record = recordOf(who);
  auto merge = [&](AccessRecord &old) {
    bool isSame = old.agent == record.agent && old.clock == record.clock &&
                  old.strength == record.strength;
    if (isSame)
      old.lanes |= record.lanes;
    else if (!old || isOrdered(old, who))
      old = record;
    else
      return false;
    return true;
  };
  if (merge(cell.read))
    return;
  for (AccessRecord &read : cell.moreReads)
    if (merge(read))
      return;
  cell.moreReads.add(record);
}

Conflict RaceDetector::read(uint64_t address, uint64_t size,
                            const Accessor &who) {
  Conflict first;
  shadow_.forCells(address, size, [&](RaceCell &cell) {
    if (!first && cell.pending)
      first = asyncRaceWith(cell.pending);
    if (!first && cell.write && !isOrdered(cell.write, who))
      first = raceWith(cell.write, /*isWrite=*/true);
    rememberRead(cell, who);
    return true;
  });
  return first;
}

Conflict RaceDetector::write(uint64_t address, uint64_t size,
                             const Accessor &who) {
  Conflict first;
  AccessRecord record = recordOf(who);
  shadow_.forCells(address, size, [&](RaceCell &cell) {
    if (!first)
      first = conflictOfWrite(cell, who);
    cell.setWrite(record);
    return true;
  });
  return first;
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
                           const Accessor &who) {
  AccessRecord record = recordOf(who);
  shadow_.forCells(address, size, [&](RaceCell &cell) {
    cell.setWrite(record);
    cell.pending = 0;
    return true;
  });
}

} // namespace qcc::emu
