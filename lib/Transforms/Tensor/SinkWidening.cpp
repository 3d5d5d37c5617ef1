//===- SinkWidening.cpp - Wide values are computed where they are read ----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Iterators.h"
#include "qcc/Transforms/ElementwiseFusion.h"
#include "qcc/Transforms/Movement.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Refusal.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "sink-widening"

namespace qcc {
#define GEN_PASS_DEF_SINKWIDENING
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numSunk, "Widening ops that became parts of a reader");

/// What is computed again for each reader is at most so long.
static constexpr size_t kMaxBodyOps = 8;

static unsigned widthOf(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

/// Whether the op computes each element from a narrower one at the same place,
/// and from what fewer loops have than it.
static bool isWidening(linalg::GenericOp op) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      op.hasIndexSemantics() || !op.hasPureTensorSemantics() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) ||
      op.getBody()->getOperations().size() > kMaxBodyOps)
    return false;
  AffineMap place = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned narrow = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.getNumResults() < place.getNumResults())
      continue;
    if (map != place || !map.isPermutation() || ++narrow > 1 ||
        widthOf(input->get()) >= widthOf(op->getResult(0)))
      return false;
  }
  return narrow == 1;
}

namespace {
struct SinkWidening : qcc::impl::SinkWideningBase<SinkWidening> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> readers;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics() &&
          llvm::none_of(op->getResults(),
                        [](Value result) { return movementOf(result); }))
        readers.push_back(op);
    });
    for (linalg::GenericOp reader : readers)
      while (OpOperand *operand = findWidened(reader))
        reader = fuse(rewriter, reader, operand);
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>(
        [&](linalg::GenericOp op) {
          if (isOpTriviallyDead(op))
            rewriter.eraseOp(op);
        });
  }

private:
  static OpOperand *findWidened(linalg::GenericOp reader) {
    for (OpOperand *operand : reader.getDpsInputOperands()) {
      auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
      if (producer && producer->getBlock() == reader->getBlock() &&
          isWidening(producer) && !isReadRepeatedly(operand) &&
          isFusable(operand))
        return operand;
    }
    return nullptr;
  }

  static linalg::GenericOp fuse(RewriterBase &rewriter,
                                linalg::GenericOp reader, OpOperand *operand) {
    // A copy that nothing else reads: the fused op would have the wide value as
    // another result.
    rewriter.setInsertionPoint(reader);
    Operation *producer = operand->get().getDefiningOp();
    auto copy = cast<linalg::GenericOp>(rewriter.clone(*producer));
    // The memory of the wide value, where it is written over only.
    for (OpOperand &init : reader.getDpsInitsMutable())
      if (init.get() == operand->get() &&
          !reader.payloadUsesValueFromOperand(&init))
        init.set(copy.getDpsInits()[0]);
    operand->set(copy.getResult(0));
    Location loc = reader.getLoc();
    linalg::GenericOp fused = fuseIntoReader(rewriter, operand);
    assert(fused && "fusable");
    fused->setLoc(loc);
    ++numSunk;
    LDBG() << "makes " << originOf(producer) << " at " << producer->getLoc()
           << " a part of its reader at " << loc;
    rewriter.eraseOp(copy);
    return fused;
  }
};
} // namespace
