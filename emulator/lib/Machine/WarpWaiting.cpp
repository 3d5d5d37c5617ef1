//===- WarpWaiting.cpp - Loops that wait for memory -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Access.h"
#include "Machine/Cta.h"
#include "Machine/Warp.h"

#include <algorithm>

namespace qcc::emu {

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

void Warp::noteRead(const Access &access, uint64_t seen, bool isLatest) {
  ++spins_;
  uint64_t key = mixHash(access.inst->site, access.mask);
  for (uint32_t lanes = access.mask; lanes; lanes &= lanes - 1)
    key = mixHash(key, access.address[__builtin_ctz(lanes)]);
  if (seen_.isRepeated(key, seen))
    idleness_.repeat();
  else
    idleness_.stop();
  if (!isLatest) {
    proof_.forget();
    return;
  }
  proof_.countRead(progress_.changes);
  if (!progress_.isQuiet || !idleness_.isIdle())
    return;
  uint32_t ready = active_;
  for (const Split &split : splits_)
    if (split.state == Split::Ready)
      ready |= split.lanes;
  proof_.add(stateForProof(), ready, progress_.changes);
  proof_.noteRun(active_);
}

/// All that decides what the warp does next, but for memory.
WaitProof::State Warp::stateForProof() const {
  WaitProof::State state = {pc_, active_, carry, exited_};
  std::vector<uint64_t> splits;
  for (size_t i = 0; i < splits_.size(); ++i)
    if (i != current_)
      splits.push_back(uint64_t(splits_[i].lanes) << 32 |
                       uint64_t(splits_[i].pc) << 2 | splits_[i].state);
  std::sort(splits.begin(), splits.end());
  state.insert(state.end(), splits.begin(), splits.end());
  for (const auto &meeting : meetings_)
    state.insert(state.end(),
                 {meeting->pc, meeting->expected, meeting->arrived});
  for (const auto &frame : frames_) {
    size_t words = frame->function->frameBytes / 8 + 1;
    state.push_back(frame->function->firstSite);
    state.insert(state.end(), frame->registers.get(),
                 frame->registers.get() + words);
  }
  return state;
}

Warp::Patience Warp::patience() const {
  constexpr int64_t enoughReads = 4096;
  if (proof_.holds(progress_.changes))
    return Patience::Never;
  return proof_.reads(progress_.changes) >= enoughReads ? Patience::Lost
                                                        : Patience::Left;
}

void Warp::noteBarrenBarrier(int barrier) {
  for (Split &split : splits_)
    if (split.state == Split::AtBarrier && split.barrier == barrier)
      split.idleness.repeat();
}

//===----------------------------------------------------------------------===//
// Barriers in shared memory
//===----------------------------------------------------------------------===//

void Warp::noteMBarrierWait(const Instruction &inst, uint64_t offset,
                            uint32_t lanes) {
  endMBarrierWaits(lanes);
  mbarrierWaits_.push_back({lanes, offset});
  Access access;
  access.inst = &inst;
  access.mask = lanes;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    access.address[__builtin_ctz(rest)] = offset;
  // Who arrives changes something, so that the value says nothing.
  constexpr uint64_t sameAsBefore = 0;
  noteRead(access, sameAsBefore, /*isLatest=*/true);
  if (inst.has(Mod::try_wait)) {
    idleness_.repeats = Idleness::enoughRepeats;
    yield();
  }
}

void Warp::tryAgain(const Instruction &inst, uint32_t mask) {
  --pc_;
  splits_[current_].isRetry = true;
  Access access;
  access.inst = &inst;
  access.mask = mask;
  std::fill(std::begin(access.address), std::end(access.address), 0);
  constexpr uint64_t sameAsBefore = 0;
  noteRead(access, sameAsBefore, /*isLatest=*/true);
  idleness_.repeats = Idleness::enoughRepeats;
  yield();
}

void Warp::wake() {
  for (Split &split : splits_)
    split.idleness.stop();
}

void Warp::endMBarrierWaits(uint32_t lanes) {
  for (MBarrierWait &wait : mbarrierWaits_)
    wait.lanes &= ~lanes;
  mbarrierWaits_.erase(
      std::remove_if(mbarrierWaits_.begin(), mbarrierWaits_.end(),
                     [](const MBarrierWait &wait) { return wait.lanes == 0; }),
      mbarrierWaits_.end());
}

void Warp::wakeFromMBarrier(uint64_t offset) {
  for (const MBarrierWait &wait : mbarrierWaits_)
    for (Split &split : splits_)
      if (wait.offset == offset && (wait.lanes & split.lanes))
        split.idleness.stop();
}

//===----------------------------------------------------------------------===//
// Meetings that end early
//===----------------------------------------------------------------------===//

/// Strong reads and atomics of a warp while some of its lanes wait for others:
/// for loops that wait and do not look like it.
constexpr int64_t enoughSpins = 1 << 16;

/// Lets lanes go on that wait for others.
void Warp::releaseMeeting(Meeting &meeting) {
  addSplit(meeting.pc, meeting.arrived, meeting.frame, meeting.outer);
  meeting.expected &= ~meeting.arrived;
  meeting.arrived = 0;
  isScattered_ = true;
}

bool Warp::releaseMeetings() {
  bool released = false;
  for (auto &meeting : meetings_)
    if (meeting->arrived != 0 && !meeting->callee) {
      releaseMeeting(*meeting);
      released = true;
    }
  return released;
}

/// Ends meetings for which loops wait that do not look like it.
void Warp::losePatience() {
  for (auto &meeting : meetings_)
    if (meeting->arrived != 0 && !meeting->callee &&
        spins_ - meeting->spins >= enoughSpins)
      releaseMeeting(*meeting);
}

/// Whether the split that runs and another one may be one.
bool Warp::canMerge(const Split &split) const {
  return &split != &splits_[current_] && split.frame == frame_ &&
         split.meeting == meeting_ && split.pc == pc_;
}

/// Joins the split that runs with others that are ready to run the same.
bool Warp::mergeHere() {
  bool merged = false;
  for (size_t i = splits_.size(); i-- > 0;) {
    const Split &split = splits_[i];
    if (split.state != Split::Ready || split.isRetry || split.isForced ||
        splits_[current_].isRetry || !canMerge(split))
      continue;
    active_ |= split.lanes;
    splits_.erase(splits_.begin() + static_cast<ptrdiff_t>(i));
    current_ -= i < current_;
    merged = true;
  }
  return merged;
}

} // namespace qcc::emu
