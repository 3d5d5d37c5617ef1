//===- KnownSizes.cpp - Sizes known at compile time -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace qcc;

bool KnownSizes::isKnown(Value index) {
  Operation *def = index.getDefiningOp();
  if (!def)
    return false;
  if (auto dim = dyn_cast<tensor::DimOp>(def)) {
    std::optional<int64_t> constant = dim.getConstantIndex();
    // The size of a tensor that a loop carries may change from one iteration to
    // the next.
    return constant &&
           (def->getBlock() == top || sizeOf(dim.getSource(), *constant));
  }
  if (def->hasTrait<OpTrait::ConstantLike>())
    return true;
  // A division is not pure, since its divisor may be 0, but it has no effect on
  // memory.
  return isMemoryEffectFree(def) && def->getNumRegions() == 0 &&
         isa_and_nonnull<arith::ArithDialect, affine::AffineDialect>(
             def->getDialect()) &&
         llvm::all_of(def->getOperands(),
                      [&](Value operand) { return isKnown(operand); });
}

ValueRange qcc::dynamicSizesOf(Operation *op) {
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return splat.getDynamicSizes();
  if (isa<tensor::EmptyOp, tensor::GenerateOp>(op))
    return op->getOperands();
  return {};
}

/// A known index, computed in the body of the function.
Value KnownSizes::hoisted(Value index) {
  Operation *def = index.getDefiningOp();
  if (def->getBlock() == top)
    return index;
  if (auto dim = dyn_cast<tensor::DimOp>(def))
    return valueOf(sizeOf(dim.getSource(), *dim.getConstantIndex()));
  IRMapping mapping;
  for (Value operand : def->getOperands())
    mapping.map(operand, hoisted(operand));
  return builder.clone(*def, mapping)
      ->getResult(cast<OpResult>(index).getResultNumber());
}

OpFoldResult KnownSizes::known(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return builder.getIndexAttr(*constant);
  Value value = dyn_cast<Value>(index);
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> constant = dim.getConstantIndex())
      if (OpFoldResult size = sizeOf(dim.getSource(), *constant))
        return size;
  return isKnown(value) ? OpFoldResult(hoisted(value)) : OpFoldResult();
}

OpFoldResult KnownSizes::sizeOf(Value tensor, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || dim < 0 || dim >= type.getRank())
    return {};
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  if (memory == Memory::None)
    return traceSize(tensor, dim);
  if (OpFoldResult known = remembered.lookup({tensor, dim}))
    return known;
  OpFoldResult size = traceSize(tensor, dim);
  // Other sizes are values that need not be there at other insertion points.
  if (size && (isa<Attribute>(size) || isDimOfArgument(size)))
    remembered[{tensor, dim}] = size;
  return size;
}

bool KnownSizes::isDimOfArgument(OpFoldResult size) {
  auto dim = cast<Value>(size).getDefiningOp<tensor::DimOp>();
  auto argument = dim ? dyn_cast<BlockArgument>(dim.getSource()) : nullptr;
  return argument && argument.getOwner() == top && dim.getConstantIndex() &&
         argumentSizes.lookup({argument, *dim.getConstantIndex()}) == dim;
}

OpFoldResult KnownSizes::traceSize(Value tensor, int64_t dim) {
  if (auto result = dyn_cast<OpResult>(tensor))
    return sizeOfResult(result, dim);
  auto arg = cast<BlockArgument>(tensor);
  if (auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp()))
    if (OpOperand *init = loop.getTiedLoopInit(arg))
      return sizeOf(init->get(), dim);
  if (auto loop = dyn_cast<scf::WhileOp>(arg.getOwner()->getParentOp())) {
    bool isBefore = arg.getOwner() == loop.getBeforeBody();
    ValueRange from = isBefore ? loop.getInits()
                               : ValueRange(loop.getConditionOp().getArgs());
    return sizeOf(from[arg.getArgNumber()], dim);
  }
  if (arg.getOwner() != top)
    return {};
  Value &size = argumentSizes[{tensor, dim}];
  if (!size) {
    OpBuilder atStart = OpBuilder::atBlockBegin(top);
    size = tensor::DimOp::create(atStart, func.getLoc(), tensor, dim);
  }
  return size;
}

OpFoldResult KnownSizes::productOf(ArrayRef<OpFoldResult> factors) {
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

OpFoldResult KnownSizes::sizeOfResult(OpResult tensor, int64_t dim) {
  Operation *def = tensor.getOwner();
  if (isa<tensor::EmptyOp, tensor::SplatOp, tensor::GenerateOp>(def)) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return known(dynamicSizesOf(def)[type.getDynamicDimIndex(dim)]);
  }
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(def))
    return sizeOf(destination.getTiedOpOperand(tensor)->get(), dim);
  if (auto cast = dyn_cast<tensor::CastOp>(def))
    return sizeOf(cast.getSource(), dim);
  if (auto loop = dyn_cast<scf::ForOp>(def))
    return sizeOf(loop.getInitArgs()[tensor.getResultNumber()], dim);
  if (auto loop = dyn_cast<scf::WhileOp>(def))
    return sizeOf(loop.getConditionOp().getArgs()[tensor.getResultNumber()],
                  dim);
  // The size that both branches give, if they give the same.
  if (auto branch = dyn_cast<scf::IfOp>(def)) {
    unsigned number = tensor.getResultNumber();
    OpFoldResult size = sizeOf(branch.thenYield().getOperand(number), dim);
    return size == sizeOf(branch.elseYield().getOperand(number), dim)
               ? size
               : OpFoldResult();
  }
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

OpFoldResult KnownSizes::sizeOfLoop(Operation *linalgOp, unsigned loop) {
  auto op = cast<linalg::LinalgOp>(linalgOp);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, index] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (index == getAffineDimExpr(loop, op->getContext()))
        if (OpFoldResult size = sizeOf(operand.get(), dim))
          return size;
  return {};
}

bool KnownSizes::setInsertionPoint(Operation *op) {
  Operation *ancestor = top->findAncestorOpInBlock(*op);
  if (!ancestor)
    return false;
  loc = op->getLoc();
  builder.setInsertionPoint(ancestor);
  return true;
}
