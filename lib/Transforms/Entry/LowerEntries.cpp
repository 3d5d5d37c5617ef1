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

#include "ResultDims.h"
#include "WeightsBlob.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "qcc/Runtime/ABI.h"
#include "qcc/Transforms/Entry/Program.h"
#include "qcc/Transforms/Entry/Steps.h"
#include "qcc/Transforms/Passes.h"
#include <cstddef>

namespace qcc {
#define GEN_PASS_DEF_LOWERENTRIES
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

namespace {
class EntryLowering {
public:
  EntryLowering(func::FuncOp entry, SymbolTable &symbols, WeightsBlob &weights)
      : entry(entry), symbols(symbols), weights(weights),
        builder(entry.getContext()), loc(entry.getLoc()),
        pointer(LLVM::LLVMPointerType::get(entry.getContext())),
        converter(entry.getContext()) {}

  FailureOr<ProgramEntry> run();

private:
  void collectTensors();
  void beginPlan();
  /// The value of an index of the entry in the plan function.
  Value inPlan(Value index);
  /// The size that stands for an index of the entry.
  int64_t sizeOf(Value index);
  int64_t sizeOf(OpFoldResult index);
  SmallVector<int64_t> dimsOf(Value memref);
  FailureOr<ProgramOperand> operandOf(Value memref);
  LogicalResult lowerStep(func::CallOp call);
  /// What the plan function returns: the size of the arena, or which
  /// requirement the dimensions contradict.
  Value planResult(Value arena);

  /// The function of the ABI that runs a step.
  struct StepFunction {
    std::string name;
    Block *body;
    Value frame;  ///< of type qcc_frame
    Value values; ///< the values table
  };
  StepFunction beginStepFunction(StringRef name, Location callLoc);
  /// A pointer to the scratch memory of the thread.
  Value scratchOf(const StepFunction &function);
  /// A pointer to an operand of the step.
  Value dataOf(const StepFunction &function, const ProgramOperand &operand);

  // In the function of a step.
  Value loadField(Value frame, size_t offset, Type type);
  Value element(Value base, int64_t i, Type type);
  Value loadSize(Value values, int64_t size);
  Value memrefFor(MemRefType type, Value data, Value values,
                  ArrayRef<int64_t> dims);

  func::FuncOp entry;
  SymbolTable &symbols;
  WeightsBlob &weights;
  OpBuilder builder;
  Location loc;
  Type pointer;
  LLVMTypeConverter converter;

  ProgramEntry program;
  SmallVector<BlockArgument> destinations;
  func::FuncOp plan;
  Value planValues;
  DenseMap<Value, Value> planned; // entry's index -> plan's index
  DenseMap<Value, int64_t> slots; // entry's index -> slot
};
} // namespace

/// The part of the arena that is a temporary, whose rows may be apart. Null if
/// `memref` is not a temporary.
static memref::ViewOp viewOf(Value memref) {
  if (auto rows = memref.getDefiningOp<memref::SubViewOp>())
    memref = rows.getSource();
  return memref.getDefiningOp<memref::ViewOp>();
}

static Type sourceElement(func::FuncOp func, unsigned i) {
  if (auto source = func.getArgAttrOfType<TypeAttr>(i, kSourceTypeAttr))
    return getElementTypeOrSelf(source.getValue());
  return getElementTypeOrSelf(func.getArgument(i).getType());
}

void EntryLowering::collectTensors() {
  program.name = entry.getName().str();
  program.symbols = 0;
  for (unsigned i = 0, e = entry.getNumArguments() - 1; i < e; ++i) {
    auto type = cast<MemRefType>(entry.getArgument(i).getType());
    bool isResult = !!entry.getArgAttr(i, kDestinationAttr);
    ProgramTensor tensor{sourceElement(entry, i), {}, {}};
    if (auto name = entry.getArgAttrOfType<StringAttr>(i, kNameAttr))
      tensor.name = name.str();
    for (int64_t dim : type.getShape())
      tensor.dims.push_back(ShapedType::isDynamic(dim) ? -1 - program.symbols++
                                                       : dim);
    // Results come last, so their dimensions follow those of the arguments.
    (isResult ? program.results : program.arguments).push_back(tensor);
    if (isResult)
      destinations.push_back(entry.getArgument(i));
  }
  program.values = program.symbols;
  for (const ProgramTensor &result : program.results)
    for (int64_t dim : result.dims)
      program.symbols -= dim < 0;
}

Value EntryLowering::element(Value base, int64_t i, Type type) {
  return LLVM::GEPOp::create(builder, loc, pointer, type, base,
                             ArrayRef<LLVM::GEPArg>{(int32_t)i});
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

Value EntryLowering::loadField(Value frame, size_t offset, Type type) {
  Value address =
      LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), frame,
                          ArrayRef<LLVM::GEPArg>{(int32_t)offset});
  return LLVM::LoadOp::create(builder, loc, type, address);
}

Value EntryLowering::loadSize(Value values, int64_t size) {
  if (size >= 0)
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), size);
  return LLVM::LoadOp::create(builder, loc, builder.getI64Type(),
                              element(values, -1 - size, builder.getI64Type()));
}

/// A memref value over `data`, row-major, compact but for the pitch of rows
/// that the type may have.
Value EntryLowering::memrefFor(MemRefType type, Value data, Value values,
                               ArrayRef<int64_t> dims) {
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, data);
  descriptor.setAlignedPtr(builder, loc, data);
  descriptor.setConstantOffset(builder, loc, 0);
  Value stride = loadSize(values, 1);
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    Value size = loadSize(values, dims[i]);
    descriptor.setSize(builder, loc, i, size);
    descriptor.setStride(builder, loc, i, stride);
    if (i == type.getRank() - 1 && rowPitchOf(type))
      size = loadSize(values, rowPitchOf(type));
    stride = LLVM::MulOp::create(builder, loc, stride, size);
  }
  Value structure = descriptor;
  return UnrealizedConversionCastOp::create(builder, loc, TypeRange{type},
                                            structure)
      .getResult(0);
}

EntryLowering::StepFunction EntryLowering::beginStepFunction(StringRef name,
                                                             Location callLoc) {
  Type i32 = builder.getI32Type();
  builder.setInsertionPoint(entry);
  auto function =
      func::FuncOp::create(builder, callLoc, (name + ".run").str(),
                           builder.getFunctionType({pointer, i32, i32}, {}));
  StepFunction result;
  result.name = symbols.insert(function).str();
  result.body = function.addEntryBlock();
  builder.setInsertionPointToEnd(result.body);
  result.frame = result.body->getArgument(0);
  result.values = loadField(result.frame, offsetof(qcc_frame, values), pointer);
  return result;
}

Value EntryLowering::scratchOf(const StepFunction &function) {
  Type i64 = builder.getI64Type();
  Value base = loadField(function.frame, offsetof(qcc_frame, scratch), pointer);
  Value stride =
      loadField(function.frame, offsetof(qcc_frame, scratch_stride), i64);
  Value thread =
      LLVM::SExtOp::create(builder, loc, i64, function.body->getArgument(1));
  Value at = LLVM::MulOp::create(builder, loc, thread, stride);
  return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{at});
}

Value EntryLowering::dataOf(const StepFunction &function,
                            const ProgramOperand &operand) {
  if (operand.kind == QCC_ARENA || operand.kind == QCC_WEIGHTS) {
    size_t field = operand.kind == QCC_ARENA ? offsetof(qcc_frame, arena)
                                             : offsetof(qcc_frame, weights);
    Value base = loadField(function.frame, field, pointer);
    Value offset = loadSize(function.values, operand.index);
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{offset});
  }
  int64_t position = operand.kind == QCC_ARGUMENT
                         ? operand.index
                         : program.arguments.size() + operand.index;
  Value tensors =
      loadField(function.frame, offsetof(qcc_frame, tensors), pointer);
  return LLVM::LoadOp::create(builder, loc, pointer,
                              element(tensors, position, pointer));
}

LogicalResult EntryLowering::lowerStep(func::CallOp call) {
  auto step = symbols.lookup<func::FuncOp>(call.getCallee());
  unsigned count = call.getNumOperands();
  auto amount = [&](StepArgument which) {
    return sizeOf(call.getOperand(count - static_cast<unsigned>(which)));
  };
  ProgramStep info;
  info.kernel = call->getAttrOfType<DictionaryAttr>(kKernelAttr);
  info.parallel = step->hasAttr(kParallelAttr);
  auto scratch = step->getAttrOfType<IntegerAttr>(kScratchAttr);
  info.scratch = scratch ? scratch.getInt() : 0;
  info.operations = amount(StepArgument::Operations);
  info.bytes = amount(StepArgument::Bytes);
  ArrayRef<int64_t> writes =
      step->getAttrOfType<DenseI64ArrayAttr>(kWritesAttr).asArrayRef();

  StepFunction function =
      beginStepFunction(info.kernel.getAs<StringAttr>("name"), call.getLoc());
  info.function = function.name;
  SmallVector<Value> arguments;
  for (unsigned i = 0; i + 2 < count; ++i) {
    auto memref = dyn_cast<MemRefType>(step.getArgument(i).getType());
    if (scratch && i == 0) {
      arguments.push_back(memrefFor(memref, scratchOf(function),
                                    function.values, {info.scratch}));
    } else if (memref) {
      FailureOr<ProgramOperand> operand = operandOf(call.getOperand(i));
      if (failed(operand))
        return failure();
      if (ArrayAttr values = call.getArgAttrsAttr())
        operand->describe(cast<DictionaryAttr>(values[i]));
      builder.setInsertionPointToEnd(function.body);
      arguments.push_back(memrefFor(memref, dataOf(function, *operand),
                                    function.values, operand->dims));
      SmallVector<int64_t> inMemory = operand->dims;
      for (auto [d, size] : llvm::zip(operand->order, inMemory))
        operand->dims[d] = size;
      bool isWritten = llvm::is_contained(writes, static_cast<int64_t>(i));
      (isWritten ? info.outputs : info.inputs).push_back(*operand);
    } else if (!step.getArgument(i).getType().isIndex()) {
      // A literal that steps do not share (share-steps).
      builder.setInsertionPointToEnd(function.body);
      arguments.push_back(
          builder.clone(*call.getOperand(i).getDefiningOp())->getResult(0));
    } else {
      int64_t size = sizeOf(call.getOperand(i));
      builder.setInsertionPointToEnd(function.body);
      arguments.push_back(
          arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                     loadSize(function.values, size)));
    }
  }
  for (unsigned i = 1; i <= 2; ++i)
    arguments.push_back(arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(), function.body->getArgument(i)));
  func::CallOp::create(builder, loc, step, arguments);
  func::ReturnOp::create(builder, loc);
  program.steps.push_back(std::move(info));
  return success();
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
  collectTensors();
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
  for (auto call : entry.getBody().front().getOps<func::CallOp>())
    if (failed(lowerStep(call)))
      return failure();
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
    WeightsBlob weights(symbols);
    Program program;
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
    program.weights = weights.finish(&getContext());
    program.attach(getOperation());
    for (auto global :
         llvm::make_early_inc_range(getOperation().getOps<memref::GlobalOp>()))
      global.erase();
  }
};
} // namespace
