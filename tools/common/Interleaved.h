//===- Interleaved.h - Interleaved measurements -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates take turns, round by round: what changes during a run (frequency,
// neighbours) hits all of them alike, and ratios are taken within a round. A
// turn is a batch of calls to warm up, then batches that are timed; its result
// is the time of a call in the median batch.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_INTERLEAVED_H
#define QCC_TOOLS_COMMON_INTERLEAVED_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace qcc::tools {

struct TimedRun {
  std::string name;
  /// Makes that many calls.
  std::function<void(int64_t)> run;
  /// Done before and after a turn, untimed.
  std::function<void()> enter, leave;
  /// Whether it keeps to the calling thread. Then a batch during which the
  /// kernel took the CPU away counts with its CPU time.
  bool oneThread = true;

  int64_t callsPerBatch = 0;   ///< Found by calibrate().
  std::vector<double> seconds; ///< Of a call, for each round.
  int64_t batches = 0, interrupted = 0;

  double median() const;
};

/// The share of this machine's CPUs that other processes use while this object
/// lives.
class OtherProcesses {
public:
  OtherProcesses();
  /// So far, 0 to 1; nothing where the kernel does not say.
  std::optional<double> share() const;

private:
  double idle, wall, own;
};

double medianOf(std::vector<double> values);

/// Chooses how many calls make a batch; returns about the seconds of a call.
double calibrate(TimedRun &candidate);

/// One turn of each, `rounds` times.
void measure(std::vector<TimedRun *> candidates, int rounds);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_INTERLEAVED_H
