//===- Cta.cpp - A block of threads ---------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Cta.h"

namespace qcc::emu {

/// Instructions of a turn, at most.
constexpr uint32_t maxTurn = 32;

Cta::Cta(const Launch &launch, int64_t number, CounterSet &counters,
         Random &random, TogetherState *together)
    : launch_(launch), number_(number), counters_(counters), random_(random),
      log_(launch.options.ignored), memory_(*this, together), barriers_(*this) {
  for (int i = 0; i < launch.warpsPerCta; ++i)
    warps_.push_back(std::make_unique<Warp>(*this, i));
}

int64_t Cta::executed() const {
  int64_t sum = 0;
  for (const auto &warp : warps_)
    sum += warp->executed();
  return sum;
}

bool Cta::step() {
  ready_.clear();
  bool isFinished = true;
  for (size_t i = 0; i < warps_.size(); ++i) {
    isFinished &= warps_[i]->isFinished();
    if (warps_[i]->isReady())
      ready_.push_back(static_cast<int>(i));
  }
  if (isFinished || isKilled_)
    return false;
  if (ready_.empty()) {
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
  int chosen = ready_[random_.below(static_cast<uint32_t>(ready_.size()))];
  warps_[chosen]->run(static_cast<int>(1 + random_.below(maxTurn)));
  if (executed() > launch_.options.maxInstructions && !isKilled_) {
    reportLimit();
    kill();
  }
  return !isKilled_;
}

void Cta::kill() {
  isKilled_ = true;
  for (auto &warp : warps_)
    warp->kill();
}

/// The first warp that has not finished says where.
Report *Cta::reportEnd(ReportKind kind) {
  const Warp *stuck = nullptr;
  for (const auto &warp : warps_)
    if (!stuck && !warp->isFinished())
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

void Cta::noteCtasNotStarted(int64_t ctas, int64_t resident) {
  log_.addNote(ReportKind::Limit,
               "CTAs that have not started: " + std::to_string(ctas) + "; " +
                   std::to_string(resident) +
                   " run at once, as many as the chip holds or the launch "
                   "allows");
}

void Cta::reportDeadlock() {
  if (Report *report = reportEnd(ReportKind::Deadlock))
    report->message = "no warp of the CTA can go on";
}

void Cta::reportLimit() {
  if (Report *report = reportEnd(ReportKind::Limit))
    report->message =
        "the CTA has not ended after " +
        std::to_string(launch_.options.maxInstructions) +
        " warp instructions; it may wait for something that never happens";
}

} // namespace qcc::emu
