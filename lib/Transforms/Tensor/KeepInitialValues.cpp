//===- KeepInitialValues.cpp - Reductions that may have no elements -------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linalg says what a body does with the accumulator, and fusion and
// bufferization take an initial value that no body reads for dead. Where there
// are no iterations it is the result.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "keep-initial-values"

namespace qcc {
#define GEN_PASS_DEF_KEEPINITIALVALUES
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;

ALWAYS_ENABLED_STATISTIC(numKept, "Accumulators that bodies read from now on");

/// A reduction dimension whose size may be 0, if there is one.
static std::optional<unsigned> getMaybeEmptyReduction(linalg::LinalgOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (unsigned dim : reductions)
    if (ShapedType::isDynamic(sizes[dim]) || sizes[dim] == 0)
      return dim;
  return std::nullopt;
}

/// Makes the body read its accumulators, by a choice that no pass decides: the
/// index is never negative.
static void readAccumulators(linalg::LinalgOp op, unsigned dim) {
  Operation *yield = op.getBlock()->getTerminator();
  OpBuilder builder(yield);
  Location loc = op.getLoc();
  Value isInside;
  for (auto [i, accumulator] : llvm::enumerate(op.getRegionOutputArgs())) {
    if (!accumulator.use_empty())
      continue;
    if (!isInside) {
      Value index = linalg::IndexOp::create(builder, loc, dim);
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      isInside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                       index, zero);
    }
    ++numKept;
    LDBG() << "lets the reduction at " << loc << " read its accumulator " << i
           << ": dimension " << dim << " may have no iterations";
    yield->setOperand(i, arith::SelectOp::create(builder, loc, isInside,
                                                 yield->getOperand(i),
                                                 accumulator));
  }
}

namespace {
struct KeepInitialValues : qcc::impl::KeepInitialValuesBase<KeepInitialValues> {
  void runOnOperation() override {
    getOperation().walk([](linalg::GenericOp op) {
      if (std::optional<unsigned> dim = getMaybeEmptyReduction(op))
        readAccumulators(op, *dim);
    });
  }
};
} // namespace
