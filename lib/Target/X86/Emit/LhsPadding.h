//===- LhsPadding.h - A left operand as if it were padded -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With lhs_padding windows reach beyond the left operand, which is read where
// it lies. No element is tested; an address is chosen:
//
//   * Lines of the image are outside of it as a whole, and which ones are is
//     known before the loop over rows. Scratch memory holds a line of padding,
//     which is read in their place.
//   * Rows move along a line. Those at its ends are tiles that are spelled out
//     (forEachRowTile), so that the columns that these read outside of the
//     image are constants; all others lie inside. Where the tiles cannot be
//     spelled out, each vector is chosen.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_LHSPADDING_H
#define QCC_LIB_TARGET_X86_EMIT_LHSPADDING_H

#include "Contraction.h"

namespace qcc::x86 {

/// The bytes of a left operand that has no prologue, as lhs_padding pads them.
class LhsPadding {
public:
  LhsPadding(KernelBuilder &builder, Contraction &contraction);

  /// Whether there is any padding; nothing else may be called without.
  explicit operator bool() const { return !widths.empty(); }

  /// Whether windows of a tile of `count` rows from row `row` on may reach into
  /// the padding beside a line.
  bool isReadBy(int64_t row, int64_t count) const;

  /// Emits what each thread does before it reads.
  void prepare();

  /// `size` bytes of columns from a position on, as Elements::readBytes.
  /// `isInLine` says that the rows of the tile do not reach into the padding
  /// beside a line.
  mlir::Value readBytes(VectorPosition position, int64_t size, int64_t count,
                        bool isInLine);

private:
  /// The line of lhs at `indices`, or so many columns from there on, or padding
  /// where `inside` does not hold; a memref of the rank of lhs.
  mlir::Value choose(mlir::Value inside, llvm::ArrayRef<mlir::Value> indices,
                     bool isLine, mlir::OpFoldResult columns);
  mlir::MemRefType lhsType() const;

  KernelBuilder &builder;
  Contraction &contraction;
  llvm::ArrayRef<int64_t> widths;
  /// The dimension of lhs that rows move along, if one does.
  std::optional<unsigned> lineDim;
  /// Whether `memory` holds a whole line: all that follows an index of the
  /// dimensions before `lineDim`.
  bool hasLine = false;
  mlir::Value memory;
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_LHSPADDING_H
