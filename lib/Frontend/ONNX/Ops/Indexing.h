//===- Indexing.h - Indices of ONNX -----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPS_INDEXING_H
#define QCC_LIB_FRONTEND_ONNX_OPS_INDEXING_H

#include "../../Builder/Emit.h"
#include "../NodeImporter.h"

namespace qcc::onnx {

/// An element as an index; a negative one counts from the end.
Value toIndex(Scalars &s, Value element, Value size);

/// Refuses constant indices, input 1 of the node, outside of a dimension of
/// this size.
mlir::LogicalResult verifyRange(NodeImporter &n, OpFoldResult size);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_INDEXING_H
