//===- EntrySizes.cpp - Sizes of tensors inside of an entry ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Tuning/EntrySizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

std::optional<int64_t> EntrySizes::valueOf(OpFoldResult index) const {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return constant;
  return valueOf(cast<Value>(index));
}

/// a op b; nothing where that is not defined.
static std::optional<int64_t> compute(Operation *op, int64_t a, int64_t b) {
  bool divides = isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
                     arith::CeilDivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
  if (divides && (a < 0 || b <= 0))
    return std::nullopt;
  int64_t result;
  if (isa<arith::AddIOp>(op))
    return __builtin_add_overflow(a, b, &result) ? std::nullopt
                                                 : std::optional(result);
  if (isa<arith::SubIOp>(op))
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt
                                                 : std::optional(result);
  if (isa<arith::MulIOp>(op))
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt
                                                 : std::optional(result);
  if (isa<arith::DivSIOp, arith::DivUIOp>(op))
    return a / b;
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return a / b + (a % b != 0);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return a % b;
  if (isa<arith::MinSIOp>(op))
    return std::min(a, b);
  if (isa<arith::MaxSIOp>(op))
    return std::max(a, b);
  return std::nullopt;
}

std::optional<int64_t> EntrySizes::valueOf(Value index) const {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = index.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> number = valueOf(dim.getIndex());
    return number ? sizeOf(dim.getSource(), *number) : std::nullopt;
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<Attribute> operands, results;
    for (Value operand : apply.getMapOperands()) {
      std::optional<int64_t> value = valueOf(operand);
      if (!value)
        return std::nullopt;
      operands.push_back(IntegerAttr::get(operand.getType(), *value));
    }
    if (failed(apply.getAffineMap().constantFold(operands, results)))
      return std::nullopt;
    return cast<IntegerAttr>(results.front()).getInt();
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return valueOf(op->getOperand(0));
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  std::optional<int64_t> a = valueOf(op->getOperand(0));
  std::optional<int64_t> b = a ? valueOf(op->getOperand(1)) : std::nullopt;
  return b ? compute(op, *a, *b) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The initial value of what a loop carries; null for other values.
static Value initOfLoop(Value value) {
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return loop.getInitArgs()[cast<OpResult>(value).getResultNumber()];
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      if (argument.getArgNumber() > 0)
        return loop.getInitArgs()[argument.getArgNumber() - 1];
  return {};
}

std::optional<int64_t> EntrySizes::sizeOf(Value tensor, int64_t dim) const {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || dim < 0 || dim >= type.getRank())
    return std::nullopt;
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  // What a loop carries keeps its shape.
  if (Value init = initOfLoop(tensor))
    return sizeOf(init, dim);
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    unsigned number = argument.getArgNumber();
    if (argument.getOwner() != body || number >= shapes.size() ||
        dim >= (int64_t)shapes[number].size())
      return std::nullopt;
    return shapes[number][dim];
  }
  Operation *op = tensor.getDefiningOp();
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return sizeOf(destination.getTiedOpOperand(cast<OpResult>(tensor))->get(),
                  dim);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return valueOf(empty.getMixedSizes()[dim]);
  if (auto generate = dyn_cast<tensor::GenerateOp>(op))
    return valueOf(generate.getDynamicExtents()[type.getDynamicDimIndex(dim)]);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return sizeOf(cast.getSource(), dim);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return valueOf(expand.getMixedOutputShape()[dim]);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    int64_t product = 1;
    ReassociationIndices dims = collapse.getReassociationIndices()[dim];
    for (int64_t i : dims) {
      std::optional<int64_t> size = sizeOf(collapse.getSrc(), i);
      if (!size || __builtin_mul_overflow(product, *size, &product))
        return std::nullopt;
    }
    return product;
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<OpFoldResult> kept;
    for (auto [i, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(i))
        kept.push_back(size);
    assert(dim < int64_t(kept.size()) &&
           "a slice has the dimensions that are not dropped");
    return valueOf(kept[dim]);
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    auto low = valueOf(pad.getMixedLowPad()[dim]);
    auto high = valueOf(pad.getMixedHighPad()[dim]);
    auto size = sizeOf(pad.getSource(), dim);
    if (!low || !high || !size)
      return std::nullopt;
    return *low + *size + *high;
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    if (dim != (int64_t)concat.getDim())
      return sizeOf(concat.getInputs().front(), dim);
    int64_t sum = 0;
    for (Value input : concat.getInputs()) {
      std::optional<int64_t> size = sizeOf(input, dim);
      if (!size)
        return std::nullopt;
      sum += *size;
    }
    return sum;
  }
  return std::nullopt;
}

std::optional<std::vector<int64_t>> EntrySizes::shapeOf(Value tensor) const {
  std::vector<int64_t> shape;
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t i = 0; i < rank; ++i) {
    std::optional<int64_t> size = sizeOf(tensor, i);
    if (!size)
      return std::nullopt;
    shape.push_back(*size);
  }
  return shape;
}
