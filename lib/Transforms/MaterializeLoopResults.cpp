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
    getOperation().walk([&](scf::ForOp loop) {
      Operation *yield = loop.getBody()->getTerminator();
      builder.setInsertionPoint(yield);
      for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
        Value value = yield->getOperand(i);
        if (!isa<RankedTensorType>(value.getType()) || value == argument)
          continue;
        auto stored = bufferization::MaterializeInDestinationOp::create(
            builder, value.getLoc(), value.getType(), value, argument);
        yield->setOperand(i, stored.getResult());
      }
    });
  }
};
} // namespace
