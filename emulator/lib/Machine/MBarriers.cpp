//===- MBarriers.cpp - Barriers in shared memory --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/MBarriers.h"

#include "Machine/Cta.h"

#include <algorithm>

namespace qcc::emu {

static std::string nameOf(uint64_t offset) {
  return "the mbarrier at " + hexText(offset) + " of shared memory";
}

static void misuse(const MBarriers::Place &place, const std::string &message,
                   const Instruction *init = nullptr) {
  Report *report =
      place.warp.report(ReportKind::MBarrierMisuse, place.inst, place.lane);
  if (!report)
    return;
  report->message = message;
  report->space = StateSpace::Shared;
  report->address = place.offset;
  report->allocation = "shared memory";
  if (init)
    report->notes.push_back(
        "the object was made at " +
        place.warp.cta().launch().program->describePlace(*init));
}

MBarriers::Object *MBarriers::find(const Place &place) {
  auto it = objects_.find(place.offset);
  if (it != objects_.end())
    return &it->second;
  misuse(place, "there is no mbarrier at " + hexText(place.offset) +
                    " of shared memory: no mbarrier.init has made one, or "
                    "mbarrier.inval has ended it");
  return nullptr;
}

int64_t MBarriers::search(uint64_t offset, int64_t size) const {
  auto it =
      objects_.lower_bound(offset < objectBytes ? 0 : offset - objectBytes + 1);
  bool isFound =
      it != objects_.end() && it->first < offset + static_cast<uint64_t>(size);
  return isFound ? static_cast<int64_t>(it->first) : -1;
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

void MBarriers::init(const Place &place, int64_t count) {
  if (count < 1 || count > maxCount) {
    misuse(place, "an mbarrier for " + std::to_string(count) +
                      " arrivals; 1 to " + std::to_string(maxCount) +
                      " are possible");
    count = 1;
  }
  if (int64_t other = overlapping(place.offset, objectBytes); other >= 0) {
    misuse(place,
           nameOf(static_cast<uint64_t>(other)) +
               " is initialized again without mbarrier.inval before",
           objects_[static_cast<uint64_t>(other)].init);
    objects_.erase(static_cast<uint64_t>(other));
  }
  Object &object = objects_[place.offset];
  object.expected = object.pending = count;
  object.init = &place.inst;
  fences_.resize(size_t(32) * cta_.launch().warpsPerCta);
  object.owner = 32 * place.warp.index() + place.lane;
  object.initTime = fences_[object.owner];
  object.initAgent = place.warp.clock().agent();
  object.initClock = place.warp.clock().now();
  object.seen.resize(size_t(32) * cta_.launch().warpsPerCta);
  begin_ = std::min(begin_, place.offset);
  end_ = std::max(end_, place.offset + objectBytes);
  place.warp.noteChange();
}

void MBarriers::fenceInit(Warp &warp, uint32_t lanes) {
  fences_.resize(size_t(32) * cta_.launch().warpsPerCta);
  for (; lanes; lanes &= lanes - 1)
    ++fences_[32 * warp.index() + __builtin_ctz(lanes)];
}

bool MBarriers::isSeenByUnits(const Place &place) {
  Object *object = find(place);
  if (!object)
    return false;
  constexpr int lanesOfWarp = 32;
  bool isFenced = fences_[object->owner] != object->initTime ||
                  place.warp.clock().hasFencedProxy(
                      object->initAgent, object->initClock,
                      1u << object->owner % lanesOfWarp, 1u << place.lane);
  if (isFenced || !cta_.launch().checks())
    return true;
  if (Report *report =
          place.warp.report(ReportKind::ProxyRace, place.inst, place.lane)) {
    report->message = nameOf(place.offset) +
                      " is used by a copy, which need not see its "
                      "initialization without fence.mbarrier_init or "
                      "fence.proxy.async behind it";
    report->notes.push_back(
        "the object was made at " +
        cta_.launch().program->describePlace(*object->init));
  }
  return true;
}

void MBarriers::invalidate(const Place &place) {
  if (!find(place))
    return;
  objects_.erase(place.offset);
  place.warp.noteChange();
}

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

void MBarriers::change(const Place &place, Object &object, int64_t bytes) {
  object.bytes += bytes;
  if (std::abs(object.bytes) > maxCount) {
    misuse(place,
           nameOf(place.offset) + " has " + std::to_string(object.bytes) +
               " bytes yet to come; its count ends at " +
               std::to_string(maxCount),
           object.init);
    object.bytes = object.bytes < 0 ? -maxCount : maxCount;
  }
  place.warp.noteChange();
}

void MBarriers::addBytes(const Place &place, int64_t bytes) {
  Object *object = find(place);
  if (!object)
    return;
  change(place, *object, bytes);
  completeIfDone(place.offset, *object);
}

void MBarriers::addPending(const Place &place) {
  Object *object = find(place);
  if (!object)
    return;
  if (object->pending == maxCount)
    misuse(place,
           nameOf(place.offset) + " would wait for more than " +
               std::to_string(maxCount) + " arrivals",
           object->init);
  else
    ++object->pending;
}

uint64_t MBarriers::arrive(const Place &place, const Arrival &arrival) {
  Object *object = find(place);
  if (!object)
    return 0;
  constexpr int countBits = 20;
  uint64_t state =
      object->phase << countBits | static_cast<uint64_t>(object->pending);
  if (arrival.bytes != 0)
    change(place, *object, arrival.bytes);
  if (arrival.count < 1 || arrival.count > object->pending) {
    misuse(place,
           std::to_string(arrival.count) + " arrivals at " +
               nameOf(place.offset) + ", whose phase " +
               std::to_string(object->phase) + " waits for " +
               std::to_string(object->pending) + " of " +
               std::to_string(object->expected),
           object->init);
    return state;
  }
  bool completes = arrival.count == object->pending && object->bytes == 0;
  if (completes && !arrival.mayComplete)
    misuse(place,
           "an arrival with .noComplete ends phase " +
               std::to_string(object->phase) + " of " + nameOf(place.offset),
           object->init);
  object->pending -= arrival.count;
  if (arrival.drops)
    object->expected -= arrival.count;
  place.warp.noteChange();
  completeIfDone(place.offset, *object);
  return state;
}

void MBarriers::completeIfDone(uint64_t offset, Object &object) {
  if (object.pending != 0 || object.bytes != 0)
    return;
  ++object.phase;
  object.pending = object.expected;
  object.completed = object.published;
  ++cta_.counters().barriers;
  for (auto &warp : cta_.warps())
    warp->wakeFromMBarrier(offset);
}

BarrierClocks *MBarriers::publishedAt(uint64_t offset) {
  auto it = objects_.find(offset);
  return it == objects_.end() ? nullptr : &it->second.published;
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

bool MBarriers::isOver(const Place &place, Awaited awaited) {
  Object *object = find(place);
  if (!object)
    return true;
  uint64_t phase = object->phase;
  if (awaited.isParity) {
    if (awaited.value > 1)
      misuse(place,
             "a parity of " + std::to_string(awaited.value) +
                 "; that of a phase is 0 or 1",
             object->init);
    return (phase & 1) != (awaited.value & 1);
  }
  uint64_t awaitedPhase = awaited.value / (maxCount + 1);
  if (awaitedPhase != phase && awaitedPhase + 1 != phase)
    misuse(place,
           "a wait for phase " + std::to_string(awaitedPhase) + " of " +
               nameOf(place.offset) + ", which is in phase " +
               std::to_string(phase) +
               "; it tells of this phase and the one before",
           object->init);
  return awaitedPhase < phase;
}

void MBarriers::acquire(Warp &warp, uint64_t offset, uint32_t lanes) {
  auto it = objects_.find(offset);
  if (it != objects_.end())
    warp.clock().acquire(it->second.completed, lanes,
                         warp.lanes() & ~warp.exited());
  for (uint32_t rest = it == objects_.end() ? 0 : lanes; rest; rest &= rest - 1)
    it->second.seen[32 * warp.index() + __builtin_ctz(rest)] = it->second.phase;
}

std::string MBarriers::describe(const Warp &warp, uint64_t offset,
                                int lane) const {
  auto it = objects_.find(offset);
  if (it == objects_.end())
    return "an mbarrier at " + hexText(offset) + " that is no more";
  const Object &object = it->second;
  std::string text =
      nameOf(offset) + " in phase " + std::to_string(object.phase) + ": " +
      std::to_string(object.pending) + " of " +
      std::to_string(object.expected) + " arrivals " +
      (object.bytes < 0 ? "are missing, and " : "and ") +
      std::to_string(std::abs(object.bytes)) +
      (object.bytes < 0 ? " bytes too many have come" : " bytes are missing");
  uint64_t missed = object.phase - object.seen[32 * warp.index() + lane];
  if (missed >= 2)
    text += " (" + std::to_string(missed) +
            " phases have ended since these lanes last waited with success; "
            "they may wait for one of those)";
  return text;
}

} // namespace qcc::emu
