//===- VectorRegion.h - Scalar regions on vectors ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prologues and epilogues are scalar; kernels run them on a vector of elements
// that follow each other along one dimension of the iteration space.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_VECTORREGION_H
#define QCC_LIB_TARGET_X86_EMIT_VECTORREGION_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

namespace qcc::x86 {

/// Where in the iteration space a vector of `lanes` elements lies: the index of
/// each dimension, of its first lane for dimension `vectorDim`.
struct VectorPosition {
  llvm::ArrayRef<mlir::Value> index;
  unsigned vectorDim;
  unsigned lanes;
  /// Whether all lanes lie inside of every operand; others read as 0 and are
  /// not written.
  bool inBounds;
};

/// The elements of an operand at a position, as a vector. A dimension that the
/// map does not have is broadcast.
mlir::Value readVector(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value memref, mlir::AffineMap map,
                       const VectorPosition &position);

void writeVector(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value vector, mlir::Value memref, mlir::AffineMap map,
                 const VectorPosition &position);

/// Clones the body of a region with vectors for its arguments; returns the
/// yielded vectors.
llvm::SmallVector<mlir::Value> inlineOnVectors(mlir::OpBuilder &builder,
                                               mlir::Region &region,
                                               mlir::ValueRange arguments,
                                               unsigned lanes);

/// Clones the body of a region with scalars; returns the yielded values.
llvm::SmallVector<mlir::Value> inlineOnScalars(mlir::OpBuilder &builder,
                                               mlir::Region &region,
                                               mlir::ValueRange arguments);

/// The indices at which a map reads its operand, given those of its dimensions.
llvm::SmallVector<mlir::Value>
operandIndices(mlir::OpBuilder &builder, mlir::Location loc,
               mlir::AffineMap map, llvm::ArrayRef<mlir::Value> index);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_VECTORREGION_H
