//===- ScalarRegion.h - A prologue or an epilogue of a thread ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region of a contraction on scalars, in the instructions that the chips have
// for how it usually ends: rounding by the conversion to an integer, for which
// NaN is 0, and saturation by packing four bytes to a word.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_SCALARREGION_H
#define QCC_LIB_TARGET_NVPTX_EMIT_SCALARREGION_H

#include "ScalarCode.h"
#include "mlir/IR/IRMapping.h"
#include "qcc/Analysis/NumberRange.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/PackedClamps.h"

namespace qcc::nvptx {

class ScalarRegion {
public:
  /// `arguments` has the ranges of arguments, or less.
  ScalarRegion(mlir::Region &region, llvm::ArrayRef<NumberRange> arguments);

  /// What the region yields for each of several lists of arguments: vectors of
  /// that many, one for each result. `isUsedWhole` says which of them are used
  /// as vectors; elements of others may be wider than the result, and are to be
  /// truncated.
  llvm::SmallVector<mlir::Value>
  emit(ScalarCode &code, llvm::ArrayRef<llvm::SmallVector<mlir::Value>> lists,
       llvm::ArrayRef<bool> isUsedWhole);

private:
  /// A result that is a byte: what it is made of, and how.
  struct Byte {
    mlir::Value word; // an i32, or a float to be rounded; null: no such result
    ByteRange range;
    llvm::SmallVector<kernel::LookupOp> lookups;
  };

  Byte findByte(mlir::Value yielded, llvm::ArrayRef<NumberRange> arguments);
  /// What the region yields, i32 where it is a byte.
  llvm::SmallVector<mlir::Value> emitOne(ScalarCode &code,
                                         mlir::ValueRange arguments);
  /// The i32 that a float becomes by one instruction that rounds; null if no
  /// instruction does that. `isSaturated`: it will be saturated to a signed
  /// byte.
  mlir::Value emitRounding(ScalarCode &code, mlir::Value number,
                           bool isSaturated, mlir::IRMapping &mapping);
  /// What a number is before it is rounded and asked for NaN, which becomes 0.
  mlir::Value unrounded(mlir::Value number, bool isSaturated, bool &isRounded);
  /// A float rounded to a byte of a range, in an i16.
  mlir::Value roundToByte(ScalarCode &code, const ByteRange &range,
                          mlir::Value number);
  mlir::Value packWord(ScalarCode &code, const ByteRange &range,
                       llvm::ArrayRef<mlir::Value> words);
  mlir::Value packBytes(ScalarCode &code, const Byte &byte,
                        llvm::ArrayRef<mlir::Value> words, bool isUsedWhole);

  mlir::Region &region;
  RegionRanges ranges;
  llvm::DenseSet<mlir::Operation *> omitted;
  llvm::SmallVector<Byte> bytes;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_SCALARREGION_H
