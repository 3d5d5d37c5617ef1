//===- ProgrammaticLaunch.h - Kernels that start early ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From sm_90 on, a kernel may start while the kernel before it ends: CUDA calls
// that programmatic dependent launch. The kernel itself waits, by
// griddepcontrol.wait, until those before it have ended and their memory can be
// read. So the launch, and loads of constant weights, move into the time of the
// kernel before.
//
// The next kernel starts when all blocks have ended, or have allowed it by
// griddepcontrol.launch_dependents. A strategy allows it early where that pays
// (docs/Rationale/NVPTX.md).
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_TRANSFORMS_PROGRAMMATICLAUNCH_H
#define QCC_LIB_TARGET_NVPTX_TRANSFORMS_PROGRAMMATICLAUNCH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"

namespace qcc::nvptx {

/// Which arguments of a step are constants in all of its calls.
llvm::BitVector findConstants(mlir::func::FuncOp step,
                              mlir::ArrayRef<mlir::func::CallOp> calls);

/// Lets each thread of a step wait for the kernels before it, as late as it
/// can: before the first access to memory other than shared memory and
/// `constants`.
void waitForKernels(mlir::RewriterBase &rewriter, mlir::func::FuncOp step,
                    const llvm::BitVector &constants);

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_TRANSFORMS_PROGRAMMATICLAUNCH_H
