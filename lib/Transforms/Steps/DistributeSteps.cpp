//===- DistributeSteps.cpp - The parallel loop of a step over its threads -===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Steps/Steps.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "distribute-steps"

namespace qcc {
#define GEN_PASS_DEF_DISTRIBUTESTEPS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numParallel, "Steps that all threads run");
ALWAYS_ENABLED_STATISTIC(numSequential, "Steps that one thread runs");

/// Replaces the loop by a sequential one over [begin, end) of its linearized
/// iterations; the whole space where begin is null. Returns their number,
/// kDynamic if it is no constant.
static int64_t sequentialize(RewriterBase &rewriter, scf::ForallOp forall,
                             Value thread, Value threads) {
  assert(bool(thread) == bool(threads) && "a thread of how many?");
  Location loc = forall.getLoc();
  rewriter.setInsertionPoint(forall);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto toValue = [&](OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, size);
  };
  SmallVector<Value> lower, step, counts;
  Value total = index(1);
  for (auto [lb, ub, by] :
       llvm::zip(forall.getMixedLowerBound(), forall.getMixedUpperBound(),
                 forall.getMixedStep())) {
    lower.push_back(toValue(lb));
    step.push_back(toValue(by));
    Value extent =
        rewriter.createOrFold<arith::SubIOp>(loc, toValue(ub), lower.back());
    // An empty range counts 0 iterations, also where it is negative.
    extent = rewriter.createOrFold<arith::MaxSIOp>(loc, extent, index(0));
    counts.push_back(
        rewriter.createOrFold<arith::CeilDivUIOp>(loc, extent, step.back()));
    total = rewriter.createOrFold<arith::MulIOp>(loc, total, counts.back());
  }
  Value begin = index(0), end = total;
  if (thread) {
    auto share = [&](Value t) -> Value {
      Value product = arith::MulIOp::create(rewriter, loc, total, t);
      return arith::DivUIOp::create(rewriter, loc, product, threads);
    };
    begin = share(thread);
    end = share(arith::AddIOp::create(rewriter, loc, thread, index(1)));
  }
  auto loop = scf::ForOp::create(rewriter, loc, begin, end, index(1));
  rewriter.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> ivs(counts.size());
  Value rest = loop.getInductionVar();
  for (int64_t i = (int64_t)counts.size() - 1; i >= 0; --i) {
    Value at = rest;
    if (i != 0) {
      at = rewriter.createOrFold<arith::RemUIOp>(loc, rest, counts[i]);
      rest = rewriter.createOrFold<arith::DivUIOp>(loc, rest, counts[i]);
    }
    at = rewriter.createOrFold<arith::MulIOp>(loc, at, step[i]);
    ivs[i] = rewriter.createOrFold<arith::AddIOp>(loc, at, lower[i]);
  }
  rewriter.eraseOp(forall.getTerminator());
  rewriter.inlineBlockBefore(forall.getBody(), loop.getBody()->getTerminator(),
                             ivs);
  rewriter.eraseOp(forall);
  return getConstantIntValue(total).value_or(ShapedType::kDynamic);
}

/// The ops of the body with effects, if they are parallel loops that need not
/// wait for each other.
static SmallVector<scf::ForallOp> parallelLoops(func::FuncOp step) {
  SmallVector<scf::ForallOp> loops;
  for (Operation &op : step.getBody().front().without_terminator()) {
    auto forall = dyn_cast<scf::ForallOp>(op);
    if (forall)
      loops.push_back(forall);
    else if (!isa<memref::AllocaOp>(op) && !isMemoryEffectFree(&op) &&
             !hasSingleEffect<MemoryEffects::Read>(&op))
      return {};
  }
  if (loops.size() > 1 && !step->hasAttr(kIndependentAttr))
    return {};
  return loops;
}

/// How much threads have to share; a great number if sizes decide.
static int64_t numCells(DenseI64ArrayAttr grid) {
  int64_t cells = 1;
  for (int64_t size : grid.asArrayRef())
    if (ShapedType::isDynamic(size) ||
        __builtin_mul_overflow(cells, size, &cells))
      return INT64_MAX;
  return cells;
}

namespace {
struct DistributeSteps : qcc::impl::DistributeStepsBase<DistributeSteps> {
  void runOnOperation() override {
    func::FuncOp step = getOperation();
    if (!isStep(step))
      return;
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForallOp> parallel = parallelLoops(step);
    ++(parallel.empty() ? numSequential : numParallel);
    LDBG() << step.getName() << " at " << step.getLoc() << ": "
           << (parallel.empty() ? "one thread runs it"
                                : "its threads share the parallel loops");
    SmallVector<DenseI64ArrayAttr> grids;
    for (scf::ForallOp loop : parallel) {
      auto grid = loop->getAttrOfType<DenseI64ArrayAttr>(kGridAttr);
      int64_t iterations = sequentialize(
          rewriter, loop, getStepArgument(step, StepArgument::Thread),
          getStepArgument(step, StepArgument::Threads));
      grids.push_back(grid ? grid
                           : rewriter.getDenseI64ArrayAttr({iterations, 1}));
    }
    if (!parallel.empty())
      step->setAttr(kParallelAttr,
                    *llvm::max_element(grids, [](auto a, auto b) {
                      return numCells(a) < numCells(b);
                    }));
    SmallVector<scf::ForallOp> rest;
    step.walk([&](scf::ForallOp loop) { rest.push_back(loop); });
    for (scf::ForallOp loop : rest)
      sequentialize(rewriter, loop, Value(), Value());
  }
};
} // namespace
