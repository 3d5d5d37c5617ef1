//===- ShareSteps.cpp - One function for steps of the same form -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The *form* of a step is its code without the literals that could as well be
// arguments: everything that has decided which code there is belongs to it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Dialect/QNN/IR/WeightNote.h"
#include "qcc/Dialect/Utils/Notes.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
#include "qcc/Transforms/Contraction/TunedConfigs.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Steps/Steps.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include <map>

#define DEBUG_TYPE "share-steps"

namespace qcc {
#define GEN_PASS_DEF_SHARESTEPS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

/// The number of a literal, or of all its elements; null where they differ or
/// are no numbers that a step computes with.
static TypedAttr numberOf(Attribute literal) {
  if (auto dense = dyn_cast<DenseElementsAttr>(literal)) {
    if (!dense.isSplat())
      return {};
    literal = dense.getSplatValue<Attribute>();
  }
  auto number = dyn_cast<TypedAttr>(literal);
  if (auto real = dyn_cast<FloatAttr>(literal))
    return real.getType().isF32() && !real.getValue().isNaN() ? number
                                                              : TypedAttr();
  auto integer = dyn_cast<IntegerAttr>(literal);
  bool isNumber = integer && integer.getType().isInteger() &&
                  integer.getType().getIntOrFloatBitWidth() >= 8;
  return isNumber ? number : TypedAttr();
}

/// Whether a maximum or minimum with a number that is not NaN is one comparison
/// and one choice, as it is for a literal.
static bool isClamp(Operation *op, TypedAttr bound) {
  if (!isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    return false;
  auto flags = cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr();
  auto real = cast<FloatAttr>(bound);
  return !real.getValue().isZero() ||
         arith::bitEnumContainsAny(flags.getValue(), arith::FastMathFlags::nsz);
}

/// The literal of an operand, if an argument would do as well: no instruction
/// depends on what it is. Null otherwise.
static TypedAttr parameterOf(OpOperand &use) {
  Attribute literal;
  if (!matchPattern(use.get(), m_Constant(&literal)))
    return {};
  TypedAttr number = numberOf(literal);
  if (!number)
    return {};
  Operation *op = use.getOwner();
  unsigned i = use.getOperandNumber();
  bool isComputed =
      isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp,
          arith::AddIOp, arith::SubIOp, arith::MaxSIOp, arith::MinSIOp>(op) ||
      (isa<arith::SelectOp>(op) && i > 0) || isClamp(op, number);
  bool isStored =
      (isa<memref::StoreOp, vector::StoreOp, vector::TransferWriteOp>(op) &&
       i == 0) ||
      (isa<vector::MaskedStoreOp>(op) && i + 1 == op->getNumOperands());
  return isComputed || isStored ? number : TypedAttr();
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

namespace {
/// The form of a step, as a list that is equal for steps of the same form, and
/// the operands that are literals.
class Form {
public:
  /// `isOpen` says whether literals may differ.
  Form(func::FuncOp step, bool isOpen) : isOpen(isOpen) {
    add(step.getFunctionType().getAsOpaquePointer());
    for (NamedAttribute attr : step->getDiscardableAttrs()) {
      add(attr.getName().getAsOpaquePointer());
      add(attr.getValue().getAsOpaquePointer());
    }
    addRegion(step.getBody());
  }

  size_t hash() const {
    return llvm::hash_combine_range(tokens.begin(), tokens.end());
  }
  bool operator==(const Form &other) const { return tokens == other.tokens; }

  SmallVector<OpOperand *> literals;

private:
  void add(const void *token) { tokens.push_back(token); }
  void addCount(size_t count) { add(reinterpret_cast<const void *>(count)); }
  void addAttributes(Operation &op);
  void addRegion(Region &region);
  void addOperand(OpOperand &operand);

  bool isOpen;
  std::vector<const void *> tokens;
  DenseMap<Value, size_t> numbers; // in the order of definitions
};
} // namespace

void Form::addOperand(OpOperand &operand) {
  enum : size_t { Literal, Constant, Number };
  Attribute constant;
  add(operand.get().getType().getAsOpaquePointer());
  if (isOpen && parameterOf(operand)) {
    addCount(Literal);
    literals.push_back(&operand);
  } else if (matchPattern(operand.get(), m_Constant(&constant))) {
    addCount(Constant);
    add(constant.getAsOpaquePointer());
  } else {
    addCount(Number);
    addCount(numbers.lookup(operand.get()));
  }
}

/// Whether an attribute of work is a note for people, which the calls of its
/// step have by then, so that no code depends on it.
static bool isNote(Operation &op, StringAttr name) {
  if (auto contract = dyn_cast<kernel::ContractOp>(op))
    if (name == contract.getFusedAttrName())
      return true;
  return llvm::is_contained({kOriginAttr, kRefusedAttr, kNotTunedAttr,
                             kMergedGroupsAttr, kValuesAttr, kWeightAttr},
                            name.getValue());
}

void Form::addAttributes(Operation &op) {
  SmallVector<NamedAttribute> attrs(op.getAttrs());
  llvm::erase_if(
      attrs, [&](NamedAttribute attr) { return isNote(op, attr.getName()); });
  addCount(attrs.size());
  for (NamedAttribute attr : attrs) {
    add(attr.getName().getAsOpaquePointer());
    add(attr.getValue().getAsOpaquePointer());
  }
}

void Form::addRegion(Region &region) {
  addCount(region.getBlocks().size());
  for (Block &block : region) {
    addCount(block.getNumArguments());
    for (BlockArgument argument : block.getArguments()) {
      add(argument.getType().getAsOpaquePointer());
      numbers.try_emplace(argument, numbers.size());
    }
    for (Operation &op : block) {
      // Where there is control flow between blocks, no two forms are equal.
      if (op.getNumSuccessors() != 0)
        add(&op);
      if (op.hasTrait<OpTrait::ConstantLike>())
        continue;
      add(op.getName().getAsOpaquePointer());
      addAttributes(op);
      addCount(op.getNumOperands());
      for (OpOperand &operand : op.getOpOperands())
        addOperand(operand);
      addCount(op.getNumResults());
      for (OpResult result : op.getResults()) {
        add(result.getType().getAsOpaquePointer());
        numbers.try_emplace(result, numbers.size());
      }
      addCount(op.getNumRegions());
      for (Region &inner : op.getRegions())
        addRegion(inner);
    }
  }
}

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

namespace {
/// Steps of one form.
struct Group {
  Form form;
  SmallVector<func::FuncOp> steps;
  SmallVector<SmallVector<OpOperand *>> literals; // of each step
};

/// A literal that is not the same in all steps of a group: what it is in each.
using Parameter = SmallVector<Attribute>;

ALWAYS_ENABLED_STATISTIC(numShared, "Steps that became calls of another step");
ALWAYS_ENABLED_STATISTIC(numParameters, "Literals that became arguments");
ALWAYS_ENABLED_STATISTIC(numApart,
                         "Groups of steps with too many different literals");

class Sharing {
public:
  Sharing(Group &group, DenseMap<StringAttr, SmallVector<func::CallOp>> &calls)
      : group(group), calls(calls), shared(group.steps.front()),
        builder(shared.getContext()) {}

  /// Makes the calls of all steps calls of the first, and erases the others.
  void run();

private:
  /// Parameters beyond these would take registers from what the step computes.
  static constexpr unsigned kMaxParameters = 16;

  bool findParameters();
  void addArguments();
  void replaceLiteral(OpOperand &use, unsigned parameter);
  void redirect(func::CallOp call, unsigned step);

  Group &group;
  DenseMap<StringAttr, SmallVector<func::CallOp>> &calls;
  func::FuncOp shared;
  OpBuilder builder;
  SmallVector<Parameter> parameters;
  SmallVector<std::pair<OpOperand *, unsigned>> uses; // and their parameters
  SmallVector<Value> arguments;                       // of parameters
  std::map<std::pair<unsigned, const void *>, Value> splats; // by type
};
} // namespace

bool Sharing::findParameters() {
  ArrayRef<OpOperand *> literals = group.literals.front();
  for (unsigned i = 0; i < literals.size(); ++i) {
    Parameter parameter;
    for (ArrayRef<OpOperand *> ofStep : group.literals) {
      assert(ofStep.size() == literals.size() &&
             "steps of one form have the same literals");
      parameter.push_back(parameterOf(*ofStep[i]));
    }
    if (llvm::all_equal(parameter))
      continue;
    auto known = llvm::find(parameters, parameter);
    uses.push_back({literals[i], unsigned(known - parameters.begin())});
    if (known == parameters.end())
      parameters.push_back(parameter);
  }
  return parameters.size() <= kMaxParameters;
}

/// The arguments stand before those that all steps have last.
static unsigned positionIn(unsigned count) {
  assert(count >= static_cast<unsigned>(StepArgument::Operations) &&
         "a step ends with four indices");
  return count - static_cast<unsigned>(StepArgument::Operations);
}

void Sharing::addArguments() {
  for (const Parameter &parameter : parameters) {
    unsigned position = positionIn(shared.getNumArguments());
    (void)shared.insertArgument(position,
                                cast<TypedAttr>(parameter.front()).getType(),
                                {}, shared.getLoc());
    arguments.push_back(shared.getArgument(position));
  }
}

void Sharing::replaceLiteral(OpOperand &use, unsigned parameter) {
  Type type = use.get().getType();
  Operation *op = use.getOwner();
  Value value = arguments[parameter];
  if (isa<VectorType>(type)) {
    Value &splat = splats[{parameter, type.getAsOpaquePointer()}];
    if (!splat) {
      builder.setInsertionPointToStart(&shared.getBody().front());
      splat =
          vector::BroadcastOp::create(builder, shared.getLoc(), type, value);
    }
    value = splat;
  }
  if (!isa<arith::MaximumFOp, arith::MinimumFOp>(op)) {
    use.set(value);
    return;
  }
  // The number at hand is kept where it is NaN, or where both are equal.
  Value number = op->getOperand(1 - use.getOperandNumber());
  builder.setInsertionPoint(op);
  auto isOutside = arith::CmpFOp::create(builder, op->getLoc(),
                                         isa<arith::MaximumFOp>(op)
                                             ? arith::CmpFPredicate::OLT
                                             : arith::CmpFPredicate::OGT,
                                         number, value);
  op->replaceAllUsesWith(
      arith::SelectOp::create(builder, op->getLoc(), isOutside, value, number));
  op->erase();
}

void Sharing::redirect(func::CallOp call, unsigned step) {
  builder.setInsertionPoint(call);
  assert(llvm::all_of(parameters,
                      [&](const Parameter &parameter) {
                        return parameter.size() == group.steps.size();
                      }) &&
         "a parameter has a number for each step");
  unsigned position = positionIn(call.getNumOperands());
  SmallVector<Value> literals;
  for (const Parameter &parameter : parameters)
    literals.push_back(arith::ConstantOp::create(
        builder, call.getLoc(), cast<TypedAttr>(parameter[step])));
  call->insertOperands(position, literals);
  call.setCallee(shared.getName());
  ArrayAttr values = call.getArgAttrsAttr();
  if (!values)
    return;
  SmallVector<Attribute> attrs(values.getValue());
  attrs.insert(attrs.begin() + position, literals.size(),
               builder.getDictionaryAttr({}));
  call.setArgAttrsAttr(builder.getArrayAttr(attrs));
}

void Sharing::run() {
  if (!findParameters()) {
    ++numApart;
    LDBG() << "leaves " << group.steps.size() << " steps like "
           << shared.getName() << " apart: more than " << kMaxParameters
           << " literals differ";
    return;
  }
  numShared += group.steps.size() - 1;
  numParameters += parameters.size();
  LDBG() << "shares " << shared.getName() << " among " << group.steps.size()
         << " steps, with " << parameters.size() << " literals as arguments";
  addArguments();
  for (auto [use, parameter] : uses)
    replaceLiteral(*use, parameter);
  for (auto [i, step] : llvm::enumerate(group.steps)) {
    for (func::CallOp call : calls[step.getSymNameAttr()])
      redirect(call, i);
    if (i != 0)
      step.erase();
  }
}

namespace {
struct ShareSteps : qcc::impl::ShareStepsBase<ShareSteps> {
  using Base::Base;
  void runOnOperation() override {
    llvm::MapVector<size_t, SmallVector<Group, 1>> groups; // by hash
    for (auto step : getOperation().getOps<func::FuncOp>()) {
      if (!isStep(step))
        continue;
      Form form(step, literals);
      auto open = std::move(form.literals);
      SmallVector<Group, 1> &candidates = groups[form.hash()];
      auto group = llvm::find_if(
          candidates, [&](Group &candidate) { return candidate.form == form; });
      if (group == candidates.end())
        group = &candidates.emplace_back(Group{std::move(form), {}, {}});
      group->steps.push_back(step);
      group->literals.push_back(std::move(open));
    }
    DenseMap<StringAttr, SmallVector<func::CallOp>> calls;
    getOperation().walk([&](func::CallOp call) {
      calls[call.getCalleeAttr().getAttr()].push_back(call);
    });
    for (auto &[hash, candidates] : groups)
      for (Group &group : candidates)
        if (group.steps.size() > 1)
          Sharing(group, calls).run();
  }
};
} // namespace
