//===- LanesAlongK.cpp - Blocks whose lanes lie along K -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For few columns, and where the right operand is not worth packing. Each
// accumulator has a result of its own, whose sum is spread over its lanes. For
// its part of the grid (Grid.h) a thread runs
//
//   for each block of MC rows
//     copy the rows, unless they are read in place       LhsRows.h
//     for each block of NC columns
//       for each tile of MR x NR results
//         accumulators over K, the sums of their lanes   SumLanes.h
//       for each vector of results: initial value, epilogue
//
// Vectors of results lie along the longer side of the block. That one is called
// "along" here, the other one "across". Sums are collected in scratch memory as
// results[across][along], so that the epilogue is the ordinary one, with rows
// for columns where results lie along rows.
//
// The last tile of a side is moved back so that it ends where the side does; it
// computes some results again. Where the side may be shorter than a tile its
// last row stands in for what is missing. So there is one loop over K, and only
// the epilogue knows of edges.
//
//===----------------------------------------------------------------------===//

#include "../Atoms/Dot.h"
#include "Blocks.h"
#include "Epilogue.h"
#include "InitialAccumulators.h"
#include "OperandAlongK.h"
#include "SumLanes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

namespace {
/// Rows of the left operand or columns of the right one.
struct Side {
  int64_t tile, block;
  /// Whether rows outside of the block can be read.
  bool canReadBack;
  /// All of them.
  Value size;
  /// Sums over K, where they are needed and computed here; padded as `results`.
  Value sums;

  /// In scratch memory, places before the first of a block and all of them.
  int64_t margin, places;

  /// Those of the block, its first one, and its number.
  Value first, index;
  OperandAlongK operand;
};

class LanesAlongK {
public:
  LanesAlongK(KernelBuilder &builder, Contraction &contraction);

  void emit(const GridPart &part);

private:
  using Vectors = SmallVector<std::function<Value(Value step, int64_t count)>>;

  Side makeSide(int64_t tile, int64_t block, Value size, bool isAlong,
                bool isCopied);
  /// The first of a tile at `offset` of the block, and the vectors of all.
  Value placeTile(const Side &side, Value offset);
  Vectors readTile(const Side &side, Value first);
  /// How many the block has.
  Value countOf(const Side &side);
  /// The accumulators of all pairs, left ones outside; `left` are those of
  /// `operand`.
  SmallVector<Value> multiply(const OperandAlongK &operand, const Vectors &left,
                              const Vectors &right);
  /// The sums of the lanes of accumulators, to consecutive elements.
  void storeSums(ValueRange accumulators, Value memref, SmallVector<Value> at);

  void emitSums(Side &side);
  void emitProducts();
  void emitResults(const GridPart &part);
  /// The epilogue of all results of the block, `vectors` of them for each of
  /// the other side. `columns` as in Tile.
  void emitEpilogue(const GridPart &part, int64_t vectors, bool masked,
                    std::optional<int64_t> columns);
  InitialAccumulators::Term sumsTerm(const Side &side, const Tile &tile);

  Side &along() { return alongRows ? rows : columns; }
  Side &across() { return alongRows ? columns : rows; }

  KernelBuilder &builder;
  Contraction &contraction;
  bool alongRows;
  Side rows, columns;
  std::unique_ptr<LhsRows> panel; // or null
  /// The contraction with the side along as its columns.
  Contraction view;
  Epilogue epilogue;
  Value results;
};
} // namespace

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

LanesAlongK::LanesAlongK(KernelBuilder &builder, Contraction &contraction)
    : builder(builder), contraction(contraction),
      alongRows(contraction.op.getLoweringConfigAttr().hasResultsAlongRows()),
      view(makeView(contraction, alongRows)), epilogue(builder, view) {
  bool isCopied = !contraction.op.getLoweringConfigAttr().readsInPlace();
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

Side LanesAlongK::makeSide(int64_t tile, int64_t block, Value size,
                           bool isAlong, bool isCopied) {
  Side side;
  side.tile = tile;
  side.block = block;
  side.size = size;
  auto known = getConstantIntValue(size);
  side.canReadBack = !isCopied && known && *known >= tile;
  side.margin = isAlong ? llvm::alignTo(tile, builder.lanes) : tile;
  side.places = side.margin + block + tile;
  if (isAlong)
    side.places = llvm::alignTo(side.places, builder.lanes);
  return side;
}

Value LanesAlongK::placeTile(const Side &side, Value offset) {
  Value first = builder.add(side.first, offset);
  auto size = getConstantIntValue(side.size);
  if (!side.canReadBack || *size % side.tile == 0)
    return first;
  return builder.min(first, builder.index(*size - side.tile));
}

LanesAlongK::Vectors LanesAlongK::readTile(const Side &side, Value first) {
  Vectors vectors;
  for (int64_t i = 0; i < side.tile; ++i) {
    Value row = builder.add(first, i);
    if (!side.canReadBack)
      row = builder.min(row, builder.sub(side.size, builder.index(1)));
    vectors.push_back([&side, row](Value step, int64_t count) {
      return side.operand.read(row, step, count);
    });
  }
  return vectors;
}

Value LanesAlongK::countOf(const Side &side) {
  auto size = getConstantIntValue(side.size);
  if (size && *size % side.block == 0)
    return builder.index(side.block);
  return builder.min(builder.sub(side.size, side.first),
                     builder.index(side.block));
}

SmallVector<Value> LanesAlongK::multiply(const OperandAlongK &operand,
                                         const Vectors &left,
                                         const Vectors &right) {
  int64_t size = builder.lanes * contraction.kr;
  SmallVector<Value> zeros(left.size() * right.size(), builder.splat(0));
  auto addStep = [&](Value step, ValueRange accumulators, int64_t count) {
    SmallVector<Value> a, b, next;
    for (const auto &read : left)
      a.push_back(read(step, count));
    for (const auto &read : right)
      b.push_back(read(step, count));
    for (Value x : a)
      for (Value y : b)
        next.push_back(multiplyAccumulate(
            builder.rewriter, builder.loc, contraction.atom,
            accumulators[next.size()], operand.isUnsigned ? x : y,
            operand.isUnsigned ? y : x));
    return next;
  };
  int64_t whole = contraction.k / size;
  SmallVector<Value> accumulators =
      builder.carry(0, whole, zeros, [&](Value step, ValueRange current) {
        return addStep(step, current, size);
      });
  if (int64_t rest = contraction.k % size)
    accumulators = addStep(builder.index(whole), accumulators, rest);
  return accumulators;
}

void LanesAlongK::storeSums(ValueRange accumulators, Value memref,
                            SmallVector<Value> at) {
  Value first = at.back();
  for (size_t i = 0; i < accumulators.size(); i += builder.lanes) {
    ValueRange some = accumulators.slice(
        i, std::min<size_t>(builder.lanes, accumulators.size() - i));
    Value sums = vector::ExtractStridedSliceOp::create(
        builder.rewriter, builder.loc, sumLanes(builder, some),
        ArrayRef<int64_t>{0}, ArrayRef<int64_t>{(int64_t)some.size()},
        ArrayRef<int64_t>{1});
    at.back() = builder.add(first, i);
    vector::StoreOp::create(builder.rewriter, builder.loc, sums, memref, at);
  }
}

void LanesAlongK::emitSums(Side &side) {
  if (!side.sums)
    return;
  Vectors ones{[&](Value, int64_t count) {
    return onesAlongK(builder, contraction, count);
  }};
  builder.forEach(
      builder.index(0), countOf(side), side.tile, [&](Value offset) {
        Value first = placeTile(side, offset);
        SmallVector<Value> sums =
            multiply(side.operand, readTile(side, first), ones);
        storeSums(sums, side.sums,
                  {builder.add(builder.sub(first, side.first), side.margin)});
      });
}

void LanesAlongK::emitProducts() {
  Side &outer = across(), &inner = along();
  auto emitTile = [&](Value outerFirst, Value innerFirst) {
    SmallVector<Value> accumulators =
        multiply(outer.operand, readTile(outer, outerFirst),
                 readTile(inner, innerFirst));
    Value place =
        builder.add(builder.sub(innerFirst, inner.first), inner.margin);
    Value row = builder.add(builder.sub(outerFirst, outer.first), outer.margin);
    for (int64_t i = 0; i < outer.tile; ++i)
      storeSums(ValueRange(accumulators).slice(i * inner.tile, inner.tile),
                results, {builder.add(row, i), place});
  };
  builder.forEach(
      builder.index(0), countOf(outer), outer.tile, [&](Value offset) {
        Value outerFirst = placeTile(outer, offset);
        builder.forEach(builder.index(0), countOf(inner), inner.tile,
                        [&](Value offset) {
                          emitTile(outerFirst, placeTile(inner, offset));
                        });
      });
}

InitialAccumulators::Term LanesAlongK::sumsTerm(const Side &side,
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

void LanesAlongK::emitEpilogue(const GridPart &part, int64_t vectors,
                               bool masked, std::optional<int64_t> columns) {
  Side &outer = across(), &inner = along();
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
  // Spelled out where that is little code.
  if (getConstantIntValue(count) == outer.block &&
      epilogue.isAtMost(tile, kMaxUnrolledOps))
    return emitRows(builder.index(0), outer.block);
  builder.forEach(builder.index(0), count, 1,
                  [&](Value offset) { emitRows(offset, 1); });
}

void LanesAlongK::emitResults(const GridPart &part) {
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

void LanesAlongK::emit(const GridPart &part) {
  rows.operand = OperandAlongK::left(builder, contraction, part, panel.get());
  columns.operand = OperandAlongK::right(builder, contraction, part);
  builder.forEach(part.firstRow, part.lastRow, rows.block, [&](Value row) {
    rows.first = row;
    rows.index = builder.div(row, builder.index(rows.block));
    if (panel)
      panel->prepare(part.loops, row, countOf(rows));
    emitSums(rows);
    builder.forEach(part.firstColumn, part.endColumn, 1, [&](Value column) {
      columns.index = column;
      columns.first = builder.mul(column, columns.block);
      emitSums(columns);
      emitProducts();
      emitResults(part);
    });
  });
}

void qcc::x86::emitLanesAlongK(KernelBuilder &builder,
                               Contraction &contraction) {
  LanesAlongK blocks(builder, contraction);
  // Threads share blocks.
  Contraction grid = contraction;
  grid.mr = contraction.mc;
  grid.nr = contraction.nc;
  emitGrid(builder, grid, [&](const GridPart &part) { blocks.emit(part); });
}
