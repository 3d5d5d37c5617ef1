//===- ZeroBorders.h - Products with zeros are left out ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the border of an image is stored as 0 (zero_border of kernel.contract),
// its products add nothing:
//
//   * Rows of a window above or below of the image are segments of K that no
//   row of
//     a tile needs: the loop over segments has bounds that each tile computes.
//   * Columns of a window beside the image concern the first and the last rows
//     of a line of results. The part of K that they belong to is multiplied for
//     the other rows of the tile alone. Which rows these are is decided as the
//     kernel is emitted, so the tiles at the ends of a line are spelled out.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_ZEROBORDERS_H
#define QCC_LIB_TARGET_X86_EMIT_ZEROBORDERS_H

#include "Contraction.h"

namespace qcc::x86 {

class ZeroBorders {
public:
  explicit ZeroBorders(const Contraction &contraction);

  /// The segments that the rows of the tile need, from the first to past the
  /// last.
  std::pair<mlir::Value, mlir::Value> segmentsOf(KernelBuilder &builder,
                                                 const Tile &tile) const;

  /// The iterations of a reduction dimension that the rows of the tile need,
  /// from the first to past the last.
  std::pair<mlir::Value, mlir::Value>
  iterationsOf(KernelBuilder &builder, const Tile &tile, unsigned dim) const;

  /// Words [firstWord, lastWord) of segments [firstSegment, lastSegment) of
  /// each group of segments, which are multiplied for the rows of a tile for
  /// which `rows` holds.
  struct Part {
    int64_t firstSegment, lastSegment, firstWord, lastWord;
    llvm::SmallVector<bool> rows;

    int64_t countWords() const {
      return (lastSegment - firstSegment) * (lastWord - firstWord);
    }
  };
  /// The segments of a group: the iterations of the last reduction dimension
  /// but one, if it is what moves beside rows, and otherwise 1.
  int64_t groupSize() const { return taps; }
  /// What is multiplied of a group for a tile of so many rows. Where the row of
  /// the tile is no constant, this is everything.
  llvm::SmallVector<Part> partsOf(const Tile &tile) const;
  /// Whether products of such a tile, which starts at row `row`, are left out
  /// if the emitter knows that row.
  bool gainsFrom(int64_t row, int64_t rows) const;

private:
  /// Whether the unit (word of a segment, or segment of a group) meets row
  /// `row` in the border alone.
  bool isZero(int64_t unit, int64_t row) const;
  llvm::SmallVector<Part> partsAt(int64_t row, int64_t rows) const;
  Part wholeOf(int64_t rows) const;

  const Contraction &contraction;
  /// Whether any products may be left out.
  bool applies;
  int64_t taps = 1, words;
  /// Of the dimension of lhs that rows move along: where the inner elements
  /// begin and end, and how far a row and a unit move; a unit has `width`
  /// elements. No products are left out along a line if `isAlongRows` is false.
  bool isAlongRows = false;
  int64_t begin = 0, end = 0, rowStride = 0, unitStride = 0, width = 1;
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_ZEROBORDERS_H
