//===- SlicesOfK.h - The slices in which K is read --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// K is segments of elements that follow each other in both operands, of which
// the packed one has whole slices of 64. A slice is a number of elements of one
// segment. Groups of K of which a slice has several are one segment together.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_SLICESOFK_H
#define QCC_LIB_TARGET_NVPTX_EMIT_SLICESOFK_H

#include "ScalarCode.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Spec.h"
#include "llvm/Support/MathExtras.h"
#include <functional>

namespace qcc::nvptx {

class SlicesOfK {
public:
  SlicesOfK(ScalarCode &code, kernel::ContractOp op, int64_t depth)
      : code(code), op(op), depth(depth) {}

  /// The elements of a segment, as they are and as they are packed.
  int64_t segment() {
    return hasGroupsInSlices(op) ? op.getReductionSize()
                                 : op.getReductionSizes().back();
  }
  int64_t packedSegment() { return llvm::alignTo(segment(), kPackedStep); }
  int64_t perSegment() { return llvm::divideCeil(packedSegment(), depth); }
  int64_t count() { return op.getReductionSize() / segment() * perSegment(); }
  int64_t getDepth() const { return depth; }

  /// The segment of a slice, and the element of K in it.
  std::pair<mlir::Value, mlir::Value> split(mlir::Value slice);
  /// Sets the reduction loops to a slice, or to an element of it.
  void set(Point &at, mlir::Value slice, mlir::Value element = {});
  /// How many of `size` elements a segment has from a slice on; null where
  /// there are no fewer than the slice has.
  std::function<mlir::Value(mlir::Value slice)> restOf(int64_t size);
  /// From the beginning of a packed column to a slice, in elements.
  mlir::Value packedOffset(mlir::Value slice);

private:
  ScalarCode &code;
  kernel::ContractOp op;
  int64_t depth;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_SLICESOFK_H
