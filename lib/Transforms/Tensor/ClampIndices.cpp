//===- ClampIndices.cpp - Indices that data gives, into range (N11) -------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known before the program runs was checked by insert-shape-checks. An
// index of which a range of values or the loop that counts it shows that it is
// inside stays as it is.
//
//===----------------------------------------------------------------------===//

#include "../KnownSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "qcc/Analysis/NumberRange.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "clamp-indices"

namespace qcc {
#define GEN_PASS_DEF_CLAMPINDICES
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numClamped, "Indices clamped");
ALWAYS_ENABLED_STATISTIC(numInRange,
                         "Indices that are in range by what is known");

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {
/// Which values an integer may have, from constants, elements of constant
/// tensors, types and static sizes.
class Ranges {
public:
  ConstantIntRanges of(Value value, unsigned depth = 0);

private:
  std::optional<ConstantIntRanges> infer(Value value, unsigned depth);

  static constexpr unsigned kMaxDepth = 32;
  DenseMap<Value, ConstantIntRanges> known;
};
} // namespace

static ConstantIntRanges below(int64_t size) {
  return ConstantIntRanges::fromSigned(
      APInt(64, 0), APInt(64, std::max<int64_t>(size, 1) - 1));
}

/// The number of iterations that an index counts, if it is static.
static int64_t iterationsOf(Value index) {
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return loop->getParentOfType<linalg::LinalgOp>()
        .getStaticLoopRanges()[loop.getDim()];
  auto arg = dyn_cast<BlockArgument>(index);
  if (arg &&
      isa<tensor::GenerateOp, tensor::PadOp>(arg.getOwner()->getParentOp()))
    return cast<RankedTensorType>(
               arg.getOwner()->getParentOp()->getResult(0).getType())
        .getDimSize(arg.getArgNumber());
  return ShapedType::kDynamic;
}

/// Of a constant tensor, such as a table of indices.
static std::optional<ConstantIntRanges> rangeOfElements(Value tensor) {
  Type element = getElementTypeOrSelf(tensor.getType());
  std::optional<NumberRange> range =
      element.isSignlessInteger()
          ? rangeOfConstant(tensor, /*isUnsigned=*/false)
          : std::nullopt;
  if (!range)
    return std::nullopt;
  auto limit = [&](double value) {
    return APInt(element.getIntOrFloatBitWidth(), int64_t(value),
                 /*isSigned=*/true);
  };
  return ConstantIntRanges::fromSigned(limit(range->low), limit(range->high));
}

std::optional<ConstantIntRanges> Ranges::infer(Value value, unsigned depth) {
  int64_t iterations = iterationsOf(value);
  if (!ShapedType::isDynamic(iterations))
    return below(iterations);
  Operation *def = value.getDefiningOp();
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (auto op = dyn_cast<linalg::LinalgOp>(arg.getOwner()->getParentOp())) {
      // What a reduction has so far is another value than it began with.
      OpOperand *operand = op.getMatchingOpOperand(arg);
      return op.isDpsInput(operand) ? rangeOfElements(operand->get())
                                    : std::nullopt;
    }
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop || arg != loop.getInductionVar() || !value.getType().isIndex())
      return std::nullopt;
    APInt low = of(loop.getLowerBound(), depth + 1).smin();
    APInt high = of(loop.getUpperBound(), depth + 1).smax();
    if (high.isMinSignedValue() || low.sge(high))
      return std::nullopt;
    return ConstantIntRanges::fromSigned(low, high - 1);
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(def))
    return rangeOfElements(extract.getTensor());
  auto inferable = dyn_cast<InferIntRangeInterface>(def);
  if (!inferable || depth > kMaxDepth)
    return std::nullopt;
  // Overflow wraps (N8), even if flags of the program promise no overflow.
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(def);
  if (flags &&
      flags.getOverflowAttr().getValue() != arith::IntegerOverflowFlags::none)
    return std::nullopt;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : def->getOperands()) {
    if (!operand.getType().isIntOrIndex())
      return std::nullopt;
    operands.push_back(of(operand, depth + 1));
  }
  std::optional<ConstantIntRanges> result;
  inferable.inferResultRanges(operands,
                              [&](Value out, const ConstantIntRanges &range) {
                                if (out == value)
                                  result = range;
                              });
  return result;
}

ConstantIntRanges Ranges::of(Value value, unsigned depth) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  ConstantIntRanges range =
      infer(value, depth).value_or(ConstantIntRanges::maxRange(width));
  known.insert({value, range});
  return range;
}

//===----------------------------------------------------------------------===//
// Clamps
//===----------------------------------------------------------------------===//

namespace {
class Clamps {
public:
  explicit Clamps(func::FuncOp func)
      : func(func), top(&func.getBody().front()), sizes(func) {}

  void run();

private:
  void clampElement(Operation *op, Value tensor, MutableOperandRange indices);
  void clampSlice(Operation *op, Value tensor);
  OpFoldResult sizeOf(Operation *op, Value tensor, int64_t dim);
  bool countsLoopOf(Value index, OpFoldResult size);
  /// Makes an operand at least 0 and at most `limit`.
  void clamp(OpOperand &index, OpFoldResult limit);

  func::FuncOp func;
  Block *top;
  KnownSizes sizes;
  Ranges ranges;
};
} // namespace

OpFoldResult Clamps::sizeOf(Operation *op, Value tensor, int64_t dim) {
  if (OpFoldResult size = sizes.sizeOf(tensor, dim))
    return size;
  OpBuilder builder(op);
  return tensor::DimOp::create(builder, op->getLoc(), tensor, dim).getResult();
}

/// Whether an index counts the iterations of a loop of `size` iterations.
bool Clamps::countsLoopOf(Value index, OpFoldResult size) {
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return sizes.sizeOfLoop(loop->getParentOfType<linalg::LinalgOp>(),
                            loop.getDim()) == size;
  auto arg = dyn_cast<BlockArgument>(index);
  if (!arg || !size)
    return false;
  Operation *parent = arg.getOwner()->getParentOp();
  if (isa<tensor::GenerateOp, tensor::PadOp>(parent))
    return sizes.sizeOf(parent->getResult(0), arg.getArgNumber()) == size;
  auto loop = dyn_cast<scf::ForOp>(parent);
  return loop && arg == loop.getInductionVar() &&
         ranges.of(loop.getLowerBound()).smin().isNonNegative() &&
         sizes.known(loop.getUpperBound()) == size;
}

void Clamps::clamp(OpOperand &index, OpFoldResult limit) {
  Operation *op = index.getOwner();
  OpBuilder builder(op);
  Location loc = op->getLoc();
  ConstantIntRanges range = ranges.of(index.get());
  assert(range.smin().sle(range.smax()) && "a range has values");
  std::optional<int64_t> constant = getConstantIntValue(limit);
  Value value = index.get();
  if (!range.smin().isNonNegative())
    value = arith::MaxSIOp::create(
        builder, loc, value, arith::ConstantIndexOp::create(builder, loc, 0));
  if (!constant || range.smax().sgt(*constant))
    value = arith::MinSIOp::create(
        builder, loc, value,
        getValueOrCreateConstantIndexOp(builder, loc, limit));
  ++(value == index.get() ? numInRange : numClamped);
  LDBG() << (value == index.get() ? "leaves" : "clamps") << " operand "
         << index.getOperandNumber() << " of " << op->getName() << " at " << loc
         << ", in [" << range.smin() << ", " << range.smax() << "]";
  index.set(value);
}

void Clamps::clampElement(Operation *op, Value tensor,
                          MutableOperandRange indices) {
  for (auto [dim, index] : llvm::enumerate(indices)) {
    sizes.setInsertionPoint(op);
    // For ops at the top of the function, insert-shape-checks has asserted that
    // known indices are in range.
    if (op->getBlock() == top && sizes.isKnown(index.get()))
      continue;
    OpFoldResult size = sizes.sizeOf(tensor, dim);
    if (size && countsLoopOf(index.get(), size))
      continue;
    // The limit is computed outside of a body where that is possible.
    AffineExpr last = getAffineDimExpr(0, op->getContext()) - 1;
    OpBuilder builder(op);
    clamp(index,
          size ? sizes.apply(last, size)
               : affine::makeComposedFoldedAffineApply(
                     builder, op->getLoc(), last, sizeOf(op, tensor, dim)));
  }
}

void Clamps::clampSlice(Operation *op, Value tensor) {
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
  unsigned first = slice.getOffsetSizeAndStrideStartOperandIndex();
  for (int64_t dim = 0, rank = slice.getStaticOffsets().size(); dim < rank;
       ++dim) {
    if (!slice.isDynamicOffset(dim))
      continue;
    assert(first < op->getNumOperands() && "dynamic offsets are operands");
    OpOperand &offset = op->getOpOperand(first++);
    sizes.setInsertionPoint(op);
    OpFoldResult count = sizes.known(slice.getMixedSizes()[dim]);
    OpFoldResult step = sizes.known(slice.getMixedStrides()[dim]);
    if (sizes.known(offset.get()) || !count || !step)
      continue;
    OpFoldResult size = sizeOf(op, tensor, dim);
    if (getConstantIntValue(count) == 1 && countsLoopOf(offset.get(), size))
      continue;
    // size - ((count - 1) * step + 1)
    AffineExpr n = getAffineDimExpr(0, op->getContext()),
               c = getAffineDimExpr(1, op->getContext()),
               s = getAffineSymbolExpr(0, op->getContext());
    OpBuilder builder(op);
    clamp(offset,
          affine::makeComposedFoldedAffineApply(
              builder, op->getLoc(), AffineMap::get(2, 1, n - (c - 1) * s - 1),
              {size, count, step}));
  }
}

void Clamps::run() {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      clampElement(op, extract.getTensor(), extract.getIndicesMutable());
    else if (auto insert = dyn_cast<tensor::InsertOp>(op))
      clampElement(op, insert.getDest(), insert.getIndicesMutable());
    else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      clampSlice(op, slice.getSource());
    else if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
      clampSlice(op, slice.getDest());
    else if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
      if (!dim.getConstantIndex() && type)
        clamp(dim.getIndexMutable(),
              OpBuilder(op).getIndexAttr(type.getRank() - 1));
    }
  }
}

namespace {
struct ClampIndices : qcc::impl::ClampIndicesBase<ClampIndices> {
  void runOnOperation() override {
    if (getOperation().isPublic() && !getOperation().isDeclaration() &&
        llvm::hasSingleElement(getOperation().getBody()))
      Clamps(getOperation()).run();
  }
};
} // namespace
