//===- CacheRows.h - Rows into caches that may stay in place ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPS_CACHEROWS_H
#define QCC_LIB_FRONTEND_ONNX_OPS_CACHEROWS_H

#include "../Compose.h"

namespace qcc::onnx {

/// A value whose sizes are `shape`; `what` and `form` name the value and its
/// sizes in a refusal.
FailureOr<Composer::Ref> requireSizes(NodeImporter &n, Composer &c,
                                      Composer::Ref x, const Shape &shape,
                                      llvm::StringRef what,
                                      llvm::StringRef form);

/// Whether the batches, dimension 0, are so few that each may have an update of
/// its own. A result of such updates can continue its cache in place.
bool canInsertRows(const GraphValue &cache);

/// The cache, in which the rows of `added` begin at `start` along `dim`, for
/// each batch. Rows that would leave the cache are moved to its end.
Composer::Ref
insertRows(NodeImporter &n, Composer &c, Composer::Ref cache,
           Composer::Ref added, int64_t dim,
           llvm::function_ref<mlir::Value(Scalars &, mlir::Value)> start);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_CACHEROWS_H
