//===- AmxTile.h - Instructions that multiply tiles of bytes ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The atom amx-int8 works on tile registers. With R rows, at most 16:
//
//   left          R x 64 bytes        64 elements of K of each row
//   right        16 x 64 bytes        row w: word w of 16 columns
//   accumulators  R x 16 i32
//
// The elements of each operand may be signed or unsigned and are multiplied as
// they are stored. One R per function: with two shapes of a register LLVM runs
// out of registers.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_ATOMS_AMXTILE_H
#define QCC_LIB_TARGET_X86_ATOMS_AMXTILE_H

#include "mlir/IR/Builders.h"

namespace qcc::x86 {

/// Sizes of tiles: rows at most, columns of i32, bytes of K in a row.
constexpr int64_t kTileRows = 16, kTileColumns = 16, kTileBytes = 64;

/// Where a tile lies: its first element, and the distance of its rows in
/// elements of `memref`, of which the innermost dimension is contiguous.
struct TileSource {
  mlir::Value memref;
  llvm::SmallVector<mlir::Value> indices;
  mlir::Value stride;
};

/// Accumulators that are 0.
mlir::Value zeroTile(mlir::OpBuilder &builder, mlir::Location loc,
                     int64_t rows);
/// `rows` rows of 64 bytes.
mlir::Value loadTile(mlir::OpBuilder &builder, mlir::Location loc,
                     const TileSource &source, int64_t rows);
void storeTile(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tile,
               mlir::Value memref, mlir::ValueRange indices);
/// `accumulators` plus the products of `left` and `right`, wrapping.
mlir::Value multiplyTiles(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value accumulators, mlir::Value left,
                          bool isLeftUnsigned, mlir::Value right,
                          bool isRightUnsigned);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_ATOMS_AMXTILE_H
