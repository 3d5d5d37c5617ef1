//===- PanelRows.cpp - Rows of any operand, copied to scratch memory ------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A panel holds the rows of one block, prologue applied, segment after segment,
// in the form that the instruction takes:
//
//   panel[row of the block][k]    bytes (KR = 4), i16 (KR = 2) or f32 (KR = 1)
//
// It is filled once and read for every tile of columns. Elements past a segment
// are whatever its last vector held: the packed right operand is 0 there.
//
//===----------------------------------------------------------------------===//

#include "../Atoms/Dot.h"
#include "Elements.h"
#include "LhsRows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qcc/Target/X86/Spec.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

namespace {
class PanelRows : public LhsRows {
public:
  PanelRows(KernelBuilder &builder, Contraction &contraction, int64_t capacity);

  void prepare(ArrayRef<Value> loops, Value first, Value count) override;
  SmallVector<Value> reduce(const Tile &tile, ValueRange accumulators,
                            Step step) override;
  SmallVector<Value> reduceGroup(const Tile &tile, ValueRange accumulators,
                                 Step step) override;
  TileSource tileSource(const Tile &tile, int64_t i, Value offset) override;

private:
  /// The loop over the steps [begin, end) of K.
  SmallVector<Value> reduceSteps(const Tile &tile, Value begin, Value end,
                                 ArrayRef<bool> rows, ValueRange accumulators,
                                 Step step);
  /// The steps of a segment.
  int64_t segmentSteps() const {
    return contraction.segmentWords / contraction.stepWords();
  }
  int64_t vectorElements() const { return builder.lanes * contraction.kr; }
  /// Loads, converts and stores the `count` elements at an index of the left
  /// operand to column `column` of the panel; returns `sum` plus them.
  Value copy(SmallVector<Value> at, int64_t count, Value row, Value column,
             Value sum);
  /// The products of the words of a row of the panel among themselves.
  Value multiplyWords(Value row);

  Elements source;
  int64_t pitch;  // of rows, in bytes
  Value elements; // [capacity, pitch] of elements
  Value words;    // the same memory, as words
};
} // namespace

PanelRows::PanelRows(KernelBuilder &builder, Contraction &contraction,
                     int64_t capacity)
    : LhsRows(builder, contraction, capacity),
      source(Elements::ofLhs(contraction.op)), pitch(0) {
  // There is room for one more vector.
  int64_t elementBytes = 4 / contraction.kr;
  pitch =
      spreadPitch((contraction.segments - 1) * contraction.segmentWords * 4 +
                  contraction.segmentSize * elementBytes + 64);
  Value memory = contraction.allocate(builder, {capacity * pitch},
                                      builder.rewriter.getI8Type());
  auto view = [&](Type element) {
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    auto type = MemRefType::get({capacity, pitch / bytes}, element);
    return memref::ViewOp::create(builder.rewriter, builder.loc, type, memory,
                                  builder.index(0), ValueRange{});
  };
  words = view(builder.word);
  elements = contraction.kr == 1
                 ? words
                 : view(builder.rewriter.getIntegerType(8 * elementBytes));
}

void PanelRows::prepare(ArrayRef<Value> loops, Value first, Value count) {
  firstRow = first;
  OpBuilder::InsertionGuard guard(builder.rewriter);
  auto rows = scf::ForOp::create(builder.rewriter, builder.loc,
                                 builder.index(0), count, builder.index(1));
  builder.rewriter.setInsertionPointToStart(rows.getBody());
  Value row = rows.getInductionVar();
  Value lhsRow = builder.add(first, row);
  int64_t step = vectorElements(), whole = contraction.segmentSize / step,
          rest = contraction.segmentSize % step;
  emitRowSums(lhsRow, [&](Value segment, Value sum) {
    Value base =
        builder.mul(segment, contraction.segmentWords * contraction.kr);
    auto copyAt = [&](Value offset, int64_t count, Value sum) {
      return copy(loopsAt(loops, lhsRow, segment, offset), count, row,
                  builder.add(base, offset), sum);
    };
    sum = builder
              .carry(0, whole, sum,
                     [&](Value i, ValueRange sums) {
                       return SmallVector<Value>{
                           copyAt(builder.mul(i, step), step, sums.front())};
                     })
              .front();
    return rest == 0 ? sum : copyAt(builder.index(whole * step), rest, sum);
  });
  if (rowProducts)
    storeRowProduct(lhsRow, multiplyWords(row));
}

Value PanelRows::multiplyWords(Value row) {
  // The elements past a segment count: the main loop multiplies them as well.
  OpBuilder &rewriter = builder.rewriter;
  Location loc = builder.loc;
  int64_t lanes = builder.lanes, whole = contraction.words / lanes,
          rest = contraction.words % lanes;
  auto add = [&](Value word, int64_t count, Value sum) {
    Value even = vector::LoadOp::create(
        rewriter, loc, builder.accumulatorType(), words, ValueRange{row, word});
    if (count < lanes)
      even = builder.clearFrom(even, count);
    // Each odd word in the place of the even one before it, and zeros.
    VectorType pairs = builder.vectorType(lanes / 2, 64);
    Value odd = arith::ShRUIOp::create(
        rewriter, loc, vector::BitCastOp::create(rewriter, loc, pairs, even),
        builder.splat(pairs, 32));
    return multiplyAccumulate(rewriter, loc, contraction.atom, sum, even, odd);
  };
  Value sum = builder
                  .carry(0, whole, builder.splat(0),
                         [&](Value i, ValueRange sums) {
                           return SmallVector<Value>{
                               add(builder.mul(i, lanes), lanes, sums.front())};
                         })
                  .front();
  return rest == 0 ? sum : add(builder.index(whole * lanes), rest, sum);
}

Value PanelRows::copy(SmallVector<Value> at, int64_t count, Value row,
                      Value column, Value sum) {
  OpBuilder &rewriter = builder.rewriter;
  Location loc = builder.loc;
  VectorPosition position{std::move(at), segmentDim(), 0, false};
  Value value =
      source.readBytes(builder, std::move(position), vectorElements(), count);
  auto type = cast<VectorType>(value.getType());
  if (contraction.layout.lhsShift != 0)
    value =
        arith::XOrIOp::create(rewriter, loc, value, builder.splat(type, -128));
  if (contraction.kr == 2) {
    VectorType shorts = builder.vectorType(type.getNumElements(), 16);
    value =
        contraction.op.getLhsUnsigned()
            ? arith::ExtUIOp::create(rewriter, loc, shorts, value).getResult()
            : arith::ExtSIOp::create(rewriter, loc, shorts, value);
  }
  // Lanes past the end must not count.
  if (rowSums && count != vectorElements())
    value = builder.clearFrom(value, count);
  vector::StoreOp::create(rewriter, loc, value, elements,
                          ValueRange{row, column});
  return rowSums ? addWords(sum, value) : sum;
}

SmallVector<Value> PanelRows::reduceSteps(const Tile &tile, Value begin,
                                          Value end, ArrayRef<bool> rows,
                                          ValueRange accumulators, Step step) {
  Value first = builder.sub(tile.row, firstRow);
  int64_t stepWords = contraction.stepWords();
  return builder.carry(
      begin, end, accumulators, [&](Value i, ValueRange current) {
        Value word = builder.mul(i, stepWords);
        auto left = [&](int64_t i, int64_t w) -> Value {
          Value scalar = memref::LoadOp::create(
              builder.rewriter, builder.loc, words,
              ValueRange{builder.add(first, i), builder.add(word, w)});
          return vector::BroadcastOp::create(builder.rewriter, builder.loc,
                                             builder.accumulatorType(), scalar);
        };
        return step(word, rows, left, current);
      });
}

SmallVector<Value> PanelRows::reduceGroup(const Tile &tile,
                                          ValueRange accumulators, Step step) {
  Value begin = builder.mul(tile.group, segmentSteps());
  return reduceSteps(tile, begin, builder.add(begin, segmentSteps()),
                     SmallVector<bool>(tile.rows, true), accumulators, step);
}

SmallVector<Value> PanelRows::reduce(const Tile &tile, ValueRange accumulators,
                                     Step step) {
  SmallVector<ZeroBorders::Part> parts = borders.partsOf(tile);
  // The words of all segments follow each other.
  if (parts.size() == 1) {
    auto [firstSegment, lastSegment] = borders.segmentsOf(builder, tile);
    return reduceSteps(tile, builder.mul(firstSegment, segmentSteps()),
                       builder.mul(lastSegment, segmentSteps()),
                       parts.front().rows, accumulators, step);
  }
  return reduceParts(
      tile, accumulators,
      [&](Value segment, const ZeroBorders::Part &part, ValueRange current) {
        Value word = builder.mul(segment, segmentSteps());
        return reduceSteps(tile, builder.add(word, part.firstWord),
                           builder.add(word, part.lastWord), part.rows, current,
                           step);
      });
}

TileSource PanelRows::tileSource(const Tile &tile, int64_t i, Value offset) {
  Value row = builder.add(builder.sub(tile.row, firstRow), i);
  return {elements, {row, offset}, builder.index(pitch)};
}

std::unique_ptr<LhsRows> qcc::x86::makePanelRows(KernelBuilder &builder,
                                                 Contraction &contraction,
                                                 int64_t capacity) {
  return std::make_unique<PanelRows>(builder, contraction, capacity);
}
