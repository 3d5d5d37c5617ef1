//===- OutlineSteps.cpp - Each piece of work to a function of its own -----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of an entry's body are of four kinds: *plan* ops (index arithmetic on
// dimensions), storage (allocations and globals), *cheap* ops that a step can
// compute again (views, scalar arithmetic, loads from arguments, which nobody
// writes), and work. Each piece of work becomes a function; what it needs of
// the other kinds is passed or cloned. The border of a buffer waits for the
// work that writes what it surrounds, and is filled with it.
//
//===----------------------------------------------------------------------===//

#include "StepValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Steps/StepInfo.h"
#include "qcc/Transforms/Steps/Steps.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "outline-steps"

namespace qcc {
#define GEN_PASS_DEF_OUTLINESTEPS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numOutlined, "Steps made");
ALWAYS_ENABLED_STATISTIC(numBorders,
                         "Borders filled in the step that writes inside");

namespace {
enum class Kind { Plan, Storage, Cheap, Work };

class Outliner {
public:
  Outliner(func::FuncOp entry, SymbolTable &symbols)
      : entry(entry), symbols(symbols), builder(entry.getContext()) {}

  LogicalResult run();

private:
  Kind classify(Operation *op);
  /// Whether an index follows from the shapes of the arguments; also looks
  /// through arithmetic that this pass added.
  bool isPlanned(Value index);
  bool isReadOnly(Value memref);
  /// Makes results of work that others use go through rank-0 buffers; returns
  /// the stores, which belong to the work.
  SmallVector<Operation *> spillResults(Operation *work);
  /// What a piece of work uses of the rest of the entry: storage and sizes are
  /// passed to its step, other ops are cloned into it.
  struct Inputs {
    llvm::SetVector<Value> buffers, sizes;
    llvm::SetVector<Operation *> clones;
  };
  Inputs inputsOf(ArrayRef<Operation *> work);
  /// The function of a piece of work and its call; `operands` are those of the
  /// call, the buffers and sizes of `inputs` first.
  void createStep(ArrayRef<Operation *> work, const Inputs &inputs,
                  ArrayRef<Value> operands);
  /// Replaces a piece of work, its first op, the stores of its results and the
  /// borders that it fills, by a call of a step.
  LogicalResult outline(ArrayRef<Operation *> work);
  LogicalResult outlineWork(Operation *op);
  /// Outlines borders that have waited for `op`, or nothing for the end of the
  /// entry, unless `op` writes what they surround and does not read them; those
  /// that remain are filled with it.
  LogicalResult outlineBorders(Operation *op);

  func::FuncOp entry;
  SymbolTable &symbols;
  OpBuilder builder;
  DenseMap<Operation *, Kind> kinds;
  DenseSet<Value> spills;
  SmallVector<kernel::FillBorderOp> borders; // that wait
  unsigned numSteps = 0;
};
} // namespace

/// Nobody writes to arguments that are inputs, nor to spilled scalars after
/// their only store.
bool Outliner::isReadOnly(Value memref) {
  memref = baseOf(memref);
  auto arg = dyn_cast<BlockArgument>(memref);
  return spills.contains(memref) ||
         (arg && arg.getOwner() == &entry.getBody().front() &&
          !entry.getArgAttr(arg.getArgNumber(), kDestinationAttr));
}

Kind Outliner::classify(Operation *op) {
  if (isa<memref::AllocOp, memref::GetGlobalOp>(op))
    return Kind::Storage;
  if (isa<cf::AssertOp>(op))
    return Kind::Plan;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return isReadOnly(load.getMemRef()) ? Kind::Cheap : Kind::Work;
  if (!isMemoryEffectFree(op) || op->getNumRegions() != 0)
    return Kind::Work;
  if (isa<ViewLikeOpInterface>(op))
    return Kind::Cheap;
  for (Type type : op->getResultTypes())
    if (!type.isIntOrIndex())
      return Kind::Cheap;
  if (auto dim = dyn_cast<memref::DimOp>(op))
    if (!dim.getConstantIndex())
      return Kind::Cheap;
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (def && kinds.lookup(def) != Kind::Plan &&
        !(isa<memref::DimOp>(op) && isa<memref::AllocOp>(def)))
      return Kind::Cheap;
  }
  return Kind::Plan;
}

bool Outliner::isPlanned(Value index) {
  Operation *def = index.getDefiningOp();
  if (!def)
    return isa<BaseMemRefType>(index.getType());
  if (auto it = kinds.find(def); it != kinds.end())
    return it->second == Kind::Plan || it->second == Kind::Storage;
  return llvm::all_of(def->getOperands(),
                      [&](Value operand) { return isPlanned(operand); });
}

SmallVector<Operation *> Outliner::spillResults(Operation *work) {
  SmallVector<Operation *> stores;
  for (OpResult result : work->getResults()) {
    if (isa<BaseMemRefType>(result.getType()) || result.use_empty())
      continue;
    Location loc = work->getLoc();
    builder.setInsertionPoint(work);
    auto alloc = memref::AllocOp::create(builder, loc,
                                         MemRefType::get({}, result.getType()));
    kinds[alloc] = Kind::Storage;
    spills.insert(alloc);
    for (OpOperand &use : llvm::make_early_inc_range(result.getUses())) {
      Operation *user =
          work->getBlock()->findAncestorOpInBlock(*use.getOwner());
      builder.setInsertionPoint(user);
      auto load = memref::LoadOp::create(builder, loc, alloc, ValueRange());
      kinds[load] = Kind::Cheap;
      use.set(load);
    }
    builder.setInsertionPointAfter(work);
    stores.push_back(
        memref::StoreOp::create(builder, loc, result, alloc, ValueRange()));
  }
  return stores;
}

/// Which memref arguments of a step its body writes.
static SmallVector<int64_t> writtenArguments(func::FuncOp step) {
  llvm::SmallSetVector<int64_t, 4> written;
  step.walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue())
        if (auto arg = dyn_cast<BlockArgument>(baseOf(effect.getValue())))
          if (arg.getOwner() == &step.getBody().front())
            written.insert(arg.getArgNumber());
  });
  SmallVector<int64_t> result(written.begin(), written.end());
  llvm::sort(result);
  return result;
}

/// Rejects work whose memory cannot be planned.
static LogicalResult verifyWork(Operation *work) {
  for (Type type : work->getResultTypes())
    if (isa<BaseMemRefType>(type))
      return work->emitError()
             << "'" << work->getName()
             << "' chooses a tensor at run time; such control flow cannot be "
                "compiled, compute both and select between them";
  WalkResult nested = work->walk([&](memref::AllocOp alloc) {
    return alloc == work ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (nested.wasInterrupted())
    return work->emitError()
           << "'" << work->getName()
           << "' needs a temporary inside of a loop or a branch, whose memory "
              "cannot be planned; move the computation out of it";
  return success();
}

Outliner::Inputs Outliner::inputsOf(ArrayRef<Operation *> work) {
  Inputs inputs;
  Operation *main = work.front();
  std::function<void(Value)> need = [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (def && (llvm::is_contained(work, def) || main->isAncestor(def)))
      return;
    if (!def || kinds.lookup(def) == Kind::Storage) {
      if (isa<BaseMemRefType>(value.getType()))
        inputs.buffers.insert(value);
      else
        inputs.sizes.insert(value);
      return;
    }
    if (kinds.lookup(def) == Kind::Plan && value.getType().isIndex() &&
        !matchPattern(value, m_Constant())) {
      inputs.sizes.insert(value);
      return;
    }
    if (inputs.clones.contains(def))
      return;
    for (Value operand : def->getOperands())
      need(operand);
    inputs.clones.insert(def);
  };
  for (Operation *op : work) {
    for (Value operand : op->getOperands())
      need(operand);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      need(value);
  }
  return inputs;
}

void Outliner::createStep(ArrayRef<Operation *> work, const Inputs &inputs,
                          ArrayRef<Value> operands) {
  Operation *main = work.front();
  Location loc = main->getLoc();
  NamedAttrList info(describeWork(main));
  std::string name = (entry.getName() + ".step" + Twine(numSteps++)).str();
  OpBuilder moduleBuilder(entry);
  auto step = func::FuncOp::create(
      moduleBuilder, loc, name,
      builder.getFunctionType(ValueRange(operands).getTypes(), {}));
  step.setPrivate();
  step->setAttr(kStepAttr, builder.getUnitAttr());
  if (llvm::any_of(work, llvm::IsaPred<kernel::FillBorderOp>))
    step->setAttr(kIndependentAttr, builder.getUnitAttr());
  symbols.insert(step);
  Block *body = step.addEntryBlock();
  IRMapping mapping;
  unsigned numMapped = inputs.buffers.size() + inputs.sizes.size();
  assert(operands.size() == numMapped + 4 &&
         "buffers, sizes, operations, bytes, thread and threads");
  for (unsigned i = 0; i < numMapped; ++i)
    mapping.map(operands[i], body->getArgument(i));
  OpBuilder bodyBuilder = OpBuilder::atBlockEnd(body);
  for (Operation *op : inputs.clones)
    bodyBuilder.clone(*op, mapping);
  for (Operation *op : work)
    bodyBuilder.clone(*op, mapping);
  func::ReturnOp::create(bodyBuilder, loc);
  step->setAttr(kWritesAttr,
                builder.getDenseI64ArrayAttr(writtenArguments(step)));
  auto call = func::CallOp::create(builder, loc, step, operands);
  ++numOutlined;
  numBorders += llvm::count_if(work, llvm::IsaPred<kernel::FillBorderOp>);
  LDBG() << "makes " << main->getName() << " at " << loc << " the step " << name
         << ", with " << inputs.buffers.size() << " buffers, "
         << inputs.sizes.size() << " sizes and " << inputs.clones.size()
         << " ops computed again";
  info.set("name", step.getSymNameAttr());
  call->setAttr(kKernelAttr, info.getDictionary(builder.getContext()));
  recordValues(call, step, main, mapping);
}

LogicalResult Outliner::outline(ArrayRef<Operation *> work) {
  Operation *main = work.front();
  if (failed(verifyWork(main)))
    return failure();
  Inputs inputs = inputsOf(work);
  Location loc = main->getLoc();
  builder.setInsertionPoint(main);
  WorkCounts counts = emitWorkCounts(builder, main);
  for (Value *count : {&counts.operations, &counts.bytes})
    if (!isPlanned(*count))
      *count = arith::ConstantIndexOp::create(builder, loc, 0);
  // Which thread runs the step, and of how many, is filled in by lower-entries.
  Value thread = arith::ConstantIndexOp::create(builder, loc, 0);
  Value threads = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> operands(inputs.buffers.begin(), inputs.buffers.end());
  operands.append(inputs.sizes.begin(), inputs.sizes.end());
  operands.append({counts.operations, counts.bytes, thread, threads});
  createStep(work, inputs, operands);
  for (Operation *op : llvm::reverse(work)) {
    kinds.erase(op);
    op->erase();
  }
  return success();
}

namespace {
enum class Use { None, WritesPart, Other };
} // namespace

/// How work uses a buffer of which a border is filled.
static Use useOf(Operation *work, Value buffer) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(work->getRegions(), captured);
  if (llvm::any_of(captured, [&](Value value) {
        return isa<BaseMemRefType>(value.getType()) && baseOf(value) == buffer;
      }))
    return Use::Other;
  Use use = Use::None;
  for (OpOperand &operand : work->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()) ||
        baseOf(operand.get()) != buffer)
      continue;
    auto destination = dyn_cast<DestinationStyleOpInterface>(work);
    auto copy = dyn_cast<memref::CopyOp>(work);
    bool isWritten = (destination && destination.isDpsInit(&operand)) ||
                     (copy && operand.get() == copy.getTarget());
    if (!isWritten || !operand.get().getDefiningOp<memref::SubViewOp>())
      return Use::Other;
    use = Use::WritesPart;
  }
  return use;
}

LogicalResult Outliner::outlineBorders(Operation *op) {
  SmallVector<kernel::FillBorderOp> waiting = std::move(borders);
  borders.clear();
  for (kernel::FillBorderOp border : waiting) {
    Use use = op ? useOf(op, baseOf(border.getOut())) : Use::Other;
    if (use != Use::Other)
      borders.push_back(border);
    else if (failed(outline({border.getOperation()})))
      return failure();
  }
  return success();
}

LogicalResult Outliner::outlineWork(Operation *op) {
  if (failed(outlineBorders(op)))
    return failure();
  SmallVector<Operation *> work{op};
  llvm::append_range(work, spillResults(op));
  llvm::erase_if(borders, [&](kernel::FillBorderOp border) {
    bool isFilled = useOf(op, baseOf(border.getOut())) == Use::WritesPart;
    if (isFilled)
      work.push_back(border);
    return isFilled;
  });
  return outline(work);
}

/// Results are materialized in their destinations: the function need not return
/// them.
static void dropReturnedBuffers(func::FuncOp entry) {
  Operation *ret = entry.getBody().front().getTerminator();
  for (int64_t i = (int64_t)ret->getNumOperands() - 1; i >= 0; --i)
    if (isa<BaseMemRefType>(ret->getOperand(i).getType()))
      ret->eraseOperand(i);
  SmallVector<Type> results(ret->getOperandTypes());
  entry.setType(
      FunctionType::get(entry.getContext(), entry.getArgumentTypes(), results));
}

LogicalResult Outliner::run() {
  if (!llvm::hasSingleElement(entry.getBody()))
    return entry.emitError("has control flow between blocks; use scf instead");
  dropReturnedBuffers(entry);
  resolveViewSizes(entry);
  Block &body = entry.getBody().front();
  // Ops are visited once, in order; loads that spilling adds are known cheap.
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (kinds.count(&op))
      continue;
    Kind kind = kinds[&op] = classify(&op);
    if (auto border = dyn_cast<kernel::FillBorderOp>(op))
      borders.push_back(border);
    else if (kind == Kind::Work && failed(outlineWork(&op)))
      return failure();
  }
  if (failed(outlineBorders(/*op=*/nullptr)))
    return failure();
  // Assertions that depend on data cannot be checked before the steps run.
  for (auto check : llvm::make_early_inc_range(body.getOps<cf::AssertOp>()))
    if (!isPlanned(check.getArg())) {
      kinds.erase(check);
      check.erase();
    }
  // Cheap ops have been cloned into the steps.
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op)) {
      kinds.erase(op);
      op->erase();
    }
  for (auto alloc : body.getOps<memref::AllocOp>())
    if (!llvm::all_of(alloc.getDynamicSizes(),
                      [&](Value size) { return isPlanned(size); }))
      return alloc.emitError(
          "the size of a temporary depends on data; qcc needs shapes that "
          "follow from those of the arguments");
  for (Value value : body.getTerminator()->getOperands())
    if (Operation *def = value.getDefiningOp())
      if (kinds.lookup(def) != Kind::Plan)
        return entry.emitError(
            "the shape of a result depends on data; qcc needs "
            "shapes that follow from those of the arguments");
  return success();
}

namespace {
struct OutlineSteps : qcc::impl::OutlineStepsBase<OutlineSteps> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> entries;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && !func.isDeclaration())
        entries.push_back(func);
    for (func::FuncOp entry : entries)
      if (failed(Outliner(entry, symbols).run()))
        return signalPassFailure();
  }
};
} // namespace
