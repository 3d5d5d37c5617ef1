//===- WarpControl.cpp - Lanes that part and meet -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Cta.h"
#include "Machine/Warp.h"
#include <cassert>

#include <algorithm>

namespace qcc::emu {

/// Calls within each other; recursion ends there.
constexpr int maxCallDepth = 256;

//===----------------------------------------------------------------------===//
// Splits and meetings
//===----------------------------------------------------------------------===//

void Warp::addSplit(uint32_t pc, uint32_t lanes, Frame *frame, Meeting *meeting,
                    Idleness idleness) {
  assert(lanes != 0 && (lanes & ~lanes_) == 0 && "a split has lanes");
  Split split;
  split.pc = pc;
  split.lanes = lanes;
  split.frame = frame;
  split.meeting = meeting;
  split.idleness = idleness;
  splits_.push_back(split);
}

void Warp::endSplit() {
  assert(isRunning_ && current_ < splits_.size() && "no lanes run");
  splits_.erase(splits_.begin() + static_cast<ptrdiff_t>(current_));
  isRunning_ = false;
  stopped_ = true;
}

Meeting *Warp::makeMeeting(uint32_t pc, uint32_t expected) {
  auto meeting = std::make_unique<Meeting>();
  meeting->pc = pc;
  meeting->expected = expected;
  meeting->outer = meeting_;
  meeting->frame = frame_;
  meetings_.push_back(std::move(meeting));
  return meetings_.back().get();
}

void Warp::arriveAt(Meeting *meeting, uint32_t lanes) {
  if (meeting->arrived == 0)
    meeting->spins = spins_;
  meeting->arrived |= lanes;
  meeting->idleness.join(idleness_);
  completeMeetings();
}

/// Ends the meetings whose lanes have all come or exited. Inner ones are at the
/// back.
void Warp::completeMeetings() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = meetings_.size(); i-- > 0;) {
      Meeting &meeting = *meetings_[i];
      assert((meeting.arrived & ~meeting.expected) == 0 &&
             "only lanes that are expected arrive");
      if (meeting.arrived != (meeting.expected & ~exited_))
        continue;
      if (meeting.arrived) {
        // The meeting around may be at the same place.
        Meeting *outer = meeting.outer;
        bool isSamePlace = outer && !outer->callee && outer->pc == meeting.pc &&
                           outer->frame == meeting.frame;
        if (isSamePlace) {
          outer->arrived |= meeting.arrived;
          outer->idleness.join(meeting.idleness);
        } else {
          addSplit(meeting.pc, meeting.arrived, meeting.frame, outer,
                   meeting.idleness);
        }
      }
      if (Frame *callee = meeting.callee) {
        if (callee->function->usesProducts)
          cta_.warpgroups().endFrame(callee);
        frames_.erase(std::find_if(
            frames_.begin(), frames_.end(),
            [&](const auto &frame) { return frame.get() == callee; }));
      }
      meetings_.erase(meetings_.begin() + static_cast<ptrdiff_t>(i));
      changed = true;
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

void Warp::branch(const Instruction &inst, uint32_t taken, uint32_t target) {
  uint32_t fallsThrough = active_ & ~taken;
  if (fallsThrough == 0) {
    pc_ = target;
    return;
  }
  uint32_t targets[32];
  for (int lane = 0; lane < 32; ++lane)
    targets[lane] = taken >> lane & 1 ? target : pc_;
  branchIndexed(inst, active_, targets);
}

void Warp::branchIndexed(const Instruction &inst, uint32_t mask,
                         const uint32_t *targets) {
  assert((mask & ~active_) == 0 && "lanes that branch are active");
  // Lanes that the guard excludes fall through.
  uint32_t next[32];
  for (int lane = 0; lane < 32; ++lane)
    next[lane] = mask >> lane & 1 ? targets[lane] : pc_;
  uint32_t first = next[__builtin_ctz(active_)], same = 0;
  for (uint32_t lanes = active_; lanes; lanes &= lanes - 1)
    if (next[__builtin_ctz(lanes)] == first)
      same |= lanes & (0 - lanes);
  if (same == active_) {
    pc_ = first;
    return;
  }
  leftOut_.meet(active_);
  Meeting *meeting = meeting_;
  bool isAtMeeting = meeting && !meeting->callee &&
                     meeting->pc == inst.reconvergence &&
                     meeting->frame == frame_;
  if (inst.reconvergence != noTarget && !isAtMeeting)
    meeting = makeMeeting(inst.reconvergence, active_);
  uint32_t rest = active_;
  Frame *frame = frame_;
  Idleness idleness = idleness_;
  endSplit();
  while (rest) {
    uint32_t target = next[__builtin_ctz(rest)], lanes = 0;
    for (uint32_t some = rest; some; some &= some - 1)
      if (next[__builtin_ctz(some)] == target)
        lanes |= some & (0 - some);
    addSplit(target, lanes, frame, meeting, idleness);
    rest &= ~lanes;
  }
}

//===----------------------------------------------------------------------===//
// Calls and ends
//===----------------------------------------------------------------------===//

void Warp::call(const Instruction &inst, uint32_t mask) {
  const Function &callee = *launch_.program->functions[inst.target];
  if (frame_->depth >= maxCallDepth) {
    if (Report *report =
            this->report(ReportKind::Limit, inst, __builtin_ctz(mask)))
      report->message =
          "calls nested more than " + std::to_string(maxCallDepth) + " deep";
    cta_.kill();
    return;
  }
  // All lanes of the split meet behind the call, also those that do not make
  // it.
  leftOut_.meet(active_);
  Meeting *meeting = makeMeeting(pc_, active_);
  meeting->arrived = active_ & ~mask;
  Frame *frame = makeFrame(callee, frame_, mask);
  meeting->callee = frame;
  // Arguments are copied from the caller's local memory to the callee's.
  for (int i = 0; i < inst.count(1); ++i)
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      int lane = __builtin_ctz(lanes);
      const Variable &param = callee.params[i];
      int64_t from = static_cast<int64_t>(address(inst.op(1, i), lane));
      int64_t to = frame->localBegin + param.address;
      memcpy(local_.data(lane, to), local_.data(lane, from), param.size);
      memcpy(local_.written(lane, to), local_.written(lane, from), param.size);
    }
  meeting->idleness = idleness_;
  endSplit();
  addSplit(0, mask, frame, meeting, idleness_);
}

void Warp::returnFrom(uint32_t mask) {
  Frame *frame = frame_;
  if (!frame->caller) {
    exitLanes(mask);
    return;
  }
  // Of the call, however deep in branches this ret is.
  Meeting *meeting = meeting_;
  while (meeting->callee != frame) {
    meeting = meeting->outer;
    assert(meeting && "a call has a meeting behind it");
  }
  const Instruction &call = meeting->frame->function->code[meeting->pc - 1];
  const Function &callee = *frame->function;
  uint8_t *callerRegisters = meeting->frame->bytes();
  for (int i = 0; i < call.count(0); ++i)
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      int lane = __builtin_ctz(lanes);
      const Variable &result = callee.results[i];
      const Operand &operand = call.op(0, i);
      const uint64_t *bases =
          reinterpret_cast<const uint64_t *>(callerRegisters + operand.slot);
      int64_t to = static_cast<int64_t>(bases[lane]) + operand.value;
      int64_t from = frame->localBegin + result.address;
      memcpy(local_.data(lane, to), local_.data(lane, from), result.size);
      memcpy(local_.written(lane, to), local_.written(lane, from), result.size);
    }
  leftOut_.meet(active_);
  active_ &= ~mask;
  if (active_ == 0)
    endSplit();
  // Meetings inside the call do not wait for lanes that have returned.
  for (Meeting *inner = meeting_; inner != meeting; inner = inner->outer)
    inner->expected &= ~mask;
  if (isRunning_)
    leave();
  stopped_ = true;
  arriveAt(meeting, mask);
}

void Warp::exitLanes(uint32_t mask) {
  assert((mask & ~active_) == 0 && "lanes that exit are active");
  noteChange();
  leftOut_.meet(active_);
  exited_ |= mask;
  active_ &= ~mask;
  if (active_ == 0)
    endSplit();
  else
    leave();
  stopped_ = true;
  retryWaits();
  completeMeetings();
  if ((lanes_ & ~exited_) == 0)
    cta_.barriers().noteExit();
  cta_.cluster().noteExit();
}

void Warp::trap(const Instruction &inst, uint32_t mask, const char *message) {
  if (Report *report = this->report(ReportKind::Trap, inst, __builtin_ctz(mask),
                                    __builtin_popcount(mask)))
    report->message = message;
  cta_.kill();
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void Warp::waitAtBarrier(int barrier, uint32_t mask) {
  leave();
  stopped_ = true;
  for (Split &split : splits_)
    if (split.lanes & mask) {
      split.state = Split::AtBarrier;
      split.barrier = static_cast<uint8_t>(barrier);
    }
}

void Warp::leaveBarrier(int barrier, uint32_t reduction) {
  for (Split &split : splits_) {
    if (split.state != Split::AtBarrier || split.barrier != barrier)
      continue;
    split.state = Split::Ready;
    noteOwnChange();
    // bar.red: the result of all threads.
    const Instruction &inst = split.frame->function->code[split.pc - 1];
    if (!inst.has(Mod::red))
      continue;
    const Operand &result = inst.op(0);
    uint32_t *out =
        reinterpret_cast<uint32_t *>(split.frame->bytes() + result.slot);
    uint32_t guard = ~0u;
    if (inst.hasGuard) {
      memcpy(&guard, split.frame->bytes() + inst.guardSlot, sizeof(guard));
      guard = inst.guardNegated ? ~guard : guard;
    }
    uint32_t lanes = split.lanes & guard;
    if (result.type == ScalarType::Pred)
      *out = (*out & ~lanes) | (reduction & lanes);
    else
      for (; lanes; lanes &= lanes - 1)
        out[__builtin_ctz(lanes)] = reduction;
  }
}

void Warp::partByValue(uint32_t mask, const uint32_t *values) {
  leftOut_.meet(active_);
  Meeting *meeting = makeMeeting(pc_, active_);
  meeting->arrived = active_ & ~mask;
  uint32_t pc = pc_ - 1;
  Frame *frame = frame_;
  Idleness idleness = idleness_;
  endSplit();
  while (mask) {
    uint32_t value = values[__builtin_ctz(mask)], lanes = 0;
    for (uint32_t some = mask; some; some &= some - 1)
      if (values[__builtin_ctz(some)] == value)
        lanes |= some & (0 - some);
    addSplit(pc, lanes, frame, meeting, idleness);
    splits_.back().isRetry = true; // It has been counted.
    mask &= ~lanes;
  }
}

uint32_t Warp::gather(const Instruction &inst, uint32_t mask, uint32_t required,
                      bool anywhere) {
  uint32_t gone = required & exited_;
  required &= lanes_ & ~exited_;
  if (uint32_t extra = mask & ~required) {
    if (Report *report = this->report(ReportKind::WarpDivergence, inst,
                                      __builtin_ctz(extra)))
      report->message = "a lane executes it that the mask does not name";
    required |= extra;
  }
  uint32_t lanes =
      gatherHere(inst, mask, required, anywhere, ReportKind::WarpDivergence);
  if (lanes == 0 || !launch_.checks())
    return lanes;
  if (gone)
    reportLeftOut(inst, lanes, gone);
  leftOut_.meet(lanes);
  leftOut_.execute(inst, lanes, lanes_ & ~exited_ & ~required & ~active_);
  return lanes;
}

/// Of an instruction that `lanes` execute, and that names lanes which are gone:
/// these have done other such instructions, for which they did not wait for
/// `lanes`.
void Warp::reportLeftOut(const Instruction &inst, uint32_t lanes,
                         uint32_t gone) {
  uint32_t apart = leftOut_.thatLeftOut(lanes) & gone;
  if (!apart)
    return;
  Report *report =
      this->report(ReportKind::WarpDivergence, inst, __builtin_ctz(lanes),
                   __builtin_popcount(lanes));
  if (!report)
    return;
  report->message = "it goes on without lanes " + laneText(apart) +
                    ", which its mask names and which have exited after an "
                    "instruction whose mask leaves these lanes out";
  const Instruction &other = *leftOut_.last(__builtin_ctz(apart));
  report->notes.push_back("they left them out at line " +
                          std::to_string(other.line) + " (" +
                          launch_.program->locate(other).instruction + ")");
}

uint32_t Warp::gatherAligned(const Instruction &inst, uint32_t mask,
                             ReportKind kind) {
  uint32_t present = lanes_ & ~exited_;
  // Barriers do without lanes that never were, matrices do not.
  uint32_t needed =
      kind == ReportKind::BarrierDivergence ? present : ~uint32_t(0);
  bool isGuarded = mask != active_;
  if (present == needed && !isGuarded)
    return gatherHere(inst, mask, present, /*anywhere=*/false, kind);
  if (mask == needed)
    return mask;
  if (Report *report = this->report(kind, inst, __builtin_ctz(mask)))
    report->message = "all lanes of the warp must execute it together; " +
                      std::to_string(__builtin_popcount(mask)) + " do";
  return mask;
}

uint32_t Warp::gatherHere(const Instruction &inst, uint32_t mask,
                          uint32_t required, bool anywhere,
                          ReportKind stuckKind) {
  Split &self = splits_[current_];
  if (mask == required || self.isForced) {
    self.isForced = false;
    return mask;
  }
  auto isHere = [&](const Split &split) {
    if (split.state != Split::AtWarpSync || split.frame != frame_)
      return false;
    const Instruction &other = split.frame->function->code[split.pc - 1];
    return anywhere ? other.row == inst.row : &other == &inst;
  };
  uint32_t present = mask;
  for (const Split &split : splits_)
    if (isHere(split))
      present |= split.executing;
  if ((required & ~present) == 0) {
    for (size_t i = splits_.size(); i-- > 0;) {
      Split &split = splits_[i];
      if (!isHere(split) || !(split.executing & required))
        continue;
      split.state = Split::Ready;
      if (!canMerge(split))
        continue;
      active_ |= split.lanes;
      idleness_.join(split.idleness);
      splits_.erase(splits_.begin() + static_cast<ptrdiff_t>(i));
      current_ -= i < current_;
    }
    return present & required;
  }
  self.state = Split::AtWarpSync;
  self.executing = mask;
  self.awaited = required;
  self.stuckKind = stuckKind;
  leave();
  stopped_ = true;
  return 0;
}

/// After an exit: whom they wait for may be others now.
void Warp::retryWaits() {
  for (Split &split : splits_)
    if (split.state == Split::AtWarpSync && (split.awaited & exited_)) {
      split.state = Split::Ready;
      split.isRetry = true;
      --split.pc;
    }
}

bool Warp::releaseStuck() {
  bool released = false;
  for (Split &split : splits_) {
    if (split.state != Split::AtWarpSync)
      continue;
    const Instruction &inst = split.frame->function->code[split.pc - 1];
    uint32_t missing = split.awaited & ~split.executing;
    if (Report *report = this->report(split.stuckKind, inst,
                                      __builtin_ctz(split.executing))) {
      report->message = std::to_string(__builtin_popcount(split.executing)) +
                        " lanes execute it, which waits for " +
                        std::to_string(__builtin_popcount(missing)) +
                        " others that never come";
      report->notes.push_back("the warp: " + describeState());
    }
    split.state = Split::Ready;
    split.isRetry = split.isForced = true;
    --split.pc;
    released = true;
  }
  return released;
}

} // namespace qcc::emu
