//===- CacheRows.cpp - Rows into caches that may stay in place ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheRows.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;
using Ref = Composer::Ref;

/// How many batches have an update of their own at most.
static constexpr int64_t kMaxUpdates = 8;

FailureOr<Ref> onnx::requireSizes(NodeImporter &n, Composer &c, Ref x,
                                  const Shape &shape, StringRef what,
                                  StringRef form) {
  bool fits = x->shape.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d) {
    std::optional<int64_t> have = knownSize(x->shape[d]),
                           want = knownSize(shape[d]);
    fits = !have || !want || have == want;
  }
  if (!fits)
    return n.refuse() << "has " << what << " that is not " << form
                      << " of the same node; correct the shape";
  return c.hold(assumeSizes(n, *x, shape));
}

bool onnx::canInsertRows(const GraphValue &cache) {
  std::optional<int64_t> batches = knownSize(cache.shape[0]);
  return batches && *batches <= kMaxUpdates;
}

Ref onnx::insertRows(NodeImporter &n, Composer &c, Ref cache, Ref added,
                     int64_t dim,
                     llvm::function_ref<Value(Scalars &, Value)> start) {
  Value all = n.tensor(*cache);
  SmallVector<OpFoldResult> starts(cache->rank(), n.size(0));
  int64_t batches = *knownSize(cache->shape[0]);
  for (int64_t b = 0; b < batches; ++b) {
    Ref rows = batches == 1 ? added : c.part(added, 0, n.size(b), n.size(1));
    if (c.failed())
      return cache;
    Scalars s(n.b, n.loc);
    starts[0] = n.size(b);
    starts[dim] = start(s, n.index(starts[0]));
    all = insertSlice(n, all, *rows, starts);
  }
  return c.hold(toGraphValue(all, cache->shape));
}
