//===- Movement.h - Padding between and around elements ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_STABLEHLO_OPS_MOVEMENT_H
#define QCC_LIB_FRONTEND_STABLEHLO_OPS_MOVEMENT_H

#include "../OpImporter.h"

namespace qcc::stablehlo {

/// `count` integers of an attribute, or of the operand that a dynamic op has in
/// its place; `absent` without either.
FailureOr<SmallVector<OpFoldResult>> readSizes(OpImporter &n, StringRef name,
                                               unsigned operand, size_t count,
                                               int64_t absent);

/// `x` with `interior` elements of `value` between neighbours, and `low` and
/// `high` at the ends of each dimension; negative numbers remove elements.
GraphValue padAll(GraphBuilder &n, GraphValue &x, const Shape &low,
                  const Shape &high, ArrayRef<int64_t> interior, Value value);

/// The number of windows of `kernel` elements, `stride` apart, that fit into
/// `size` elements; `dilation` is from one element of a window to the next.
OpFoldResult countWindows(GraphBuilder &n, OpFoldResult size,
                          OpFoldResult kernel, int64_t stride,
                          int64_t dilation);

/// The indices of the element that has a number, in row-major order, in a
/// tensor of `sizes`.
SmallVector<Value> indicesOf(GraphBuilder &n, Value number,
                             ArrayRef<Value> sizes);

/// Runs `body` for all places of a tensor of `shape`, one after the other, and
/// hands a tensor from one to the next.
Value forEach(GraphBuilder &n, const Shape &shape, Value start,
              llvm::function_ref<Value(ValueRange, Value)> body);

/// The elements of `x` in the other order along `dims`.
GraphValue reverse(GraphBuilder &n, GraphValue &x, ArrayRef<int64_t> dims);

} // namespace qcc::stablehlo

#endif // QCC_LIB_FRONTEND_STABLEHLO_OPS_MOVEMENT_H
