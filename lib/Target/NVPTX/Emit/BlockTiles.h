//===- BlockTiles.h - Tiles of the blocks of a contraction ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks compute tiles of rows and columns. Rows are all parallel loops that
// are neither columns nor batches, as one, so that windows are rows as others
// are.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_BLOCKTILES_H
#define QCC_LIB_TARGET_NVPTX_EMIT_BLOCKTILES_H

#include "Operands.h"
#include "SharedTile.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"

namespace qcc::nvptx {

/// The tile of a block; code is inserted into its body.
class BlockTiles {
public:
  /// Each block has a tile, at which it is placed; or, with `mostBlocks`, so
  /// many blocks at most have all tiles, and have to be placed.
  BlockTiles(ScalarCode &code, kernel::ContractOp op, ConfigAttr config,
             std::optional<int64_t> mostBlocks = std::nullopt);

  /// Places the block at a tile.
  void place(mlir::Value number);

  /// The point of a row of the tile, one that exists.
  Point rowPoint(mlir::Value row);
  /// Whether a row of the tile exists; null where all do.
  mlir::Value hasRow(mlir::Value row);
  /// The number of a column of the tile.
  mlir::Value column(mlir::Value column) {
    return code.create<mlir::arith::AddIOp>(firstColumn, column);
  }
  /// The first row and column of the tile, among those of the contraction.
  mlir::Value getFirstRow() const { return firstRow; }
  mlir::Value getFirstColumn() const { return firstColumn; }
  /// Whether all rows, and all columns, of all tiles exist.
  bool hasAllRows() const;
  bool hasAllColumns() const;

  /// The loops of batches at the block.
  Point batch;
  mlir::Value columnCount, thread;
  /// The number of the block, of all blocks, and of tiles.
  mlir::Value block, blockCount, tileCount;
  std::optional<SharedMemory> memory;

private:
  /// How many tiles there are: none where the guard does not hold.
  mlir::Value countTiles();
  /// The tiles of rows and columns of a block, by its number among them.
  std::pair<mlir::Value, mlir::Value> orderTiles(mlir::Value number);

  ScalarCode &code;
  kernel::ContractOp op;
  ConfigAttr config;
  llvm::SmallVector<unsigned> rowLoops;
  llvm::SmallVector<mlir::OpFoldResult> rowSizes;
  /// The sizes of batches and the number of tiles in each, which are `rowTiles`
  /// by `columnTiles`.
  llvm::SmallVector<mlir::OpFoldResult> space;
  mlir::OpFoldResult rowTiles, columnTiles;
  mlir::Value rowCount, firstRow, firstColumn;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_BLOCKTILES_H
