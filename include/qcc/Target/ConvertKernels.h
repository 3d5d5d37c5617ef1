//===- ConvertKernels.h - Kernel ops to a target's code ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_CONVERTKERNELS_H
#define QCC_TARGET_CONVERTKERNELS_H

#include "mlir/IR/PatternMatch.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

namespace qcc {

/// How a target replaces an op; it has reported why it cannot where it fails.
template <typename OpTy>
using ConvertKernel =
    llvm::function_ref<llvm::LogicalResult(mlir::RewriterBase &, OpTy)>;

/// Replaces each kernel.contract and kernel.pack in `root` by what a target
/// makes of it. Reports the first that is on tensors, or not replaced.
llvm::LogicalResult convertKernels(mlir::Operation *root,
                                   ConvertKernel<kernel::ContractOp> contract,
                                   ConvertKernel<kernel::PackOp> pack);

} // namespace qcc

#endif // QCC_TARGET_CONVERTKERNELS_H
