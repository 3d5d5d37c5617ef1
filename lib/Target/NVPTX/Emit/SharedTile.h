//===- SharedTile.h - A tile of an operand in shared memory -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile has rows of `depth` bytes, 64 or 128, in chunks of 16. Matrix
// instructions read eight chunks at once, of eight rows, and these have to lie
// in different banks. So chunk c of a row lies at place c ^ f(row), where f
// takes another value for each of the rows that share banks.
//
// Which rows are read together depends on the operand. Rows of the left operand
// follow each other. Rows of the right operand are columns of the result: pairs
// that lie `run` apart. A thread has two columns of each eight; over several
// instructions it has `run` columns side by side, and stores them at once.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_SHAREDTILE_H
#define QCC_LIB_TARGET_NVPTX_EMIT_SHAREDTILE_H

#include "ScalarCode.h"

namespace qcc::nvptx {

/// Bytes that ldmatrix reads of a row, and the widest access has.
inline constexpr int64_t kChunk = 16;

class SharedTile {
public:
  /// Eight rows that are read together are four pairs, `run` apart; with 2 they
  /// follow each other. `first` is where the tile lies in a stage.
  SharedTile(ScalarCode &code, int64_t first, int64_t rows, int64_t depth,
             int64_t run)
      : code(code), first(first), rows(rows), depth(depth), run(run) {}

  /// Where a byte of a row lies in a stage, the byte in the chunk being known.
  mlir::Value offset(mlir::Value row, mlir::Value chunk);
  /// Rows after which the places of chunks repeat.
  int64_t period() const { return 4 * run; }
  int64_t getRows() const { return rows; }
  int64_t getDepth() const { return depth; }

private:
  ScalarCode &code;
  int64_t first, rows, depth, run;
};

/// Bytes of shared memory, by their number.
class SharedMemory {
public:
  SharedMemory(ScalarCode &code, mlir::Value pointer)
      : code(code), pointer(pointer) {}

  mlir::Value at(mlir::Value offset, int64_t more = 0);
  /// The address in shared memory, as i32.
  mlir::Value address(mlir::Value offset);
  /// Four 8x8 matrices of 16 bits from rows whose addresses lanes have.
  llvm::SmallVector<mlir::Value> loadMatrices(mlir::Value offset, int64_t more);

private:
  ScalarCode &code;
  mlir::Value pointer;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_SHAREDTILE_H
