//===- Sizes.cpp - Shapes, and values of a given shape --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Codes.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

/// SHAPE and RANK.
LogicalResult tflite::importShapeOf(OpImporter &n) {
  GraphValue &x = n.in(0);
  GraphValue result;
  result.element = n.resultElement();
  if (!result.element.isInteger(32) && !result.element.isInteger(64))
    return n.refuse() << "gives sizes of type " << typeName(n.result().type)
                      << "; correct the model";
  result.integers.emplace();
  if (n.op.code == code::RANK) {
    result.integers->push_back(n.size(x.rank()));
    return n.set(result);
  }
  result.shape = {n.size(x.rank())};
  llvm::append_range(*result.integers, x.shape);
  return n.set(result);
}

/// Refuses a shape with a size that is negative.
static FailureOr<Shape> readShape(OpImporter &n, unsigned i) {
  auto sizes = n.integers(i, "its shape");
  if (failed(sizes))
    return failure();
  for (OpFoldResult size : *sizes)
    if (int64_t known = knownSize(size).value_or(0);
        known < 0 || known > kMostSize)
      return n.refuse() << "has a shape with the size " << known
                        << "; correct the model";
  return Shape(*sizes);
}

/// FILL and BROADCAST_TO.
LogicalResult tflite::importFill(OpImporter &n) {
  bool isFill = n.op.code == code::FILL;
  auto shape = readShape(n, isFill ? 0 : 1);
  if (failed(shape))
    return failure();
  GraphValue &x = n.in(isFill ? 1 : 0);
  if (isFill && x.rank() != 0)
    return n.refuse() << "fills by several values; correct the model";
  auto common = broadcast(n, {&x.shape, &*shape});
  if (failed(common))
    return failure();
  if (common->size() != shape->size())
    return n.refuse() << "has a shape with fewer dimensions than its operand; "
                         "correct the model";
  return n.set(broadcastTo(n, x, *common));
}

LogicalResult tflite::importZerosLike(OpImporter &n) {
  GraphValue &x = n.in(0);
  double zero = n.info(0).type == fb::TensorType_UInt8 ? -128 : 0;
  return n.set(toGraphValue(filled(n, x.element, x.shape, zero), x.shape));
}

LogicalResult tflite::importRange(OpImporter &n) {
  auto start = n.constants(0, "its start"), limit = n.constants(1, "its limit"),
       delta = n.constants(2, "its step");
  if (failed(start) || failed(limit) || failed(delta))
    return failure();
  constexpr int64_t most = int64_t(1) << 31;
  for (auto *list : {&*start, &*limit, &*delta})
    if (list->size() != 1 || list->front() > most || list->front() < -most)
      return n.refuse() << "needs a start, a limit and a step; correct the "
                           "model";
  int64_t step = delta->front(), span = limit->front() - start->front();
  if (step == 0)
    return n.refuse() << "has a step of 0; correct the model";
  int64_t count =
      std::max<int64_t>((span + step - (step > 0 ? 1 : -1)) / step, 0);
  Type element = n.in(0).element;
  Shape shape = n.shape({count});
  double first = static_cast<double>(start->front());
  return n.set(toGraphValue(
      tabulate(n, shape, element,
               [&](Scalars &s, ValueRange at) -> Value {
                 Value i =
                     arith::IndexCastOp::create(s.b, s.loc, element, at[0]);
                 return s.add(s.mul(i, s.constant(element, step)),
                              s.constant(element, first));
               }),
      shape));
}

LogicalResult tflite::importOneHot(OpImporter &n) {
  auto *options = n.options<fb::OneHotOptions>(fb::OptionsType_OneHot);
  auto depth = n.constants(1, "its depth");
  if (!options || failed(depth))
    return failure();
  GraphValue &indices = n.in(0), &on = n.in(2), &off = n.in(3);
  auto axis = n.axisOf(options->axis(), indices.rank() + 1);
  if (failed(axis))
    return failure();
  if (depth->size() != 1 || depth->front() < 0 || on.element != off.element ||
      on.rank() != 0 || off.rank() != 0 ||
      !(indices.element.isInteger(32) || indices.element.isInteger(64)))
    return n.refuse() << "needs one depth, two values of one type and indices "
                         "of int32 or int64; correct the model";
  Shape line{n.size(depth->front())};
  GraphValue places =
      toGraphValue(tabulate(n, line, indices.element,
                            [&](Scalars &s, ValueRange at) -> Value {
                              return arith::IndexCastOp::create(
                                  s.b, s.loc, indices.element, at[0]);
                            }),
                   line);
  SmallVector<int64_t> behind;
  for (int64_t d = 1; d <= indices.rank() - *axis; ++d)
    behind.push_back(d);
  places = unsqueeze(n, places, behind);
  GraphValue rows = unsqueeze(n, indices, {*axis});
  auto result = elementwise(n, {&rows, &places, &on, &off}, on.element,
                            [](Scalars &s, ValueRange x) {
                              return s.select(s.equal(x[0], x[1]), x[2], x[3]);
                            });
  return failed(result) ? failure() : n.set(*result);
}
