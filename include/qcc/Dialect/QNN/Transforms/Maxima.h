//===- Maxima.h - Maxima of floats that may be of integers ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes share that compute maxima, such as max poolings, of bytes
// instead of floats.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_TRANSFORMS_MAXIMA_H
#define QCC_DIALECT_QNN_TRANSFORMS_MAXIMA_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace qcc::qnn {

/// An op that yields the maximum of its output and of its first input, which is
/// f32 and may be padded.
struct FloatMaximum {
  mutable mlir::linalg::LinalgOp op;
  mutable mlir::tensor::PadOp pad; ///< of `source`, or null
  mlir::Value source;

  static std::optional<FloatMaximum> match(mlir::linalg::LinalgOp op);

  /// Whether the op starts from one constant number, and pads with one, and all
  /// of them are at most `bound`.
  bool startsAtMost(float bound) const;

  /// The same maximum of `quantized`, integers in place of `source`, which
  /// starts from `least` and pads with it. Its elements are those of
  /// `quantized`.
  mlir::Value createOf(mlir::RewriterBase &rewriter, mlir::Value quantized,
                       bool isSigned, int64_t least) const;
};

} // namespace qcc::qnn

#endif // QCC_DIALECT_QNN_TRANSFORMS_MAXIMA_H
