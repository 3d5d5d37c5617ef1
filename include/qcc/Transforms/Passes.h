//===- Passes.h - Transforms passes -----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_PASSES_H
#define QCC_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include <memory>

namespace qcc {
class Target;
class TuningDatabase;

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qcc/Transforms/Passes.h.inc"

/// Decides for `target` instead of the target that the option names. Takes the
/// measured config if `tuning` is not null and has one.
std::unique_ptr<mlir::Pass>
createSelectLoweringConfig(std::shared_ptr<const Target> target,
                           std::shared_ptr<const TuningDatabase> tuning);
std::unique_ptr<mlir::Pass>
createMergeGroups(std::shared_ptr<const Target> target);
std::unique_ptr<mlir::Pass>
createFoldConstantPrologues(std::shared_ptr<const Target> target);
std::unique_ptr<mlir::Pass>
createPackOperands(std::shared_ptr<const Target> target);
std::unique_ptr<mlir::Pass>
createAdaptLoweringConfig(std::shared_ptr<const Target> target);
std::unique_ptr<mlir::Pass>
createFoldByteFunctions(std::shared_ptr<const Target> target);
std::unique_ptr<mlir::Pass>
createSliceStridedOperands(std::shared_ptr<const Target> target);
std::unique_ptr<mlir::Pass>
createReadUnpadded(std::shared_ptr<const Target> target);
std::unique_ptr<mlir::Pass>
createStoreUnsigned(std::shared_ptr<const Target> target);
std::unique_ptr<mlir::Pass>
createSeparatePrologues(std::shared_ptr<const Target> target);
std::unique_ptr<mlir::Pass> createPadRows(std::shared_ptr<const Target> target);
std::unique_ptr<mlir::Pass>
createBlockRows(std::shared_ptr<const Target> target);

/// Adds a pass that rejects all ops after the stage `stage`, except ops of
/// `dialects` and of builtin, func, affine and scf.
void addVerifyStage(mlir::OpPassManager &pm, llvm::StringRef stage,
                    llvm::ArrayRef<llvm::StringRef> dialects);
} // namespace qcc

#endif // QCC_TRANSFORMS_PASSES_H
