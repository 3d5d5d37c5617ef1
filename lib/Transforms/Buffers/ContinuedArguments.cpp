//===- ContinuedArguments.cpp - Results that update arguments -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContinuedArguments.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Transforms/Steps/Steps.h"

using namespace mlir;

/// The tensor that an op changes to give `value`, or null.
static OpOperand *findUpdated(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op))
    return &insert.getDestMutable();
  if (auto loop = dyn_cast_or_null<scf::ForOp>(op))
    return loop.getTiedLoopInit(cast<OpResult>(value));
  auto update = dyn_cast_or_null<linalg::LinalgOp>(op);
  OpOperand *old =
      update ? update.getTiedOpOperand(cast<OpResult>(value)) : nullptr;
  return old && update.payloadUsesValueFromOperand(old) ? old : nullptr;
}

/// Whether a value is an argument of the program, and no destination.
static bool isArgument(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(value);
  auto entry =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  return entry &&
         !entry.getArgAttr(argument.getArgNumber(), qcc::kDestinationAttr);
}

/// The dimension at whose end alone a pad adds elements, of one value that an
/// op outside of it computes.
static std::optional<unsigned> findGrownDim(tensor::PadOp pad) {
  std::optional<unsigned> grown;
  for (auto [d, widths] : llvm::enumerate(
           llvm::zip_equal(pad.getMixedLowPad(), pad.getMixedHighPad()))) {
    auto [low, high] = widths;
    if (!isZeroInteger(low))
      return std::nullopt;
    if (isZeroInteger(high))
      continue;
    if (grown)
      return std::nullopt;
    grown = d;
  }
  return pad.getConstantPaddingValue() ? grown : std::nullopt;
}

/// Whether a branch or a loop uses a value, which it may hand on. Bufferization
/// cannot copy what lies in a destination for them.
static bool hasUseInRegion(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isa<scf::IfOp, scf::WhileOp>(user) ||
           user->getParentOfType<scf::IfOp>() ||
           user->getParentOfType<scf::WhileOp>() ||
           user->getParentOfType<scf::ForOp>();
  });
}

OpOperand *qcc::findContinuedArgument(Value result) {
  OpOperand *first = nullptr;
  while (OpOperand *updated = findUpdated(result)) {
    if (hasUseInRegion(result))
      return nullptr;
    first = updated;
    result = updated->get();
  }
  if (!first)
    return nullptr;
  auto pad = result.getDefiningOp<tensor::PadOp>();
  bool isContinued = pad ? isArgument(pad.getSource()) && findGrownDim(pad)
                         : isArgument(result);
  return isContinued ? first : nullptr;
}

Value qcc::startInDestination(OpBuilder &builder, OpOperand &argument,
                              Value destination) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(argument.getOwner());
  auto pad = argument.get().getDefiningOp<tensor::PadOp>();
  if (!pad) {
    Value copy = bufferization::MaterializeInDestinationOp::create(
                     builder, argument.get().getLoc(), destination.getType(),
                     argument.get(), destination)
                     .getResult();
    argument.set(copy);
    return copy;
  }
  Location loc = pad.getLoc();
  unsigned grown = *findGrownDim(pad);
  Value source = pad.getSource(), value = pad.getConstantPaddingValue();
  if (Operation *constant = value.getDefiningOp();
      constant->getBlock() != argument.getOwner()->getBlock())
    value = builder.clone(*constant)->getResult(0);
  SmallVector<OpFoldResult> inner = tensor::getMixedSizes(builder, loc, source);
  SmallVector<OpFoldResult> zeros(inner.size(), builder.getIndexAttr(0)),
      ones(inner.size(), builder.getIndexAttr(1)), starts(zeros), rest(inner);
  starts[grown] = inner[grown];
  rest[grown] = pad.getMixedHighPad()[grown];
  Value added = tensor::ExtractSliceOp::create(builder, loc, destination,
                                               starts, rest, ones);
  added = linalg::FillOp::create(builder, loc, value, added).getResult(0);
  Value memory = tensor::InsertSliceOp::create(builder, loc, added, destination,
                                               starts, rest, ones);
  memory = tensor::InsertSliceOp::create(builder, loc, source, memory, zeros,
                                         inner, ones);
  argument.set(memory);
  return memory;
}
