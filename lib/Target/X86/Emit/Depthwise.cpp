//===- Depthwise.cpp - Columns with left operands of their own ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes are columns, such as the channels of a depthwise convolution. A word of
// the left operand differs from lane to lane: it is put together from KR
// vectors of columns, which lie apart along the last dimension of K
// (interleaveRows). Here is a column of an image under a kernel of 3 x 3, KR
// being 4; letters are channels:
//
//   oh      a0 b0 c0 d0 ..
//   oh + 1  a1 b1 c1 d1 ..     ->   a0 a1 a2 - b0 b1 b2 - c0 c1 c2 - ..
//   oh + 2  a2 b2 c2 d2 ..
//
// The last element of these words is anything, since that of the right operand
// is 0. Rows of the contraction move along another dimension of the image than
// the words do, so that the words of a column of the image are those of all
// windows that have the column: windows of a tile share them. Of a kernel of 3
// x 3 the words of MR + 2 columns are put together for MR rows.
//
// Where columns have a left operand group by group, words lie in memory as they
// are; each is brought to the lanes of its group. With two columns in a group:
//
//   a0 a1 a2 a3 b0 b1 b2 b3 ..  ->   a0 a1 a2 a3 a0 a1 a2 a3 b0 b1 b2 b3 ..
//
//===----------------------------------------------------------------------===//

#include "../Atoms/Dot.h"
#include "../Layout/GroupedColumns.h"
#include "../Layout/SharedWindows.h"
#include "Elements.h"
#include "Epilogue.h"
#include "InitialAccumulators.h"
#include "LhsPadding.h"
#include "OperandAlongK.h"
#include "PackWords.h"
#include "Strategies.h"
#include "ZeroBorders.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <functional>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

/// So many words of the columns of a tile are spelled out; of more there is a
/// loop.
constexpr int64_t kMaxUnrolledWords = 32;

namespace {
class Depthwise {
public:
  Depthwise(KernelBuilder &builder, Contraction &contraction)
      : builder(builder), contraction(contraction),
        windows(SharedWindows::of(contraction.op)),
        groups(GroupedColumns::of(contraction.op, builder.lanes)),
        elements(Elements::ofLhs(contraction.op)),
        padding(builder, contraction), borders(contraction),
        epilogue(builder, contraction),
        endsAreSpelled(!padding ||
                       areSpelledOut(contraction, isAtEndOfLine())) {}

  /// Emits what is done once for all parts.
  void prepare() {
    if (padding)
      padding.prepare();
  }
  void emit(const GridPart &part);

private:
  /// Whether `count` rows from row `row` on read padding beside a line.
  std::function<bool(int64_t, int64_t)> isAtEndOfLine() {
    return [this](int64_t row, int64_t count) {
      return padding && padding.isReadBy(row, count);
    };
  }
  /// A word of a segment of the right operand, whose `count` first elements
  /// exist, in the columns of vector j.
  using RightWord = llvm::function_ref<Value(Value segment, Value word,
                                             int64_t count, int64_t j)>;

  void emitColumn(const GridPart &part, Value column, bool masked);
  void emitTile(const Tile &tile, SmallVector<Value> accumulators);
  /// What the accumulators of a tile start from, and whether it is not the same
  /// for all rows.
  bool startsDifferInRows();
  SmallVector<Value> initialOf(const Tile &tile);
  /// The sums over K of the left operand times `right`, plus `accumulators`.
  SmallVector<Value> reduce(const Tile &tile, ValueRange accumulators,
                            RightWord right);
  /// Adds the products of one word of each segment that the windows of the tile
  /// have; `loops` has the reduction dimensions that no words lie along.
  SmallVector<Value> addWord(const Tile &tile, ArrayRef<Value> loops,
                             Value word, int64_t count, ValueRange accumulators,
                             RightWord right);
  /// The words of the columns of a tile from element `first` of a segment on;
  /// `loops` has all other loops of a row.
  SmallVector<Value> readWords(const Tile &tile, SmallVector<Value> loops,
                               Value first, int64_t count);
  /// Word `word` of the groups of the columns of a tile.
  SmallVector<Value> readGroups(const Tile &tile, SmallVector<Value> loops,
                                Value word);
  /// The linearized index of the reduction dimensions but the last.
  Value segmentAt(ArrayRef<Value> loops);

  KernelBuilder &builder;
  Contraction &contraction;
  SharedWindows windows;
  std::optional<GroupedColumns> groups;
  Elements elements;
  LhsPadding padding;
  ZeroBorders borders;
  Epilogue epilogue;
  /// Whether a tile whose first row is no constant reads no padding beside a
  /// line.
  bool endsAreSpelled;
};
} // namespace

SmallVector<Value> Depthwise::readWords(const Tile &tile,
                                        SmallVector<Value> loops, Value first,
                                        int64_t count) {
  kernel::ContractOp op = contraction.op;
  int64_t lanes = builder.lanes, kr = contraction.kr;
  assert(count > 0 && count <= kr && "a word has elements");
  Value column = builder.mul(tile.column, contraction.nr);
  bool isInLine = endsAreSpelled && !getConstantIntValue(tile.row);
  SmallVector<Value> words;
  // As many vectors at a time as elements fill registers.
  for (int64_t j = 0; j < tile.vectors; j += kr) {
    int64_t vectors = llvm::bit_ceil(uint64_t(std::min(kr, tile.vectors - j)));
    int64_t size = vectors * lanes,
            existing = std::min(size, (tile.vectors - j) * lanes);
    if (tile.masked)
      existing = tile.columns ? std::min(size, *tile.columns - j * lanes) : 0;
    loops[contraction.roles.n] = builder.add(column, j * lanes);
    SmallVector<Value> rows;
    for (int64_t i = 0; i < kr; ++i) {
      // What does not exist is multiplied by 0, whatever it is.
      if (i >= count) {
        rows.push_back(rows.front());
        continue;
      }
      loops[op.getReductionDims().back()] = builder.add(first, i);
      VectorPosition position{loops, contraction.roles.n, unsigned(size), true};
      Value bytes = padding
                        ? padding.readBytes(position, size, existing, isInLine)
                        : elements.readBytes(builder, position, size, existing);
      rows.push_back(toStored(builder, contraction, bytes, op.getLhsUnsigned(),
                              contraction.layout.lhsShift));
    }
    llvm::append_range(words, interleaveRows(builder, rows));
  }
  return words;
}

SmallVector<Value> Depthwise::readGroups(const Tile &tile,
                                         SmallVector<Value> loops, Value word) {
  kernel::ContractOp op = contraction.op;
  unsigned segment = op.getReductionDims().back();
  int64_t kr = contraction.kr, lanes = builder.lanes;
  Value column = builder.mul(tile.column, contraction.nr);
  auto cast = [&](VectorType type, Value vector) {
    return vector::BitCastOp::create(builder.rewriter, builder.loc, type,
                                     vector);
  };
  SmallVector<Value> words;
  for (int64_t j = 0; j < tile.vectors; ++j) {
    // Of several groups all words are read, which is once for all of them; of
    // one group the word alone, which a load brings to all lanes.
    int64_t group = groups->firstGroup(j), count = groups->countGroups(j);
    bool isOne = count == 1;
    int64_t size = isOne ? kr : count * groups->elements, existing = size;
    if (tile.masked)
      existing =
          tile.columns
              ? (llvm::divideCeil(*tile.columns, groups->columns) - group) *
                    groups->elements
              : 0;
    loops[contraction.roles.n] = builder.add(column, group * groups->columns);
    loops[segment] = isOne ? builder.mul(word, kr) : builder.index(0);
    VectorPosition position{loops, segment, unsigned(size), true};
    Value bytes =
        elements.readBytes(builder, position, size, std::min(size, existing));
    SmallVector<int64_t> order(lanes, 0);
    for (int64_t lane = 0; !isOne && lane < lanes; ++lane)
      order[lane] = ((j * lanes + lane) / groups->columns - group) *
                        groups->elements / kr +
                    *getConstantIntValue(word);
    assert(llvm::all_of(
               order,
               [&](int64_t from) { return from >= 0 && from < size / kr; }) &&
           "each lane has a word that was read");
    Value inMemory = cast(builder.vectorType(size / kr, 8 * kr), bytes);
    Value ofLanes = vector::ShuffleOp::create(builder.rewriter, builder.loc,
                                              inMemory, inMemory, order);
    Value stored = toStored(builder, contraction,
                            cast(builder.vectorType(lanes * kr, 8), ofLanes),
                            op.getLhsUnsigned(), contraction.layout.lhsShift);
    words.push_back(cast(builder.accumulatorType(), stored));
  }
  return words;
}

Value Depthwise::segmentAt(ArrayRef<Value> loops) {
  kernel::ContractOp op = contraction.op;
  Value segment = builder.index(0);
  for (auto [dim, size] : llvm::zip_equal(op.getReductionDims().drop_back(),
                                          op.getReductionSizes().drop_back()))
    segment = builder.add(builder.mul(segment, size), loops[dim]);
  return segment;
}

SmallVector<Value> Depthwise::addWord(const Tile &tile, ArrayRef<Value> loops,
                                      Value word, int64_t count,
                                      ValueRange accumulators,
                                      RightWord right) {
  SmallVector<Value> next(accumulators);
  for (const SharedWindows::Column &column : windows.columnsOf(tile.rows)) {
    SmallVector<Value> words;
    for (auto [i, tap] : column.uses) {
      SmallVector<Value> at(loops);
      if (contraction.roles.m)
        at[*contraction.roles.m] = builder.add(tile.row, i);
      if (windows.tap)
        at[*windows.tap] = builder.index(tap);
      if (words.empty())
        words = groups ? readGroups(tile, at, word)
                       : readWords(tile, at, builder.mul(word, contraction.kr),
                                   count);
      Value segment = segmentAt(at);
      for (int64_t j = 0; j < tile.vectors; ++j) {
        Value &sum = next[i * tile.vectors + j];
        sum =
            multiplyAccumulate(builder.rewriter, builder.loc, contraction.atom,
                               sum, words[j], right(segment, word, count, j));
      }
    }
  }
  return next;
}

SmallVector<Value> Depthwise::reduce(const Tile &tile, ValueRange accumulators,
                                     RightWord right) {
  int64_t kr = contraction.kr, whole = contraction.segmentSize / kr,
          rest = contraction.segmentSize % kr;
  assert(int64_t(accumulators.size()) == tile.rows * tile.vectors &&
         "an accumulator for each vector of each row");
  bool isUnrolled =
      (groups && groups->areShared(tile.vectors)) ||
      contraction.segmentWords * windows.countColumns(tile.rows) <=
          kMaxUnrolledWords;
  SmallVector<int64_t> sizes;
  for (unsigned dim : windows.others)
    sizes.push_back(contraction.op.getStaticLoopSizes()[dim]);
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  Value first = builder.index(0), last = builder.index(count);
  // Words of groups are of one line of the image: of those in a border of zeros
  // nothing is multiplied.
  if (groups && !sizes.empty()) {
    std::tie(first, last) =
        borders.iterationsOf(builder, tile, windows.others.front());
    first = builder.mul(first, count / sizes.front());
    last = builder.mul(last, count / sizes.front());
  }
  return builder.carry(
      first, last, accumulators, [&](Value index, ValueRange sums) {
        SmallVector<Value> loops(tile.loops);
        for (auto [dim, value] :
             llvm::zip_equal(windows.others, builder.delinearize(index, sizes)))
          loops[dim] = value;
        SmallVector<Value> current(sums);
        auto add = [&](Value word, int64_t count, ValueRange sums) {
          return addWord(tile, loops, word, count, sums, right);
        };
        if (isUnrolled)
          for (int64_t word = 0; word < whole; ++word)
            current = add(builder.index(word), kr, current);
        else
          current = builder.carry(
              0, whole, current,
              [&](Value word, ValueRange sums) { return add(word, kr, sums); });
        return rest == 0 ? current : add(builder.index(whole), rest, current);
      });
}

bool Depthwise::startsDifferInRows() {
  kernel::ContractOp op = contraction.op;
  auto isOnRow = [&](Value operand, auto map) {
    return operand && contraction.roles.m &&
           map().isFunctionOfDim(*contraction.roles.m);
  };
  return contraction.needsRowSums() ||
         isOnRow(op.getInit(), [&] { return op.getInitMap(); }) ||
         isOnRow(op.getLhsZeroPoint(), [&] { return op.getLhsZeroPointMap(); });
}

SmallVector<Value> Depthwise::initialOf(const Tile &tile) {
  SmallVector<Value> zeros(tile.rows * tile.vectors, builder.splat(0)), sums;
  if (contraction.needsRowSums())
    sums = reduce(tile, zeros, [&](Value, Value, int64_t count, int64_t) {
      int64_t ones = 0;
      for (int64_t i = 0; i < count; ++i)
        ones |= int64_t(1) << (32 / contraction.kr * i);
      return builder.splat(ones);
    });
  InitialAccumulators initial(
      builder, contraction, tile,
      {true, true,
       [&](int64_t i, int64_t j) { return sums[i * tile.vectors + j]; }},
      columnSums(builder, contraction, tile));
  SmallVector<Value> accumulators(zeros);
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.vectors; ++j)
      if (Value value = initial.emit(i, j))
        accumulators[i * tile.vectors + j] = value;
  return accumulators;
}

void Depthwise::emitTile(const Tile &tile, SmallVector<Value> accumulators) {
  accumulators = reduce(
      tile, accumulators, [&](Value segment, Value word, int64_t, int64_t j) {
        SmallVector<Value> at(tile.batch);
        at.append(
            {tile.column,
             builder.add(builder.mul(segment, contraction.segmentWords), word),
             builder.index(j * builder.lanes)});
        return vector::LoadOp::create(builder.rewriter, builder.loc,
                                      builder.accumulatorType(),
                                      contraction.op.getRhs(), at)
            .getResult();
      });
  epilogue.emit(tile, accumulators);
}

void Depthwise::emitColumn(const GridPart &part, Value column, bool masked) {
  // What is the same for all rows is computed once.
  bool rowsDiffer = startsDifferInRows();
  SmallVector<Value> ofRow;
  if (!rowsDiffer)
    ofRow = initialOf(part.tile(contraction, part.firstRow, 1, column, masked));
  forEachRowTile(builder, contraction, part.firstRow, part.lastRow,
                 isAtEndOfLine(), [&](Value row, int64_t count) {
                   Tile tile =
                       part.tile(contraction, row, count, column, masked);
                   SmallVector<Value> initial;
                   if (rowsDiffer)
                     initial = initialOf(tile);
                   else
                     for (int64_t i = 0; i < count; ++i)
                       llvm::append_range(initial, ofRow);
                   emitTile(tile, initial);
                 });
}

void Depthwise::emit(const GridPart &part) {
  builder.forEach(part.firstColumn, part.lastColumn, 1,
                  [&](Value column) { emitColumn(part, column, false); });
  if (part.hasPartial)
    builder.ifTrue(part.hasPartial,
                   [&] { emitColumn(part, part.lastColumn, true); });
}

void qcc::x86::emitDepthwise(KernelBuilder &builder, Contraction &contraction) {
  Depthwise blocks(builder, contraction);
  emitGrid(
      builder, contraction, [&](const GridPart &part) { blocks.emit(part); },
      [&] { blocks.prepare(); });
}
