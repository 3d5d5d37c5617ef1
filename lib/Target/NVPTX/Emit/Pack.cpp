//===- Pack.cpp - Packing of right operands at run time -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A column is packed to words of four elements of K. A warp stores 32 of them
// at once, and adds up their elements for the column's sum.
//
// Where elements of the source lie side by side along columns, a block packs 32
// columns: its warps load along columns, and turn tiles of 32 words of each in
// shared memory. Word w of column c lies at place w ^ c of its row, so that
// both directions meet all banks once.
//
// Otherwise a warp packs a column. It loads words where all of them start at
// multiples of 4, and else 4 * 32 elements side by side, of which lane l has
// those with the numbers l, 32 + l, 64 + l and 96 + l; those of a word come
// from four lanes that follow each other.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "ScalarCode.h"
#include "SharedTile.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::PackOp;

/// Elements of a word, and its bytes.
constexpr int64_t kWord = 4;
/// Words of a column that each warp of a block has before it stores them.
constexpr int64_t kWordsAtOnce = 2;
constexpr int64_t kWarps = kBlock / kWarp;

namespace {
class PackEmitter {
public:
  PackEmitter(RewriterBase &rewriter, PackOp op)
      : code(rewriter, op), op(op),
        maps(op.getIndexingMaps().getAsValueRange<AffineMapAttr>()),
        operands{op.getSource()} {
    llvm::append_range(operands, op.getIns());
  }

  /// A warp packs a column.
  void emitWarps();
  /// A block packs 32 columns.
  void emitBlocks();

private:
  using Values = SmallVector<Value>;

  /// The sizes of the loops over batches, and of that over columns.
  SmallVector<OpFoldResult> sizesOfColumns();
  /// Calls `body` for each 32 words of the segments, from the word `first` of
  /// the segment on; it gets sums and returns what they are then.
  Values emitWords(ValueRange sums,
                   function_ref<Values(Value first, Values)> body);
  /// The bits of an element of the column at `point`; 0 behind the segment.
  Value element(Value k);
  /// Whether the elements of each word are one in memory.
  bool hasWords();
  /// The word that a lane stores, of the 32 from `first` on.
  Value loadWord(Value first);
  Value gatherWord(Value first);
  /// A word of a column whose elements are apart in memory.
  Value collectWord(Value number);
  Value addElements(Value word, Value sum);
  /// Stores the word of each lane, if the segment has it.
  void storeWords(Value word, Value first, const Point &column);
  /// Adds up what lanes have, and lets the first one store it.
  void storeSum(Value sum, const Point &column);
  /// Loads a word for each place of the tile of a block.
  void emitTile(SharedMemory &memory, Value warp, Value first);

  Value shuffle(Value value, Value from, NVVM::ShflKind kind) {
    return NVVM::ShflOp::create(code.rewriter, code.loc, value.getType(),
                                code.i32(-1), value, from, code.i32(kWarp - 1),
                                kind, UnitAttr());
  }
  Value permute(Value a, Value b, Value selector) {
    return NVVM::PermuteOp::create(code.rewriter, code.loc, a.getType(), a, b,
                                   selector, NVVM::PermuteMode::DEFAULT);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(code.rewriter, code.loc, condition, a, b);
  }
  Value plus(Value a, Value b) { return code.create<arith::AddIOp>(a, b); }
  Value plus(Value a, int64_t b) { return plus(a, code.index(b)); }
  Value times(Value a, int64_t b) {
    return code.create<arith::MulIOp>(a, code.index(b));
  }
  Value toInt(Value index) {
    return arith::IndexCastOp::create(code.rewriter, code.loc,
                                      code.rewriter.getI32Type(), index);
  }
  int64_t segment() { return op.getReductionSizes().back(); }

  ScalarCode code;
  PackOp op;
  SmallVector<AffineMap> maps;
  Values operands;
  /// The column and the segment that are packed, in the op's loops.
  Point point;
  /// The first word of the segment.
  Value segmentWord;
  Value lane;
};
} // namespace

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> PackEmitter::sizesOfColumns() {
  SmallVector<OpFoldResult> sizes;
  for (unsigned i = 0; i <= op.getNumBatch(); ++i)
    sizes.push_back(
        memref::getMixedSize(code.rewriter, code.loc, op.getPacked(), i));
  return sizes;
}

SmallVector<Value>
PackEmitter::emitWords(ValueRange sums,
                       function_ref<Values(Value, Values)> body) {
  ArrayRef<int64_t> sizes = op.getReductionSizes();
  assert(op.getReductionSize() % segment() == 0 && "K is whole segments");
  SmallVector<OpFoldResult> outer;
  for (int64_t size : sizes.drop_back())
    outer.push_back(code.rewriter.getIndexAttr(size));
  scf::LoopNest nest = scf::buildLoopNest(
      code.rewriter, code.loc, {code.index(0), code.index(0)},
      {code.index(op.getReductionSize() / segment()),
       code.index(op.getSegmentWords())},
      {code.index(1), code.index(kWarp)}, sums,
      [&](OpBuilder &, Location, ValueRange ivs, ValueRange carried) {
        // The builder is the rewriter itself.
        for (auto [i, index] : llvm::enumerate(code.delinearize(ivs[0], outer)))
          point[op.getNumBatch() + 1 + i] = index;
        segmentWord = times(ivs[0], op.getSegmentWords());
        Values next = body(ivs[1], Values(carried));
        return scf::ValueVector(next.begin(), next.end());
      });
  return Values(nest.results);
}

Value PackEmitter::element(Value k) {
  Point at = point;
  at.back() = code.create<arith::MinUIOp>(k, code.index(segment() - 1));
  Value byte = code.loadByte(operands, maps, op.getPrologue(), at);
  return select(code.less(k, code.index(segment())),
                code.extend(byte, /*isUnsigned=*/true), code.i32(0));
}

bool PackEmitter::hasWords() {
  std::optional<int64_t> alignment =
      alignmentAlong(cast<ShapedType>(op.getSource().getType()), maps.front(),
                     maps.front().getNumDims() - 1);
  return op.getPrologue().empty() && segment() % kWord == 0 && alignment &&
         *alignment % kWord == 0;
}

Value PackEmitter::loadWord(Value first) {
  if (!hasWords())
    return gatherWord(first);
  Value k = times(plus(first, lane), kWord);
  Point at = point;
  at.back() = code.create<arith::MinUIOp>(k, code.index(segment() - kWord));
  auto bytes = vector::LoadOp::create(
      code.rewriter, code.loc,
      VectorType::get({kWord}, code.rewriter.getI8Type()), op.getSource(),
      code.indices(maps.front(), at));
  bytes.setAlignment(kWord);
  Value word = vector::BitCastOp::create(
      code.rewriter, code.loc, VectorType::get({1}, code.rewriter.getI32Type()),
      bytes);
  word = vector::ExtractOp::create(code.rewriter, code.loc, word, 0);
  return select(code.less(k, code.index(segment())), word, code.i32(0));
}

Value PackEmitter::gatherWord(Value first) {
  // Element 32 j + l of these is byte j of what lane l has.
  Value own = code.i32(0);
  for (int64_t j = 0; j < kWord; ++j) {
    Value k = plus(plus(times(first, kWord), j * kWarp), lane);
    Value shift = code.i32(8 * j);
    own = code.create<arith::OrIOp>(
        own, code.create<arith::ShLIOp>(element(k), shift));
  }
  // Lane l stores elements 4 l to 4 l + 3, byte l / 8 of lanes 4 (l % 8) + i.
  constexpr int64_t kLanesOfByte = kWarp / kWord;
  Value from = toInt(times(
      code.create<arith::RemUIOp>(lane, code.index(kLanesOfByte)), kWord));
  Value byte =
      toInt(code.create<arith::DivUIOp>(lane, code.index(kLanesOfByte)));
  Values bytes;
  for (int64_t i = 0; i < kWord; ++i)
    bytes.push_back(shuffle(own, plus(from, code.i32(i)), NVVM::ShflKind::idx));
  // Byte `byte` of a, and of b, which a selector counts from 4 on.
  Value both =
      plus(code.create<arith::MulIOp>(byte, code.i32(0x11)), code.i32(0x40));
  return permute(permute(bytes[0], bytes[1], both),
                 permute(bytes[2], bytes[3], both), code.i32(0x5410));
}

Value PackEmitter::collectWord(Value number) {
  Value word = code.i32(0);
  for (int64_t i = 0; i < kWord; ++i)
    word = code.create<arith::OrIOp>(
        word, code.create<arith::ShLIOp>(element(plus(times(number, kWord), i)),
                                         code.i32(8 * i)));
  return word;
}

Value PackEmitter::addElements(Value word, Value sum) {
  RewriterBase &rewriter = code.rewriter;
  auto type = VectorType::get({kWord}, rewriter.getI8Type());
  Value words = vector::BroadcastOp::create(
      rewriter, code.loc, VectorType::get({1}, word.getType()), word);
  Value bytes = vector::BitCastOp::create(rewriter, code.loc, type, words);
  Value ones = arith::ConstantOp::create(
      rewriter, code.loc, DenseElementsAttr::get(type, int8_t(1)));
  auto sign = op.getUnsignedSource() ? NVVM::DotAccumulateType::UNSIGNED
                                     : NVVM::DotAccumulateType::SIGNED;
  return NVVM::DotAccumulate4WayOp::create(
      rewriter, code.loc, rewriter.getI32Type(), bytes, sign, ones, sign, sum);
}

void PackEmitter::storeWords(Value word, Value first, const Point &column) {
  Value number = plus(first, lane);
  Value exists = op.getSegmentWords() % kWarp == 0
                     ? Value()
                     : code.less(number, code.index(op.getSegmentWords()));
  code.emitIf(exists, [&] {
    Values indices = column;
    indices.append({plus(segmentWord, number), code.index(0)});
    memref::StoreOp::create(code.rewriter, code.loc, word, op.getPacked(),
                            indices);
  });
}

void PackEmitter::storeSum(Value sum, const Point &column) {
  for (int64_t distance = kWarp / 2; distance > 0; distance /= 2)
    sum = plus(sum, shuffle(sum, code.i32(distance), NVVM::ShflKind::down));
  Value isFirst = arith::CmpIOp::create(
      code.rewriter, code.loc, arith::CmpIPredicate::eq, lane, code.index(0));
  code.emitIf(isFirst, [&] {
    memref::StoreOp::create(code.rewriter, code.loc, sum, op.getSums(), column);
  });
}

//===----------------------------------------------------------------------===//
// A warp for each column
//===----------------------------------------------------------------------===//

void PackEmitter::emitWarps() {
  SmallVector<OpFoldResult> space = sizesOfColumns();
  space.push_back(code.rewriter.getIndexAttr(kWarp));
  Point column = code.openForall(space);
  lane = column.pop_back_val();
  point = column;
  point.resize(maps.front().getNumDims());
  Values sums = emitWords(code.i32(0), [&](Value first, Values sums) {
    Value word = loadWord(first);
    storeWords(word, first, column);
    return Values{addElements(word, sums.front())};
  });
  storeSum(sums.front(), column);
}

//===----------------------------------------------------------------------===//
// A block for 32 columns
//===----------------------------------------------------------------------===//

/// Where a word of a column of the tile lies.
static Value placeOf(ScalarCode &code, SharedMemory &memory, Value column,
                     Value word) {
  Value place = code.create<arith::XOrIOp>(word, column);
  place = code.create<arith::AddIOp>(
      code.create<arith::MulIOp>(column, code.index(kWarp)), place);
  return memory.at(code.create<arith::MulIOp>(place, code.index(kWord)));
}

void PackEmitter::emitTile(SharedMemory &memory, Value warp, Value first) {
  // All segments have words for whole steps of the loop.
  constexpr int64_t kStep = kWarps * kWordsAtOnce;
  static_assert(kPackedStep / kWord % kStep == 0);
  assert(op.getSegmentWords() % kStep == 0 &&
         "segments are padded to whole steps");
  Value rest =
      code.create<arith::SubIOp>(code.index(op.getSegmentWords()), first);
  Value count = code.create<arith::MinUIOp>(rest, code.index(kWarp));
  auto loop = scf::ForOp::create(code.rewriter, code.loc, code.index(0), count,
                                 code.index(kStep));
  OpBuilder::InsertionGuard guard(code.rewriter);
  code.rewriter.setInsertionPointToStart(loop.getBody());
  Values numbers, words;
  for (int64_t i = 0; i < kWordsAtOnce; ++i) {
    numbers.push_back(plus(plus(loop.getInductionVar(), i * kWarps), warp));
    words.push_back(collectWord(plus(first, numbers.back())));
  }
  for (auto [number, word] : llvm::zip_equal(numbers, words))
    LLVM::StoreOp::create(code.rewriter, code.loc, word,
                          placeOf(code, memory, lane, number), kWord);
}

void PackEmitter::emitBlocks() {
  SmallVector<OpFoldResult> sizes = sizesOfColumns(), space = sizes;
  space.back() = code.tiles(sizes.back(), kWarp);
  Value count = code.toValue(sizes.back());
  auto blocks = BlocksOp::create(code.rewriter, code.loc,
                                 code.toValue(code.product(space)), kBlock,
                                 kWarp * kWarp * kWord);
  Block &body = blocks.getBody().front();
  code.rewriter.setInsertionPointToStart(&body);
  point = code.delinearize(body.getArgument(0), space);
  Value firstColumn = times(point.pop_back_val(), kWarp);
  Point batch = point;
  lane = code.create<arith::RemUIOp>(body.getArgument(1), code.index(kWarp));
  Value warp =
      code.create<arith::DivUIOp>(body.getArgument(1), code.index(kWarp));
  SharedMemory memory(code, body.getArgument(2));
  // A thread loads from the column of its lane.
  point.push_back(code.clamp(plus(firstColumn, lane), count));
  point.resize(maps.front().getNumDims());
  // A warp stores each fourth column.
  Values columns;
  for (int64_t i = 0; i < kWarp / kWarps; ++i)
    columns.push_back(plus(warp, i * kWarps));
  auto ifExists = [&](Value column, function_ref<void(const Point &)> then) {
    Point at = batch;
    at.push_back(plus(firstColumn, column));
    code.emitIf(code.less(at.back(), count), [&] { then(at); });
  };
  Values sums(columns.size(), code.i32(0));
  sums = emitWords(sums, [&](Value first, Values sums) {
    emitTile(memory, warp, first);
    NVVM::BarrierOp::create(code.rewriter, code.loc);
    Value rest =
        code.create<arith::SubIOp>(code.index(op.getSegmentWords()), first);
    Value existing = code.clamp(lane, rest);
    Value isWord = code.less(lane, rest);
    for (auto [column, sum] : llvm::zip_equal(columns, sums)) {
      Value word = LLVM::LoadOp::create(
          code.rewriter, code.loc, code.rewriter.getI32Type(),
          placeOf(code, memory, column, existing), kWord);
      sum = addElements(select(isWord, word, code.i32(0)), sum);
      ifExists(column, [&](const Point &at) { storeWords(word, first, at); });
    }
    NVVM::BarrierOp::create(code.rewriter, code.loc);
    return sums;
  });
  for (auto [column, sum] : llvm::zip_equal(columns, sums))
    ifExists(column, [&, sum = sum](const Point &at) { storeSum(sum, at); });
}

void qcc::nvptx::emitPack(RewriterBase &rewriter, PackOp op) {
  PackEmitter emitter(rewriter, op);
  if (op.getContiguousLoop() == op.getNumBatch())
    emitter.emitBlocks();
  else
    emitter.emitWarps();
  rewriter.eraseOp(op);
}
