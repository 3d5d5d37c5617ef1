//===- Share.h - Which tiles a thread computes ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiles of a contraction are a grid of R rows (outer dimensions included)
// and C columns. T threads cut it into a grid of shares, Tr x Tc of them with
// Tr Tc = T, each as even as whole tiles allow: [R r / Tr, R (r + 1) / Tr) by
// [C c / Tc, C (c + 1) / Tc). Tc is 1, a power of 2 or T, and such that the
// largest share is smallest; of equal ones the least, since threads that share
// rows prepare the same rows. T is known when the kernel runs.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_SHARE_H
#define QCC_LIB_TARGET_X86_EMIT_SHARE_H

#include "KernelBuilder.h"

namespace qcc::x86 {

struct Share {
  mlir::Value rowBegin, rowEnd, columnBegin, columnEnd; // tiles
};

/// Emits the share of `thread` of `threads` in a grid of tiles.
Share emitShare(KernelBuilder &builder, mlir::Value thread, mlir::Value threads,
                mlir::Value rows, mlir::Value columns);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_SHARE_H
