//===- CollectedBlocks.cpp - Results collected before epilogues -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectedBlocks.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

/// The contraction as the epilogue sees it.
static Contraction makeView(const Contraction &contraction, bool alongRows) {
  Contraction view = contraction;
  view.mr = 1;
  view.nr = contraction.nc;
  if (!alongRows)
    return view;
  view.nr = contraction.mc;
  view.roles.m = contraction.roles.n;
  view.roles.n = *contraction.roles.m;
  std::swap(view.m, view.n);
  return view;
}

CollectedBlocks::CollectedBlocks(KernelBuilder &builder,
                                 Contraction &contraction)
    : builder(builder), contraction(contraction),
      alongRows(contraction.config.hasResultsAlongRows()),
      view(makeView(contraction, alongRows)), epilogue(builder, view) {
  bool isCopied = !contraction.config.readsLhsInPlace();
  if (isCopied)
    panel = makePanelRows(builder, contraction, contraction.mc);
  rows = makeSide(contraction.mr, contraction.mc, contraction.m, alongRows,
                  isCopied);
  columns = makeSide(contraction.nr, contraction.nc, contraction.n, !alongRows,
                     false);
  Type i32 = builder.rewriter.getI32Type();
  results =
      contraction.allocate(builder, {across().places, along().places}, i32);
  if (contraction.needsRowSums())
    rows.sums = contraction.allocate(builder, {rows.places}, i32);
  if (contraction.needsColumnSums() && !contraction.op.isPacked())
    columns.sums = contraction.allocate(builder, {columns.places}, i32);
}

CollectedBlocks::Side CollectedBlocks::makeSide(int64_t tile, int64_t block,
                                                Value size, bool isAlong,
                                                bool isCopied) {
  Side side;
  side.tile = tile;
  side.block = block;
  side.size = size;
  auto known = getConstantIntValue(size);
  side.canMoveBack = !isCopied && known && *known >= tile;
  side.margin = isAlong ? llvm::alignTo(tile, builder.lanes) : tile;
  side.places = side.margin + block + tile;
  if (isAlong)
    side.places = llvm::alignTo(side.places, builder.lanes);
  assert((!isAlong || block % builder.lanes == 0) && side.margin >= tile &&
         "results along a side are whole vectors, behind a tile of margin");
  return side;
}

void CollectedBlocks::forEachTile(const Side &side,
                                  function_ref<void(Value, Value)> body) {
  auto size = getConstantIntValue(side.size);
  builder.forEach(
      builder.index(0), countOf(side), side.tile, [&](Value offset) {
        Value first = builder.add(side.first, offset);
        if (side.canMoveBack && *size % side.tile != 0)
          first = builder.min(first, builder.index(*size - side.tile));
        body(first, builder.add(builder.sub(first, side.first), side.margin));
      });
}

Value CollectedBlocks::countOf(const Side &side) {
  auto size = getConstantIntValue(side.size);
  if (size && *size % side.block == 0)
    return builder.index(side.block);
  return builder.min(builder.sub(side.size, side.first),
                     builder.index(side.block));
}

InitialAccumulators::Term CollectedBlocks::sumsTerm(const Side &side,
                                                    const Tile &tile) {
  bool isAlong = &side == &along();
  bool isPacked = &side == &columns && contraction.op.isPacked();
  InitialAccumulators::Term term;
  term.onColumn = isAlong;
  term.onRow = !isAlong;
  term.emit = [this, &side, isAlong, isPacked, tile](int64_t i, int64_t j) {
    RewriterBase &rewriter = builder.rewriter;
    Value memref = isPacked ? contraction.op.getRhsSums() : side.sums;
    SmallVector<Value> at;
    if (isPacked)
      at = tile.batch;
    VectorPosition position = tile.at(builder, view, i, j);
    Value row =
        isAlong ? position.index[view.roles.n] : builder.add(tile.row, i);
    at.push_back(isPacked
                     ? row
                     : builder.add(builder.sub(row, side.first), side.margin));
    if (!isAlong) {
      Value scalar = memref::LoadOp::create(rewriter, builder.loc, memref, at);
      return vector::BroadcastOp::create(rewriter, builder.loc,
                                         builder.accumulatorType(), scalar)
          .getResult();
    }
    return vector::TransferReadOp::create(
               rewriter, builder.loc, builder.accumulatorType(), memref, at,
               arith::ConstantIntOp::create(rewriter, builder.loc, 0, 32)
                   .getResult(),
               ArrayRef<bool>{!isPacked || position.inBounds})
        .getResult();
  };
  return term;
}

void CollectedBlocks::emitEpilogue(const GridPart &part, int64_t vectors,
                                   bool masked,
                                   std::optional<int64_t> columns) {
  Side &outer = across(), &inner = along();
  assert(vectors * builder.lanes <= inner.block + builder.lanes - 1 &&
         "the epilogue is of one block");
  Tile tile;
  tile.loops = part.loops;
  tile.batch = part.batch;
  tile.column = inner.index;
  tile.vectors = vectors;
  tile.columns = columns;
  tile.masked = masked;
  auto emitRows = [&](Value offset, int64_t count) {
    tile.row = builder.add(outer.first, offset);
    tile.rows = count;
    InitialAccumulators initial(builder, view, tile, sumsTerm(rows, tile),
                                sumsTerm(this->columns, tile));
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<Value> accumulators;
      for (int64_t j = 0; j < vectors; ++j) {
        Value sum = vector::LoadOp::create(
            builder.rewriter, builder.loc, builder.accumulatorType(), results,
            ValueRange{builder.add(offset, outer.margin + i),
                       builder.index(inner.margin + j * builder.lanes)});
        if (Value first = initial.emit(i, j))
          sum =
              arith::AddIOp::create(builder.rewriter, builder.loc, sum, first);
        accumulators.push_back(sum);
      }
      epilogue.emitRow(tile, i, accumulators);
    }
  };
  Value count = countOf(outer);
  tile.rows = outer.block;
  // The tiles are spelled out where that is little code.
  if (getConstantIntValue(count) == outer.block &&
      epilogue.isAtMost(tile, kMaxUnrolledOps))
    return emitRows(builder.index(0), outer.block);
  builder.forEach(builder.index(0), count, 1,
                  [&](Value offset) { emitRows(offset, 1); });
}

void CollectedBlocks::emitResults(const GridPart &part) {
  Side &side = along();
  int64_t all = side.block / builder.lanes;
  auto size = getConstantIntValue(side.size);
  if (size && *size % side.block == 0)
    return emitEpilogue(part, all, false, std::nullopt);
  Value isWhole =
      builder.less(builder.add(side.first, side.block - 1), side.size);
  auto branch = scf::IfOp::create(builder.rewriter, builder.loc, isWhole,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder.rewriter);
  builder.rewriter.setInsertionPointToStart(branch.thenBlock());
  emitEpilogue(part, all, false, std::nullopt);
  builder.rewriter.setInsertionPointToStart(branch.elseBlock());
  if (!size)
    return emitEpilogue(part, all, true, std::nullopt);
  int64_t rest = *size % side.block;
  emitEpilogue(part, llvm::divideCeil(rest, builder.lanes), true, rest);
}

void CollectedBlocks::emit(const GridPart &part) {
  builder.forEach(part.firstRow, part.lastRow, rows.block, [&](Value row) {
    rows.first = row;
    rows.index = builder.div(row, builder.index(rows.block));
    if (panel)
      panel->prepare(part.loops, row, countOf(rows));
    if (rows.sums)
      emitSums(part, rows);
    builder.forEach(part.firstColumn, part.endColumn, 1, [&](Value column) {
      columns.index = column;
      columns.first = builder.mul(column, columns.block);
      if (columns.sums)
        emitSums(part, columns);
      emitProducts(part);
      emitResults(part);
    });
  });
}

void qcc::x86::emitCollectedGrid(KernelBuilder &builder,
                                 Contraction &contraction,
                                 CollectedBlocks &blocks) {
  Contraction grid = contraction;
  grid.mr = contraction.mc;
  grid.nr = contraction.nc;
  emitGrid(builder, grid, [&](const GridPart &part) { blocks.emit(part); });
}
