//===- Sorting.cpp - TopK -------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../../Builder/Sort.h"
#include "../NodeImporter.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Iterator = utils::IteratorType;

LogicalResult onnx::importTopK(NodeImporter &n) {
  if (n.since < 10)
    return importOldTopK(n);
  GraphValue &x = n.in(0);
  FailureOr<int64_t> axis = n.axis(-1, x.rank());
  auto counts = n.integers(1, "how many elements it takes");
  if (failed(axis) || failed(counts))
    return failure();
  if (counts->size() != 1)
    return n.refuse() << "has a k that is not one number; correct it";
  OpFoldResult count = counts->front();
  std::optional<int64_t> k = knownSize(count), size = knownSize(x.shape[*axis]);
  if ((k && *k < 0) || (k && size && *k > *size))
    return n.refuse() << "takes " << *k << " of "
                      << (size ? std::to_string(*size) : "any number of")
                      << " elements; correct k";
  FailureOr<GraphValue> keys = orderKeys(n, x);
  if (failed(keys))
    return failure();
  bool isLargest = n.getInt("largest", 1) != 0;
  GraphValue ranks = findRanks(
      n, {&*keys}, *axis, [&](Scalars &s, ValueRange x, ValueRange y) {
        return isLargest ? s.less(y[0], x[0]) : s.less(x[0], y[0]);
      });
  GraphValue places = findPlaces(n, ranks, *axis, count);
  (void)n.set(0, takePlaces(n, x, places, *axis));
  FailureOr<GraphValue> wide = convert(n, places, n.b.getI64Type());
  return failed(wide) ? failure() : n.set(1, *wide);
}
