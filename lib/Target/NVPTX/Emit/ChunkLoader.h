//===- ChunkLoader.h - Chunks of an operand in registers --------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread loads chunks of 16 bytes along K, of several rows, with what the
// bytes have to be computed from: they need not be aligned, and the left
// operand may have a prologue. What is loaded becomes words later, so that
// there is something to do in between.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_CHUNKLOADER_H
#define QCC_LIB_TARGET_NVPTX_EMIT_CHUNKLOADER_H

#include "BlockTiles.h"
#include "SlicesOfK.h"
#include "StridedOperand.h"
#include <functional>
#include <memory>

namespace qcc::nvptx {

/// Bytes of a word of a matrix instruction, and words of a chunk.
inline constexpr int64_t kWord = 4, kWords = kChunk / kWord;

/// What a thread loads in a slice of K: a chunk of each of some rows.
struct Chunks {
  llvm::SmallVector<mlir::Value> rows;
  /// The first byte, of the slice and in every row.
  mlir::Value byte;
  /// The bytes of a chunk; others than 16 are for loads of whole words.
  int64_t size = kChunk;
};

/// Rows of bytes in global memory, along K. All numbers are of bytes.
struct ByteRows {
  mlir::Value address;
  /// From the address to a row of the tile, and from there to a slice of K.
  std::function<mlir::Value(mlir::Value row)> rowOffset;
  std::function<mlir::Value(mlir::Value slice)> sliceOffset;
  /// How much a row has from a slice on; null where all slices are full.
  std::function<mlir::Value(mlir::Value slice)> rest;
};

/// The address of a byte.
mlir::Value addressAt(ScalarCode &code, mlir::Value address, mlir::Value bytes);

class ChunkLoader {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  ChunkLoader(ScalarCode &code, Chunks chunks)
      : code(code), chunks(std::move(chunks)) {}
  virtual ~ChunkLoader() = default;

  /// What a thread holds of each chunk of a slice.
  virtual llvm::SmallVector<Values> load(mlir::Value slice) = 0;
  /// The words of the chunk with a number; what is held is those words.
  virtual Values toWords(int64_t number, mlir::ValueRange held,
                         mlir::Value slice) {
    return Values(held);
  }

protected:
  /// Where the chunks begin, from the address to a slice of K.
  llvm::SmallVector<mlir::Value> offsetsOf(ByteRows &rows);

  ScalarCode &code;
  Chunks chunks;
};

/// Loads chunks in words of `alignment` bytes, of which rows have whole ones.
/// What lies behind the end of a row becomes 0.
std::unique_ptr<ChunkLoader> makeWordLoader(ScalarCode &code, Chunks chunks,
                                            ByteRows rows, int64_t alignment);

/// Loads chunks of rows that start anywhere in an operand of `size` bytes.
/// Bytes behind the end of a row are 0 if `isMasked`.
std::unique_ptr<ChunkLoader> makeShiftingLoader(ScalarCode &code, Chunks chunks,
                                                ByteRows rows, mlir::Value size,
                                                bool isMasked);

/// Loads elements of the left operand and applies the prologue. Bytes behind
/// the end of a row are 0 where there are sums of rows.
std::unique_ptr<ChunkLoader>
makePrologueLoader(ScalarCode &code, kernel::ContractOp op, Chunks chunks,
                   BlockTiles &tiles, SlicesOfK &slices);

/// The rows of the operands of the tile of a block; those of the right one,
/// which is packed in elements of `bits`, are columns.
ByteRows lhsRows(ScalarCode &code, kernel::ContractOp op, StridedOperand &lhs,
                 BlockTiles &tiles, SlicesOfK &slices);
ByteRows rhsRows(ScalarCode &code, kernel::ContractOp op, StridedOperand &rhs,
                 BlockTiles &tiles, SlicesOfK &slices, int64_t bits = 8);

/// The left operand, and the packed right one.
StridedOperand lhsOperand(ScalarCode &code, kernel::ContractOp op);
StridedOperand rhsOperand(ScalarCode &code, kernel::ContractOp op);

/// The loader that suits the left operand, which has to outlive it.
std::unique_ptr<ChunkLoader> makeLhsLoader(ScalarCode &code,
                                           kernel::ContractOp op, Chunks chunks,
                                           BlockTiles &tiles, SlicesOfK &slices,
                                           StridedOperand &lhs);

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_CHUNKLOADER_H
