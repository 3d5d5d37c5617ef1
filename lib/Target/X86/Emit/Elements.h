//===- Elements.h - An operand as bytes, prologue applied -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_ELEMENTS_H
#define QCC_LIB_TARGET_X86_EMIT_ELEMENTS_H

#include "VectorRegion.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

namespace qcc::x86 {

/// The i8 elements of an operand of a contraction: what its memory holds, or
/// what a prologue makes of that and of further operands.
class Elements {
public:
  /// `operands` and `maps` have the operand first; those of the prologue, which
  /// may be empty, follow.
  Elements(mlir::Region &prologue, llvm::ArrayRef<mlir::Value> operands,
           llvm::ArrayRef<mlir::AffineMap> maps);

  /// The left operand and the operands of its prologue.
  static Elements ofLhs(kernel::ContractOp op);

  bool hasPrologue() const { return prologue.has_value(); }
  /// How `read` gives elements that a prologue makes: as i32 that `pack` and
  /// `interleave` turn into bytes, or as i8.
  bool areWide() const { return prologue && prologue->isPackable(0); }

  /// The elements at a position, of as many lanes as the position says; with a
  /// prologue builder.lanes of them. Elements out of bounds have any value.
  mlir::Value read(KernelBuilder &builder, const VectorPosition &position);
  /// `size` bytes from a position on, of which `count` are in bounds: the size
  /// is builder.lanes, twice or four times as many. Bytes out of bounds have
  /// any value.
  mlir::Value readBytes(KernelBuilder &builder, VectorPosition position,
                        int64_t size, int64_t count);

  /// The bytes of 1, 2 or 4 wide vectors, one vector after the other.
  mlir::Value pack(KernelBuilder &builder, mlir::ValueRange vectors);
  /// The bytes of four wide rows as words of one byte of each row, as
  /// interleaveBytes orders them.
  mlir::Value interleave(KernelBuilder &builder, mlir::ValueRange rows);

private:
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::AffineMap> maps;
  std::optional<VectorRegion> prologue;
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_ELEMENTS_H
