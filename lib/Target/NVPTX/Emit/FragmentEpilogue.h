//===- FragmentEpilogue.h - Results of a warp's fragments -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has runs of columns of several rows. Operands of the epilogue that
// are the same for all rows, or for all columns, are loaded once; others in
// runs, as are results stored: whole words of 16 bytes where rows are multiples
// of them.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_FRAGMENTEPILOGUE_H
#define QCC_LIB_TARGET_NVPTX_EMIT_FRAGMENTEPILOGUE_H

#include "BlockTiles.h"
#include "WarpProducts.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"

namespace qcc::nvptx {

/// What a thread has of the tile of a block.
struct FragmentTile {
  /// The points of its rows, those that do not exist being others that do, and
  /// whether each exists; null where it does.
  llvm::SmallVector<Point> rows;
  llvm::SmallVector<mlir::Value> exists;
  /// The first columns of its runs, the columns of a run, and how many the
  /// operand has.
  llvm::SmallVector<mlir::Value> columns;
  int64_t run;
  mlir::Value columnCount;
  /// Whether all columns of the tile exist.
  bool hasAllColumns;
  /// For each row, the sums of products at the columns of all runs, and where
  /// there is a right zero point the sum of the row of the left operand. The
  /// epilogue of groups of K takes totals in place of sums.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> sums;
  llvm::SmallVector<mlir::Value> rowSums;
};

/// What a thread has of the tile of a warp, without sums.
FragmentTile makeFragmentTile(ScalarCode &code, kernel::ContractOp op,
                              ConfigAttr config, BlockTiles &tiles,
                              const WarpPlace &place);

/// Gives such a tile the sums of fragments of 16 by 8: for each 16 rows four
/// sums of each 8 columns, and four more of rows if there is a right zero
/// point.
void setSums(kernel::ContractOp op, ConfigAttr config, FragmentTile &tile,
             llvm::ArrayRef<mlir::Value> sums);

/// Applies the epilogue of `op` to sums of products and stores the results.
void emitFragmentEpilogue(ScalarCode &code, kernel::ContractOp op,
                          const FragmentTile &tile);

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_FRAGMENTEPILOGUE_H
