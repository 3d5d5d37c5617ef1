//===- Cta.cpp - A block of threads ---------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Cta.h"

#include "Machine/AddressSpace.h"

#include <algorithm>

namespace qcc::emu {

/// Instructions of a turn, at most.
constexpr uint32_t maxTurn = 32;

static uint32_t rankOf(const Launch &launch, int64_t number) {
  Dim3 at = launch.ctaAt(number);
  const Dim3 &cluster = launch.cluster;
  return static_cast<uint32_t>(
      (at.z % cluster.z * cluster.y + at.y % cluster.y) * cluster.x +
      at.x % cluster.x);
}

Cta::Cta(const Launch &launch, int64_t number, CounterSet &counters,
         Random &random, TogetherState *together,
         std::shared_ptr<Cluster> cluster)
    : launch_(launch), number_(number),
      cluster_(cluster ? std::move(cluster) : std::make_shared<Cluster>()),
      rank_(rankOf(launch, number)), counters_(counters), random_(random),
      log_(launch.options.ignored),
      progress_(together ? together->progress : ownProgress_),
      memory_(*this, together), barriers_(*this), mbarriers_(*this),
      warpgroups_(*this) {
  for (int i = 0; i < launch.warpsPerCta; ++i)
    warps_.push_back(std::make_unique<Warp>(*this, i));
  cluster_->join(*this);
}

bool Cta::isFinished() const {
  return std::all_of(warps_.begin(), warps_.end(),
                     [](const auto &warp) { return warp->isFinished(); });
}

Cta *Cta::ownerOfShared(uint64_t &offset) {
  if (!namesRank(offset))
    return this;
  Cta *owner = cluster_->ctaOfRank(rankOfShared(offset));
  if (!owner || owner->isFinished())
    return nullptr;
  offset %= windowBytes;
  return owner;
}

int64_t Cta::executed() const {
  int64_t sum = 0;
  for (const auto &warp : warps_)
    sum += warp->executed();
  return sum;
}

/// A warp that can go on: one that works, if there is any; or null.
Warp *Cta::chooseWarp() {
  working_.clear();
  waiting_.clear();
  for (auto &warp : warps_)
    switch (warp->activity()) {
    case Warp::Activity::Blocked:
      break;
    case Warp::Activity::Waits:
      waiting_.push_back(warp.get());
      break;
    case Warp::Activity::Works:
      working_.push_back(warp.get());
      break;
    }
  waits_ = working_.empty() && !waiting_.empty();
  // Waiting warps get a turn now and then: their wait may be over.
  constexpr uint32_t turnsOfOthers = 16;
  bool takesWaiting = working_.empty() ||
                      (!waiting_.empty() && random_.below(turnsOfOthers) == 0);
  const std::vector<Warp *> &warps = takesWaiting ? waiting_ : working_;
  return warps.empty()
             ? nullptr
             : warps[random_.below(static_cast<uint32_t>(warps.size()))];
}

bool Cta::step() {
  bool isFinished = this->isFinished();
  if (isFinished && !isKilled_)
    memory_.finishAtExit();
  if (isFinished || isKilled_)
    return false;
  Warp *chosen = chooseWarp();
  if ((!chosen || waits_) && memory_.finishWhatIsLate())
    return true;
  if (!chosen) {
    bool isReleased = false;
    for (auto &warp : warps_)
      isReleased |= warp->releaseStuck();
    if (isReleased)
      return true;
    reportDeadlock();
    kill();
    return false;
  }
  memory_.advanceCopies();
  if (!warpgroups_.isIdle())
    warpgroups_.advance();
  chosen->run(static_cast<int>(1 + random_.below(maxTurn)));
  if (executed() > launch_.options.maxInstructions && !isKilled_) {
    reportLimit();
    kill();
  }
  return !isKilled_;
}

Warp::Patience Cta::patience() const {
  Warp::Patience patience = Warp::Patience::Never;
  bool isReady = false;
  for (const auto &warp : warps_)
    if (warp->isReady()) {
      patience = std::min(patience, warp->patience());
      isReady = true;
    }
  return isReady ? patience : Warp::Patience::Left;
}

Cta::Wait Cta::resolveWait(const std::vector<Cta *> &ctas) {
  Warp::Patience patience = Warp::Patience::Never;
  for (const Cta *cta : ctas)
    patience = std::min(patience, cta->patience());
  if (patience == Warp::Patience::Left)
    return Wait::Goes;
  bool isReleased = false;
  for (Cta *cta : ctas)
    for (auto &warp : cta->warps_)
      isReleased |= warp->releaseMeetings();
  if (isReleased)
    return Wait::Ends;
  if (patience == Warp::Patience::Lost)
    return Wait::Goes;
  ctas.front()->reportEndlessWait();
  ctas.front()->kill();
  return Wait::Endless;
}

void Cta::kill() {
  isKilled_ = true;
  for (auto &warp : warps_)
    warp->kill();
}

/// The first warp that can go on, or else has not finished, says where.
Report *Cta::reportEnd(ReportKind kind) {
  const Warp *stuck = nullptr;
  for (const auto &warp : warps_)
    if (!warp->isFinished() &&
        (!stuck || (warp->isReady() && !stuck->isReady())))
      stuck = warp.get();
  const Instruction *inst = stuck ? stuck->place() : nullptr;
  Report *report = log_.add(kind, inst ? inst->site : 0);
  if (!report)
    return nullptr;
  report->kernel = launch_.kernel->functionName;
  if (inst)
    report->location = launch_.program->locate(*inst);
  report->cta = launch_.ctaAt(number_);
  for (const auto &warp : warps_)
    report->notes.push_back("warp " + std::to_string(warp->index()) + ": " +
                            warp->describeState());
  return report;
}

void Cta::noteCtasNotStarted(int64_t ctas, int64_t running) {
  std::string note = "CTAs that have not started: " + std::to_string(ctas) +
                     "; " + std::to_string(running) + " run at once, ";
  if (launch_.options.residentCtas > 0)
    note += "as the launch asks";
  else if (running < launch_.ctasOfChip)
    note += "and more as they wait; the chip holds " +
            std::to_string(launch_.ctasOfChip);
  else
    note += "as many as the chip holds";
  for (ReportKind kind : {ReportKind::Limit, ReportKind::Deadlock})
    log_.addNote(kind, note);
}

void Cta::reportDeadlock() {
  if (Report *report = reportEnd(ReportKind::Deadlock))
    report->message = "no warp of the CTA can go on";
}

void Cta::reportEndlessWait() {
  if (Report *report = reportEnd(ReportKind::Deadlock))
    report->message =
        "all that can go on waits in loops, for memory that nobody changes";
}

void Cta::reportLimit() {
  if (Report *report = reportEnd(ReportKind::Limit))
    report->message =
        "the CTA has not ended after " +
        std::to_string(launch_.options.maxInstructions) +
        " warp instructions; it may wait for something that never happens";
}

} // namespace qcc::emu
