//===- SumLanes.h - Sums of the lanes of several vectors --------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where lanes lie along K a result is the sum of the lanes of an accumulator.
// Several are summed up at once: each level of a tree adds the halves of two
// vectors, so that their sums share one. Of four lanes a0 .. a3 and b0 .. b3:
//
//   [a0 b0 a1 b1] + [a2 b2 a3 b3]              one vector of a and b
//
// Groups of four lanes come first, since only what crosses them is slow.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_SUMLANES_H
#define QCC_LIB_TARGET_X86_EMIT_SUMLANES_H

#include "KernelBuilder.h"

namespace qcc::x86 {

/// A vector whose lane i is the sum of the lanes of vectors[i], wrapping; other
/// lanes hold anything. At most builder.lanes vectors, 8 or 16.
mlir::Value sumLanes(KernelBuilder &builder, mlir::ValueRange vectors);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_SUMLANES_H
