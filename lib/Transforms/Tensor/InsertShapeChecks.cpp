//===- InsertShapeChecks.cpp - Requirements on dimensions -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes are traced back to the dimensions of arguments, so that no check needs
// a tensor in between: fusion does not see the checks. Sizes that a check has
// found equal form classes and are not compared again. A program that is wrong
// for all dimensions is an error here. Indices in data: clamp-indices (N11).
//
//===----------------------------------------------------------------------===//

#include "IndexBounds.h"
#include "ShapeRequirements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "qcc/Dialect/Utils/Notes.h"
#include "qcc/Dialect/Utils/SizeText.h"
#include "qcc/Transforms/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_INSERTSHAPECHECKS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

namespace {
class Checks : ShapeRequirements {
public:
  using ShapeRequirements::ShapeRequirements;

  LogicalResult run();

private:
  void check(Operation *op);
  void checkLoops(linalg::LinalgOp op);
  void checkSlice(Value whole, OffsetSizeAndStrideOpInterface slice);
  void checkElement(Value tensor, ValueRange indices);
  void checkPad(tensor::PadOp op);
  void checkExpansion(tensor::ExpandShapeOp op);
  void checkConcat(tensor::ConcatOp op);
  void checkCondition(cf::AssertOp op);
  void checkAssertion(cf::AssertOp op);
  void checkCarried(ValueRange before, ValueRange after);
};
} // namespace

static bool isNonNegative(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant >= 0;
  Operation *def = cast<Value>(size).getDefiningOp();
  if (isa<tensor::DimOp>(def))
    return true;
  if (auto choice = dyn_cast<arith::SelectOp>(def))
    return isNonNegative(choice.getTrueValue()) &&
           isNonNegative(choice.getFalseValue());
  if (auto apply = dyn_cast<affine::AffineApplyOp>(def))
    if (!isNonNegative(apply.getAffineMap().getResult(0)))
      return false;
  return isa<affine::AffineApplyOp, arith::AddIOp, arith::MulIOp,
             arith::MaxSIOp, arith::MinSIOp, arith::CeilDivSIOp,
             arith::FloorDivSIOp, arith::DivSIOp, arith::RemSIOp>(def) &&
         llvm::all_of(def->getOperands(),
                      [](Value operand) { return isNonNegative(operand); });
}

/// Operands agree about the size of each loop, and hold what the last iteration
/// reads or writes.
void Checks::checkLoops(linalg::LinalgOp op) {
  SmallVector<OpFoldResult> loops(op.getNumLoops());
  struct Access {
    AffineExpr index;
    OpFoldResult size;
  };
  SmallVector<Access> others;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, index] : llvm::enumerate(map.getResults())) {
      OpFoldResult size = sizeOf(operand.get(), dim);
      if (!size)
        continue;
      auto loop = dyn_cast<AffineDimExpr>(index);
      if (!loop)
        others.push_back({index, size});
      else if (!loops[loop.getPosition()])
        loops[loop.getPosition()] = size;
      else
        requireEqual(size, loops[loop.getPosition()]);
    }
  }
  if (llvm::any_of(loops, [](OpFoldResult size) { return !size; }))
    return;
  SmallVector<AffineExpr> last;
  for (auto [i, size] : llvm::enumerate(loops)) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    last.push_back(constant ? builder.getAffineConstantExpr(*constant - 1)
                            : builder.getAffineDimExpr(i) - 1);
  }
  for (const Access &access : others) {
    std::optional<IndexBounds> bounds = boundsOf(access.index, last);
    if (!bounds) {
      refuse(
          "has an indexing map that is not accepted; use sums, products with "
          "constants, floordiv, ceildiv and mod by positive constants");
      continue;
    }
    requireAtMost(builder.getIndexAttr(0), apply(bounds->low, loops),
                  "an operand is read before its first element", loops);
    requireAtMost(
        apply(bounds->high + 1, loops), access.size,
        "an operand is too small, having " + describeSize(access.size), loops);
  }
}

void Checks::checkSlice(Value whole, OffsetSizeAndStrideOpInterface slice) {
  AffineExpr end = builder.getAffineDimExpr(0);
  AffineExpr offset = builder.getAffineDimExpr(1);
  AffineExpr stride = builder.getAffineSymbolExpr(0);
  OpFoldResult zero = builder.getIndexAttr(0);
  for (auto [dim, o, s, t] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides())) {
    OpFoldResult first = known(o), count = known(s), step = known(t);
    OpFoldResult bound = sizeOf(whole, dim);
    if (!count || !step)
      return refuse("takes a slice whose size or stride depends on data or "
                    "changes within a loop; only the offset of a slice may: "
                    "compute the others from constants and dimensions");
    if (!bound)
      continue;
    requireAtMost(zero, count, "a slice has a negative size");
    if (getConstantIntValue(step).value_or(1) < 1)
      return refuse("takes a slice with a stride that is not positive");
    requireAtMost(builder.getIndexAttr(1), step,
                  "a slice has a stride that is not positive");
    if (first)
      requireAtMost(zero, first, "a slice starts at a negative offset");
    // The number of elements from the offset on; from 0 on if the offset
    // depends on data. No operation here overflows.
    auto map = AffineMap::get(2, 1, (end - offset - 1).floorDiv(stride) + 1);
    OpFoldResult room = affine::makeComposedFoldedAffineApply(
        builder, loc, map, {bound, first ? first : zero, step});
    requireAtMost(count, room,
                  "a slice leaves its tensor, of " + describeSize(bound),
                  count);
  }
}

/// The sizes of the loops around an op: if one has no iteration, neither has
/// the op.
static SmallVector<OpFoldResult> loopsAround(
    Operation *op, KnownSizes &sizes,
    llvm::function_ref<OpFoldResult(OpFoldResult, OpFoldResult)> trips) {
  SmallVector<OpFoldResult> result;
  for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent);
       parent = parent->getParentOp()) {
    if (auto structured = dyn_cast<linalg::LinalgOp>(parent)) {
      for (unsigned i = 0; i < structured.getNumLoops(); ++i)
        result.push_back(sizes.sizeOfLoop(structured, i));
    } else if (isa<tensor::GenerateOp, tensor::PadOp>(parent)) {
      Value tensor = parent->getResult(0);
      int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
      for (int64_t dim = 0; dim < rank; ++dim)
        result.push_back(sizes.sizeOf(tensor, dim));
    } else if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      OpFoldResult low = sizes.known(loop.getLowerBound());
      OpFoldResult high = sizes.known(loop.getUpperBound());
      result.push_back(low && high ? trips(low, high) : OpFoldResult());
    }
  }
  llvm::erase_if(result, [](OpFoldResult size) { return !size; });
  return result;
}

/// An index that is known is checked where the access surely happens, or where
/// it is wrong whatever the dimensions are; the others are clamped, which needs
/// an element.
void Checks::checkElement(Value tensor, ValueRange indices) {
  SmallVector<OpFoldResult> loops =
      loopsAround(subject, *this, [&](OpFoldResult low, OpFoldResult high) {
        return apply(builder.getAffineDimExpr(1) - builder.getAffineDimExpr(0),
                     {low, high});
      });
  for (auto [dim, value] : llvm::enumerate(indices)) {
    OpFoldResult bound = sizeOf(tensor, dim);
    if (!bound)
      continue;
    OpFoldResult index = known(value);
    std::optional<int64_t> constant =
        index ? getConstantIntValue(index) : std::nullopt;
    bool bothConstant = constant && getConstantIntValue(bound);
    if (!index || (subject->getBlock() != top && !bothConstant)) {
      // A loop over the dimension has no iteration if there is no element.
      if (llvm::is_contained(loops, bound))
        continue;
      requireAtMost(builder.getIndexAttr(1), bound,
                    "an element of an empty tensor is accessed, having " +
                        describeSize(bound),
                    loops);
      continue;
    }
    std::string what =
        (constant ? "index " + std::to_string(*constant) : "an index") +
        " is outside of " +
        (bothConstant ? "dimension " + std::to_string(dim) + ", which has " +
                            describeSize(bound) + " elements"
                      : describeSize(bound));
    requireAtMost(builder.getIndexAttr(0), index, what, loops);
    requireAtMost(apply(builder.getAffineDimExpr(0) + 1, index), bound, what,
                  loops);
  }
}

void Checks::checkPad(tensor::PadOp op) {
  AffineExpr low = builder.getAffineDimExpr(0),
             size = builder.getAffineDimExpr(1),
             high = builder.getAffineDimExpr(2);
  OpFoldResult zero = builder.getIndexAttr(0);
  for (auto [dim, l, h] :
       llvm::enumerate(op.getMixedLowPad(), op.getMixedHighPad())) {
    OpFoldResult before = known(l), after = known(h);
    if (!before || !after)
      return refuse("adds a width of padding that depends on data; insert "
                    "the tensor into a filled one by tensor.insert_slice, "
                    "whose offset may depend on data");
    requireAtMost(zero, before, "a width of padding is negative");
    requireAtMost(zero, after, "a width of padding is negative");
    OpFoldResult inner = sizeOf(op.getSource(), dim);
    int64_t outer = op.getResultType().getDimSize(dim);
    if (inner && !ShapedType::isDynamic(outer))
      requireEqual(apply(low + size + high, {before, inner, after}),
                   builder.getIndexAttr(outer));
  }
}

void Checks::checkExpansion(tensor::ExpandShapeOp op) {
  SmallVector<OpFoldResult> shape = op.getMixedOutputShape();
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    OpFoldResult size = sizeOf(op.getSrc(), dim);
    SmallVector<OpFoldResult> factors;
    for (int64_t inner : group)
      factors.push_back(known(shape[inner]));
    if (llvm::is_contained(factors, OpFoldResult()))
      return refuse("makes a shape that depends on data or changes within a "
                    "loop; compute it from constants and dimensions");
    requireEqual(size, productOf(factors));
  }
}

void Checks::checkConcat(tensor::ConcatOp op) {
  Value first = op.getInputs().front();
  for (Value input : op.getInputs().drop_front())
    for (int64_t dim = 0; dim < op.getRank(); ++dim)
      if (dim != int64_t(op.getDim()))
        requireEqual(sizeOf(input, dim), sizeOf(first, dim));
}

/// A condition of the program, which has to follow from dimensions.
void Checks::checkCondition(cf::AssertOp op) {
  if (op->getBlock() != top)
    return refuse("stands in a loop or branch: " + op.getMsg() +
                  "; assert it outside");
  if (std::optional<int64_t> constant = getConstantIntValue(op.getArg())) {
    if (*constant == 0)
      refuse("is wrong whatever the shapes are: " + op.getMsg());
    return op.erase();
  }
  if (!isKnown(op.getArg()))
    refuse("asserts a condition that depends on data: " + op.getMsg() +
           "; compute it from constants and dimensions");
}

/// What the lowering of an op asked, a <= b, is asked of dimensions of
/// arguments instead.
void Checks::checkAssertion(cf::AssertOp op) {
  if (!op->hasAttr(kOriginAttr))
    return checkCondition(op);
  auto condition = op.getArg().getDefiningOp<arith::CmpIOp>();
  if (!condition || condition.getPredicate() != arith::CmpIPredicate::sle)
    return;
  OpFoldResult low = known(condition.getLhs()),
               high = known(condition.getRhs());
  if (!low || !high)
    return refuse("asks for a size, and that size depends on data: " +
                  op.getMsg() + "; compute it from constants and dimensions");
  // A constant bound is in the message already.
  std::string bound =
      getConstantIntValue(high) ? "" : ", having " + describeSize(high);
  requireAtMost(low, high, op.getMsg() + bound);
  op.erase();
}

/// What a loop carries keeps its memory, and so its shape.
void Checks::checkCarried(ValueRange before, ValueRange after) {
  for (auto [first, next] : llvm::zip(before, after)) {
    auto type = dyn_cast<RankedTensorType>(first.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim) || first == next)
        continue;
      OpFoldResult size = sizeOf(first, dim), another = sizeOf(next, dim);
      if (!size || !another)
        return refuse("carries a tensor whose size depends on data or changes "
                      "within the loop; carry one whose size follows from "
                      "those of the arguments");
      requireEqual(another, size);
    }
  }
}

void Checks::check(Operation *op) {
  if (!setInsertionPoint(op))
    return;
  subject = op;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return checkCarried(loop.getInitArgs(), loop.getYieldedValues());
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return checkCarried(loop.getInits(), loop.getYieldedValues());
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return checkLoops(structured);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return checkSlice(slice.getSource(), slice);
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op)) {
    checkSlice(slice.getDest(), slice);
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<OpFoldResult> sizes;
    for (auto [i, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped[i])
        sizes.push_back(known(size));
    return requireSizes(slice.getSource(), sizes);
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return checkElement(extract.getTensor(), extract.getIndices());
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return checkElement(insert.getDest(), insert.getIndices());
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return checkPad(pad);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return checkExpansion(expand);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return checkConcat(concat);
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return checkAssertion(assertion);
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(cast.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
      if (!type.isDynamicDim(dim))
        requireEqual(sizeOf(cast.getSource(), dim),
                     builder.getIndexAttr(type.getDimSize(dim)));
    return;
  }
  for (Value size : dynamicSizesOf(op))
    if (OpFoldResult index = known(size); index && !isNonNegative(index))
      requireAtMost(builder.getIndexAttr(0), index,
                    "a tensor has a negative size");
}

LogicalResult Checks::run() {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    check(op);
  return success(ok);
}

namespace {
struct InsertShapeChecks : qcc::impl::InsertShapeChecksBase<InsertShapeChecks> {
  void runOnOperation() override {
    if (getOperation().isPublic() && !getOperation().isDeclaration() &&
        llvm::hasSingleElement(getOperation().getBody()) &&
        failed(Checks(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
