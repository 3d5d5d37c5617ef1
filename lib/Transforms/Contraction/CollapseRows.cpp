//===- CollapseRows.cpp - Rows in one dimension ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "collapse-rows"

namespace qcc {
#define GEN_PASS_DEF_COLLAPSEROWS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(
    numCollapsed, "Contractions whose rows were collapsed to one dimension");

/// Makes dimensions `first` to `last` of an operand one, indexed by loop `row`.
static void collapse(OpBuilder &builder, Location loc, MappedOperand &operand,
                     unsigned first, unsigned last, unsigned row) {
  assert(first <= last && last < operand.map.getNumResults() &&
         "rows are dimensions of the operand, in order");
  SmallVector<ReassociationIndices> groups;
  SmallVector<AffineExpr> exprs;
  for (unsigned d = 0; d < operand.map.getNumResults(); ++d) {
    if (d > first && d <= last) {
      groups.back().push_back(d);
      continue;
    }
    groups.push_back({d});
    exprs.push_back(d == first ? builder.getAffineDimExpr(row)
                               : operand.map.getResult(d));
  }
  if (first != last)
    operand.value =
        memref::CollapseShapeOp::create(builder, loc, operand.value, groups);
  operand.map =
      AffineMap::get(operand.map.getNumDims(), 0, exprs, builder.getContext());
}

static void collapseRows(RewriterBase &rewriter, kernel::ContractOp op) {
  SmallVector<unsigned> rows = op.getRows();
  if (rows.size() < 2)
    return;
  ++numCollapsed;
  LDBG() << "contraction at " << op.getLoc() << ": " << rows.size()
         << " dimensions of rows become one";
  rewriter.setInsertionPoint(op);
  ContractParts parts = ContractParts::of(op);
  SmallVector<OpOperand *> operands;
  for (OpOperand &operand : op->getOpOperands())
    if (!op.isRhsSums(operand.getOperandNumber()))
      operands.push_back(&operand);
  for (auto [operand, part] : llvm::zip_equal(operands, parts.operands()))
    if (auto dims = op.getRowDims(*operand, rows))
      collapse(rewriter, op.getLoc(), *part, dims->first, dims->second,
               rows.back());
  if (parts.lhs.value != op.getLhs())
    parts.updateFacts([](kernel::Facts &facts) { facts.zeroBorder = {}; });
  llvm::SmallBitVector others(op.getNumLoops());
  for (unsigned d : ArrayRef(rows).drop_back())
    others.set(d);
  parts.dropLoops(others);
  parts.createFrom(rewriter, op);
  rewriter.eraseOp(op);
}

namespace {
struct CollapseRows : qcc::impl::CollapseRowsBase<CollapseRows> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<kernel::ContractOp> ops;
    getOperation().walk([&](kernel::ContractOp op) {
      if (isa<MemRefType>(op.getLhs().getType()))
        ops.push_back(op);
    });
    for (kernel::ContractOp op : ops)
      collapseRows(rewriter, op);
  }
};
} // namespace
