//===- FoldUnitLoops.cpp - Loops of one iteration -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../KnownSizes.h"
#include "ContractionRewrites.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace qcc;

/// The expression with 0 in the place of dimensions of one iteration.
static AffineExpr withoutUnits(AffineExpr expr, ArrayRef<int64_t> loopSizes) {
  SmallVector<AffineExpr> replacement;
  for (auto [d, size] : llvm::enumerate(loopSizes))
    replacement.push_back(size == 1
                              ? getAffineConstantExpr(0, expr.getContext())
                              : getAffineDimExpr(d, expr.getContext()));
  return simplifyAffineExpr(expr.replaceDims(replacement), loopSizes.size(), 0);
}

/// Windows need not reach the end of what they slide over, but a contraction
/// reads all of a dimension that it indexes by one loop:
///
///   lhs(%x : tensor<1x8x8x64xi8>) with map (oh * 1 + 0), results of 7 x 7
/// =>
///   lhs(tensor.extract_slice %x [0, 0, 0, 0] [1, 7, 7, 64]) with map (oh)
static void trim(RewriterBase &rewriter, linalg::GenericOp op, AffineMap before,
                 MappedOperand &operand) {
  KnownSizes known(op->getParentOfType<func::FuncOp>());
  bool canKnow = known.setInsertionPoint(op);
  SmallVector<Range> loops = cast<linalg::LinalgOp>(op.getOperation())
                                 .createLoopRanges(rewriter, op.getLoc());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, op.getLoc(), operand.value);
  bool isTrimmed = false;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    AffineExpr expr = operand.map.getResult(i);
    if (expr == before.getResult(i) ||
        !isa<AffineDimExpr, AffineConstantExpr>(expr))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    OpFoldResult one = rewriter.getIndexAttr(1);
    OpFoldResult read = dim ? loops[dim.getPosition()].size : one;
    OpFoldResult has, needed;
    if (canKnow) {
      has = known.sizeOf(operand.value, i);
      needed = dim ? known.sizeOfLoop(op, dim.getPosition()) : one;
    }
    if (has && needed && isEqualConstantIntOrValue(has, needed))
      continue;
    size = read;
    isTrimmed = true;
  }
  if (!isTrimmed)
    return;
  SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0)),
      ones(sizes.size(), rewriter.getIndexAttr(1));
  operand.value = tensor::ExtractSliceOp::create(
      rewriter, op.getLoc(), operand.value, zeros, sizes, ones);
}

MappedOperand qcc::withoutUnitTerms(RewriterBase &rewriter,
                                    linalg::GenericOp op, OpOperand *operand,
                                    Value value) {
  SmallVector<int64_t> loopSizes = op.getStaticLoopRanges();
  AffineMap map = op.getMatchingIndexingMap(operand);
  MappedOperand folded{value, map};
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || kernel::isProjection(map))
    return folded;
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults())
    exprs.push_back(isa<AffineDimExpr>(expr) ? expr
                                             : withoutUnits(expr, loopSizes));
  folded.map = AffineMap::get(map.getNumDims(), 0, exprs, op.getContext());
  trim(rewriter, op, map, folded);
  return folded;
}

kernel::ContractOp qcc::foldUnitLoops(RewriterBase &rewriter,
                                      kernel::ContractOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopSizes();
  llvm::SmallBitVector units(sizes.size());
  for (auto [d, size] : llvm::enumerate(sizes))
    units[d] = size == 1;
  // There are columns and a K, of whatever size.
  units.reset(op.getRoles()->n);
  if (op.getReductionSize() == 1)
    units.reset(op.getReductionDims().back());
  if (units.none())
    return op;
  rewriter.setInsertionPoint(op);
  ContractParts parts = ContractParts::of(op);
  parts.dropLoops(units);
  kernel::ContractOp folded = parts.createFrom(rewriter, op);
  rewriter.replaceOp(op, folded.getResults());
  return folded;
}
