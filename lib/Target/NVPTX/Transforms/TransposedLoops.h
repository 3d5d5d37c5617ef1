//===- TransposedLoops.h - Transposing in shared memory ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where elements of an input lie side by side along one dimension and those of
// the results along another one, threads that follow each other cannot read
// and write whole sectors both. So a block copies a tile of the input to shared
// memory in the order of the input, and computes in the order of the results.
//
// A *unit* is what a thread copies to or from shared memory at once: a word of
// 4 bytes, which may hold several elements, or a wider element. A tile has rows
// of 32 units, each with elements side by side along the dimension of the
// results; unit c of row r lies at place c ^ f(r), where f takes 32 values for
// the rows that a warp writes at once. So each access of a warp, along a row or
// across rows, meets all banks once:
//
//   a warp writes unit c of 32 rows:  places c ^ 0, c ^ 1, ... c ^ 31
//   a warp reads a row:               places 0 ^ f, 1 ^ f, ... 31 ^ f
//
// Where rows of the input are multiples of words, a thread loads as many words
// as elements are in one, transposes them in registers, and writes a unit of as
// many rows: 8 bytes in a square of 4 by 4 need 4 loads and 4 stores.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_TRANSFORMS_TRANSPOSEDLOOPS_H
#define QCC_LIB_TARGET_NVPTX_TRANSFORMS_TRANSPOSEDLOOPS_H

#include "qcc/Target/NVPTX/Spec.h"
#include "qcc/Transforms/VectorLoops/LinalgLoops.h"

namespace qcc::nvptx {

/// What a block of an op computes.
struct TransposedTile {
  /// The inputs that go through shared memory, all of the same width.
  llvm::SmallVector<mlir::OpOperand *> inputs;
  /// The dimensions along which elements of these inputs, and of the results,
  /// lie side by side.
  unsigned inputDim, resultDim;
  int64_t elementBytes;
  /// Elements that a thread loads at once along `inputDim` and stores along
  /// `resultDim`: those of a word, or one.
  int64_t loaded, stored;

  int64_t unitBytes() const { return std::max<int64_t>(4, elementBytes); }
  /// Elements of a unit.
  int64_t perUnit() const { return unitBytes() / elementBytes; }
  /// Rows of a tile, along `inputDim`, and their elements.
  int64_t rows() const { return kWarp * loaded; }
  int64_t columns() const { return kWarp * perUnit(); }
  int64_t bytesOfInput() const { return rows() * kWarp * unitBytes(); }
  int64_t sharedBytes() const { return inputs.size() * bytesOfInput(); }
};

/// The tile of an op that transposes; nothing for other ops, and where
/// dimensions are so small that sectors are used nearly as well without.
std::optional<TransposedTile> findTransposedTile(const LinalgLoops &loops);

/// Computes an op by blocks that have a tile each.
void emitTransposedTiles(LinalgLoops &loops, const TransposedTile &tile);

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_TRANSFORMS_TRANSPOSEDLOOPS_H
