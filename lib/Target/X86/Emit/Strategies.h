//===- Strategies.h - The order of blocks and tiles -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_STRATEGIES_H
#define QCC_LIB_TARGET_X86_EMIT_STRATEGIES_H

#include "Grid.h"

namespace qcc::x86 {

/// Emits a contraction whose atom has its accumulators in vector registers
/// (Atoms/Dot.h).
void emitVectorTiles(KernelBuilder &builder, Contraction &contraction);
/// Emits one whose atom has them in tile registers (Atoms/AmxTile.h).
void emitAmxTiles(KernelBuilder &builder, Contraction &contraction);
/// Emits one whose accumulators' lanes lie along K.
void emitInnerProduct(KernelBuilder &builder, Contraction &contraction);
/// Emits one with columns in the lanes and the right operand in place.
void emitInterleavedColumns(KernelBuilder &builder, Contraction &contraction);
/// Emits one whose columns have left operands of their own.
void emitDepthwise(KernelBuilder &builder, Contraction &contraction);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_STRATEGIES_H
