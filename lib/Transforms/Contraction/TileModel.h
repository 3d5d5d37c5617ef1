//===- TileModel.h - How a contraction is best cut into tiles ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_CONTRACTION_TILEMODEL_H
#define QCC_LIB_TRANSFORMS_CONTRACTION_TILEMODEL_H

#include "qcc/Target/TargetSpec.h"
#include <algorithm>

namespace qcc {

/// The sizes of a contraction; m and n are 0 where they are not known.
struct GemmShape {
  int64_t m, n, k;
  /// Whether rows of the left operand are not copied.
  bool isInPlace;
  /// Operations of the epilogue on a vector.
  int64_t epilogueOps = 0;
  /// Multiplications in the time of copying 64 bytes of a row where they are.
  double copyTime = 0;
};

/// Register tile and blocks, in rows and columns.
struct Tiling {
  int64_t mr, nr, mc, nc;
  /// Whether lanes lie along K (LanesAlongKModel.h), and whether the right
  /// operand is read where it lies (InterleavedColumnsModel.h where lanes are
  /// columns).
  bool isAlongK = false, readsRhsInPlace = false;
};

/// The most accumulators that a tile may have: it is unrolled, so that a larger
/// one would only make code.
constexpr int64_t kMaxAccumulators = 64;

/// The time that the model expects (see TileModel.cpp, and AmxModel.cpp for
/// atoms with tiles), as a multiple of what the atom takes at its peak.
double expectedTime(const GemmShape &shape, const Tiling &tiling,
                    const Atom &atom, const TargetSpec &target);

/// Multiplications in the time that a step takes whatever it does.
constexpr double kStepOverhead = 150;

/// Multiplications of vectors that a core with AMX starts in a cycle.
constexpr double kVectorsPerCycle = 2;

/// The time of 64 bytes of a right operand of `bytes`, which was not read for
/// a while.
double timeOfFarLine(int64_t bytes, const TargetSpec &target);

/// The time of computing while a right operand of `bytes` streams from where it
/// lies: the shorter one of the two is not hidden altogether.
double besideStream(double computing, double streaming, int64_t bytes,
                    const TargetSpec &target);

/// What `atom` takes for a contraction at its peak, in multiplications of
/// vectors for each 1024 products; comparable between atoms.
double peakTime(const Atom &atom);

/// All tilings that suit the shape, with blocks that suit them.
llvm::SmallVector<Tiling> listTilings(const GemmShape &shape, const Atom &atom,
                                      const TargetSpec &target);

/// The registers that a tile of `mr` by `nr` takes where an atom has tiles,
/// with those of its operands; 0 if its rows cannot be cut into registers of
/// equally many.
int64_t countTileRegisters(int64_t mr, int64_t nr);

/// The parts of expectedTime and listTilings for atoms with tiles.
double expectedTimeOfTileRegisters(const GemmShape &shape, const Tiling &tiling,
                                   const Atom &atom, const TargetSpec &target);
llvm::SmallVector<Tiling> listTileRegisters(const GemmShape &shape,
                                            const Atom &atom,
                                            const TargetSpec &target);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_CONTRACTION_TILEMODEL_H
