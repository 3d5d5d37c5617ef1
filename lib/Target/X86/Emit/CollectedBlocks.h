//===- CollectedBlocks.h - Results collected before epilogues ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of blocks where the accumulators of a tile are no vectors of
// results that follow each other. For its part of the grid (Grid.h) a thread
// runs
//
//   for each block of MC rows
//     copy the rows, unless they are read in place       LhsRows.h
//     for each block of NC columns
//       for each tile of MR x NR results: products       a derived class
//       for each vector of results: initial value, epilogue
//
// Vectors of results lie along the longer side of the block. That one is called
// "along" here, the other one "across". Products are collected in scratch
// memory as results[across][along], so that the epilogue is the ordinary one,
// with rows for columns where results lie along rows.
//
// The last tile of a side is moved back so that it ends where the side does; it
// computes some results again. So there is one loop over K, and only the
// epilogue knows of edges.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_COLLECTEDBLOCKS_H
#define QCC_LIB_TARGET_X86_EMIT_COLLECTEDBLOCKS_H

#include "Epilogue.h"
#include "InitialAccumulators.h"
#include "OperandAlongK.h"

namespace qcc::x86 {

class CollectedBlocks {
public:
  virtual ~CollectedBlocks() = default;

  void emit(const GridPart &part);

protected:
  /// Rows of the left operand or columns of the right one.
  struct Side {
    int64_t tile, block;
    /// Whether all rows or columns of a tile exist once the tile is moved back.
    bool canMoveBack;
    /// The number of rows or columns.
    mlir::Value size;
    /// Sums over K, laid out as `results`, where they are needed and computed
    /// here.
    mlir::Value sums;
    /// Places in scratch memory: those before the first place of a block, and
    /// all places.
    int64_t margin, places;

    /// The first row or column of the block, and the number of the block.
    mlir::Value first, index;
  };

  CollectedBlocks(KernelBuilder &builder, Contraction &contraction);

  /// Emits the products of all tiles of the block.
  virtual void emitProducts(const GridPart &part) = 0;
  /// Emits the sums over K of the block's rows or columns.
  virtual void emitSums(const GridPart &part, Side &side) = 0;

  /// Calls `body` with the first row or column of each tile of the block, and
  /// its place in scratch memory.
  void forEachTile(const Side &side,
                   llvm::function_ref<void(mlir::Value, mlir::Value)> body);
  /// How many rows or columns the block has.
  mlir::Value countOf(const Side &side);

  Side &along() { return alongRows ? rows : columns; }
  Side &across() { return alongRows ? columns : rows; }

  KernelBuilder &builder;
  Contraction &contraction;
  bool alongRows;
  Side rows, columns;
  std::unique_ptr<LhsRows> panel; // or null
  mlir::Value results;

private:
  Side makeSide(int64_t tile, int64_t block, mlir::Value size, bool isAlong,
                bool isCopied);
  void emitResults(const GridPart &part);
  /// The epilogue of all results of the block, `vectors` of them for each of
  /// the other side. `columns` as in Tile.
  void emitEpilogue(const GridPart &part, int64_t vectors, bool masked,
                    std::optional<int64_t> columns);
  InitialAccumulators::Term sumsTerm(const Side &side, const Tile &tile);

  /// The contraction with the side along as its columns.
  Contraction view;
  Epilogue epilogue;
};

/// Emits a contraction by its blocks, which threads share.
void emitCollectedGrid(KernelBuilder &builder, Contraction &contraction,
                       CollectedBlocks &blocks);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_COLLECTEDBLOCKS_H
