//===- StepReport.cpp - Measures a suite of steps -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps.h"
#include "common/Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace qcc;
using namespace qcc::bench;

static size_t widthOf(const std::vector<StepProgram> &steps) {
  size_t width = 20;
  for (const StepProgram &step : steps)
    width = std::max(width, step.name.size());
  return width;
}

static void print(const StepRow &row, size_t width, const Options &options) {
  std::string name = row.name;
  name.resize(width, ' ');
  llvm::outs() << name;
  if (options.rounds == 0)
    llvm::outs() << " agrees with the reference\n";
  else
    llvm::outs() << llvm::formatv(
        "{0,11:f2}{1,9:f1}{2,11:f2}{3,8:f3}  {4:f2}..{5:f2}\n",
        row.qcc.median() * 1e6,
        double(row.bytesRead + row.bytesWritten) / double(1 << 20),
        row.copy.median() * 1e6, row.share, row.shareLow, row.shareHigh);
  llvm::outs().flush();
}

static llvm::json::Object toJson(const tools::TimedRun &candidate) {
  return llvm::json::Object{{"seconds", candidate.median()},
                            {"rounds", llvm::json::Array(candidate.seconds)}};
}

static llvm::json::Object toJson(const StepRow &row) {
  return llvm::json::Object{
      {"step", row.name},
      {"bytes_read", row.bytesRead},
      {"bytes_written", row.bytesWritten},
      {"compile_seconds", row.compileSeconds},
      {"qcc", toJson(row.qcc)},
      {"copy", toJson(row.copy)},
      {"share_of_copy", row.share},
      {"share_quartiles", llvm::json::Array{row.shareLow, row.shareHigh}}};
}

static int writeReport(llvm::StringRef suite, const Options &options,
                       const std::vector<StepRow> &rows,
                       std::optional<double> otherProcesses) {
  llvm::json::Array steps;
  for (const StepRow &row : rows)
    steps.push_back(toJson(row));
  llvm::json::Object report{{"suite", suite},
                            {"isa", options.isa->name},
                            {"threads", options.threads},
                            {"repetitions", options.rounds},
                            {"steps", std::move(steps)}};
  if (otherProcesses)
    report["other_processes_share"] = *otherProcesses;
  return writeJson(options.json, std::move(report));
}

int bench::runSteps(const std::string &path, const Options &options) {
  auto steps = loadSteps(path);
  if (!steps)
    return reportError(llvm::toString(steps.takeError()));
  llvm::StringRef suite = llvm::sys::path::stem(path);
  llvm::outs() << "suite " << suite << ", " << options.isa->name << ", "
               << tools::counted(options.threads, "thread") << '\n';
  size_t width = widthOf(*steps);
  if (options.rounds > 0)
    llvm::outs() << std::string("step").append(width - 4, ' ')
                 << llvm::formatv("{0,11}{1,9}{2,11}{3,8}  {4}\n", "qcc us",
                                  "MiB", "copy us", "share", "half of them");
  tools::OtherProcesses others;
  int failed = 0;
  std::vector<StepRow> rows;
  bool any = false;
  for (const StepProgram &step : *steps) {
    if (step.name.find(options.filter) == std::string::npos)
      continue;
    any = true;
    llvm::Expected<StepRow> row = runStep(step, options);
    if (!row) {
      failed |= reportError(step.name + ": " + llvm::toString(row.takeError()));
      continue;
    }
    print(*row, width, options);
    rows.push_back(std::move(*row));
  }
  if (!any)
    return reportError("no step of suite " + suite + " contains '" +
                       options.filter + "'");
  if (options.rounds > 0 && !rows.empty()) {
    auto least = llvm::min_element(
        rows, [](auto &a, auto &b) { return a.share < b.share; });
    llvm::outs() << llvm::formatv("least share of a copy: {0:f3} at {1}\n",
                                  least->share, least->name);
  }
  if (!options.json.empty())
    failed |= writeReport(suite, options, rows, others.share());
  return failed;
}
