//===- Explain.cpp - Explanations of steps --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Explain/Explain.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Explain/ExpectedTime.h"
#include "qcc/Transforms/Steps/EntryDims.h"
#include "qcc/Transforms/Steps/StepInfo.h"
#include "qcc/Transforms/Steps/Steps.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Amounts of work
//===----------------------------------------------------------------------===//

/// A sum of products: the factors of a term, sorted, and its coefficient. A
/// factor is a dynamic dimension, or a quotient.
using Polynomial = std::map<std::vector<std::string>, int64_t>;

static Polynomial constantOf(int64_t value) { return {{{}, value}}; }

/// "2097152*d0 + 960"
static std::string textOf(const Polynomial &terms) {
  std::string text;
  for (auto &[factors, coefficient] : llvm::reverse(terms)) {
    if (coefficient == 0)
      continue;
    bool isNegative = coefficient < 0;
    uint64_t magnitude = isNegative ? -uint64_t(coefficient) : coefficient;
    text +=
        text.empty() ? (isNegative ? "-" : "") : (isNegative ? " - " : " + ");
    if (magnitude != 1 || factors.empty())
      text += std::to_string(magnitude) + (factors.empty() ? "" : "*");
    text += llvm::join(factors, "*");
  }
  return text.empty() ? "0" : text;
}

static Polynomial add(Polynomial a, const Polynomial &b) {
  for (auto &[factors, coefficient] : b)
    a[factors] += coefficient;
  return a;
}

static Polynomial multiply(const Polynomial &a, const Polynomial &b) {
  Polynomial result;
  for (auto &[factorsA, coefficientA] : a)
    for (auto &[factorsB, coefficientB] : b) {
      std::vector<std::string> factors(factorsA);
      factors.insert(factors.end(), factorsB.begin(), factorsB.end());
      llvm::sort(factors);
      result[factors] += coefficientA * coefficientB;
    }
  return result;
}

/// "ceil(d0/64)" or "floor((d0 + 1)/2)" as a factor.
static Polynomial quotient(StringRef rounding, const Polynomial &a,
                           const Polynomial &b) {
  std::string over = textOf(a);
  if (over.find(' ') != std::string::npos)
    over = "(" + over + ")";
  return {{{(rounding + "(" + over + "/" + textOf(b) + ")").str()}, 1}};
}

static std::optional<Polynomial> polynomial(Value value);

/// An expression of an affine.apply.
static std::optional<Polynomial> polynomial(AffineExpr expr,
                                            affine::AffineApplyOp op) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constantOf(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return polynomial(op.getMapOperands()[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return polynomial(op.getMapOperands()[op.getAffineMap().getNumDims() +
                                          symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto a = polynomial(binary.getLHS(), op), b = polynomial(binary.getRHS(), op);
  if (!a || !b)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return add(*a, *b);
  case AffineExprKind::Mul:
    return multiply(*a, *b);
  case AffineExprKind::FloorDiv:
    return quotient("floor", *a, *b);
  case AffineExprKind::CeilDiv:
    return quotient("ceil", *a, *b);
  default: // a - floor(a / b) * b
    return add(
        *a, multiply(multiply(quotient("floor", *a, *b), *b), constantOf(-1)));
  }
}

/// A dimension of a tensor that the entry takes or gives.
static std::optional<Polynomial> polynomial(memref::DimOp dim) {
  std::optional<EntryDim> entryDim = entryDimOf(dim);
  if (!entryDim)
    return std::nullopt;
  if (!entryDim->isResult)
    return Polynomial{{{"d" + std::to_string(entryDim->number)}, 1}};
  // The function returns the dimensions of its results.
  auto entry = dim->getParentOfType<func::FuncOp>();
  return polynomial(
      entry.getBody().front().getTerminator()->getOperand(entryDim->number));
}

/// An index of an entry in terms of the dynamic dimensions of its arguments;
/// nothing where it depends on more.
static std::optional<Polynomial> polynomial(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constantOf(constant.getSExtValue());
  Operation *def = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<memref::DimOp>(def))
    return polynomial(dim);
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(def))
    return polynomial(apply.getAffineMap().getResult(0), apply);
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                       arith::DivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(
          def))
    return std::nullopt;
  auto a = polynomial(def->getOperand(0)), b = polynomial(def->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(def))
    return add(*a, *b);
  if (isa<arith::SubIOp>(def))
    return add(*a, multiply(*b, constantOf(-1)));
  if (isa<arith::MulIOp>(def))
    return multiply(*a, *b);
  return quotient(isa<arith::CeilDivSIOp>(def) ? "ceil" : "floor", *a, *b);
}

/// "2097152*d0 + 960", where dI is the I-th dynamic dimension of the arguments;
/// "unknown" where the value depends on more.
static std::string formula(Value value) {
  auto terms = polynomial(value);
  return terms ? textOf(*terms) : "unknown";
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
  // A group of steps has several contractions.
  explanation.config += (explanation.config.empty() ? "" : ", then ");
  explanation.config += config.describe();
  explanation.shareOfPeak =
      target.strategyOf(config)->cost(op, config).shareOfPeak;
  explanation.alternatives = target.listAlternatives(op);
}

/// The note that lowering left (WeightNote.h).
static WeightExplanation explainWeight(DictionaryAttr note) {
  WeightExplanation weight;
  weight.shape = note.getAs<DenseI64ArrayAttr>("shape").asArrayRef().vec();
  weight.type = note.getAs<StringAttr>("type").getValue();
  if (auto axis = note.getAs<IntegerAttr>("axis"))
    weight.axis = axis.getInt();
  if (auto scales = note.getAs<DenseF32ArrayAttr>("scales"))
    weight.scales = {int64_t(scales[0]), scales[1], scales[2]};
  if (auto zeros = note.getAs<DenseI64ArrayAttr>("zero_points"))
    weight.zeroPoints = {zeros[0], zeros[1], zeros[2]};
  return weight;
}

StepExplanation qcc::explainStep(func::CallOp call, const SymbolTable &symbols,
                                 const Target &target, ArrayRef<int64_t> dims) {
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
  explanation.modelOp = text("model_op");
  explanation.location = text("location");
  explanation.work = *workKindNamed(text("work"));
  explanation.refused = text("refused");
  explanation.notTuned = text("not_tuned");
  if (auto weight = info.getAs<DictionaryAttr>("weight"))
    explanation.weight = explainWeight(weight);
  if (auto fused = info.getAs<ArrayAttr>("fused"))
    for (Attribute name : fused)
      explanation.fused.push_back(cast<StringAttr>(name).getValue().str());
  step.walk([&](kernel::ContractOp op) {
    explainContraction(explanation, op, target);
  });
  if (std::optional<int64_t> rows = rowsOfBlock(step); rows && *rows > 1)
    explanation.config += ", by blocks of " + std::to_string(*rows) + " rows";
  unsigned count = call.getNumOperands();
  explanation.operations = formula(call.getOperand(count - 4));
  explanation.bytes = formula(call.getOperand(count - 3));
  IndexEvaluator evaluator(dims);
  explanation.numOperations = evaluator.evaluate(call.getOperand(count - 4));
  explanation.numBytes = evaluator.evaluate(call.getOperand(count - 3));
  expectTime(explanation, call, step, target);
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
