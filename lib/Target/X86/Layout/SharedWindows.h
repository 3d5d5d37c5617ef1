//===- SharedWindows.h - Loads shared by windows of rows --------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of a depthwise contraction are windows over lhs that overlap. Those that
// move beside rows, such as kw beside ow, read the same columns of an image for
// several rows:
//
//   ow * 2 + kw:   row 0, kw 0  |  row 0, kw 1  |  row 0, kw 2  |  row 1, kw 1
//   ..
//                               |               |  row 1, kw 0  |
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_LAYOUT_SHAREDWINDOWS_H
#define QCC_LIB_TARGET_X86_LAYOUT_SHAREDWINDOWS_H

#include "qcc/Dialect/Kernel/IR/Kernel.h"

namespace qcc::x86 {

/// The longest line of an image of which there is one of padding in scratch
/// memory, in bytes.
constexpr int64_t kMaxLineOfPadding = 32 << 10;

struct SharedWindows {
  /// The reduction dimension that moves beside rows, not the last one; nothing
  /// if no dimension does. Its iterations are taps; without it there is one
  /// tap.
  std::optional<unsigned> tap;
  int64_t taps = 1;
  /// The dimension of lhs that rows move along, if one does, and how far a row
  /// and a tap move there.
  std::optional<unsigned> lineDim;
  int64_t rowStride = 0, tapStride = 0;
  /// The other reduction dimensions but the last.
  llvm::SmallVector<unsigned> others;

  /// The shared windows of a depthwise contraction.
  static SharedWindows of(kernel::ContractOp op);

  /// A column of lhs, and the rows and taps that read it.
  struct Column {
    llvm::SmallVector<std::pair<int64_t, int64_t>> uses;
  };
  /// The columns that `rows` rows side by side read, from left to right.
  llvm::SmallVector<Column> columnsOf(int64_t rows) const;
  int64_t countColumns(int64_t rows) const { return columnsOf(rows).size(); }
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_LAYOUT_SHAREDWINDOWS_H
