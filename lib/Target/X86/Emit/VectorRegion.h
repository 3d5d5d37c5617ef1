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

#include "KernelBuilder.h"
#include "PackBytes.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IRMapping.h"
#include "qcc/Analysis/NumberRange.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

namespace qcc::x86 {

/// Where in the iteration space a vector of `lanes` elements lies: the index of
/// each dimension, of its first lane for dimension `vectorDim`.
struct VectorPosition {
  llvm::SmallVector<mlir::Value> index;
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

/// The indices at which a map reads its operand, given those of its dimensions.
llvm::SmallVector<mlir::Value>
operandIndices(mlir::OpBuilder &builder, mlir::Location loc,
               mlir::AffineMap map, llvm::ArrayRef<mlir::Value> index);

/// Clones the body of a region with scalars; returns the yielded values.
llvm::SmallVector<mlir::Value> inlineOnScalars(mlir::OpBuilder &builder,
                                               mlir::Region &region,
                                               mlir::ValueRange arguments);

/// A prologue or an epilogue that is emitted on vectors.
class VectorRegion {
public:
  /// `arguments` as for RegionRanges.
  explicit VectorRegion(mlir::Region &region,
                        llvm::ArrayRef<NumberRange> arguments = {});

  /// A yielded value that is an i32 truncated to a byte, or what tables make of
  /// such a byte, stays an i32, so that several vectors can be packed, and
  /// looked up, together.
  bool isPackable(unsigned result) const { return packable[result] != nullptr; }
  /// Emits the body; returns a vector for each yielded value. The vector of a
  /// packable value is good for `pack` alone.
  llvm::SmallVector<mlir::Value> emit(KernelBuilder &builder,
                                      mlir::ValueRange arguments);
  /// How `pack` packs a packable result, before it is looked up.
  ByteRange range(unsigned result) const { return ranges[result]; }
  /// The bytes of `vectors` of a packable result, in order, as one vector.
  /// Their number is a power of 2, at most 4.
  mlir::Value pack(KernelBuilder &builder, unsigned result,
                   mlir::ValueRange vectors);
  /// What the lookups of a packable result make of `bytes`, which its vectors
  /// were packed to: the last step of `pack`.
  mlir::Value lookUp(KernelBuilder &builder, unsigned result,
                     mlir::Value bytes);
  /// The number of ops that each emission creates.
  int64_t size() const;

private:
  mlir::Value emitConversion(KernelBuilder &builder, mlir::Operation &op,
                             mlir::IRMapping &mapping);
  bool isRoundedByConversion(mlir::Value value) const;
  mlir::Value unrounded(KernelBuilder &builder, mlir::Value value,
                        mlir::IRMapping &mapping);

  mlir::Region &region;
  RegionRanges valueRanges;
  /// For each yielded value the i32 that it is truncated from, or null.
  llvm::SmallVector<mlir::Value> packable;
  /// The lookups, in order, from that byte to the yielded value.
  llvm::SmallVector<llvm::SmallVector<kernel::LookupOp>> lookups;
  llvm::SmallVector<ByteRange> ranges; // of packable values
  /// Clamps that are left out, since packing clamps as well.
  llvm::DenseSet<mlir::Operation *> omitted;
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_VECTORREGION_H
