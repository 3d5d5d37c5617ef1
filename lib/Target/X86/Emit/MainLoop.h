//===- MainLoop.h - The accumulators of one register tile -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_MAINLOOP_H
#define QCC_LIB_TARGET_X86_EMIT_MAINLOOP_H

#include "ColumnProducts.h"
#include "LhsRows.h"

namespace qcc::x86 {

/// Emits the loop over K of a tile; returns its accumulators, which are the
/// exact sums of the contraction.
llvm::SmallVector<mlir::Value>
emitMainLoop(KernelBuilder &builder, Contraction &contraction, LhsRows &rows,
             ColumnProducts &columns, const Tile &tile);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_MAINLOOP_H
