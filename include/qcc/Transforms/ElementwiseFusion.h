//===- ElementwiseFusion.h - Two elementwise ops as one ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_ELEMENTWISEFUSION_H
#define QCC_TRANSFORMS_ELEMENTWISEFUSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace qcc {

/// Whether a reduction reads elements of the operand more than once: some loop
/// of more than one iteration does not move along the operand.
bool isReadRepeatedly(mlir::OpOperand *operand);

/// Computes the producer of an input of a linalg.generic in the op itself, by
/// the fusion of linalg, and replaces the op. What `qcc explain` reads of both
/// (Refusal.h) is that of the new op. The producer stays, unused if nothing
/// else reads it. Null where linalg cannot fuse the two.
mlir::linalg::GenericOp fuseIntoReader(mlir::RewriterBase &rewriter,
                                       mlir::OpOperand *operand);

} // namespace qcc

#endif // QCC_TRANSFORMS_ELEMENTWISEFUSION_H
