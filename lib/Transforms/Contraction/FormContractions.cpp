//===- FormContractions.cpp - Contractions and their neighbours to one op -===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First every int8 contraction becomes a bare kernel.contract. Then the op
// grows: producers into prologues, consumers into the epilogue, one at a time,
// until nothing more fits. The iteration space stays that of the contraction;
// the maps of what is taken in are rewritten to it.
//
//===----------------------------------------------------------------------===//

#include "ContractionRewrites.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qcc/Transforms/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_FORMCONTRACTIONS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

/// Drops the results that nobody uses, keeping one.
static kernel::ContractOp dropDeadResults(RewriterBase &rewriter,
                                          kernel::ContractOp op) {
  ContractParts parts = ContractParts::of(op);
  Block *block = &op.getEpilogue().front();
  auto yield = cast<kernel::YieldOp>(block->getTerminator());
  SmallVector<MappedOperand> outs;
  SmallVector<ValueInfo> infos;
  SmallVector<Value> yielded, kept;
  for (auto [result, out, info, value] : llvm::zip(
           op.getResults(), parts.outs, parts.values, yield.getValues())) {
    if (result.use_empty())
      continue;
    outs.push_back(out);
    infos.push_back(info);
    yielded.push_back(value);
    kept.push_back(result);
  }
  if (kept.empty() || kept.size() == op.getNumResults())
    return op;
  yield->setOperands(yielded);
  parts.outs = outs;
  parts.values = infos;
  rewriter.setInsertionPoint(op);
  kernel::ContractOp fused = parts.createFrom(rewriter, op);
  for (auto [from, to] : llvm::zip(kept, fused.getResults()))
    rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(op);
  return fused;
}

/// One step of growth at `op`; false when nothing more fits.
static bool grow(RewriterBase &rewriter, kernel::ContractOp op, bool groups,
                 DominanceInfo &dominance) {
  if (fuseProducer(rewriter, op, /*isLhs=*/true) ||
      fuseProducer(rewriter, op, /*isLhs=*/false))
    return true;
  // Consumers in program order, so that chains are followed from their start.
  SmallVector<linalg::GenericOp> consumers;
  for (Operation *user : op->getUsers())
    if (auto consumer = dyn_cast<linalg::GenericOp>(user))
      if (consumer->getBlock() == op->getBlock() &&
          !llvm::is_contained(consumers, consumer))
        consumers.push_back(consumer);
  llvm::sort(consumers, [](linalg::GenericOp a, linalg::GenericOp b) {
    return a->isBeforeInBlock(b);
  });
  for (linalg::GenericOp consumer : consumers)
    if ((groups && fuseGroups(rewriter, op, consumer, dominance)) ||
        fuseConsumer(rewriter, op, consumer, dominance))
      return true;
  return false;
}

namespace {
struct FormContractions : qcc::impl::FormContractionsBase<FormContractions> {
  using FormContractionsBase::FormContractionsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics)
      formContraction(rewriter, op, floats);
    // What contractions read through is no use of a value any more.
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>(
        [&](Operation *op) {
          if (isOpTriviallyDead(op))
            rewriter.eraseOp(op);
        });

    // Contractions in program order; each grows until nothing more fits. A
    // fusion replaces the op, so look it up by position again.
    DominanceInfo dominance(getOperation());
    bool changed = fuse;
    while (changed) {
      changed = false;
      SmallVector<kernel::ContractOp> contracts;
      getOperation().walk(
          [&](kernel::ContractOp op) { contracts.push_back(op); });
      for (kernel::ContractOp op : contracts)
        if (grow(rewriter, op, groups, dominance)) {
          dominance.invalidate();
          changed = true;
          break;
        }
    }
    SmallVector<kernel::ContractOp> contracts;
    getOperation().walk(
        [&](kernel::ContractOp op) { contracts.push_back(op); });
    for (kernel::ContractOp op : contracts) {
      if (fuse)
        explainNeighbours(op);
      foldUnitLoops(rewriter, dropDeadResults(rewriter, op));
    }
  }
};
} // namespace
