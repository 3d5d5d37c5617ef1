//===- Barriers.cpp - The barriers of a CTA -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Barriers.h"

#include "Machine/Cta.h"

namespace qcc::emu {

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
  return true;
}

void Barriers::arrive(Warp &warp, const Arrival &arrival) {
  int expected =
      arrival.threads ? arrival.threads : 32 * cta_.launch().warpsPerCta;
  if (!check(warp, arrival, expected))
    return;

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
  barrier.arrived += threads;
  if (arrival.reduction != Reduction::None) {
    barrier.reduction = arrival.reduction;
    barrier.trues += __builtin_popcount(arrival.predicates & arrival.mask);
    barrier.threads += __builtin_popcount(arrival.mask);
  }
  uint32_t present = warp.lanes() & ~warp.exited();
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
  Barrier done = std::move(barriers_[number]);
  barriers_[number] = Barrier();
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
  for (auto &warp : cta_.warps())
    if (done.waiting[warp->index()]) {
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
