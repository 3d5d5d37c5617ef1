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
// With groups of K a warp has the slices of a round one behind the other. It
// leaves the sums of each group in slots of shared memory, and the threads that
// have results go through the slots in the order of the groups. Where a slice
// has several groups, the elements of a thread belong to one of them: products
// for a group take the elements of other threads as 0.
//
// While a kernel of one tile of rows ends, the next one may load its weights
// (ProgrammaticLaunch.h): so those of the first round are loaded in front of
// the loop, and ahead of the left operand.
//
//===----------------------------------------------------------------------===//

#include "ChunkLoader.h"
#include "DecodeSums.h"
#include "Emit.h"
#include "GroupChain.h"
#include "MatrixAtom.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

/// Rows of a fragment that a thread has, these many apart.
constexpr int64_t kRowsApart = 8;
/// Loads of sums of groups that a thread makes ahead of the chain over them.
constexpr int64_t kLoadsOfChain = 8;

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
  /// The words of a slice: of two rows, and of the columns of each fragment,
  /// with the ones that make sums of rows.
  std::pair<SmallVector<Values>, SmallVector<Values>>
  toWords(const Loaded &loaded);
  /// Adds the products of words to sums.
  void multiply(ArrayRef<Values> rows, ArrayRef<Values> columns, Values &sums);
  /// Adds the products of a slice of K to sums. The products of a slice that
  /// does not exist count for nothing. `exists` is null if the slice is known
  /// to exist.
  void multiply(const Loaded &loaded, Value exists, Values &sums);
  /// Adds the products of `count` slices of a warp, the first being `first`; of
  /// the last one only where it exists.
  Values addSlices(Value first, int64_t count, bool isLastSure, bool early,
                   Values sums);
  Values addAllSlices();
  Values zeroSums() {
    return Values((fragments() + needsRowSums()) * kSums, code.i32(0));
  }
  void emitSums();

  /// Puts the sums of groups of `count` slices of the warp, one behind the
  /// other, into slots from the one of the first slice on.
  void storeGroups(Value first, Value firstSlot, int64_t count, bool isSure,
                   const GroupSums &groups, DecodeSums &shared);
  /// The same for `rounds` of all warps, and `rest` slices behind them.
  void storeRounds(Value firstSlice, int64_t rounds, int64_t rest,
                   const GroupSums &groups, DecodeSums &shared);
  /// Takes the sums of `count` groups, from the first slot on, into totals.
  Values addGroups(Value firstGroup, int64_t count, const GroupSums &groups,
                   DecodeSums &shared, FragmentTile &tile, Values totals);
  void emitGroups();

  int64_t fragments() { return config.getColumns() / kAtomColumns; }
  bool hasHighRows() { return mostRows > kRowsApart; }
  bool needsRowSums() { return static_cast<bool>(op.getRhsZeroPoint()); }
  bool hasNibbles() { return config.getRhsBits() == 4; }

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
  if (hasNibbles()) {
    columns.size = kChunk / 2;
    columns.byte = code.create<arith::MulIOp>(member, code.index(columns.size));
  }
  int64_t size = columns.size;
  columnLoader = makeWordLoader(
      code, std::move(columns),
      rhsRows(code, op, rhs, tiles, slices, config.getRhsBits()), size);
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

/// The words of elements of 4 bits, each 16 times as large, in order.
static SmallVector<Value> splitNibbles(ScalarCode &code, ValueRange packed) {
  Value mask = code.i32(int32_t(0xf0f0f0f0));
  SmallVector<Value> words;
  for (Value word : packed) {
    Value low = code.create<arith::ShLIOp>(word, code.i32(4));
    words.push_back(code.create<arith::AndIOp>(low, mask));
    words.push_back(code.create<arith::AndIOp>(word, mask));
  }
  return words;
}

std::pair<SmallVector<SmallVector<Value>>, SmallVector<SmallVector<Value>>>
DecodeEmitter::toWords(const Loaded &loaded) {
  SmallVector<Values> rows, columns;
  for (auto [i, held] : llvm::enumerate(loaded.rows))
    rows.push_back(rowLoader->toWords(i, held, loaded.slice));
  if (!hasHighRows())
    rows.push_back(Values(kWords, code.i32(0)));
  for (auto [i, held] : llvm::enumerate(loaded.columns)) {
    columns.push_back(columnLoader->toWords(i, held, loaded.slice));
    if (hasNibbles())
      columns.back() = splitNibbles(code, columns.back());
  }
  if (needsRowSums())
    columns.push_back(Values(kWords, code.i32(0x01010101)));
  return {rows, columns};
}

void DecodeEmitter::multiply(ArrayRef<Values> rows, ArrayRef<Values> columns,
                             Values &sums) {
  assert(rows.size() == 2 && sums.size() == columns.size() * kSums &&
         "two rows for each thread, and sums for each fragment");
  for (int64_t first = 0; first < kWords; first += 2)
    for (auto [j, words] : llvm::enumerate(columns))
      atom.multiply(Values{rows[0][first], rows[1][first], rows[0][first + 1],
                           rows[1][first + 1]},
                    ArrayRef(words).slice(first, kRhsWords),
                    MutableArrayRef(sums).slice(j * kSums, kSums),
                    hasHighRows());
}

void DecodeEmitter::multiply(const Loaded &loaded, Value exists, Values &sums) {
  auto [rows, columns] = toWords(loaded);
  if (exists)
    for (Values &words : columns)
      for (Value &word : words)
        word = arith::SelectOp::create(code.rewriter, code.loc, exists, word,
                                       code.i32(0));
  multiply(rows, columns, sums);
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
  Values sums = zeroSums();
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

void DecodeEmitter::emitSums() {
  DecodeSums shared(code, op, config, tiles, mostRows, kFragmentRows,
                    config.getWarps());
  shared.store(warp, group, member, addAllSlices());
  NVVM::BarrierOp::create(code.rewriter, code.loc);
  code.emitIf(shared.hasWork(), [&] {
    FragmentTile tile = shared.makeTile();
    shared.load(tile, config.getWarps());
    emitFragmentEpilogue(code, op, tile);
  });
}

//===----------------------------------------------------------------------===//
// Groups of K
//===----------------------------------------------------------------------===//

void DecodeEmitter::storeGroups(Value first, Value firstSlot, int64_t count,
                                bool isSure, const GroupSums &groups,
                                DecodeSums &shared) {
  SmallVector<Loaded> loaded;
  for (int64_t i = 0; i < count; ++i) {
    Value slice = code.create<arith::AddIOp>(first, code.index(i));
    // Nobody reads the sums of slices that do not exist.
    if (!isSure)
      slice = code.clamp(slice, code.index(slices.count()));
    loaded.push_back({slice, {}, {}});
  }
  load(loaded, /*early=*/false);
  auto slot = [&](int64_t number) {
    return code.create<arith::AddIOp>(firstSlot, code.index(number));
  };
  if (groups.ofSlice == 1) {
    assert(count % groups.merged == 0 && "sums are of whole slices");
    for (int64_t i = 0; i < count; i += groups.merged) {
      Values sums = zeroSums();
      for (int64_t j = i; j < i + groups.merged; ++j)
        multiply(loaded[j], /*exists=*/Value(), sums);
      shared.store(slot(i / groups.merged), group, member, sums);
    }
    return;
  }
  // The elements of a thread are of one group.
  Value own =
      code.create<arith::DivUIOp>(member, code.index(4 / groups.ofSlice));
  for (int64_t i = 0; i < count; ++i) {
    auto [rows, columns] = toWords(loaded[i]);
    for (int64_t j = 0; j < groups.ofSlice; ++j) {
      Value isOwn =
          arith::CmpIOp::create(code.rewriter, code.loc,
                                arith::CmpIPredicate::eq, own, code.index(j));
      SmallVector<Values> left = rows;
      for (Values &words : left)
        for (Value &word : words)
          word = arith::SelectOp::create(code.rewriter, code.loc, isOwn, word,
                                         code.i32(0));
      Values sums = zeroSums();
      multiply(left, columns, sums);
      shared.store(slot(i * groups.ofSlice + j), group, member, sums);
    }
  }
}

void DecodeEmitter::storeRounds(Value firstSlice, int64_t rounds, int64_t rest,
                                const GroupSums &groups, DecodeSums &shared) {
  int64_t stages = config.getStages(), warps = config.getWarps();
  // Of slices of the warp, from the first ones on.
  auto store = [&](Value before, int64_t count, bool isSure) {
    Value slot = code.create<arith::MulIOp>(
        code.create<arith::DivUIOp>(before, code.index(groups.merged)),
        code.index(groups.ofSlice));
    storeGroups(code.create<arith::AddIOp>(firstSlice, before), slot, count,
                isSure, groups, shared);
  };
  if (rounds > 0) {
    auto loop = scf::ForOp::create(code.rewriter, code.loc, code.index(0),
                                   code.index(rounds), code.index(1));
    keepLoop(loop);
    OpBuilder::InsertionGuard guard(code.rewriter);
    code.rewriter.setInsertionPointToStart(loop.getBody());
    Value number = code.create<arith::AddIOp>(
        code.create<arith::MulIOp>(loop.getInductionVar(), code.index(warps)),
        warp);
    store(code.create<arith::MulIOp>(number, code.index(stages)), stages,
          /*isSure=*/true);
  }
  if (rest == 0)
    return;
  int64_t ofWarp = llvm::alignTo(llvm::divideCeil(rest, warps), groups.merged);
  Value before = code.create<arith::AddIOp>(
      code.create<arith::MulIOp>(warp, code.index(ofWarp)),
      code.index(rounds * warps * stages));
  store(before, ofWarp, /*isSure=*/rest == ofWarp * warps);
}

SmallVector<Value> DecodeEmitter::addGroups(Value firstGroup, int64_t count,
                                            const GroupSums &groups,
                                            DecodeSums &shared,
                                            FragmentTile &tile, Values totals) {
  RewriterBase &rewriter = code.rewriter;
  auto add = [&](Value number, Values &totals) {
    shared.load(tile, groups.ofGroup,
                code.create<arith::MulIOp>(number, code.index(groups.ofGroup)));
    addGroup(code, op, tile, code.create<arith::AddIOp>(firstGroup, number),
             totals);
  };
  int64_t atOnce = std::max<int64_t>(1, kLoadsOfChain / groups.ofGroup /
                                            int64_t(totals.size()));
  if (count >= atOnce) {
    auto loop =
        scf::ForOp::create(rewriter, code.loc, code.index(0),
                           code.index(count / atOnce), code.index(1), totals);
    keepLoop(loop);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value first =
        code.create<arith::MulIOp>(loop.getInductionVar(), code.index(atOnce));
    Values inside(loop.getRegionIterArgs());
    for (int64_t i = 0; i < atOnce; ++i)
      add(code.create<arith::AddIOp>(first, code.index(i)), inside);
    scf::YieldOp::create(rewriter, code.loc, inside);
    totals = Values(loop.getResults());
  }
  for (int64_t i = count / atOnce * atOnce; i < count; ++i)
    add(code.index(i), totals);
  return totals;
}

void DecodeEmitter::emitGroups() {
  RewriterBase &rewriter = code.rewriter;
  GroupSums groups(op, config);
  DecodeSums shared(code, op, config, tiles, mostRows, groups.rows,
                    groups.capacity);
  FragmentTile tile = shared.makeTile();
  Value hasWork = shared.hasWork();
  // The chain over the groups of some rounds, by the threads that have results.
  auto addAll = [&](Value firstGroup, int64_t count, const Values &totals) {
    NVVM::BarrierOp::create(rewriter, code.loc);
    if (!hasWork)
      return addGroups(firstGroup, count, groups, shared, tile, totals);
    auto branch = scf::IfOp::create(rewriter, code.loc,
                                    TypeRange(ValueRange(totals)), hasWork,
                                    /*withElse=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(
        rewriter, code.loc,
        addGroups(firstGroup, count, groups, shared, tile, totals));
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, code.loc, totals);
    return Values(branch.getResults());
  };
  Values totals = initialTotals(code, op, tile);
  int64_t ofRound = config.getWarps() * config.getStages();
  int64_t before = (groups.rounds - 1) / groups.roundsAtOnce;
  int64_t slicesAtOnce = groups.roundsAtOnce * ofRound;
  // Whole groups if there are several parts of the chain.
  int64_t groupsAtOnce = slicesAtOnce * groups.ofSlice / groups.slicesOfGroup;
  if (before > 0) {
    auto loop = scf::ForOp::create(rewriter, code.loc, code.index(0),
                                   code.index(before), code.index(1), totals);
    keepLoop(loop);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value number = loop.getInductionVar();
    storeRounds(code.create<arith::MulIOp>(number, code.index(slicesAtOnce)),
                groups.roundsAtOnce, /*rest=*/0, groups, shared);
    Values inside =
        addAll(code.create<arith::MulIOp>(number, code.index(groupsAtOnce)),
               groupsAtOnce, Values(loop.getRegionIterArgs()));
    NVVM::BarrierOp::create(rewriter, code.loc);
    scf::YieldOp::create(rewriter, code.loc, inside);
    totals = Values(loop.getResults());
  }
  int64_t left = groups.slices - before * slicesAtOnce;
  storeRounds(code.index(before * slicesAtOnce), left / ofRound, left % ofRound,
              groups, shared);
  totals =
      addAll(code.index(before * groupsAtOnce),
             op.getReductionSizes().front() - before * groupsAtOnce, totals);
  setTotals(tile, totals);
  code.emitIf(hasWork, [&] { emitFragmentEpilogue(code, op, tile); });
}

void DecodeEmitter::emit() {
  if (startsEarly)
    NVVM::GriddepcontrolOp::create(code.rewriter, code.loc,
                                   NVVM::GridDepActionKind::launch_dependents);
  makeLoaders();
  if (op.hasGroups())
    emitGroups();
  else
    emitSums();
  code.rewriter.eraseOp(op);
}

void qcc::nvptx::emitDecode(RewriterBase &rewriter, ContractOp op,
                            ConfigAttr config, const Atom &atom,
                            bool startsEarly) {
  DecodeEmitter(rewriter, op, config, atom, startsEarly).emit();
}
