//===- GraphBuilder.cpp - Builds programs for front ends ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::frontend;

std::optional<SmallVector<int64_t>>
frontend::knownSizes(ArrayRef<OpFoldResult> shape) {
  SmallVector<int64_t> sizes;
  for (OpFoldResult size : shape) {
    std::optional<int64_t> known = knownSize(size);
    if (!known)
      return std::nullopt;
    sizes.push_back(*known);
  }
  return sizes;
}

InFlightDiagnostic ProgramBuilder::refuse() {
  return emitError(loc) << "the program ";
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value GraphBuilder::tensor(GraphValue &value) {
  if (value.value)
    return value.value;
  if (value.constant) {
    value.value = arith::ConstantOp::create(b, loc, value.constant);
    return value.value;
  }
  if (std::optional<SmallVector<int64_t>> known = knownSizes(*value.integers)) {
    SmallVector<APInt> words;
    for (int64_t integer : *known)
      words.emplace_back(value.element.getIntOrFloatBitWidth(), integer,
                         /*isSigned=*/true, /*implicitTrunc=*/true);
    value.constant =
        DenseElementsAttr::get(type(value.element, value.shape), words);
    value.value = arith::ConstantOp::create(b, loc, value.constant);
    return value.value;
  }
  // Integers that are known at run time.
  SmallVector<Value> elements;
  for (OpFoldResult integer : *value.integers)
    elements.push_back(value.isBool()
                           ? truth(integer)
                           : arith::IndexCastOp::create(b, loc, value.element,
                                                        index(integer)));
  value.value = tensor::FromElementsOp::create(
      b, loc, type(value.element, value.shape), elements);
  return value.value;
}

Value GraphBuilder::truth(OpFoldResult condition) {
  std::optional<int64_t> known = knownSize(condition);
  return known ? arith::ConstantOp::create(b, loc, b.getBoolAttr(*known != 0))
                     .getResult()
               : cast<Value>(condition);
}

bool GraphBuilder::knowsIntegers(GraphValue &value) {
  if (!value.integers)
    value.integers = Constants::readIntegers(b, value);
  return value.integers.has_value();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Shape GraphBuilder::shape(ArrayRef<int64_t> sizes) {
  Shape result;
  for (int64_t n : sizes)
    result.push_back(size(n));
  return result;
}

Value GraphBuilder::index(OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(b, loc, size);
}

OpFoldResult GraphBuilder::add(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Add, x, y);
}
OpFoldResult GraphBuilder::sub(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Sub, x, y);
}
OpFoldResult GraphBuilder::mul(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Mul, x, y);
}
OpFoldResult GraphBuilder::floorDiv(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::FloorDiv, x, y);
}
OpFoldResult GraphBuilder::ceilDiv(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::CeilDiv, x, y);
}
OpFoldResult GraphBuilder::truncDiv(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::TruncDiv, x, y);
}
OpFoldResult GraphBuilder::min(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Min, x, y);
}
OpFoldResult GraphBuilder::max(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Max, x, y);
}
OpFoldResult GraphBuilder::remainder(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Remainder, x, y);
}
OpFoldResult GraphBuilder::compare(arith::CmpIPredicate predicate,
                                   OpFoldResult x, OpFoldResult y) {
  return sizes.compare(b, loc, predicate, x, y);
}
OpFoldResult GraphBuilder::combine(LogicOp op, OpFoldResult x, OpFoldResult y) {
  return sizes.combine(b, loc, op, x, y);
}
OpFoldResult GraphBuilder::select(OpFoldResult condition, OpFoldResult x,
                                  OpFoldResult y) {
  return sizes.select(b, loc, condition, x, y);
}
OpFoldResult GraphBuilder::broadcastSize(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Broadcast, x, y);
}
OpFoldResult GraphBuilder::repeats(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Repeats, x, y);
}

OpFoldResult GraphBuilder::product(ArrayRef<OpFoldResult> factors) {
  OpFoldResult result = size(1);
  for (OpFoldResult factor : factors)
    result = mul(result, factor);
  return result;
}

RankedTensorType GraphBuilder::type(Type element, const Shape &shape) {
  SmallVector<int64_t> sizes;
  for (OpFoldResult size : shape)
    sizes.push_back(knownSize(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(sizes, element);
}
