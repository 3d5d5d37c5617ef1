//===- LowerSteps.cpp - Steps of an entry to what the runtime calls -------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "qcc/Artifact/ABI.h"
#include "qcc/Transforms/Steps/Memrefs.h"
#include "qcc/Transforms/Steps/Steps.h"
#include <cstddef>

using namespace mlir;
using namespace qcc;

Value EntryLowering::element(Value base, int64_t i, Type type) {
  return LLVM::GEPOp::create(builder, loc, pointer, type, base,
                             ArrayRef<LLVM::GEPArg>{(int32_t)i});
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

Value EntryLowering::memrefFor(MemRefType type, Value data, Value values,
                               ArrayRef<int64_t> dims) {
  return emitMemref(builder, loc, converter, type, data,
                    [&](unsigned dim) { return loadSize(values, dims[dim]); });
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

void EntryLowering::beginUnlessInPlace(const StepFunction &function,
                                       const ProgramStep &step) {
  Value differ = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                      dataOf(function, step.inputs.front()),
                                      dataOf(function, step.outputs.front()));
  auto condition = scf::IfOp::create(builder, loc, differ);
  builder.setInsertionPointToStart(condition.thenBlock());
}

void EntryLowering::addOperand(ProgramStep &step, ProgramOperand operand,
                               bool isWritten) {
  SmallVector<int64_t> inMemory = operand.dims, widths = operand.border;
  for (auto [i, d] : llvm::enumerate(operand.order)) {
    operand.dims[d] = inMemory[i];
    if (size_t rank = operand.order.size(); !widths.empty()) {
      operand.border[d] = widths[i];
      operand.border[rank + d] = widths[rank + i];
    }
  }
  (isWritten ? step.outputs : step.inputs).push_back(std::move(operand));
}

LogicalResult EntryLowering::lowerStep(func::CallOp call) {
  auto step = symbols.lookup<func::FuncOp>(call.getCallee());
  unsigned count = call.getNumOperands();
  auto argument = [&](StepArgument which) {
    return sizeOf(call.getOperand(count - static_cast<unsigned>(which)));
  };
  ProgramStep info;
  info.kernel = call->getAttrOfType<DictionaryAttr>(kKernelAttr);
  info.parallel = step->hasAttr(kParallelAttr);
  info.grid = step->getAttrOfType<DenseI64ArrayAttr>(kParallelAttr);
  auto scratch = step->getAttrOfType<IntegerAttr>(kScratchAttr);
  info.scratch = scratch ? scratch.getInt() : 0;
  info.operations = argument(StepArgument::Operations);
  info.bytes = argument(StepArgument::Bytes);
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
      addOperand(info, *operand,
                 llvm::is_contained(writes, static_cast<int64_t>(i)));
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
  if (call->hasAttr(kIdleInPlaceAttr))
    beginUnlessInPlace(function, info);
  func::CallOp::create(builder, loc, step, arguments);
  builder.setInsertionPointToEnd(function.body);
  func::ReturnOp::create(builder, loc);
  program.steps.push_back(std::move(info));
  return success();
}

LogicalResult EntryLowering::lowerLaunch(kernel::LaunchOp launch) {
  ProgramStep step;
  step.kernel = launch.getInfo();
  step.parallel = true;
  step.scratch = 0;
  step.operations = sizeOf(launch.getOperations());
  step.bytes = sizeOf(launch.getBytes());
  step.launch = {launch.getKernel().getLeafReference().str(),
                 sizeOf(launch.getGrid()),
                 int64_t(launch.getBlock()),
                 int64_t(launch.getSharedBytes()),
                 launch.getProgrammatic(),
                 {},
                 {}};
  std::vector<ProgramParameter> &parameters = step.launch->parameters;
  for (auto [i, value] : llvm::enumerate(launch.getArguments())) {
    auto memref = dyn_cast<MemRefType>(value.getType());
    if (!memref) {
      parameters.push_back({ProgramParameter::Size, sizeOf(value)});
      continue;
    }
    FailureOr<ProgramOperand> operand = operandOf(value);
    if (failed(operand))
      return failure();
    bool isWritten = llvm::is_contained(launch.getWrites(), int64_t(i));
    parameters.push_back(
        {isWritten ? ProgramParameter::Output : ProgramParameter::Input,
         int64_t((isWritten ? step.outputs : step.inputs).size())});
    if (std::optional<ArrayAttr> values = launch.getValues())
      operand->describe(cast<DictionaryAttr>((*values)[i]));
    addOperand(step, std::move(*operand), isWritten);
  }
  ArrayAttr maps = launch.getTensorMapsAttr();
  for (Attribute attr : maps ? maps.getValue() : ArrayRef<Attribute>()) {
    auto map = cast<kernel::TensorMapAttr>(attr);
    parameters.push_back(
        {ProgramParameter::TensorMap, int64_t(step.launch->tensorMaps.size())});
    ProgramTensorMap &to = step.launch->tensorMaps.emplace_back();
    to.operand = parameters[map.getArgument()];
    to.offset = map.getOffset();
    for (int64_t size : map.getDims())
      to.dims.push_back(size < 0 ? sizeOf(launch.getArguments()[-1 - size])
                                 : size);
    to.strides = llvm::to_vector(map.getStrides());
    to.box = llvm::to_vector(map.getBox());
    to.swizzle = map.getSwizzle();
  }
  program.steps.push_back(std::move(step));
  return success();
}
