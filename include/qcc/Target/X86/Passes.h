//===- Passes.h - X86 passes ------------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_X86_PASSES_H
#define QCC_TARGET_X86_PASSES_H

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace qcc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qcc/Target/X86/Passes.h.inc"

class Target;

namespace x86 {
/// The pass with the strategies of `target`, which must outlive it.
std::unique_ptr<mlir::Pass> createConvertKernelToX86(const Target &target);
} // namespace x86
} // namespace qcc

#endif // QCC_TARGET_X86_PASSES_H
