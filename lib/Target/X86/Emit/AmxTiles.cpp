//===- AmxTiles.cpp - Blocks of a contraction in tile registers -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of MR x NR results is a grid of registers of R x 16, where R is the
// greatest number up to 16 that cuts MR into equal parts. For its part of the
// grid of tiles (Grid.h) a thread runs
//
//   for each block of MC rows                L2: rows of the left operand
//     prepare the rows                       LhsRows.h
//     for each block of NC columns           L2: tiles of the right one
//       for each tile of MR rows             L1: its rows
//         for each tile of NR columns        one loop with the one above
//           accumulators over K; meanwhile the epilogue of the tile before
//           and a share of the rows after these into the L2 cache
//   what is left of the rows, out of a panel, in tiles of as many registers as
//   it takes; with the epilogues between as well where their number is known
//
// The elements of tile registers can only be read from memory. The first step
// of a tile stores each register of the tile before to scratch memory just
// before it is used again, and the steps that follow have the rows of that
// epilogue between their multiplications: the vector units work while the tile
// unit does, and stores of tiles, slow one after the other, are apart. The
// zero points and the initial value are added in the epilogue.
//
// Registers have one shape in the whole function, as LLVM wants it. So a tile
// at the edge is whole as well: packed columns and elements of K that do not
// exist are 0, rows that do not exist are rows of a panel that hold anything,
// and only what exists is stored.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "InitialAccumulators.h"
#include "Strategies.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

/// At most this many steps of K are spelled out, with the epilogue between
/// them; more are a loop.
constexpr int64_t kMaxUnrolledSteps = 32;
/// An epilogue between the steps has at most this many vector operations. A
/// longer epilogue takes longer than the steps, and follows them as a loop over
/// rows.
constexpr int64_t kMaxOverlappedOps = 4096;
/// Rows of the next tile that one tile may prefetch. A block of few columns has
/// more to do for each; there the processor's own prefetching has to keep up.
constexpr int64_t kMaxPrefetchedRows = 8;

namespace {
/// Rows that are multiplied together.
struct RowGroup {
  LhsRows *lhs;
  int64_t registers; // of tiles that they are in
  int64_t count;     // that exist, at most MR
};

class AmxTiles {
public:
  AmxTiles(KernelBuilder &builder, Contraction &contraction);

  void emit(const GridPart &part);

private:
  /// Tiles of a group of prepared rows each, by [firstColumn, lastColumn): the
  /// groups start MR rows apart, in [firstRow, lastRow).
  void emitTiles(const GridPart &part, const RowGroup &group, Value firstRow,
                 Value lastRow, Value firstColumn, Value lastColumn,
                 bool masked);
  void emitSeparateTiles(const GridPart &part, const RowGroup &group,
                         Value firstRow, Value lastRow, Value firstColumn,
                         Value lastColumn, bool masked);
  /// The rows from `row` on, fewer than MR.
  void emitRest(const GridPart &part, Value row);
  /// Emits the rows from `row` on where their number is known before the
  /// program runs.
  void emitKnownRest(const GridPart &part, Value row, int64_t count);
  /// A tile with its epilogue, of which `count` rows exist.
  void emitTile(const Tile &tile, LhsRows &rows, int64_t registerRows,
                Value count);

  /// Called before and after each multiplication of a step.
  using AtProduct = function_ref<void(int64_t number)>;
  /// One step of K: adds to accumulators, which are row-major. Their number
  /// tells how many rows of registers the tile has.
  void emitStep(
      const Tile &tile, LhsRows &rows, Value step,
      MutableArrayRef<Value> accumulators, AtProduct before = [](int64_t) {},
      AtProduct after = [](int64_t) {});
  SmallVector<Value> emitSteps(const Tile &tile, LhsRows &rows, int64_t begin,
                               int64_t end, ValueRange accumulators,
                               ArrayRef<Value> ahead = {});
  SmallVector<Value> zeros(const Tile &tile, int64_t registerRows);
  /// The accumulators of a tile; meanwhile the epilogue of `finished`, and
  /// prefetches of the rows `ahead`.
  SmallVector<Value> emitOverlapped(const Tile &tile, const Tile &finished,
                                    LhsRows &rows, ValueRange accumulators,
                                    ArrayRef<Value> ahead);
  /// The rows that a tile prefetches: its share of those of the next group.
  SmallVector<Value> rowsAhead(const GridPart &part, const Tile &tile,
                               Value firstColumn);

  /// Stores register `number` of a tile to scratch memory.
  void storeToScratch(const Tile &tile, int64_t number, Value accumulators);
  /// The epilogue of row i of a tile, out of a row of scratch memory.
  void emitEpilogue(const Tile &tile, int64_t i, Value scratchRow,
                    InitialAccumulators &initial);
  void emitEpilogues(const Tile &tile, LhsRows &rows, ValueRange accumulators,
                     Value count);

  KernelBuilder &builder;
  Contraction &contraction;
  int64_t registerRows; // of a tile of MR rows
  int64_t rowsPerRegister;
  int64_t steps;
  std::unique_ptr<LhsRows> rows;
  std::unique_ptr<LhsRows> restRows; // null where M is a multiple of MR
  Epilogue epilogue;
  Value scratch; // [MR, NR]
};
} // namespace

AmxTiles::AmxTiles(KernelBuilder &builder, Contraction &contraction)
    : builder(builder), contraction(contraction),
      registerRows(llvm::divideCeil(contraction.mr, kTileRows)),
      rowsPerRegister(contraction.mr / registerRows),
      steps(contraction.words * contraction.kr / kTileBytes),
      rows(makeRows(builder, contraction)), epilogue(builder, contraction) {
  assert(contraction.mr % registerRows == 0 &&
         contraction.nr % kTileColumns == 0 && "tiles are whole registers");
  assert(contraction.words * contraction.kr % kTileBytes == 0 &&
         "segments are padded to whole steps");
  auto m = getConstantIntValue(contraction.m);
  if (!m || *m % contraction.mr != 0)
    restRows = makePanelRows(builder, contraction, contraction.mr);
  scratch = contraction.allocate(builder, {contraction.mr, contraction.nr},
                                 builder.rewriter.getI32Type());
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void AmxTiles::emit(const GridPart &part) {
  assert(contraction.nc % contraction.nr == 0 && "blocks have whole tiles");
  int64_t columnsPerBlock = contraction.nc / contraction.nr;
  Value lastRow = part.lastRow;
  RowGroup group{rows.get(), registerRows, contraction.mr};
  // Parts start at tiles: only the last rows of all can be fewer than MR.
  if (restRows)
    lastRow =
        builder.sub(lastRow, builder.rem(builder.sub(lastRow, part.firstRow),
                                         builder.index(contraction.mr)));
  builder.forEach(part.firstRow, lastRow, contraction.mc, [&](Value row) {
    Value blockEnd = builder.min(builder.add(row, contraction.mc), lastRow);
    rows->prepare(part.loops, row, builder.sub(blockEnd, row));
    builder.forEach(
        part.firstColumn, part.lastColumn, columnsPerBlock, [&](Value column) {
          Value last = builder.min(builder.add(column, columnsPerBlock),
                                   part.lastColumn);
          emitTiles(part, group, row, blockEnd, column, last,
                    /*masked=*/false);
        });
    if (part.hasPartial)
      builder.ifTrue(part.hasPartial, [&] {
        emitTiles(part, group, row, blockEnd, part.lastColumn,
                  builder.add(part.lastColumn, 1), /*masked=*/true);
      });
  });
  if (restRows)
    builder.ifTrue(builder.less(lastRow, part.lastRow),
                   [&] { emitRest(part, lastRow); });
}

void AmxTiles::emitTiles(const GridPart &part, const RowGroup &group,
                         Value firstRow, Value lastRow, Value firstColumn,
                         Value lastColumn, bool masked) {
  auto tileAt = [&](Value row, Value column) {
    return part.tile(contraction, row, group.count, column, masked);
  };
  Tile first = tileAt(firstRow, firstColumn);
  if (!epilogue.isAtMost(first, kMaxOverlappedOps))
    return emitSeparateTiles(part, group, firstRow, lastRow, firstColumn,
                             lastColumn, masked);
  Value count = builder.mul(builder.ceilDiv(builder.sub(lastRow, firstRow),
                                            builder.index(contraction.mr)),
                            builder.sub(lastColumn, firstColumn));
  // Where there are no tiles, not even the first exists.
  builder.ifTrue(builder.less(builder.index(0), count), [&] {
    SmallVector<Value> values =
        emitSteps(first, *group.lhs, 0, steps, zeros(first, group.registers));
    values.append({firstRow, firstColumn});
    values = builder.carry(
        builder.index(1), count, values, [&](Value, ValueRange before) {
          Value row = before.drop_back().back(), column = before.back();
          Tile finished = tileAt(row, column);
          Value next = builder.add(column, 1);
          Value isInRow = builder.less(next, lastColumn);
          column = builder.select(isInRow, next, firstColumn);
          row = builder.select(isInRow, row, builder.add(row, contraction.mr));
          Tile tile = tileAt(row, column);
          SmallVector<Value> values =
              emitOverlapped(tile, finished, *group.lhs, before.drop_back(2),
                             rowsAhead(part, tile, firstColumn));
          values.append({row, column});
          return values;
        });
    Tile last = tileAt(values[values.size() - 2], values.back());
    emitEpilogues(last, *group.lhs, ValueRange(values).drop_back(2),
                  builder.index(group.count));
  });
}

void AmxTiles::emitSeparateTiles(const GridPart &part, const RowGroup &group,
                                 Value firstRow, Value lastRow,
                                 Value firstColumn, Value lastColumn,
                                 bool masked) {
  builder.forEach(firstRow, lastRow, contraction.mr, [&](Value row) {
    builder.forEach(firstColumn, lastColumn, 1, [&](Value column) {
      emitTile(part.tile(contraction, row, group.count, column, masked),
               *group.lhs, group.registers, builder.index(group.count));
    });
  });
}

SmallVector<Value> AmxTiles::rowsAhead(const GridPart &part, const Tile &tile,
                                       Value firstColumn) {
  auto m = getConstantIntValue(contraction.m);
  // A tile of fewer columns follows others, which have brought the rows into
  // the cache.
  if (tile.masked || (m && *m <= contraction.mr))
    return {};
  int64_t count =
      llvm::divideCeil(contraction.mr, contraction.nc / contraction.nr);
  Value done = builder.mul(builder.sub(tile.column, firstColumn), count);
  Value first = builder.add(builder.add(tile.row, contraction.mr), done);
  Value last = builder.sub(part.lastRow, builder.index(1));
  SmallVector<Value> ahead;
  for (int64_t i = 0; i < std::min(count, kMaxPrefetchedRows); ++i)
    ahead.push_back(builder.min(builder.add(first, i), last));
  return ahead;
}

void AmxTiles::emitRest(const GridPart &part, Value row) {
  Value count = builder.sub(part.lastRow, row);
  auto m = getConstantIntValue(contraction.m);
  if (m)
    return emitKnownRest(part, row, *m % contraction.mr);
  restRows->prepare(part.loops, row, count);
  auto emitTileAt = [&](int64_t registerRows, Value column, bool masked) {
    emitTile(part.tile(contraction, row, contraction.mr, column, masked),
             *restRows, registerRows, count);
  };
  Value needed = builder.ceilDiv(count, builder.index(rowsPerRegister));
  for (int64_t i = 1; i <= registerRows; ++i)
    builder.ifTrue(builder.equal(needed, builder.index(i)), [&] {
      builder.forEach(part.firstColumn, part.lastColumn, 1,
                      [&](Value column) { emitTileAt(i, column, false); });
      if (part.hasPartial)
        builder.ifTrue(part.hasPartial,
                       [&] { emitTileAt(i, part.lastColumn, true); });
    });
}

void AmxTiles::emitKnownRest(const GridPart &part, Value row, int64_t count) {
  RowGroup group{restRows.get(),
                 int64_t(llvm::divideCeil(count, rowsPerRegister)), count};
  restRows->prepare(part.loops, row, builder.index(count));
  auto n = getConstantIntValue(contraction.n);
  if (n && *n < 2 * contraction.nr) // nothing to overlap with
    emitSeparateTiles(part, group, row, part.lastRow, part.firstColumn,
                      part.lastColumn, /*masked=*/false);
  else
    emitTiles(part, group, row, part.lastRow, part.firstColumn, part.lastColumn,
              /*masked=*/false);
  if (part.hasPartial)
    builder.ifTrue(part.hasPartial, [&] {
      emitTile(part.tile(contraction, row, count, part.lastColumn, true),
               *restRows, group.registers, builder.index(count));
    });
}

void AmxTiles::emitTile(const Tile &tile, LhsRows &rows, int64_t registerRows,
                        Value count) {
  emitEpilogues(tile, rows,
                emitSteps(tile, rows, 0, steps, zeros(tile, registerRows)),
                count);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void AmxTiles::emitStep(const Tile &tile, LhsRows &rows, Value step,
                        MutableArrayRef<Value> accumulators, AtProduct before,
                        AtProduct after) {
  OpBuilder &rewriter = builder.rewriter;
  Location loc = builder.loc;
  kernel::ContractOp op = contraction.op;
  Value offset = builder.mul(step, kTileBytes),
        word = builder.mul(step, kTileBytes / contraction.kr);
  Value pitch = builder.index(contraction.nr);
  SmallVector<Value> right(tile.vectors);
  Value left;
  // Each register is loaded when it is first needed.
  for (auto [number, sums] : llvm::enumerate(accumulators)) {
    int64_t i = number / tile.vectors, j = number % tile.vectors;
    if (j == 0)
      left = loadTile(rewriter, loc,
                      rows.tileSource(tile, i * rowsPerRegister, offset),
                      rowsPerRegister);
    if (!right[j]) {
      TileSource source{op.getRhs(), tile.batch, pitch};
      source.indices.append(
          {tile.column, word, builder.index(j * kTileColumns)});
      right[j] = loadTile(rewriter, loc, source, kTileRows);
    }
    before(number);
    sums = multiplyTiles(rewriter, loc, sums, left, op.getLhsUnsigned(),
                         right[j], op.getRhsUnsigned());
    after(number);
  }
}

SmallVector<Value> AmxTiles::emitSteps(const Tile &tile, LhsRows &rows,
                                       int64_t begin, int64_t end,
                                       ValueRange accumulators,
                                       ArrayRef<Value> ahead) {
  return builder.carry(
      begin, end, accumulators, [&](Value step, ValueRange current) {
        SmallVector<Value> next(current);
        emitStep(tile, rows, step, next);
        for (Value row : ahead)
          rows.prefetch(tile, row, builder.mul(step, kTileBytes));
        return next;
      });
}

SmallVector<Value> AmxTiles::zeros(const Tile &tile, int64_t registerRows) {
  SmallVector<Value> result;
  for (int64_t i = 0; i < registerRows * tile.vectors; ++i)
    result.push_back(zeroTile(builder.rewriter, builder.loc, rowsPerRegister));
  return result;
}

SmallVector<Value> AmxTiles::emitOverlapped(const Tile &tile,
                                            const Tile &finished, LhsRows &rows,
                                            ValueRange accumulators,
                                            ArrayRef<Value> ahead) {
  int64_t products = accumulators.size();
  int64_t unrolled = std::min(steps, kMaxUnrolledSteps);
  InitialAccumulators initial(builder, contraction, rows, nullptr, finished);
  // Rows are spread over the products of the steps after the first, which
  // stores: a row can be read once all registers that it lies in are stored.
  auto productOfRow = [&](int64_t i) {
    int64_t stored = (i / rowsPerRegister + 1) * tile.vectors - 1;
    int64_t spread = products * (unrolled - 1) * i / finished.rows;
    return unrolled == 1 ? stored : products + spread;
  };
  SmallVector<Value> current(accumulators);
  int64_t row = 0;
  for (int64_t step = 0; step < unrolled; ++step) {
    auto startOver = [&](int64_t number) {
      if (step != 0)
        return;
      storeToScratch(finished, number, current[number]);
      current[number] =
          zeroTile(builder.rewriter, builder.loc, rowsPerRegister);
    };
    auto finishRows = [&](int64_t number) {
      for (;
           row < finished.rows && productOfRow(row) <= step * products + number;
           ++row)
        emitEpilogue(finished, row, builder.index(row), initial);
      if (number == 0)
        for (Value row : ahead)
          rows.prefetch(tile, row, builder.index(step * kTileBytes));
    };
    emitStep(tile, rows, builder.index(step), current, startOver, finishRows);
  }
  assert(row == finished.rows && "each row has its epilogue");
  return emitSteps(tile, rows, unrolled, steps, current, ahead);
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

void AmxTiles::storeToScratch(const Tile &tile, int64_t number,
                              Value accumulators) {
  assert(number < registerRows * contraction.nr / kTileColumns &&
         "scratch memory has a place for each register of a tile");
  storeTile(builder.rewriter, builder.loc, accumulators, scratch,
            {builder.index(number / tile.vectors * rowsPerRegister),
             builder.index(number % tile.vectors * kTileColumns)});
}

void AmxTiles::emitEpilogue(const Tile &tile, int64_t i, Value scratchRow,
                            InitialAccumulators &initial) {
  SmallVector<Value> accumulators;
  for (int64_t j = 0; j < tile.vectors; ++j) {
    Value sum = vector::LoadOp::create(
        builder.rewriter, builder.loc, builder.accumulatorType(), scratch,
        ValueRange{scratchRow, builder.index(j * kTileColumns)});
    if (Value start = initial.emit(i, j))
      sum = arith::AddIOp::create(builder.rewriter, builder.loc, sum, start);
    accumulators.push_back(sum);
  }
  epilogue.emitRow(tile, i, accumulators);
}

void AmxTiles::emitEpilogues(const Tile &tile, LhsRows &rows,
                             ValueRange accumulators, Value count) {
  for (auto [number, sums] : llvm::enumerate(accumulators))
    storeToScratch(tile, number, sums);
  builder.forEach(builder.index(0), count, 1, [&](Value row) {
    Tile rowTile = tile;
    rowTile.row = builder.add(tile.row, row);
    rowTile.rows = 1;
    InitialAccumulators initial(builder, contraction, rows, nullptr, rowTile);
    emitEpilogue(rowTile, 0, row, initial);
  });
}

void qcc::x86::emitAmxTiles(KernelBuilder &builder, Contraction &contraction) {
  AmxTiles blocks(builder, contraction);
  emitGrid(builder, contraction,
           [&](const GridPart &part) { blocks.emit(part); });
}
