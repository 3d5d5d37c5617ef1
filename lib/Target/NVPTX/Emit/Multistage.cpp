//===- Multistage.cpp - Blocks that multiply tiles in stages --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes a tile of rows by columns. For each step of K it has a stage
// of shared memory, with a tile of both operands. While its warps multiply the
// tiles of a step, those of `stages - 1` steps behind it are on their way. One
// barrier for each step is enough: it says that the tiles of the step have
// come, and that all warps are done with those of the step before, whose stage
// is filled next.
//
// A warp has a tile of its own, in fragments of 16 by 8. With g = lane / 4 and
// t = lane % 4, a thread has the results of rows g and g + 8 of each fragment,
// in its columns 2t and 2t + 1. Which columns of the tile these are is decided
// by the rows of the right operand that a fragment is multiplied with: the
// first four fragments of 16 columns, for a run of 8, are columns 8t and 8t +
// 1, then 8t + 2 and 8t + 3, and so on.
//
// Rows and columns outside of the operands read those at the end and are not
// stored. What lies outside of a run of K is 0 in the packed right operand, so
// that it does not matter what the left one has there, but for sums of rows.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "FragmentEpilogue.h"
#include "Operands.h"
#include "StridedOperand.h"
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
      : code(rewriter, op), operands(code, op), op(op), roles(*op.getRoles()),
        config(config), atom(atom), point(op.getNumLoops()) {}

  void emit();

private:
  using Values = SmallVector<Value>;

  /// The loops over rows: those that are not of batches, columns or K.
  void collectRowLoops();
  /// Opens the blocks and sets what a block and a thread work on.
  void openBlocks();
  /// The point of a row of the tile, one that exists.
  Point rowPoint(Value row);
  /// The run of a step, and the element of K in it.
  std::pair<Value, Value> splitStep(Value step);
  void setStep(Point &at, Value step);
  /// How many of `size` elements a run has from a step on.
  std::function<Value(Value step)> restOf(int64_t size);
  std::unique_ptr<TileCopy> makeLhsCopy();
  std::unique_ptr<TileCopy> makeRhsCopy();
  ByteRows lhsRows(StridedOperand &lhs);
  ThreadShare share(const SharedTile &tile, int64_t unit) {
    return ThreadShare(code, tile, thread, config.getThreads(), unit);
  }

  void begin(const Step &step);
  void finish(const Step &step);
  /// Fills the first stages.
  void emitFirstStages();
  /// Steps of K that copy what is `ahead` of them, or nothing, and of which
  /// `parts` of 32 elements count. `state` is carried from step to step.
  Values emitSteps(int64_t first, int64_t end, bool hasCopies, int64_t parts,
                   Values state);
  Values emitMainLoop();
  FragmentTile fragmentTile();

  int64_t run() { return op.getReductionSizes().back(); }
  int64_t runs() { return op.getReductionSize() / run(); }
  int64_t packedRun() { return llvm::alignTo(run(), kPackedStep); }
  int64_t stepsOfRun() {
    return llvm::divideCeil(packedRun(), config.getDepth());
  }
  int64_t steps() { return runs() * stepsOfRun(); }
  int64_t stageBytes() {
    return (config.getRows() + config.getColumns()) * config.getDepth();
  }
  int64_t ahead() { return config.getStages() - 1; }
  bool isAsync() { return atom.architecture >= kAsyncCopies; }
  bool needsRowSums() { return static_cast<bool>(op.getRhsZeroPoint()); }
  /// Columns side by side that a thread has.
  int64_t ownColumns() { return columnsOfThread(op, config); }

  ScalarCode code;
  Operands operands;
  ContractOp op;
  ContractOp::Roles roles;
  ConfigAttr config;
  const Atom &atom;

  SmallVector<unsigned> rowLoops;
  SmallVector<OpFoldResult> rowSizes;
  Value rowCount, columnCount;
  Value firstRow, firstColumn, thread, lane, warpRow, warpColumn;
  std::optional<SharedMemory> memory;
  std::optional<SharedTile> lhsTile, rhsTile;
  std::optional<StridedOperand> lhs, rhs;
  /// The batch loops are set.
  Point point;
  SmallVector<std::unique_ptr<TileCopy>> copies;
  std::optional<WarpProducts> products;
};
} // namespace

//===----------------------------------------------------------------------===//
// What a block works on
//===----------------------------------------------------------------------===//

void MultistageEmitter::collectRowLoops() {
  for (AffineExpr result : op.getOutMaps().front().getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || dim.getPosition() == roles.n ||
        llvm::is_contained(roles.batch, dim.getPosition()))
      continue;
    rowLoops.push_back(dim.getPosition());
    rowSizes.push_back(operands.sizeOf(dim.getPosition()));
  }
}

void MultistageEmitter::openBlocks() {
  collectRowLoops();
  OpFoldResult rows = code.product(rowSizes), n = operands.sizeOf(roles.n);
  SmallVector<OpFoldResult> space;
  for (unsigned loop : roles.batch)
    space.push_back(operands.sizeOf(loop));
  space.push_back(code.tiles(rows, config.getRows()));
  space.push_back(code.tiles(n, config.getColumns()));
  rowCount = code.toValue(rows);
  columnCount = code.toValue(n);
  auto blocks = BlocksOp::create(code.rewriter, code.loc,
                                 code.toValue(code.product(space)),
                                 config.getThreads(), config.getSharedBytes());
  Block &body = blocks.getBody().front();
  code.rewriter.setInsertionPointToStart(&body);
  Values indices = code.delinearize(body.getArgument(0), space);
  for (auto [loop, index] : llvm::zip(roles.batch, indices))
    point[loop] = index;
  firstColumn = code.create<arith::MulIOp>(indices.pop_back_val(),
                                           code.index(config.getColumns()));
  firstRow = code.create<arith::MulIOp>(indices.pop_back_val(),
                                        code.index(config.getRows()));
  thread = body.getArgument(1);
  memory.emplace(code, body.getArgument(2));
  lane = code.create<arith::RemUIOp>(thread, code.index(kWarp));
  Value warp = code.create<arith::DivUIOp>(thread, code.index(kWarp));
  Value across = code.index(config.getRows() / config.getWarpRows());
  warpRow =
      code.create<arith::MulIOp>(code.create<arith::RemUIOp>(warp, across),
                                 code.index(config.getWarpRows()));
  warpColumn =
      code.create<arith::MulIOp>(code.create<arith::DivUIOp>(warp, across),
                                 code.index(config.getWarpColumns()));
}

Point MultistageEmitter::rowPoint(Value row) {
  Point at = point;
  Value number =
      code.clamp(code.create<arith::AddIOp>(firstRow, row), rowCount);
  for (auto [loop, index] :
       llvm::zip_equal(rowLoops, code.delinearize(number, rowSizes)))
    at[loop] = index;
  return at;
}

std::pair<Value, Value> MultistageEmitter::splitStep(Value step) {
  Value perRun = code.index(stepsOfRun()),
        depth = code.index(config.getDepth());
  if (runs() == 1)
    return {code.index(0), code.create<arith::MulIOp>(step, depth)};
  return {code.create<arith::DivUIOp>(step, perRun),
          code.create<arith::MulIOp>(code.create<arith::RemUIOp>(step, perRun),
                                     depth)};
}

void MultistageEmitter::setStep(Point &at, Value step) {
  auto [number, k] = splitStep(step);
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : op.getReductionSizes().drop_back())
    sizes.push_back(code.rewriter.getIndexAttr(size));
  for (auto [loop, index] : llvm::zip_equal(op.getReductionDims().drop_back(),
                                            code.delinearize(number, sizes)))
    at[loop] = index;
  at[op.getReductionDims().back()] = k;
}

std::function<Value(Value)> MultistageEmitter::restOf(int64_t size) {
  if (size % config.getDepth() == 0)
    return {};
  return [this, size](Value step) {
    return code.create<arith::SubIOp>(code.index(size), splitStep(step).second);
  };
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

ByteRows MultistageEmitter::lhsRows(StridedOperand &lhs) {
  ByteRows rows;
  rows.address = lhs.address();
  rows.rowOffset = [&](Value row) { return lhs.offset(rowPoint(row)); };
  rows.stepOffset = [&](Value step) {
    Point at(op.getNumLoops());
    setStep(at, step);
    return lhs.offset(at);
  };
  rows.rest = restOf(run());
  return rows;
}

std::unique_ptr<TileCopy> MultistageEmitter::makeLhsCopy() {
  lhs.emplace(code, op.getLhs(), op.getLhsMap());
  ThreadShare chunks = share(*lhsTile, kChunk);
  if (std::optional<int64_t> alignment = alignmentAlongK(op)) {
    bool hasWords = *alignment >= kLeastCopied;
    if (hasWords && isAsync())
      return makeAsyncCopy(code, *memory, share(*lhsTile, *alignment),
                           lhsRows(*lhs));
    if (hasWords && run() % *alignment == 0)
      return makeWordCopy(code, *memory, chunks, lhsRows(*lhs), *alignment);
    if (cast<MemRefType>(op.getLhs().getType()).getLayout().isIdentity())
      return makeShiftingCopy(code, *memory, chunks, lhsRows(*lhs), lhs->size(),
                              needsRowSums());
  }
  LhsPoints points;
  points.row = [&](Value row) { return rowPoint(row); };
  points.setStep = [&](Point &at, Value step) { setStep(at, step); };
  return makePrologueCopy(code, *memory, chunks, op, points);
}

std::unique_ptr<TileCopy> MultistageEmitter::makeRhsCopy() {
  unsigned rank = cast<MemRefType>(op.getRhs().getType()).getRank();
  rhs.emplace(code, op.getRhs(),
              AffineMap::getMultiDimIdentityMap(rank, op.getContext()));
  ByteRows rows;
  rows.address = rhs->address();
  rows.rowOffset = [&, rank](Value row) {
    Point at;
    for (unsigned loop : roles.batch)
      at.push_back(point[loop]);
    at.push_back(
        code.clamp(code.create<arith::AddIOp>(firstColumn, row), columnCount));
    at.resize(rank);
    return code.create<arith::MulIOp>(rhs->offset(at),
                                      code.index(rhs->elementBytes()));
  };
  rows.stepOffset = [&](Value step) {
    auto [number, k] = splitStep(step);
    return code.create<arith::AddIOp>(
        code.create<arith::MulIOp>(number, code.index(packedRun())), k);
  };
  rows.rest = restOf(packedRun());
  ThreadShare chunks = share(*rhsTile, kChunk);
  if (isAsync())
    return makeAsyncCopy(code, *memory, chunks, rows);
  return makeWordCopy(code, *memory, chunks, rows, kChunk);
}

void MultistageEmitter::begin(const Step &step) {
  for (auto &copy : copies)
    copy->begin(step);
}

void MultistageEmitter::finish(const Step &step) {
  for (auto &copy : copies)
    copy->finish(step);
}

void MultistageEmitter::emitFirstStages() {
  SmallVector<Step> first;
  for (int64_t i = 0; i < ahead(); ++i) {
    if (i < steps())
      begin(first.emplace_back(
          Step{code.index(i), code.index(i * stageBytes())}));
    if (isAsync())
      NVVM::CpAsyncCommitGroupOp::create(code.rewriter, code.loc);
  }
  for (const Step &step : first)
    finish(step);
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

/// Keeps LLVM from unrolling a loop: its body is large, and has enough to do.
static void keepLoop(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), {}, {}, {}, {}, {},
      {});
  loop->setAttr("loop_annotation", // as llvm.br has it
                LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {},
                                              {}, {}, {}, {}, {}, {}, {}, {},
                                              {}, {}));
}

SmallVector<Value> MultistageEmitter::emitSteps(int64_t first, int64_t end,
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
  Step step{
      code.create<arith::AddIOp>(loop.getInductionVar(), code.index(ahead())),
      fill};
  if (hasCopies)
    begin(step);
  // As many groups as there are stages, whatever is in them.
  if (isAsync())
    NVVM::CpAsyncCommitGroupOp::create(rewriter, code.loc);
  Values next = products->addStage(
      read, parts, Values(loop.getRegionIterArgs().drop_front(2)));
  if (hasCopies)
    finish(step);
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
  int64_t inLast = run() - (stepsOfRun() - 1) * config.getDepth();
  int64_t lastParts = llvm::divideCeil(inLast, kFragmentDepth);
  int64_t copying = std::max<int64_t>(0, steps() - ahead());
  int64_t whole = lastParts < allParts ? steps() - 1 : steps();
  state = emitSteps(0, copying, /*hasCopies=*/true, allParts, state);
  state = emitSteps(copying, whole, /*hasCopies=*/false, allParts, state);
  state = emitSteps(whole, steps(), /*hasCopies=*/false, lastParts, state);
  state.erase(state.begin(), state.begin() + 2);
  return state;
}

/// Whether a size is known to consist of whole tiles.
static bool isMultiple(Value size, int64_t tile) {
  std::optional<int64_t> known = getConstantIntValue(size);
  return known && *known % tile == 0;
}

FragmentTile MultistageEmitter::fragmentTile() {
  FragmentTile tile;
  Value group = code.create<arith::DivUIOp>(lane, code.index(4));
  Value row = code.create<arith::AddIOp>(warpRow, group);
  for (int64_t i = 0; i < config.getWarpRows() / 8; ++i) {
    Value here = code.create<arith::AddIOp>(row, code.index(8 * i));
    tile.rows.push_back(rowPoint(here));
    tile.exists.push_back(
        isMultiple(rowCount, config.getRows())
            ? Value()
            : code.less(code.create<arith::AddIOp>(firstRow, here), rowCount));
  }
  Value member = code.create<arith::RemUIOp>(lane, code.index(4));
  Value column = code.create<arith::AddIOp>(
      code.create<arith::AddIOp>(firstColumn, warpColumn),
      code.create<arith::MulIOp>(member, code.index(ownColumns())));
  for (int64_t c = 0; c < config.getWarpColumns(); c += 4 * ownColumns())
    tile.columns.push_back(code.create<arith::AddIOp>(column, code.index(c)));
  tile.run = ownColumns();
  tile.columnCount = columnCount;
  tile.hasAllColumns = isMultiple(columnCount, config.getColumns());
  return tile;
}

void MultistageEmitter::emit() {
  openBlocks();
  lhsTile.emplace(code, 0, config.getRows(), config.getDepth(), 2);
  rhsTile.emplace(code, config.getRows() * config.getDepth(),
                  config.getColumns(), config.getDepth(), ownColumns());
  copies.push_back(makeLhsCopy());
  copies.push_back(makeRhsCopy());
  emitFirstStages();
  products.emplace(code, op, config, atom, *memory, *lhsTile, *rhsTile,
                   WarpPlace{lane, warpRow, warpColumn});
  Values sums = emitMainLoop();
  emitFragmentEpilogue(code, op, fragmentTile(), sums);
  code.rewriter.eraseOp(op);
}

void qcc::nvptx::emitMultistage(RewriterBase &rewriter, ContractOp op,
                                ConfigAttr config, const Atom &atom) {
  MultistageEmitter(rewriter, op, config, atom).emit();
}
