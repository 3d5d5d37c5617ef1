//===- Warp.cpp - 32 lanes that run one program ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Warp.h"
#include <cassert>

#include "Machine/AddressSpace.h"
#include "Machine/Cta.h"
#include "PTX/BlockGraph.h"
#include "PTX/SpecialRegisters.h"

namespace qcc::emu {

Warp::Warp(Cta &cta, int index)
    : cta_(cta), launch_(cta.launch()), index_(index),
      progress_(cta.progress()) {
  int threads = std::min(32, launch_.threadsPerCta - 32 * index);
  assert(threads > 0 && "a warp has threads");
  lanes_ = threads == 32 ? ~0u : (1u << threads) - 1;
  // CTAs that run on their own have clocks of their own.
  uint32_t warps = static_cast<uint32_t>(launch_.warpsPerCta);
  uint32_t first =
      launch_.isTogether ? static_cast<uint32_t>(cta.number()) * warps : 0;
  clock_ = WarpClock(first + index, first, warps);
  constants_ = launch_.program->constants.data();
  Frame *frame = makeFrame(*launch_.kernel, nullptr, lanes_);
  addSplit(0, lanes_, frame, nullptr);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Warp::Activity Warp::activity() const {
  Activity activity = Activity::Blocked;
  for (const Split &split : splits_) {
    if (split.state != Split::Ready)
      continue;
    if (!split.isIdle())
      return Activity::Works;
    activity = Activity::Waits;
  }
  return activity;
}

void Warp::enter(size_t split) {
  assert(split < splits_.size() && splits_[split].state == Split::Ready &&
         "only lanes that are ready run");
  const Split &entered = splits_[split];
  current_ = split;
  isRunning_ = true;
  pc_ = entered.pc;
  active_ = entered.lanes;
  frame_ = entered.frame;
  meeting_ = entered.meeting;
  idleness_ = entered.idleness;
  meetingPc_ = meeting_ && !meeting_->callee ? meeting_->pc : noTarget;
  registers_ = frame_->bytes();
}

void Warp::leave() {
  if (!isRunning_)
    return;
  splits_[current_].pc = pc_;
  splits_[current_].lanes = active_;
  splits_[current_].idleness = idleness_;
  isRunning_ = false;
}

/// One of the splits that can go on: of those that work, if there are any.
size_t Warp::chooseSplit() {
  uint32_t ready = 0, working = 0;
  size_t lowest = splits_.size();
  for (size_t i = 0; i < splits_.size(); ++i) {
    const Split &split = splits_[i];
    if (split.state != Split::Ready)
      continue;
    ++ready;
    if (split.isIdle())
      continue;
    ++working;
    if (lowest == splits_.size() || split.pc < splits_[lowest].pc)
      lowest = i;
  }
  assert(ready > 0 && "a warp that runs has lanes that are ready");
  // Waiting lanes get a turn now and then: their wait may be over.
  constexpr uint32_t turnsOfOthers = 16;
  bool takesAll = working == 0 ||
                  (working < ready && cta_.random().below(turnsOfOthers) == 0);
  // Whoever is behind others may catch up with them.
  if (isScattered_ && !takesAll && cta_.random().below(turnsOfOthers) != 0)
    return lowest;
  uint32_t choices = takesAll ? ready : working;
  size_t n = choices > 1 ? cta_.random().below(choices) : 0;
  for (size_t i = 0;; ++i)
    if (splits_[i].state == Split::Ready && (takesAll || !splits_[i].isIdle()))
      if (n-- == 0)
        return i;
}

void Warp::run(int budget) {
  if (!meetings_.empty())
    losePatience();
  enter(chooseSplit());
  stopped_ = false;
  proof_.noteRun(active_);
  const int64_t before = executed_;
  CounterSet::Site *sites = cta_.counters().sites.data();
  while (budget-- > 0 && !stopped_) {
    if (isScattered_ && mergeHere())
      isScattered_ = splits_.size() > 1;
    if (pc_ == meetingPc_) {
      Meeting *meeting = meeting_;
      uint32_t lanes = active_;
      endSplit();
      arriveAt(meeting, lanes);
      break;
    }
    assert(pc_ < frame_->function->code.size() &&
           "functions end with ret or exit");
    const Instruction &inst = frame_->function->code[pc_];
    uint32_t mask = active_;
    if (inst.hasGuard) {
      uint32_t guard;
      memcpy(&guard, registers_ + inst.guardSlot, sizeof(guard));
      mask &= inst.guardNegated ? ~guard : guard;
    }
    ++pc_;
    ++executed_;
    CounterSet::Site &site = sites[inst.site];
    bool counts = !splits_[current_].isRetry;
    splits_[current_].isRetry = false;
    if (counts) {
      ++site.executions;
      site.lanes += __builtin_popcount(mask);
      if (inst.valueUse != ValueUse::Untracked && frame_->hasUndefined)
        followValues(inst, mask);
    }
    if (mask)
      inst.execute(*this, inst, mask);
  }
  idleness_.execute(static_cast<int>(executed_ - before));
  leave();
}

void Warp::kill() {
  isRunning_ = false;
  stopped_ = true;
  splits_.clear();
  meetings_.clear();
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

Frame *Warp::makeFrame(const Function &function, Frame *caller,
                       uint32_t lanes) {
  auto frame = std::make_unique<Frame>();
  frame->function = &function;
  frame->caller = caller;
  frame->depth = caller ? caller->depth + 1 : 0;
  constexpr int64_t alignment = 16;
  int64_t before = caller ? caller->localEnd : 0;
  frame->localBegin = before > 0 ? alignUp(before + Layout::gap, alignment) : 0;
  frame->localEnd = frame->localBegin + function.localLayout.end;
  local_.reserve(frame->localEnd);
  local_.begin(lanes, before, frame->localBegin, function.localLayout);
  size_t words = function.frameBytes / 8 + 1;
  frame->registers.reset(new uint64_t[words]);
  // Whoever reads what nobody wrote shall not find zeros.
  constexpr uint64_t garbage = 0xa5a5a5a5a5a5a5a5;
  std::fill_n(frame->registers.get(), words, garbage);
  if (launch_.checks()) {
    frame->undefined.resize(numPlaces(function));
    frame->origins.resize(numPlaces(function));
    for (const UnsetRegister &unset : function.unset)
      frame->undefined[unset.place] = ~0u;
    frame->hasUndefined = !function.unset.empty();
    if (function.usesProducts)
      frame->asyncRegisters.resize(numPlaces(function));
  }
  uint64_t *localBase =
      reinterpret_cast<uint64_t *>(frame->bytes() + function.localBaseSlot);
  std::fill(localBase, localBase + 32, uint64_t(frame->localBegin));
  fillSpecials(*frame);
  frames_.push_back(std::move(frame));
  return frames_.back().get();
}

/// Of the place of a CTA in its cluster, and of the cluster in the grid; 0 of
/// special registers that are not known.
static uint64_t clusterValue(const Launch &launch, const Cta &cta,
                             SpecialRegister special) {
  using S = SpecialRegister;
  Dim3 grid = launch.config.grid, cluster = launch.cluster;
  Dim3 ctaId = launch.ctaAt(cta.number());
  switch (special) {
  case S::ClusterCtaidX:
    return ctaId.x % cluster.x;
  case S::ClusterCtaidY:
    return ctaId.y % cluster.y;
  case S::ClusterCtaidZ:
    return ctaId.z % cluster.z;
  case S::ClusterNctaidX:
    return cluster.x;
  case S::ClusterNctaidY:
    return cluster.y;
  case S::ClusterNctaidZ:
    return cluster.z;
  case S::ClusteridX:
    return ctaId.x / cluster.x;
  case S::ClusteridY:
    return ctaId.y / cluster.y;
  case S::ClusteridZ:
    return ctaId.z / cluster.z;
  case S::NclusteridX:
    return grid.x / cluster.x;
  case S::NclusteridY:
    return grid.y / cluster.y;
  case S::NclusteridZ:
    return grid.z / cluster.z;
  case S::ClusterCtarank:
    return cta.rank();
  case S::ClusterNctarank:
    return launch.clusterCtas();
  default:
    return 0;
  }
}

/// The value of a special register for a lane.
static uint64_t specialValue(const Launch &launch, const Cta &cta, int warp,
                             int lane, SpecialRegister special) {
  using S = SpecialRegister;
  Dim3 thread = launch.threadAt(32 * warp + lane);
  Dim3 block = launch.config.block, grid = launch.config.grid;
  Dim3 ctaId = launch.ctaAt(cta.number());
  uint32_t own = 1u << lane;
  // A chip of this many multiprocessors, to which CTAs go in turn.
  constexpr int multiprocessors = 108;
  switch (special) {
  case S::TidX:
    return thread.x;
  case S::TidY:
    return thread.y;
  case S::TidZ:
    return thread.z;
  case S::NtidX:
    return block.x;
  case S::NtidY:
    return block.y;
  case S::NtidZ:
    return block.z;
  case S::CtaidX:
    return ctaId.x;
  case S::CtaidY:
    return ctaId.y;
  case S::CtaidZ:
    return ctaId.z;
  case S::NctaidX:
    return grid.x;
  case S::NctaidY:
    return grid.y;
  case S::NctaidZ:
    return grid.z;
  case S::Laneid:
    return lane;
  case S::Warpid:
    return warp;
  case S::Nwarpid:
    return launch.warpsPerCta;
  case S::Smid:
    return cta.number() % multiprocessors;
  case S::Nsmid:
    return multiprocessors;
  case S::LanemaskEq:
    return own;
  case S::LanemaskLe:
    return own | (own - 1);
  case S::LanemaskLt:
    return own - 1;
  case S::LanemaskGe:
    return ~(own - 1);
  case S::LanemaskGt:
    return ~(own | (own - 1));
  case S::DynamicSmemSize:
    return launch.config.dynamicShared;
  case S::TotalSmemSize:
    return launch.totalShared;
  default:
    return clusterValue(launch, cta, special);
  }
}

void Warp::fillSpecials(Frame &frame) {
  for (const SpecialUse &use : frame.function->specials) {
    auto special = static_cast<SpecialRegister>(use.special);
    uint8_t *slot = frame.bytes() + use.slot;
    for (int lane = 0; lane < 32; ++lane) {
      uint64_t value = specialValue(launch_, cta_, index_, lane, special);
      if (special == SpecialRegister::Gridid) {
        memcpy(slot + 8 * lane, &value, 8);
      } else {
        uint32_t word = static_cast<uint32_t>(value);
        memcpy(slot + 4 * lane, &word, 4);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

uint64_t Warp::lane(const Operand &operand, int lane) const {
  if (operand.type == ScalarType::Pred)
    return *in<uint32_t>(operand) >> lane & 1;
  switch (laneBytes(operand.type)) {
  case 2: {
    // Registers of 8 bits have zeros above.
    return in<uint16_t>(operand)[lane];
  }
  case 4:
    return in<uint32_t>(operand)[lane];
  default:
    return in<uint64_t>(operand)[lane];
  }
}

void Warp::setLane(const Operand &operand, int lane, uint64_t value) {
  if (!operand.isPresent())
    return;
  if (bitsOf(operand.type) == 8)
    value &= 0xff;
  switch (laneBytes(operand.type)) {
  case 2:
    out<uint16_t>(operand)[lane] = static_cast<uint16_t>(value);
    break;
  case 4:
    out<uint32_t>(operand)[lane] = static_cast<uint32_t>(value);
    break;
  default:
    out<uint64_t>(operand)[lane] = value;
    break;
  }
}

uint64_t Warp::window(StateSpace space, int lane) const {
  uint64_t thread = uint64_t(cta_.number()) * launch_.threadsPerCta +
                    uint64_t(32 * index_ + lane);
  return windowOf(space, thread);
}

uint64_t Warp::address(const Operand &operand, int lane) const {
  uint64_t base = 0;
  if (operand.origin == Origin::Local)
    base = reinterpret_cast<const uint64_t *>(registers_ + operand.slot)[lane];
  else if (operand.origin == Origin::Register)
    base = bitsOf(operand.type) == 32 ? reinterpret_cast<const uint32_t *>(
                                            registers_ + operand.slot)[lane]
                                      : reinterpret_cast<const uint64_t *>(
                                            registers_ + operand.slot)[lane];
  uint64_t address = base + static_cast<uint64_t>(operand.value);
  // 32-bit addresses wrap around.
  return operand.origin == Origin::Register && bitsOf(operand.type) == 32
             ? static_cast<uint32_t>(address)
             : address;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

Report *Warp::report(ReportKind kind, const Instruction &inst, int lane,
                     int64_t count) {
  Report *report = cta_.log().add(kind, inst.site, count);
  if (!report)
    return nullptr;
  report->kernel = launch_.program->functionAt(inst.site).functionName;
  report->location = launch_.program->locate(inst);
  report->cta = launch_.ctaAt(cta_.number());
  report->warp = index_;
  report->lane = lane;
  if (lane >= 0)
    report->thread = launch_.threadAt(32 * index_ + lane);
  return report;
}

std::string laneText(uint32_t mask) {
  std::string text;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    int last = lane;
    while (last < 31 && (mask >> (last + 1) & 1))
      ++last;
    text += (text.empty() ? "" : ",") + std::to_string(lane);
    if (last > lane)
      text += "-" + std::to_string(last);
    lane = last;
  }
  return text;
}

const Instruction *Warp::place() const {
  for (const Split &split : splits_) {
    uint32_t pc = split.state == Split::Ready ? split.pc : split.pc - 1;
    return &split.frame->function->code[pc];
  }
  return nullptr;
}

std::string Warp::describeState() const {
  std::string text;
  auto append = [&](const std::string &part) {
    text += (text.empty() ? "" : "; ") + part;
  };
  if (exited_)
    append(exited_ == lanes_ ? "has exited"
                             : "lanes " + laneText(exited_) + " have exited");
  for (const Split &split : splits_) {
    uint32_t pc = split.state == Split::Ready ? split.pc : split.pc - 1;
    const Instruction &inst = split.frame->function->code[pc];
    std::string what = "lanes " + laneText(split.lanes) + " at line " +
                       std::to_string(inst.line) + " (" +
                       launch_.program->locate(inst).instruction + ")";
    if (split.state == Split::AtBarrier)
      what += " wait at " + cta_.barriers().describe(split.barrier);
    else if (split.state == Split::AtWarpSync)
      what += " wait for lanes " + laneText(split.awaited & ~split.executing);
    else if (split.state == Split::AtWarpgroup)
      what += " wait for " + cta_.warpgroups().describe(*this);
    if (split.state == Split::Ready && inst.has(Mod::cluster) &&
        inst.has(Mod::wait))
      what += " wait for " + cta_.cluster().describeMissing();
    for (const MBarrierWait &wait : mbarrierWaits_)
      if (wait.lanes & split.lanes)
        what += " wait for " + cta_.mbarriers().describe(
                                   *this, wait.offset,
                                   __builtin_ctz(wait.lanes & split.lanes));
    append(what);
  }
  for (const auto &meeting : meetings_)
    if (meeting->arrived)
      append("lanes " + laneText(meeting->arrived) + " wait for lanes " +
             laneText(meeting->expected & ~meeting->arrived & ~exited_) +
             " before line " +
             std::to_string(meeting->frame->function->code[meeting->pc].line));
  return text;
}

} // namespace qcc::emu
