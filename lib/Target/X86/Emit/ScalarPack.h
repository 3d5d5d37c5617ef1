//===- ScalarPack.h - kernel.pack element by element ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_SCALARPACK_H
#define QCC_LIB_TARGET_X86_EMIT_SCALARPACK_H

#include "KernelBuilder.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

namespace qcc::x86 {

/// Packs one tile of columns whatever way its elements lie; `n` is the number
/// of columns that exist.
void emitScalarPack(KernelBuilder &builder, kernel::PackOp op,
                    llvm::ArrayRef<mlir::Value> batch, mlir::Value tile,
                    mlir::Value n);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_SCALARPACK_H
