//===- ThreadAccess.h - Vector accesses of a thread -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_TRANSFORMS_THREADACCESS_H
#define QCC_LIB_TARGET_NVPTX_TRANSFORMS_THREADACCESS_H

#include "qcc/Transforms/VectorLoops/LinalgLoops.h"

namespace qcc::nvptx {

/// What a thread loads or stores at once, at most.
inline constexpr int64_t kAccessBytes = 16;
/// Operations that a thread does on all its elements at most: what it holds of
/// several elements has to fit into its registers.
inline constexpr int64_t kMostOperations = 128;

/// The bytes of an element in memory.
int64_t bytesOf(mlir::Type element);

/// Whether each `count` elements along a dimension, from a multiple of it on,
/// lie side by side at an address that is a multiple of their size; or the
/// operand does not move along it.
bool isAligned(const LinalgLoops &loops, mlir::OpOperand &operand, unsigned dim,
               int64_t count);

/// Gives accesses to vectors the alignment that `isAligned` has seen to.
void setAlignments(mlir::Operation *loop);

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_TRANSFORMS_THREADACCESS_H
