//===- Contractions.h - Sums of products ------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_TFLITE_OPS_CONTRACTIONS_H
#define QCC_LIB_FRONTEND_TFLITE_OPS_CONTRACTIONS_H

#include "../OpImporter.h"

namespace qcc::tflite {

/// A contraction on its way.
struct Contraction {
  GraphValue x, w;
  int32_t xZero = 0, wZero = 0;
  /// Loops of the result, in its order, and then those that are summed.
  SmallVector<mlir::utils::IteratorType> iterators;
  SmallVector<AffineExpr> readX, readW;
  Shape shape; ///< of the result
  /// What the integers of a sum are multiplied by, one for each element of the
  /// last dimension or one for all; empty for floats.
  SmallVector<double> factors;
  /// Whether they are rounded once, as TFLite's FULLY_CONNECTED does it.
  bool roundsOnce = false;
};

inline bool isInteger(const GraphValue &x) {
  return mlir::isa<mlir::IntegerType>(x.element);
}

/// Reads operands `x` and `w` and their parameters. `axis` is the dimension of
/// the weight that may have scales of its own.
LogicalResult readOperands(OpImporter &n, Contraction &c, unsigned x,
                           unsigned w, int64_t axis);
/// Sums the products from the bias on, operand `bias` of the op.
FailureOr<GraphValue> contract(OpImporter &n, Contraction &c, unsigned bias);
/// Sums become what the op declares.
FailureOr<GraphValue> finish(OpImporter &n, const Contraction &c,
                             GraphValue sums, fb::Activation activation);
/// Both: sets the result of the op.
LogicalResult setContraction(OpImporter &n, Contraction &c, unsigned bias,
                             fb::Activation activation);

} // namespace qcc::tflite

#endif // QCC_LIB_FRONTEND_TFLITE_OPS_CONTRACTIONS_H
