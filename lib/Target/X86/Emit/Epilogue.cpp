//===- Epilogue.cpp - The region on accumulators, and the stores ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qcc/Target/PackedClamps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

Epilogue::Epilogue(KernelBuilder &builder, Contraction &contraction)
    : builder(builder), contraction(contraction),
      region(contraction.op.getEpilogue(),
             epilogueArgumentRanges(contraction.op)) {}

/// Whether elements that follow each other along a loop do so in memory.
static bool isContiguous(Value memref, AffineMap map, unsigned dim) {
  return cast<MemRefType>(memref.getType()).isLastDimUnitStride() &&
         map.getNumResults() > 0 &&
         map.getResults().back() == getAffineDimExpr(dim, map.getContext());
}

bool Epilogue::isAtMost(const Tile &tile, int64_t operations) {
  kernel::ContractOp op = contraction.op;
  for (auto [out, map] : llvm::zip(op.getOuts(), op.getOutMaps()))
    if (!isContiguous(out, map, contraction.roles.n))
      return false; // each store is a loop over lanes
  return tile.rows * tile.vectors * region.size() <= operations;
}

void Epilogue::store(const Tile &tile, int64_t i, unsigned result,
                     ValueRange vectors) {
  kernel::ContractOp op = contraction.op;
  Value out = op.getOuts()[result];
  AffineMap map = op.getOutMaps()[result];
  assert(int64_t(vectors.size()) == tile.vectors && "vectors of a row");
  bool isPacked = region.isPackable(result);
  int64_t j = 0;
  while (j < tile.vectors) {
    VectorPosition position = tile.at(builder, contraction, i, j);
    int64_t count = 1;
    if (isPacked && isContiguous(out, map, contraction.roles.n))
      while (j + 2 * count <= tile.vectors && count < 4 &&
             tile.at(builder, contraction, i, j + 2 * count - 1).inBounds)
        count *= 2;
    position.lanes = count * builder.lanes;
    Value value = isPacked
                      ? region.pack(builder, result, vectors.slice(j, count))
                      : vectors[j];
    writeVector(builder.rewriter, builder.loc, value, out, map, position);
    j += count;
  }
}

void Epilogue::emitRow(const Tile &tile, int64_t i, ValueRange accumulators) {
  kernel::ContractOp op = contraction.op;
  assert(int64_t(accumulators.size()) == tile.vectors &&
         "an accumulator for each vector of the row");
  SmallVector<SmallVector<Value>> results(op.getOuts().size());
  for (int64_t j = 0; j < tile.vectors; ++j) {
    VectorPosition position = tile.at(builder, contraction, i, j);
    SmallVector<Value> arguments{accumulators[j]};
    for (auto [operand, map] :
         llvm::zip(op.getEpilogueOperands(), op.getEpilogueMaps()))
      arguments.push_back(
          readVector(builder.rewriter, builder.loc, operand, map, position));
    for (auto [vectors, value] :
         llvm::zip(results, region.emit(builder, arguments)))
      vectors.push_back(value);
  }
  for (auto [result, vectors] : llvm::enumerate(results))
    store(tile, i, result, vectors);
}

void Epilogue::emit(const Tile &tile, ValueRange accumulators) {
  assert(int64_t(accumulators.size()) == tile.rows * tile.vectors &&
         "an accumulator for each vector of each row");
  if (isAtMost(tile, kMaxUnrolledOps)) {
    for (int64_t i = 0; i < tile.rows; ++i)
      emitRow(tile, i, accumulators.slice(i * tile.vectors, tile.vectors));
    return;
  }
  OpBuilder &rewriter = builder.rewriter;
  Location loc = builder.loc;
  if (!scratch)
    scratch = contraction.allocate(builder, {contraction.mr, contraction.nr},
                                   contraction.op.getTotalType());
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.vectors; ++j)
      vector::StoreOp::create(
          rewriter, loc, accumulators[i * tile.vectors + j], scratch,
          ValueRange{builder.index(i), builder.index(j * builder.lanes)});
  builder.forEach(builder.index(0), builder.index(tile.rows), 1,
                  [&](Value row) {
                    SmallVector<Value> loaded;
                    for (int64_t j = 0; j < tile.vectors; ++j)
                      loaded.push_back(vector::LoadOp::create(
                          rewriter, loc, accumulators[0].getType(), scratch,
                          ValueRange{row, builder.index(j * builder.lanes)}));
                    Tile rowTile = tile;
                    rowTile.row = builder.add(tile.row, row);
                    emitRow(rowTile, 0, loaded);
                  });
}
