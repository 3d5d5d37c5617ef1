//===- BlockTiles.cpp - Tiles of the blocks of a contraction --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockTiles.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

/// Tiles of rows in a group. Blocks that run at the same time, which follow
/// each other, then need about as many different tiles of rows as of columns,
/// and find them in the L2 cache.
constexpr int64_t kGroupedRows = 8;

BlockTiles::BlockTiles(ScalarCode &code, ContractOp op, ConfigAttr config,
                       std::optional<int64_t> mostBlocks)
    : batch(op.getNumLoops()), code(code), op(op), config(config),
      rowLoops(rowLoopsOf(op)) {
  ContractOp::Roles roles = *op.getRoles();
  Operands operands(code, op);
  for (unsigned loop : rowLoops)
    rowSizes.push_back(operands.sizeOf(loop));
  OpFoldResult rows = code.product(rowSizes), n = operands.sizeOf(roles.n);
  rowTiles = code.tiles(rows, config.getRows());
  columnTiles = code.tiles(n, config.getColumns());
  for (unsigned loop : roles.batch)
    space.push_back(operands.sizeOf(loop));
  space.push_back(code.product({rowTiles, columnTiles}));
  rowCount = code.toValue(rows);
  columnCount = code.toValue(n);
  tileCount = countTiles();
  blockCount = tileCount;
  if (mostBlocks)
    blockCount =
        code.create<arith::MinUIOp>(tileCount, code.index(*mostBlocks));
  auto blocks = BlocksOp::create(code.rewriter, code.loc, blockCount,
                                 config.getThreads(), config.getSharedBytes());
  Block &body = blocks.getBody().front();
  code.rewriter.setInsertionPointToStart(&body);
  block = body.getArgument(0);
  thread = body.getArgument(1);
  memory.emplace(code, body.getArgument(2));
  if (!mostBlocks)
    place(block);
}

void BlockTiles::place(Value number) {
  SmallVector<Value> indices = code.delinearize(number, space);
  SmallVector<unsigned> batches = op.getRoles()->batch;
  assert(indices.size() == batches.size() + 1 &&
         "a block has a place in each batch, and a tile");
  for (auto [loop, index] : llvm::zip(batches, indices))
    batch[loop] = index;
  auto [rowTile, columnTile] = orderTiles(indices.back());
  firstRow = code.create<arith::MulIOp>(rowTile, code.index(config.getRows()));
  firstColumn =
      code.create<arith::MulIOp>(columnTile, code.index(config.getColumns()));
}

Value BlockTiles::countTiles() {
  Value count = code.toValue(code.product(space));
  auto zeroUnless = [&](Value holds) {
    count = code.rewriter.createOrFold<arith::SelectOp>(code.loc, holds, count,
                                                        code.index(0));
  };
  auto isAtMost = [&](Value rows, Value bound) {
    return code.rewriter.createOrFold<arith::CmpIOp>(
        code.loc, arith::CmpIPredicate::ule, rows, bound);
  };
  if (int64_t upTo = config.getRowsUpTo())
    zeroUnless(isAtMost(rowCount, code.index(upTo)));
  if (int64_t above = config.getRowsAbove())
    zeroUnless(isAtMost(code.index(above + 1), rowCount));
  return count;
}

std::pair<Value, Value> BlockTiles::orderTiles(Value number) {
  std::optional<int64_t> rows = getConstantIntValue(rowTiles),
                         columns = getConstantIntValue(columnTiles);
  if ((rows && *rows == 1) || (columns && *columns <= kGroupedRows)) {
    SmallVector<Value> tile = code.delinearize(number, {rowTiles, columnTiles});
    return {tile[0], tile[1]};
  }
  Value group = code.index(kGroupedRows);
  Value ofGroup = code.create<arith::MulIOp>(code.toValue(columnTiles), group);
  Value first = code.create<arith::MulIOp>(
      code.create<arith::DivUIOp>(number, ofGroup), group);
  Value inGroup = code.create<arith::RemUIOp>(number, ofGroup);
  // The last group may have fewer rows.
  Value height = group;
  if (!rows || *rows % kGroupedRows != 0)
    height = code.create<arith::MinUIOp>(
        code.create<arith::SubIOp>(code.toValue(rowTiles), first), group);
  Value row = code.create<arith::AddIOp>(
      first, code.create<arith::RemUIOp>(inGroup, height));
  return {row, code.create<arith::DivUIOp>(inGroup, height)};
}

/// Whether a size is known to consist of whole tiles.
static bool isMultiple(Value size, int64_t tile) {
  std::optional<int64_t> known = getConstantIntValue(size);
  return known && *known % tile == 0;
}

Point BlockTiles::rowPoint(Value row) {
  Point at = batch;
  Value number = code.create<arith::AddIOp>(firstRow, row);
  if (!hasAllRows())
    number = code.clamp(number, rowCount);
  for (auto [loop, index] :
       llvm::zip_equal(rowLoops, code.delinearize(number, rowSizes)))
    at[loop] = index;
  return at;
}

Value BlockTiles::hasRow(Value row) {
  if (hasAllRows())
    return Value();
  return code.less(code.create<arith::AddIOp>(firstRow, row), rowCount);
}

bool BlockTiles::hasAllRows() const {
  return isMultiple(rowCount, config.getRows());
}

bool BlockTiles::hasAllColumns() const {
  return isMultiple(columnCount, config.getColumns());
}
