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
// Where all copies are asynchronous and registers allow, a warp has the
// fragments of the next 32 elements of K before it multiplies those at hand,
// also across the barrier: after it, fragments of the next slice are loaded
// behind products of this one. Copies are spread over the products of a slice.
// Otherwise a slice begins with all of its copies, and each of its products
// with its fragments.
//
// A warp has a tile of its own, in fragments of 16 by 8. With g = lane / 4 and
// t = lane % 4, a thread has the results of rows g and g + 8 of each fragment,
// in its columns 2t and 2t + 1. Which columns of the tile these are is decided
// by the rows of the right operand that a fragment is multiplied with: the
// first four fragments of 16 columns, for a segment of 8, are columns 8t and 8t
// + 1, then 8t + 2 and 8t + 3, and so on.
//
// With groups of K the sums are those of a group, at whose end a thread takes
// them into its totals. If a slice has several groups, a product is of one of
// them.
//
// Rows and columns outside of the operands read those at the end and are not
// stored. What lies outside of a segment of K is 0 in the packed right operand,
// so that it does not matter what the left one has there, but for sums of rows.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "FragmentEpilogue.h"
#include "GroupChain.h"
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

  void begin(const Slice &slice, Piece piece = {});
  void finish(const Slice &slice);
  /// Fills the first stages.
  void emitFirstStages();
  /// Waits for the tiles of the next slice, and for all warps to be done with
  /// the slice before.
  void waitForSlice();
  /// The stage that follows.
  Value stageAfter(Value stage);

  /// What slices hand to the next one.
  struct State {
    /// The stages to read and to fill.
    Value read, fill;
    /// The fragments of the first 32 elements of K of the slice to read, if
    /// fragments are loaded ahead.
    Values fragments;
    Values sums;
    /// With groups of K the totals, and the sums are of one group.
    Values totals;

    Values toValues() const;
  };
  State toState(ValueRange values);
  /// How a slice differs from others: whether it copies the slice `ahead` of
  /// it, and how many parts of 32 elements count. The last slice of all has no
  /// fragments to load ahead.
  struct Form {
    bool hasCopies;
    int64_t parts;
    bool isLast = false;
  };
  void emitSlice(Value number, Form form, State &state);
  void multiplyInOrder(Value number, const Slice &ahead, Form form,
                       State &state);
  void multiplyAhead(Value number, const Slice &ahead, Form form, State &state);
  State emitSlices(int64_t first, int64_t end, Form form, State state);
  /// Multiplies a part of 32 elements of K.
  void multiplyPart(Value number, int64_t part, ArrayRef<Value> fragments,
                    State &state);
  /// Takes the sums into the totals and begins with other ones.
  void endGroup(Value group, State &state);
  /// The same behind the last slice of a group.
  void endGroupBehind(Value number, State &state);
  /// Gives the tile of the warp its sums, or totals.
  void emitMainLoop();

  int64_t stageBytes() {
    return (config.getRows() + config.getColumns()) * config.getDepth();
  }
  int64_t ahead() { return config.getStages() - 1; }
  bool isAsync() { return atom.architecture >= kAsyncCopies; }
  /// Parts of 32 elements of K of a whole slice.
  int64_t allParts() { return config.getDepth() / kFragmentDepth; }
  /// Columns side by side that a thread has.
  int64_t ownColumns() { return columnsOfThread(op, config); }

  ScalarCode code;
  ContractOp op;
  ConfigAttr config;
  const Atom &atom;

  SlicesOfK slices;
  BlockTiles tiles;
  StridedOperand lhs, rhs;
  WarpPlace place;
  std::optional<SharedTile> lhsTile, rhsTile;
  SmallVector<std::unique_ptr<TileCopy>> copies;
  /// Whether fragments are loaded ahead of the products before.
  bool isAhead = false;
  std::optional<WarpProducts> products;
  /// The results of a thread.
  FragmentTile tile;
};
} // namespace

void MultistageEmitter::placeWarp() {
  place.lane = code.create<arith::RemUIOp>(tiles.thread, code.index(kWarp));
  Value warp = code.create<arith::DivUIOp>(tiles.thread, code.index(kWarp));
  Value across = code.index(config.getRows() / config.getWarpRows());
  place.row =
      code.create<arith::MulIOp>(code.create<arith::RemUIOp>(warp, across),
                                 code.index(config.getWarpRows()));
  place.column =
      code.create<arith::MulIOp>(code.create<arith::DivUIOp>(warp, across),
                                 code.index(config.getWarpColumns()));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

std::unique_ptr<TileCopy> MultistageEmitter::makeLhsCopy() {
  if (!copiesThroughRegisters(op, config))
    return makeAsyncCopy(code, *tiles.memory,
                         share(*lhsTile, *alignmentAlongK(op)),
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

void MultistageEmitter::begin(const Slice &slice, Piece piece) {
  for (auto &copy : copies)
    copy->begin(slice, piece);
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

void MultistageEmitter::waitForSlice() {
  // As many groups as there are stages, whatever is in them.
  if (isAsync())
    NVVM::CpAsyncWaitGroupOp::create(code.rewriter, code.loc, ahead() - 1);
  NVVM::BarrierOp::create(code.rewriter, code.loc);
}

Value MultistageEmitter::stageAfter(Value stage) {
  Value behind = code.create<arith::AddIOp>(stage, code.index(stageBytes()));
  Value isEnd =
      arith::CmpIOp::create(code.rewriter, code.loc, arith::CmpIPredicate::eq,
                            behind, code.index(config.getSharedBytes()));
  return arith::SelectOp::create(code.rewriter, code.loc, isEnd, code.index(0),
                                 behind);
}

SmallVector<Value> MultistageEmitter::State::toValues() const {
  Values values{read, fill};
  llvm::append_range(values, fragments);
  llvm::append_range(values, sums);
  llvm::append_range(values, totals);
  return values;
}

MultistageEmitter::State MultistageEmitter::toState(ValueRange values) {
  int64_t fragments = isAhead ? products->fragmentWords() : 0;
  return {values[0], values[1], llvm::to_vector(values.slice(2, fragments)),
          llvm::to_vector(values.slice(2 + fragments, products->sums())),
          llvm::to_vector(values.drop_front(2 + fragments + products->sums()))};
}

void MultistageEmitter::endGroup(Value group, State &state) {
  setSums(op, config, tile, state.sums);
  addGroup(code, op, tile, group, state.totals);
  state.sums.assign(products->sums(), code.i32(0));
}

void MultistageEmitter::endGroupBehind(Value number, State &state) {
  if (!op.hasGroups() || hasGroupsInSlices(op))
    return;
  RewriterBase &rewriter = code.rewriter;
  int64_t slicesOfGroup = slices.count() / op.getReductionSizes().front();
  if (slicesOfGroup == 1) {
    endGroup(number, state);
    return;
  }
  Value size = code.index(slicesOfGroup);
  Value isLast = arith::CmpIOp::create(
      rewriter, code.loc, arith::CmpIPredicate::eq,
      code.create<arith::RemUIOp>(number, size), code.index(slicesOfGroup - 1));
  Values before = state.sums;
  llvm::append_range(before, state.totals);
  auto branch =
      scf::IfOp::create(rewriter, code.loc, TypeRange(ValueRange(before)),
                        isLast, /*withElse=*/true);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    endGroup(code.create<arith::DivUIOp>(number, size), state);
    Values behind = state.sums;
    llvm::append_range(behind, state.totals);
    scf::YieldOp::create(rewriter, code.loc, behind);
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, code.loc, before);
  }
  state.sums = Values(branch.getResults().take_front(products->sums()));
  state.totals = Values(branch.getResults().drop_front(products->sums()));
}

void MultistageEmitter::multiplyPart(Value number, int64_t part,
                                     ArrayRef<Value> fragments, State &state) {
  if (!hasGroupsInSlices(op)) {
    products->multiply(fragments, state.sums);
    return;
  }
  int64_t ofPart = kFragmentDepth / groupSize(op);
  assert((ofPart == 1 || ofPart == 2) && "groups are parts, or their halves");
  Value first = code.create<arith::AddIOp>(
      code.create<arith::MulIOp>(number, code.index(allParts() * ofPart)),
      code.index(part * ofPart));
  for (int64_t half = 0; half < ofPart; ++half) {
    products->multiply(ofPart == 1 ? Values(fragments)
                                   : products->halfOf(fragments, half),
                       state.sums);
    endGroup(code.create<arith::AddIOp>(first, code.index(half)), state);
  }
}

/// Each product follows the load of its fragments.
void MultistageEmitter::multiplyInOrder(Value number, const Slice &ahead,
                                        Form form, State &state) {
  waitForSlice();
  if (form.hasCopies)
    begin(ahead);
  if (isAsync())
    NVVM::CpAsyncCommitGroupOp::create(code.rewriter, code.loc);
  for (int64_t part = 0; part < form.parts; ++part)
    multiplyPart(number, part, products->loadFragments(state.read, part),
                 state);
  if (form.hasCopies)
    finish(ahead);
}

/// Each product follows the load of the fragments of the next one. Behind the
/// barrier, which is before the last product, nobody reads the stage any more.
void MultistageEmitter::multiplyAhead(Value number, const Slice &ahead,
                                      Form form, State &state) {
  for (int64_t part = 0; part < form.parts; ++part) {
    bool isLastPart = part + 1 == form.parts;
    Values next;
    if (!isLastPart) {
      next = products->loadFragments(state.read, part + 1);
      if (form.hasCopies)
        begin(ahead, Piece{part, form.parts - 1});
    } else if (!form.isLast) {
      NVVM::CpAsyncCommitGroupOp::create(code.rewriter, code.loc);
      waitForSlice();
      next = products->loadFragments(stageAfter(state.read), 0);
    }
    multiplyPart(number, part, state.fragments, state);
    state.fragments = std::move(next);
  }
}

void MultistageEmitter::emitSlice(Value number, Form form, State &state) {
  Slice next{code.create<arith::AddIOp>(number, code.index(ahead())),
             state.fill};
  if (isAhead)
    multiplyAhead(number, next, form, state);
  else
    multiplyInOrder(number, next, form, state);
  endGroupBehind(number, state);
  state.fill = state.read;
  state.read = stageAfter(state.read);
}

MultistageEmitter::State MultistageEmitter::emitSlices(int64_t first,
                                                       int64_t end, Form form,
                                                       State state) {
  if (first >= end)
    return state;
  RewriterBase &rewriter = code.rewriter;
  auto loop =
      scf::ForOp::create(rewriter, code.loc, code.index(first), code.index(end),
                         code.index(1), state.toValues());
  keepLoop(loop);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  State inside = toState(loop.getRegionIterArgs());
  emitSlice(loop.getInductionVar(), form, inside);
  scf::YieldOp::create(rewriter, code.loc, inside.toValues());
  return toState(loop.getResults());
}

void MultistageEmitter::emitMainLoop() {
  State state{code.index(0), code.index(ahead() * stageBytes()), Values(),
              Values(products->sums(), code.i32(0)), Values()};
  if (op.hasGroups())
    state.totals = initialTotals(code, op, tile);
  int64_t inLast =
      slices.segment() - (slices.perSegment() - 1) * config.getDepth();
  int64_t lastParts = llvm::divideCeil(inLast, kFragmentDepth);
  assert(inLast > 0 && inLast <= config.getDepth() && lastParts <= allParts() &&
         "the last slice of a segment has elements, and no more than others");
  int64_t copying = std::max<int64_t>(0, slices.count() - ahead());
  if (isAhead) {
    waitForSlice();
    state.fragments = products->loadFragments(state.read, 0);
  }
  state = emitSlices(0, copying, {/*hasCopies=*/true, allParts()}, state);
  // In order, a whole last slice is like those before.
  int64_t count = slices.count();
  int64_t last = isAhead || lastParts < allParts() ? count - 1 : count;
  state = emitSlices(copying, last, {/*hasCopies=*/false, allParts()}, state);
  if (last < count)
    emitSlice(code.index(last), {/*hasCopies=*/false, lastParts, true}, state);
  if (op.hasGroups())
    setTotals(tile, state.totals);
  else
    setSums(op, config, tile, state.sums);
}

void MultistageEmitter::emit() {
  placeWarp();
  lhsTile.emplace(code, 0, config.getRows(), config.getDepth(), 2);
  rhsTile.emplace(code, config.getRows() * config.getDepth(),
                  config.getColumns(), config.getDepth(), ownColumns());
  copies.push_back(makeLhsCopy());
  copies.push_back(makeRhsCopy());
  isAhead = loadsFragmentsAhead(op, config);
  assert((!isAhead ||
          llvm::all_of(copies, [](auto &copy) { return copy->isAsync(); })) &&
         "what goes through registers is stored behind all products");
  emitFirstStages();
  products.emplace(code, op, config, atom, *tiles.memory, *lhsTile, *rhsTile,
                   place);
  tile = makeFragmentTile(code, op, config, tiles, place);
  emitMainLoop();
  emitFragmentEpilogue(code, op, tile);
  code.rewriter.eraseOp(op);
}

void qcc::nvptx::emitMultistage(RewriterBase &rewriter, ContractOp op,
                                ConfigAttr config, const Atom &atom) {
  MultistageEmitter(rewriter, op, config, atom).emit();
}
