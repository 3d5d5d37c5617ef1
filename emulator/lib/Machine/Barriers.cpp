//===- Barriers.cpp - The barriers of a CTA -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Barriers.h"
#include <cassert>

#include "Machine/Cta.h"

namespace qcc::emu {

static std::string reductionName(Barriers::Reduction reduction) {
  switch (reduction) {
  case Barriers::Reduction::None:
    return "without a reduction";
  case Barriers::Reduction::Popc:
    return "with .red.popc";
  case Barriers::Reduction::And:
    return "with .red.and";
  case Barriers::Reduction::Or:
    return "with .red.or";
  }
  return "in an unknown way";
}

/// What is wrong with an arrival by itself.
bool Barriers::check(Warp &warp, const Arrival &arrival, int expected) {
  auto misuse = [&](const std::string &message) {
    if (Report *report = warp.report(ReportKind::BarrierMisuse, *arrival.inst,
                                     __builtin_ctz(arrival.mask)))
      report->message = message;
    return false;
  };
  if (arrival.barrier < 0 || arrival.barrier >= count)
    return misuse("barrier " + std::to_string(arrival.barrier) +
                  "; a CTA has barriers 0 to 15");
  int all = 32 * cta_.launch().warpsPerCta;
  if (arrival.threads < 0 || arrival.threads % 32 != 0)
    return misuse("a barrier for " + std::to_string(arrival.threads) +
                  " threads, which is no multiple of 32");
  if (expected > all)
    return misuse("a barrier for " + std::to_string(expected) +
                  " threads in a CTA of " +
                  std::to_string(cta_.launch().threadsPerCta));
  if (!arrival.waits && arrival.threads == 0)
    return misuse("bar.arrive without a number of threads");
  const Barrier &barrier = barriers_[arrival.barrier];
  if (barrier.expected != 0 && barrier.expected != expected)
    return misuse("barrier " + std::to_string(arrival.barrier) + " for " +
                  std::to_string(expected) +
                  " threads, while others use it "
                  "for " +
                  std::to_string(barrier.expected));
  if (barrier.expected != 0 && barrier.reduction != arrival.reduction)
    return misuse("barrier " + std::to_string(arrival.barrier) + " " +
                  reductionName(arrival.reduction) + ", while others use it " +
                  reductionName(barrier.reduction));
  return true;
}

/// Reports an arrival that the last use of the barrier might have counted.
void Barriers::checkOrder(Warp &warp, const Arrival &arrival) {
  const std::vector<Participant> &last = last_[arrival.barrier];
  for (const Participant &other : last)
    if (other.waited && other.warp == warp.index() &&
        (arrival.mask & ~other.lanes) == 0)
      return; // It knows of all others.
  for (const Participant &other : last) {
    uint32_t agent = cta_.warps()[other.warp]->clock().agent();
    if (other.warp == warp.index() ||
        warp.clock().isOrdered(agent, other.clock, other.lanes, arrival.mask))
      continue;
    if (Report *report = warp.report(ReportKind::BarrierMisuse, *arrival.inst,
                                     __builtin_ctz(arrival.mask)))
      report->message = "barrier " + std::to_string(arrival.barrier) +
                        " is used again, and nothing orders this arrival after "
                        "its last use: warp " +
                        std::to_string(other.warp) +
                        ", which came then, may as well meet this one";
    return;
  }
}

/// Reports an aligned barrier for all threads that goes on without some that
/// have taken part in it before and exited.
void Barriers::checkExited(int number, const Barrier &done) {
  const Participant *aligned = nullptr;
  for (const Participant &participant : done.participants)
    if (participant.isAligned && !aligned)
      aligned = &participant;
  if (!done.isForAll || !aligned)
    return;
  std::array<uint32_t, 32> &before = alignedBefore_[number];
  int missed = 0;
  const Warp *first = nullptr;
  for (const auto &warp : cta_.warps()) {
    uint32_t gone = before[warp->index()] & warp->exited();
    missed += __builtin_popcount(gone);
    if (gone && !first)
      first = warp.get();
  }
  for (const Participant &participant : done.participants)
    if (participant.isAligned)
      before[participant.warp] |= participant.came;
  if (!first)
    return;
  Warp &warp = *cta_.warps()[aligned->warp];
  Report *report = warp.report(ReportKind::BarrierDivergence, *aligned->inst,
                               __builtin_ctz(aligned->came));
  if (!report)
    return;
  report->message =
      "it goes on without " + std::to_string(missed) +
      (missed == 1 ? " thread" : " threads") + " that took part in barrier " +
      std::to_string(number) +
      " before and exited; all threads of the CTA must execute it alike";
  report->notes.push_back(
      "the first of them: warp " + std::to_string(first->index()) + ", lane " +
      std::to_string(__builtin_ctz(before[first->index()] & first->exited())));
}

int Barriers::threadsLeft() const {
  int threads = 0;
  for (const auto &warp : cta_.warps())
    if (warp->lanes() & ~warp->exited())
      threads += 32;
  return threads;
}

void Barriers::noteExit() {
  for (int number = 0; number < count; ++number) {
    Barrier &barrier = barriers_[number];
    if (barrier.expected == 0 || !barrier.isForAll)
      continue;
    barrier.expected = threadsLeft();
    if (barrier.arrived >= barrier.expected)
      complete(number);
  }
}

void Barriers::arrive(Warp &warp, const Arrival &arrival) {
  assert(arrival.mask != 0 && "lanes arrive");
  int expected = arrival.threads ? arrival.threads : threadsLeft();
  if (!check(warp, arrival, expected))
    return;
  if (cta_.launch().checks())
    checkOrder(warp, arrival);

  // An aligned barrier is for whole warps, whoever has come of this one.
  int threads = 32;
  if (!arrival.isAligned) {
    // Lanes without a thread come with the first ones.
    uint32_t absent = ~warp.lanes();
    threads = __builtin_popcount(arrival.mask);
    if (arrival.mask & (warp.lanes() & (0 - warp.lanes())))
      threads += __builtin_popcount(absent);
  }

  Barrier &barrier = barriers_[arrival.barrier];
  barrier.expected = expected;
  barrier.isForAll = arrival.threads == 0;
  barrier.arrived += threads;
  barrier.reduction = arrival.reduction;
  if (arrival.reduction != Reduction::None) {
    barrier.trues += __builtin_popcount(arrival.predicates & arrival.mask);
    barrier.threads += __builtin_popcount(arrival.mask);
  }
  warp.noteOwnChange();
  uint32_t present = warp.lanes() & ~warp.exited();
  barrier.participants.push_back(
      {warp.index(), arrival.isAligned ? warp.lanes() : arrival.mask,
       arrival.mask, warp.clock().now(), arrival.inst, arrival.waits,
       arrival.isAligned});
  warp.clock().release(barrier.published,
                       arrival.isAligned ? present : arrival.mask, present);
  if (arrival.waits) {
    barrier.waiting[warp.index()] |= arrival.mask;
    warp.waitAtBarrier(arrival.barrier, arrival.mask);
  }
  if (barrier.arrived >= barrier.expected)
    complete(arrival.barrier);
}

void Barriers::complete(int number) {
  assert(number >= 0 && number < count && "no barrier");
  Barrier done = std::move(barriers_[number]);
  barriers_[number] = Barrier();
  if (cta_.launch().checks())
    checkExited(number, done);
  last_[number] = std::move(done.participants);
  uint32_t result = 0;
  switch (done.reduction) {
  case Reduction::None:
    break;
  case Reduction::Popc:
    result = done.trues;
    break;
  case Reduction::And:
    result = done.trues == done.threads ? ~0u : 0;
    break;
  case Reduction::Or:
    result = done.trues != 0 ? ~0u : 0;
    break;
  }
  ++cta_.counters().barriers;
  bool isBarren = cta_.progress().changes == changesBefore_;
  changesBefore_ = cta_.progress().changes;
  for (auto &warp : cta_.warps())
    if (done.waiting[warp->index()]) {
      if (isBarren)
        warp->noteBarrenBarrier(number);
      warp->clock().acquire(done.published, done.waiting[warp->index()],
                            warp->lanes() & ~warp->exited());
      warp->leaveBarrier(number, result);
    }
}

std::string Barriers::describe(int number) const {
  const Barrier &barrier = barriers_[number];
  return "barrier " + std::to_string(number) + ", which " +
         std::to_string(barrier.arrived) + " of " +
         std::to_string(barrier.expected) + " threads have reached";
}

} // namespace qcc::emu
