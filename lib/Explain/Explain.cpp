//===- Explain.cpp - What each step computes, how, and why ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Explain/Explain.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Transforms/Entry/EntryDims.h"
#include "qcc/Transforms/Entry/Steps.h"
#include <map>

using namespace mlir;
using namespace qcc;

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
    std::optional<EntryDim> entryDim = entryDimOf(dim);
    if (!entryDim)
      return std::nullopt;
    if (!entryDim->isResult)
      return Polynomial{{{entryDim->number}, 1}};
    // The function returns the dimensions of its results.
    auto entry = dim->getParentOfType<func::FuncOp>();
    return polynomial(
        entry.getBody().front().getTerminator()->getOperand(entryDim->number));
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
/// "unknown" where the value depends on more.
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
// Steps
//===----------------------------------------------------------------------===//

/// How a contraction is computed, and why by no better atom.
static void explainContraction(StepExplanation &explanation,
                               kernel::ContractOp op, const Target &target) {
  kernel::LoweringConfigAttrInterface config = op.getLoweringConfigAttr();
  explanation.atom = config.getAtomName().str();
  explanation.source = stringifyConfigSource(config.getSource()).str();
  explanation.config = config.describe();
  explanation.shareOfPeak =
      target.strategyOf(config)->cost(op, config).shareOfPeak;
  explanation.alternatives = target.listAlternatives(op);
}

StepExplanation qcc::explainStep(func::CallOp call, const SymbolTable &symbols,
                                 const Target &target) {
  auto step = symbols.lookup<func::FuncOp>(call.getCallee());
  auto info = call->getAttrOfType<DictionaryAttr>(kKernelAttr);
  auto text = [&](StringRef key) {
    auto attr = info.getAs<StringAttr>(key);
    return attr ? attr.getValue().str() : std::string();
  };
  StepExplanation explanation;
  explanation.name = text("name");
  explanation.kind = text("kind");
  explanation.layer = text("layer");
  explanation.location = text("location");
  explanation.refused = text("refused");
  explanation.notTuned = text("not_tuned");
  if (auto fused = info.getAs<ArrayAttr>("fused"))
    for (Attribute name : fused)
      explanation.fused.push_back(cast<StringAttr>(name).getValue().str());
  step.walk([&](kernel::ContractOp op) {
    explainContraction(explanation, op, target);
  });
  unsigned count = call.getNumOperands();
  explanation.operations = formula(call.getOperand(count - 4));
  explanation.bytes = formula(call.getOperand(count - 3));
  return explanation;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

llvm::Expected<MemoryExplanation> qcc::explainMemory(func::FuncOp entry,
                                                     ArrayRef<int64_t> dims) {
  std::string name = entry.getName().str();
  unsigned count = countEntryDims(entry);
  if (!dims.empty() && dims.size() != count)
    return llvm::createStringError(
        "--dim is given %zu time(s), but the arguments of entry '%s' have %u "
        "dynamic dimension(s)",
        dims.size(), name.c_str(), count);
  IndexEvaluator evaluator(dims);
  for (auto check : entry.getOps<cf::AssertOp>())
    if (evaluator.evaluate(check.getArg()) == 0)
      return llvm::createStringError(
          "entry '%s' cannot run with these dimensions: %s", name.c_str(),
          check.getMsg().str().c_str());
  return MemoryExplanation{
      evaluator.evaluate(getEntryResult(entry, EntryResult::ArenaBytes)),
      evaluator.evaluate(getEntryResult(entry, EntryResult::LiveBytes))};
}

unsigned qcc::countKernels(ModuleOp module) {
  unsigned count = llvm::count_if(module.getOps<func::FuncOp>(), isStep);
  for (auto kernels : module.getOps<ModuleOp>())
    count += llvm::range_size(kernels.getOps<func::FuncOp>());
  return count;
}
