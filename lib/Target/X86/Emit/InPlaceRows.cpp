//===- InPlaceRows.cpp - Rows of bytes, read where they lie ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LhsRows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

namespace {
class InPlaceRows : public LhsRows {
public:
  InPlaceRows(KernelBuilder &builder, Contraction &contraction)
      : LhsRows(builder, contraction, contraction.mc) {
    assert(contraction.kr == 4 && contraction.segmentSize >= contraction.kr &&
           "words of four bytes are read where they lie");
  }

  void prepare(ArrayRef<Value> loops, Value first, Value count) override;
  SmallVector<Value> reduce(const Tile &tile, ValueRange accumulators,
                            Step step) override;
  SmallVector<Value> reduceGroup(const Tile &tile, ValueRange accumulators,
                                 Step step) override;
  TileSource tileSource(const Tile &tile, int64_t i, Value offset) override;
  void prefetch(const Tile &tile, Value row, Value offset) override;

private:
  /// The sum of the elements of a segment, plus `sum`.
  Value sumUp(ArrayRef<Value> loops, Value row, Value segment, Value sum);
  /// Where an element of a row lies.
  SmallVector<Value> indices(const Tile &tile, Value row, Value segment,
                             Value offset);
  /// Where the element lies that an offset of tileSource names.
  SmallVector<Value> indicesOfStep(const Tile &tile, Value row, Value offset);
  /// The four bytes of row i of the tile from an element on, as an i32.
  Value loadWord(const Tile &tile, int64_t i, Value segment, Value offset);
  /// The steps of a part of a segment.
  SmallVector<Value> reducePart(const Tile &tile, Value segment,
                                const ZeroBorders::Part &part,
                                ValueRange accumulators, Step step);
};
} // namespace

/// Emits the sums of the rows where they are needed.
void InPlaceRows::prepare(ArrayRef<Value> loops, Value first, Value count) {
  firstRow = first;
  if (!rowSums)
    return;
  Value end = builder.add(first, count);
  auto rows = scf::ForOp::create(builder.rewriter, builder.loc, first, end,
                                 builder.index(1));
  OpBuilder::InsertionGuard guard(builder.rewriter);
  builder.rewriter.setInsertionPointToStart(rows.getBody());
  Value row = rows.getInductionVar();
  emitRowSums(row, [&](Value segment, Value sum) {
    return sumUp(loops, row, segment, sum);
  });
}

Value InPlaceRows::sumUp(ArrayRef<Value> loops, Value row, Value segment,
                         Value sum) {
  kernel::ContractOp op = contraction.op;
  int64_t bytes = builder.lanes * contraction.kr;
  VectorPosition position{{}, segmentDim(), unsigned(bytes), true};
  auto add = [&](Value offset, int64_t count, Value sum) {
    position.index = loopsAt(loops, row, segment, offset);
    Value elements = readVector(builder.rewriter, builder.loc, op.getLhs(),
                                op.getLhsMap(), position);
    return addWords(sum, count == bytes ? elements
                                        : builder.clearFrom(elements, count));
  };
  int64_t whole = contraction.segmentSize / bytes,
          rest = contraction.segmentSize % bytes;
  sum = builder
            .carry(0, whole, sum,
                   [&](Value i, ValueRange sums) {
                     return SmallVector<Value>{
                         add(builder.mul(i, bytes), bytes, sums.front())};
                   })
            .front();
  if (rest == 0)
    return sum;
  position.inBounds = false;
  return add(builder.index(whole * bytes), rest, sum);
}

SmallVector<Value> InPlaceRows::indices(const Tile &tile, Value row,
                                        Value segment, Value offset) {
  return operandIndices(builder.rewriter, builder.loc,
                        contraction.op.getLhsMap(),
                        loopsAt(tile.loops, row, segment, offset));
}

SmallVector<Value> InPlaceRows::indicesOfStep(const Tile &tile, Value row,
                                              Value offset) {
  // Whole steps fill segments.
  if (contraction.segments == 1)
    return indices(tile, row, builder.index(0), offset);
  Value size = builder.index(contraction.segmentSize);
  return indices(tile, row, builder.div(offset, size),
                 builder.rem(offset, size));
}

Value InPlaceRows::loadWord(const Tile &tile, int64_t i, Value segment,
                            Value offset) {
  Value bytes = vector::LoadOp::create(
      builder.rewriter, builder.loc, builder.vectorType(4, 8),
      contraction.op.getLhs(),
      indices(tile, builder.add(tile.row, i), segment, offset));
  Value word = vector::BitCastOp::create(builder.rewriter, builder.loc,
                                         builder.vectorType(1, 32), bytes);
  return vector::ExtractOp::create(builder.rewriter, builder.loc, word,
                                   ArrayRef<int64_t>{0});
}

SmallVector<Value> InPlaceRows::reducePart(const Tile &tile, Value segment,
                                           const ZeroBorders::Part &part,
                                           ValueRange accumulators, Step step) {
  auto broadcast = [&](Value word) -> Value {
    return vector::BroadcastOp::create(builder.rewriter, builder.loc,
                                       builder.accumulatorType(), word);
  };
  int64_t whole = contraction.segmentSize / contraction.kr,
          rest = contraction.segmentSize % contraction.kr;
  Value first = builder.mul(segment, contraction.segmentWords);
  SmallVector<Value> result = builder.carry(
      part.firstWord, std::min(part.lastWord, whole), accumulators,
      [&](Value word, ValueRange current) {
        Value offset = builder.mul(word, contraction.kr);
        return step(
            builder.add(first, word), part.rows,
            [&](int64_t i, int64_t) {
              return broadcast(loadWord(tile, i, segment, offset));
            },
            current);
      });
  if (part.lastWord <= whole)
    return result;
  // The last bytes of a segment are the high end of its last four.
  Value offset = builder.index(contraction.segmentSize - contraction.kr);
  Value shift = arith::ConstantIntOp::create(builder.rewriter, builder.loc,
                                             8 * (contraction.kr - rest), 32);
  return step(
      builder.add(first, whole), part.rows,
      [&](int64_t i, int64_t) {
        return broadcast(
            arith::ShRUIOp::create(builder.rewriter, builder.loc,
                                   loadWord(tile, i, segment, offset), shift));
      },
      result);
}

SmallVector<Value>
InPlaceRows::reduceGroup(const Tile &tile, ValueRange accumulators, Step step) {
  ZeroBorders::Part all{0, 1, 0, contraction.segmentWords,
                        SmallVector<bool>(tile.rows, true)};
  return reducePart(tile, tile.group, all, accumulators, step);
}

SmallVector<Value> InPlaceRows::reduce(const Tile &tile,
                                       ValueRange accumulators, Step step) {
  return reduceParts(
      tile, accumulators,
      [&](Value segment, const ZeroBorders::Part &part, ValueRange current) {
        return reducePart(tile, segment, part, current, step);
      });
}

/// The distance of rows in elements of the left operand; 0 where all rows are
/// the same.
static Value rowStride(KernelBuilder &builder, Contraction &contraction) {
  kernel::ContractOp op = contraction.op;
  Value result = builder.index(0);
  if (!contraction.roles.m)
    return result;
  auto [strides, offset] =
      cast<MemRefType>(op.getLhs().getType()).getStridesAndOffset();
  for (auto [i, expr] : llvm::enumerate(op.getLhsMap().getResults())) {
    int64_t factor =
        (*kernel::windowFactors(expr, op.getNumLoops()))[*contraction.roles.m];
    if (factor == 0)
      continue;
    Value stride = ShapedType::isDynamic(strides[i])
                       ? memref::ExtractStridedMetadataOp::create(
                             builder.rewriter, builder.loc, op.getLhs())
                             .getStrides()[i]
                       : builder.index(strides[i]);
    result = builder.add(result, builder.mul(stride, factor));
  }
  return result;
}

TileSource InPlaceRows::tileSource(const Tile &tile, int64_t i, Value offset) {
  return {contraction.op.getLhs(),
          indicesOfStep(tile, builder.add(tile.row, i), offset),
          rowStride(builder, contraction)};
}

void InPlaceRows::prefetch(const Tile &tile, Value row, Value offset) {
  memref::PrefetchOp::create(
      builder.rewriter, builder.loc, contraction.op.getLhs(),
      indicesOfStep(tile, row, offset), /*isWrite=*/false,
      /*localityHint=*/2, /*isDataCache=*/true);
}

std::unique_ptr<LhsRows> qcc::x86::makeInPlaceRows(KernelBuilder &builder,
                                                   Contraction &contraction) {
  return std::make_unique<InPlaceRows>(builder, contraction);
}
