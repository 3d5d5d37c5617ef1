//===- LinalgLoopsLoads.cpp - Loads of lanes ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands and loads of the body, for a vector of points. Elements side by side
// are one load. Elements a few steps apart in one line are loads of all that
// lies between, and shuffles. All other elements are loaded one at a time.
// Their indices are scalars, computed for each lane: points that differ in a
// row only share them.
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Lane i of the result is the element i * step behind that of the point:
///
///   step 2, 4 lanes: loads a = 0 1 2 3, b = 3 4 5 6; result a0 a2 b1 b3
///
/// The last load ends with the last element, so nothing behind it is read.
Value LinalgLoops::loadStrided(OpOperand &operand, const Point &point,
                               const Lanes &lanes, int64_t step) {
  int64_t count = lanes.count;
  auto element = cast<MemRefType>(operand.get().getType()).getElementType();
  auto vector = VectorType::get({count}, element);
  SmallVector<Value> indices = getIndices(operand, point);
  Value first = indices.back(), result;
  for (int64_t part = 0; part < step; ++part) {
    bool isLast = part + 1 == step;
    int64_t offset = isLast ? part * (count - 1) : part * count;
    indices.back() =
        rewriter.createOrFold<arith::AddIOp>(loc, first, constant(offset));
    Value next =
        vector::LoadOp::create(rewriter, loc, vector, operand.get(), indices);
    if (!result) {
      result = next;
      continue;
    }
    // After the first shuffle, lanes of `result` are where they belong.
    SmallVector<int64_t> mask;
    for (int64_t i = 0; i < count; ++i) {
      int64_t position = i * step;
      bool isHere =
          position >= part * count && (isLast || position < (part + 1) * count);
      mask.push_back(isHere      ? count + position - offset
                     : part == 1 ? std::min(position, count - 1)
                                 : i);
    }
    result = vector::ShuffleOp::create(rewriter, loc, result, next, mask);
  }
  return result;
}

Value LinalgLoops::load(OpOperand &operand, const Point &point,
                        const Lanes &lanes) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return operand.get();
  Movement movement =
      lanes.count == 1 ? Movement::None : getMovement(operand, lanes.dim);
  if (movement == Movement::None)
    return memref::LoadOp::create(rewriter, loc, operand.get(),
                                  getIndices(operand, point));
  auto vector = VectorType::get({int64_t(lanes.count)}, type.getElementType());
  if (movement == Movement::Contiguous) {
    SmallVector<Value> indices = getIndices(operand, point);
    if (!lanes.mask)
      return vector::LoadOp::create(rewriter, loc, vector, operand.get(),
                                    indices);
    Value zeros =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(vector));
    return vector::MaskedLoadOp::create(rewriter, loc, vector, operand.get(),
                                        indices, lanes.mask, zeros);
  }
  assert(!lanes.mask && "masked lanes are contiguous");
  if (std::optional<int64_t> step = getStep(operand, lanes.dim);
      isShuffled(step))
    return loadStrided(operand, point, lanes, *step);
  SmallVector<Value> elements;
  for (const Point &lane : getRows(point, lanes.dim, lanes.count))
    elements.push_back(memref::LoadOp::create(rewriter, loc, operand.get(),
                                              getIndices(operand, lane)));
  return vector::FromElementsOp::create(rewriter, loc, vector, elements);
}
//===----------------------------------------------------------------------===//
// Loads of the body
//===----------------------------------------------------------------------===//

Value LinalgLoops::emitScalar(Value value, IRMapping &mapping,
                              const Point &point) {
  Value known = mapping.lookupOrNull(value);
  if (known && !isa<VectorType>(known.getType()))
    return known;
  if (value.getParentBlock() != op.getBlock())
    return value;
  Value result;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    result = load(*op.getMatchingOpOperand(arg), point, Lanes());
  } else {
    Operation *def = value.getDefiningOp();
    for (Value operand : def->getOperands())
      mapping.map(operand, emitScalar(operand, mapping, point));
    emitOp(*def, mapping, point, Lanes());
    result = mapping.lookup(value);
  }
  mapping.map(value, result);
  return result;
}

Value LinalgLoops::emitBodyLoad(memref::LoadOp load, const Point &point,
                                const Lanes &lanes) {
  assert(!lanes.mask && "bodies with loads are not masked");
  auto getIndicesAt = [&](const Point &at) {
    IRMapping mapping = invariants;
    SmallVector<Value> indices;
    for (Value index : load.getIndices())
      indices.push_back(emitScalar(index, mapping, at));
    return indices;
  };
  Value memref = load.getMemref();
  LoadKind kind = getLoadKind(load, lanes.dim, listVarying(lanes.dim));
  if (kind == LoadKind::Single)
    return memref::LoadOp::create(rewriter, loc, memref, getIndicesAt(point));
  auto vector = VectorType::get({int64_t(lanes.count)}, load.getType());
  if (kind == LoadKind::Contiguous)
    return vector::LoadOp::create(rewriter, loc, vector, memref,
                                  getIndicesAt(point));
  SmallVector<Value> elements;
  for (const Point &lane : getRows(point, lanes.dim, lanes.count))
    elements.push_back(
        memref::LoadOp::create(rewriter, loc, memref, getIndicesAt(lane)));
  return vector::FromElementsOp::create(rewriter, loc, vector, elements);
}
