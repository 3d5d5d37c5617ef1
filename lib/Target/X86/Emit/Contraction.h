//===- Contraction.h - State shared by the parts of a kernel ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is emitted by parts that each know one thing:
//
//   Grid            the tiles, and which of them a thread computes
//   LhsRows         where the words of the left operand come from
//   LhsPadding      what windows read beside a left operand that is not padded
//   ColumnProducts  what an atom with pairs multiplies too much
//   MainLoop        accumulators of one tile: what they start from, and K
//   PackedColumns   columns that floats are multiplied by
//   Epilogue        the region on the accumulators, and the stores
//
// The order of blocks and tiles, and the tiles at the edges, for
//
//   VectorTiles         columns in the lanes of vectors
//   AmxTiles            tile registers
//   InnerProduct        elements of K in the lanes of vectors
//   InterleavedColumns  a right operand that is not packed
//   Depthwise           columns with left operands of their own
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_CONTRACTION_H
#define QCC_LIB_TARGET_X86_EMIT_CONTRACTION_H

#include "../Layout/OperandLayout.h"
#include "KernelBuilder.h"
#include "VectorRegion.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/X86/IR/X86.h"
#include "qcc/Target/X86/Spec.h"

namespace qcc::x86 {

/// A packed contraction on memrefs, its decisions and its sizes.
struct Contraction {
  Contraction(KernelBuilder &builder, kernel::ContractOp op, const Atom &atom,
              const OperandLayout &layout);

  kernel::ContractOp op;
  ConfigAttr config;
  const Atom &atom;
  kernel::ContractOp::Roles roles;
  /// Zero points have the shifts of their operands.
  OperandLayout layout;
  /// Register tile and block, from the config; KR as in kernel.pack.
  int64_t mr, nr, kr, mc, nc;
  /// The size of the reduction in elements. It is cut into segments
  /// (kernel.pack): how many, their elements, and their i32 words, which fill
  /// whole steps; and the words of all.
  int64_t k, segments, segmentSize, segmentWords, words;
  /// The sizes of the row dimension (1 without one) and the column dimension.
  mlir::Value m, n;

  /// The elements of K that are added up to one sum of integers.
  int64_t sumSize() { return op.hasGroups() ? segmentSize : k; }
  /// The loop of groups of K, if there are groups.
  unsigned groupLoop() const {
    return kernel::ContractOp(op).getReductionDims().front();
  }
  /// The words that a step of the main loop takes.
  int64_t stepWords() const;
  /// The size of a parallel dimension.
  mlir::Value loopSize(KernelBuilder &builder, unsigned dim);
  /// Whether the sums over K of the rows of the left operand are needed, and
  /// those of the columns of the right one.
  bool needsRowSums() { return op.getRhsZeroPoint() || layout.rhsShift != 0; }
  bool needsColumnSums() {
    return op.getLhsZeroPoint() || layout.lhsShift != 0;
  }
  /// A buffer of static shape that lives as long as the step.
  mlir::Value allocate(KernelBuilder &builder, llvm::ArrayRef<int64_t> shape,
                       mlir::Type element);
  /// The left operand with the dimensions of K as one; null unless they are the
  /// innermost ones, in their order, and follow each other in memory.
  mlir::Value flattenK(KernelBuilder &builder);
};

/// A register tile: `rows` rows from `row` on, `vectors` vectors of columns in
/// tile `column` of the packed operand.
struct Tile {
  /// The index of each loop: outer dimensions and the first row are set.
  llvm::SmallVector<mlir::Value> loops;
  /// The indices of the batch dimensions, which lead those of packed operands.
  llvm::SmallVector<mlir::Value> batch;
  mlir::Value row;
  int64_t rows;
  mlir::Value column;
  int64_t vectors;
  /// How many columns of the tile exist, if some do not and their number is
  /// known.
  std::optional<int64_t> columns;
  /// The group of K that is summed up; null if there are no groups.
  mlir::Value group = {};
  /// Whether columns of the tile may lie outside of the result.
  bool masked;

  /// The index of each loop at a row of the tile and the first column of one
  /// of its vectors.
  VectorPosition at(KernelBuilder &builder, const Contraction &contraction,
                    int64_t i, int64_t j) const;
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_CONTRACTION_H
