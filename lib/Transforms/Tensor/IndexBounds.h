//===- IndexBounds.h - The range of an affine expression -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_TENSOR_INDEXBOUNDS_H
#define QCC_LIB_TRANSFORMS_TENSOR_INDEXBOUNDS_H

#include "mlir/IR/AffineExpr.h"
#include <optional>

namespace qcc {

/// The least and the greatest value of an expression, both attained or beyond.
struct IndexBounds {
  mlir::AffineExpr low, high;
};

/// The bounds of an index of a linalg op, as functions of the sizes of loops
/// that have an iteration; `last` holds each loop's last index.
std::optional<IndexBounds> boundsOf(mlir::AffineExpr expr,
                                    llvm::ArrayRef<mlir::AffineExpr> last);

/// Whether an expression cannot be negative where its dimensions are not.
bool isNonNegative(mlir::AffineExpr expr);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_TENSOR_INDEXBOUNDS_H
