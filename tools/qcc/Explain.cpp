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

/// The size of what the program, after stage buffer, becomes; reports failures.
static std::optional<int64_t> artifactBytes(Session &session) {
  const Compiler &compiler = session.compiler();
  bool lowered = session.guarded("while generating code", [&] {
    for (Stage stage : {Stage::Target, Stage::LLVM}) {
      PassManager passes(session.module()->getName());
      buildStage(passes, stage, compiler.getTarget(), compiler.stageOptions);
      if (failed(passes.run(session.module())))
        return false;
    }
    return true;
  });
  if (!lowered)
    return std::nullopt;
  std::optional<Artifact> artifact = session.emitArtifact();
  if (!artifact)
    return std::nullopt;
  return artifact->size();
}

int driver::runExplain(const ProgramOptions &program, bool json) {
  if (program.target == "reference")
    return reportError("target reference has no kernels to explain; use x86");
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
  unsigned count = 0;
  for (auto entry : session.module().getOps<func::FuncOp>()) {
    if (isStep(entry))
      continue;
    tools::Table table = makeTable();
    for (auto call : entry.getOps<func::CallOp>()) {
      StepExplanation step =
          explainStep(call, symbols, *session.compiler().getTarget());
      ++count;
      if (json) {
        llvm::json::Value value = toJson(step);
        value.getAsObject()->insert({"entry", entry.getName()});
        kernels.push_back(std::move(value));
      } else {
        addTo(table, step);
      }
    }
    if (!json)
      llvm::outs() << "entry " << entry.getName() << ":\n"
                   << table.print("  ", tools::outputColumns());
  }
  std::optional<int64_t> bytes = artifactBytes(session);
  if (!bytes)
    return 1;
  if (json)
    llvm::outs() << llvm::formatv(
        "{0:2}\n", llvm::json::Value(llvm::json::Object{
                       {"target", session.compiler().getTarget()->getName()},
                       {"artifact_bytes", *bytes},
                       {"kernels", std::move(kernels)}}));
  else
    llvm::outs() << count << (count == 1 ? " kernel" : " kernels") << " for "
                 << session.compiler().getTarget()->getName() << ", artifact "
                 << tools::byteSize(*bytes) << '\n';
  return 0;
}
