//===- FuseElementwise.cpp - Elementwise ops outside of kernels -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fusion of linalg, with two differences: a producer stays apart where the
// consumer would compute it again and again, and what `qcc explain` reads
// (Refusal.h) survives every rewrite.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qcc/Transforms/Movement.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Refusal.h"

namespace qcc {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

/// Whether a reduction reads elements of the operand more than once: some loop
/// of more than one iteration does not move along the operand.
static bool isReadRepeatedly(linalg::GenericOp consumer, OpOperand *operand) {
  if (consumer.getNumReductionLoops() == 0)
    return false;
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  for (auto [loop, size] : llvm::enumerate(consumer.getStaticLoopRanges()))
    if (size != 1 && !map.isFunctionOfDim(loop))
      return true;
  // Indices that are sums of loops, as in a convolution.
  return !map.isProjectedPermutation();
}

/// Whether the value only repeats elements of another one, in their order:
/// reading that one instead costs nothing.
static bool isBroadcast(Value value) {
  linalg::GenericOp move = movementOf(value);
  if (!move)
    return false;
  AffineMap map = inversePermutation(
      move.getMatchingIndexingMap(move.getDpsInitOperand(0)));
  map = move.getMatchingIndexingMap(move.getDpsInputOperand(0)).compose(map);
  int64_t last = -1;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || int64_t(dim.getPosition()) <= last)
      return false;
    last = dim.getPosition();
  }
  return true;
}

static bool hasOneUse(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  return producer && producer->hasOneUse();
}

/// How long bodies may become. Each fusion copies both bodies, so that chains
/// without a limit would take time quadratic in their length.
static constexpr size_t kMaxBodyOps = 256;

static bool isTooLong(linalg::GenericOp consumer, OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return producer && producer.getBody()->getOperations().size() +
                             consumer.getBody()->getOperations().size() >
                         kMaxBodyOps;
}

namespace {
/// consumer(producer(x)) => fused(x), where no element is computed twice.
struct FuseProducer : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp consumer,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *operand : consumer.getDpsInputOperands()) {
      if (!linalg::areElementwiseOpsFusable(operand) || !hasOneUse(operand) ||
          isTooLong(consumer, operand) ||
          (isReadRepeatedly(consumer, operand) && !isBroadcast(operand->get())))
        continue;
      auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
      FailureOr<linalg::ElementwiseOpFusionResult> result =
          linalg::fuseElementwiseOps(rewriter, operand);
      if (failed(result))
        continue;
      inheritNotes(result->fusedOp, {producer, consumer});
      for (auto [from, to] : result->replacements)
        rewriter.replaceUsesWithIf(from, to, [&](OpOperand &use) {
          return use.getOwner() != producer;
        });
      rewriter.eraseOp(consumer);
      return success();
    }
    return failure();
  }
};

/// Gives what replaces a structured op the notes of the op.
struct NoteKeeper : RewriterBase::Listener {
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    // An op without its body, which may have moved to the new op already, has
    // only the notes that are attributes.
    if (!isa<linalg::LinalgOp>(op) ||
        (!op->hasAttr(kOriginAttr) && op->getRegion(0).empty()))
      return;
    for (Value value : values) {
      while (value &&
             isa_and_nonnull<tensor::CastOp, tensor::ExpandShapeOp,
                             tensor::CollapseShapeOp>(value.getDefiningOp()))
        value = value.getDefiningOp()->getOperand(0);
      if (value)
        if (auto other = value.getDefiningOp<linalg::GenericOp>();
            other && !other->hasAttr(kOriginAttr))
          inheritNotes(other, op);
    }
  }
};

struct FuseElementwise : qcc::impl::FuseElementwiseBase<FuseElementwise> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<FuseProducer>(context);
    // The patterns that accompany the fusion of linalg, without the fusion
    // itself.
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *) { return false; });
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, hasOneUse);
    linalg::populateConstantFoldLinalgOperations(patterns, hasOneUse);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    NoteKeeper keeper;
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setListener(&keeper);
    // It is no failure if some simplification is left to do.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }
};
} // namespace
