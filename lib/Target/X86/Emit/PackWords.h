//===- PackWords.h - Rows and columns to vectors of words -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The packed right operand is vectors of i32 words: a lane is a column, and its
// bytes follow each other along K. These are the shuffles that make such
// vectors of what lies along columns or along K; all but the last of them work
// on each 128 bits alone.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_PACKWORDS_H
#define QCC_LIB_TARGET_X86_EMIT_PACKWORDS_H

#include "PackBytes.h"

namespace qcc::x86 {

/// Words of four rows of bytes or two rows of i16: `rows` has as many vectors
/// of 1, 2 or 4 times builder.lanes elements. Returns a vector of builder.lanes
/// i32 for each builder.lanes columns; element r of a lane is that of row r,
/// from the low end.
llvm::SmallVector<mlir::Value> interleaveRows(KernelBuilder &builder,
                                              mlir::ValueRange rows);

/// Packs rows of builder.lanes i32 each, which become bytes as in packBytes,
/// into one vector.
mlir::Value interleaveBytes(KernelBuilder &builder, mlir::ValueRange rows,
                            ByteRange range);

/// Transposes the 4 x 4 i32 that four rows have in each 128 bits.
llvm::SmallVector<mlir::Value> transposeQuads(KernelBuilder &builder,
                                              mlir::ValueRange rows);

/// Vectors of four i32 side by side: a vector of builder.lanes i32.
mlir::Value joinQuads(KernelBuilder &builder, mlir::ValueRange quads);

/// Transposes a matrix of builder.lanes x builder.lanes i32.
llvm::SmallVector<mlir::Value> transposeWords(KernelBuilder &builder,
                                              mlir::ValueRange rows);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_PACKWORDS_H
