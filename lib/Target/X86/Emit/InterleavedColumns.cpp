//===- InterleavedColumns.cpp - Columns of a right operand in place -------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For few rows times an activation [K, N], which is used too seldom to be
// packed. Lanes are columns; the words of KR elements of K are put together in
// registers from KR rows of the right operand, here of four columns a .. d:
//
//   a0 b0 c0 d0, a1 b1 c1 d1       ->  a0 a1 b0 b1 c0 c1 d0 d1
//   a2 b2 c2 d2, a3 b3 c3 d3       ->  a2 a3 b2 b3 c2 c3 d2 d3
//                                  ->  a0 a1 a2 a3 b0 b1 b2 b3 ...
//
// Instructions do so within 128 bits, so that the vectors of words have groups
// of four columns in another order. It is put right once, in the accumulators.
//
//===----------------------------------------------------------------------===//

#include "../Atoms/Dot.h"
#include "CollectedBlocks.h"
#include "Strategies.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

namespace {
class InterleavedColumns : public CollectedBlocks {
public:
  InterleavedColumns(KernelBuilder &builder, Contraction &contraction)
      : CollectedBlocks(builder, contraction) {}

private:
  /// Emits the word of a row of the left operand in all lanes.
  using Word = std::function<Value(Value word)>;

  void emitProducts(const GridPart &part) override;
  void emitSums(const GridPart &part, Side &side) override;

  /// Elements of K from `k` on of row `row` of the left operand, in all lanes.
  Word wordsOfRow(Value row);
  /// The words of a tile of columns from `first` on, KR vectors in the order of
  /// the registers; `count` elements of each exist.
  SmallVector<Value> readWords(const GridPart &part, Value first, Value word,
                               int64_t count);
  /// The accumulators of each of `left` with a tile of columns, in order.
  SmallVector<Value> multiply(const GridPart &part, ArrayRef<Word> left,
                              Value first);
  /// The vectors of a row's accumulators, in the order of columns.
  SmallVector<Value> inOrder(ValueRange accumulators);
  void store(ValueRange vectors, Value memref, SmallVector<Value> at);
};
} // namespace

/// A shuffle in groups of `size` elements: `order` counts them through both.
static Value shuffleGroups(KernelBuilder &builder, Value a, Value b,
                           ArrayRef<int64_t> order, int64_t size) {
  SmallVector<int64_t> elements;
  for (int64_t group : order)
    for (int64_t i = 0; i < size; ++i)
      elements.push_back(group * size + i);
  return vector::ShuffleOp::create(builder.rewriter, builder.loc, a, b,
                                   elements);
}

/// The low or the high elements of each 128 bits of a and b in turn, `size`
/// elements at a time.
static Value interleave(KernelBuilder &builder, Value a, Value b, int64_t size,
                        bool high) {
  auto type = cast<VectorType>(a.getType());
  int64_t count = type.getNumElements() / size;
  int64_t inGroup = 128 / (type.getElementTypeBitWidth() * size);
  SmallVector<int64_t> order;
  for (int64_t group = 0; group < count; group += inGroup)
    for (int64_t i = 0; i < inGroup / 2; ++i) {
      int64_t from = group + i + (high ? inGroup / 2 : 0);
      order.append({from, count + from});
    }
  return shuffleGroups(builder, a, b, order, size);
}

InterleavedColumns::Word InterleavedColumns::wordsOfRow(Value row) {
  return [this, row](Value word) -> Value {
    Tile tile;
    tile.row = row;
    TileSource source =
        panel->tileSource(tile, 0, builder.mul(word, contraction.kr));
    Value elements = vector::LoadOp::create(
        builder.rewriter, builder.loc,
        builder.vectorType(contraction.kr, 32 / contraction.kr), source.memref,
        source.indices);
    Value vector = vector::BitCastOp::create(
        builder.rewriter, builder.loc, builder.vectorType(1, 32), elements);
    Value scalar = vector::ExtractOp::create(builder.rewriter, builder.loc,
                                             vector, ArrayRef<int64_t>{0});
    return vector::BroadcastOp::create(builder.rewriter, builder.loc,
                                       builder.accumulatorType(), scalar);
  };
}

SmallVector<Value> InterleavedColumns::readWords(const GridPart &part,
                                                 Value first, Value word,
                                                 int64_t count) {
  kernel::ContractOp op = contraction.op;
  int64_t kr = contraction.kr;
  VectorType type = builder.vectorType(columns.tile, 32 / kr);
  VectorPosition position{part.loops, contraction.roles.n,
                          unsigned(columns.tile), columns.canMoveBack};
  position.index[contraction.roles.n] = first;
  SmallVector<Value> vectors;
  for (int64_t r = 0; r < kr; ++r) {
    if (r >= count) {
      vectors.push_back(builder.splat(type, 0));
      continue;
    }
    position.index[op.getReductionDims().front()] =
        builder.add(builder.mul(word, kr), r);
    Value bytes = readVector(builder.rewriter, builder.loc, op.getRhs(),
                             op.getRhsMap(), position);
    vectors.push_back(toStored(builder, contraction, bytes, op.getRhsUnsigned(),
                               contraction.layout.rhsShift));
  }
  // Pairs of rows, then pairs of pairs.
  for (int64_t size = 1; size < kr; size *= 2) {
    SmallVector<Value> next;
    for (size_t i = 0; i < vectors.size(); i += 2 * size)
      for (int64_t j = 0; j < size; ++j)
        for (bool high : {false, true})
          next.push_back(interleave(builder, vectors[i + j],
                                    vectors[i + size + j], size, high));
    vectors = next;
  }
  return vectors;
}

SmallVector<Value> InterleavedColumns::inOrder(ValueRange accumulators) {
  // Group g of vector v has columns 4 (g V + v) to + 3.
  int64_t count = accumulators.size(), groups = builder.lanes / 4;
  auto join = [&](int64_t a, int64_t b) {
    return std::pair<Value, Value>{accumulators[a % count],
                                   accumulators[b % count]};
  };
  SmallVector<Value> vectors;
  for (int64_t j = 0; j < count; ++j) {
    // The groups that vector j consists of, two and two.
    SmallVector<Value> halves;
    for (int64_t h = 0; h < groups; h += 2) {
      int64_t q = j * groups + h;
      auto [a, b] = join(q, q + 1);
      SmallVector<int64_t> order{q / count, groups + (q + 1) / count};
      order.resize(groups, 0);
      halves.push_back(shuffleGroups(builder, a, b, order, 4));
    }
    vectors.push_back(groups == 2 ? halves[0]
                                  : shuffleGroups(builder, halves[0], halves[1],
                                                  {0, 1, 4, 5}, 4));
  }
  return vectors;
}

SmallVector<Value> InterleavedColumns::multiply(const GridPart &part,
                                                ArrayRef<Word> left,
                                                Value first) {
  int64_t kr = contraction.kr;
  bool isLeftUnsigned = contraction.op.getLhsUnsigned();
  auto addWord = [&](Value word, ValueRange accumulators, int64_t count) {
    SmallVector<Value> right = readWords(part, first, word, count), next;
    for (const Word &read : left) {
      Value a = read(word);
      for (Value b : right)
        next.push_back(
            multiplyAccumulate(builder.rewriter, builder.loc, contraction.atom,
                               accumulators[next.size()],
                               isLeftUnsigned ? a : b, isLeftUnsigned ? b : a));
    }
    return next;
  };
  SmallVector<Value> accumulators(left.size() * kr, builder.splat(0));
  int64_t whole = contraction.k / kr;
  accumulators = builder.carry(0, whole, accumulators,
                               [&](Value word, ValueRange current) {
                                 return addWord(word, current, kr);
                               });
  if (int64_t rest = contraction.k % kr)
    accumulators = addWord(builder.index(whole), accumulators, rest);
  SmallVector<Value> vectors;
  for (size_t i = 0; i < accumulators.size(); i += kr)
    llvm::append_range(vectors, inOrder(ValueRange(accumulators).slice(i, kr)));
  return vectors;
}

void InterleavedColumns::store(ValueRange vectors, Value memref,
                               SmallVector<Value> at) {
  Value first = at.back();
  for (auto [j, vector] : llvm::enumerate(vectors)) {
    at.back() = builder.add(first, j * builder.lanes);
    vector::StoreOp::create(builder.rewriter, builder.loc, vector, memref, at);
  }
}

void InterleavedColumns::emitSums(const GridPart &part, Side &side) {
  if (&side == &rows)
    return builder.forEach(builder.index(0), countOf(rows), 1, [&](Value i) {
      Value sum = panel->rowSum(builder.add(rows.first, i));
      memref::StoreOp::create(builder.rewriter, builder.loc, sum, rows.sums,
                              builder.add(i, rows.margin));
    });
  int64_t ones = 0;
  for (int64_t i = 0; i < contraction.kr; ++i)
    ones |= int64_t(1) << (32 / contraction.kr * i);
  Word word = [&](Value) { return builder.splat(ones); };
  forEachTile(side, [&](Value first, Value place) {
    store(multiply(part, word, first), side.sums, {place});
  });
}

void InterleavedColumns::emitProducts(const GridPart &part) {
  forEachTile(rows, [&](Value firstRow, Value row) {
    SmallVector<Word> words;
    for (int64_t i = 0; i < rows.tile; ++i)
      words.push_back(wordsOfRow(builder.min(
          builder.add(firstRow, i), builder.sub(rows.size, builder.index(1)))));
    forEachTile(columns, [&](Value firstColumn, Value place) {
      SmallVector<Value> vectors = multiply(part, words, firstColumn);
      int64_t count = contraction.kr;
      for (int64_t i = 0; i < rows.tile; ++i)
        store(ValueRange(vectors).slice(i * count, count), results,
              {builder.add(row, i), place});
    });
  });
}

void qcc::x86::emitInterleavedColumns(KernelBuilder &builder,
                                      Contraction &contraction) {
  InterleavedColumns blocks(builder, contraction);
  emitCollectedGrid(builder, contraction, blocks);
}
