//===- VectorRegion.cpp - Scalar regions on vectors -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorRegion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace qcc::x86;

SmallVector<Value> qcc::x86::operandIndices(OpBuilder &builder, Location loc,
                                            AffineMap map,
                                            ArrayRef<Value> index) {
  SmallVector<Value> result;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      result.push_back(index[dim.getPosition()]);
    else
      result.push_back(arith::ConstantIndexOp::create(
          builder, loc, cast<AffineConstantExpr>(expr).getValue()));
  }
  return result;
}

/// The permutation map of a transfer along the result that is `vectorDim`, or
/// a null map if there is none.
static AffineMap transferMap(AffineMap map, unsigned vectorDim) {
  MLIRContext *context = map.getContext();
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr == getAffineDimExpr(vectorDim, context))
      return AffineMap::get(map.getNumResults(), 0,
                            getAffineDimExpr(i, context));
  return {};
}

Value qcc::x86::readVector(OpBuilder &builder, Location loc, Value memref,
                           AffineMap map, const VectorPosition &position) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  auto type = VectorType::get({position.lanes}, element);
  SmallVector<Value> indices =
      operandIndices(builder, loc, map, position.index);
  AffineMap transfer = transferMap(map, position.vectorDim);
  if (!transfer) {
    Value scalar = memref::LoadOp::create(builder, loc, memref, indices);
    return vector::BroadcastOp::create(builder, loc, type, scalar);
  }
  Value padding = arith::ConstantOp::create(builder, loc, element,
                                            builder.getZeroAttr(element));
  return vector::TransferReadOp::create(builder, loc, type, memref, indices,
                                        padding, transfer,
                                        ArrayRef<bool>{position.inBounds});
}

void qcc::x86::writeVector(OpBuilder &builder, Location loc, Value vector,
                           Value memref, AffineMap map,
                           const VectorPosition &position) {
  SmallVector<Value> indices =
      operandIndices(builder, loc, map, position.index);
  vector::TransferWriteOp::create(builder, loc, vector, memref, indices,
                                  transferMap(map, position.vectorDim),
                                  ArrayRef<bool>{position.inBounds});
}

SmallVector<Value> qcc::x86::inlineOnVectors(OpBuilder &builder, Region &region,
                                             ValueRange arguments,
                                             unsigned lanes) {
  Block &block = region.front();
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator()) {
    Attribute constant;
    if (matchPattern(&op, m_Constant(&constant))) {
      auto type = VectorType::get({lanes}, op.getResult(0).getType());
      mapping.map(op.getResult(0), arith::ConstantOp::create(
                                       builder, op.getLoc(),
                                       DenseElementsAttr::get(type, constant)));
      continue;
    }
    Operation *clone = builder.clone(op, mapping);
    for (OpResult result : clone->getResults())
      result.setType(VectorType::get({lanes}, result.getType()));
  }
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value v) { return mapping.lookup(v); });
}

SmallVector<Value> qcc::x86::inlineOnScalars(OpBuilder &builder, Region &region,
                                             ValueRange arguments) {
  Block &block = region.front();
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value v) { return mapping.lookup(v); });
}
