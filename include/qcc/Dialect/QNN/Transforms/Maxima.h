//===- Maxima.h - Maxima that bytes can replace -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two passes let ops that take maxima, such as max poolings, work on bytes
// instead of floats. They share this structure.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_TRANSFORMS_MAXIMA_H
#define QCC_DIALECT_QNN_TRANSFORMS_MAXIMA_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/QuantParams.h"

namespace qcc::qnn {

/// An op that yields the maximum of its output and its first input. The input
/// is f32, and may be padded.
struct FloatMaximum {
  mutable mlir::linalg::LinalgOp op;
  mutable mlir::tensor::PadOp pad; ///< of `source`, or null
  mlir::Value source;

  static std::optional<FloatMaximum> match(mlir::linalg::LinalgOp op);

  /// Whether the op starts from a constant number that is at most `bound`, and
  /// pads with such a number if it pads.
  bool startsAtMost(float bound) const;

  /// Creates the same maximum of the integers `quantized` instead of `source`.
  /// `params` are their parameters. It starts from `least` and pads with it.
  /// The result has the element type of `quantized`.
  mlir::Value createOf(mlir::RewriterBase &rewriter, mlir::Value quantized,
                       const QuantParams &params, int64_t least) const;
};

} // namespace qcc::qnn

#endif // QCC_DIALECT_QNN_TRANSFORMS_MAXIMA_H
