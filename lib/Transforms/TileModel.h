//===- TileModel.h - How a contraction is best cut into tiles ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_TILEMODEL_H
#define QCC_LIB_TRANSFORMS_TILEMODEL_H

#include "qcc/Target/TargetSpec.h"

namespace qcc {

/// The sizes of a contraction; m and n are 0 where they are not known.
struct GemmShape {
  int64_t m, n, k;
};

/// Register tile and blocks, in rows and columns.
struct Tiling {
  int64_t mr, nr, mc, nc;
};

/// The most accumulators that a tile may have: it is unrolled, so that a larger
/// one would only make code.
constexpr int64_t kMaxAccumulators = 64;

/// The tiling that takes the least time by the model (see TileModel.cpp).
Tiling chooseTiling(const GemmShape &shape, const Atom &atom,
                    const TargetSpec &target);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_TILEMODEL_H
