//===- Measure.h - Time of runs and of their steps --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs for some time, at least five of them, after some to warm up. What is
// reported of a step or of the whole is the median.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_MEASURE_H
#define QCC_TOOLS_COMMON_MEASURE_H

#include "common/Execution.h"
#include "qcc/Support/Json.h"

#include <optional>

namespace qcc::tools {

struct MeasureOptions {
  unsigned warmUps = 2; ///< runs before those that are measured
  /// What the runs that are measured take in all; nothing: 1, of 10,000 runs at
  /// most.
  std::optional<double> seconds;
};

struct StepTime {
  double seconds = 0; ///< the median
  double share = 0;   ///< of the median of runs; those of all steps are <= 1
  int64_t operations = 0;
  int64_t bytes = 0;
};

/// One of the first runs, for a trace.
struct TracedRun {
  double start = 0, seconds = 0; ///< from the start of the first run
  std::vector<int64_t> stepNanoseconds;
  std::vector<rt::StepSpan> stepSpans; ///< as Context::stepSpans
};

struct Measurement {
  size_t runs = 0;
  double median = 0, p10 = 0, p90 = 0, p99 = 0; ///< seconds
  double operations = 0;
  /// What other processes used of the CPUs meanwhile, 0 to 1, where the kernel
  /// says it.
  std::optional<double> shareOfOthers;
  /// Where the context measures them.
  std::vector<StepTime> steps;
  std::vector<TracedRun> traced;
};

rt::Result<Measurement> measure(Execution &execution,
                                const MeasureOptions &options = {});

/// "host AMD EPYC 7B13, 2 CPUs, avx2 fma; qcc 0.1.0, LLVM 22.1.0; program of
/// qcc 0.1.0 for native": the machine, and `versions` of the tool.
std::string hostLine(const rt::Context &context, const std::string &versions);

/// "median 3.100 ms, spread ..."
std::string benchLine(const rt::Context &context, const Measurement &m);

/// A line that warns of other processes; empty if they let the machine be.
std::string warnOfOthers(const Measurement &m);

/// Time, share of the whole, operations and bytes per second of each step.
std::string profileTable(const rt::Context &context, const Measurement &m);

Json benchJson(const rt::Context &context, const Measurement &m,
               const std::string &versions);

/// Events of the format of Chrome's tracing, in microseconds: runs on one
/// track, steps on the next, and on a track for each thread its shares of
/// steps.
Json chromeTrace(const rt::Context &context, const Measurement &m);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_MEASURE_H
