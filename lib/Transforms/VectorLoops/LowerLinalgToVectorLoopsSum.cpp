//===- LowerLinalgToVectorLoopsSum.cpp - Sums of integers -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums whose inputs are contiguous along a reduction dimension, such as the
// product of a matrix with a transposed one. Integers wrap, so that each lane
// of a vector adds up summands of its own:
//
//   lanes = 0
//   for k in steps of the lanes:  lanes += summand(k .. k + lanes)
//   result += lanes[0] + lanes[1] + ...
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace qcc;

/// Outputs that are computed side by side.
static constexpr unsigned kRows = 4;
/// Outputs that one iteration of the forall computes at least.
static constexpr int64_t kRowBlock = 64;
/// Vectors of summands for each output.
static constexpr unsigned kUnroll = 2;

/// What a body adds to its accumulator, where it does nothing else.
static Value getSummand(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return {};
  Block *body = op.getBlock();
  Value accumulator = op.getRegionOutputArgs().front();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  if (!add || !accumulator.hasOneUse() || !add.getType().isInteger())
    return {};
  if (add.getLhs() == accumulator)
    return add.getRhs();
  return add.getRhs() == accumulator ? add.getLhs() : Value();
}

Value qcc::matchIntegerSum(const LinalgLoops &loops) {
  linalg::LinalgOp op = loops.op;
  Value summand = getSummand(op);
  if (!summand || !loops.isBodyMappable() || !loops.isBodySpeculatable())
    return {};
  auto anyMoves = [&](unsigned dim, LinalgLoops::Movement movement) {
    return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      return loops.getMovement(*input, dim) == movement;
    });
  };
  unsigned along = loops.getReductionDims().back();
  if (op.getStaticLoopRanges()[along] == 1 ||
      !anyMoves(along, LinalgLoops::Movement::Contiguous) ||
      anyMoves(along, LinalgLoops::Movement::Other))
    return {};
  // Vectors of outputs need no sum of lanes at the end.
  std::optional<InnermostDim> innermost = chooseInnermostDim(loops);
  bool hasVectorsOfOutputs =
      innermost && innermost->isContiguous &&
      op.getStaticLoopRanges()[innermost->dim] != 1 &&
      !anyMoves(innermost->dim, LinalgLoops::Movement::Other);
  return hasVectorsOfOutputs ? Value() : summand;
}

namespace {
class IntegerSumEmitter {
public:
  IntegerSumEmitter(LinalgLoops &loops, Value summand, unsigned vectorBits)
      : loops(loops), rewriter(loops.rewriter), loc(loops.loc),
        summand(summand), type(cast<IntegerType>(summand.getType())),
        along(loops.getReductionDims().back()) {
    // A short sum gets no more lanes than hold its summands.
    uint64_t count = kUnroll * loops.getVectorWidth(vectorBits);
    int64_t size = loops.op.getStaticLoopRanges()[along];
    if (!ShapedType::isDynamic(size))
      count = std::min(count, llvm::bit_ceil(uint64_t(size)));
    lanes = Lanes{along, unsigned(std::max<uint64_t>(count, 2)), Value()};
    isTailMasked = isMaskable(loops, along, vectorBits);
  }

  void emit() {
    Point point;
    std::optional<unsigned> rowDim = chooseRowDim(loops, along, kRows);
    SmallVector<LinalgLoops::Blocked> blocked;
    if (rowDim)
      blocked.push_back({*rowDim, kRowBlock});
    SmallVector<LinalgLoops::Block> blocks = loops.openForall(blocked, point);
    SmallVector<unsigned> moving(loops.getReductionDims());
    if (rowDim)
      moving.push_back(*rowDim);
    loops.emitInvariants(point, moving);
    if (!rowDim)
      return emitAt(point);
    loops.emitRows(blocks.front(), *rowDim, kRows, point, [&](unsigned rows) {
      emitAt(loops.getRows(point, *rowDim, rows));
    });
  }

private:
  using Point = LinalgLoops::Point;

  VectorType getVectorType() const {
    return VectorType::get({int64_t(lanes.count)}, type);
  }

  /// Emits the outputs at the points.
  void emitAt(ArrayRef<Point> points) {
    Value zeros = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(getVectorType()));
    SmallVector<Value> sums(points.size(), zeros);
    sums = loops.emitLoops(loops.getReductionDims().drop_back(), points.front(),
                           sums, [&](const Point &at, ValueRange args) {
                             return emitAlong(points, at, args);
                           });
    OpOperand &output = *loops.op.getDpsInitOperand(0);
    for (auto [point, sum] : llvm::zip_equal(points, sums)) {
      Value total = vector::ReductionOp::create(
          rewriter, loc, vector::CombiningKind::ADD, sum);
      Value initial = loops.load(output, point, Lanes());
      Value result = arith::AddIOp::create(rewriter, loc, initial, total);
      loops.store(result, output, point, Lanes());
    }
  }

  /// The sums, with the summands of a row of the innermost dimension.
  SmallVector<Value> emitAlong(ArrayRef<Point> points, const Point &at,
                               ValueRange sums) {
    SmallVector<Point> rows(points);
    for (Point &row : rows)
      for (unsigned dim : loops.getReductionDims().drop_back())
        row[dim] = at[dim];
    Value size = loops.getSize(along);
    AffineExpr s0 = rewriter.getAffineSymbolExpr(0);
    Value whole = getValueOrCreateConstantIndexOp(
        rewriter, loc,
        affine::makeComposedFoldedAffineApply(
            rewriter, loc, s0.floorDiv(lanes.count) * lanes.count,
            {getAsOpFoldResult(size)}));
    auto loop = scf::ForOp::create(rewriter, loc, loops.constant(0), whole,
                                   loops.constant(lanes.count), sums);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(
          rewriter, loc,
          addAt(rows, loop.getInductionVar(), lanes, loop.getRegionIterArgs()));
    }
    int64_t known = loops.op.getStaticLoopRanges()[along];
    if (!ShapedType::isDynamic(known) && known % lanes.count == 0)
      return llvm::to_vector_of<Value>(loop.getResults());
    return isTailMasked ? emitMaskedTail(rows, whole, size, loop.getResults())
                        : emitScalarTail(rows, whole, size, loop.getResults());
  }

  /// sums + summands at these lanes.
  SmallVector<Value> addAt(ArrayRef<Point> rows, Value index, const Lanes &at,
                           ValueRange sums) {
    SmallVector<Value> next;
    for (auto [row, sum] : llvm::zip_equal(rows, sums)) {
      Point point = row;
      point[along] = index;
      Value value =
          loops.spread(loops.emitBody(summand, {}, point, at).front(), at);
      if (at.mask) {
        Value zeros = arith::ConstantOp::create(
            rewriter, loc, rewriter.getZeroAttr(value.getType()));
        value = arith::SelectOp::create(rewriter, loc, at.mask, value, zeros);
      }
      next.push_back(arith::AddIOp::create(rewriter, loc, sum, value));
    }
    return next;
  }

  SmallVector<Value> emitMaskedTail(ArrayRef<Point> rows, Value start,
                                    Value size, ValueRange sums) {
    Value hasTail = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ult, start, size);
    auto branch = scf::IfOp::create(rewriter, loc, sums.getTypes(), hasTail,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    auto maskType =
        VectorType::get({int64_t(lanes.count)}, rewriter.getI1Type());
    Value count = arith::SubIOp::create(rewriter, loc, size, start);
    Value mask = vector::CreateMaskOp::create(rewriter, loc, maskType,
                                              ValueRange(count));
    scf::YieldOp::create(
        rewriter, loc,
        addAt(rows, start, Lanes{along, lanes.count, mask}, sums));
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc, sums);
    return llvm::to_vector_of<Value>(branch.getResults());
  }

  /// Adds the remaining summands one by one to the first lane.
  SmallVector<Value> emitScalarTail(ArrayRef<Point> rows, Value start,
                                    Value size, ValueRange sums) {
    Value zero =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    SmallVector<Value> scalars(rows.size(), zero);
    auto loop = scf::ForOp::create(rewriter, loc, start, size,
                                   loops.constant(1), scalars);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(rewriter, loc,
                           addAt(rows, loop.getInductionVar(), Lanes(),
                                 loop.getRegionIterArgs()));
    }
    SmallVector<Value> next;
    for (auto [sum, rest] : llvm::zip_equal(sums, loop.getResults())) {
      Value first =
          vector::ExtractOp::create(rewriter, loc, sum, ArrayRef<int64_t>{0});
      Value all = arith::AddIOp::create(rewriter, loc, first, rest);
      next.push_back(vector::InsertOp::create(rewriter, loc, all, sum,
                                              ArrayRef<int64_t>{0}));
    }
    return next;
  }

  LinalgLoops &loops;
  RewriterBase &rewriter;
  Location loc;
  Value summand;
  IntegerType type;
  unsigned along;
  Lanes lanes;
  bool isTailMasked;
};
} // namespace

void qcc::emitIntegerSum(LinalgLoops &loops, Value summand,
                         unsigned vectorBits) {
  IntegerSumEmitter(loops, summand, vectorBits).emit();
}
