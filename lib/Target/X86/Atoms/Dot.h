//===- Dot.h - Instructions that multiply words of bytes --------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The atoms whose operands are vectors of i32 words of KR elements: each lane
// of the accumulator gains the sum of the products of its two words.
//
//   KR = 4   unsigned bytes on the left, signed bytes on the right
//   KR = 2   i16 on both sides
//
// Where the elements of an operand have another sign they are stored moved by
// 128 (Atom::lhsShift), and their zero point is moved by as much.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_ATOMS_DOT_H
#define QCC_LIB_TARGET_X86_ATOMS_DOT_H

#include "mlir/IR/Builders.h"
#include "qcc/Target/TargetSpec.h"

namespace qcc::x86 {

/// `accumulators` plus the products of `left` and `right`, wrapping. All are
/// vectors of atom.lanes i32.
mlir::Value multiplyAccumulate(mlir::OpBuilder &builder, mlir::Location loc,
                               const Atom &atom, mlir::Value accumulators,
                               mlir::Value left, mlir::Value right);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_ATOMS_DOT_H
