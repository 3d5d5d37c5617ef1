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

namespace {
struct MaterializeLoopResults
    : qcc::impl::MaterializeLoopResultsBase<MaterializeLoopResults> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    WalkResult result = getOperation().walk([&](scf::ForOp loop) {
      Operation *yield = loop.getBody()->getTerminator();
      builder.setInsertionPoint(yield);
      for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
        Value value = yield->getOperand(i);
        if (!isa<RankedTensorType>(value.getType()) || value == argument)
          continue;
        // Two tensors that change places cannot both keep their memory.
        if (llvm::is_contained(loop.getRegionIterArgs(), value)) {
          loop.emitError("'scf.for' carries a tensor to the place of another; "
                         "unroll the loop, or select between tensors that "
                         "keep their places");
          return WalkResult::interrupt();
        }
        auto stored = bufferization::MaterializeInDestinationOp::create(
            builder, value.getLoc(), value.getType(), value, argument);
        yield->setOperand(i, stored.getResult());
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
