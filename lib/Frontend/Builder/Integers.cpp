//===- Integers.cpp - Arithmetic when a model is imported -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Integers.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::frontend;

bool frontend::fitsType(OpFoldResult integer, Type element) {
  std::optional<int64_t> known = knownSize(integer);
  return !known || element.isInteger(1) ||
         llvm::isIntN(element.getIntOrFloatBitWidth(), *known);
}

std::optional<size_t> frontend::meetIntegers(GraphBuilder &n,
                                             ArrayRef<GraphValue *> values) {
  size_t count = 1;
  for (GraphValue *value : values) {
    if (!n.knowsIntegers(*value) || value->rank() > 1)
      return std::nullopt;
    size_t own = value->integers->size();
    if (own != 1 && count != 1 && own != count)
      return std::nullopt;
    count = own == 1 ? count : own;
  }
  return count;
}

OpFoldResult frontend::integerAt(const GraphValue &value, size_t i) {
  return (*value.integers)[value.integers->size() == 1 ? 0 : i];
}

/// Null if the divisor may be 0 or less.
static OpFoldResult divide(GraphBuilder &n, IntegerOp op, OpFoldResult x,
                           OpFoldResult y) {
  std::optional<int64_t> divisor = knownSize(y);
  if (divisor ? *divisor <= 0 : !n.isNeverNegative(y))
    return {};
  // No model relies on the quotient by a size of 0.
  y = n.max(y, n.size(1));
  bool isFloor = op == IntegerOp::FloorDiv || op == IntegerOp::FloorRem;
  OpFoldResult quotient = isFloor ? n.floorDiv(x, y) : n.truncDiv(x, y);
  if (op == IntegerOp::FloorDiv || op == IntegerOp::TruncDiv)
    return quotient;
  return n.sub(x, n.mul(quotient, y));
}

/// Whether int32 made of a size and a constant wraps for no size that a tensor
/// could have, or the type is wider. Products of two sizes count elements.
static bool fitsSizes(IntegerOp op, OpFoldResult x, OpFoldResult y,
                      Type element) {
  std::optional<int64_t> a = knownSize(x), b = knownSize(y);
  if (element.getIntOrFloatBitWidth() > 32 || (a && b) || (!a && !b))
    return true;
  int64_t most = op == IntegerOp::Mul ? 1 << 15 : 1 << 30;
  return std::abs(a ? *a : *b) <= most;
}

static OpFoldResult compute(GraphBuilder &n, IntegerOp op, OpFoldResult x,
                            OpFoldResult y) {
  switch (op) {
  case IntegerOp::Add:
    return n.add(x, y);
  case IntegerOp::Sub:
    return n.sub(x, y);
  case IntegerOp::Mul:
    return n.mul(x, y);
  case IntegerOp::Min:
    return n.min(x, y);
  case IntegerOp::Max:
    return n.max(x, y);
  default:
    return divide(n, op, x, y);
  }
}

/// Null if the result does not fit the type.
static OpFoldResult computeFitting(GraphBuilder &n, IntegerOp op,
                                   OpFoldResult x, OpFoldResult y,
                                   Type element) {
  if (!fitsSizes(op, x, y, element))
    return {};
  OpFoldResult integer = compute(n, op, x, y);
  return integer && fitsType(integer, element) ? integer : OpFoldResult();
}

std::optional<GraphValue>
frontend::computeIntegers(GraphBuilder &n, IntegerOp op,
                          ArrayRef<GraphValue *> values) {
  std::optional<size_t> count = meetIntegers(n, values);
  if (!count)
    return std::nullopt;
  GraphValue result;
  result.element = values.front()->element;
  result.integers.emplace();
  for (GraphValue *value : values)
    if (value->rank() > 0)
      result.shape = {n.size(*count)};
  for (size_t i = 0; i < *count; ++i) {
    OpFoldResult integer = integerAt(*values.front(), i);
    for (GraphValue *value : values.drop_front()) {
      integer =
          computeFitting(n, op, integer, integerAt(*value, i), result.element);
      if (!integer)
        return std::nullopt;
    }
    result.integers->push_back(integer);
  }
  return result;
}

std::optional<GraphValue> frontend::reduceIntegers(GraphBuilder &n,
                                                   IntegerOp op, GraphValue &x,
                                                   bool keepsDim) {
  if (x.rank() != 1 || x.isBool() || !n.knowsIntegers(x) || x.integers->empty())
    return std::nullopt;
  OpFoldResult integer = x.integers->front();
  for (OpFoldResult next : ArrayRef(*x.integers).drop_front()) {
    integer = computeFitting(n, op, integer, next, x.element);
    if (!integer)
      return std::nullopt;
  }
  GraphValue result;
  result.element = x.element;
  if (keepsDim)
    result.shape = {n.size(1)};
  result.integers = {integer};
  return result;
}
