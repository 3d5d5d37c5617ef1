//===- GroupQueryAttention.h - Attention of decoders ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPS_GROUPQUERYATTENTION_H
#define QCC_LIB_FRONTEND_ONNX_OPS_GROUPQUERYATTENTION_H

#include "../Compose.h"
#include "CacheRows.h"
#include "QuantizedCaches.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace qcc::onnx {
namespace group_query {
using Ref = Composer::Ref;

/// Numbers of inputs.
enum Input : unsigned {
  kPastKey = 3,
  kPastValue = 4,
  kLastPositions = 5,
  kTotal = 6,
  kCosines = 7,
  kSines = 8,
  kPositions = 9,
  kBias = 10,
  kSink = 11,
  kKeyScale = 12,
  kValueScale = 13,
  kQueryNorm = 14,
  kKeyNorm = 15,
  kRows = 16,
};

/// Operands, [batch, heads, rows, size].
struct Operands {
  Ref q, k, v;
  int64_t heads, keyHeads, size;
};

/// Numbers of tokens.
struct Tokens {
  /// The rows of the query, of earlier caches, and of new caches.
  mlir::OpFoldResult rows, before, after;
  /// The greatest T of the batches.
  mlir::OpFoldResult total;
  /// seqlens_k and query_seqlens, [batch]; the latter may be null.
  mlir::Value last, added;
  mlir::Value rowsValue;

  /// T and P of a batch.
  mlir::Value totalOf(Scalars &s, mlir::Value batch) const {
    return s.add(read(s, last, batch), s.constant(s.b.getIndexType(), 1));
  }
  mlir::Value pastOf(Scalars &s, mlir::Value batch) const {
    mlir::Value all = totalOf(s, batch);
    if (added)
      return s.sub(all, read(s, added, batch));
    return s.max(s.sub(all, rowsValue), s.constant(s.b.getIndexType(), 0));
  }
  /// How many rows of keys and values belong to the caches.
  mlir::Value addedOf(Scalars &s, mlir::Value batch) const {
    return added ? read(s, added, batch) : rowsValue;
  }

private:
  static mlir::Value read(Scalars &s, mlir::Value counts, mlir::Value batch) {
    return mlir::arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(),
                                            s.extract(counts, batch));
  }
};

/// How the caches of keys and of values hold them.
struct CacheForms {
  CacheForm keys, values;
};
mlir::FailureOr<CacheForms> readCacheForms(NodeImporter &n, Composer &c,
                                           const Operands &operands);

/// Gives the node its new caches, whose rows of tokens become the keys and the
/// values of `operands`.
mlir::LogicalResult joinCaches(NodeImporter &n, Composer &c, Operands &operands,
                               const Tokens &tokens, const CacheForms &forms);

} // namespace group_query

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_GROUPQUERYATTENTION_H
