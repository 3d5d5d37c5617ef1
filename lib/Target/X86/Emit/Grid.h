//===- Grid.h - The tiles of a contraction, and who computes them -*- C++
//-*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The results of a contraction are tiles of MR x NR: at each index of its outer
// dimensions a grid of rows and columns of them. A thread computes its share
// (Share.h).
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_GRID_H
#define QCC_LIB_TARGET_X86_EMIT_GRID_H

#include "Contraction.h"
#include "Share.h"

namespace qcc::x86 {

/// What a thread computes at one index of the outer dimensions.
struct GridPart {
  /// The index of each loop; those of outer dimensions are set.
  llvm::SmallVector<mlir::Value> loops;
  /// The indices of the batch dimensions.
  llvm::SmallVector<mlir::Value> batch;
  /// The rows [firstRow, lastRow): the first one starts a tile of MR rows, and
  /// `lastRow` is at most M.
  mlir::Value firstRow, lastRow;
  /// The tiles of columns that have all NR columns.
  mlir::Value firstColumn, lastColumn;
  /// The end of the tiles of columns, a partial one included.
  mlir::Value endColumn;
  /// Whether a tile with fewer than NR columns follows, tile `lastColumn`; null
  /// if no tile can have fewer.
  mlir::Value hasPartial;

  /// The tile of `rows` rows from `row` on; a partial one if it is masked.
  Tile tile(const Contraction &contraction, mlir::Value row, int64_t rows,
            mlir::Value column, bool masked) const;
};

/// The share of a thread. The rows of its tiles run through the outer
/// dimensions.
struct Grid {
  Share share;
  /// Tiles of rows at each index of the outer dimensions, at least 1.
  mlir::Value rowTiles;
  llvm::SmallVector<mlir::Value> outerSizes;

  /// The columns of the share, of no rows yet.
  GridPart columns(KernelBuilder &builder,
                   const Contraction &contraction) const;
  /// Sets the indices of the outer dimensions, which `outer` counts through.
  void setOuter(KernelBuilder &builder, const Contraction &contraction,
                mlir::Value outer, GridPart &part) const;
};

/// Emits an `scf.forall` over threads and, in its body, `prepare` and the share
/// of a thread. The insertion point is in the body then.
Grid openGrid(KernelBuilder &builder, Contraction &contraction,
              llvm::function_ref<void()> prepare = nullptr);

/// Calls `body` for each tile of rows of [begin, end), where `begin` starts a
/// tile: tiles of MR rows, then what is left, fewer than MR, as a tile of just
/// as many rows where their number is known, and as tiles of powers of 2 where
/// it is not.
void forEachRowTile(
    KernelBuilder &builder, const Contraction &contraction, mlir::Value begin,
    mlir::Value end,
    llvm::function_ref<void(mlir::Value row, int64_t count)> body);

/// Emits the same for a known number of rows whose tiles at the two ends are
/// special and few: those tiles get rows that are constants.
void forEachRowTile(
    KernelBuilder &builder, const Contraction &contraction, mlir::Value begin,
    mlir::Value end,
    llvm::function_ref<bool(int64_t row, int64_t count)> isSpecial,
    llvm::function_ref<void(mlir::Value row, int64_t count)> body);

/// Whether no tile is special but those with rows that are constants.
bool areSpelledOut(
    const Contraction &contraction,
    llvm::function_ref<bool(int64_t row, int64_t count)> isSpecial);

/// Replaces a contraction by an `scf.forall` over threads; calls `emitPart`
/// once, inside of the loop over the outer indices of a thread's share, and
/// before that `prepare`, if there is one, outside of the loop.
void emitGrid(KernelBuilder &builder, Contraction &contraction,
              llvm::function_ref<void(const GridPart &)> emitPart,
              llvm::function_ref<void()> prepare = nullptr);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_GRID_H
