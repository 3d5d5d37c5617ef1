//===- AmxTile.cpp - Instructions that multiply tiles of bytes ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AmxTile.h"
#include "mlir/Dialect/AMX/AMXDialect.h"

using namespace mlir;
using namespace qcc::x86;

Value qcc::x86::zeroTile(OpBuilder &builder, Location loc, int64_t rows) {
  assert(rows > 0 && rows <= 16 && "a tile register has 16 rows");
  return amx::TileZeroOp::create(
      builder, loc,
      amx::TileType::get({rows, kTileColumns}, builder.getI32Type()));
}

Value qcc::x86::loadTile(OpBuilder &builder, Location loc,
                         const TileSource &source, int64_t rows) {
  assert(rows > 0 && rows <= 16 && "a tile register has 16 rows");
  return amx::TileLoadOp::create(
      builder, loc, amx::TileType::get({rows, kTileBytes}, builder.getI8Type()),
      source.memref, source.indices, source.stride);
}

void qcc::x86::storeTile(OpBuilder &builder, Location loc, Value tile,
                         Value memref, ValueRange indices) {
  amx::TileStoreOp::create(builder, loc, memref, indices, tile);
}

Value qcc::x86::multiplyTiles(OpBuilder &builder, Location loc,
                              Value accumulators, Value left,
                              bool isLeftUnsigned, Value right,
                              bool isRightUnsigned) {
  return amx::TileMulIOp::create(builder, loc, accumulators.getType(), left,
                                 right, accumulators, isLeftUnsigned,
                                 isRightUnsigned);
}
