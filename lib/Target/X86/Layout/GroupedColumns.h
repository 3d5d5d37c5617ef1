//===- GroupedColumns.h - Columns with a left operand by groups *- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns of a depthwise contraction may have left operands group by group
// (ContractOp::Roles). The elements of a group are words of KR elements, and
// each lane has those of its group. Here are groups of four columns:
//
//   columns    0 1 2 3 | 4 5 6 7 | ..
//   lhs        a a a a | b b b b | ..
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_LAYOUT_GROUPEDCOLUMNS_H
#define QCC_LIB_TARGET_X86_LAYOUT_GROUPEDCOLUMNS_H

#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include <string>

namespace qcc::x86 {

struct GroupedColumns {
  /// The columns of a group, and its elements of lhs.
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
  /// Whether a vector of a tile has several groups: its lanes are put in order
  /// by a shuffle for each word, which the emitter has to know.
  bool areShared(int64_t vectors) const;

  /// What keeps `op` from being computed in tiles of so many vectors with words
  /// of `kr` elements: a sentence without its end.
  std::optional<std::string> refuse(kernel::ContractOp op, int64_t vectors,
                                    int64_t kr) const;
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_LAYOUT_GROUPEDCOLUMNS_H
