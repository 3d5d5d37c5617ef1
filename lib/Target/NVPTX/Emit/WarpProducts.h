//===- WarpProducts.h - Products of the tile of a warp ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A warp has a tile in fragments of 16 by 8. With g = lane / 4 and t = lane %
// 4, a thread has the results of rows g and g + 8 of each fragment, in its
// columns 2t and 2t + 1. Which columns of the tile these are is decided by the
// rows of the right operand that a fragment is multiplied with: the first four
// fragments, for eight columns side by side, are columns 8t and 8t + 1, then
// 8t + 2 and 8t + 3, and so on.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_WARPPRODUCTS_H
#define QCC_LIB_TARGET_NVPTX_EMIT_WARPPRODUCTS_H

#include "MatrixAtom.h"
#include "SharedTile.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Spec.h"

namespace qcc::nvptx {

/// The number of a thread in its warp, and where the tile of the warp begins in
/// that of the block.
struct WarpPlace {
  mlir::Value lane, row, column;
};

class WarpProducts {
public:
  WarpProducts(ScalarCode &code, kernel::ContractOp op, ConfigAttr config,
               const Atom &atom, SharedMemory memory, SharedTile lhs,
               SharedTile rhs, WarpPlace place);

  /// The number of sums of a thread: four of each fragment, row by row. At the
  /// end of each row is a fragment of sums of rows where there is a right zero
  /// point.
  int64_t sums() { return rowFragments() * columnFragments() * kSums; }
  /// The words of a thread of the fragments of both operands.
  int64_t fragmentWords() {
    return rowFragments() * kLhsWords + rightFragments() * kRhsWords;
  }
  /// Loads the fragments of 32 elements of K of a stage: those of the left
  /// operand, row by row, then those of the right one, column by column.
  llvm::SmallVector<mlir::Value> loadFragments(mlir::Value stage, int64_t part);
  /// Fragments of which one half of the elements of K, 16, counts.
  llvm::SmallVector<mlir::Value> halfOf(llvm::ArrayRef<mlir::Value> fragments,
                                        int64_t half);
  /// Adds the products of fragments to sums.
  void multiply(llvm::ArrayRef<mlir::Value> fragments,
                llvm::MutableArrayRef<mlir::Value> sums);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  void placeFragments(SharedTile lhs, SharedTile rhs, WarpPlace place);
  bool needsRowSums() { return static_cast<bool>(op.getRhsZeroPoint()); }
  int64_t rowFragments() { return config.getWarpRows() / kFragmentRows; }
  /// Of the right operand; and with the ones that make sums of rows.
  int64_t rightFragments() {
    return config.getWarpColumns() / kFragmentColumns;
  }
  int64_t columnFragments() { return rightFragments() + needsRowSums(); }

  ScalarCode &code;
  kernel::ContractOp op;
  ConfigAttr config;
  MatrixAtom atom;
  SharedMemory memory;
  /// Columns side by side that a thread has.
  int64_t ownColumns;
  /// Where fragments of each 32 elements of K of a stage begin.
  Values lhsPlaces, rhsPlaces;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_WARPPRODUCTS_H
