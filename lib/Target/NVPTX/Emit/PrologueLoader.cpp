//===- PrologueLoader.cpp - Chunks that a prologue computes ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChunkLoader.h"
#include "ScalarRegion.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

namespace {
class PrologueLoader : public ChunkLoader {
public:
  PrologueLoader(ScalarCode &code, Chunks given, ContractOp op,
                 BlockTiles &tiles, SlicesOfK &slices);

  SmallVector<Values> load(Value slice) override;
  Values toWords(int64_t number, ValueRange held, Value slice) override;

private:
  Value mask(Value chunk, int64_t number, Value slice);
  /// Elements of an operand at a chunk.
  SmallVector<Value> loadElements(unsigned operand, Point point);
  bool isInvariant(unsigned operand);
  int64_t segment() { return slices.segment(); }
  /// Whether chunks may lie partly outside of a segment.
  bool hasRest() { return segment() % slices.getDepth() != 0; }

  ContractOp op;
  SlicesOfK &slices;
  unsigned k;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<Point> rows;
  /// For each row, the operands that are the same for all elements of a row.
  SmallVector<SmallVector<Value>> invariants;
};
} // namespace

PrologueLoader::PrologueLoader(ScalarCode &code, Chunks given, ContractOp op,
                               BlockTiles &tiles, SlicesOfK &slices)
    : ChunkLoader(code, std::move(given)), op(op), slices(slices),
      k(op.getReductionDims().back()), operands{op.getLhs()},
      maps{op.getLhsMap()} {
  llvm::append_range(operands, op.getLhsOperands());
  llvm::append_range(maps, op.getLhsOperandMaps());
  for (Value row : chunks.rows) {
    rows.push_back(tiles.rowPoint(row));
    SmallVector<Value> &values = invariants.emplace_back();
    for (unsigned i = 0; i < operands.size(); ++i)
      values.push_back(isInvariant(i)
                           ? code.load(operands[i], maps[i], rows.back())
                           : Value());
  }
}

bool PrologueLoader::isInvariant(unsigned operand) {
  return llvm::none_of(op.getReductionDims(), [&](int64_t dim) {
    return maps[operand].isFunctionOfDim(dim);
  });
}

SmallVector<Value> PrologueLoader::loadElements(unsigned operand, Point point) {
  RewriterBase &rewriter = code.rewriter;
  StridedOperand lies(code, operands[operand], maps[operand]);
  Value first = point[k];
  SmallVector<Value> elements;
  int64_t lanes = lies.elementBytes() == 0 ? 1 : kChunk / lies.elementBytes();
  if (lanes > 1 && lies.isContiguousAlong(k) && segment() % kChunk == 0 &&
      lies.divisorWithout(k) % lanes == 0) {
    if (hasRest())
      first = arith::SelectOp::create(rewriter, code.loc,
                                      code.less(first, code.index(segment())),
                                      first, code.index(0));
    auto type = VectorType::get({lanes}, lies.elementType());
    for (int64_t i = 0; i < kChunk; i += lanes) {
      point[k] = code.create<arith::AddIOp>(first, code.index(i));
      auto load =
          vector::LoadOp::create(rewriter, code.loc, type, operands[operand],
                                 code.indices(maps[operand], point));
      load.setAlignment(kChunk);
      for (int64_t lane = 0; lane < lanes; ++lane)
        elements.push_back(vector::ExtractOp::create(rewriter, code.loc,
                                                     load.getResult(), lane));
    }
    return elements;
  }
  for (int64_t i = 0; i < kChunk; ++i) {
    point[k] = code.create<arith::AddIOp>(first, code.index(i));
    if (hasRest())
      point[k] =
          code.create<arith::MinUIOp>(point[k], code.index(segment() - 1));
    elements.push_back(code.load(operands[operand], maps[operand], point));
  }
  assert(elements.size() == kChunk && "an element for each byte of the chunk");
  return elements;
}

SmallVector<SmallVector<Value>> PrologueLoader::load(Value slice) {
  SmallVector<Values> held;
  for (Point point : rows) {
    slices.set(point, slice, chunks.byte);
    Values &values = held.emplace_back();
    for (unsigned i = 0; i < operands.size(); ++i)
      if (!isInvariant(i))
        llvm::append_range(values, loadElements(i, point));
  }
  return held;
}

SmallVector<Value> PrologueLoader::toWords(int64_t number, ValueRange held,
                                           Value slice) {
  RewriterBase &rewriter = code.rewriter;
  assert(int64_t(held.size()) ==
             kChunk * llvm::count(invariants[number], Value()) &&
         "elements of each operand that varies");
  SmallVector<SmallVector<Value>> lists(kChunk);
  for (auto [element, arguments] : llvm::enumerate(lists)) {
    unsigned next = element;
    for (Value invariant : invariants[number]) {
      arguments.push_back(invariant ? invariant : held[next]);
      next += invariant ? 0 : kChunk;
    }
  }
  auto type = VectorType::get({kChunk}, rewriter.getI8Type());
  Value chunk;
  if (op.getLhsPrologue().empty())
    chunk = vector::FromElementsOp::create(
        rewriter, code.loc, type,
        llvm::map_to_vector(lists, [](auto &list) { return list.front(); }));
  else
    chunk =
        ScalarRegion(op.getLhsPrologue(), {}).emit(code, lists, true).front();
  if (hasRest() && op.getRhsZeroPoint())
    chunk = mask(chunk, number, slice);
  Value words = vector::BitCastOp::create(
      rewriter, code.loc, VectorType::get({kWords}, rewriter.getI32Type()),
      chunk);
  Values result;
  for (int64_t i = 0; i < kWords; ++i)
    result.push_back(vector::ExtractOp::create(rewriter, code.loc, words, i));
  return result;
}

/// What lies behind a segment does not count in sums of rows.
Value PrologueLoader::mask(Value chunk, int64_t number, Value slice) {
  RewriterBase &rewriter = code.rewriter;
  Point point = rows[number];
  slices.set(point, slice);
  Value first = code.create<arith::AddIOp>(point[k], chunks.byte);
  SmallVector<Value> bytes;
  for (int64_t i = 0; i < kChunk; ++i) {
    Value here = code.create<arith::AddIOp>(first, code.index(i));
    bytes.push_back(arith::SelectOp::create(
        rewriter, code.loc, code.less(here, code.index(segment())),
        vector::ExtractOp::create(rewriter, code.loc, chunk, i),
        arith::ConstantIntOp::create(rewriter, code.loc, 0, 8)));
  }
  return vector::FromElementsOp::create(rewriter, code.loc, chunk.getType(),
                                        bytes);
}

std::unique_ptr<ChunkLoader>
qcc::nvptx::makePrologueLoader(ScalarCode &code, ContractOp op, Chunks chunks,
                               BlockTiles &tiles, SlicesOfK &slices) {
  return std::make_unique<PrologueLoader>(code, std::move(chunks), op, tiles,
                                          slices);
}
