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
//   KR = 1   f32 on both sides, and in the accumulator (AtomForm::Floats)
//
// Where the elements of an operand have another sign they are stored moved by
// 128 (Atom::lhsShift), and their zero point is moved by as much.
//
// Bytes (AtomForm::Bytes) are multiplied by vpmaddubsw, which adds two products
// to an i16 and saturates. With 64 as the largest element on the right it
// cannot: 2 * 255 * 64 = 32640.
//
// Pairs (AtomForm::Pairs) are for KR = 2 and take two words of each operand at
// once, (a0, a1), (a2, a3) and (b0, b1), (b2, b3):
//
//   (a0 + b2) (a2 + b0) + (a1 + b3) (a3 + b1)
//       = a0 b0 + a1 b1 + a2 b2 + a3 b3 + (a0 a2 + a1 a3) + (b0 b2 + b1 b3)
//
// Four products for one vpmaddwd instead of two, and two additions instead of
// one. What is too much depends on one operand alone: it is summed up once for
// each row and for each column. All sums fit an i16: a word holds bytes.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_ATOMS_DOT_H
#define QCC_LIB_TARGET_X86_ATOMS_DOT_H

#include "mlir/IR/Builders.h"
#include "qcc/Target/X86/Spec.h"
#include <array>

namespace qcc::x86 {

/// `accumulators` plus the products of `left` and `right`, wrapping, or rounded
/// once where they are floats. All are vectors of atom.lanes words.
mlir::Value multiplyAccumulate(mlir::OpBuilder &builder, mlir::Location loc,
                               const Atom &atom, mlir::Value accumulators,
                               mlir::Value left, mlir::Value right);

/// `accumulators` plus the products of the sums of pairs of `left` and `right`,
/// two words of each, wrapping.
mlir::Value multiplyPairs(mlir::OpBuilder &builder, mlir::Location loc,
                          const Atom &atom, mlir::Value accumulators,
                          std::array<mlir::Value, 2> left,
                          std::array<mlir::Value, 2> right);

/// How many pairs of words of nibbles `multiplyNibbles` takes at most.
int64_t mostPairsOfNibbles(const Atom &atom);

/// The two words, of unsigned bytes, of nibbles (qcc/Target/Target.h).
std::array<mlir::Value, 2>
splitNibbles(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value nibbles);

/// `accumulators` plus the products of the words of `left`, signed bytes, and
/// those of `right`, unsigned nibbles, wrapping.
mlir::Value multiplyNibbles(mlir::OpBuilder &builder, mlir::Location loc,
                            const Atom &atom, mlir::Value accumulators,
                            llvm::ArrayRef<mlir::Value> left,
                            llvm::ArrayRef<mlir::Value> right);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_ATOMS_DOT_H
