//===- Steps.h - The convention of step functions ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After the buffer stage an entry calls step functions. This is what passes
// know about them.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_ENTRY_STEPS_H
#define QCC_TRANSFORMS_ENTRY_STEPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace qcc {

/// Unit attribute of a step function.
inline constexpr llvm::StringLiteral kStepAttr = "qcc.step";
/// Dictionary attribute of a step function: what `qcc explain` says of it.
inline constexpr llvm::StringLiteral kKernelAttr = "qcc.kernel";
/// Unit attribute of a step function whose threads share its work.
inline constexpr llvm::StringLiteral kParallelAttr = "qcc.parallel";
/// Integer attribute of a step function: bytes of scratch per thread.
inline constexpr llvm::StringLiteral kScratchAttr = "qcc.scratch";
/// Integer array attribute of a step function: which memref arguments it
/// writes.
inline constexpr llvm::StringLiteral kWritesAttr = "qcc.writes";
/// Type attribute of an argument or a result of an entry: its type in the
/// source program. Of an argument of a step: its element type there.
inline constexpr llvm::StringLiteral kSourceTypeAttr = "qcc.type";
/// String attribute of an argument of a step: the layer whose value it writes.
inline constexpr llvm::StringLiteral kLayerAttr = "qcc.layer";

/// Unit attribute of an argument of an entry that receives a result.
inline constexpr llvm::StringLiteral kDestinationAttr = "qcc.result";

inline bool isStep(mlir::func::FuncOp func) { return func->hasAttr(kStepAttr); }

/// The last arguments of a step function, in this order.
enum class StepArgument { Operations = 4, Bytes = 3, Thread = 2, Threads = 1 };

inline mlir::BlockArgument getStepArgument(mlir::func::FuncOp step,
                                           StepArgument which) {
  return step.getArgument(step.getNumArguments() - static_cast<int>(which));
}

/// Elements from one row of the last dimension of a temporary to the next, or 0
/// where it is compact.
inline int64_t rowPitchOf(mlir::MemRefType type) {
  return type.getLayout().isIdentity()
             ? 0
             : type.getStridesAndOffset().first.end()[-2];
}

} // namespace qcc

#endif // QCC_TRANSFORMS_ENTRY_STEPS_H
