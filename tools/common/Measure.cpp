//===- Measure.cpp - Time of runs and of their steps ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Measure.h"

#include "common/Describe.h"
#include "common/Interleaved.h"
#include "common/Progress.h"
#include "common/Text.h"
#include "qcc/Runtime/Device.h"
#include "qcc/Runtime/HostFeatures.h"

#include <algorithm>
#include <chrono>

namespace qcc::tools {

static double quantile(const std::vector<double> &sorted, double at) {
  return sorted[size_t(at * (sorted.size() - 1) + 0.5)];
}

/// The shares of medians. The medians of all steps may be longer than the
/// median of runs.
static void setShares(Measurement &m) {
  double sum = 0;
  for (const StepTime &step : m.steps)
    sum += step.seconds;
  for (StepTime &step : m.steps)
    step.share = sum > 0 ? step.seconds / std::max(sum, m.median) : 0;
}

rt::Result<Measurement> measure(Execution &execution,
                                const MeasureOptions &options) {
  using Clock = std::chrono::steady_clock;
  auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  constexpr size_t leastRuns = 5, tracedRuns = 10;
  const double wanted = options.seconds.value_or(1);
  // The times that are kept, of runs and of their steps, have to fit memory.
  const size_t mostRuns =
      options.seconds ? 10000000 / (1 + execution.context->entry().steps.size())
                      : 10000;
  Progress progress("measuring");
  const rt::Context &context = *execution.context;
  const std::vector<rt::Step> &steps = context.entry().steps;
  bool isProfiled = !context.stepNanoseconds().empty();

  Measurement result;
  std::vector<double> seconds;
  std::vector<std::vector<double>> stepSeconds(steps.size());
  double total = 0;
  for (unsigned i = 0; i < options.warmUps; ++i)
    if (rt::Status status = execution.run(); !status.isOk())
      return status;
  OtherProcesses others;
  Clock::time_point first = Clock::now();
  while (seconds.size() < leastRuns ||
         (total < wanted && seconds.size() < mostRuns)) {
    Clock::time_point start = Clock::now();
    rt::Status status = execution.run();
    double elapsed = since(start);
    if (!status.isOk())
      return status;
    seconds.push_back(elapsed);
    total += elapsed;
    if (!isProfiled)
      continue;
    for (size_t s = 0; s < steps.size(); ++s)
      stepSeconds[s].push_back(double(context.stepNanoseconds()[s]) * 1e-9);
    if (result.traced.size() < tracedRuns)
      result.traced.push_back(
          {std::chrono::duration<double>(start - first).count(), elapsed,
           context.stepNanoseconds(), context.stepSpans()});
  }
  result.shareOfOthers = others.share();
  std::sort(seconds.begin(), seconds.end());
  result.runs = seconds.size();
  result.median = quantile(seconds, 0.5);
  result.p10 = quantile(seconds, 0.1);
  result.p90 = quantile(seconds, 0.9);
  result.p99 = quantile(seconds, 0.99);
  const int64_t *values = context.values().data();
  for (size_t s = 0; s < steps.size(); ++s) {
    StepTime step;
    step.operations = steps[s].operations.get(values);
    step.bytes = steps[s].bytes.get(values);
    result.operations += double(step.operations);
    if (!isProfiled)
      continue;
    std::sort(stepSeconds[s].begin(), stepSeconds[s].end());
    step.seconds = quantile(stepSeconds[s], 0.5);
    result.steps.push_back(step);
  }
  setShares(result);
  return result;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static double rate(double amount, double seconds) {
  return seconds > 0 ? amount / seconds : 0;
}

/// "4 threads", or the name of a device.
static std::string runnerOf(const rt::Context &context) {
  const rt::Device *device = context.module().device().get();
  return device ? device->name() : counted(context.threads(), "thread");
}

/// The features that decide which instructions multiply, "avx2 avx512vnni".
static std::string isaText() {
  std::vector<std::string> isa;
  for (const char *name : {"avx2", "fma", "f16c", "avxvnni", "avx512f",
                           "avx512vnni", "avx512vbmi", "amx-int8"})
    if (rt::HostFeatures::host().has(name))
      isa.push_back(name);
  return join(isa, " ");
}

std::string hostLine(const rt::Context &context, const std::string &versions) {
  rt::HostInfo info = rt::hostInfo();
  return "host " + (info.brand.empty() ? "of unknown make" : info.brand) +
         ", " + counted(info.cpus, "CPU") + ", " + isaText() + "; " + versions +
         "; program of " + std::string(context.module().producer()) + " for " +
         std::string(context.module().variant().target) + "\n";
}

/// The share of CPUs that other processes may use without a warning.
constexpr double kQuietShare = 0.05;

std::string warnOfOthers(const Measurement &m) {
  if (!m.shareOfOthers || *m.shareOfOthers <= kQuietShare)
    return "";
  return format("warning: other processes used %.0f %% of the CPUs meanwhile; "
                "measure again when the machine is quiet\n",
                100 * *m.shareOfOthers);
}

std::string benchLine(const rt::Context &context, const Measurement &m) {
  return "median " + duration(m.median) + ", spread " +
         duration(m.p10, m.median) + " .. " + duration(m.p90, m.median) +
         " (10 to 90 %), 99 % within " + duration(m.p99, m.median) + ", " +
         counted(int64_t(m.runs), "run") + ", " + runnerOf(context) + ", " +
         format("%.2f GOP/s, %.2f inferences/s\n",
                rate(m.operations, m.median) * 1e-9, rate(1, m.median));
}

std::string profileTable(const rt::Context &context, const Measurement &m) {
  Table table("rrrrlw");
  table.add({"time", "share", "GOP/s", "GB/s", "step", "layer"});
  auto percent = [](double share) { return format("%.1f %%", 100 * share); };
  double restTime = m.median, restShare = 1;
  for (size_t i = 0; i < m.steps.size(); ++i) {
    const rt::Step &step = context.entry().steps[i];
    const StepTime &time = m.steps[i];
    restTime -= time.seconds;
    restShare -= time.share;
    table.add(
        {duration(time.seconds, m.median), percent(time.share),
         format("%.2f", rate(double(time.operations), time.seconds) * 1e-9),
         format("%.2f", rate(double(time.bytes), time.seconds) * 1e-9),
         std::string(step.name), layerText(step)});
  }
  table.add({duration(std::max(restTime, 0.0), m.median),
             percent(std::max(restShare, 0.0)), "", "", "(the rest)"});
  return table.print("  ", outputColumns());
}

static Json hostJson() {
  rt::HostInfo info = rt::hostInfo();
  Json host = Json::dictionary();
  host.add("cpu", Json::of(info.brand));
  host.add("cpus", Json::of(int64_t(info.cpus)));
  host.add("isa", Json::of(isaText()));
  return host;
}

Json benchJson(const rt::Context &context, const Measurement &m,
               const std::string &versions) {
  Json report = Json::dictionary();
  report.add("host", hostJson());
  report.add("versions", Json::of(versions));
  report.add("producer", Json::of(context.module().producer()));
  if (m.shareOfOthers)
    report.add("other_processes_share", Json::of(*m.shareOfOthers));
  report.add("entry", Json::of(context.entry().name));
  report.add("target", Json::of(context.module().variant().target));
  report.add("threads", Json::of(int64_t(context.threads())));
  if (const rt::Device *device = context.module().device().get())
    report.add("device", Json::of(device->name()));
  report.add("runs", Json::of(int64_t(m.runs)));
  report.add("median_seconds", Json::of(m.median));
  report.add("p10_seconds", Json::of(m.p10));
  report.add("p90_seconds", Json::of(m.p90));
  report.add("p99_seconds", Json::of(m.p99));
  report.add("inferences_per_second", Json::of(rate(1, m.median)));
  report.add("operations", Json::of(m.operations));
  report.add("operations_per_second", Json::of(rate(m.operations, m.median)));
  Json steps = Json::list();
  for (size_t i = 0; i < m.steps.size(); ++i) {
    const rt::Step &step = context.entry().steps[i];
    Json entry = Json::dictionary();
    entry.add("name", Json::of(step.name));
    entry.add("layer", Json::of(step.layer));
    entry.add("seconds", Json::of(m.steps[i].seconds));
    entry.add("share", Json::of(m.steps[i].share));
    entry.add("operations", Json::of(m.steps[i].operations));
    entry.add("bytes", Json::of(m.steps[i].bytes));
    steps.add(std::move(entry));
  }
  report.add("steps", std::move(steps));
  return report;
}

//===----------------------------------------------------------------------===//
// Trace
//===----------------------------------------------------------------------===//

/// The tracks of a trace, from the top. Thread i has track Threads + i.
namespace {
enum Track { Runs = 1, Steps = 2, Threads = 3 };
} // namespace

static Json traceEvent(std::string_view name, const char *phase,
                       int64_t track) {
  Json event = Json::dictionary();
  event.add("name", Json::of(name));
  event.add("ph", Json::of(phase));
  event.add("pid", Json::of(int64_t(1)));
  event.add("tid", Json::of(track));
  return event;
}

/// An event of some microseconds.
static Json traceSpan(std::string_view name, int64_t track, double start,
                      double duration) {
  Json event = traceEvent(name, "X", track);
  event.add("ts", Json::of(start));
  event.add("dur", Json::of(duration));
  return event;
}

static void nameTrack(Json &events, const char *what, std::string_view name,
                      int64_t track) {
  Json event = traceEvent(what, "M", track);
  Json args = Json::dictionary();
  args.add("name", Json::of(name));
  event.add("args", std::move(args));
  events.add(std::move(event));
}

static std::string traceNameOf(const rt::Step &step) {
  std::string layer = layerText(step);
  return layer.empty() ? std::string(step.name) : layer;
}

static Json traceStep(const rt::Step &step, const StepTime &time, double start,
                      double seconds) {
  Json event = traceSpan(traceNameOf(step), Steps, start, seconds * 1e6);
  event.add("cat", Json::of("step"));
  Json args = Json::dictionary();
  args.add("step", Json::of(step.name));
  args.add("layer", Json::of(step.layer));
  args.add("location", Json::of(step.location));
  args.add("GOP/s", Json::of(rate(double(time.operations), seconds) * 1e-9));
  args.add("GB/s", Json::of(rate(double(time.bytes), seconds) * 1e-9));
  event.add("args", std::move(args));
  return event;
}

/// The shares of a step that threads computed.
static void traceShares(Json &events, const rt::Context &context,
                        const TracedRun &run, size_t step) {
  const rt::Step &info = context.entry().steps[step];
  for (int thread = 0; thread < context.threads(); ++thread) {
    rt::StepSpan span = run.stepSpans[step * context.threads() + thread];
    if (span.end == 0)
      continue;
    Json event = traceSpan(traceNameOf(info), Threads + thread,
                           run.start * 1e6 + double(span.start) * 1e-3,
                           double(span.end - span.start) * 1e-3);
    event.add("cat", Json::of("share"));
    Json args = Json::dictionary();
    args.add("step", Json::of(info.name));
    event.add("args", std::move(args));
    events.add(std::move(event));
  }
}

Json chromeTrace(const rt::Context &context, const Measurement &m) {
  Json events = Json::list();
  nameTrack(events, "process_name", context.entry().name, Runs);
  nameTrack(events, "thread_name", "runs", Runs);
  nameTrack(events, "thread_name", "steps, on " + runnerOf(context), Steps);
  bool hasShares = !context.module().device();
  for (int thread = 0; hasShares && thread < context.threads(); ++thread)
    nameTrack(events, "thread_name", "thread " + std::to_string(thread),
              Threads + thread);
  for (size_t r = 0; r < m.traced.size(); ++r) {
    const TracedRun &run = m.traced[r];
    double at = run.start * 1e6;
    events.add(
        traceSpan("run " + std::to_string(r), Runs, at, run.seconds * 1e6));
    for (size_t i = 0; i < run.stepNanoseconds.size(); ++i) {
      double seconds = double(run.stepNanoseconds[i]) * 1e-9;
      events.add(traceStep(context.entry().steps[i], m.steps[i], at, seconds));
      if (hasShares)
        traceShares(events, context, run, i);
      at += seconds * 1e6;
    }
  }
  Json trace = Json::dictionary();
  trace.add("displayTimeUnit", Json::of("ns"));
  trace.add("traceEvents", std::move(events));
  return trace;
}

} // namespace qcc::tools
