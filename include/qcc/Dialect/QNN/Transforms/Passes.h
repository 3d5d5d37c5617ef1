//===- Passes.h - Graph passes ----------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_TRANSFORMS_PASSES_H
#define QCC_DIALECT_QNN_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace qcc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qcc/Dialect/QNN/Transforms/Passes.h.inc"
} // namespace qcc

#endif // QCC_DIALECT_QNN_TRANSFORMS_PASSES_H
