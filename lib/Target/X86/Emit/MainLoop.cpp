//===- MainLoop.cpp - The accumulators of one register tile ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MainLoop.h"
#include "../Atoms/Dot.h"
#include "InitialAccumulators.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

/// The right operand is one long stream, but the processor follows it only to
/// the end of a page, and a tile of many rows computes too long to run into the
/// next page early. So lines are asked for some pages ahead, into the L2 cache.
/// There are no prefetches where they would gain nothing: a small operand lies
/// in the L2 cache already; with few rows a core runs far ahead by itself, and
/// prefetches take the place of loads; and where there are several tiles of
/// rows, all but the first find the operand in the cache.
constexpr int64_t kPrefetchFrom = int64_t(8) << 20, kPrefetchAhead = 16 << 10;
constexpr int64_t kPrefetchRows = 6;

/// How many words of K ahead of a tile's main loop to prefetch; 0 if it must
/// not.
static int64_t prefetchDistance(Contraction &contraction, const Tile &tile) {
  constexpr int64_t wordBytes = 4;
  auto type = cast<MemRefType>(contraction.op.getRhs().getType());
  auto m = getConstantIntValue(contraction.m);
  if (tile.rows < kPrefetchRows || !m || *m > contraction.mr ||
      !type.hasStaticShape() ||
      type.getNumElements() * wordBytes < kPrefetchFrom)
    return 0;
  return kPrefetchAhead / (contraction.nr * wordBytes);
}

/// The words of a step.
using Words = SmallVector<Value, 8>;

/// The words of a step of the right operand, for each vector of columns.
static SmallVector<Words> loadRight(KernelBuilder &builder,
                                    Contraction &contraction, const Tile &tile,
                                    Value word, int64_t ahead) {
  OpBuilder &rewriter = builder.rewriter;
  Location loc = builder.loc;
  bool hasNibbles = contraction.config.hasNibbles();
  if (hasNibbles)
    word = builder.div(word, builder.index(2));
  int64_t loads = contraction.stepWords() / (hasNibbles ? 2 : 1);
  SmallVector<Words> right(tile.vectors);
  for (int64_t j = 0; j < tile.vectors; ++j)
    for (int64_t w = 0; w < loads; ++w) {
      SmallVector<Value> at(tile.batch);
      at.append({tile.column, builder.add(word, w),
                 builder.index(j * builder.lanes)});
      Value words =
          vector::LoadOp::create(rewriter, loc, builder.accumulatorType(),
                                 contraction.op.getRhs(), at);
      if (hasNibbles)
        llvm::append_range(right[j], splitNibbles(rewriter, loc, words));
      else
        right[j].push_back(words);
      if (ahead == 0)
        continue;
      // Past the end of this tile lies the next one, past that of all tiles
      // anything: a prefetch never fails.
      at[at.size() - 2] = builder.add(word, w + ahead);
      memref::PrefetchOp::create(rewriter, loc, contraction.op.getRhs(), at,
                                 /*isWrite=*/false, /*localityHint=*/2,
                                 /*isDataCache=*/true);
    }
  return right;
}

/// The accumulator of a row and a vector of columns after a step.
static Value multiply(KernelBuilder &builder, Contraction &contraction,
                      Value current, const Words &left, const Words &right) {
  OpBuilder &rewriter = builder.rewriter;
  if (contraction.config.hasNibbles())
    return multiplyNibbles(rewriter, builder.loc, contraction.atom, current,
                           left, right);
  if (contraction.atom.hasPairs())
    return multiplyPairs(rewriter, builder.loc, contraction.atom, current,
                         {left[0], left[1]}, {right[0], right[1]});
  return multiplyAccumulate(rewriter, builder.loc, contraction.atom, current,
                            left[0], right[0]);
}

/// Emits the sums of integers of a tile, over K or over the tile's group.
static SmallVector<Value> emitSums(KernelBuilder &builder,
                                   Contraction &contraction, LhsRows &rows,
                                   ColumnProducts &columns, const Tile &tile) {
  InitialAccumulators accumulators(builder, contraction, rows, &columns, tile);
  int64_t ahead = prefetchDistance(contraction, tile);
  SmallVector<Value> initial;
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.vectors; ++j) {
      Value value = accumulators.emit(i, j);
      initial.push_back(value ? value : builder.splat(0));
    }
  auto step = [&](Value word, ArrayRef<bool> isNeeded, LhsRows::LeftWord left,
                  ValueRange accumulators) {
    auto right = loadRight(builder, contraction, tile, word, ahead);
    SmallVector<Value> next;
    for (int64_t i = 0; i < tile.rows; ++i) {
      if (!isNeeded[i]) {
        llvm::append_range(next,
                           accumulators.slice(i * tile.vectors, tile.vectors));
        continue;
      }
      Words words;
      for (int64_t w = 0; w < contraction.stepWords(); ++w)
        words.push_back(left(i, w));
      for (int64_t j = 0; j < tile.vectors; ++j)
        next.push_back(multiply(builder, contraction,
                                accumulators[i * tile.vectors + j], words,
                                right[j]));
    }
    return next;
  };
  return tile.group ? rows.reduceGroup(tile, initial, step)
                    : rows.reduce(tile, initial, step);
}

/// Asks for the elements of a group operand that the next tile of columns reads
/// for the same group: those of one tile lie as far apart as groups do, so that
/// the processor does not follow them by itself.
static void prefetchNextTile(KernelBuilder &builder, Contraction &contraction,
                             Value operand, AffineMap map, const Tile &tile) {
  auto n = getConstantIntValue(contraction.n);
  if (!map.isFunctionOfDim(contraction.roles.n) ||
      !map.isFunctionOfDim(contraction.groupLoop()) || tile.masked ||
      (n && *n <= contraction.nr))
    return;
  Tile next = tile;
  next.column = builder.add(tile.column, 1);
  constexpr int64_t lineElements = 64 / sizeof(float);
  for (int64_t j = 0; j < tile.vectors; j += lineElements / builder.lanes) {
    VectorPosition position = next.at(builder, contraction, 0, j);
    memref::PrefetchOp::create(
        builder.rewriter, builder.loc, operand,
        operandIndices(builder.rewriter, builder.loc, map, position.index),
        /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
  }
}

/// Emits the chain over groups of K; returns the totals.
static SmallVector<Value> emitChain(KernelBuilder &builder,
                                    Contraction &contraction, LhsRows &rows,
                                    ColumnProducts &columns, const Tile &tile) {
  kernel::ContractOp op = contraction.op;
  OpBuilder &rewriter = builder.rewriter;
  auto read = [&](const Tile &tile, Value memref, AffineMap map, int64_t i,
                  int64_t j) {
    return readVector(rewriter, builder.loc, memref, map,
                      tile.at(builder, contraction, i, j));
  };
  auto totalType = VectorType::get({builder.lanes}, op.getTotalType());
  SmallVector<Value> initial;
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.vectors; ++j)
      initial.push_back(op.getInit()
                            ? read(tile, op.getInit(), op.getInitMap(), i, j)
                            : builder.splat(totalType, 0));
  VectorRegion region(op.getGroupEpilogue());
  return builder.carry(
      0, contraction.segments, initial, [&](Value group, ValueRange totals) {
        Tile ofGroup = tile;
        ofGroup.group = group;
        for (auto [operand, map] :
             llvm::zip_equal(op.getGroupOperands(), op.getGroupMaps()))
          prefetchNextTile(builder, contraction, operand, map, ofGroup);
        SmallVector<Value> sums =
            emitSums(builder, contraction, rows, columns, ofGroup);
        SmallVector<Value> next;
        for (auto [at, sum, total] : llvm::enumerate(sums, totals)) {
          SmallVector<Value> arguments{sum, total};
          for (auto [operand, map] :
               llvm::zip_equal(op.getGroupOperands(), op.getGroupMaps()))
            arguments.push_back(read(ofGroup, operand, map, at / tile.vectors,
                                     at % tile.vectors));
          next.push_back(region.emit(builder, arguments).front());
        }
        return next;
      });
}

SmallVector<Value> qcc::x86::emitMainLoop(KernelBuilder &builder,
                                          Contraction &contraction,
                                          LhsRows &rows,
                                          ColumnProducts &columns,
                                          const Tile &tile) {
  return contraction.op.hasGroups()
             ? emitChain(builder, contraction, rows, columns, tile)
             : emitSums(builder, contraction, rows, columns, tile);
}
