//===- Explain.cpp - qcc explain ------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "ExplainPage.h"
#include "Registers.h"
#include "common/Text.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Explain/Report.h"
#include "qcc/Explain/Scaling.h"
#include "qcc/Explain/Summary.h"
#include "qcc/Runtime/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::driver;

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

static tools::Table makeTable() {
  tools::Table table("lwww");
  table.add({"step", "layer, place", "made of", "computed by"});
  return table;
}

static std::string describe(const KernelExplanation &kernel) {
  std::string text = llvm::formatv(
      "kernel {0}: blocks of {1} threads, {2} bytes of shared memory",
      kernel.name, kernel.threads, kernel.sharedBytes);
  if (!kernel.registers)
    return text;
  bool isEstimate = kernel.registersBy == "estimate";
  text += llvm::formatv(isEstimate
                            ? ", about {0} registers (an estimate, for want of "
                              "a ptxas)"
                            : ", {0} registers (ptxas)",
                        *kernel.registers);
  if (kernel.spilledBytes > 0)
    text += llvm::formatv(", {0} bytes spilled", kernel.spilledBytes);
  return text;
}

/// A row, and below it why it is not better.
static void addTo(tools::Table &table, const StepExplanation &step) {
  std::string computedBy = "generic loops";
  if (step.isContraction())
    computedBy =
        llvm::formatv("atom {0} {1} ({2}), expected {3:F2} of peak", step.atom,
                      step.config, step.source, step.shareOfPeak);
  else if (step.kind == "pack")
    computedBy = "packing";
  // The folder of the source says nothing about the step, and a node of a model
  // has no line.
  std::string place = llvm::sys::path::filename(step.location).str();
  if (!step.modelOp.empty())
    place = step.modelOp + " " + step.layer;
  else if (!step.layer.empty())
    place = step.layer + (place.empty() ? "" : ", ") + place;
  table.add({step.step(), place, llvm::join(step.fused, ", "), computedBy});
  table.addNote(step.operations + " operations, " + step.bytes + " bytes");
  if (step.kernel)
    table.addNote(describe(*step.kernel));
  if (step.kind == "pack")
    table.addNote("why: runs at every call, since the operand is not a "
                  "constant of the program");
  if (!step.refused.empty())
    table.addNote((step.kind == "pack" ? "why element by element: " : "why: ") +
                  step.refused);
  if (!step.notTuned.empty())
    table.addNote("not tuned: " + step.notTuned);
  for (const Alternative &other : step.alternatives)
    table.addNote("not " + other.atom + ": " + other.reason);
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

/// "12.5 %", or "" where it is not known.
static std::string percent(std::optional<double> part,
                           std::optional<double> all) {
  if (!part || !all || *all <= 0)
    return "";
  return llvm::formatv("{0:F1} %", 100 * *part / *all);
}

/// "1.234 ms", or "" where it is not known.
static std::string milliseconds(std::optional<double> seconds) {
  return seconds ? llvm::formatv("{0:F3} ms", *seconds * 1e3).str() : "";
}

/// The columns of a sum beside its number of steps, and their titles: of time
/// where steps were measured or a time is expected, of operations, of bytes.
static std::vector<std::pair<std::string, std::string>>
cellsOf(const WorkSum &sum, const WorkSum &total) {
  std::vector<std::pair<std::string, std::string>> cells;
  if (total.measuredSeconds) {
    cells.emplace_back("time", milliseconds(sum.measuredSeconds));
    cells.emplace_back("of time",
                       percent(sum.measuredSeconds, total.measuredSeconds));
  }
  if (total.expectedSeconds)
    cells.emplace_back("expected", milliseconds(sum.expectedSeconds));
  if (total.expectedSeconds && !total.measuredSeconds)
    cells.emplace_back("of expected",
                       percent(sum.expectedSeconds, total.expectedSeconds));
  cells.emplace_back("of operations",
                     percent(sum.operations, total.operations));
  cells.emplace_back("of bytes", percent(sum.bytes, total.bytes));
  return cells;
}

static tools::Table makeSummaryTable(const WorkSum &total,
                                     std::string_view first) {
  std::vector<std::string> head{std::string(first), "steps"};
  for (auto &[title, cell] : cellsOf(total, total))
    head.push_back(title);
  tools::Table table("w" + std::string(head.size() - 1, 'r'));
  table.add(std::move(head));
  return table;
}

static void addTo(tools::Table &table, std::string text, const WorkSum &sum,
                  const WorkSum &total) {
  std::vector<std::string> cells{std::move(text), std::to_string(sum.steps)};
  for (auto &[title, cell] : cellsOf(sum, total))
    cells.push_back(cell);
  table.add(std::move(cells));
}

/// The price of a reason, "costs about 1.3 ms of 8.1 ms"; empty where the time
/// after the remedy is not known.
static std::string priceOf(const Summary::Reason &reason,
                           const WorkSum &total) {
  std::optional<double> all =
      total.measuredSeconds ? total.measuredSeconds : total.expectedSeconds;
  if (!reason.costSeconds || !all)
    return "";
  if (*reason.costSeconds < 5e-3 * *all)
    return "costs less than 0.5 % of the time, as the model expects";
  return llvm::formatv("costs about {0} of {1}",
                       milliseconds(*reason.costSeconds), milliseconds(*all));
}

/// What the steps of an entry do, and the three reasons that cost most.
static void printSummary(const EntryReport &entry, const Summary &summary) {
  if (entry.steps.empty())
    return;
  const WorkSum &total = summary.total;
  llvm::outs() << "summary of " << entry.name << ":\n";
  tools::Table kinds = makeSummaryTable(total, "kind");
  for (const Summary::Kind &kind : summary.kinds)
    addTo(kinds, kind.name, kind.sum, total);
  llvm::outs() << kinds.print("  ", tools::outputColumns());
  if (!total.operations || !total.bytes)
    llvm::outs() << "  the amounts depend on dynamic dimensions, which --dim=N "
                    "gives\n";
  if (total.expectedSeconds)
    llvm::outs() << llvm::formatv(
        "  {0} are what a model expects of one thread, {1} if it only read the "
        "constants, {2} of the {3} that a run reads and writes\n",
        milliseconds(total.expectedSeconds),
        milliseconds(total.constantSeconds),
        tools::byteSize(*total.constantBytes), tools::byteSize(*total.bytes));
  if (summary.reasons.empty())
    return;
  tools::Table reasons = makeSummaryTable(total, "why not faster");
  for (const Summary::Reason &reason :
       llvm::ArrayRef(summary.reasons).take_front(3)) {
    addTo(reasons, reason.text, reason.sum, total);
    reasons.addNote("first in " + reason.steps.front());
    std::string price = priceOf(reason, total);
    if (!price.empty())
      reasons.addNote(price);
    if (!reason.remedy.empty())
      reasons.addNote("remedy: " + reason.remedy);
  }
  llvm::outs() << reasons.print("  ", tools::outputColumns());
}

rt::Status driver::addUnwanted(llvm::StringRef kinds,
                               std::vector<Unwanted> &unwanted) {
  for (llvm::StringRef name : llvm::split(kinds, ',')) {
    std::optional<Unwanted> kind = unwantedNamed(name);
    if (!kind)
      return rt::invalidArgument("'" + name.str() + "' is no kind of step; " +
                                 "give one of " +
                                 llvm::join(unwantedNames(), ", "));
    unwanted.push_back(*kind);
  }
  return rt::Status::ok();
}

/// Reports the steps that --fail-on refuses; returns the exit code.
static ExitCode checkUnwanted(const ProgramReport &report,
                              llvm::ArrayRef<Unwanted> unwanted) {
  std::vector<std::string> found;
  for (const EntryReport &entry : report.entries)
    for (const StepExplanation &step : entry.steps)
      for (Unwanted kind : unwanted)
        if (isUnwanted(step, kind)) {
          std::string layer = step.layer.empty() ? "" : " (" + step.layer + ")";
          found.push_back(step.step() + layer + " is " +
                          unwantedNames()[unsigned(kind)].str());
          break;
        }
  if (found.empty())
    return tools::ExitSuccess;
  return reportError(tools::ExitDiffers,
                     "--fail-on refuses " +
                         tools::counted(found.size(), "step") + ": " +
                         llvm::join(found, ", "));
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// What several threads are expected to take, what they lose, and where.
static void printScaling(const EntryReport &entry, unsigned threads) {
  if (entry.steps.empty())
    return;
  llvm::outs() << "threads of " << entry.name << ", as a model expects:\n";
  std::vector<Scaling> all = expectScaling(entry, threads);
  if (all.empty()) {
    llvm::outs() << "  not known, since the time of a step is not"
                 << (entry.dims.empty() ? "; --dim=N gives dynamic dimensions"
                                        : "")
                 << '\n';
    return;
  }
  tools::Table table("rrrrrr");
  table.add({"threads", "expected", "speed-up", "lost to steps of one thread",
             "to uneven shares", "to changes of steps"});
  for (const Scaling &scaling : all) {
    auto share = [&](double lost) { return percent(lost, scaling.seconds); };
    table.add({std::to_string(scaling.threads), milliseconds(scaling.seconds),
               llvm::formatv("{0:F2}", all[0].seconds / scaling.seconds),
               share(scaling.oneThreadSeconds), share(scaling.unevenSeconds),
               share(scaling.changeSeconds)});
  }
  llvm::outs() << table.print("  ", tools::outputColumns());
  const StepExplanation &worst = entry.steps[all.back().worstStep];
  llvm::outs() << "  with " << tools::counted(threads, "thread") << ", "
               << worst.step() << " loses most";
  if (!worst.grid)
    llvm::outs() << ": one thread computes it";
  else if (worst.isContraction() && worst.grid->isKnown())
    llvm::outs() << ": it has " << worst.grid->rows << " x "
                 << worst.grid->columns << " tiles to share";
  else if (worst.grid->isKnown())
    llvm::outs() << ": it has " << tools::counted(worst.grid->rows, "iteration")
                 << " to share";
  llvm::outs() << '\n';
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void printMemory(const EntryReport &entry) {
  const MemoryExplanation &temporaries = entry.temporaries;
  llvm::outs() << "memory of " << entry.name << ":\n  arena ";
  if (temporaries.arenaBytes)
    llvm::outs() << tools::byteSize(*temporaries.arenaBytes);
  else
    llvm::outs() << "by the dynamic dimensions, which --dim=N gives";
  if (temporaries.liveBytes)
    llvm::outs() << ", of which " << tools::byteSize(*temporaries.liveBytes)
                 << " are alive at once";
  llvm::outs() << "\n  scratch " << tools::byteSize(entry.scratchBytes)
               << " for each thread\n";
  auto nameOf = [](const std::vector<ProgramTensor> &tensors, int64_t i) {
    const std::string &name = tensors[i].name;
    return std::to_string(i) + (name.empty() ? "" : " (" + name + ")");
  };
  for (auto [result, argument] : llvm::enumerate(entry.inPlace))
    if (argument >= 0)
      llvm::outs() << "  result " << nameOf(entry.results, result)
                   << " may lie in the memory of argument "
                   << nameOf(entry.arguments, argument) << '\n';
}

/// Compiles what the program is after stage buffer, and adds to `report` what
/// is known then; reports failures and returns the exit code.
static ExitCode finish(Session &session, ProgramReport &report) {
  const Compiler &compiler = session.compiler();
  bool lowered = session.guarded("while generating code", [&] {
    for (Stage stage : {Stage::Target, Stage::LLVM}) {
      PassManager passes(session.module()->getName());
      buildStage(passes, stage, compiler.getTarget(), compiler.stageOptions);
      if (failed(passes.run(session.module())))
        return false;
      if (stage == Stage::Target)
        report.addKernels(session.module());
    }
    return true;
  });
  if (!lowered)
    return tools::ExitFailed;
  report.addProgram(session.module());
  auto artifact = session.emitArtifact();
  if (!artifact)
    return artifact.code();
  report.artifactBytes = artifact->size();
  if (!report.isForDevice)
    return tools::ExitSuccess;
  rt::ModuleOptions options;
  options.inspectOnly = true;
  auto module = rt::Module::load(artifact->data(), artifact->size(), options);
  if (!module.isOk())
    return reportStatus(module.status());
  report.binaryBytes = int64_t((*module)->variant().binary.size());
  std::string_view ptx = (*module)->variant().kernels;
  countRegisters(report, {ptx.data(), ptx.size()});
  return tools::ExitSuccess;
}

//===----------------------------------------------------------------------===//
// Command
//===----------------------------------------------------------------------===//

static void printSteps(const EntryReport &entry) {
  tools::Table table = makeTable();
  for (const StepExplanation &step : entry.steps)
    addTo(table, step);
  llvm::outs() << "entry " << entry.name << ":\n"
               << table.print("  ", tools::outputColumns());
}

static void printTotals(const ProgramReport &report) {
  for (const EntryReport &entry : report.entries)
    printMemory(entry);
  llvm::outs() << "distinct kernels: " << report.distinctKernels << '\n'
               << tools::counted(report.numSteps(), "kernel") << " for "
               << report.target << ", artifact "
               << tools::byteSize(report.artifactBytes) << '\n';
  if (report.binaryBytes > 0)
    llvm::outs() << "machine code of ptxas for " << report.target << ", "
                 << tools::byteSize(report.binaryBytes)
                 << "; GPUs of another generation compile the PTX beside it\n";
}

/// The dynamic dimensions of each entry, which must be called before the stages
/// rewrite them; reports failures.
static Reported<llvm::StringMap<std::vector<int64_t>>>
resolveDims(Session &session) {
  llvm::StringMap<std::vector<int64_t>> dims;
  tools::GivenSizes sizes = session.inputSizes();
  if (sizes.empty())
    return dims;
  for (auto entry : session.module().getOps<func::FuncOp>()) {
    if (!entry.isPublic())
      continue;
    auto specs = specsOf(entry);
    if (!specs)
      return specs.code();
    std::string name = entry.getName().str();
    auto resolved = tools::resolveSizes(
        *specs, sizes, std::vector<bool>(specs->size(), true), name,
        "the arguments of entry '" + name + "'");
    if (!resolved.isOk())
      return reportStatus(resolved.status());
    std::vector<int64_t> &own = dims[name];
    for (auto [spec, known] : llvm::zip_equal(*specs, *resolved))
      for (auto [dim, size] : llvm::zip_equal(spec.shape, known.shape))
        if (dim < 0)
          own.push_back(size);
  }
  return dims;
}

/// Writes the report as the options say; returns the exit code.
static ExitCode writeReport(const ProgramOptions &program,
                            const ExplainOptions &options,
                            const ProgramReport &report, bool printsText,
                            Measurements measurements) {
  if (printsText && options.threads > 0)
    for (const EntryReport &entry : report.entries)
      printScaling(entry, options.threads);
  if (printsText)
    printTotals(report);
  llvm::json::Value json = report.toJson(options.threads);
  if (!options.json.empty()) {
    std::string text = llvm::formatv("{0:2}\n", json);
    if (ExitCode code = writeOutput(options.json, text))
      return code;
  }
  if (!options.html.empty())
    if (ExitCode code = writeOutput(
            options.html,
            makeExplainPage(llvm::sys::path::filename(program.input),
                            std::move(*json.getAsObject()),
                            std::move(measurements))))
      return code;
  return checkUnwanted(report, options.failOn);
}

/// The files that the options name; reports failures.
static Reported<Measurements> loadMeasurements(const ExplainOptions &options,
                                               const ProgramReport &report) {
  Measurements measurements;
  auto take = [](std::optional<llvm::json::Object> &file, auto read) {
    if (read)
      file = std::move(*read);
    return read.takeError();
  };
  if (options.profile.empty())
    return measurements;
  llvm::Error error =
      take(measurements.profile, readProfile(options.profile, report));
  if (!error && !options.baseline.empty())
    error = take(measurements.baseline,
                 readBaseline(options.baseline, report, *measurements.profile));
  if (!error && !options.peaks.empty())
    error = take(measurements.peaks,
                 readPeaks(options.peaks, *measurements.profile));
  if (error)
    return reportError(tools::ExitRejected, std::move(error));
  return measurements;
}

/// Gives the steps of the entry that a profile is of their seconds.
static void addSeconds(ProgramReport &report,
                       const std::optional<llvm::json::Object> &profile) {
  if (!profile)
    return;
  llvm::StringMap<double> seconds;
  for (const llvm::json::Value &timed : *profile->getArray("steps"))
    seconds[*timed.getAsObject()->getString("name")] =
        *timed.getAsObject()->getNumber("seconds");
  for (EntryReport &entry : report.entries)
    if (profile->getString("entry") == entry.name)
      for (StepExplanation &step : entry.steps)
        step.measuredSeconds = seconds.lookup(step.step());
}

int driver::runExplain(const ProgramOptions &program,
                       const ExplainOptions &options) {
  tools::CommandFiles files;
  addFiles(files, program);
  files.reads(options.profile, "read by --profile");
  files.reads(options.baseline, "read by --baseline");
  files.reads(options.peaks, "read by --peaks");
  files.writes(options.json, "--json=" + options.json);
  files.writes(options.html, "--html=" + options.html);
  if (ExitCode code = reportUsage(files.check()))
    return code;
  Session session(program);
  if (ExitCode code = session.load())
    return code;
  if (session.compiler().getTargets().size() > 1)
    return reportError(tools::ExitUsage,
                       "explain takes one processor at a time; --mcpu names "
                       "several");
  if (options.threads > 0 && session.compiler().getTarget()->isDevice())
    return reportError(tools::ExitUsage,
                       "--threads is for programs of a processor; leave it out "
                       "with --target=cuda");
  auto dims = resolveDims(session);
  if (!dims)
    return dims.code();
  if (ExitCode code = session.runStages(Stage::Buffer))
    return code;
  ProgramReport report;
  if (llvm::Error error = report.addEntries(
          session.module(), *session.compiler().getTarget(), *dims))
    return reportError(tools::ExitFailed, std::move(error));
  auto measurements = loadMeasurements(options, report);
  if (!measurements)
    return measurements.code();
  addSeconds(report, measurements->profile);
  bool printsText = !files.writesStandardOutput();
  // What is known of kernels of a device is known when they are compiled.
  auto printEntries = [&] {
    for (const EntryReport &entry : report.entries) {
      printSummary(entry, Summary(entry));
      printSteps(entry);
    }
  };
  if (printsText && !report.isForDevice)
    printEntries();
  if (ExitCode code = finish(session, report))
    return code;
  if (printsText && report.isForDevice)
    printEntries();
  return writeReport(program, options, report, printsText,
                     std::move(*measurements));
}
