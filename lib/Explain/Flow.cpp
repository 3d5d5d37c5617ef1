//===- Flow.cpp - Which step reads what which step writes -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qcc/Explain/Explain.h"
#include "qcc/Transforms/Steps/Steps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qcc;

/// What a memref is a part of: an argument of the entry, a temporary, or a
/// constant.
static Value rootOf(Value memref) {
  while (Operation *def = memref.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(def);
    if (!view || isa<memref::ViewOp>(def))
      break;
    memref = view.getViewSource();
  }
  return memref;
}

/// "1x8xi8", without how it lies in memory.
static std::string typeText(MemRefType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t dim : type.getShape())
    (ShapedType::isDynamic(dim) ? stream << '?' : stream << dim) << 'x';
  stream << type.getElementType();
  return text;
}

namespace {
class Flow {
public:
  explicit Flow(func::FuncOp entry);
  void add(func::CallOp call, func::FuncOp callee, StepExplanation &step);

private:
  void addRead(Value root, StepExplanation &step);
  void addWrite(Value operand, StepExplanation &step);

  DenseMap<Value, std::string> arguments, results;
  /// The steps that wrote what a root holds now.
  DenseMap<Value, SmallVector<std::string>> writers;
};
} // namespace

Flow::Flow(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (entry.getArgAttr(i, kDestinationAttr))
      results[argument] = "result " + std::to_string(results.size());
    else if (!entry.getArgAttr(i, kArenaAttr))
      arguments[argument] = "argument " + std::to_string(arguments.size());
  }
}

static void addOnce(std::vector<std::string> &names, const std::string &name) {
  if (!llvm::is_contained(names, name))
    names.push_back(name);
}

void Flow::addRead(Value root, StepExplanation &step) {
  auto written = writers.find(root);
  auto argument = arguments.find(root);
  if (written != writers.end())
    for (const std::string &writer : written->second)
      addOnce(step.reads, writer);
  else if (argument != arguments.end())
    addOnce(step.reads, argument->second);
}

void Flow::addWrite(Value operand, StepExplanation &step) {
  Value root = rootOf(operand);
  SmallVector<std::string> &names = writers[root];
  // A part leaves what others have written beside it.
  if (root == operand)
    names.clear();
  names.push_back(step.step());
  step.outputs.push_back(typeText(cast<MemRefType>(operand.getType())));
  if (auto result = results.find(root); result != results.end())
    addOnce(step.results, result->second);
}

/// Whether a step goes on from what an argument that it writes holds, as
/// reductions do.
static bool continues(BlockArgument argument) {
  return llvm::any_of(argument.getUses(), [](OpOperand &use) {
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return op && op.isDpsInit(&use) && op.payloadUsesValueFromOperand(&use);
  });
}

void Flow::add(func::CallOp call, func::FuncOp callee, StepExplanation &step) {
  ArrayRef<int64_t> writes =
      callee->getAttrOfType<DenseI64ArrayAttr>(kWritesAttr).asArrayRef();
  for (auto [i, operand] : llvm::enumerate(call.getOperands()))
    if (isa<MemRefType>(operand.getType()) &&
        (!llvm::is_contained(writes, int64_t(i)) ||
         continues(callee.getArgument(i))))
      addRead(rootOf(operand), step);
  for (int64_t i : writes)
    addWrite(call.getOperand(i), step);
}

void qcc::explainFlow(func::FuncOp entry, const SymbolTable &symbols,
                      MutableArrayRef<StepExplanation> steps) {
  Flow flow(entry);
  for (auto [call, step] : llvm::zip_equal(entry.getOps<func::CallOp>(), steps))
    flow.add(call, symbols.lookup<func::FuncOp>(call.getCallee()), step);
}
