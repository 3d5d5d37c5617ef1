//===- Sort.h - Elements in order -------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are sorted by their ranks: how many elements come before each. This
// takes the square of their number, and keeps the order of equal elements.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_BUILDER_SORT_H
#define QCC_LIB_FRONTEND_BUILDER_SORT_H

#include "Emit.h"

namespace qcc::frontend {

/// An integer for each element, ordered as the elements: a NaN is more than
/// everything else, and zeros are equal.
FailureOr<GraphValue> orderKeys(GraphBuilder &n, GraphValue &x);

/// Whether elements `x` of several values come before elements `y`.
using IsBefore =
    llvm::function_ref<Value(Scalars &, ValueRange x, ValueRange y)>;

/// How many elements along `axis` come before each element of values of one
/// shape, in i32. Of two elements of which none comes before the other, the
/// first does.
GraphValue findRanks(GraphBuilder &n, ArrayRef<GraphValue *> values,
                     int64_t axis, IsBefore isBefore);

/// The places along `axis` of the elements of ranks 0 to `count` - 1, in i32.
GraphValue findPlaces(GraphBuilder &n, GraphValue &ranks, int64_t axis,
                      OpFoldResult count);

/// The elements of `x` at `places` along `axis`.
GraphValue takePlaces(GraphBuilder &n, GraphValue &x, GraphValue &places,
                      int64_t axis);

} // namespace qcc::frontend

#endif // QCC_LIB_FRONTEND_BUILDER_SORT_H
