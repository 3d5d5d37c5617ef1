//===- Indexing.cpp - Elements at places that are data --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "../../Builder/Constants.h"
#include "../Compose.h"
#include "../FoldNumbers.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

Value onnx::toIndex(Scalars &s, Value element, Value size) {
  Value index =
      arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), element);
  Value zero = s.constant(index.getType(), 0);
  return s.select(s.less(index, zero), s.add(index, size), index);
}

/// The result of a Gather of known integers by known indices, or nothing.
static std::optional<GraphValue> gatherIntegers(NodeImporter &n) {
  GraphValue &x = n.in(0), &places = n.in(1);
  if (!n.knowsIntegers(x) || !n.knowsIntegers(places) || x.rank() != 1)
    return std::nullopt;
  GraphValue result;
  result.element = x.element;
  result.shape = places.shape;
  result.integers.emplace();
  int64_t size = x.integers->size();
  for (OpFoldResult place : *places.integers) {
    std::optional<int64_t> i = knownSize(place);
    if (!i || *i < -size || *i >= size)
      return std::nullopt;
    result.integers->push_back((*x.integers)[*i < 0 ? *i + size : *i]);
  }
  return result;
}

LogicalResult onnx::verifyRange(NodeImporter &n, OpFoldResult size) {
  std::optional<int64_t> known = knownSize(size);
  std::optional<SmallVector<OpFoldResult>> places =
      Constants::readIntegers(n.b, n.in(1));
  if (!known || !places)
    return success();
  for (OpFoldResult place : *places)
    if (int64_t i = *knownSize(place); i < -*known || i >= *known)
      return n.refuse() << "takes element " << i << " of a dimension of "
                        << *known << "; correct the indices";
  return success();
}

LogicalResult onnx::importGather(NodeImporter &n) {
  GraphValue &x = n.in(0), &places = n.in(1);
  FailureOr<int64_t> axis = n.axis(0, x.rank());
  if (failed(axis))
    return failure();
  if (std::optional<GraphValue> integers = gatherIntegers(n))
    return n.set(0, *integers);
  if (failed(verifyRange(n, x.shape[*axis])))
    return failure();
  Shape shape(x.shape.begin(), x.shape.begin() + *axis);
  llvm::append_range(shape, places.shape);
  shape.append(x.shape.begin() + *axis + 1, x.shape.end());
  Value from = n.value(1), size = n.index(x.shape[*axis]);
  int64_t count = places.rank();
  return n.set(0, gather(n, x, shape, [&](Scalars &s, ValueRange at) {
                 Value element = s.extract(from, at.slice(*axis, count));
                 SmallVector<Value> indices(at.take_front(*axis));
                 indices.push_back(toIndex(s, element, size));
                 llvm::append_range(indices, at.drop_front(*axis + count));
                 return indices;
               }));
}

LogicalResult onnx::importGatherElements(NodeImporter &n) {
  GraphValue &x = n.in(0), &places = n.in(1);
  FailureOr<int64_t> axis = n.axis(0, x.rank());
  if (failed(axis))
    return failure();
  if (places.rank() != x.rank())
    return n.refuse() << "has indices with another number of dimensions than "
                         "its input; correct them";
  Value from = n.value(1), size = n.index(x.shape[*axis]);
  return n.set(0, gather(n, x, places.shape, [&](Scalars &s, ValueRange at) {
                 SmallVector<Value> indices(at);
                 indices[*axis] = toIndex(s, s.extract(from, at), size);
                 return indices;
               }));
}

LogicalResult onnx::importGatherND(NodeImporter &n) {
  GraphValue &x = n.in(0), &places = n.in(1);
  int64_t batch = n.getInt("batch_dims", 0);
  std::optional<int64_t> depth =
      places.rank() > 0 ? knownSize(places.shape.back()) : std::nullopt;
  if (!depth || batch < 0 || batch >= places.rank() || *depth < 1 ||
      batch + *depth > x.rank())
    return n.refuse() << "has indices whose last size, or batch_dims, does not "
                         "fit its input; correct them";
  Shape shape(places.shape.begin(), places.shape.end() - 1);
  shape.append(x.shape.begin() + batch + *depth, x.shape.end());
  Value from = n.value(1);
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < *depth; ++i)
    sizes.push_back(n.index(x.shape[batch + i]));
  int64_t outer = places.rank() - 1;
  return n.set(0, gather(n, x, shape, [&](Scalars &s, ValueRange at) {
                 SmallVector<Value> indices(at.take_front(batch));
                 for (int64_t i = 0; i < *depth; ++i) {
                   SmallVector<Value> place(at.take_front(outer));
                   place.push_back(s.constant(s.b.getIndexType(), i));
                   indices.push_back(
                       toIndex(s, s.extract(from, place), sizes[i]));
                 }
                 llvm::append_range(indices, at.drop_front(outer));
                 return indices;
               }));
}

//===----------------------------------------------------------------------===//
// OneHot and Hardmax
//===----------------------------------------------------------------------===//

/// `on` at the places of a new dimension `axis` of `depth` elements, `off` at
/// the others. A negative place counts from the end, and one that the dimension
/// does not have is nowhere.
static Composer::Ref mark(NodeImporter &n, Composer &c, Composer::Ref places,
                          int64_t axis, OpFoldResult depth, Composer::Ref on,
                          Composer::Ref off) {
  Type i64 = n.b.getI64Type();
  Composer::Ref data = c.convert(places, i64);
  Shape column = data->shape, row(data->rank() + 1 - axis, n.size(1));
  column.insert(column.begin() + axis, n.size(1));
  row.front() = depth;
  Value end = arith::IndexCastOp::create(n.b, n.loc, i64, n.index(depth));
  Value own = tabulate(n, {depth}, i64, [&](Scalars &s, ValueRange i) -> Value {
    return arith::IndexCastOp::create(s.b, s.loc, i64, i[0]);
  });
  Composer::Ref line = c.reshape(c.hold(toGraphValue(own, {depth})), row);
  Composer::Ref isPlace =
      c.map({c.reshape(data, column), line}, n.b.getI1Type(),
            [&](Scalars &s, ValueRange args) {
              Value isNegative = s.less(args[0], s.constant(i64, 0));
              Value place = s.select(isNegative, s.add(args[0], end), args[0]);
              return s.equal(place, args[1]);
            });
  return c.op("Where", {isPlace, on, off});
}

LogicalResult onnx::importOneHot(NodeImporter &n) {
  GraphValue &places = n.in(0), &values = n.in(2);
  auto axis = n.axis(-1, places.rank() + 1);
  if (failed(axis))
    return failure();
  OpFoldResult depth;
  if (auto number = readNumbers(n.in(1));
      number && number->size() == 1 && std::abs(number->front()) < INT32_MAX)
    depth = n.size(static_cast<int64_t>(number->front()));
  if (!depth && !n.in(1).isFloat()) {
    auto given = n.integers(1, "its depth");
    if (failed(given))
      return failure();
    if (given->size() == 1)
      depth = given->front();
  }
  if (!depth || (knownSize(depth) && *knownSize(depth) < 1) ||
      knownSizes(values.shape) != SmallVector<int64_t>{2})
    return n.refuse() << "has a depth that is no positive number, or values "
                         "that are not two; correct them";
  Composer c(n);
  Composer::Ref off = c.reshape(c.part(&values, 0, n.size(0), n.size(1)), {}),
                on = c.reshape(c.part(&values, 0, n.size(1), n.size(1)), {});
  return c.set(0, mark(n, c, &places, *axis, depth, on, off));
}

/// 1 at the first of the greatest elements along a dimension, else 0; before
/// operator set 13 of all dimensions from this one on.
LogicalResult onnx::importHardmax(NodeImporter &n) {
  Composer c(n);
  Composer::Ref x = c.in(0);
  FailureOr<int64_t> axis = n.axis(n.since < 13 ? 1 : -1, x->rank());
  if (failed(axis))
    return failure();
  if (n.since < 13) {
    x = c.op("Flatten", {x}, {attribute("axis", *axis)});
    axis = 1;
  }
  Composer::Ref places =
      c.op("ArgMax", {x},
           {attribute("axis", *axis), attribute("keepdims", int64_t(0))});
  if (c.failed())
    return failure();
  Composer::Ref y = mark(n, c, places, *axis, x->shape[*axis], c.number(x, 1),
                         c.number(x, 0));
  return c.set(0, c.reshape(y, n.in(0).shape));
}
