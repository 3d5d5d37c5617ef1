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
      : LhsRows(builder, contraction, contraction.mc) {}

  void prepare(ArrayRef<Value> loops, Value first, Value count) override;
  SmallVector<Value> reduce(const Tile &tile, ValueRange accumulators,
                            Step step) override;
  TileSource tileSource(const Tile &tile, int64_t i, Value offset) override;
  void prefetch(const Tile &tile, Value row, Value offset) override;

private:
  /// Where an element of a row lies.
  SmallVector<Value> indices(const Tile &tile, Value row, Value offset);
  /// The four bytes of row i of the tile from `offset` on, as an i32.
  Value loadWord(const Tile &tile, int64_t i, Value offset);
};
} // namespace

/// Emits the sums of the rows where they are needed.
void InPlaceRows::prepare(ArrayRef<Value> loops, Value first, Value count) {
  firstRow = first;
  if (!rowSums)
    return;
  kernel::ContractOp op = contraction.op;
  unsigned kDim = op.getReductionDims().front();
  int64_t bytes = builder.lanes * contraction.kr;
  Value end = builder.add(first, count);
  auto rows = scf::ForOp::create(builder.rewriter, builder.loc, first, end,
                                 builder.index(1));
  OpBuilder::InsertionGuard guard(builder.rewriter);
  builder.rewriter.setInsertionPointToStart(rows.getBody());
  VectorPosition position{llvm::to_vector(loops), kDim, unsigned(bytes), true};
  if (contraction.roles.m)
    position.index[*contraction.roles.m] = rows.getInductionVar();
  auto sumUp = [&](Value offset, Value sum) {
    position.index[kDim] = offset;
    return addWords(sum, readVector(builder.rewriter, builder.loc, op.getLhs(),
                                    op.getLhsMap(), position));
  };
  int64_t whole = contraction.k / bytes;
  Value sum = builder
                  .carry(0, whole, builder.splat(0),
                         [&](Value i, ValueRange sums) {
                           return SmallVector<Value>{
                               sumUp(builder.mul(i, bytes), sums.front())};
                         })
                  .front();
  if (contraction.k % bytes != 0) {
    position.inBounds = false;
    sum = sumUp(builder.index(whole * bytes), sum);
  }
  storeRowSum(rows.getInductionVar(), sum);
}

SmallVector<Value> InPlaceRows::indices(const Tile &tile, Value row,
                                        Value offset) {
  kernel::ContractOp op = contraction.op;
  SmallVector<Value> at(tile.loops);
  if (contraction.roles.m)
    at[*contraction.roles.m] = row;
  at[op.getReductionDims().front()] = offset;
  return operandIndices(builder.rewriter, builder.loc, op.getLhsMap(), at);
}

Value InPlaceRows::loadWord(const Tile &tile, int64_t i, Value offset) {
  kernel::ContractOp op = contraction.op;
  Value bytes = vector::LoadOp::create(
      builder.rewriter, builder.loc, builder.vectorType(4, 8), op.getLhs(),
      indices(tile, builder.add(tile.row, i), offset));
  Value word = vector::BitCastOp::create(builder.rewriter, builder.loc,
                                         builder.vectorType(1, 32), bytes);
  return vector::ExtractOp::create(builder.rewriter, builder.loc, word,
                                   ArrayRef<int64_t>{0});
}

SmallVector<Value> InPlaceRows::reduce(const Tile &tile,
                                       ValueRange accumulators, Step step) {
  auto broadcast = [&](Value word) -> Value {
    return vector::BroadcastOp::create(builder.rewriter, builder.loc,
                                       builder.accumulatorType(), word);
  };
  int64_t whole = contraction.k / contraction.kr,
          rest = contraction.k % contraction.kr;
  SmallVector<Value> result = builder.carry(
      0, whole, accumulators, [&](Value word, ValueRange current) {
        Value offset = builder.mul(word, contraction.kr);
        return step(
            word,
            [&](int64_t i, int64_t) {
              return broadcast(loadWord(tile, i, offset));
            },
            current);
      });
  if (rest == 0)
    return result;
  // The last bytes of a row are the high end of its last four.
  Value offset = builder.index(contraction.k - contraction.kr);
  Value shift = arith::ConstantIntOp::create(builder.rewriter, builder.loc,
                                             8 * (contraction.kr - rest), 32);
  return step(
      builder.index(whole),
      [&](int64_t i, int64_t) {
        return broadcast(arith::ShRUIOp::create(
            builder.rewriter, builder.loc, loadWord(tile, i, offset), shift));
      },
      result);
}

/// The distance of rows in elements of the left operand; 0 where it has no row
/// dimension and all rows are the same.
static Value rowStride(KernelBuilder &builder, Contraction &contraction) {
  kernel::ContractOp op = contraction.op;
  auto type = cast<MemRefType>(op.getLhs().getType());
  std::optional<unsigned> position;
  if (contraction.roles.m)
    position = op.getLhsMap().getResultPosition(
        getAffineDimExpr(*contraction.roles.m, op.getContext()));
  if (!position)
    return builder.index(0);
  auto [strides, offset] = type.getStridesAndOffset();
  if (!ShapedType::isDynamic(strides[*position]))
    return builder.index(strides[*position]);
  auto metadata = memref::ExtractStridedMetadataOp::create(
      builder.rewriter, builder.loc, op.getLhs());
  return metadata.getStrides()[*position];
}

TileSource InPlaceRows::tileSource(const Tile &tile, int64_t i, Value offset) {
  return {contraction.op.getLhs(),
          indices(tile, builder.add(tile.row, i), offset),
          rowStride(builder, contraction)};
}

void InPlaceRows::prefetch(const Tile &tile, Value row, Value offset) {
  memref::PrefetchOp::create(builder.rewriter, builder.loc,
                             contraction.op.getLhs(),
                             indices(tile, row, offset), /*isWrite=*/false,
                             /*localityHint=*/2, /*isDataCache=*/true);
}

std::unique_ptr<LhsRows> qcc::x86::makeInPlaceRows(KernelBuilder &builder,
                                                   Contraction &contraction) {
  return std::make_unique<InPlaceRows>(builder, contraction);
}
