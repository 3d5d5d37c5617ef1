//===- WarpgroupAtom.h - Products by four warps -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four warps that follow each other, a warpgroup, multiply 64 rows of the left
// operand by all columns of a tile (wgmma). Both operands lie in shared memory,
// in lines of 128 bytes of K, chunk c of line l at place c ^ l % 8 of its line,
// as copies of boxes swizzle them.
//
// Products run on while threads do other things. Sums are in flight until a
// wait, and nothing may touch their registers: they are results and operands of
// inline assembly alone.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_WARPGROUPATOM_H
#define QCC_LIB_TARGET_NVPTX_EMIT_WARPGROUPATOM_H

#include "ScalarCode.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/NVPTX/Spec.h"

namespace qcc::nvptx {

class WarpgroupAtom {
public:
  WarpgroupAtom(ScalarCode &code, kernel::ContractOp op, int64_t columns)
      : code(code), op(op), columns(columns) {}

  /// Sums of a thread: of each 8 columns two of row lane / 4 of the 16 of its
  /// warp, then two of the row 8 further on.
  int64_t sums() const { return columns / 2; }
  /// What sums are before the first product, which does not read them.
  llvm::SmallVector<mlir::Value> noSums();
  /// Starts the products of a slice of 128 elements of K, whose operands lie at
  /// the addresses, i32; `adds` is i32: 0 where sums begin anew.
  void multiply(mlir::Value lhs, mlir::Value rhs, mlir::Value adds,
                llvm::SmallVectorImpl<mlir::Value> &sums);
  /// Waits until so many slices at most are in flight.
  void wait(int64_t slices, llvm::SmallVectorImpl<mlir::Value> &sums);

private:
  /// The matrix descriptor of operands at an address.
  mlir::Value descriptor(mlir::Value address);

  ScalarCode &code;
  kernel::ContractOp op;
  int64_t columns;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_WARPGROUPATOM_H
