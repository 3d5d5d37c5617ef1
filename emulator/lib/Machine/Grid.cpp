//===- Grid.cpp - All CTAs of a launch ------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Grid.h"
#include <cassert>

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

/// CTAs that take turns.
class Grid::Residents {
public:
  Residents(Launch &launch, CounterSet &counters)
      : launch_(launch), counters_(counters), together_(launch),
        random_(launch.options.seed, 0),
        isFixed_(launch.options.residentCtas > 0) {
    constexpr int64_t first = 64;
    limit_ = isFixed_ ? launch.options.residentCtas
                      : std::min(first, launch.ctasOfChip);
  }

  void run() {
    while (!isKilled_) {
      start();
      if (working_.empty() && waiting_.empty())
        break;
      together_.progress.isQuiet = working_.empty();
      bool takesWaiting =
          working_.empty() ||
          (!waiting_.empty() && random_.below(turnsOfOthers) == 0);
      takeTurn(takesWaiting ? waiting_ : working_);
      if (!isKilled_ && working_.empty() && !waiting_.empty())
        resolveWait();
    }
    for (List *list : {&working_, &waiting_})
      for (auto &cta : *list)
        logs_.push_back({cta->number(), std::move(cta->log())});
  }

  /// In the order of CTAs, whenever they ended.
  std::vector<std::pair<int64_t, ReportLog>> takeLogs() {
    std::sort(logs_.begin(), logs_.end(),
              [](auto &a, auto &b) { return a.first < b.first; });
    return std::move(logs_);
  }
  const TogetherState &together() const { return together_; }

private:
  using List = std::vector<std::unique_ptr<Cta>>;
  /// One turn in so many is of a waiting CTA, whose wait may be over.
  static constexpr uint32_t turnsOfOthers = 32;

  int64_t running() const { return int64_t(working_.size() + waiting_.size()); }

  /// CTAs that have not started may be those that others wait for.
  void start() {
    constexpr int64_t patience = 64;
    bool isLong = ++turns_ > patience * limit_;
    if (!isFixed_ && (isLong || working_.empty()) && running() >= limit_) {
      turns_ = 0;
      limit_ = std::min(limit_ + 1, launch_.ctasOfChip);
    }
    // Clusters start as a whole.
    int of = launch_.clusterCtas();
    while (next_ < launch_.ctas &&
           (running() + of <= limit_ || (of > 1 && running() == 0))) {
      auto cluster = std::make_shared<Cluster>();
      for (int i = 0; i < of; ++i, ++next_)
        working_.push_back(
            std::make_unique<Cta>(launch_, launch_.ctaInOrder(next_), counters_,
                                  random_, &together_, cluster));
    }
  }

  void takeTurn(List &list) {
    assert(!list.empty() && "a turn of no CTA");
    uint32_t chosen = random_.below(static_cast<uint32_t>(list.size()));
    Cta &cta = *list[chosen];
    if (!cta.step()) {
      end(cta);
      cta.cluster().noteEnd();
      if (launch_.clusterCtas() > 1)
        ended_.push_back(std::move(list[chosen]));
      list.erase(list.begin() + chosen);
      dropEndedClusters();
      return;
    }
    List &now = cta.waits() ? waiting_ : working_;
    if (&now == &list)
      return;
    now.push_back(std::move(list[chosen]));
    list.erase(list.begin() + chosen);
  }

  void end(Cta &cta) {
    turns_ = 0;
    isKilled_ = cta.isKilled();
    if (isKilled_ && next_ < launch_.ctas)
      cta.noteCtasNotStarted(launch_.ctas - next_, limit_);
    logs_.push_back({cta.number(), std::move(cta.log())});
  }

  /// CTAs of a cluster name each other until all have ended.
  void dropEndedClusters() {
    auto isOver = [](const std::unique_ptr<Cta> &cta) {
      return cta->cluster().isOver();
    };
    ended_.erase(std::remove_if(ended_.begin(), ended_.end(), isOver),
                 ended_.end());
  }

  /// All wait: once nobody else can start, for each other.
  void resolveWait() {
    if (next_ < launch_.ctas && running() < launch_.ctasOfChip && !isFixed_)
      return;
    constexpr int64_t turnsOfEach = 16;
    if (++quietTurns_ < turnsOfEach * running())
      return;
    quietTurns_ = 0;
    std::vector<Cta *> ctas;
    for (auto &cta : waiting_)
      ctas.push_back(cta.get());
    std::sort(ctas.begin(), ctas.end(), [](const Cta *a, const Cta *b) {
      return a->number() < b->number();
    });
    if (Cta::resolveWait(ctas) != Cta::Wait::Endless)
      return;
    isKilled_ = true;
    if (next_ < launch_.ctas)
      ctas.front()->noteCtasNotStarted(launch_.ctas - next_, limit_);
  }

  Launch &launch_;
  CounterSet &counters_;
  TogetherState together_;
  Random random_;
  const bool isFixed_;
  std::vector<std::pair<int64_t, ReportLog>> logs_;
  List working_, waiting_;
  List ended_; ///< CTAs whose clusters go on.
  int64_t next_ = 0, limit_ = 0, turns_ = 0, quietTurns_ = 0;
  bool isKilled_ = false;
};

void Grid::runTogether() {
  FloatEnvironment environment;
  Residents residents(launch_, counters_);
  residents.run();
  for (auto [address, operations] : residents.together().atomics)
    counters_.hottestAtomic = std::max(counters_.hottestAtomic, operations);
  for (auto &[number, log] : residents.takeLogs())
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
  // Nobody else changes its memory.
  while (cta->step()) {
    cta->progress().isQuiet = cta->waits();
    if (cta->waits() && Cta::resolveWait({cta.get()}) == Cta::Wait::Endless)
      break;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  Outcome &outcome = outcomes_[number];
  assert(!outcome.isDone && "a CTA runs once");
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
