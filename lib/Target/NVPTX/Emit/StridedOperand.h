//===- StridedOperand.h - Where elements of an operand lie ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address of an element is a sum over the loops of an op: each adds its
// index times a number. So what rows, windows and batches add is computed once,
// and what steps of K add is the same for all rows.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_STRIDEDOPERAND_H
#define QCC_LIB_TARGET_NVPTX_EMIT_STRIDEDOPERAND_H

#include "ScalarCode.h"

namespace qcc::nvptx {

class StridedOperand {
public:
  /// An operand that is indexed by a window or a projection.
  StridedOperand(ScalarCode &code, mlir::Value memref, mlir::AffineMap map);

  /// Elements from the first one to that of a point; loops that are null in it
  /// add nothing.
  mlir::Value offset(const Point &point);
  /// Whether elements follow each other along a loop.
  bool isContiguousAlong(unsigned loop) const;
  /// A number of elements that what all loops but one add is a multiple of.
  int64_t divisorWithout(unsigned loop) const;
  bool dependsOn(unsigned loop) const { return map.isFunctionOfDim(loop); }
  /// The bytes of an element, 0 where it is not whole bytes.
  int64_t elementBytes() const;
  mlir::Type elementType() const;

  /// The address of the first element.
  mlir::Value address();
  /// The elements of all dimensions.
  mlir::Value size();

private:
  /// Elements that one step of a dimension skips, and what divides them.
  struct Stride {
    mlir::OpFoldResult elements;
    int64_t divisor;
  };

  ScalarCode &code;
  mlir::Value memref;
  mlir::AffineMap map;
  llvm::SmallVector<Stride> strides;
  /// From the beginning of the memory to the first element of a view.
  std::optional<Stride> first;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_STRIDEDOPERAND_H
