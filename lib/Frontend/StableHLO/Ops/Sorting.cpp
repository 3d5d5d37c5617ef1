//===- Sorting.cpp - sort and top_k ---------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Sort.h"
#include "../Body.h"
#include "../Ops.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

LogicalResult stablehlo::importSort(OpImporter &n) {
  if (n.numOperands() == 0 || n.op->getNumResults() != n.numOperands())
    return n.refuse() << "needs operands, and as many results; correct the "
                         "program";
  int64_t rank = n.in(0).rank();
  auto dim = n.integer("dimension", -1);
  if (failed(dim))
    return failure();
  int64_t axis = *dim < 0 ? *dim + rank : *dim;
  if (axis < 0 || axis >= rank)
    return n.refuse() << "sorts along dimension " << *dim
                      << ", which its operands do not have; correct the "
                         "attribute";
  SmallVector<GraphValue *> values;
  SmallVector<Type> types;
  for (unsigned i = 0; i < n.numOperands(); ++i) {
    if (n.in(i).rank() != rank)
      return n.refuse() << "has operands of different ranks; correct the "
                           "program";
    values.push_back(&n.in(i));
    types.append(2, n.in(i).element);
  }
  auto body = Body::get(n, types, 1);
  if (failed(body))
    return failure();
  GraphValue ranks =
      findRanks(n, values, axis, [&](Scalars &s, ValueRange x, ValueRange y) {
        SmallVector<Value> pairs;
        for (auto [left, right] : llvm::zip_equal(x, y))
          pairs.append({left, right});
        return body->compute(s, pairs).front();
      });
  GraphValue places = findPlaces(n, ranks, axis, ranks.shape[axis]);
  for (auto [i, value] : llvm::enumerate(values))
    if (failed(n.set(i, takePlaces(n, *value, places, axis))))
      return failure();
  return success();
}

/// The greatest elements of each row, and their places.
LogicalResult stablehlo::importTopK(OpImporter &n) {
  GraphValue &x = n.in(0);
  auto k = n.integer("k", 0);
  if (failed(k))
    return failure();
  std::optional<int64_t> size =
      x.rank() > 0 ? knownSize(x.shape.back()) : std::nullopt;
  if (x.rank() == 0 || *k < 0 || (size && *k > *size))
    return n.refuse() << "takes " << *k
                      << " elements of rows that have fewer; correct k";
  auto keys = orderKeys(n, x);
  if (failed(keys))
    return failure();
  int64_t axis = x.rank() - 1;
  GraphValue ranks =
      findRanks(n, {&*keys}, axis, [](Scalars &s, ValueRange a, ValueRange b) {
        return s.less(b[0], a[0]);
      });
  GraphValue places = findPlaces(n, ranks, axis, n.size(*k));
  if (failed(n.set(0, takePlaces(n, x, places, axis))))
    return failure();
  return n.set(1, places);
}
