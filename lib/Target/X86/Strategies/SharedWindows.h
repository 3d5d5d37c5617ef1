//===- SharedWindows.h - What windows of rows share ----------- -*- C++ -*-===//
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

#ifndef QCC_LIB_TARGET_X86_STRATEGIES_SHAREDWINDOWS_H
#define QCC_LIB_TARGET_X86_STRATEGIES_SHAREDWINDOWS_H

#include "qcc/Dialect/Kernel/IR/Kernel.h"

namespace qcc::x86 {

/// The longest line of an image of which there is one of padding in scratch
/// memory, in bytes.
constexpr int64_t kMaxLineOfPadding = 32 << 10;

struct SharedWindows {
  /// The reduction dimension that moves beside rows, not the last one; nothing
  /// where there is none. Its iterations are taps, and there is one without it.
  std::optional<unsigned> tap;
  int64_t taps = 1;
  /// The dimension of lhs that rows move along, if one does, and how far a row
  /// and a tap move there.
  std::optional<unsigned> lineDim;
  int64_t rowStride = 0, tapStride = 0;
  /// The other reduction dimensions but the last.
  llvm::SmallVector<unsigned> others;

  /// Those of a depthwise contraction.
  static SharedWindows of(kernel::ContractOp op);

  /// A column of lhs, and the rows and taps that read it.
  struct Column {
    llvm::SmallVector<std::pair<int64_t, int64_t>> uses;
  };
  /// The columns that `rows` rows side by side read, from left to right.
  llvm::SmallVector<Column> columnsOf(int64_t rows) const;
  int64_t countColumns(int64_t rows) const { return columnsOf(rows).size(); }
};

/// Columns of a depthwise contraction that have a left operand group by group
/// (ContractOp::Roles): a group is some words, and each lane has the word of
/// its group.
struct GroupedColumns {
  /// The columns of a group, and its elements in lhs, a multiple of KR.
  int64_t columns, elements;
  unsigned lanes;

  /// Nothing where every column has elements of its own.
  static std::optional<GroupedColumns> of(kernel::ContractOp op,
                                          unsigned lanes);

  /// The groups of vector j of a tile, whose first column begins a group: the
  /// first one, and how many.
  int64_t firstGroup(int64_t j) const { return j * lanes / columns; }
  int64_t countGroups(int64_t j) const {
    return ((j + 1) * lanes - 1) / columns + 1 - firstGroup(j);
  }
  /// Whether a vector of a tile has several groups: its lanes are then put in
  /// order by a shuffle for each word, which the emitter has to know.
  bool areShared(int64_t vectors) const;
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_STRATEGIES_SHAREDWINDOWS_H
