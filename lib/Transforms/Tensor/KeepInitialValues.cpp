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
// Fusion also takes an op without reductions for elementwise. Where its body
// reads an initial value, that is an operand like the others from here on: an
// op that is fused with one of more loops would add to it again and again.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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
ALWAYS_ENABLED_STATISTIC(numPassed,
                         "Initial values that are operands from now on");

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

/// Makes initial values that the body of an op without reductions reads inputs
/// of the op.
static void passInitialValues(linalg::GenericOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  for (int64_t i = 0; i < op.getNumDpsInits(); ++i) {
    // Inputs that are added move the operands.
    OpOperand &init = *op.getDpsInitOperand(i);
    if (!op.payloadUsesValueFromOperand(&init))
      continue;
    ++numPassed;
    LDBG() << "makes an initial value of the op at " << loc << " an operand";
    unsigned number = op.getNumDpsInputs();
    AffineMap map = op.getMatchingIndexingMap(&init);
    BlockArgument accumulator = op.getMatchingBlockArgument(&init);
    Value value = init.get();
    init.set(tensor::EmptyOp::create(builder, loc,
                                     tensor::getMixedSizes(builder, loc, value),
                                     accumulator.getType()));
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps.insert(maps.begin() + number, map);
    op.getInputsMutable().append(value);
    op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
    Value element =
        op.getBody()->insertArgument(number, accumulator.getType(), loc);
    accumulator.replaceAllUsesWith(element);
  }
}

namespace {
struct KeepInitialValues : qcc::impl::KeepInitialValuesBase<KeepInitialValues> {
  void runOnOperation() override {
    getOperation().walk([](linalg::GenericOp op) {
      if (std::optional<unsigned> dim = getMaybeEmptyReduction(op))
        readAccumulators(op, *dim);
      else if (op.getNumReductionLoops() == 0 && op.hasPureTensorSemantics())
        passInitialValues(op);
    });
  }
};
} // namespace
