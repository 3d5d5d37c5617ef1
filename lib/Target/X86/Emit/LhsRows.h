//===- LhsRows.h - The load side of the main loop ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main loop multiplies words of the left operand, each in all lanes, by
// vectors of words of the packed right operand, or tiles of the one by tiles of
// the other. An LhsRows knows how the left operand is indexed and says so by
// emitting the loop over K, or by telling where a tile lies:
//
//   InPlaceRows   rows of bytes, read where they lie
//   PanelRows     rows of any operand, its prologue applied, copied to scratch
//                 memory once for each block of rows
//
// Elements of K follow each other in segments (kernel.pack): rows of a matrix
// are one segment, the windows of a convolution several. Nothing else of a
// kernel knows where left words come from.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_LHSROWS_H
#define QCC_LIB_TARGET_X86_EMIT_LHSROWS_H

#include "../Atoms/AmxTile.h"
#include "ZeroBorders.h"
#include <memory>

namespace qcc::x86 {

class LhsRows {
public:
  virtual ~LhsRows() = default;

  /// Emits what is done once for `count` rows (at most the capacity) from
  /// `first` on, before their tiles. `loops` has the indices of the outer
  /// dimensions.
  virtual void prepare(llvm::ArrayRef<mlir::Value> loops, mlir::Value first,
                       mlir::Value count) = 0;

  /// Gives word `word` of a step, of row `row` of the tile, in all lanes.
  using LeftWord = llvm::function_ref<mlir::Value(int64_t row, int64_t word)>;
  /// Emits a step of the reduction for the rows of the tile for which `rows`
  /// holds: `word` is the index of its first word in the packed right operand;
  /// returns the accumulators after it. An atom with pairs takes two words,
  /// others one.
  using Step = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value word, llvm::ArrayRef<bool> rows, LeftWord left,
      mlir::ValueRange accumulators)>;
  /// Emits the loop over K for a tile of the prepared rows.
  virtual llvm::SmallVector<mlir::Value>
  reduce(const Tile &tile, mlir::ValueRange accumulators, Step step) = 0;
  /// The same for the segment of K that is the tile's group.
  virtual llvm::SmallVector<mlir::Value>
  reduceGroup(const Tile &tile, mlir::ValueRange accumulators, Step step) = 0;
  /// Where the elements of a step of K from `offset` on lie, of prepared rows
  /// from row i of the tile on. Offsets count the elements of whole words.
  /// Rows that are not prepared and elements past a segment may be read: they
  /// are memory of the operand or the panel, and hold anything.
  virtual TileSource tileSource(const Tile &tile, int64_t i,
                                mlir::Value offset) = 0;
  /// Emits that the 64 elements of K from `offset` on of a row, which need not
  /// be prepared yet, will soon be read. Rows that are copied need none.
  virtual void prefetch(const Tile &tile, mlir::Value row, mlir::Value offset) {
  }

  /// Whether the tile of `count` rows from row `row` on has fewer products if
  /// that row is a constant (ZeroBorders.h).
  bool leavesOut(int64_t row, int64_t count) const {
    return borders.gainsFrom(row, count);
  }

  /// The sum of the stored elements of a prepared row, or of those of `group`
  /// if there are groups, an i32. Only where Contraction::needsRowSums.
  mlir::Value rowSum(mlir::Value row, mlir::Value group = {});
  /// For atoms with pairs (Atoms/Dot.h): the products of the words of a
  /// prepared row among themselves, a0 a2 + a1 a3 summed over K, negative.
  mlir::Value rowProduct(mlir::Value row);

protected:
  LhsRows(KernelBuilder &builder, Contraction &contraction, int64_t capacity);

  /// The index of each loop at an element of a row: `segment` is the linearized
  /// index of the reduction dimensions but the last, `offset` that of the last.
  llvm::SmallVector<mlir::Value> loopsAt(llvm::ArrayRef<mlir::Value> outer,
                                         mlir::Value row, mlir::Value segment,
                                         mlir::Value offset);
  /// Emits the words of a part of segment `segment`; returns the accumulators.
  using ReducePart = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value segment, const ZeroBorders::Part &part,
      mlir::ValueRange accumulators)>;
  /// Emits the loops over the segments whose products the tile needs.
  llvm::SmallVector<mlir::Value> reduceParts(const Tile &tile,
                                             mlir::ValueRange accumulators,
                                             ReducePart reducePart);
  /// The loop of the elements of a segment.
  unsigned segmentDim() { return contraction.op.getReductionDims().back(); }

  /// The words of the sum of `stored`, KR elements in each lane's word, plus
  /// `sum`; and its store as the sum of a row.
  mlir::Value addWords(mlir::Value sum, mlir::Value stored);
  void storeRowSum(mlir::Value row, mlir::Value sum, mlir::Value group = {});
  /// Emits the sums of a prepared row: `addSegment` adds the elements of a
  /// segment to the vector that it is given.
  void emitRowSums(
      mlir::Value row,
      llvm::function_ref<mlir::Value(mlir::Value segment, mlir::Value sum)>
          addSegment);
  void storeRowProduct(mlir::Value row, mlir::Value sum);

  KernelBuilder &builder;
  Contraction &contraction;
  ZeroBorders borders;
  mlir::Value firstRow;    // of the prepared block
  mlir::Value rowSums;     // [capacity] or [capacity, groups], or null
  mlir::Value rowProducts; // [capacity], or null
};

std::unique_ptr<LhsRows> makeInPlaceRows(KernelBuilder &builder,
                                         Contraction &contraction);
/// A panel with room for `capacity` rows.
std::unique_ptr<LhsRows> makePanelRows(KernelBuilder &builder,
                                       Contraction &contraction,
                                       int64_t capacity);
/// Blocks of MC rows, in place where the config says so.
std::unique_ptr<LhsRows> makeRows(KernelBuilder &builder,
                                  Contraction &contraction);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_LHSROWS_H
