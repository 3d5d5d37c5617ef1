//===- QuantizedCaches.h - Caches of integers of 8 or 4 bits ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPS_QUANTIZEDCACHES_H
#define QCC_LIB_FRONTEND_ONNX_OPS_QUANTIZEDCACHES_H

#include "../Compose.h"

namespace qcc::onnx {

/// How a cache holds keys or values.
struct CacheForm {
  /// 8 for int8; 4 for uint8 with two codes each, the lower bits first, whose
  /// zero is 8; 0 for the floats themselves.
  int64_t bits = 0;
  /// What one step of the integers stands for: float32, [1, 1, 1, 1] or
  /// [1, heads, 1, size].
  Composer::Ref scale = nullptr;

  bool isQuantized() const { return bits != 0; }
};

/// The form that the attribute `type` of a node gives, for `heads` heads of
/// `size` elements; input `scale` of the node has the scales. Refuses a scale
/// that does not fit.
FailureOr<CacheForm> readCacheForm(NodeImporter &n, Composer &c,
                                   llvm::StringRef type, unsigned scale,
                                   int64_t heads, int64_t size);

/// Rows of floats, [batch, heads, rows, size], as a cache holds them: int8, or
/// the bits of bytes as int8.
Composer::Ref quantizeRows(NodeImporter &n, Composer &c, Composer::Ref rows,
                           const CacheForm &form);

/// Such rows as floats of the type `element`.
Composer::Ref dequantizeRows(NodeImporter &n, Composer &c, Composer::Ref rows,
                             const CacheForm &form, mlir::Type element);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_QUANTIZEDCACHES_H
