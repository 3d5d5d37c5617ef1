//===- LinalgLoops.cpp - The loops of one linalg op -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/VectorLoops/LinalgLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace qcc;

LinalgLoops::LinalgLoops(RewriterBase &rewriter, linalg::GenericOp op,
                         BF16Conversions bf16)
    : rewriter(rewriter), loc(op.getLoc()),
      op(cast<linalg::LinalgOp>(op.getOperation())), bf16(bf16) {
  this->op.getParallelDims(parallelDims);
  this->op.getReductionDims(reductionDims);
  rewriter.setInsertionPoint(op);
  for (const Range &range : this->op.createLoopRanges(rewriter, loc))
    sizes.push_back(range.size);
}

Value LinalgLoops::constant(int64_t value) {
  return arith::ConstantIndexOp::create(rewriter, loc, value);
}

Value LinalgLoops::getSize(unsigned dim) {
  return getValueOrCreateConstantIndexOp(rewriter, loc, sizes[dim]);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<LinalgLoops::Block>
LinalgLoops::openForall(ArrayRef<Blocked> blocked, Point &point,
                        ArrayRef<unsigned> inside) {
  assert(llvm::all_of(blocked, [](Blocked b) { return b.size > 0; }) &&
         "blocks have iterations");
  point.assign(sizes.size(), Value());
  AffineExpr s0, s1;
  bindSymbols(op.getContext(), s0, s1);
  auto apply = [&](AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(rewriter, loc, expr, operands);
  };
  // One counter over the outer dimensions and the blocks, which is easier to
  // share among threads than several.
  SmallVector<std::pair<Value *, OpFoldResult>> outer;
  SmallVector<Value> numbers(blocked.size());
  for (unsigned dim : parallelDims)
    if (!llvm::is_contained(inside, dim) &&
        llvm::none_of(blocked, [&](Blocked b) { return b.dim == dim; }))
      outer.push_back({&point[dim], sizes[dim]});
  for (auto [number, b] : llvm::zip_equal(numbers, blocked))
    outer.push_back({&number, apply(s0.ceilDiv(b.size), {sizes[b.dim]})});
  openForallOver(outer);
  SmallVector<Block> blocks;
  for (auto [number, b] : llvm::zip_equal(numbers, blocked)) {
    OpFoldResult low = apply(s0 * b.size, {number});
    OpFoldResult high = affine::makeComposedFoldedAffineMin(
        rewriter, loc, AffineMap::get(0, 2, {s0 + b.size, s1}, op.getContext()),
        {low, sizes[b.dim]});
    blocks.push_back({getValueOrCreateConstantIndexOp(rewriter, loc, low),
                      getValueOrCreateConstantIndexOp(rewriter, loc, high)});
  }
  return blocks;
}

Value LinalgLoops::openForallOfLanes(int64_t count, Point &point) {
  point.assign(sizes.size(), Value());
  SmallVector<std::pair<Value *, OpFoldResult>> outer;
  for (unsigned dim : parallelDims)
    outer.push_back({&point[dim], sizes[dim]});
  Value lane;
  outer.push_back({&lane, rewriter.getIndexAttr(count)});
  openForallOver(outer);
  return lane;
}

void LinalgLoops::openForallOver(
    ArrayRef<std::pair<Value *, OpFoldResult>> outer) {
  AffineExpr s0, s1;
  bindSymbols(op.getContext(), s0, s1);
  OpFoldResult total = rewriter.getIndexAttr(1);
  for (auto &[index, size] : outer)
    total = affine::makeComposedFoldedAffineApply(rewriter, loc, s0 * s1,
                                                  {total, size});

  auto forall =
      scf::ForallOp::create(rewriter, loc, {total}, ValueRange(), std::nullopt);
  rewriter.setInsertionPointToStart(forall.getBody());
  Value counter = forall.getInductionVar(0);
  for (auto [position, entry] : llvm::enumerate(llvm::reverse(outer))) {
    auto &[place, size] = entry;
    Value index = counter;
    if (isConstantIntValue(size, 1)) {
      index = constant(0);
    } else if (position + 1 < outer.size()) {
      Value divisor = getValueOrCreateConstantIndexOp(rewriter, loc, size);
      index = arith::RemUIOp::create(rewriter, loc, counter, divisor);
      counter = arith::DivUIOp::create(rewriter, loc, counter, divisor);
    }
    *place = index;
  }
}

void LinalgLoops::emitRows(Block block, unsigned dim, unsigned rows,
                           Point &point, function_ref<void(unsigned)> body) {
  assert(rows > 0 && "no rows at a time");
  auto emitSome = [&](Value low, Value high, unsigned step) {
    auto loop = scf::ForOp::create(rewriter, loc, low, high, constant(step));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    point[dim] = loop.getInductionVar();
    body(step);
  };
  AffineExpr s0, s1;
  bindSymbols(op.getContext(), s0, s1);
  OpFoldResult whole = affine::makeComposedFoldedAffineApply(
      rewriter, loc, s0 + (s1 - s0).floorDiv(rows) * rows,
      {getAsOpFoldResult(block.low), getAsOpFoldResult(block.high)});
  Value end = getValueOrCreateConstantIndexOp(rewriter, loc, whole);
  emitSome(block.low, end, rows);
  std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
  if (rows > 1 && (!size || *size % rows != 0))
    emitSome(end, block.high, 1);
}

SmallVector<LinalgLoops::Point>
LinalgLoops::getRows(const Point &point, unsigned dim, unsigned rows) {
  SmallVector<Point> points(rows, point);
  for (unsigned row = 1; row < rows; ++row)
    points[row][dim] =
        arith::AddIOp::create(rewriter, loc, point[dim], constant(row));
  return points;
}

void LinalgLoops::emitSegments(Block block, const Segments &segments,
                               function_ref<void(Value, const Lanes &)> body) {
  AffineExpr s0, s1;
  bindSymbols(op.getContext(), s0, s1);
  Value low = block.low;
  for (unsigned width : segments.widths) {
    // `end` is where the last whole step from `low` ends.
    OpFoldResult end = affine::makeComposedFoldedAffineApply(
        rewriter, loc, s1 + (s0 - s1).floorDiv(width) * width,
        {getAsOpFoldResult(block.high), getAsOpFoldResult(low)});
    if (getConstantIntValue(end) &&
        getConstantIntValue(end) == getConstantIntValue(low))
      continue;
    Value high = getValueOrCreateConstantIndexOp(rewriter, loc, end);
    auto loop = scf::ForOp::create(rewriter, loc, low, high, constant(width));
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      body(loop.getInductionVar(), Lanes{segments.dim, width, Value()});
    }
    low = high;
  }
  if (!segments.masked)
    return;
  Value isLeft = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                                       low, block.high);
  auto branch = scf::IfOp::create(rewriter, loc, isLeft);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  auto type = VectorType::get({int64_t(segments.masked)}, rewriter.getI1Type());
  Value count = arith::SubIOp::create(rewriter, loc, block.high, low);
  Value mask =
      vector::CreateMaskOp::create(rewriter, loc, type, ValueRange(count));
  body(low, Lanes{segments.dim, segments.masked, mask});
}

SmallVector<Value> LinalgLoops::emitLoops(
    ArrayRef<unsigned> dims, Point point, ValueRange iterArgs,
    function_ref<SmallVector<Value>(const Point &, ValueRange)> body) {
  SmallVector<Value> lows(dims.size(), constant(0));
  SmallVector<Value> steps(dims.size(), constant(1));
  SmallVector<Value> highs;
  for (unsigned dim : dims)
    highs.push_back(getSize(dim));
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, loc, lows, highs, steps, iterArgs,
      [&](OpBuilder &, Location, ValueRange ivs, ValueRange args) {
        // The builder is `rewriter` itself.
        for (auto [dim, iv] : llvm::zip_equal(dims, ivs))
          point[dim] = iv;
        SmallVector<Value> results = body(point, args);
        return scf::ValueVector(results.begin(), results.end());
      });
  return nest.results;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

SmallVector<Value> LinalgLoops::getIndices(OpOperand &operand,
                                           const Point &point) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  assert(point.size() == map.getNumDims() && "an index for each loop");
  SmallVector<OpFoldResult> dims;
  for (Value index : point)
    dims.push_back(index ? getAsOpFoldResult(index)
                         : OpFoldResult(rewriter.getIndexAttr(0)));
  SmallVector<Value> indices;
  for (AffineExpr result : map.getResults())
    indices.push_back(getValueOrCreateConstantIndexOp(
        rewriter, loc,
        affine::makeComposedFoldedAffineApply(
            rewriter, loc, AffineMap::get(map.getNumDims(), 0, result), dims)));
  return indices;
}

Value LinalgLoops::spread(Value value, const Lanes &lanes) {
  if (lanes.count == 1 || isa<VectorType>(value.getType()))
    return value;
  auto type = VectorType::get({int64_t(lanes.count)}, value.getType());
  return vector::BroadcastOp::create(rewriter, loc, type, value);
}

void LinalgLoops::store(Value value, OpOperand &operand, const Point &point,
                        const Lanes &lanes) {
  SmallVector<Value> indices = getIndices(operand, point);
  assert((lanes.count == 1 ||
          getMovement(operand, lanes.dim) == Movement::Contiguous) &&
         "lanes are stored side by side");
  if (lanes.mask)
    vector::MaskedStoreOp::create(rewriter, loc, operand.get(), indices,
                                  lanes.mask, spread(value, lanes));
  else if (lanes.count == 1)
    memref::StoreOp::create(rewriter, loc, value, operand.get(), indices);
  else
    vector::StoreOp::create(rewriter, loc, spread(value, lanes), operand.get(),
                            indices);
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

/// Emits the op on vectors if one of its operands is a vector, on scalars
/// otherwise.
Operation *LinalgLoops::emitOnLanes(Operation &nested, IRMapping &mapping,
                                    const Lanes &lanes) {
  SmallVector<Value> operands;
  for (Value operand : nested.getOperands())
    operands.push_back(mapping.lookupOrDefault(operand));
  bool isVector = llvm::any_of(
      operands, [](Value v) { return isa<VectorType>(v.getType()); });
  if (!isVector)
    return rewriter.clone(nested, mapping);
  for (Value &operand : operands)
    operand = spread(operand, lanes);
  Operation *wide = nested.cloneWithoutRegions(mapping);
  rewriter.insert(wide);
  wide->setOperands(operands);
  for (OpResult result : wide->getResults())
    result.setType(VectorType::get({int64_t(lanes.count)}, result.getType()));
  return wide;
}

void LinalgLoops::emitOp(Operation &nested, IRMapping &mapping,
                         const Point &point, const Lanes &lanes) {
  // Combines that legalize-float left for the order of the reduction.
  std::optional<FloatCombine> combine = getFloatCombine(&nested);
  bool isSmall =
      combine &&
      getElementTypeOrSelf(nested.getResult(0)).getIntOrFloatBitWidth() < 32;
  if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
    Value value = point[index.getDim()];
    if (lanes.count > 1 && index.getDim() == lanes.dim) {
      auto type =
          VectorType::get({int64_t(lanes.count)}, rewriter.getIndexType());
      value =
          arith::AddIOp::create(rewriter, loc, spread(value, lanes),
                                vector::StepOp::create(rewriter, loc, type));
    }
    mapping.map(index.getResult(), value);
  } else if (auto load = dyn_cast<memref::LoadOp>(nested);
             load && lanes.count > 1) {
    mapping.map(load.getResult(), emitBodyLoad(load, point, lanes));
  } else if (isSmall || isa<arith::MaxNumFOp, arith::MinNumFOp>(nested)) {
    Value a = mapping.lookupOrDefault(nested.getOperand(0));
    Value b = mapping.lookupOrDefault(nested.getOperand(1));
    if (isa<VectorType>(a.getType()) || isa<VectorType>(b.getType())) {
      a = spread(a, lanes);
      b = spread(b, lanes);
    }
    mapping.map(nested.getResult(0),
                emitCombine(rewriter, nested.getLoc(), *combine, a, b, bf16));
  } else {
    mapping.map(nested.getResults(),
                emitOnLanes(nested, mapping, lanes)->getResults());
  }
}

void LinalgLoops::emitInvariants(const Point &point,
                                 ArrayRef<unsigned> moving) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    BlockArgument arg = op.getMatchingBlockArgument(input);
    // The values of an input that the loops write are not known before the
    // loops.
    if (!arg.use_empty() &&
        !llvm::is_contained(op.getDpsInits(), input->get()) &&
        llvm::none_of(moving,
                      [&](unsigned dim) { return map.isFunctionOfDim(dim); }))
      invariants.map(arg, load(*input, point, Lanes()));
  }
  for (Operation &nested : op.getBlock()->without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(nested);
    // Loops without reductions have an iteration, and may write what they load.
    auto load = dyn_cast<memref::LoadOp>(nested);
    bool isHoistable =
        load ? reductionDims.empty() &&
                   !llvm::is_contained(op.getDpsInits(), load.getMemref())
             : isPure(&nested);
    if (!isHoistable || nested.getNumRegions() != 0 ||
        nested.getNumResults() != 1 ||
        (index && llvm::is_contained(moving, index.getDim())))
      continue;
    if (llvm::all_of(nested.getOperands(), [&](Value operand) {
          return invariants.contains(operand) ||
                 operand.getParentBlock() != op.getBlock();
        }))
      emitOp(nested, invariants, point, Lanes());
  }
}

void LinalgLoops::setInput(OpOperand &input, Value value) {
  invariants.map(op.getMatchingBlockArgument(&input), value);
}

SmallVector<Value> LinalgLoops::emitBody(ArrayRef<Value> wanted,
                                         ValueRange accumulators,
                                         const Point &point,
                                         const Lanes &lanes) {
  assert((accumulators.empty() ||
          int64_t(accumulators.size()) == op.getNumDpsInits()) &&
         "an accumulator for each output");
  // Only ops that `wanted` needs and ops with effects are emitted.
  DenseSet<Value> needed;
  SmallVector<Operation *> ops =
      listNeeded(wanted, /*onLanes=*/lanes.count > 1, needed);

  IRMapping mapping = invariants;
  for (OpOperand *input : op.getDpsInputOperands())
    if (BlockArgument arg = op.getMatchingBlockArgument(input);
        needed.contains(arg) && !mapping.contains(arg))
      mapping.map(arg, load(*input, point, lanes));
  for (auto [i, arg] : llvm::enumerate(op.getRegionOutputArgs())) {
    if (!accumulators.empty())
      mapping.map(arg, accumulators[i]);
    else if (needed.contains(arg))
      mapping.map(arg, load(*op.getDpsInitOperand(i), point, lanes));
  }
  for (Operation *nested : llvm::reverse(ops))
    if (nested->getNumResults() != 1 || !mapping.contains(nested->getResult(0)))
      emitOp(*nested, mapping, point, lanes);
  SmallVector<Value> values;
  for (Value value : wanted)
    values.push_back(mapping.lookupOrDefault(value));
  return values;
}
