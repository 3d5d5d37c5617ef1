//===- LowerLinalgToVectorLoops.cpp - Generic code for linalg -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op becomes one scf.forall over its parallel dimensions, collapsed into
// one counter, and inside it loops over vectors of consecutive outputs. Each
// output is computed in the order of the op's iteration space (a float
// contraction is a chain of fma by then), or in that of N8 for float
// reductions: vectors hold independent outputs or the lanes of N8, so no bit
// changes.
//
//===----------------------------------------------------------------------===//

#include "LinalgLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qcc/Target/X86/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_LOWERLINALGTOVECTORLOOPS
#include "qcc/Target/X86/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

/// Elements of an output that one iteration of the forall computes at least.
static constexpr int64_t kElementwiseBlock = 4096;
/// The same where each element is a reduction.
static constexpr int64_t kReductionBlock = 256;

void qcc::emitOrderedLoops(LinalgLoops &loops, unsigned vectorBits) {
  linalg::LinalgOp op = loops.op;
  bool isReduction = !loops.getReductionDims().empty();
  SmallVector<Value> yielded =
      llvm::to_vector(op.getBlock()->getTerminator()->getOperands());
  LinalgLoops::Point point;
  std::optional<InnermostDim> innermost = chooseInnermostDim(loops);

  auto emitAt = [&](const Lanes &lanes) {
    SmallVector<Value> results;
    if (isReduction) {
      SmallVector<Value> accumulators;
      for (OpOperand &output : op.getDpsInitsMutable())
        accumulators.push_back(
            loops.spread(loops.load(output, point, lanes), lanes));
      results = loops.emitReductionLoops(
          point, accumulators,
          [&](const LinalgLoops::Point &at, ValueRange args) {
            SmallVector<Value> next = loops.emitBody(yielded, args, at, lanes);
            for (Value &value : next)
              value = loops.spread(value, lanes);
            return next;
          });
    } else {
      results = loops.emitBody(yielded, {}, point, lanes);
    }
    for (auto [output, result] :
         llvm::zip_equal(op.getDpsInitsMutable(), results))
      loops.store(result, output, point, lanes);
  };

  LinalgLoops::Block block = loops.openForall(
      innermost ? std::optional<unsigned>(innermost->dim) : std::nullopt,
      isReduction ? kReductionBlock : kElementwiseBlock, point);
  if (!innermost)
    return emitAt(Lanes());
  SmallVector<unsigned> moving(loops.getReductionDims());
  moving.push_back(innermost->dim);
  loops.emitInvariants(point, moving);
  // Several vectors at once hide the latency of a chain, unless lanes have to
  // be gathered one by one.
  bool gathers = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return loops.getMovement(*input, innermost->dim) ==
           LinalgLoops::Movement::Other;
  });
  Segments segments = chooseSegments(loops, *innermost, vectorBits,
                                     isReduction && !gathers ? 4 : 1);
  loops.emitSegments(block, segments, [&](Value iv, const Lanes &lanes) {
    point[innermost->dim] = iv;
    emitAt(lanes);
  });
}

/// Adjacent dimensions of one kind that every operand keeps together become
/// one: longer rows, fewer loops.
static linalg::GenericOp collapseDims(RewriterBase &rewriter,
                                      linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (op.hasIndexSemantics() || op.getNumLoops() < 2 ||
      !llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return op;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  // Whether the operands that walk these dimensions have them in one piece.
  auto isCollapsible = [&](const ReassociationIndices &dims) {
    if (!linalg::areDimSequencesPreserved(maps, {dims}))
      return false;
    for (auto [map, operand] : llvm::zip_equal(maps, op->getOperands())) {
      auto type = dyn_cast<MemRefType>(operand.getType());
      if (!type || !map.isFunctionOfDim(dims.front()))
        continue;
      SmallVector<ReassociationIndices> groups;
      for (auto [i, result] : llvm::enumerate(map.getResults())) {
        int64_t dim = cast<AffineDimExpr>(result).getPosition();
        if (llvm::is_contained(llvm::drop_begin(dims), dim))
          groups.back().push_back(i);
        else
          groups.push_back({int64_t(i)});
      }
      if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
        return false;
    }
    return true;
  };
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices group{0};
  for (int64_t dim = 1, e = op.getNumLoops(); dim != e; ++dim) {
    ReassociationIndices longer = group;
    longer.push_back(dim);
    if (kinds[dim] == kinds[group.front()] && isCollapsible(longer)) {
      group = longer;
      continue;
    }
    if (group.size() > 1)
      groups.push_back(group);
    group = {dim};
  }
  if (group.size() > 1)
    groups.push_back(group);
  if (groups.empty())
    return op;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> result =
      linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(result))
    return op;
  rewriter.eraseOp(op);
  return cast<linalg::GenericOp>(result->collapsedOp.getOperation());
}

namespace {
struct LowerLinalgToVectorLoops
    : qcc::impl::LowerLinalgToVectorLoopsBase<LowerLinalgToVectorLoops> {
  using LowerLinalgToVectorLoopsBase::LowerLinalgToVectorLoopsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<memref::CopyOp>(op) ||
          (isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()) &&
           !isa<linalg::YieldOp, linalg::IndexOp>(op)))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(lower(rewriter, op)))
        return signalPassFailure();
  }

private:
  FailureOr<linalg::GenericOp> makeGeneric(RewriterBase &rewriter,
                                           Operation *op) {
    rewriter.setInsertionPoint(op);
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      if (!isa<MemRefType>(copy.getSource().getType()) ||
          !isa<MemRefType>(copy.getTarget().getType()))
        return op->emitOpError("copies a memref of unknown rank, for which "
                               "there are no loops; cast it to a ranked one");
      linalg::GenericOp generic = linalg::makeMemRefCopyOp(
          rewriter, op->getLoc(), copy.getSource(), copy.getTarget());
      rewriter.eraseOp(op);
      return generic;
    }
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured)
      return op->emitOpError("has no loops of its own; decompose it into "
                             "linalg.generic ops before bufferization");
    if (!structured.hasPureBufferSemantics())
      return op->emitOpError("is not on memrefs; bufferize before this pass");
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return generic;
    return linalg::generalizeNamedOp(rewriter, structured);
  }

  LogicalResult lower(RewriterBase &rewriter, Operation *op) {
    FailureOr<linalg::GenericOp> generic = makeGeneric(rewriter, op);
    if (failed(generic))
      return failure();
    op = collapseDims(rewriter, *generic);
    LinalgLoops loops(rewriter, cast<linalg::GenericOp>(op));
    if (!loops.areOutputsParallel())
      return op->emitOpError("has an output that depends on a reduction "
                             "dimension; make the dimension parallel");
    if (auto outputs = getFloatReduction(loops.op))
      emitFloatReduction(loops, *outputs, vectorBits);
    else
      emitOrderedLoops(loops, vectorBits);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace
