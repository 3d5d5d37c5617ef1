//===- PackedColumns.h - Columns that floats are multiplied by --*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packed right operand has floats, or elements as they are stored: bytes, or
// nibbles in words of i32. The prologue of the contraction widens these.
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
  /// Which nibble of a word the step is, if steps share words.
  int64_t nibble = 0;
};

class PackedColumns {
public:
  PackedColumns(KernelBuilder &builder, Contraction &contraction);

  /// Whether elements are packed as they are stored.
  bool areNarrow() const { return prologue.has_value(); }
  /// How many steps share a word.
  int64_t stepsOfWord() const;
  /// Vector j of the columns of a tile, as floats.
  mlir::Value read(const Tile &tile, int64_t j, const StepOfK &step);

private:
  KernelBuilder &builder;
  Contraction &contraction;
  std::optional<VectorRegion> prologue;
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_PACKEDCOLUMNS_H
