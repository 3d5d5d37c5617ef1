//===- Explain.cpp - qcc explain ------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Explain/Explain.h"
#include "Driver.h"
#include "common/Text.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Explain/Launches.h"
#include "qcc/Transforms/Entry/Program.h"
#include "qcc/Transforms/Entry/Steps.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::driver;

static llvm::json::Value toJson(const StepExplanation &step) {
  llvm::json::Object object{
      {"name", step.name},
      {"step", step.step()},
      {"kind", step.kind},
      {"layer", step.layer},
      {"location", step.location},
      {"fused", llvm::json::Array(step.fused)},
      {"operations", step.operations},
      {"bytes", step.bytes},
  };
  if (step.isContraction()) {
    object["atom"] = step.atom;
    object["config"] = step.config;
    object["config_source"] = step.source;
    object["expected_share_of_peak"] = step.shareOfPeak;
    llvm::json::Array refusals;
    for (const Alternative &other : step.alternatives)
      refusals.push_back(other.atom + ": " + other.reason);
    object["atoms_refused"] = std::move(refusals);
  }
  if (!step.notTuned.empty())
    object["not_tuned"] = step.notTuned;
  if (!step.refused.empty())
    object["refused"] = step.refused;
  return object;
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

static tools::Table makeTable() {
  tools::Table table("lwww");
  table.add({"step", "layer, place", "made of", "computed by"});
  return table;
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

namespace {
/// What a context needs to run an entry.
struct EntryMemory {
  std::string entry;
  MemoryExplanation temporaries;
  int64_t scratchBytes = 0; ///< of each thread
  /// Of a device; nothing where they depend on dimensions that are not given.
  std::optional<std::vector<LaunchExplanation>> launches;
  /// Of a device: what the launches refer to.
  std::vector<ProgramTensor> arguments, results;
};

/// What a program becomes.
struct Report {
  unsigned count = 0, distinct = 0; ///< steps, and the functions of all steps
  std::vector<EntryMemory> memory;  ///< of each entry
  bool isForDevice = false;
  int64_t codeBytes = 0; ///< of the artifact, or of the PTX
};
} // namespace

/// A number of bytes, or null.
static llvm::json::Value toJson(std::optional<int64_t> bytes) {
  return bytes ? llvm::json::Value(*bytes) : llvm::json::Value(nullptr);
}

static llvm::json::Object toJson(const EntryMemory &memory) {
  return llvm::json::Object{
      {"arena_bytes", toJson(memory.temporaries.arenaBytes)},
      {"live_bytes", toJson(memory.temporaries.liveBytes)},
      {"scratch_bytes", memory.scratchBytes}};
}

/// The larger one; nothing if one of them is not known.
static llvm::json::Value toJson(const LaunchParameter &parameter) {
  llvm::json::Object object{{"kind", parameter.kind},
                            {"value", parameter.value}};
  if (parameter.kind != "size") {
    object["type"] = parameter.type;
    object["dims"] = llvm::json::Array(parameter.dims);
    object["written"] = parameter.isWritten;
  }
  return object;
}

/// Null stands for dynamic dimensions.
static llvm::json::Value toJson(const ProgramTensor &tensor) {
  std::string type;
  llvm::raw_string_ostream(type) << tensor.elementType;
  llvm::json::Array dims;
  for (int64_t dim : tensor.dims)
    dims.push_back(dim < 0 ? llvm::json::Value(nullptr)
                           : llvm::json::Value(dim));
  return llvm::json::Object{{"type", type}, {"dims", std::move(dims)}};
}

static llvm::json::Value toJson(const LaunchExplanation &launch);

template <typename T>
static llvm::json::Array toJsonArray(const std::vector<T> &items) {
  llvm::json::Array array;
  for (const T &item : items)
    array.push_back(toJson(item));
  return array;
}

static llvm::json::Value toJson(const LaunchExplanation &launch) {
  return llvm::json::Object{{"kernel", launch.kernel},
                            {"grid", launch.grid},
                            {"block", launch.block},
                            {"shared_bytes", launch.sharedBytes},
                            {"parameters", toJsonArray(launch.parameters)}};
}

static std::optional<int64_t> larger(std::optional<int64_t> a,
                                     std::optional<int64_t> b) {
  if (!a || !b)
    return std::nullopt;
  return std::max(*a, *b);
}

static llvm::json::Object toJson(const Report &report) {
  EntryMemory most{"", {0, 0}, 0, std::nullopt, {}, {}};
  llvm::json::Array entries;
  for (const EntryMemory &memory : report.memory) {
    const MemoryExplanation &temporaries = memory.temporaries;
    most.temporaries = {
        larger(most.temporaries.arenaBytes, temporaries.arenaBytes),
        larger(most.temporaries.liveBytes, temporaries.liveBytes)};
    most.scratchBytes = std::max(most.scratchBytes, memory.scratchBytes);
    llvm::json::Object object = toJson(memory);
    object["name"] = memory.entry;
    if (report.isForDevice) {
      object["arguments"] = toJsonArray(memory.arguments);
      object["results"] = toJsonArray(memory.results);
    }
    if (memory.launches)
      object["launches"] = toJsonArray(*memory.launches);
    entries.push_back(std::move(object));
  }
  llvm::json::Object object = toJson(most);
  object["entries"] = std::move(entries);
  object["distinct_kernels"] = report.distinct;
  object[report.isForDevice ? "ptx_bytes" : "artifact_bytes"] =
      report.codeBytes;
  return object;
}

static void print(const EntryMemory &memory) {
  const MemoryExplanation &temporaries = memory.temporaries;
  llvm::outs() << "memory of " << memory.entry << ":\n  arena ";
  if (temporaries.arenaBytes)
    llvm::outs() << tools::byteSize(*temporaries.arenaBytes);
  else
    llvm::outs() << "by the dynamic dimensions, which --dim=N gives";
  if (temporaries.liveBytes)
    llvm::outs() << ", of which " << tools::byteSize(*temporaries.liveBytes)
                 << " are alive at once";
  llvm::outs() << "\n  scratch " << tools::byteSize(memory.scratchBytes)
               << " for each thread\n";
}

/// Compiles what the program is after stage buffer, and adds to `report` what
/// is known then; reports failures.
/// Adds the bytes of the code; reports failures.
static bool addCode(Session &session, Report &report) {
  if (!report.isForDevice) {
    std::optional<Artifact> artifact = session.emitArtifact();
    if (artifact)
      report.codeBytes = artifact->size();
    return artifact.has_value();
  }
  return session.guarded("while generating code", [&] {
    llvm::Expected<std::string> text =
        session.compiler().emitPTX(session.module());
    if (!text) {
      reportError(text.takeError());
      return false;
    }
    report.codeBytes = text->size();
    return true;
  });
}

static bool finish(Session &session, Report &report, ArrayRef<int64_t> dims) {
  const Compiler &compiler = session.compiler();
  bool lowered = session.guarded("while generating code", [&] {
    for (Stage stage : {Stage::Target, Stage::LLVM}) {
      PassManager passes(session.module()->getName());
      buildStage(passes, stage, compiler.getTarget(), compiler.stageOptions);
      if (failed(passes.run(session.module())))
        return false;
      if (stage != Stage::Target)
        continue;
      report.distinct = countKernels(session.module());
      for (EntryMemory &memory : report.memory)
        if (report.isForDevice)
          memory.launches = explainLaunches(
              session.module().lookupSymbol<func::FuncOp>(memory.entry), dims);
    }
    return true;
  });
  if (!lowered)
    return false;
  for (const ProgramEntry &entry : Program::of(session.module()).entries)
    for (EntryMemory &memory : report.memory)
      if (memory.entry == entry.name) {
        for (const ProgramStep &step : entry.steps)
          memory.scratchBytes = std::max(memory.scratchBytes, step.scratch);
        memory.arguments = entry.arguments;
        memory.results = entry.results;
        if (memory.launches)
          addConstantOffsets(*memory.launches, entry);
      }
  return addCode(session, report);
}

//===----------------------------------------------------------------------===//
// Command
//===----------------------------------------------------------------------===//

/// Explains the steps of an entry; the table is printed unless there is JSON.
static void explainSteps(Session &session, func::FuncOp entry,
                         const SymbolTable &symbols, Report &report,
                         llvm::json::Array *kernels) {
  tools::Table table = makeTable();
  for (auto call : entry.getOps<func::CallOp>()) {
    StepExplanation step =
        explainStep(call, symbols, *session.compiler().getTarget());
    ++report.count;
    if (!kernels) {
      addTo(table, step);
      continue;
    }
    llvm::json::Value value = toJson(step);
    value.getAsObject()->insert({"entry", entry.getName()});
    kernels->push_back(std::move(value));
  }
  if (!kernels)
    llvm::outs() << "entry " << entry.getName() << ":\n"
                 << table.print("  ", tools::outputColumns());
}

static void print(const Report &report, StringRef target) {
  for (const EntryMemory &memory : report.memory)
    print(memory);
  llvm::outs() << "distinct kernels: " << report.distinct << '\n'
               << tools::counted(report.count, "kernel") << " for " << target
               << (report.isForDevice ? ", PTX " : ", artifact ")
               << tools::byteSize(report.codeBytes) << '\n';
}

int driver::runExplain(const ProgramOptions &program,
                       const ExplainOptions &options) {
  if (program.target == "reference")
    return reportError("target reference has no kernels to explain; use x86");
  for (int64_t dim : options.dims)
    if (dim < 0)
      return reportError("'--dim=" + llvm::Twine(dim) + "' is negative");
  Session session(program);
  if (!session.load())
    return 1;
  if (session.compiler().getTargets().size() > 1)
    return reportError("explain takes one processor at a time; --mcpu names "
                       "several");
  if (!session.runStages(Stage::Buffer))
    return 1;
  SymbolTable symbols(session.module());
  llvm::json::Array kernels;
  Report report;
  report.isForDevice = session.compiler().getTarget()->isDevice();
  SmallVector<func::FuncOp> entries;
  for (auto entry : session.module().getOps<func::FuncOp>()) {
    if (isStep(entry))
      continue;
    entries.push_back(entry);
    auto temporaries = explainMemory(entry, options.dims);
    if (!temporaries)
      return reportError(temporaries.takeError());
    report.memory.push_back(
        {entry.getName().str(), *temporaries, 0, std::nullopt, {}, {}});
  }
  for (func::FuncOp entry : entries)
    explainSteps(session, entry, symbols, report,
                 options.json ? &kernels : nullptr);
  if (!finish(session, report, options.dims))
    return 1;
  std::string target = session.compiler().getTarget()->getName();
  if (!options.json) {
    print(report, target);
    return 0;
  }
  llvm::json::Object object = toJson(report);
  object["target"] = target;
  object["kernels"] = std::move(kernels);
  llvm::outs() << llvm::formatv("{0:2}\n",
                                llvm::json::Value(std::move(object)));
  return 0;
}
