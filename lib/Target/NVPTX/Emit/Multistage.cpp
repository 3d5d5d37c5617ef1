//===- Multistage.cpp - Blocks that multiply tiles in stages --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes a tile of rows by columns. For each slice of K it has a
// stage of shared memory, with a tile of both operands. While its warps
// multiply the tiles of a slice, those of `stages - 1` slices behind it are on
// their way. One barrier for each slice is enough: it says that the tiles of
// the slice have come, and that all warps are done with those of the slice
// before, whose stage is filled next.
//
// A warp has a tile of its own, in fragments of 16 by 8. With g = lane / 4 and
// t = lane % 4, a thread has the results of rows g and g + 8 of each fragment,
// in its columns 2t and 2t + 1. Which columns of the tile these are is decided
// by the rows of the right operand that a fragment is multiplied with: the
// first four fragments of 16 columns, for a segment of 8, are columns 8t and 8t
// + 1, then 8t + 2 and 8t + 3, and so on.
//
// Rows and columns outside of the operands read those at the end and are not
// stored. What lies outside of a segment of K is 0 in the packed right operand,
// so that it does not matter what the left one has there, but for sums of rows.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "FragmentEpilogue.h"
#include "TileCopy.h"
#include "WarpProducts.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

namespace {
class MultistageEmitter {
public:
  MultistageEmitter(RewriterBase &rewriter, ContractOp op, ConfigAttr config,
                    const Atom &atom)
      : code(rewriter, op), op(op), config(config), atom(atom),
        slices(code, op, config.getDepth()), tiles(code, op, config),
        lhs(lhsOperand(code, op)), rhs(rhsOperand(code, op)) {}

  void emit();

private:
  using Values = SmallVector<Value>;

  /// Sets the tile of the warp.
  void placeWarp();
  std::unique_ptr<TileCopy> makeLhsCopy();
  std::unique_ptr<TileCopy> makeRhsCopy();
  ThreadShare share(const SharedTile &tile, int64_t unit) {
    return ThreadShare(code, tile, tiles.thread, config.getThreads(), unit);
  }

  void begin(const Slice &slice);
  void finish(const Slice &slice);
  /// Fills the first stages.
  void emitFirstStages();
  /// Slices of K that copy what is `ahead` of them, or nothing, and of which
  /// `parts` of 32 elements count. `state` is carried from slice to slice.
  Values emitSlices(int64_t first, int64_t end, bool hasCopies, int64_t parts,
                    Values state);
  Values emitMainLoop();
  FragmentTile fragmentTile(Values sums);

  int64_t stageBytes() {
    return (config.getRows() + config.getColumns()) * config.getDepth();
  }
  int64_t ahead() { return config.getStages() - 1; }
  bool isAsync() { return atom.architecture >= kAsyncCopies; }
  bool needsRowSums() { return static_cast<bool>(op.getRhsZeroPoint()); }
  /// Columns side by side that a thread has.
  int64_t ownColumns() { return columnsOfThread(op, config); }

  ScalarCode code;
  ContractOp op;
  ConfigAttr config;
  const Atom &atom;

  SlicesOfK slices;
  BlockTiles tiles;
  StridedOperand lhs, rhs;
  Value lane, warpRow, warpColumn;
  std::optional<SharedTile> lhsTile, rhsTile;
  SmallVector<std::unique_ptr<TileCopy>> copies;
  std::optional<WarpProducts> products;
};
} // namespace

void MultistageEmitter::placeWarp() {
  lane = code.create<arith::RemUIOp>(tiles.thread, code.index(kWarp));
  Value warp = code.create<arith::DivUIOp>(tiles.thread, code.index(kWarp));
  Value across = code.index(config.getRows() / config.getWarpRows());
  warpRow =
      code.create<arith::MulIOp>(code.create<arith::RemUIOp>(warp, across),
                                 code.index(config.getWarpRows()));
  warpColumn =
      code.create<arith::MulIOp>(code.create<arith::DivUIOp>(warp, across),
                                 code.index(config.getWarpColumns()));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

std::unique_ptr<TileCopy> MultistageEmitter::makeLhsCopy() {
  std::optional<int64_t> alignment = alignmentAlongK(op);
  if (isAsync() && alignment && *alignment >= kLeastCopied)
    return makeAsyncCopy(code, *tiles.memory, share(*lhsTile, *alignment),
                         lhsRows(code, op, lhs, tiles, slices));
  ThreadShare chunks = share(*lhsTile, kChunk);
  return makeStagedCopy(
      code, *tiles.memory, chunks,
      makeLhsLoader(code, op, chunks.chunks(), tiles, slices, lhs));
}

std::unique_ptr<TileCopy> MultistageEmitter::makeRhsCopy() {
  ByteRows rows = rhsRows(code, op, rhs, tiles, slices);
  ThreadShare chunks = share(*rhsTile, kChunk);
  if (isAsync())
    return makeAsyncCopy(code, *tiles.memory, chunks, rows);
  return makeStagedCopy(code, *tiles.memory, chunks,
                        makeWordLoader(code, chunks.chunks(), rows, kChunk));
}

void MultistageEmitter::begin(const Slice &slice) {
  for (auto &copy : copies)
    copy->begin(slice);
}

void MultistageEmitter::finish(const Slice &slice) {
  for (auto &copy : copies)
    copy->finish(slice);
}

void MultistageEmitter::emitFirstStages() {
  SmallVector<Slice> first;
  for (int64_t i = 0; i < ahead(); ++i) {
    if (i < slices.count())
      begin(first.emplace_back(
          Slice{code.index(i), code.index(i * stageBytes())}));
    if (isAsync())
      NVVM::CpAsyncCommitGroupOp::create(code.rewriter, code.loc);
  }
  for (const Slice &slice : first)
    finish(slice);
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

SmallVector<Value> MultistageEmitter::emitSlices(int64_t first, int64_t end,
                                                 bool hasCopies, int64_t parts,
                                                 Values state) {
  if (first >= end)
    return state;
  RewriterBase &rewriter = code.rewriter;
  auto loop = scf::ForOp::create(rewriter, code.loc, code.index(first),
                                 code.index(end), code.index(1), state);
  keepLoop(loop);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  Value read = loop.getRegionIterArg(0), fill = loop.getRegionIterArg(1);
  if (isAsync())
    NVVM::CpAsyncWaitGroupOp::create(rewriter, code.loc, ahead() - 1);
  NVVM::BarrierOp::create(rewriter, code.loc);
  Slice slice{
      code.create<arith::AddIOp>(loop.getInductionVar(), code.index(ahead())),
      fill};
  if (hasCopies)
    begin(slice);
  // As many groups as there are stages, whatever is in them.
  if (isAsync())
    NVVM::CpAsyncCommitGroupOp::create(rewriter, code.loc);
  Values next = products->addStage(
      read, parts, Values(loop.getRegionIterArgs().drop_front(2)));
  if (hasCopies)
    finish(slice);
  Value behind = code.create<arith::AddIOp>(read, code.index(stageBytes()));
  Value isLast =
      arith::CmpIOp::create(rewriter, code.loc, arith::CmpIPredicate::eq,
                            behind, code.index(config.getSharedBytes()));
  behind = arith::SelectOp::create(rewriter, code.loc, isLast, code.index(0),
                                   behind);
  next.insert(next.begin(), {behind, read});
  scf::YieldOp::create(rewriter, code.loc, next);
  return Values(loop.getResults());
}

SmallVector<Value> MultistageEmitter::emitMainLoop() {
  // The stage to read, the stage to fill, sums.
  Values state{code.index(0), code.index(ahead() * stageBytes())};
  state.append(products->sums(), code.i32(0));
  int64_t allParts = config.getDepth() / kFragmentDepth;
  int64_t inLast =
      slices.segment() - (slices.perSegment() - 1) * config.getDepth();
  int64_t lastParts = llvm::divideCeil(inLast, kFragmentDepth);
  assert(inLast > 0 && inLast <= config.getDepth() && lastParts <= allParts &&
         "the last slice of a segment has elements, and no more than others");
  int64_t copying = std::max<int64_t>(0, slices.count() - ahead());
  int64_t whole = lastParts < allParts ? slices.count() - 1 : slices.count();
  state = emitSlices(0, copying, /*hasCopies=*/true, allParts, state);
  state = emitSlices(copying, whole, /*hasCopies=*/false, allParts, state);
  state =
      emitSlices(whole, slices.count(), /*hasCopies=*/false, lastParts, state);
  state.erase(state.begin(), state.begin() + 2);
  return state;
}

FragmentTile MultistageEmitter::fragmentTile(Values sums) {
  FragmentTile tile;
  int64_t rowSums = needsRowSums() ? kSums : 0;
  // Of the fragments of 16 rows.
  int64_t ofFragments = config.getWarpColumns() / 2 + rowSums;
  assert(int64_t(sums.size()) ==
             config.getWarpRows() / kFragmentRows * ofFragments &&
         "a thread has the sums of all fragments");
  Value group = code.create<arith::DivUIOp>(lane, code.index(4));
  Value row = code.create<arith::AddIOp>(warpRow, group);
  for (int64_t i = 0; i < config.getWarpRows() / 8; ++i) {
    Value here = code.create<arith::AddIOp>(row, code.index(8 * i));
    tile.rows.push_back(tiles.rowPoint(here));
    tile.exists.push_back(tiles.hasRow(here));
    // The sums of its rows g or g + 8.
    ArrayRef<Value> ofRow = ArrayRef(sums)
                                .slice(i / 2 * ofFragments, ofFragments)
                                .drop_front(i % 2 * 2);
    Values &inColumns = tile.sums.emplace_back();
    for (int64_t c = 0; c + rowSums < ofFragments; c += kSums)
      inColumns.append({ofRow[c], ofRow[c + 1]});
    if (rowSums)
      tile.rowSums.push_back(ofRow[ofFragments - kSums]);
  }
  Value member = code.create<arith::RemUIOp>(lane, code.index(4));
  Value column = code.create<arith::AddIOp>(
      tiles.column(warpColumn),
      code.create<arith::MulIOp>(member, code.index(ownColumns())));
  for (int64_t c = 0; c < config.getWarpColumns(); c += 4 * ownColumns())
    tile.columns.push_back(code.create<arith::AddIOp>(column, code.index(c)));
  tile.run = ownColumns();
  tile.columnCount = tiles.columnCount;
  tile.hasAllColumns = tiles.hasAllColumns();
  return tile;
}

void MultistageEmitter::emit() {
  placeWarp();
  lhsTile.emplace(code, 0, config.getRows(), config.getDepth(), 2);
  rhsTile.emplace(code, config.getRows() * config.getDepth(),
                  config.getColumns(), config.getDepth(), ownColumns());
  copies.push_back(makeLhsCopy());
  copies.push_back(makeRhsCopy());
  emitFirstStages();
  products.emplace(code, op, config, atom, *tiles.memory, *lhsTile, *rhsTile,
                   WarpPlace{lane, warpRow, warpColumn});
  emitFragmentEpilogue(code, op, fragmentTile(emitMainLoop()));
  code.rewriter.eraseOp(op);
}

void qcc::nvptx::emitMultistage(RewriterBase &rewriter, ContractOp op,
                                ConfigAttr config, const Atom &atom) {
  MultistageEmitter(rewriter, op, config, atom).emit();
}
