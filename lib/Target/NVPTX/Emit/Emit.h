//===- Emit.h - The emitters of NVIDIA kernels ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_EMIT_H
#define QCC_LIB_TARGET_NVPTX_EMIT_EMIT_H

#include "mlir/IR/PatternMatch.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Spec.h"

namespace qcc::nvptx {

/// Replaces a contraction on memrefs by a loop over threads that each compute a
/// result by themselves.
void emitThreads(mlir::RewriterBase &rewriter, kernel::ContractOp op);

/// Replaces a packed contraction on memrefs by blocks that each compute a tile
/// of rows and columns.
void emitMultistage(mlir::RewriterBase &rewriter, kernel::ContractOp op,
                    ConfigAttr config, const Atom &atom);

/// Replaces a packed contraction on memrefs by blocks, one for each
/// multiprocessor at most, that compute all tiles of rows and columns by
/// products of warpgroups (sm_90a).
void emitWarpgroups(mlir::RewriterBase &rewriter, kernel::ContractOp op,
                    ConfigAttr config, int64_t multiprocessors);

/// Replaces a packed contraction on memrefs, of few rows, by blocks whose warps
/// share K. With `startsEarly` and a single tile of rows, kernels let the next
/// one start at once (programmatic dependent launch), and load weights ahead of
/// all else.
void emitDecode(mlir::RewriterBase &rewriter, kernel::ContractOp op,
                ConfigAttr config, const Atom &atom, bool startsEarly);

/// Replaces the packing of an operand on memrefs by a loop over threads, of
/// which each 32 pack a column, or by blocks that each pack 32 columns.
void emitPack(mlir::RewriterBase &rewriter, kernel::PackOp op);

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_EMIT_H
