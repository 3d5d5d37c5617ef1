//===- Warpgroups.cpp - Warpgroups that multiply what one loads -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has three warpgroups of four warps. One thread of the first copies
// tiles of both operands to stages of shared memory, boxes of tensor maps; the
// two others multiply them, each 64 rows of the tile by all of its columns, and
// compute and store results. Registers that the first one does not need are
// given to the others.
//
// As many blocks as multiprocessors share all tiles. While results of a tile
// are stored, the copies for the next one go on.
//
// The right operand is packed as for all strategies. A tensor map of five
// dimensions brings its columns to lines of shared memory in an order, in which
// a thread, which gets columns 2t and 2t + 1 of each 8, gets columns that lie
// side by side (Multistage.cpp). With r such columns, the column 4rg + rt + 2j
// + q lies in line 4rg + 8j + 2t + q.
//
// Rows and elements of K outside of the operands are 0 in boxes.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "FragmentEpilogue.h"
#include "SlicesOfK.h"
#include "StageBarriers.h"
#include "WarpgroupAtom.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

/// Threads and rows of a warpgroup.
constexpr int64_t kGroup = 128, kGroupRows = 64;
/// Registers of a thread that loads, and of one that multiplies, of 168 that
/// each of 384 threads has at first.
constexpr int64_t kLoaderRegisters = 40, kProductRegisters = 232;

namespace {
class WarpgroupsEmitter {
public:
  WarpgroupsEmitter(RewriterBase &rewriter, ContractOp op, ConfigAttr config,
                    int64_t multiprocessors)
      : code(rewriter, op), op(op), config(config),
        slices(code, op, config.getDepth()), lhsMap(makeLhsMap()),
        rhsMap(makeRhsMap()), tiles(code, op, config, multiprocessors),
        barriers(code, *tiles.memory, config.getStages() * stageBytes(),
                 config.getStages()),
        atom(code, op, config.getColumns()) {}

  void emit();

private:
  Value makeLhsMap();
  Value makeRhsMap();
  void setRegisters(bool increases, int64_t count);
  /// Runs `body` for all tiles of the block, at which it is placed, with the
  /// stage to begin with; `body` returns the one behind it.
  void forTiles(llvm::function_ref<Stage(Stage)> body);
  void emitLoads();
  void emitProducts();
  /// Multiplies all slices of a tile.
  SmallVector<Value> multiplyTile(Stage &stage);
  /// Releases a stage where `condition` holds.
  void release(Value stage, Value condition = Value());

  int64_t stageBytes() {
    return (config.getRows() + config.getColumns()) * config.getDepth();
  }
  /// Where a stage begins.
  Value placeOf(const Stage &stage) {
    Value number = arith::IndexCastUIOp::create(
        code.rewriter, code.loc, code.rewriter.getIndexType(), stage.number);
    return code.create<arith::MulIOp>(number, code.index(stageBytes()));
  }
  Value isEqual(Value a, Value b) {
    return arith::CmpIOp::create(code.rewriter, code.loc,
                                 arith::CmpIPredicate::eq, a, b);
  }

  ScalarCode code;
  ContractOp op;
  ConfigAttr config;
  SlicesOfK slices;
  Value lhsMap, rhsMap;
  BlockTiles tiles;
  StageBarriers barriers;
  WarpgroupAtom atom;
  /// The thread in its warpgroup, and the warpgroup among those that multiply.
  Value threadOfGroup, group;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

Value WarpgroupsEmitter::makeLhsMap() {
  Operands operands(code, op);
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop : rowLoopsOf(op))
    sizes.push_back(operands.sizeOf(loop));
  auto type = cast<MemRefType>(op.getLhs().getType());
  int64_t bytes = slices.segment(), distance = rowBytesOf(type).value_or(bytes);
  SmallVector<int64_t> dims;
  SmallVector<Value> dynamicDims;
  dispatchIndexOpFoldResults(
      {code.rewriter.getIndexAttr(bytes), code.product(sizes)}, dynamicDims,
      dims);
  return TensorMapOp::create(
      code.rewriter, code.loc,
      LLVM::LLVMPointerType::get(code.rewriter.getContext()), op.getLhs(),
      dynamicDims, dims, ArrayRef<int64_t>{distance},
      ArrayRef<int64_t>{config.getDepth(), config.getRows()},
      config.getDepth());
}

Value WarpgroupsEmitter::makeRhsMap() {
  Value rhs = op.getRhs();
  auto type = cast<MemRefType>(rhs.getType());
  int64_t columns = type.getDimSize(0), bytes = slices.packedSegment();
  assert(type.getNumElements() / columns * type.getElementTypeBitWidth() / 8 ==
             bytes &&
         "columns of one segment of K");
  int64_t run = columnsOfThread(op, config);
  SmallVector<int64_t> dims{bytes, 2, 4, run / 2, columns / (4 * run)};
  SmallVector<int64_t> strides{bytes, run * bytes, 2 * bytes, 4 * run * bytes};
  SmallVector<int64_t> box{config.getDepth(), 2, 4, run / 2,
                           config.getColumns() / (4 * run)};
  return TensorMapOp::create(
      code.rewriter, code.loc,
      LLVM::LLVMPointerType::get(code.rewriter.getContext()), rhs, ValueRange(),
      dims, strides, box, config.getDepth());
}

//===----------------------------------------------------------------------===//
// Warpgroups
//===----------------------------------------------------------------------===//

void WarpgroupsEmitter::setRegisters(bool increases, int64_t count) {
  NVVM::SetMaxRegisterOp::create(code.rewriter, code.loc, count,
                                 increases
                                     ? NVVM::SetMaxRegisterAction::increase
                                     : NVVM::SetMaxRegisterAction::decrease);
}

void WarpgroupsEmitter::forTiles(llvm::function_ref<Stage(Stage)> body) {
  Stage first = barriers.firstStage();
  auto loop = scf::ForOp::create(code.rewriter, code.loc, tiles.block,
                                 tiles.tileCount, tiles.blockCount,
                                 ValueRange{first.number, first.phase});
  keepLoop(loop);
  OpBuilder::InsertionGuard guard(code.rewriter);
  code.rewriter.setInsertionPointToStart(loop.getBody());
  tiles.place(loop.getInductionVar());
  Stage behind = body({loop.getRegionIterArg(0), loop.getRegionIterArg(1)});
  scf::YieldOp::create(code.rewriter, code.loc,
                       ValueRange{behind.number, behind.phase});
}

void WarpgroupsEmitter::emitLoads() {
  int64_t run = columnsOfThread(op, config);
  forTiles([&](Stage stage) -> Stage {
    Value firstRun = code.create<arith::DivUIOp>(tiles.getFirstColumn(),
                                                 code.index(4 * run));
    auto loop = scf::ForOp::create(code.rewriter, code.loc, code.index(0),
                                   code.index(slices.count()), code.index(1),
                                   ValueRange{stage.number, stage.phase});
    keepLoop(loop);
    OpBuilder::InsertionGuard guard(code.rewriter);
    code.rewriter.setInsertionPointToStart(loop.getBody());
    Stage here{loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
    Value k = code.create<arith::MulIOp>(loop.getInductionVar(),
                                         code.index(config.getDepth()));
    barriers.acquire(here, stageBytes());
    Value place = placeOf(here), zero = code.index(0);
    barriers.copyBox(here, place, lhsMap, {k, tiles.getFirstRow()});
    Value ofRhs = code.create<arith::AddIOp>(
        place, code.index(config.getRows() * config.getDepth()));
    barriers.copyBox(here, ofRhs, rhsMap, {k, zero, zero, zero, firstRun});
    Stage next = barriers.next(here);
    scf::YieldOp::create(code.rewriter, code.loc,
                         ValueRange{next.number, next.phase});
    return {loop.getResult(0), loop.getResult(1)};
  });
}

void WarpgroupsEmitter::release(Value stage, Value condition) {
  Value isFirst = isEqual(threadOfGroup, code.index(0));
  if (condition)
    isFirst = code.create<arith::AndIOp>(isFirst, condition);
  code.emitIf(isFirst, [&] { barriers.release(stage); });
}

SmallVector<Value> WarpgroupsEmitter::multiplyTile(Stage &stage) {
  // The stage, the one before it, and sums.
  SmallVector<Value> state{stage.number, stage.phase, stage.number};
  llvm::append_range(state, atom.noSums());
  auto loop =
      scf::ForOp::create(code.rewriter, code.loc, code.index(0),
                         code.index(slices.count()), code.index(1), state);
  keepLoop(loop);
  {
    OpBuilder::InsertionGuard guard(code.rewriter);
    code.rewriter.setInsertionPointToStart(loop.getBody());
    ValueRange given = loop.getRegionIterArgs();
    Stage here{given[0], given[1]};
    SmallVector<Value> sums(given.drop_front(3));
    Value slice = code.toWord(loop.getInductionVar());
    barriers.waitUntilFull(here);
    Value ofGroup = code.create<arith::MulIOp>(
        group, code.index(kGroupRows * config.getDepth()));
    Value place = placeOf(here);
    Value lhs =
        tiles.memory->address(code.create<arith::AddIOp>(place, ofGroup));
    Value rhs = tiles.memory->address(code.create<arith::AddIOp>(
        place, code.index(config.getRows() * config.getDepth())));
    atom.multiply(lhs, rhs, slice, sums);
    // Products of the slice before are over.
    atom.wait(1, sums);
    release(given[2], arith::CmpIOp::create(code.rewriter, code.loc,
                                            arith::CmpIPredicate::ne, slice,
                                            code.i32(0)));
    Stage next = barriers.next(here);
    SmallVector<Value> behind{next.number, next.phase, here.number};
    llvm::append_range(behind, sums);
    scf::YieldOp::create(code.rewriter, code.loc, behind);
  }
  SmallVector<Value> sums(loop.getResults().drop_front(3));
  atom.wait(0, sums);
  release(loop.getResult(2));
  stage = {loop.getResult(0), loop.getResult(1)};
  return sums;
}

void WarpgroupsEmitter::emitProducts() {
  WarpPlace place;
  place.lane = code.create<arith::RemUIOp>(threadOfGroup, code.index(kWarp));
  Value warp = code.create<arith::DivUIOp>(threadOfGroup, code.index(kWarp));
  place.row = code.create<arith::AddIOp>(
      code.create<arith::MulIOp>(group, code.index(kGroupRows)),
      code.create<arith::MulIOp>(warp, code.index(config.getWarpRows())));
  place.column = code.index(0);
  forTiles([&](Stage stage) -> Stage {
    SmallVector<Value> sums = multiplyTile(stage);
    FragmentTile tile = makeFragmentTile(code, op, config, tiles, place);
    setSums(op, config, tile, sums);
    emitFragmentEpilogue(code, op, tile);
    return stage;
  });
}

void WarpgroupsEmitter::emit() {
  Value isFirst = isEqual(tiles.thread, code.index(0));
  int64_t readers = config.getRows() / kGroupRows;
  code.emitIf(isFirst, [&] { barriers.initialize(readers); });
  NVVM::BarrierOp::create(code.rewriter, code.loc);
  threadOfGroup = code.create<arith::RemUIOp>(tiles.thread, code.index(kGroup));
  Value number = code.create<arith::DivUIOp>(tiles.thread, code.index(kGroup));
  group = code.create<arith::SubIOp>(number, code.index(1));
  code.emitIf(
      isEqual(number, code.index(0)),
      [&] {
        setRegisters(/*increases=*/false, kLoaderRegisters);
        code.emitIf(isFirst, [&] { emitLoads(); });
      },
      [&] {
        setRegisters(/*increases=*/true, kProductRegisters);
        emitProducts();
      });
  code.rewriter.eraseOp(op);
}

void qcc::nvptx::emitWarpgroups(RewriterBase &rewriter, ContractOp op,
                                ConfigAttr config, int64_t multiprocessors) {
  WarpgroupsEmitter(rewriter, op, config, multiprocessors).emit();
}
