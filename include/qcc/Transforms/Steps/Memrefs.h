//===- Memrefs.h - Memrefs of pointers and sizes ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_STEPS_MEMREFS_H
#define QCC_TRANSFORMS_STEPS_MEMREFS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace qcc {

/// A memref over the pointer `data`, in row-major order. It is compact, unless
/// `type` has a pitch of rows. `sizeOf` gives the size of a dimension as i64;
/// it is called for each dimension, the last one first.
mlir::Value emitMemref(mlir::OpBuilder &builder, mlir::Location loc,
                       const mlir::LLVMTypeConverter &converter,
                       mlir::MemRefType type, mlir::Value data,
                       llvm::function_ref<mlir::Value(unsigned dim)> sizeOf);

} // namespace qcc

#endif // QCC_TRANSFORMS_STEPS_MEMREFS_H
