//===- PartsOfK.h - Parts of K in kernels of floats -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What follows from a contraction of floats and its config, for the cost model
// and for the code (Emit/FloatTiles.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_LAYOUT_PARTSOFK_H
#define QCC_LIB_TARGET_X86_LAYOUT_PARTSOFK_H

#include "qcc/Dialect/Kernel/IR/Kernel.h"

namespace qcc::x86 {

/// Half of the smallest L1 cache: the words of a part of K in a tile of columns
/// take no more.
inline constexpr int64_t kPartBytes = 16 << 10;

/// How K is cut: reduction dimension `depth` into parts of `size` iterations;
/// those before it, into single iterations.
struct PartsOfK {
  unsigned depth = 0;
  int64_t size = 0;
  bool isOne = true;

  /// Parts have a multiple of `multiple` words.
  static PartsOfK of(kernel::ContractOp op, int64_t nr, int64_t multiple);
};

/// Whether blocks go through the outer dimensions, such as the lines of an
/// image: all of them multiply the same columns, and no rows are copied.
bool goThroughOuter(kernel::ContractOp op, bool lhsInPlace);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_LAYOUT_PARTSOFK_H
