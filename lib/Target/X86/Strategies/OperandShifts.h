//===- OperandShifts.h - Offsets of stored elements -------------*- C++ -*-===//
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

#ifndef QCC_LIB_TARGET_X86_STRATEGIES_OPERANDSHIFTS_H
#define QCC_LIB_TARGET_X86_STRATEGIES_OPERANDSHIFTS_H

#include "qcc/Target/X86/IR/X86.h"
#include "qcc/Target/X86/Spec.h"

namespace qcc::x86 {

/// What is added to the elements of each operand as they are stored: 0, 128 to
/// signed ones or -128 to unsigned ones.
struct OperandShifts {
  int64_t lhs, rhs;

  static OperandShifts of(ConfigAttr config, const Atom &atom,
                          bool isLhsUnsigned, bool isRhsUnsigned) {
    if (!config.isInnerProduct() && !config.readsRhsInPlace())
      return {atom.lhsShift(isLhsUnsigned), atom.rhsShift(isRhsUnsigned)};
    if (atom.kr != 4 || atom.hasTiles() || isLhsUnsigned != isRhsUnsigned)
      return {0, 0};
    int64_t shift = isLhsUnsigned ? -128 : 128;
    bool movesLhs = config.isInnerProduct() && config.hasResultsAlongRows();
    return movesLhs ? OperandShifts{shift, 0} : OperandShifts{0, shift};
  }
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_STRATEGIES_OPERANDSHIFTS_H
