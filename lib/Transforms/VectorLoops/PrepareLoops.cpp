//===- PrepareLoops.cpp - Ops on memrefs as linalg.generic ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qcc/Transforms/VectorLoops/LinalgLoops.h"

using namespace mlir;
using namespace qcc;

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

static FailureOr<linalg::GenericOp> makeGeneric(RewriterBase &rewriter,
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

/// Whether no output depends on a reduction dimension.
static bool areOutputsParallel(linalg::GenericOp op) {
  SmallVector<unsigned> reductionDims;
  op.getReductionDims(reductionDims);
  for (OpOperand &output : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    for (unsigned dim : reductionDims)
      if (map.isFunctionOfDim(dim))
        return false;
  }
  return true;
}

FailureOr<linalg::GenericOp> qcc::prepareLoops(RewriterBase &rewriter,
                                               Operation *op) {
  FailureOr<linalg::GenericOp> generic = makeGeneric(rewriter, op);
  if (failed(generic))
    return failure();
  generic = collapseDims(rewriter, *generic);
  if (!areOutputsParallel(*generic))
    return (*generic)->emitOpError(
        "has an output that depends on a reduction dimension; make the "
        "dimension parallel");
  return generic;
}

SmallVector<Operation *> qcc::listLoopOps(Operation *func) {
  SmallVector<Operation *> ops;
  func->walk([&](Operation *op) {
    if (isa<memref::CopyOp>(op) ||
        (isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()) &&
         !isa<linalg::YieldOp, linalg::IndexOp>(op)))
      ops.push_back(op);
  });
  return ops;
}
