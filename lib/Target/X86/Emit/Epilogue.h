//===- Epilogue.h - The region on accumulators, and the stores --*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_EPILOGUE_H
#define QCC_LIB_TARGET_X86_EMIT_EPILOGUE_H

#include "Contraction.h"

namespace qcc::x86 {

/// The epilogue of one tile may be spelled out in at most this many vector
/// operations.
constexpr int64_t kMaxUnrolledOps = 1024;

class Epilogue {
public:
  Epilogue(KernelBuilder &builder, Contraction &contraction);

  /// Emits the epilogue of a tile on its accumulators, which are row-major.
  /// The accumulators stay in registers and every row is spelled out, unless
  /// that would make too much code. Then the accumulators go through scratch
  /// memory and there is a loop over rows.
  void emit(const Tile &tile, mlir::ValueRange accumulators);

  /// Emits the epilogue of row i of a tile; `accumulators` are those of the
  /// row.
  void emitRow(const Tile &tile, int64_t i, mlir::ValueRange accumulators);
  /// Whether the epilogue of all rows takes at most so many operations.
  bool isAtMost(const Tile &tile, int64_t operations);

private:
  void store(const Tile &tile, int64_t i, unsigned result,
             mlir::ValueRange vectors);

  KernelBuilder &builder;
  Contraction &contraction;
  VectorRegion region;
  mlir::Value scratch; // [MR, NR], made when it is needed
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_EPILOGUE_H
