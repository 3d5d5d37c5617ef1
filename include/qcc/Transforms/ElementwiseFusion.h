//===- ElementwiseFusion.h - Fusion of two elementwise ops ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_ELEMENTWISEFUSION_H
#define QCC_TRANSFORMS_ELEMENTWISEFUSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace qcc {

/// Whether the op of the operand is a reduction that reads an element of the
/// operand more than once. Then a loop of more than one iteration does not move
/// along the operand, or indices are sums of loops, as in a convolution.
bool isReadRepeatedly(mlir::OpOperand *operand);

/// Whether linalg can fuse the producer of the operand with the op. It cannot
/// where the producer reads an initial value: loops of the op that do not move
/// along the operand would add to it again. Loops that
/// reduce do not widen a constant for each iteration.
bool isFusable(mlir::OpOperand *operand);

/// Replaces the linalg.generic that has `operand` by one that also computes the
/// producer of `operand`, by the fusion of linalg. The new op gets the notes of
/// both ops (Refusal.h). The producer stays; it is unused if no other op reads
/// it. Returns null if the two are not fusable.
mlir::linalg::GenericOp fuseIntoReader(mlir::RewriterBase &rewriter,
                                       mlir::OpOperand *operand);

} // namespace qcc

#endif // QCC_TRANSFORMS_ELEMENTWISEFUSION_H
