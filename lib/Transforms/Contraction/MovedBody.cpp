//===- MovedBody.cpp - Bodies that become parts of a contraction ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MovedBody.h"
#include "ContractionRewrites.h"
#include "Uniform.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace qcc;

/// The position of an operand in the list, appended if it is not there.
static unsigned indexOf(SmallVectorImpl<MappedOperand> &list,
                        MappedOperand operand) {
  for (auto [i, other] : llvm::enumerate(list))
    if (other.value == operand.value && other.map == operand.map)
      return i;
  list.push_back(operand);
  return list.size() - 1;
}

/// A scalar that the body of a generic captures, as an operand without
/// dimensions.
static MappedOperand capturedOperand(OpBuilder &builder, Location loc,
                                     Value scalar, unsigned loops) {
  auto map = AffineMap::get(loops, 0, builder.getContext());
  if (auto extract = scalar.getDefiningOp<tensor::ExtractOp>())
    if (extract.getTensor().getType().getRank() == 0)
      return {extract.getTensor(), map};
  auto type = RankedTensorType::get({}, scalar.getType());
  return {tensor::FromElementsOp::create(builder, loc, type, scalar), map};
}

SmallVector<Value> qcc::capturedScalars(linalg::GenericOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  SmallVector<Value> result;
  for (Value value : captured)
    if (!matchPattern(value, m_Constant()))
      result.push_back(value);
  return result;
}

/// Whether the dimensions of `part` are some of those of `whole` in the same
/// order: what was broadcast, and not transposed, is read in vectors still.
static bool keepsOrder(AffineMap whole, AffineMap part) {
  ArrayRef<AffineExpr> rest = whole.getResults();
  for (AffineExpr expr : part.getResults()) {
    if (!isa<AffineDimExpr>(expr))
      continue;
    while (!rest.empty() && rest.front() != expr)
      rest = rest.drop_front();
    if (rest.empty())
      return false;
    rest = rest.drop_front();
  }
  return true;
}

/// An argument of the block for each operand, after the leading ones.
void MovedBody::bindOperand(Value inner, MappedOperand operand) {
  unsigned index = leading + indexOf(operands, operand);
  while (block->getNumArguments() <= index)
    block->addArgument(getElementTypeOrSelf(operand.value.getType()),
                       from.getLoc());
  assert(index < block->getNumArguments() &&
         "an argument for the element, then one for each operand");
  mapping.map(inner, block->getArgument(index));
}

void MovedBody::bindScalar(Value inner, Value scalar) {
  bindOperand(inner, capturedOperand(rewriter, from.getLoc(), scalar, loops));
}

void MovedBody::bind(OpOperand &operand, AffineMap map) {
  Value inner = from.getMatchingBlockArgument(&operand);
  Uniform uniform = uniformOf(operand.get());
  if (uniform.constant) {
    OpBuilder inBlock(rewriter.getContext()); // the block may have no parent
    if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
      inBlock.setInsertionPoint(&block->back());
    else
      inBlock.setInsertionPointToEnd(block);
    mapping.map(inner, arith::ConstantOp::create(inBlock, from.getLoc(),
                                                 uniform.constant));
  } else if (uniform.scalar) {
    bindScalar(inner, uniform.scalar);
  } else if (isa<RankedTensorType>(operand.get().getType())) {
    MappedOperand moved{operand.get(), map};
    absorbMovement(moved);
    bindOperand(inner, keepsOrder(map, moved.map)
                           ? moved
                           : MappedOperand{operand.get(), map});
  } else {
    bindScalar(inner, operand.get());
  }
}

void MovedBody::bindCapturedScalars() {
  for (Value scalar : capturedScalars(from))
    bindScalar(scalar, scalar);
}

SmallVector<Value> MovedBody::clone() {
  rewriter.setInsertionPoint(block->getTerminator());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(from.getRegion(), captured);
  for (Value value : captured)
    if (!mapping.contains(value))
      mapping.map(value,
                  rewriter.clone(*value.getDefiningOp())
                      ->getResult(cast<OpResult>(value).getResultNumber()));
  for (Operation &inner : from.getBody()->without_terminator())
    rewriter.clone(inner, mapping);
  return llvm::map_to_vector(
      from.getBody()->getTerminator()->getOperands(),
      [&](Value v) { return mapping.lookupOrDefault(v); });
}
