//===- Interleaved.cpp - Interleaved measurements -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Interleaved.h"
#include <algorithm>
#include <fstream>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

using namespace qcc;
using namespace qcc::tools;

/// A batch is long against the clock's resolution, a turn long enough for a
/// median of several batches, even of slow calls.
static constexpr double kBatchSeconds = 200e-6, kTurnSeconds = 4e-3;
static constexpr int kMinBatches = 3;
/// Calls that take longer are a batch each, whatever a stall adds.
static constexpr double kSlowSeconds = 0.1;

static double now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

/// How often the kernel has taken the CPU away from this thread.
static int64_t interruptions() {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/// Seconds of a batch.
static double timeBatch(TimedRun &candidate) {
  int64_t interruptionsBefore = interruptions();
  double cpu = now(CLOCK_THREAD_CPUTIME_ID);
  double wall = now(CLOCK_MONOTONIC);
  candidate.run(candidate.callsPerBatch);
  wall = now(CLOCK_MONOTONIC) - wall;
  cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
  ++candidate.batches;
  if (interruptions() == interruptionsBefore)
    return wall;
  ++candidate.interrupted;
  return candidate.oneThread ? cpu : wall;
}

/// Seconds that the CPUs have been idle since the system started, all added up;
/// negative where /proc/stat does not say.
static double idleSeconds() {
  std::ifstream stat("/proc/stat");
  std::string cpu;
  double user, nice, system, idle, waiting;
  if (!(stat >> cpu >> user >> nice >> system >> idle >> waiting))
    return -1;
  return (idle + waiting) / double(sysconf(_SC_CLK_TCK));
}

/// CPU time of this process and of the children that have ended.
static double ownSeconds() {
  rusage children;
  getrusage(RUSAGE_CHILDREN, &children);
  auto seconds = [](const timeval &time) {
    return double(time.tv_sec) + double(time.tv_usec) * 1e-6;
  };
  return now(CLOCK_PROCESS_CPUTIME_ID) + seconds(children.ru_utime) +
         seconds(children.ru_stime);
}

OtherProcesses::OtherProcesses()
    : idle(idleSeconds()), wall(now(CLOCK_MONOTONIC)), own(ownSeconds()) {}

std::optional<double> OtherProcesses::share() const {
  double idleNow = idleSeconds();
  double all =
      (now(CLOCK_MONOTONIC) - wall) * double(sysconf(_SC_NPROCESSORS_ONLN));
  if (idle < 0 || idleNow < 0 || all <= 0)
    return std::nullopt;
  double ours = ownSeconds() - own;
  return std::clamp((all - (idleNow - idle) - ours) / all, 0.0, 1.0);
}

double tools::medianOf(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle]
                           : (values[middle - 1] + values[middle]) / 2;
}

double TimedRun::median() const { return medianOf(seconds); }

/// Seconds of the fastest of a few batches: a stall of the host ends one batch
/// late, seldom all of them.
static double timeFastestBatch(TimedRun &candidate) {
  double seconds = timeBatch(candidate);
  for (int repetition = 1; repetition < kMinBatches; ++repetition)
    seconds = std::min(seconds, timeBatch(candidate));
  return seconds;
}

double tools::calibrate(TimedRun &candidate) {
  if (candidate.enter)
    candidate.enter();
  candidate.callsPerBatch = 1;
  timeBatch(candidate); // First calls plan, allocate and touch memory.
  double seconds = timeBatch(candidate);
  constexpr int64_t kMaxCalls = 1 << 24;
  if (seconds < kSlowSeconds)
    seconds = std::min(seconds, timeFastestBatch(candidate));
  while (seconds < kBatchSeconds / 2 && candidate.callsPerBatch < kMaxCalls) {
    candidate.callsPerBatch *= 2;
    seconds = timeFastestBatch(candidate);
  }
  double call = std::max(seconds, 1e-9) / double(candidate.callsPerBatch);
  candidate.callsPerBatch =
      std::max<int64_t>(1, int64_t(kBatchSeconds / call + 0.5));
  if (candidate.leave)
    candidate.leave();
  candidate.batches = candidate.interrupted = 0;
  return call;
}

static double turn(TimedRun &candidate) {
  if (candidate.enter)
    candidate.enter();
  candidate.run(candidate.callsPerBatch);
  std::vector<double> batches;
  double total = 0;
  while (batches.size() < kMinBatches || total < kTurnSeconds) {
    batches.push_back(timeBatch(candidate));
    total += batches.back();
  }
  if (candidate.leave)
    candidate.leave();
  return medianOf(std::move(batches)) / double(candidate.callsPerBatch);
}

void tools::measure(std::vector<TimedRun *> candidates, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    // Back and forth: nobody always comes after the same neighbour.
    std::reverse(candidates.begin(), candidates.end());
    for (TimedRun *candidate : candidates)
      candidate->seconds.push_back(turn(*candidate));
  }
}
