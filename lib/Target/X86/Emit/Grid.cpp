//===- Grid.cpp - The tiles of a contraction, and who computes them -------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qcc/Transforms/Steps/Steps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

Tile GridPart::tile(const Contraction &contraction, Value row, int64_t rows,
                    Value column, bool masked) const {
  Tile tile;
  tile.loops = loops;
  tile.batch = batch;
  tile.row = row;
  tile.rows = rows;
  tile.column = column;
  tile.vectors = contraction.nr / contraction.atom.lanes;
  tile.masked = masked;
  if (auto n = getConstantIntValue(contraction.n); n && masked) {
    tile.columns = *n % contraction.nr;
    assert(*tile.columns > 0 && "whole tiles are not masked");
    tile.vectors =
        llvm::divideCeil(*tile.columns, (int64_t)contraction.atom.lanes);
  }
  return tile;
}

/// Tells tiles [first, last) with all columns from one with fewer, which is
/// another kernel.
static void splitColumns(KernelBuilder &builder, const Contraction &contraction,
                         Value last, GridPart &part) {
  auto n = getConstantIntValue(contraction.n);
  int64_t nr = contraction.nr;
  part.lastColumn = part.endColumn = last;
  if (n && *n % nr == 0)
    return;
  Value fullTiles = builder.div(contraction.n, builder.index(nr));
  part.lastColumn = builder.min(last, fullTiles);
  part.hasPartial =
      n ? builder.less(fullTiles, last)
        : builder.less(builder.mul(fullTiles, nr),
                       builder.min(builder.mul(last, nr), contraction.n));
}

void qcc::x86::forEachRowTile(
    KernelBuilder &builder, const Contraction &contraction, Value begin,
    Value end, function_ref<void(Value row, int64_t count)> body) {
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

/// The most tiles that are spelled out, which are code of their own.
constexpr int64_t kMostSpecialTiles = 4;

namespace {
/// Tiles before row `first` and from row `last` on are special; `end` is the
/// end of all tiles.
struct SpecialTiles {
  int64_t first, last, end, count;

  /// Where there are more rows than can be spelled out, or their number is not
  /// known, nothing is.
  bool areFew() const { return count <= kMostSpecialTiles; }

  static SpecialTiles
  of(const Contraction &contraction,
     function_ref<bool(int64_t row, int64_t count)> isSpecial);
};
} // namespace

static int64_t rowsAt(const Contraction &contraction, int64_t row) {
  int64_t left = *getConstantIntValue(contraction.m) - row;
  assert(left > 0 && "a tile has rows");
  return std::min(contraction.mr, left);
}

SpecialTiles
SpecialTiles::of(const Contraction &contraction,
                 function_ref<bool(int64_t row, int64_t count)> isSpecial) {
  int64_t mr = contraction.mr;
  auto m = getConstantIntValue(contraction.m);
  if (!m)
    return {0, 0, 0, 0};
  auto isSpecialAt = [&](int64_t row) {
    return isSpecial(row, rowsAt(contraction, row));
  };
  SpecialTiles tiles{0, (int64_t)llvm::alignTo(*m, mr), 0, 0};
  tiles.end = tiles.last;
  while (tiles.first < tiles.last && isSpecialAt(tiles.first))
    tiles.first += mr;
  while (tiles.first < tiles.last && isSpecialAt(tiles.last - mr))
    tiles.last -= mr;
  tiles.count = (tiles.first + tiles.end - tiles.last) / mr;
  assert(tiles.first <= tiles.last && tiles.last <= tiles.end &&
         tiles.last % mr == 0 && "special tiles are at the ends");
  return tiles;
}

bool qcc::x86::areSpelledOut(
    const Contraction &contraction,
    function_ref<bool(int64_t row, int64_t count)> isSpecial) {
  return getConstantIntValue(contraction.m) &&
         SpecialTiles::of(contraction, isSpecial).areFew();
}

void qcc::x86::forEachRowTile(
    KernelBuilder &builder, const Contraction &contraction, Value begin,
    Value end, function_ref<bool(int64_t row, int64_t count)> isSpecial,
    function_ref<void(Value row, int64_t count)> body) {
  int64_t mr = contraction.mr;
  SpecialTiles tiles = SpecialTiles::of(contraction, isSpecial);
  if (tiles.count == 0 || !tiles.areFew())
    return forEachRowTile(builder, contraction, begin, end, body);
  auto emitFrom = [&](int64_t from, int64_t to) {
    for (int64_t row = from; row < to; row += mr)
      builder.ifTrue(builder.less(begin, builder.index(row + 1)), [&] {
        builder.ifTrue(builder.less(builder.index(row), end), [&] {
          body(builder.index(row), rowsAt(contraction, row));
        });
      });
  };
  emitFrom(0, tiles.first);
  Value middle =
      builder.min(builder.max(begin, builder.index(tiles.first)), end);
  if (tiles.first < tiles.last && tiles.last == tiles.end)
    forEachRowTile(builder, contraction, middle, end, body);
  else if (tiles.first < tiles.last)
    builder.forEach(middle, builder.min(end, builder.index(tiles.last)), mr,
                    [&](Value row) { body(row, mr); });
  emitFrom(tiles.last, tiles.end);
}

GridPart Grid::columns(KernelBuilder &builder,
                       const Contraction &contraction) const {
  kernel::ContractOp op = contraction.op;
  GridPart part;
  part.loops.assign(op.getNumLoops(), builder.index(0));
  part.firstColumn = share.columnBegin;
  splitColumns(builder, contraction, share.columnEnd, part);
  return part;
}

void Grid::setOuter(KernelBuilder &builder, const Contraction &contraction,
                    Value outer, GridPart &part) const {
  const auto &roles = contraction.roles;
  Value rest = outer;
  for (int64_t i = (int64_t)outerSizes.size() - 1; i >= 0; --i) {
    part.loops[roles.outer[i]] =
        i == 0 ? rest : builder.rem(rest, outerSizes[i]);
    if (i != 0)
      rest = builder.div(rest, outerSizes[i]);
  }
  part.batch.clear();
  for (unsigned dim : roles.batch)
    part.batch.push_back(part.loops[dim]);
}

Grid qcc::x86::openGrid(KernelBuilder &builder, Contraction &contraction,
                        function_ref<void()> prepare) {
  kernel::ContractOp op = contraction.op;
  RewriterBase &rewriter = builder.rewriter;
  Location loc = builder.loc;
  const auto &roles = contraction.roles;
  Grid grid;
  // At least 1, since outer indices are rows divided by it.
  grid.rowTiles =
      builder.max(builder.ceilDiv(contraction.m, builder.index(contraction.mr)),
                  builder.index(1));
  Value columnTiles =
      builder.ceilDiv(contraction.n, builder.index(contraction.nr));
  Value outerCount = builder.index(1);
  for (unsigned dim : roles.outer) {
    grid.outerSizes.push_back(contraction.loopSize(builder, dim));
    outerCount = builder.mul(outerCount, grid.outerSizes.back());
  }

  Value threads = builder.index(1);
  auto function = op->getParentOfType<func::FuncOp>();
  // A thread computes what is inside of a parallel loop by itself.
  if (isStep(function) && !op->getParentOfType<scf::ForallOp>())
    threads = getStepArgument(function, StepArgument::Threads);
  auto forall = scf::ForallOp::create(
      rewriter, loc, getAsOpFoldResult(ArrayRef<Value>{threads}), ValueRange{},
      std::nullopt);
  rewriter.setInsertionPoint(forall.getTerminator());
  if (prepare)
    prepare();
  Value rows = builder.mul(outerCount, grid.rowTiles);
  auto known = [](Value size) {
    return getConstantIntValue(size).value_or(ShapedType::kDynamic);
  };
  forall->setAttr(kGridAttr, builder.rewriter.getDenseI64ArrayAttr(
                                 {known(rows), known(columnTiles)}));
  grid.share =
      emitShare(builder, forall.getInductionVar(0), threads, rows, columnTiles);
  return grid;
}

void qcc::x86::emitGrid(KernelBuilder &builder, Contraction &contraction,
                        function_ref<void(const GridPart &)> emitPart,
                        function_ref<void()> prepare) {
  OpBuilder::InsertionGuard guard(builder.rewriter);
  Grid grid = openGrid(builder, contraction, prepare);
  const Share &share = grid.share;
  Value rowTiles = grid.rowTiles;
  GridPart part = grid.columns(builder, contraction);
  auto emitRows = [&](Value begin, Value end) {
    part.firstRow = builder.mul(begin, contraction.mr);
    part.lastRow = builder.min(builder.mul(end, contraction.mr), contraction.m);
    emitPart(part);
  };
  if (contraction.roles.outer.empty())
    return emitRows(share.rowBegin, share.rowEnd);
  // Rows of the grid run through the outer dimensions.
  Value firstOuter = builder.div(share.rowBegin, rowTiles),
        lastOuter = builder.ceilDiv(share.rowEnd, rowTiles);
  builder.forEach(firstOuter, lastOuter, 1, [&](Value outer) {
    grid.setOuter(builder, contraction, outer, part);
    Value base = builder.mul(outer, rowTiles);
    emitRows(builder.max(builder.sub(share.rowBegin, base), builder.index(0)),
             builder.min(builder.sub(share.rowEnd, base), rowTiles));
  });
}
