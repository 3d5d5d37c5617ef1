//===- OperandAlongK.h - Vectors of elements of K ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where lanes lie along K both operands are rows of elements of K: those of the
// left one and the columns of the right one. A step of K is a vector of them,
// lanes KR elements, as the instruction takes them: moved by the shift of the
// operand, and i16 where KR is 2.
//
// In the last step of a row elements past K may be anything, but of two
// operands one is 0 there: one that is packed, copied or not moved is.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_OPERANDALONGK_H
#define QCC_LIB_TARGET_X86_EMIT_OPERANDALONGK_H

#include "Grid.h"
#include "LhsRows.h"
#include <functional>

namespace qcc::x86 {

struct OperandAlongK {
  /// Emits the vector of a step of a row, of which `count` elements exist.
  std::function<mlir::Value(mlir::Value row, mlir::Value step, int64_t count)>
      read;
  /// Whether elements are unsigned as they are multiplied.
  bool isUnsigned;

  /// The left operand, out of `panel` where there is one.
  static OperandAlongK left(KernelBuilder &builder, Contraction &contraction,
                            const GridPart &part, LhsRows *panel);
  /// The right operand, packed or in place.
  static OperandAlongK right(KernelBuilder &builder, Contraction &contraction,
                             const GridPart &part);
};

/// Bytes of an operand as the instruction takes them.
mlir::Value toStored(KernelBuilder &builder, Contraction &contraction,
                     mlir::Value bytes, bool isUnsigned, int64_t shift);

/// 1 for each element, 0 from `count` on: its products are sums. It may be
/// either operand of the instruction.
mlir::Value onesAlongK(KernelBuilder &builder, Contraction &contraction,
                       int64_t count);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_OPERANDALONGK_H
