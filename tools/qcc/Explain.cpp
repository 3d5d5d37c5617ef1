//===- Explain.cpp - qcc explain ------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "common/Text.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Transforms/Entry/Steps.h"
#include "qcc/Transforms/Refusal.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace mlir;
using namespace qcc;
using namespace qcc::driver;

//===----------------------------------------------------------------------===//
// Amounts of work
//===----------------------------------------------------------------------===//

/// A sum of products of dynamic dimensions: the dimensions of a term, sorted,
/// and its coefficient.
using Polynomial = std::map<std::vector<unsigned>, int64_t>;

/// An index of an entry in terms of the dynamic dimensions of its arguments;
/// nothing where it is no polynomial.
static std::optional<Polynomial> polynomial(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Polynomial{{{}, constant.getSExtValue()}};
  Operation *def = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<memref::DimOp>(def)) {
    auto arg = dyn_cast<BlockArgument>(dim.getSource());
    if (!arg)
      return std::nullopt;
    auto entry = cast<func::FuncOp>(arg.getOwner()->getParentOp());
    unsigned number = 0, results = 0;
    for (BlockArgument other : arg.getOwner()->getArguments()) {
      auto type = cast<MemRefType>(other.getType());
      bool isResult =
          !!entry.getArgAttr(other.getArgNumber(), kDestinationAttr);
      for (int64_t i = 0; i < type.getRank(); ++i) {
        if (other == arg && dim.getConstantIndex() == i) {
          // The function returns the dimensions of its results.
          if (isResult)
            return polynomial(
                arg.getOwner()->getTerminator()->getOperand(results));
          return Polynomial{{{number}, 1}};
        }
        if (type.isDynamicDim(i))
          ++(isResult ? results : number);
      }
    }
    return std::nullopt;
  }
  if (!isa_and_nonnull<arith::AddIOp, arith::MulIOp>(def))
    return std::nullopt;
  auto a = polynomial(def->getOperand(0)), b = polynomial(def->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  Polynomial result;
  if (isa<arith::AddIOp>(def)) {
    result = *a;
    for (auto &[dims, coefficient] : *b)
      result[dims] += coefficient;
    return result;
  }
  for (auto &[dimsA, coefficientA] : *a)
    for (auto &[dimsB, coefficientB] : *b) {
      std::vector<unsigned> dims(dimsA);
      dims.insert(dims.end(), dimsB.begin(), dimsB.end());
      llvm::sort(dims);
      result[dims] += coefficientA * coefficientB;
    }
  return result;
}

/// "2097152*d0 + 960", where dI is the I-th dynamic dimension of the arguments;
/// "unknown" where it depends on more.
static std::string formula(Value value) {
  auto terms = polynomial(value);
  if (!terms)
    return "unknown";
  std::string text;
  for (auto &[dims, coefficient] : llvm::reverse(*terms)) {
    if (coefficient == 0)
      continue;
    text += (text.empty() ? "" : " + ") + std::to_string(coefficient);
    for (unsigned dim : dims)
      text += "*d" + std::to_string(dim);
  }
  return text.empty() ? "0" : text;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
struct Kernel {
  /// What the artifact calls it, as profiles and dumps do.
  std::string step() const { return name + "." + kind; }

  std::string name, kind, layer, location, atom, config, source, notTuned,
      refused;
  std::vector<std::string> fused, atomRefusals;
  double shareOfPeak = 0; ///< Expected, where there is an atom.
  std::string operations, bytes;
};
} // namespace

/// How a contraction is computed, and why by no better atom.
static void describeConfig(Kernel &kernel, kernel::ContractOp op,
                           const Target &target) {
  kernel::LoweringConfigAttrInterface config = op.getLoweringConfigAttr();
  kernel.atom = config.getAtomName().str();
  kernel.source = stringifyConfigSource(config.getSource()).str();
  kernel.config = config.describe();
  kernel.shareOfPeak = target.strategyOf(config)->cost(op, config).shareOfPeak;
  for (const Alternative &other : target.listAlternatives(op))
    kernel.atomRefusals.push_back(other.atom + ": " + other.reason);
}

static Kernel describe(func::CallOp call, func::FuncOp step,
                       const Target &target) {
  auto info = step->getAttrOfType<DictionaryAttr>(kKernelAttr);
  auto text = [&](StringRef key) {
    auto attr = info.getAs<StringAttr>(key);
    return attr ? attr.getValue().str() : std::string();
  };
  Kernel kernel;
  kernel.name = step.getName().str();
  kernel.kind = text("kind");
  kernel.layer = text("layer");
  kernel.location = text("location");
  kernel.refused = text("refused");
  if (auto fused = info.getAs<ArrayAttr>("fused"))
    for (Attribute name : fused)
      kernel.fused.push_back(cast<StringAttr>(name).getValue().str());
  kernel.notTuned = text("not_tuned");
  step.walk([&](kernel::ContractOp op) { describeConfig(kernel, op, target); });
  unsigned count = call.getNumOperands();
  kernel.operations = formula(call.getOperand(count - 4));
  kernel.bytes = formula(call.getOperand(count - 3));
  return kernel;
}

static llvm::json::Value toJson(const Kernel &kernel) {
  llvm::json::Object object{
      {"name", kernel.name},
      {"step", kernel.step()},
      {"kind", kernel.kind},
      {"layer", kernel.layer},
      {"location", kernel.location},
      {"fused", llvm::json::Array(kernel.fused)},
      {"operations", kernel.operations},
      {"bytes", kernel.bytes},
  };
  if (!kernel.atom.empty()) {
    object["atom"] = kernel.atom;
    object["config"] = kernel.config;
    object["config_source"] = kernel.source;
    object["expected_share_of_peak"] = kernel.shareOfPeak;
    object["atoms_refused"] = llvm::json::Array(kernel.atomRefusals);
  }
  if (!kernel.notTuned.empty())
    object["not_tuned"] = kernel.notTuned;
  if (!kernel.refused.empty())
    object["refused"] = kernel.refused;
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
static void addTo(tools::Table &table, const Kernel &kernel) {
  std::string computedBy = "generic loops";
  if (!kernel.atom.empty())
    computedBy = llvm::formatv("atom {0} {1} ({2}), expected {3:F2} of peak",
                               kernel.atom, kernel.config, kernel.source,
                               kernel.shareOfPeak);
  else if (kernel.kind == "pack")
    computedBy = "packing";
  // The folder of the source says nothing about the step.
  std::string place = llvm::sys::path::filename(kernel.location).str();
  if (!kernel.layer.empty())
    place = kernel.layer + (place.empty() ? "" : ", ") + place;
  table.add({kernel.step(), place, llvm::join(kernel.fused, ", "), computedBy});
  table.addNote(kernel.operations + " operations, " + kernel.bytes + " bytes");
  if (kernel.kind == "pack")
    table.addNote("why: runs at every call, since the operand is not a "
                  "constant of the program");
  if (!kernel.refused.empty())
    table.addNote(
        (kernel.kind == "pack" ? "why element by element: " : "why: ") +
        kernel.refused);
  if (!kernel.notTuned.empty())
    table.addNote("not tuned: " + kernel.notTuned);
  for (const std::string &refusal : kernel.atomRefusals)
    table.addNote("not " + refusal);
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
      Kernel kernel =
          describe(call, symbols.lookup<func::FuncOp>(call.getCallee()),
                   *session.compiler().getTarget());
      ++count;
      if (json) {
        llvm::json::Value value = toJson(kernel);
        value.getAsObject()->insert({"entry", entry.getName()});
        kernels.push_back(std::move(value));
      } else {
        addTo(table, kernel);
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
