//===- WidenedConstants.h - Constants that ops widen ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_WIDENEDCONSTANTS_H
#define QCC_TRANSFORMS_WIDENEDCONSTANTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace qcc {

/// Whether `op` makes elements of `type` of a constant of bytes, by other
/// constants.
bool widensConstant(mlir::linalg::GenericOp op, mlir::Type type);
/// The same of floats: a kernel does that, or fold-constant-prologues.
bool widensConstant(mlir::linalg::GenericOp op);

/// Replaces `op`, whose operands are constants, by its value, and erases
/// constants that nobody else reads. Does nothing where the body has an op that
/// cannot be evaluated.
void replaceByValue(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op);

} // namespace qcc

#endif // QCC_TRANSFORMS_WIDENEDCONSTANTS_H
