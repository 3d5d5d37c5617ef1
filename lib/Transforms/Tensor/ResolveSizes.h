//===- ResolveSizes.h - Sizes in terms of arguments -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_TENSOR_RESOLVESIZES_H
#define QCC_LIB_TRANSFORMS_TENSOR_RESOLVESIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace qcc {

/// Lets nothing but elements depend on values that the function computes: what
/// asks for a size of such a value asks the arguments instead, and an output
/// of which nothing remains becomes a tensor.empty. Sizes that do not follow
/// from the dimensions of arguments stay as they are.
void resolveSizes(mlir::func::FuncOp func);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_TENSOR_RESOLVESIZES_H
