//===- LowerEntries.cpp - Entries to what the runtime calls ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values table: first the dynamic dimensions of the arguments, then those
// of the results, then every other index that a step takes.
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "ResultDims.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Artifact/ABI.h"
#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Steps/Steps.h"

namespace qcc {
#define GEN_PASS_DEF_LOWERENTRIES
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

static Type sourceElement(func::FuncOp func, unsigned i) {
  if (auto source = func.getArgAttrOfType<TypeAttr>(i, kSourceTypeAttr))
    return getElementTypeOrSelf(source.getValue());
  return getElementTypeOrSelf(func.getArgument(i).getType());
}

/// The names of the dimensions of an argument.
static FailureOr<std::vector<std::string>> readDimNames(func::FuncOp func,
                                                        unsigned i) {
  std::vector<std::string> names;
  Attribute attr = func.getArgAttr(i, kDimNamesAttr);
  if (!attr)
    return names;
  int64_t rank = cast<MemRefType>(func.getArgument(i).getType()).getRank();
  auto list = dyn_cast<ArrayAttr>(attr);
  if (!list || static_cast<int64_t>(list.size()) != rank ||
      !llvm::all_of(list, llvm::IsaPred<StringAttr>))
    return emitError(func.getArgument(i).getLoc())
           << kDimNamesAttr << " of argument " << i << " is " << attr
           << ", but it must be a list of " << rank
           << " strings, one for each dimension";
  for (Attribute name : list)
    names.push_back(cast<StringAttr>(name).str());
  return names;
}

LogicalResult EntryLowering::collectTensors() {
  program.name = entry.getName().str();
  program.symbols = 0;
  for (unsigned i = 0, e = entry.getNumArguments() - 1; i < e; ++i) {
    auto type = cast<MemRefType>(entry.getArgument(i).getType());
    bool isResult = !!entry.getArgAttr(i, kDestinationAttr);
    FailureOr<std::vector<std::string>> dimNames = readDimNames(entry, i);
    if (failed(dimNames))
      return failure();
    ProgramTensor tensor{sourceElement(entry, i), {}, {}, std::move(*dimNames)};
    if (auto name = entry.getArgAttrOfType<StringAttr>(i, kNameAttr))
      tensor.name = name.str();
    for (int64_t dim : type.getShape())
      tensor.dims.push_back(ShapedType::isDynamic(dim) ? -1 - program.symbols++
                                                       : dim);
    // Results come last, so their dimensions follow those of the arguments.
    (isResult ? program.results : program.arguments).push_back(tensor);
    if (!isResult)
      continue;
    destinations.push_back(entry.getArgument(i));
    auto argument = entry.getArgAttrOfType<IntegerAttr>(i, kInPlaceAttr);
    program.inPlace.push_back(argument ? static_cast<int32_t>(argument.getInt())
                                       : -1);
  }
  program.values = program.symbols;
  for (const ProgramTensor &result : program.results)
    for (int64_t dim : result.dims)
      program.symbols -= dim < 0;
  return success();
}

void EntryLowering::beginPlan() {
  builder.setInsertionPoint(entry);
  plan = func::FuncOp::create(
      builder, loc, program.name + ".plan",
      builder.getFunctionType({pointer}, {builder.getI64Type()}));
  program.plan = symbols.insert(plan).str(); // another function may have it
  Block *body = plan.addEntryBlock();
  planValues = body->getArgument(0);
  builder.setInsertionPointToEnd(body);
  func::ReturnOp::create(
      builder, loc,
      LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), 0)
          .getResult());
}

Value EntryLowering::inPlan(Value index) {
  if (Value known = planned.lookup(index))
    return known;
  Operation *def = index.getDefiningOp();
  Value result;
  auto dim = dyn_cast<memref::DimOp>(def);
  if (!dim) {
    IRMapping mapping;
    for (Value operand : def->getOperands())
      mapping.map(operand, inPlan(operand));
    builder.setInsertionPoint(plan.getBody().front().getTerminator());
    // A division by 0 has no meaning, but it must not end the process.
    if (isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
            arith::CeilDivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(def)) {
      Value divisor = mapping.lookup(def->getOperand(1));
      Value one = arith::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(divisor.getType(), 1));
      mapping.map(def->getOperand(1),
                  arith::MaxUIOp::create(builder, loc, divisor, one));
    }
    result = builder.clone(*def, mapping)
                 ->getResult(cast<OpResult>(index).getResultNumber());
  } else if (auto view = viewOf(dim.getSource())) {
    unsigned position = 0;
    for (int64_t i = 0; i < *dim.getConstantIndex(); ++i)
      position += view.getType().isDynamicDim(i);
    result = inPlan(view.getSizes()[position]);
  } else {
    auto arg = cast<BlockArgument>(dim.getSource());
    unsigned number = arg.getArgNumber();
    unsigned numArguments = program.arguments.size();
    bool isResult = number >= numArguments;
    int64_t size = (isResult ? program.results[number - numArguments]
                             : program.arguments[number])
                       .dims[*dim.getConstantIndex()];
    int64_t slot = -1 - size;
    if (isResult) {
      Operation *ret = entry.getBody().front().getTerminator();
      result = inPlan(ret->getOperand(slot - program.symbols));
    } else {
      builder.setInsertionPointToStart(&plan.getBody().front());
      Value loaded =
          LLVM::LoadOp::create(builder, loc, builder.getI64Type(),
                               element(planValues, slot, builder.getI64Type()));
      result = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                          loaded);
    }
  }
  planned[index] = result;
  return result;
}

int64_t EntryLowering::sizeOf(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    if (*constant >= 0)
      return *constant;
  auto [it, inserted] = slots.insert({index, program.values});
  if (!inserted)
    return -1 - it->second;
  int64_t slot = program.values++;
  Value value = inPlan(index);
  builder.setInsertionPoint(plan.getBody().front().getTerminator());
  Value integer =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
  LLVM::StoreOp::create(builder, loc, integer,
                        element(planValues, slot, builder.getI64Type()));
  return -1 - slot;
}

int64_t EntryLowering::sizeOf(OpFoldResult index) {
  if (auto attr = dyn_cast<Attribute>(index))
    return cast<IntegerAttr>(attr).getInt();
  return sizeOf(cast<Value>(index));
}

/// The sizes of a buffer of the entry; casts are looked through.
SmallVector<int64_t> EntryLowering::dimsOf(Value memref) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  if (auto arg = dyn_cast<BlockArgument>(memref)) {
    unsigned number = arg.getArgNumber();
    unsigned numArguments = program.arguments.size();
    return number < numArguments ? program.arguments[number].dims
                                 : program.results[number - numArguments].dims;
  }
  memref::ViewOp view = viewOf(memref);
  SmallVector<int64_t> dims;
  unsigned dynamic = 0;
  for (int64_t dim : cast<MemRefType>(memref.getType()).getShape())
    dims.push_back(
        ShapedType::isDynamic(dim) ? sizeOf(view.getSizes()[dynamic++]) : dim);
  return dims;
}

FailureOr<ProgramOperand> EntryLowering::operandOf(Value memref) {
  ProgramOperand operand;
  operand.dims = dimsOf(memref);
  operand.elementType = cast<MemRefType>(memref.getType()).getElementType();
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  if (auto arg = dyn_cast<BlockArgument>(memref)) {
    int64_t numArguments = program.arguments.size();
    int64_t number = arg.getArgNumber();
    operand.kind = number < numArguments ? QCC_ARGUMENT : QCC_RESULT;
    operand.index = number < numArguments ? number : number - numArguments;
    return operand;
  }
  if (memref::ViewOp view = viewOf(memref)) {
    operand.rowPitch = rowPitchOf(cast<MemRefType>(memref.getType()));
    operand.kind = QCC_ARENA;
    operand.index = sizeOf(view.getByteShift());
    return operand;
  }
  auto global = memref.getDefiningOp<memref::GetGlobalOp>();
  if (!global)
    return emitError(memref.getLoc(), "a step uses a buffer of unknown origin");
  FailureOr<int64_t> offset = weights.offsetOf(global);
  if (failed(offset))
    return failure();
  operand.kind = QCC_WEIGHTS;
  operand.index = *offset;
  return operand;
}

Value EntryLowering::planResult(Value arena) {
  Value size = inPlan(arena);
  SmallVector<Value> conditions;
  for (auto check : entry.getBody().front().getOps<cf::AssertOp>()) {
    conditions.push_back(inPlan(check.getArg()));
    program.requirements.push_back(check.getMsg().str());
  }
  builder.setInsertionPoint(plan.getBody().front().getTerminator());
  Value result =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), size);
  // The result names the first condition that is contradicted.
  for (int64_t i = conditions.size() - 1; i >= 0; --i) {
    Value refusal =
        LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), -1 - i);
    result =
        arith::SelectOp::create(builder, loc, conditions[i], result, refusal);
  }
  return result;
}

FailureOr<ProgramEntry> EntryLowering::run() {
  if (failed(collectTensors()))
    return failure();
  beginPlan();
  Operation *ret = entry.getBody().front().getTerminator();
  // The dimensions of the results have their slots already.
  unsigned numDims =
      ret->getNumOperands() - static_cast<unsigned>(EntryResult::LiveBytes);
  for (unsigned i = 0; i < numDims; ++i) {
    Value value = inPlan(ret->getOperand(i));
    builder.setInsertionPoint(plan.getBody().front().getTerminator());
    Value integer =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
    LLVM::StoreOp::create(
        builder, loc, integer,
        element(planValues, program.symbols + i, builder.getI64Type()));
  }
  for (Operation &op : entry.getBody().front()) {
    auto call = dyn_cast<func::CallOp>(op);
    auto launch = dyn_cast<kernel::LaunchOp>(op);
    if ((call && failed(lowerStep(call))) ||
        (launch && failed(lowerLaunch(launch))))
      return failure();
  }
  Value result = planResult(getEntryResult(entry, EntryResult::ArenaBytes));
  plan.getBody().front().getTerminator()->setOperand(0, result);
  shareResultDims(entry, program);
  symbols.erase(entry);
  return std::move(program);
}

namespace {
struct LowerEntries : qcc::impl::LowerEntriesBase<LowerEntries> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    GlobalWeights weights(symbols);
    Program program;
    if (failed(verifyMetadata(getOperation())))
      return signalPassFailure();
    SmallVector<func::FuncOp> entries;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic())
        entries.push_back(func);
    for (func::FuncOp entry : entries) {
      Location loc = entry.getLoc();
      FailureOr<ProgramEntry> lowered =
          EntryLowering(entry, symbols, weights).run();
      if (failed(lowered) || failed(verifyLimits(loc, *lowered)))
        return signalPassFailure();
      program.entries.push_back(std::move(*lowered));
    }
    getOperation().walk(lowerDynamicExpansion);
    program.weights = std::move(weights.weights);
    program.attach(getOperation());
    for (auto global :
         llvm::make_early_inc_range(getOperation().getOps<memref::GlobalOp>()))
      global.erase();
  }
};
} // namespace
