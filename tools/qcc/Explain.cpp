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
  // The folder of the source says nothing about the step.
  std::string place = llvm::sys::path::filename(step.location).str();
  if (!step.layer.empty())
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
  report.addScratch(session.module());
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

/// Writes the page of the options; returns the exit code.
static ExitCode writePage(const ProgramOptions &program,
                          const ExplainOptions &options,
                          const ProgramReport &report) {
  std::optional<llvm::json::Object> profile;
  if (!options.profile.empty()) {
    auto read = readProfile(options.profile, report);
    if (!read)
      return reportError(tools::ExitRejected, read.takeError());
    profile = std::move(*read);
  }
  return writeOutput(options.html,
                     makeExplainPage(llvm::sys::path::filename(program.input),
                                     report.toJson(), std::move(profile)));
}

/// Writes the report as the options say; returns the exit code.
static ExitCode writeReport(const ProgramOptions &program,
                            const ExplainOptions &options,
                            const ProgramReport &report, bool printsText) {
  if (printsText)
    printTotals(report);
  if (!options.json.empty()) {
    std::string text =
        llvm::formatv("{0:2}\n", llvm::json::Value(report.toJson()));
    if (ExitCode code = writeOutput(options.json, text))
      return code;
  }
  return options.html.empty() ? tools::ExitSuccess
                              : writePage(program, options, report);
}

int driver::runExplain(const ProgramOptions &program,
                       const ExplainOptions &options) {
  tools::CommandFiles files;
  addFiles(files, program);
  files.reads(options.profile, "read by --profile");
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
  auto dims = resolveDims(session);
  if (!dims)
    return dims.code();
  if (ExitCode code = session.runStages(Stage::Buffer))
    return code;
  ProgramReport report;
  if (llvm::Error error = report.addEntries(
          session.module(), *session.compiler().getTarget(), *dims))
    return reportError(tools::ExitFailed, std::move(error));
  bool printsText = !files.writesStandardOutput();
  // What is known of kernels of a device is known when they are compiled.
  auto printEntries = [&] {
    for (const EntryReport &entry : report.entries)
      printSteps(entry);
  };
  if (printsText && !report.isForDevice)
    printEntries();
  if (ExitCode code = finish(session, report))
    return code;
  if (printsText && report.isForDevice)
    printEntries();
  return writeReport(program, options, report, printsText);
}
