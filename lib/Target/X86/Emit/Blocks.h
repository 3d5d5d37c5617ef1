//===- Blocks.h - The order of blocks and tiles -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_BLOCKS_H
#define QCC_LIB_TARGET_X86_EMIT_BLOCKS_H

#include "Grid.h"

namespace qcc::x86 {

/// Emits a contraction whose atom has its accumulators in vector registers
/// (Atoms/Dot.h).
void emitVectorBlocks(KernelBuilder &builder, Contraction &contraction);
/// Emits one whose atom has them in tile registers (Atoms/AmxTile.h).
void emitTileBlocks(KernelBuilder &builder, Contraction &contraction);
/// Emits one whose accumulators' lanes lie along K.
void emitLanesAlongK(KernelBuilder &builder, Contraction &contraction);
/// Emits one with columns in the lanes and the right operand in place.
void emitInterleavedColumns(KernelBuilder &builder, Contraction &contraction);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_BLOCKS_H
