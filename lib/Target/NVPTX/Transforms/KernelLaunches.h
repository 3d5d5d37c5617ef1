//===- KernelLaunches.h - Calls of steps to launches ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_TRANSFORMS_KERNELLAUNCHES_H
#define QCC_LIB_TARGET_NVPTX_TRANSFORMS_KERNELLAUNCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"

namespace qcc::nvptx {

/// Arguments of a step that are no parameters of its kernel: StepArgument.
inline constexpr unsigned kStepArguments = 4;

/// What the threads of a step run, and how many are in a block.
struct KernelWork {
  llvm::SmallVector<mlir::scf::ForallOp> loops;
  llvm::SmallVector<BlocksOp> blocks;
  llvm::SmallVector<TensorMapOp> maps;
  int64_t threads = 1, sharedBytes = 0;
};

/// The types of the parameters of a kernel for an argument of a step: a pointer
/// and the dynamic sizes of a memref, a size, or the words of 32 bits of a
/// literal (share-steps).
llvm::SmallVector<mlir::Type> parameterTypes(mlir::Type argument,
                                             mlir::MLIRContext *context);

/// A literal of a step, made of the parameters of its kernel.
mlir::Value emitLiteral(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Type type, mlir::ValueRange parameters);

/// Replaces the call of a step by the launch of a kernel, which may start while
/// kernels before it end if it is `programmatic`.
mlir::LogicalResult createLaunch(mlir::RewriterBase &rewriter,
                                 mlir::func::CallOp call,
                                 mlir::func::FuncOp step,
                                 mlir::SymbolRefAttr kernel,
                                 const KernelWork &work, bool programmatic);

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_TRANSFORMS_KERNELLAUNCHES_H
