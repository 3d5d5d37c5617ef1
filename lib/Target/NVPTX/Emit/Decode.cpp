//===- Decode.cpp - Few rows, with K shared by warps ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With few rows the weights are read for few products, and nothing matters but
// how fast they come. So they go from memory to the registers of the thread
// that multiplies them, 16 bytes at once, each of them once. A block computes
// 16 rows by some columns; its warps take the slices of K in turn, so that
// nobody waits for anybody, and add up their sums in shared memory at the end.
//
// A slice has 64 elements of K. With g = lane / 4 and t = lane % 4, a thread
// has those from 16t on, of rows g and g + 8 and of column g of each 8: four
// words of each. A fragment multiplies 32 elements, and it does not matter
// which ones: so word 0 of all threads is the first half of one fragment, word
// 1 its second half, and words 2 and 3 are those of another.
//
// It does not matter either which column of the tile is column g of a fragment.
// With C columns and F = C / 8 fragments, a thread has the sums of columns 2t
// and 2t + 1 of each fragment; these are columns t C / 4 + 2f and the next one,
// so that the sums of a thread lie side by side, in words of 16 bytes. Column g
// of fragment f therefore is g / 2 C / 4 + 2f + g % 2.
//
// While a kernel of one tile of rows ends, the next one may load its weights
// (ProgrammaticLaunch.h): so those of the first round are loaded in front of
// the loop, and ahead of the left operand.
//
//===----------------------------------------------------------------------===//

#include "ChunkLoader.h"
#include "Emit.h"
#include "FragmentEpilogue.h"
#include "MatrixAtom.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

/// Rows of a fragment that a thread has, these many apart.
constexpr int64_t kRowsApart = 8;
/// Columns side by side whose results a thread stores: 16 bytes of sums.
constexpr int64_t kStored = 4;

namespace {
class DecodeEmitter {
public:
  DecodeEmitter(RewriterBase &rewriter, ContractOp op, ConfigAttr config,
                const Atom &given, bool canStartEarly)
      : code(rewriter, op), op(op), config(config), atom(code, op, given),
        slices(code, op, kPackedStep), tiles(code, op, config),
        lhs(lhsOperand(code, op)), rhs(rhsOperand(code, op)),
        mostRows(std::min(mostRowsOf(op, config).value_or(kFragmentRows),
                          kFragmentRows)),
        startsEarly(canStartEarly && letsNextStartEarly(op, config)) {}

  void emit();

private:
  using Values = SmallVector<Value>;

  /// What a thread has loaded for a slice.
  struct Loaded {
    Value slice;
    SmallVector<Values> rows, columns;
  };

  void makeLoaders();
  /// Loads slices: all columns first if they are loaded `early`.
  void load(MutableArrayRef<Loaded> slices, bool early);
  /// Adds the products of a slice of K to sums. The products of a slice that
  /// does not exist count for nothing. `exists` is null if the slice is known
  /// to exist.
  void multiply(const Loaded &loaded, Value exists, Values &sums);
  /// Adds the products of `count` slices of a warp, the first being `first`; of
  /// the last one only where it exists.
  Values addSlices(Value first, int64_t count, bool isLastSure, bool early,
                   Values sums);
  Values addAllSlices();
  /// Puts the sums of the warp into shared memory.
  void share(ArrayRef<Value> sums);
  /// The sum of all warps at a place of shared memory, of `count` words.
  Values addWarps(Value place, int64_t count, int64_t ofWarp);
  void emitResults();
  /// What a thread stores, in `passes` rows.
  FragmentTile resultTile(int64_t passes);

  int64_t fragments() { return config.getColumns() / kAtomColumns; }
  bool hasHighRows() { return mostRows > kRowsApart; }
  bool needsRowSums() { return static_cast<bool>(op.getRhsZeroPoint()); }
  /// Bytes of sums of a warp, and where sums of rows begin.
  int64_t sumBytes() { return kFragmentRows * config.getRowWords() * kWord; }
  int64_t rowSumsAt() { return config.getWarps() * sumBytes(); }

  ScalarCode code;
  ContractOp op;
  ConfigAttr config;
  MatrixAtom atom;
  SlicesOfK slices;
  BlockTiles tiles;
  StridedOperand lhs, rhs;
  /// Rows of the tile that may exist.
  int64_t mostRows;
  bool startsEarly;
  Value warp, group, member;
  std::unique_ptr<ChunkLoader> rowLoader, columnLoader;
};
} // namespace

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void DecodeEmitter::makeLoaders() {
  Value lane = code.create<arith::RemUIOp>(tiles.thread, code.index(kWarp));
  warp = code.create<arith::DivUIOp>(tiles.thread, code.index(kWarp));
  group = code.create<arith::DivUIOp>(lane, code.index(4));
  member = code.create<arith::RemUIOp>(lane, code.index(4));
  Chunks rows{{group}, code.create<arith::MulIOp>(member, code.index(kChunk))};
  Chunks columns{{}, rows.byte};
  if (hasHighRows())
    rows.rows.push_back(
        code.create<arith::AddIOp>(group, code.index(kRowsApart)));
  Value column = code.create<arith::AddIOp>(
      code.create<arith::MulIOp>(
          code.create<arith::DivUIOp>(group, code.index(2)),
          code.index(config.getColumns() / 4)),
      code.create<arith::RemUIOp>(group, code.index(2)));
  assert(config.getColumns() == fragments() * kAtomColumns &&
         "columns of a tile are whole fragments");
  for (int64_t f = 0; f < fragments(); ++f)
    columns.rows.push_back(
        code.create<arith::AddIOp>(column, code.index(2 * f)));
  rowLoader = makeLhsLoader(code, op, rows, tiles, slices, lhs);
  columnLoader = makeWordLoader(code, columns,
                                rhsRows(code, op, rhs, tiles, slices), kChunk);
}

void DecodeEmitter::load(MutableArrayRef<Loaded> slices, bool early) {
  if (early)
    for (Loaded &slice : slices)
      slice.columns = columnLoader->load(slice.slice);
  for (Loaded &slice : slices) {
    slice.rows = rowLoader->load(slice.slice);
    if (!early)
      slice.columns = columnLoader->load(slice.slice);
  }
}

void DecodeEmitter::multiply(const Loaded &loaded, Value exists, Values &sums) {
  Value zero = code.i32(0);
  SmallVector<Values> rows, columns;
  for (auto [i, held] : llvm::enumerate(loaded.rows))
    rows.push_back(rowLoader->toWords(i, held, loaded.slice));
  if (!hasHighRows())
    rows.push_back(Values(kWords, zero));
  for (auto [i, held] : llvm::enumerate(loaded.columns))
    columns.push_back(columnLoader->toWords(i, held, loaded.slice));
  if (needsRowSums())
    columns.push_back(Values(kWords, code.i32(0x01010101)));
  assert(rows.size() == 2 && sums.size() == columns.size() * kSums &&
         "two rows for each thread, and sums for each fragment");
  if (exists)
    for (Values &words : columns)
      for (Value &word : words)
        word = arith::SelectOp::create(code.rewriter, code.loc, exists, word,
                                       zero);
  for (int64_t first = 0; first < kWords; first += 2)
    for (auto [j, words] : llvm::enumerate(columns))
      atom.multiply(Values{rows[0][first], rows[1][first], rows[0][first + 1],
                           rows[1][first + 1]},
                    ArrayRef(words).slice(first, kRhsWords),
                    MutableArrayRef(sums).slice(j * kSums, kSums),
                    hasHighRows());
}

SmallVector<Value> DecodeEmitter::addSlices(Value first, int64_t count,
                                            bool isLastSure, bool early,
                                            Values sums) {
  SmallVector<Loaded> loaded;
  Value exists;
  for (int64_t i = 0; i < count; ++i) {
    Value slice =
        code.create<arith::AddIOp>(first, code.index(i * config.getWarps()));
    if (i + 1 == count && !isLastSure) {
      Value all = code.index(slices.count());
      exists = code.less(slice, all);
      slice = code.clamp(slice, all);
    }
    loaded.push_back({slice, {}, {}});
  }
  load(loaded, early);
  for (auto [i, slice] : llvm::enumerate(loaded))
    multiply(slice, int64_t(i) + 1 == count ? exists : Value(), sums);
  return sums;
}

SmallVector<Value> DecodeEmitter::addAllSlices() {
  int64_t ofRound = config.getWarps() * config.getStages();
  int64_t rounds = slices.count() / ofRound;
  int64_t rest = slices.count() % ofRound;
  Values sums((fragments() + needsRowSums()) * kSums, code.i32(0));
  bool isFirstEarly = startsEarly && rounds > 0;
  if (isFirstEarly)
    sums = addSlices(warp, config.getStages(), /*isLastSure=*/true,
                     /*early=*/true, std::move(sums));
  if (rounds > int64_t(isFirstEarly)) {
    RewriterBase &rewriter = code.rewriter;
    auto loop = scf::ForOp::create(rewriter, code.loc, code.index(isFirstEarly),
                                   code.index(rounds), code.index(1), sums);
    keepLoop(loop);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value first = code.create<arith::AddIOp>(
        code.create<arith::MulIOp>(loop.getInductionVar(), code.index(ofRound)),
        warp);
    scf::YieldOp::create(rewriter, code.loc,
                         addSlices(first, config.getStages(),
                                   /*isLastSure=*/true, /*early=*/false,
                                   Values(loop.getRegionIterArgs())));
    sums = Values(loop.getResults());
  }
  if (rest > 0)
    sums = addSlices(
        code.create<arith::AddIOp>(warp, code.index(rounds * ofRound)),
        llvm::divideCeil(rest, config.getWarps()),
        rest % config.getWarps() == 0,
        /*early=*/startsEarly && rounds == 0, sums);
  return sums;
}

//===----------------------------------------------------------------------===//
// Sums of all warps
//===----------------------------------------------------------------------===//

void DecodeEmitter::share(ArrayRef<Value> sums) {
  RewriterBase &rewriter = code.rewriter;
  SharedMemory &memory = *tiles.memory;
  int64_t ownColumns = config.getColumns() / 4;
  int64_t words = std::min<int64_t>(ownColumns, kWords);
  assert(int64_t(sums.size()) == (fragments() + needsRowSums()) * kSums &&
         ownColumns % words == 0 && "sums are stored in whole accesses");
  auto type = VectorType::get({words}, rewriter.getI32Type());
  Value start = code.create<arith::MulIOp>(warp, code.index(sumBytes()));
  start = code.create<arith::AddIOp>(
      start, code.create<arith::MulIOp>(
                 group, code.index(config.getRowWords() * kWord)));
  start = code.create<arith::AddIOp>(
      start,
      code.create<arith::MulIOp>(member, code.index(ownColumns * kWord)));
  for (int64_t high = 0; high <= int64_t(hasHighRows()); ++high)
    for (int64_t first = 0; first < ownColumns; first += words) {
      Values parts;
      for (int64_t i = first; i < first + words; ++i)
        parts.push_back(sums[i / 2 * kSums + high * 2 + i % 2]);
      int64_t more = (high * kRowsApart * config.getRowWords() + first) * kWord;
      LLVM::StoreOp::create(
          rewriter, code.loc,
          vector::FromElementsOp::create(rewriter, code.loc, type, parts),
          memory.at(start, more), words * kWord);
    }
  if (!needsRowSums())
    return;
  // All threads of a group have them.
  Value isFirst = code.less(member, code.index(1));
  Value place = code.create<arith::AddIOp>(
      code.create<arith::MulIOp>(warp, code.index(kFragmentRows)), group);
  place = code.create<arith::MulIOp>(place, code.index(kWord));
  code.emitIf(isFirst, [&] {
    for (int64_t high = 0; high <= int64_t(hasHighRows()); ++high)
      LLVM::StoreOp::create(
          rewriter, code.loc, sums[fragments() * kSums + high * 2],
          memory.at(place, rowSumsAt() + high * kRowsApart * kWord), kWord);
  });
}

SmallVector<Value> DecodeEmitter::addWarps(Value place, int64_t count,
                                           int64_t ofWarp) {
  RewriterBase &rewriter = code.rewriter;
  auto type = VectorType::get({count}, rewriter.getI32Type());
  Value total;
  for (int64_t i = 0; i < config.getWarps(); ++i) {
    Value words = LLVM::LoadOp::create(rewriter, code.loc, type,
                                       tiles.memory->at(place, i * ofWarp),
                                       count * kWord);
    total = total ? code.create<arith::AddIOp>(total, words) : words;
  }
  Values sums;
  for (int64_t i = 0; i < count; ++i)
    sums.push_back(vector::ExtractOp::create(rewriter, code.loc, total, i));
  return sums;
}

FragmentTile DecodeEmitter::resultTile(int64_t passes) {
  int64_t perRow = config.getColumns() / kStored;
  assert(perRow > 0 && config.getThreads() % perRow == 0 &&
         "threads of a block store whole rows");
  Value across = code.index(perRow);
  Value firstRow = code.create<arith::DivUIOp>(tiles.thread, across);
  Value column = code.create<arith::MulIOp>(
      code.create<arith::RemUIOp>(tiles.thread, across), code.index(kStored));
  FragmentTile tile;
  tile.columns.push_back(tiles.column(column));
  tile.run = kStored;
  tile.columnCount = tiles.columnCount;
  tile.hasAllColumns = tiles.hasAllColumns();
  for (int64_t pass = 0; pass < passes; ++pass) {
    Value row = code.create<arith::AddIOp>(
        firstRow, code.index(pass * config.getThreads() / perRow));
    tile.rows.push_back(tiles.rowPoint(row));
    tile.exists.push_back(tiles.hasRow(row));
    Value place = code.create<arith::AddIOp>(
        code.create<arith::MulIOp>(row, code.index(config.getRowWords())),
        column);
    tile.sums.push_back(
        addWarps(code.create<arith::MulIOp>(place, code.index(kWord)), kStored,
                 sumBytes()));
    if (needsRowSums())
      tile.rowSums.push_back(
          addWarps(code.create<arith::AddIOp>(
                       code.create<arith::MulIOp>(row, code.index(kWord)),
                       code.index(rowSumsAt())),
                   1, kFragmentRows * kWord)
              .front());
  }
  return tile;
}

void DecodeEmitter::emitResults() {
  // Both are powers of two.
  int64_t results =
      llvm::PowerOf2Ceil(mostRows) * config.getColumns() / kStored;
  int64_t threads = config.getThreads();
  assert((results < threads || results % threads == 0) &&
         "threads store equally many results");
  Value hasWork;
  if (results < threads)
    hasWork = code.less(tiles.thread, code.index(results));
  code.emitIf(hasWork, [&] {
    emitFragmentEpilogue(code, op,
                         resultTile(std::max<int64_t>(1, results / threads)));
  });
}

void DecodeEmitter::emit() {
  if (startsEarly)
    NVVM::GriddepcontrolOp::create(code.rewriter, code.loc,
                                   NVVM::GridDepActionKind::launch_dependents);
  makeLoaders();
  share(addAllSlices());
  NVVM::BarrierOp::create(code.rewriter, code.loc);
  emitResults();
  code.rewriter.eraseOp(op);
}

void qcc::nvptx::emitDecode(RewriterBase &rewriter, ContractOp op,
                            ConfigAttr config, const Atom &atom,
                            bool startsEarly) {
  DecodeEmitter(rewriter, op, config, atom, startsEarly).emit();
}
