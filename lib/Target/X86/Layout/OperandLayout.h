//===- OperandLayout.h - Layout of operands ---------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words of four are multiplied as unsigned bytes by signed ones. Where lanes
// are columns the left operand is the unsigned one, since packing gives the
// right one any sign. Where lanes lie along K, or the right operand is read in
// place, either may be: only one of two operands of the same sign is moved,
// that of which a kernel reads more rows, so that the sums that make up for it
// (InitialAccumulators.h) are those of the other.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_LAYOUT_OPERANDLAYOUT_H
#define QCC_LIB_TARGET_X86_LAYOUT_OPERANDLAYOUT_H

#include "qcc/Target/X86/IR/X86.h"
#include "qcc/Target/X86/Spec.h"

namespace qcc::x86 {

/// Elements of K of two words, which nibbles hold in one.
constexpr int64_t kStepOfNibbles = 8;
/// Elements of K, as nibbles, of a word of a column that floats are multiplied
/// by.
constexpr int64_t kNibblesOfWord = 8;

/// How a kernel finds the elements of its operands.
struct OperandLayout {
  /// Whether the lanes of a vector are elements of K; columns otherwise.
  bool lanesAlongK = false;
  /// What is added to the elements of each operand as they are stored: 0, 128
  /// to signed ones or -128 to unsigned ones; 8 to signed nibbles.
  int64_t lhsShift = 0, rhsShift = 0;

  static OperandLayout ofColumns(kernel::ContractOp op, const Atom &atom) {
    return {false, atom.lhsShift(op.getLhsUnsigned()),
            atom.rhsShift(op.getRhsUnsigned())};
  }
  /// Columns in nibbles, which are unsigned; the left operand is signed.
  static OperandLayout ofNibbles(kernel::ContractOp op) {
    return {false, op.getLhsUnsigned() ? -128 : 0, op.getRhsUnsigned() ? 0 : 8};
  }
  /// Moves one operand of two, if words of four have the same sign.
  static OperandLayout movingOne(kernel::ContractOp op, const Atom &atom,
                                 bool movesLhs, bool lanesAlongK) {
    if (atom.kr != 4 || atom.hasTiles() ||
        op.getLhsUnsigned() != op.getRhsUnsigned())
      return {lanesAlongK, 0, 0};
    int64_t shift = op.getLhsUnsigned() ? -128 : 128;
    return {lanesAlongK, movesLhs ? shift : 0, movesLhs ? 0 : shift};
  }
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_LAYOUT_OPERANDLAYOUT_H
