//===- Passes.h - Passes of the NVPTX target --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_NVPTX_PASSES_H
#define QCC_TARGET_NVPTX_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"

namespace qcc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qcc/Target/NVPTX/Passes.h.inc"

class Target;

namespace nvptx {
/// The pass with the strategies of `target`, which must outlive it.
std::unique_ptr<mlir::Pass> createConvertKernelToNVPTX(const Target &target);
} // namespace nvptx
} // namespace qcc

#endif // QCC_TARGET_NVPTX_PASSES_H
