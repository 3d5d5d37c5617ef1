//===- Grid.cpp - All CTAs of a launch ------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Grid.h"

#include "Machine/Cta.h"

#include <algorithm>
#include <cfenv>

namespace qcc::emu {

namespace {
/// Arithmetic on host floats rounds to nearest and keeps subnormals, whatever
/// the thread's owner has set.
class FloatEnvironment {
public:
  FloatEnvironment() {
    fegetenv(&saved_);
    fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { fesetenv(&saved_); }
  FloatEnvironment(const FloatEnvironment &) = delete;
  FloatEnvironment &operator=(const FloatEnvironment &) = delete;

private:
  fenv_t saved_;
};
} // namespace

Grid::Grid(Launch &launch)
    : launch_(launch), counters_(*launch.program), last_(launch.ctas - 1) {}

Grid::~Grid() = default;

void Grid::run(rt::ThreadPool &pool, int threads) {
  if (launch_.isTogether)
    runTogether();
  else
    runAlone(pool, threads);
}

//===----------------------------------------------------------------------===//
// CTAs that run together
//===----------------------------------------------------------------------===//

void Grid::runTogether() {
  FloatEnvironment environment;
  TogetherState together(static_cast<uint32_t>(launch_.warpsPerCta));
  Random random(launch_.options.seed, 0);
  // In the order of CTAs, whenever they end.
  std::vector<std::pair<int64_t, ReportLog>> logs;
  std::vector<std::unique_ptr<Cta>> residents;
  bool isKilled = false;
  int64_t next = 0;
  // A CTA may wait for one that has not started: when no CTA has ended for so
  // many turns of each, another one starts, if the chip has room.
  constexpr int64_t firstResidents = 64, patience = 64;
  const bool isFixed = launch_.options.residentCtas > 0;
  int64_t limit = isFixed ? launch_.options.residentCtas
                          : std::min(firstResidents, launch_.ctasOfChip);
  int64_t turns = 0;
  while (!isKilled) {
    if (!isFixed && ++turns > patience * limit) {
      turns = 0;
      limit = std::min(limit + 1, launch_.ctasOfChip);
    }
    while (next < launch_.ctas && int64_t(residents.size()) < limit)
      residents.push_back(
          std::make_unique<Cta>(launch_, next++, counters_, random, &together));
    if (residents.empty())
      break;
    uint32_t chosen = random.below(static_cast<uint32_t>(residents.size()));
    Cta &cta = *residents[chosen];
    if (cta.step())
      continue;
    turns = 0;
    isKilled = cta.isKilled();
    if (isKilled && next < launch_.ctas)
      cta.noteCtasNotStarted(launch_.ctas - next, limit);
    logs.push_back({cta.number(), std::move(cta.log())});
    residents.erase(residents.begin() + chosen);
  }
  for (auto [address, operations] : together.atomics)
    counters_.hottestAtomic = std::max(counters_.hottestAtomic, operations);
  for (auto &cta : residents)
    logs.push_back({cta->number(), std::move(cta->log())});
  std::sort(logs.begin(), logs.end(),
            [](auto &a, auto &b) { return a.first < b.first; });
  for (auto &[number, log] : logs)
    log_.append(std::move(log));
}

//===----------------------------------------------------------------------===//
// CTAs on their own
//===----------------------------------------------------------------------===//

void Grid::runAlone(rt::ThreadPool &pool, int threads) {
  outcomes_.resize(launch_.ctas);
  threads = static_cast<int>(std::min<int64_t>(threads, launch_.ctas));
  // Finished CTAs wait to be compared in order; they must not pile up.
  const int64_t ahead = 8 * threads;
  pool.run(threads, [&](int, int) {
    FloatEnvironment environment;
    while (true) {
      int64_t number = next_.fetch_add(1);
      if (number > last_.load())
        return;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        collectedMore_.wait(lock, [&] {
          return number < collected_ + ahead || number > last_.load();
        });
      }
      if (number > last_.load())
        return;
      runOne(number);
    }
  });
  for (int64_t i = 0; i <= last_.load(); ++i)
    outcomes_[i].overlay.commit(*launch_.memory);
}

void Grid::runOne(int64_t number) {
  auto counters = std::make_unique<CounterSet>(*launch_.program);
  auto random = std::make_unique<Random>(launch_.options.seed,
                                         static_cast<uint64_t>(number));
  auto cta =
      std::make_unique<Cta>(launch_, number, *counters, *random, nullptr);
  while (cta->step()) {
  }
  std::lock_guard<std::mutex> lock(mutex_);
  Outcome &outcome = outcomes_[number];
  outcome.isKilled = cta->isKilled();
  outcome.overlay = cta->memory().takeOverlay();
  outcome.counters = std::move(counters);
  outcome.random = std::move(random);
  outcome.cta = std::move(cta);
  outcome.isDone = true;
  if (outcome.isKilled)
    last_.store(std::min(last_.load(), number));
  collect();
}

void Grid::collect() {
  while (collected_ <= last_.load() && outcomes_[collected_].isDone) {
    Outcome &outcome = outcomes_[collected_];
    counters_.add(*outcome.counters);
    if (launch_.checks())
      compare(collected_, outcome);
    log_.append(std::move(outcome.cta->log()));
    outcome.cta.reset();
    outcome.counters.reset();
    ++collected_;
  }
  collectedMore_.notify_all();
}

/// Finds what the CTA touched of the writes of those before it, or wrote of
/// what they touched.
void Grid::compare(int64_t number, Outcome &outcome) {
  Cta &cta = *outcome.cta;
  crossCta_.merge(
      static_cast<uint32_t>(number), cta.memory().globalShadow(),
      [&](const CrossCtaShadow::Race &race) {
        const Program &program = *launch_.program;
        const Instruction &inst = program.instructionAt(race.current.site);
        Warp &warp = *cta.warps()[race.current.agent];
        Report *report = warp.report(ReportKind::Race, inst,
                                     __builtin_ctz(race.current.lanes));
        if (!report)
          return;
        const Instruction &other = program.instructionAt(race.other.site);
        Dim3 otherCta = launch_.ctaAt(race.other.cta);
        report->space = StateSpace::Global;
        report->address = race.address;
        report->allocation = launch_.memory->nearestName(race.address);
        report->message =
            std::string(race.currentIsWrite ? "a write" : "a read") + " of " +
            std::to_string(race.bytes) + " bytes at " + hexText(race.address) +
            " of global memory, which nothing orders "
            "with " +
            (race.otherIsWrite ? "a write" : "a read") + " by another CTA";
        report->notes.push_back(
            "the other was made at line " + std::to_string(other.line) + " (" +
            program.locate(other).instruction + ") by CTA (" +
            std::to_string(otherCta.x) + "," + std::to_string(otherCta.y) +
            "," + std::to_string(otherCta.z) + ")");
      });
}

} // namespace qcc::emu
