//===- MaterializeLoopResults.cpp - One memory for loop-carried tensors ---===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "materialize-loop-results"

namespace qcc {
#define GEN_PASS_DEF_MATERIALIZELOOPRESULTS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;

ALWAYS_ENABLED_STATISTIC(numKept, "Tensors that loops keep in place");
ALWAYS_ENABLED_STATISTIC(numMoved,
                         "Tensors that loops move to the place of another");
ALWAYS_ENABLED_STATISTIC(numCopies, "Tensors that loops carry twice");

/// The tensor in whose place an inner loop leaves a result: what it carried
/// there in the beginning.
static Value startOf(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return loop.getTiedLoopInit(result)->get();
  auto loop = dyn_cast<scf::WhileOp>(result.getOwner());
  if (!loop)
    return {};
  auto carried = dyn_cast<BlockArgument>(
      loop.getConditionOp().getArgs()[result.getResultNumber()]);
  return carried && carried.getOwner() == loop.getBeforeBody()
             ? loop.getInits()[carried.getArgNumber()]
             : Value();
}

/// The tensor of whose memory a value is a part.
static Value baseOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (Value start = startOf(value))
      value = start;
    else if (isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
                 tensor::ExpandShapeOp, tensor::CastOp>(op))
      value = op->getOperand(0);
    else
      break;
  }
  return value;
}

/// A copy of a tensor, made where its value is known: before anything is
/// written to the place in which it lies.
static Value copyOf(OpBuilder &builder, Value value) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  auto type = cast<RankedTensorType>(value.getType());
  Value place = tensor::EmptyOp::create(
      builder, value.getLoc(),
      tensor::getMixedSizes(builder, value.getLoc(), value),
      type.getElementType());
  return linalg::CopyOp::create(builder, value.getLoc(), value, place)
      .getResult(0);
}

/// What becomes of `argument` in the next iteration goes where it lies. Others
/// of `arguments` have places of their own. A value that goes to two places is
/// copied from the first one.
static void materialize(OpBuilder &builder, Operation *loop,
                        ArrayRef<BlockArgument> arguments,
                        BlockArgument argument, OpOperand &next,
                        DenseMap<Value, Value> &stored) {
  Value value = next.get();
  if (!isa<RankedTensorType>(value.getType()) || value == argument ||
      startOf(value) == argument)
    return;
  // Two tensors that change places cannot both keep theirs.
  Value base = baseOf(value);
  if (base != argument && llvm::is_contained(arguments, base)) {
    LDBG() << "moves the tensor at " << value.getLoc()
           << " to the place of another, which the " << loop->getName()
           << " at " << loop->getLoc() << " carries";
    ++numMoved;
    value = copyOf(builder, value);
  }
  builder.setInsertionPoint(next.getOwner());
  Value &first = stored[value];
  ++(first ? numCopies : numKept);
  LDBG() << (first ? "copies" : "keeps in its place") << " the tensor at "
         << value.getLoc() << ", which the " << loop->getName() << " at "
         << loop->getLoc() << " carries";
  if (first) {
    next.set(linalg::CopyOp::create(builder, value.getLoc(), first, argument)
                 .getResult(0));
    return;
  }
  first = bufferization::MaterializeInDestinationOp::create(
              builder, value.getLoc(), value.getType(), value, argument)
              .getResult();
  next.set(first);
}

static void materialize(OpBuilder &builder, scf::ForOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  DenseMap<Value, Value> stored;
  for (auto [argument, next] :
       llvm::zip(loop.getRegionIterArgs(), yield->getOpOperands()))
    materialize(builder, loop, loop.getRegionIterArgs(), argument, next,
                stored);
}

/// Where the condition hands over what the loop carries, both are one place.
static void materialize(OpBuilder &builder, scf::WhileOp loop) {
  DenseMap<Value, Value> stored;
  for (auto [argument, passed] :
       llvm::zip(loop.getAfterArguments(), loop.getConditionOp().getArgs())) {
    auto carried = dyn_cast<BlockArgument>(passed);
    if (!carried || carried.getOwner() != loop.getBeforeBody())
      continue;
    OpOperand &next = loop.getYieldOp()->getOpOperand(carried.getArgNumber());
    materialize(builder, loop, loop.getAfterArguments(), argument, next,
                stored);
  }
}

namespace {
struct MaterializeLoopResults
    : qcc::impl::MaterializeLoopResultsBase<MaterializeLoopResults> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    getOperation().walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        materialize(builder, loop);
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        materialize(builder, loop);
    });
  }
};
} // namespace
