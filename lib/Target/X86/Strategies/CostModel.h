//===- CostModel.h - Cost model of x86 strategies ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes of contractions and the times of what kernels do, in
// multiplications of vectors.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_STRATEGIES_COSTMODEL_H
#define QCC_LIB_TARGET_X86_STRATEGIES_COSTMODEL_H

#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/X86/IR/X86.h"
#include "qcc/Target/X86/Spec.h"

namespace qcc::x86 {

/// The sizes of a contraction; m and n are 0 where they are not known.
struct GemmShape {
  int64_t m, n, k;
  /// The elements of a segment of K (kernel.pack).
  int64_t segment;
  /// Whether rows of the left operand are not copied.
  bool isInPlace;
  /// Operations of the epilogue on a vector.
  int64_t epilogueOps = 0;
  /// Multiplications in the time of copying 64 bytes of a row where they are.
  double copyTime = 0;

  static GemmShape of(kernel::ContractOp op, bool isInPlace);

  /// The words of K, segments rounded up to whole steps of `atom`.
  int64_t words(const Atom &atom) const;
};

/// Register tile and blocks, in rows and columns, and where operands are read.
struct Tiling {
  int64_t mr, nr, mc, nc;
  bool lhsInPlace = false;
  RhsSource rhs = RhsSource::Packed;
};

/// The most accumulators that a tile may have: it is unrolled, so that a larger
/// one would only make code.
constexpr int64_t kMaxAccumulators = 64;

/// Multiplications in the time that a step takes whatever it does.
constexpr double kStepOverhead = 150;

/// Multiplications of vectors that a core with AMX starts in a cycle.
constexpr double kVectorsPerCycle = 2;

/// Whether a right operand of `bytes` is still in the L2 cache when it is read
/// again.
bool staysInL2(int64_t bytes, const Spec &spec);

/// The time of 64 bytes of a right operand of `bytes`, which was not read for
/// a while.
double timeOfFarLine(int64_t bytes, const Spec &spec);

/// The time of computing while a right operand of `bytes` streams from where it
/// lies: the shorter one of the two is not hidden altogether.
double besideStream(double computing, double streaming, int64_t bytes,
                    const Spec &spec);

/// Instructions that a word of K takes for each accumulator. Words of two need
/// an addition of their own, pairs three additions and a multiplication for two
/// words, bytes a multiplication and an addition.
double countInstructions(const Atom &atom);
/// How many times longer the instructions of an atom take than their number
/// says.
double delayOf(const Atom &atom);

/// The time of tiles of accumulators in vector registers: `nv` vectors of
/// columns of `vectors` in all, over `words` words of K.
struct TileTimes {
  const GemmShape &shape;
  const Atom &atom;
  const Spec &spec;
  int64_t nv, vectors, words;

  /// Of a tile whose right operand's vectors take `vector` each.
  double tile(int64_t rows, int64_t columns, double vector) const;
  /// Of the tiles of all columns.
  double allColumns(int64_t rows, double vector) const;
  /// Of `m` rows, `mr` in a tile.
  double all(int64_t m, int64_t mr, double vector) const;
};

/// The tiles of rows in a block, at most `most`, by which all blocks of m rows
/// have as many, as far as tiles allow; `most` where m is 0.
int64_t tilesOfEqualBlocks(int64_t m, int64_t mr, int64_t most);

/// What `atom` takes for a contraction at its peak, in multiplications of
/// vectors for each 1024 products; comparable between atoms.
double peakTime(const Atom &atom);
/// From multiplications for each 1024 products to multiples of the peak.
double unitOfPeak(const Atom &atom);

/// Whether the right operand is packed before the program runs.
bool isPackedInAdvance(kernel::ContractOp op);
/// What a kernel that packs its right operand waits for before it starts: the
/// time of packing at run time, 0 for a constant one. A multiple of what full
/// vectors would take for the contraction.
double packingTime(kernel::ContractOp op, const GemmShape &shape,
                   const Atom &atom);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_STRATEGIES_COSTMODEL_H
