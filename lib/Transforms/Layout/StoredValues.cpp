//===- StoredValues.cpp - Values in the order they are stored in ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoredValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include "qcc/Dialect/Utils/Notes.h"

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// A constant with its elements in another order; null where they cannot be
/// read.
static TypedAttr reorderConstant(Value value, ArrayRef<int64_t> order) {
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType stored = inMemory(type, order);
  DenseElementsAttr dense;
  if (matchPattern(value, m_Constant(&dense)) && dense.isSplat())
    return dense.resizeSplat(stored);
  std::optional<ConstantData> data = ConstantData::get(value);
  if (!data)
    return {};
  int64_t size = getElementBytes(type.getElementType());
  SmallVector<int64_t> strides(type.getRank(), size);
  for (int64_t d = type.getRank() - 1; d > 0; --d)
    strides[d - 1] = strides[d] * type.getDimSize(d);
  strides = inMemory(strides, order);
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(data->bytes.size(), 64);
  MutableArrayRef<char> bytes = blob.getMutableData();
  SmallVector<int64_t> index(type.getRank());
  const char *from = data->bytes.data();
  for (size_t to = 0; to < bytes.size(); to += size) {
    std::copy_n(from, size, bytes.data() + to);
    for (int64_t d = type.getRank() - 1; d >= 0; --d) {
      from += strides[d];
      if (++index[d] < stored.getDimSize(d))
        break;
      from -= strides[d] * stored.getDimSize(d);
      index[d] = 0;
    }
  }
  return makeConstant(stored, std::move(blob), data->name);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value StoredValues::freeInOrder(Value value, ArrayRef<int64_t> order) {
  Operation *op = value.getDefiningOp();
  auto type = inMemory(cast<RankedTensorType>(value.getType()), order);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return tensor::EmptyOp::create(rewriter, op->getLoc(),
                                   inMemory(empty.getMixedSizes(), order),
                                   type.getElementType());
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    TypedAttr constant = reorderConstant(value, order);
    return constant
               ? arith::ConstantOp::create(rewriter, op->getLoc(), constant)
                     .getResult()
               : Value();
  }
  auto fill = cast<linalg::GenericOp>(op);
  Value init = inOrder(fill.getDpsInits()[0], order);
  rewriter.setInsertionPointAfter(op);
  auto copy = cast<linalg::GenericOp>(rewriter.clone(*op));
  copy.getDpsInitOperand(0)->set(init);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

Value StoredValues::transpose(Value value, ArrayRef<int64_t> order) {
  Value from = stored(value);
  Order fromOrder = layouts.of(value);
  int64_t rank = order.size();
  Location loc =
      isIdentity(order) ? value.getLoc() : asPartOfLayer(value.getLoc());
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, from),
                            inProgram(rank);
  Order placeIn(rank); // of each dimension in `order`
  for (int64_t i = 0; i < rank; ++i) {
    inProgram[fromOrder[i]] = sizes[i];
    placeIn[order[i]] = i;
  }
  SmallVector<AffineExpr> exprs;
  for (int64_t d : fromOrder)
    exprs.push_back(rewriter.getAffineDimExpr(placeIn[d]));
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, inMemory(inProgram, order), type.getElementType());
  auto move = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), from, empty,
      {AffineMap::get(rank, 0, exprs, rewriter.getContext()),
       rewriter.getMultiDimIdentityMap(rank)},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [](OpBuilder &builder, Location loc, ValueRange args) {
        linalg::YieldOp::create(builder, loc, args.front());
      });
  move->setAttr(kOriginAttr, rewriter.getStringAttr(kLayoutChange));
  if (auto result = dyn_cast<OpResult>(value); result && isIdentity(order)) {
    Operation *op = result.getOwner();
    setValueInfos(
        move, valueInfos(op, op->getNumResults())[result.getResultNumber()]);
  }
  return move.getResult(0);
}

Value StoredValues::inOrder(Value value, ArrayRef<int64_t> order) {
  if (layouts.of(value) == order)
    return stored(value);
  std::pair<Value, Attribute> key(value, rewriter.getDenseI64ArrayAttr(order));
  if (Value other = others.lookup(key))
    return other;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(stored(value));
  Value made;
  if (isFree(value))
    made = freeInOrder(value, order);
  if (!made) {
    rewriter.setInsertionPointAfterValue(stored(value));
    made = transpose(value, order);
  }
  return others[key] = made;
}

void StoredValues::replace(OpResult result, Value value) {
  if (isIdentity(layouts.of(result)))
    rewriter.replaceAllUsesWith(result, value);
  else
    values[result] = value;
}

Location StoredValues::locationOf(OpResult result) const {
  Location loc = result.getLoc();
  Order order = layouts.of(result);
  bool isKnown = !(valueInfo(loc) == ValueInfo());
  return isKnown && !isIdentity(order) ? withOrder(loc, order) : loc;
}
