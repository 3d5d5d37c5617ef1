//===- TileCopy.h - Tiles from global to shared memory ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a block bring a tile of an operand to shared memory, each some
// chunks of it. Where the chip copies asynchronously and bytes lie as they are
// to lie, threads need no registers for that; otherwise each loads its chunks,
// goes on to multiply tiles that came before, and stores them then.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_TILECOPY_H
#define QCC_LIB_TARGET_NVPTX_EMIT_TILECOPY_H

#include "ChunkLoader.h"
#include "SharedTile.h"

namespace qcc::nvptx {

/// A slice of K, of which a stage of shared memory gets the tiles.
struct Slice {
  mlir::Value number;
  /// Where the stage begins.
  mlir::Value stage;
};

/// What a thread copies of a tile: in each pass, `unit` bytes of a row.
class ThreadShare {
public:
  ThreadShare(ScalarCode &code, SharedTile tile, mlir::Value thread,
              int64_t threads, int64_t unit);

  int64_t passes() const;
  /// The row of a pass in the tile, and whether the tile has it; null where it
  /// does.
  mlir::Value row(int64_t pass);
  mlir::Value hasRow(int64_t pass);
  /// The first byte, in every row.
  mlir::Value byte() const { return firstByte; }
  int64_t getUnit() const { return unit; }
  /// The chunks of a thread whose unit is a chunk.
  Chunks chunks();
  /// Where it lies in shared memory.
  mlir::Value target(SharedMemory &memory, mlir::Value stage, int64_t pass);

private:
  ScalarCode &code;
  SharedTile tile;
  int64_t unit, rowsPerPass;
  mlir::Value firstRow, firstByte;
  /// The places of the first passes, after which those of chunks repeat.
  llvm::SmallVector<mlir::Value> places;
};

/// One of several pieces of a copy, about equal, that a main loop begins one by
/// one.
struct Piece {
  int64_t number = 0, count = 1;

  /// Whether a pass, of so many, is of the piece.
  bool has(int64_t pass, int64_t passes) const {
    return pass * count / passes == number;
  }
};

class TileCopy {
public:
  virtual ~TileCopy() = default;
  /// Whether the copy is asynchronous, so that nothing is left to finish.
  virtual bool isAsync() const = 0;
  /// Copies a piece asynchronously, or loads it.
  virtual void begin(const Slice &slice, Piece piece) = 0;
  /// Stores what was loaded, of the first slice that was begun, as one piece,
  /// and not finished.
  virtual void finish(const Slice &slice) {}
};

/// Copies units of 4, 8 or 16 bytes asynchronously. What lies behind the end
/// of a row becomes 0.
std::unique_ptr<TileCopy> makeAsyncCopy(ScalarCode &code, SharedMemory memory,
                                        ThreadShare share, ByteRows rows);

/// Loads chunks, and stores them when the slice is finished.
std::unique_ptr<TileCopy> makeStagedCopy(ScalarCode &code, SharedMemory memory,
                                         ThreadShare share,
                                         std::unique_ptr<ChunkLoader> loader);

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_TILECOPY_H
