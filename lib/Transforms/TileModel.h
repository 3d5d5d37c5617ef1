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
  /// Whether rows of the left operand are not copied.
  bool isInPlace;
};

/// Register tile and blocks, in rows and columns.
struct Tiling {
  int64_t mr, nr, mc, nc;
  /// In multiplications of vectors, for each 16 results; comparable between
  /// atoms.
  double time;
};

/// The most accumulators that a tile may have: it is unrolled, so that a larger
/// one would only make code.
constexpr int64_t kMaxAccumulators = 64;

/// The tiling that takes the least time by the model (see TileModel.cpp).
Tiling chooseTiling(const GemmShape &shape, const Atom &atom,
                    const TargetSpec &target);

/// Likewise for an atom with tiles (see AmxModel.cpp).
Tiling chooseTileRegisters(const GemmShape &shape, const Atom &atom,
                           const TargetSpec &target);

/// The registers that a tile of `mr` by `nr` takes where an atom has tiles,
/// with those of its operands; 0 if its rows cannot be cut into registers of
/// equally many.
int64_t countTileRegisters(int64_t mr, int64_t nr);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_TILEMODEL_H
