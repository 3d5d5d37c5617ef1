//===- DecodeSums.h - Sums of warps in shared memory ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The warps of a block share K (Decode.cpp), and each leaves its sums in shared
// memory: in one slot for all of K, or in slots for groups of K. Threads then
// add up what the slots have at their results.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_DECODESUMS_H
#define QCC_LIB_TARGET_NVPTX_EMIT_DECODESUMS_H

#include "FragmentEpilogue.h"

namespace qcc::nvptx {

class DecodeSums {
public:
  /// Slots have `rows` rows, and there are `slots` of them. `mostRows` of the
  /// rows of a tile may exist.
  DecodeSums(ScalarCode &code, kernel::ContractOp op, ConfigAttr config,
             BlockTiles &tiles, int64_t mostRows, int64_t rows, int64_t slots);

  /// Puts the sums of the warp into a slot. With g = lane / 4 and t = lane % 4,
  /// a thread has the sums of rows g and g + 8: see Decode.cpp.
  void store(mlir::Value slot, mlir::Value group, mlir::Value member,
             llvm::ArrayRef<mlir::Value> sums);

  /// Whether the thread has results; null where all threads have.
  mlir::Value hasWork();
  /// The results of the thread, without sums. Called once.
  FragmentTile makeTile();
  /// Gives the tile the sums of `count` slots from `first` on, or from the
  /// first one.
  void load(FragmentTile &tile, int64_t count, mlir::Value first = {});

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Stores words in shared memory where a condition holds, which may be null:
  /// it does.
  void storeIf(mlir::Value condition, mlir::ValueRange words, mlir::Value place,
               int64_t more);
  /// The sum of `count` slots at a place of `words` words.
  Values addSlots(mlir::Value place, int64_t words, int64_t ofSlot,
                  int64_t count);
  /// Columns side by side whose results a thread has: up to 16 bytes of sums.
  int64_t stored();
  int64_t results();

  int64_t fragments() { return config.getColumns() / kAtomColumns; }
  bool hasHighRows();
  bool needsRowSums() { return static_cast<bool>(op.getRhsZeroPoint()); }
  /// Bytes of the sums of a slot, and where sums of rows begin.
  int64_t sumBytes();
  int64_t rowSumBytes();
  int64_t rowSumsAt() { return slots * sumBytes(); }

  ScalarCode &code;
  kernel::ContractOp op;
  ConfigAttr config;
  BlockTiles &tiles;
  int64_t mostRows, rows, slots;
  /// For each row of a thread, where its sums and the sum of the row are.
  Values places, rowPlaces;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_DECODESUMS_H
