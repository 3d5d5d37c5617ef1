//===- PackedColumns.h - Columns that floats are multiplied by --*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packed right operand has floats, or elements as they are stored: bytes, or
// nibbles in words of i32. The prologue of the contraction widens these. One
// that is read in place has elements of K side by side: squares of as many
// columns as elements of K are turned in registers.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_PACKEDCOLUMNS_H
#define QCC_LIB_TARGET_X86_EMIT_PACKEDCOLUMNS_H

#include "Contraction.h"

namespace qcc::x86 {

/// A step of the loops over K: the index of each loop and the number of the
/// step.
struct StepOfK {
  llvm::SmallVector<mlir::Value> index;
  mlir::Value word;
  /// Which of the steps that are read together the step is.
  int64_t part = 0;
};

class PackedColumns {
public:
  PackedColumns(KernelBuilder &builder, Contraction &contraction);

  /// Whether elements are packed as they are stored.
  bool areNarrow() const { return contraction.config.readsNarrowRhs(); }
  /// Whether columns are read where they lie.
  bool areInPlace() const {
    return contraction.config.getRhs() == RhsSource::InPlace;
  }
  /// How many steps are read together: those of a word, or of a square.
  int64_t stepsOfWord() const;
  /// Vector j of the columns of a tile, as floats. The first of the steps that
  /// are read together comes before the others.
  mlir::Value read(const Tile &tile, int64_t j, const StepOfK &step);

private:
  /// A vector at a position, after the prologue.
  mlir::Value widen(mlir::Value vector, const VectorPosition &position);
  /// The vectors of the square of columns of vector j that begins with `step`.
  llvm::SmallVector<mlir::Value> turn(const Tile &tile, int64_t j,
                                      const StepOfK &step);

  KernelBuilder &builder;
  Contraction &contraction;
  std::optional<VectorRegion> prologue;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> turned; // of each vector j
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_PACKEDCOLUMNS_H
