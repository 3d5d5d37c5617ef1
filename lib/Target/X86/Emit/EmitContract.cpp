//===- EmitContract.cpp - kernel.contract to a blocked vector kernel ------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of blocks and tiles. For its share of tiles (Share.h) a thread runs
//
//   for each outer index                       where there are outer dimensions
//     for each block of MC rows                L2: rows of the left operand
//       prepare the rows                       LhsRows.h
//       for each block of NC columns           L1 or L2: tiles of the right one
//         for each tile of MR rows, then what is left of the rows
//           for each tile of NR columns
//             accumulators over K, epilogue    MainLoop.h, Epilogue.h
//
// What is left of the rows, fewer than MR, is a tile of just as many rows where
// their number is known, and tiles of powers of 2 where it is not. The last
// tile of columns has only as many vectors as there are columns left.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Epilogue.h"
#include "MainLoop.h"
#include "Share.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qcc/Transforms/Steps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

namespace {
class ContractEmitter {
public:
  ContractEmitter(KernelBuilder &builder, kernel::ContractOp op,
                  const Atom &atom)
      : builder(builder), contraction(builder, op, atom), rows(chooseRows()),
        epilogue(builder, contraction) {}

  void emit();

private:
  std::unique_ptr<LhsRows> chooseRows();
  /// Rows [begin, end) and columns [first, last) of tiles at `loops`.
  void emitBlocks(Value begin, Value end, Value first, Value last);
  /// All rows of a block, in one tile of columns or several.
  void emitRows(Value begin, Value end,
                function_ref<void(Value row, int64_t count)> body);
  void emitTile(Value row, int64_t count, Value column, int64_t vectors,
                bool masked);

  KernelBuilder &builder;
  Contraction contraction;
  std::unique_ptr<LhsRows> rows;
  Epilogue epilogue;
  SmallVector<Value> loops; // current index of each outer dimension
  SmallVector<Value> batch; // current index of the batch dimensions
};
} // namespace

std::unique_ptr<LhsRows> ContractEmitter::chooseRows() {
  bool inPlace = contraction.op.getLoweringConfigAttr().readsInPlace() &&
                 canReadInPlace(contraction);
  return inPlace ? makeInPlaceRows(builder, contraction)
                 : makePanelRows(builder, contraction);
}

void ContractEmitter::emit() {
  kernel::ContractOp op = contraction.op;
  RewriterBase &rewriter = builder.rewriter;
  Location loc = builder.loc;
  const auto &roles = contraction.roles;
  // At least 1, since outer indices are rows divided by it.
  Value rowTiles =
      builder.max(builder.ceilDiv(contraction.m, builder.index(contraction.mr)),
                  builder.index(1));
  Value columnTiles = rewriter.createOrFold<memref::DimOp>(
      loc, op.getRhs(), (int64_t)roles.batch.size());
  SmallVector<Value> outerSizes;
  Value outerCount = builder.index(1);
  for (unsigned dim : roles.outer) {
    outerSizes.push_back(contraction.loopSize(builder, dim));
    outerCount = builder.mul(outerCount, outerSizes.back());
  }

  Value threads = builder.index(1);
  auto function = op->getParentOfType<func::FuncOp>();
  if (isStep(function))
    threads = getStepArgument(function, StepArgument::Threads);
  auto forall = scf::ForallOp::create(
      rewriter, loc, getAsOpFoldResult(ArrayRef<Value>{threads}), ValueRange{},
      std::nullopt);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(forall.getTerminator());
  Share share = emitShare(builder, forall.getInductionVar(0), threads,
                          builder.mul(outerCount, rowTiles), columnTiles);

  loops.assign(op.getNumLoops(), builder.index(0));
  if (roles.outer.empty())
    return emitBlocks(share.rowBegin, share.rowEnd, share.columnBegin,
                      share.columnEnd);
  // Rows of the grid run through the outer dimensions.
  Value firstOuter = builder.div(share.rowBegin, rowTiles),
        lastOuter = builder.ceilDiv(share.rowEnd, rowTiles);
  builder.forEach(firstOuter, lastOuter, 1, [&](Value outer) {
    Value rest = outer;
    for (int64_t i = (int64_t)outerSizes.size() - 1; i >= 0; --i) {
      loops[roles.outer[i]] = i == 0 ? rest : builder.rem(rest, outerSizes[i]);
      if (i != 0)
        rest = builder.div(rest, outerSizes[i]);
    }
    for (unsigned dim : roles.batch)
      batch.push_back(loops[dim]);
    Value base = builder.mul(outer, rowTiles);
    emitBlocks(builder.max(builder.sub(share.rowBegin, base), builder.index(0)),
               builder.min(builder.sub(share.rowEnd, base), rowTiles),
               share.columnBegin, share.columnEnd);
  });
}

void ContractEmitter::emitBlocks(Value begin, Value end, Value first,
                                 Value last) {
  int64_t nr = contraction.nr, lanes = builder.lanes;
  Value firstRow = builder.mul(begin, contraction.mr);
  Value lastRow = builder.min(builder.mul(end, contraction.mr), contraction.m);
  // Tiles of columns with all columns. Where some may be missing, the last tile
  // is another kernel.
  auto n = getConstantIntValue(contraction.n);
  int64_t missing = n ? *n % nr : -1;
  Value fullTiles = builder.div(contraction.n, builder.index(nr));
  builder.forEach(firstRow, lastRow, contraction.mc, [&](Value row) {
    Value blockEnd = builder.min(builder.add(row, contraction.mc), lastRow);
    rows->prepare(loops, row, builder.sub(blockEnd, row));
    Value lastFull = missing == 0 ? last : builder.min(last, fullTiles);
    builder.forEach(first, lastFull, contraction.nc / nr, [&](Value column) {
      Value columnEnd =
          builder.min(builder.add(column, contraction.nc / nr), lastFull);
      emitRows(row, blockEnd, [&](Value row, int64_t count) {
        auto emitColumn = [&](Value column) {
          emitTile(row, count, column, nr / lanes, /*masked=*/false);
        };
        if (contraction.nc == nr)
          emitColumn(column);
        else
          builder.forEach(column, columnEnd, 1, emitColumn);
      });
    });
    if (missing == 0)
      return;
    Value hasPartial =
        n ? builder.less(fullTiles, last)
          : builder.less(builder.mul(fullTiles, nr),
                         builder.min(builder.mul(last, nr), contraction.n));
    builder.ifTrue(hasPartial, [&] {
      int64_t vectors = n ? llvm::divideCeil(missing, lanes) : nr / lanes;
      emitRows(row, blockEnd, [&](Value row, int64_t count) {
        emitTile(row, count, fullTiles, vectors, /*masked=*/true);
      });
    });
  });
}

void ContractEmitter::emitRows(
    Value begin, Value end, function_ref<void(Value row, int64_t count)> body) {
  int64_t mr = contraction.mr;
  auto m = getConstantIntValue(contraction.m);
  Value count = builder.sub(end, begin);
  // Blocks start at tiles: only the last rows of all can be fewer than MR.
  if (m && *m % mr == 0)
    return builder.forEach(begin, end, mr, [&](Value row) { body(row, mr); });
  Value left = builder.rem(count, builder.index(mr));
  Value fullEnd = builder.sub(end, left);
  builder.forEach(begin, fullEnd, mr, [&](Value row) { body(row, mr); });
  if (m)
    return builder.ifTrue(builder.less(fullEnd, end),
                          [&] { body(fullEnd, *m % mr); });
  Value row = fullEnd;
  for (int64_t size = llvm::bit_floor(uint64_t(mr - 1)); size > 0; size /= 2) {
    Value bit = builder.rewriter.createOrFold<arith::AndIOp>(
        builder.loc, left, builder.index(size));
    builder.ifTrue(builder.less(builder.index(0), bit),
                   [&] { body(row, size); });
    row = builder.add(row, bit);
  }
}

void ContractEmitter::emitTile(Value row, int64_t count, Value column,
                               int64_t vectors, bool masked) {
  Tile tile;
  tile.loops = loops;
  tile.batch = batch;
  tile.row = row;
  tile.rows = count;
  tile.column = column;
  tile.vectors = vectors;
  tile.masked = masked;
  if (auto n = getConstantIntValue(contraction.n); n && masked)
    tile.columns = *n % contraction.nr;
  epilogue.emit(tile, emitMainLoop(builder, contraction, *rows, tile));
}

void qcc::x86::emitContract(RewriterBase &rewriter, kernel::ContractOp op,
                            const Atom &atom) {
  rewriter.setInsertionPoint(op);
  KernelBuilder builder(rewriter, op.getLoc(), atom.lanes);
  ContractEmitter(builder, op, atom).emit();
  rewriter.eraseOp(op);
}
