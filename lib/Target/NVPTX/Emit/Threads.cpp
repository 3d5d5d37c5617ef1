//===- Threads.cpp - A thread for each result of a contraction ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Operands.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

/// The sum of products at a point, or of those of its group of K.
static Value emitSum(ScalarCode &code, Operands &operands, ContractOp op,
                     Point point) {
  unsigned outer = op.hasGroups() ? 1 : 0;
  Value lhsZero = operands.lhsZeroPoint(point);
  Value rhsZero = operands.rhsZeroPoint(point);
  ArrayRef<int64_t> dims = op.getReductionDims().drop_front(outer);
  SmallVector<Value> lows(dims.size(), code.index(0)),
      steps(dims.size(), code.index(1)), highs;
  for (int64_t size : op.getReductionSizes().drop_front(outer))
    highs.push_back(code.index(size));
  Value init = outer ? code.i32(0) : operands.init(point);
  auto factor = [&](Value byte, bool isUnsigned, Value zeroPoint) {
    Value value = code.extend(byte, isUnsigned);
    return zeroPoint ? code.create<arith::SubIOp>(value, zeroPoint) : value;
  };
  scf::LoopNest nest = scf::buildLoopNest(
      code.rewriter, code.loc, lows, highs, steps, init,
      [&](OpBuilder &, Location, ValueRange ivs, ValueRange sums) {
        // The builder is the rewriter itself.
        for (auto [dim, iv] : llvm::zip_equal(dims, ivs))
          point[dim] = iv;
        Value l = factor(operands.lhs(point), op.getLhsUnsigned(), lhsZero);
        Value r = factor(operands.rhs(point), op.getRhsUnsigned(), rhsZero);
        return scf::ValueVector{code.create<arith::AddIOp>(
            sums.front(), code.create<arith::MulIOp>(l, r))};
      });
  return nest.results.front();
}

/// The total of the groups of K at a point.
static Value emitTotal(ScalarCode &code, Operands &operands, ContractOp op,
                       Point point) {
  auto loop =
      scf::ForOp::create(code.rewriter, code.loc, code.index(0),
                         code.index(op.getReductionSizes().front()),
                         code.index(1), ValueRange{operands.init(point)});
  OpBuilder::InsertionGuard guard(code.rewriter);
  code.rewriter.setInsertionPointToStart(loop.getBody());
  point[op.getReductionDims().front()] = loop.getInductionVar();
  Value sum = emitSum(code, operands, op, point);
  scf::YieldOp::create(
      code.rewriter, code.loc,
      operands.addGroup(sum, loop.getRegionIterArgs().front(), point));
  return loop.getResult(0);
}

void qcc::nvptx::emitThreads(RewriterBase &rewriter, ContractOp op) {
  ScalarCode code(rewriter, op);
  Operands operands(code, op);
  // Threads that follow each other compute results that do.
  SmallVector<unsigned> loops;
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr result : op.getOutMaps().front().getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(result)) {
      loops.push_back(dim.getPosition());
      sizes.push_back(operands.sizeOf(dim.getPosition()));
    }
  Point point(op.getNumLoops());
  for (auto [loop, index] : llvm::zip_equal(loops, code.openForall(sizes)))
    point[loop] = index;
  Value total = op.hasGroups() ? emitTotal(code, operands, op, point)
                               : emitSum(code, operands, op, point);
  operands.storeResults(total, point);
  rewriter.eraseOp(op);
}
