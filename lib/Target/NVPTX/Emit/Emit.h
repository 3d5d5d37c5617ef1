//===- Emit.h - The emitters of NVIDIA kernels ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_EMIT_H
#define QCC_LIB_TARGET_NVPTX_EMIT_EMIT_H

#include "mlir/IR/PatternMatch.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

namespace qcc::nvptx {

/// Replaces a contraction on memrefs by a loop over threads that each compute a
/// result by themselves.
void emitThreads(mlir::RewriterBase &rewriter, kernel::ContractOp op);

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_EMIT_H
