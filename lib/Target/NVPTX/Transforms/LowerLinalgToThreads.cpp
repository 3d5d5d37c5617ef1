//===- LowerLinalgToThreads.cpp - Generic code for a device ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op becomes one scf.forall, the iterations of which are threads, or
// blocks that transpose tiles in shared memory. Each result is computed in the
// order of the op's iteration space, or in that of N8 for float reductions,
// whose 32 lanes are the threads of a warp.
//
//===----------------------------------------------------------------------===//

#include "ThreadAccess.h"
#include "TransposedLoops.h"
#include "qcc/Target/NVPTX/Passes.h"
#include "qcc/Target/NVPTX/Spec.h"
#include "qcc/Transforms/VectorLoops/LinalgLoops.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "lower-linalg-to-threads"

namespace qcc {
#define GEN_PASS_DEF_LOWERLINALGTOTHREADS
#include "qcc/Target/NVPTX/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

ALWAYS_ENABLED_STATISTIC(numWarps, "Float reductions by warps");
ALWAYS_ENABLED_STATISTIC(numTiles, "Ops that turn tiles in shared memory");
ALWAYS_ENABLED_STATISTIC(numVectors,
                         "Ops with words of 16 bytes for each thread");
ALWAYS_ENABLED_STATISTIC(numSingle, "Ops with one result for each thread");

//===----------------------------------------------------------------------===//
// A thread for each 16 bytes of results
//===----------------------------------------------------------------------===//

/// The elements of the narrowest result that are 16 bytes, or fewer, where rows
/// of all operands are multiples of them; one where there are no vectors.
static Lanes chooseLanes(const LinalgLoops &loops) {
  if (!loops.getReductionDims().empty() || loops.getParallelDims().empty() ||
      loops.op.hasIndexSemantics() || !loops.isBodyMappable())
    return Lanes();
  unsigned dim = loops.getParallelDims().back();
  int64_t count = 1;
  for (Value output : loops.op.getDpsInits())
    count = std::max(
        count, kAccessBytes / bytesOf(getElementTypeOrSelf(output.getType())));
  int64_t operations = loops.op.getBlock()->getOperations().size();
  auto fits = [&] {
    return count * operations <= kMostOperations &&
           llvm::all_of(loops.op->getOpOperands(),
                        [&](OpOperand &operand) {
                          return isAligned(loops, operand, dim, count);
                        }) &&
           llvm::all_of(loops.op.getDpsInitsMutable(), [&](OpOperand &output) {
             return loops.getMovement(output, dim) ==
                    LinalgLoops::Movement::Contiguous;
           });
  };
  while (count > 1 && !fits())
    count /= 2;
  assert(llvm::isPowerOf2_64(count) && "words of 16 bytes have so many");
  return Lanes{dim, unsigned(count), Value()};
}

static void emitVectors(LinalgLoops &loops, const Lanes &lanes) {
  LinalgLoops::Point point;
  LinalgLoops::Block block =
      loops.openForall({{lanes.dim, int64_t(lanes.count)}}, point).front();
  Operation *forall = loops.rewriter.getInsertionBlock()->getParentOp();
  SmallVector<Value> yielded(
      loops.op.getBlock()->getTerminator()->getOperands());
  auto emitAt = [&](Value index, const Lanes &at) {
    point[lanes.dim] = index;
    SmallVector<Value> results = loops.emitBody(yielded, {}, point, at);
    for (auto [result, output] :
         llvm::zip_equal(results, loops.op.getDpsInitsMutable()))
      loops.store(result, output, point, at);
  };
  int64_t size = loops.op.getStaticLoopRanges()[lanes.dim];
  if (!ShapedType::isDynamic(size) && size % lanes.count == 0)
    emitAt(block.low, lanes);
  else
    loops.emitSegments(block, Segments{lanes.dim, {lanes.count, 1}}, emitAt);
  setAlignments(forall);
}

//===----------------------------------------------------------------------===//
// A thread for each result
//===----------------------------------------------------------------------===//

static void emitInOrder(LinalgLoops &loops) {
  LinalgLoops::Point point;
  loops.openForall({}, point);
  loops.emitInvariants(point, loops.getReductionDims());
  SmallVector<Value> yielded(
      loops.op.getBlock()->getTerminator()->getOperands());
  SmallVector<Value> results;
  if (loops.getReductionDims().empty()) {
    results = loops.emitBody(yielded, {}, point, Lanes());
  } else {
    SmallVector<Value> accumulators;
    for (OpOperand &output : loops.op.getDpsInitsMutable())
      accumulators.push_back(loops.load(output, point, Lanes()));
    results =
        loops.emitLoops(loops.getReductionDims(), point, accumulators,
                        [&](const LinalgLoops::Point &at, ValueRange values) {
                          return loops.emitBody(yielded, values, at, Lanes());
                        });
  }
  for (auto [result, output] :
       llvm::zip_equal(results, loops.op.getDpsInitsMutable()))
    loops.store(result, output, point, Lanes());
}

//===----------------------------------------------------------------------===//
// A warp for each result
//===----------------------------------------------------------------------===//

namespace {
class WarpReduction {
public:
  WarpReduction(LinalgLoops &loops, ArrayRef<FloatReductionOutput> outputs)
      : loops(loops), rewriter(loops.rewriter), loc(loops.loc),
        outputs(outputs) {
    for (const FloatReductionOutput &output : outputs)
      elements.push_back(output.element);
  }

  void emit();

private:
  Value i32(int64_t value) {
    return arith::ConstantIntOp::create(rewriter, loc, value, 32);
  }
  Value combine(unsigned output, Value a, Value b) {
    return emitCombine(rewriter, loc, outputs[output].combine, a, b,
                       loops.bf16);
  }
  /// The elements of a lane folded in order.
  SmallVector<Value> foldLane(Value lane);
  /// Sets the reduction dimensions of the point to those of an element.
  void setElement(Value number);
  /// What the thread `distance` behind this one has.
  Value fromLane(Value value, int64_t distance);
  Value exchange(Value word, int64_t distance);
  void storeResults(Value lane, ArrayRef<Value> totals);

  LinalgLoops &loops;
  RewriterBase &rewriter;
  Location loc;
  ArrayRef<FloatReductionOutput> outputs;
  SmallVector<Value> elements;
  LinalgLoops::Point point;
};
} // namespace

void WarpReduction::setElement(Value number) {
  ArrayRef<unsigned> dims = loops.getReductionDims();
  for (auto [i, dim] : llvm::enumerate(llvm::reverse(dims))) {
    point[dim] = number;
    if (i + 1 == dims.size())
      break;
    Value size = loops.getSize(dim);
    point[dim] = arith::RemUIOp::create(rewriter, loc, number, size);
    number = arith::DivUIOp::create(rewriter, loc, number, size);
  }
}

SmallVector<Value> WarpReduction::foldLane(Value lane) {
  Value count = loops.constant(1);
  for (unsigned dim : loops.getReductionDims())
    count =
        rewriter.createOrFold<arith::MulIOp>(loc, count, loops.getSize(dim));
  SmallVector<Value> neutral;
  for (auto [output, element] : llvm::zip_equal(outputs, elements))
    neutral.push_back(arith::ConstantOp::create(
        rewriter, loc,
        getNeutralElement(output.combine, cast<FloatType>(element.getType()))));
  auto loop = scf::ForOp::create(rewriter, loc, lane, count,
                                 loops.constant(kWarp), neutral);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  setElement(loop.getInductionVar());
  SmallVector<Value> next;
  for (auto [i, value] :
       llvm::enumerate(loops.emitBody(elements, {}, point, Lanes())))
    next.push_back(combine(i, loop.getRegionIterArg(i), value));
  scf::YieldOp::create(rewriter, loc, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

Value WarpReduction::exchange(Value word, int64_t distance) {
  return NVVM::ShflOp::create(rewriter, loc, word.getType(), i32(-1), word,
                              i32(distance), i32(kWarp - 1),
                              NVVM::ShflKind::down, UnitAttr());
}

Value WarpReduction::fromLane(Value value, int64_t distance) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  assert((bits <= 32 || bits == 64) && "a shuffle moves a word, two move f64");
  Type integer = rewriter.getIntegerType(bits), word = rewriter.getI32Type();
  Value raw = arith::BitcastOp::create(rewriter, loc, integer, value);
  if (bits == 64) {
    Value half = arith::ConstantIntOp::create(rewriter, loc, 32, 64);
    Value low = arith::TruncIOp::create(rewriter, loc, word, raw);
    Value high = arith::TruncIOp::create(
        rewriter, loc, word, arith::ShRUIOp::create(rewriter, loc, raw, half));
    low =
        arith::ExtUIOp::create(rewriter, loc, integer, exchange(low, distance));
    high = arith::ExtUIOp::create(rewriter, loc, integer,
                                  exchange(high, distance));
    high = arith::ShLIOp::create(rewriter, loc, high, half);
    raw = arith::OrIOp::create(rewriter, loc, low, high);
  } else if (bits == 32) {
    raw = exchange(raw, distance);
  } else {
    raw = arith::ExtUIOp::create(rewriter, loc, word, raw);
    raw = arith::TruncIOp::create(rewriter, loc, integer,
                                  exchange(raw, distance));
  }
  return arith::BitcastOp::create(rewriter, loc, type, raw);
}

void WarpReduction::storeResults(Value lane, ArrayRef<Value> totals) {
  Value isFirst = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        lane, loops.constant(0));
  auto branch = scf::IfOp::create(rewriter, loc, isFirst);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  for (auto [i, total] : llvm::enumerate(totals)) {
    OpOperand &init = *loops.op.getDpsInitOperand(outputs[i].number);
    Value initial = loops.load(init, point, Lanes());
    loops.store(combine(i, initial, total), init, point, Lanes());
  }
}

void WarpReduction::emit() {
  Value lane = loops.openForallOfLanes(kWarp, point);
  loops.emitInvariants(point, loops.getReductionDims());
  SmallVector<Value> values = foldLane(lane);
  assert(values.size() == outputs.size() && "a value of each output");
  for (int64_t distance = kWarp / 2; distance > 0; distance /= 2)
    for (auto [i, value] : llvm::enumerate(values))
      value = combine(i, value, fromLane(value, distance));
  for (unsigned dim : loops.getReductionDims())
    point[dim] = Value();
  storeResults(lane, values);
}

namespace {
struct LowerLinalgToThreads
    : qcc::impl::LowerLinalgToThreadsBase<LowerLinalgToThreads> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (Operation *op : listLoopOps(getOperation()))
      if (failed(lower(rewriter, op)))
        return signalPassFailure();
  }

private:
  LogicalResult lower(RewriterBase &rewriter, Operation *op) {
    FailureOr<linalg::GenericOp> generic = prepareLoops(rewriter, op);
    if (failed(generic))
      return failure();
    LinalgLoops loops(rewriter, *generic, BF16Conversions::OnIntegers);
    auto choose = [&](llvm::TrackingStatistic &count, const Twine &form) {
      ++count;
      LDBG() << "gives " << loops.op->getName() << " at " << loops.op.getLoc()
             << " " << form;
    };
    if (auto outputs = getFloatReduction(loops.op)) {
      choose(numWarps, "a warp for each result");
      WarpReduction(loops, *outputs).emit();
    } else if (std::optional<TransposedTile> tile = findTransposedTile(loops)) {
      choose(numTiles, "a block for each tile, which shared memory turns");
      emitTransposedTiles(loops, *tile);
    } else if (Lanes lanes = chooseLanes(loops); lanes.count > 1) {
      choose(numVectors, "a thread for " + Twine(lanes.count) + " results");
      emitVectors(loops, lanes);
    } else {
      choose(numSingle, "a thread for each result");
      emitInOrder(loops);
    }
    rewriter.eraseOp(*generic);
    return success();
  }
};
} // namespace
