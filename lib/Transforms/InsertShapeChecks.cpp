//===- InsertShapeChecks.cpp - What a program asks of its dimensions ------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes are traced back to the dimensions of arguments, so that no check needs
// a tensor in between: fusion does not see the checks. Sizes that are known to
// be equal, because a check before says so, form classes and are not compared
// again. Whatever depends on data cannot be checked before the program runs
// and is left alone.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Refusal.h"
#include "qcc/Transforms/StepInfo.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace qcc {
#define GEN_PASS_DEF_INSERTSHAPECHECKS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

namespace {
class Checks {
public:
  explicit Checks(func::FuncOp func)
      : func(func), top(&func.getBody().front()), builder(func.getContext()) {}

  void run();

private:
  /// Null where the size is not known before the program runs.
  OpFoldResult sizeOf(Value tensor, int64_t dim);
  OpFoldResult sizeOfResult(OpResult tensor, int64_t dim);
  OpFoldResult productOf(ArrayRef<OpFoldResult> factors);
  /// An index in its simplest form, or null.
  OpFoldResult known(OpFoldResult index);
  bool isKnown(Value index);

  Value valueOf(OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(builder, loc, size);
  }
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    auto map = AffineMap::get(operands.size(), 0, expr);
    return affine::makeComposedFoldedAffineApply(builder, loc, map, operands);
  }

  /// a - b, where that is a constant.
  std::optional<int64_t> difference(OpFoldResult a, OpFoldResult b) {
    return getConstantIntValue(apply(
        builder.getAffineDimExpr(0) - builder.getAffineDimExpr(1), {a, b}));
  }
  void require(Value condition, const Twine &what);
  void requireEqual(OpFoldResult a, OpFoldResult b);
  /// a <= b, or one of `empty` is 0.
  void requireAtMost(OpFoldResult a, OpFoldResult b, const Twine &what,
                     ArrayRef<OpFoldResult> empty = {});
  void requireSizes(Value tensor, ArrayRef<OpFoldResult> sizes);

  void check(Operation *op);
  void checkLoops(linalg::LinalgOp op);
  void checkSlice(Value whole, OffsetSizeAndStrideOpInterface slice);
  void checkExpansion(tensor::ExpandShapeOp op);
  void checkConcat(tensor::ConcatOp op);

  func::FuncOp func;
  Block *top;
  OpBuilder builder;
  /// Of the op that is checked.
  Operation *subject = nullptr;
  Location loc = func.getLoc();
  DenseMap<std::pair<Value, int64_t>, Value> argumentSizes;
  llvm::EquivalenceClasses<const void *> equal;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Follows from shapes alone, and exists where checks are inserted.
bool Checks::isKnown(Value index) {
  Operation *def = index.getDefiningOp();
  if (!def || def->getBlock() != top)
    return false;
  if (auto dim = dyn_cast<tensor::DimOp>(def))
    return dim.getConstantIndex().has_value();
  if (def->hasTrait<OpTrait::ConstantLike>())
    return true;
  // A division is not pure, since its divisor may be 0, but has no effect.
  return isMemoryEffectFree(def) && def->getNumRegions() == 0 &&
         isa_and_nonnull<arith::ArithDialect, affine::AffineDialect>(
             def->getDialect()) &&
         llvm::all_of(def->getOperands(),
                      [&](Value operand) { return isKnown(operand); });
}

OpFoldResult Checks::known(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return builder.getIndexAttr(*constant);
  Value value = dyn_cast<Value>(index);
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> constant = dim.getConstantIndex())
      if (OpFoldResult size = sizeOf(dim.getSource(), *constant))
        return size;
  return isKnown(value) ? index : OpFoldResult();
}

OpFoldResult Checks::sizeOf(Value tensor, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || dim < 0 || dim >= type.getRank())
    return {};
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  if (auto result = dyn_cast<OpResult>(tensor))
    return sizeOfResult(result, dim);
  auto arg = cast<BlockArgument>(tensor);
  if (auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp()))
    if (OpOperand *init = loop.getTiedLoopInit(arg))
      return sizeOf(init->get(), dim);
  if (arg.getOwner() != top)
    return {};
  Value &size = argumentSizes[{tensor, dim}];
  if (!size) {
    OpBuilder atStart = OpBuilder::atBlockBegin(top);
    size = tensor::DimOp::create(atStart, func.getLoc(), tensor, dim);
  }
  return size;
}

OpFoldResult Checks::productOf(ArrayRef<OpFoldResult> factors) {
  int64_t constant = 1;
  OpFoldResult product;
  for (OpFoldResult factor : factors) {
    if (!factor)
      return {};
    if (std::optional<int64_t> literal = getConstantIntValue(factor))
      constant *= *literal;
    else if (!product)
      product = factor;
    else // Not affine.
      product =
          arith::MulIOp::create(builder, loc, valueOf(product), valueOf(factor))
              .getResult();
  }
  return product ? apply(builder.getAffineDimExpr(0) * constant, product)
                 : builder.getIndexAttr(constant);
}

OpFoldResult Checks::sizeOfResult(OpResult tensor, int64_t dim) {
  Operation *def = tensor.getOwner();
  if (auto empty = dyn_cast<tensor::EmptyOp>(def))
    return known(empty.getMixedSizes()[dim]);
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(def))
    return sizeOf(destination.getTiedOpOperand(tensor)->get(), dim);
  if (auto cast = dyn_cast<tensor::CastOp>(def))
    return sizeOf(cast.getSource(), dim);
  if (auto loop = dyn_cast<scf::ForOp>(def))
    return sizeOf(loop.getInitArgs()[tensor.getResultNumber()], dim);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(def))
    return known(expand.getMixedOutputShape()[dim]);
  AffineExpr a = builder.getAffineDimExpr(0), b = builder.getAffineDimExpr(1);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(def)) {
    SmallVector<OpFoldResult> factors;
    ReassociationIndices dims = collapse.getReassociationIndices()[dim];
    for (int64_t inner : dims)
      factors.push_back(sizeOf(collapse.getSrc(), inner));
    return productOf(factors);
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(def)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [i, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped[i] && dim-- == 0)
        return known(size);
    return {};
  }
  if (auto pad = dyn_cast<tensor::PadOp>(def)) {
    OpFoldResult low = known(pad.getMixedLowPad()[dim]);
    OpFoldResult high = known(pad.getMixedHighPad()[dim]);
    OpFoldResult size = sizeOf(pad.getSource(), dim);
    if (!low || !high || !size)
      return {};
    return apply(a + b + builder.getAffineDimExpr(2), {low, size, high});
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(def)) {
    if (int64_t(concat.getDim()) != dim)
      return sizeOf(concat.getInputs().front(), dim);
    OpFoldResult sum = builder.getIndexAttr(0);
    for (Value input : concat.getInputs()) {
      OpFoldResult size = sizeOf(input, dim);
      if (!size)
        return {};
      sum = apply(a + b, {sum, size});
    }
    return sum;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Requirements
//===----------------------------------------------------------------------===//

/// Which dimension of which argument a size is; none, if it is another.
static std::optional<std::pair<unsigned, int64_t>>
argumentSize(OpFoldResult size) {
  auto value = dyn_cast<Value>(size);
  auto dim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  auto arg = dim ? dyn_cast<BlockArgument>(dim.getSource()) : BlockArgument();
  if (!arg)
    return std::nullopt;
  return std::pair(arg.getArgNumber(), *dim.getConstantIndex());
}

static std::string nameOf(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return std::to_string(*constant);
  auto argument = argumentSize(size);
  if (!argument)
    return "a size computed from others";
  return "dimension " + std::to_string(argument->second) + " of argument " +
         std::to_string(argument->first);
}

void Checks::require(Value condition, const Twine &what) {
  std::string text = (what + ", by '" + originOf(subject) + "'").str();
  std::string position = sourcePosition(subject->getLoc());
  if (!position.empty())
    text += " at " + position;
  cf::AssertOp::create(builder, loc, condition, text);
}

void Checks::requireEqual(OpFoldResult a, OpFoldResult b) {
  if (!a || !b || a == b ||
      equal.isEquivalent(a.getOpaqueValue(), b.getOpaqueValue()))
    return;
  if (difference(a, b) == 0)
    return;
  // What is said to be wrong is the later argument.
  if (argumentSize(a) < argumentSize(b))
    std::swap(a, b);
  equal.unionSets(a.getOpaqueValue(), b.getOpaqueValue());
  Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     valueOf(a), valueOf(b));
  require(same, nameOf(a) + " must be equal to " + nameOf(b));
}

void Checks::requireAtMost(OpFoldResult a, OpFoldResult b, const Twine &what,
                           ArrayRef<OpFoldResult> empty) {
  if (difference(b, a).value_or(-1) >= 0)
    return;
  Value condition = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle, valueOf(a), valueOf(b));
  for (OpFoldResult size : empty) {
    if (getConstantIntValue(size).value_or(0) > 0)
      continue;
    Value none =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                              valueOf(size), valueOf(builder.getIndexAttr(0)));
    condition = arith::OrIOp::create(builder, loc, condition, none);
  }
  require(condition, what);
}

void Checks::requireSizes(Value tensor, ArrayRef<OpFoldResult> sizes) {
  for (auto [dim, size] : llvm::enumerate(sizes))
    requireEqual(sizeOf(tensor, dim), size);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Whether an expression never falls when a dimension grows.
static bool isMonotone(AffineExpr expr) {
  if (isa<AffineDimExpr, AffineConstantExpr>(expr))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || !isMonotone(binary.getLHS()))
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return isMonotone(binary.getRHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && factor &&
         factor.getValue() >= 0;
}

/// Whether an expression of dimensions that are not negative cannot be.
static bool isNonNegative(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return !binary ||
         (isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS()));
}

static bool isNonNegative(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant >= 0;
  Operation *def = cast<Value>(size).getDefiningOp();
  if (isa<tensor::DimOp>(def))
    return true;
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
  for (unsigned i = 0; i < loops.size(); ++i)
    last.push_back(builder.getAffineDimExpr(i) - 1);
  for (const Access &access : others)
    if (isMonotone(access.index))
      requireAtMost(
          apply(access.index.replaceDims(last) + 1, loops), access.size,
          "an operand is too small, having " + nameOf(access.size), loops);
}

void Checks::checkSlice(Value whole, OffsetSizeAndStrideOpInterface slice) {
  AffineExpr offset = builder.getAffineDimExpr(0);
  AffineExpr size = builder.getAffineDimExpr(1);
  AffineExpr stride = builder.getAffineSymbolExpr(0);
  OpFoldResult zero = builder.getIndexAttr(0);
  for (auto [dim, o, s, t] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides())) {
    OpFoldResult first = known(o), count = known(s), step = known(t);
    OpFoldResult bound = sizeOf(whole, dim);
    if (!first || !count || !step || !bound)
      continue;
    requireAtMost(zero, first, "a slice starts at a negative offset");
    requireAtMost(zero, count, "a slice has a negative size");
    auto map = AffineMap::get(2, 1, offset + (size - 1) * stride + 1);
    OpFoldResult end = affine::makeComposedFoldedAffineApply(
        builder, loc, map, {first, count, step});
    requireAtMost(end, bound, "a slice leaves its tensor, of " + nameOf(bound),
                  count);
  }
}

void Checks::checkExpansion(tensor::ExpandShapeOp op) {
  SmallVector<OpFoldResult> shape = op.getMixedOutputShape();
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    OpFoldResult size = sizeOf(op.getSrc(), dim);
    SmallVector<OpFoldResult> factors;
    for (int64_t inner : group)
      factors.push_back(known(shape[inner]));
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

void Checks::check(Operation *op) {
  Operation *ancestor = top->findAncestorOpInBlock(*op);
  if (!ancestor)
    return;
  subject = op;
  loc = op->getLoc();
  builder.setInsertionPoint(ancestor);
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
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return checkExpansion(expand);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return checkConcat(concat);
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(cast.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
      if (!type.isDynamicDim(dim))
        requireEqual(sizeOf(cast.getSource(), dim),
                     builder.getIndexAttr(type.getDimSize(dim)));
    return;
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    for (OpFoldResult size : empty.getMixedSizes())
      if (OpFoldResult index = known(size); index && !isNonNegative(index))
        requireAtMost(builder.getIndexAttr(0), index,
                      "a tensor has a negative size");
}

void Checks::run() {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    check(op);
}

namespace {
struct InsertShapeChecks : qcc::impl::InsertShapeChecksBase<InsertShapeChecks> {
  void runOnOperation() override {
    if (getOperation().isPublic() && !getOperation().isDeclaration() &&
        llvm::hasSingleElement(getOperation().getBody()))
      Checks(getOperation()).run();
  }
};
} // namespace
