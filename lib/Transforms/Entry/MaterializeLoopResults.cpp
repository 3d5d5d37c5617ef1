//===- MaterializeLoopResults.cpp - One memory for loop-carried tensors ---===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "qcc/Transforms/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_MATERIALIZELOOPRESULTS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;

/// What becomes of `argument` in the next iteration goes where it lies. Others
/// of `arguments` have places of their own.
static LogicalResult materialize(OpBuilder &builder, Operation *loop,
                                 ArrayRef<BlockArgument> arguments,
                                 BlockArgument argument, OpOperand &next) {
  Value value = next.get();
  if (!isa<RankedTensorType>(value.getType()) || value == argument)
    return success();
  // Two tensors that change places cannot both keep theirs.
  if (llvm::is_contained(arguments, value))
    return loop->emitError()
           << "'" << loop->getName()
           << "' carries a tensor to the place of another; unroll the loop, or "
              "select between tensors that keep their places";
  builder.setInsertionPoint(next.getOwner());
  auto stored = bufferization::MaterializeInDestinationOp::create(
      builder, value.getLoc(), value.getType(), value, argument);
  next.set(stored.getResult());
  return success();
}

static LogicalResult materialize(OpBuilder &builder, scf::ForOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [argument, next] :
       llvm::zip(loop.getRegionIterArgs(), yield->getOpOperands()))
    if (failed(materialize(builder, loop, loop.getRegionIterArgs(), argument,
                           next)))
      return failure();
  return success();
}

/// Where the condition hands over what the loop carries, both are one place.
static LogicalResult materialize(OpBuilder &builder, scf::WhileOp loop) {
  for (auto [argument, passed] :
       llvm::zip(loop.getAfterArguments(), loop.getConditionOp().getArgs())) {
    auto carried = dyn_cast<BlockArgument>(passed);
    if (!carried || carried.getOwner() != loop.getBeforeBody())
      continue;
    OpOperand &next = loop.getYieldOp()->getOpOperand(carried.getArgNumber());
    if (failed(materialize(builder, loop, loop.getAfterArguments(), argument,
                           next)))
      return failure();
  }
  return success();
}

namespace {
struct MaterializeLoopResults
    : qcc::impl::MaterializeLoopResultsBase<MaterializeLoopResults> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    WalkResult result = getOperation().walk([&](Operation *op) {
      bool isPlaced = true;
      if (auto loop = dyn_cast<scf::ForOp>(op))
        isPlaced = succeeded(materialize(builder, loop));
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        isPlaced = succeeded(materialize(builder, loop));
      return isPlaced ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
