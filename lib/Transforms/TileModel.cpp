//===- TileModel.cpp - How a contraction is best cut into tiles -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of mr rows by nv vectors of columns takes, for each word of K, mr nv
// multiplications and mr + nv loads, of which a core starts equally many. Fewer
// multiplications than fill the pipeline take as long as those that would, and
// the vectors of the right operand come from the L2 cache at half the speed of
// a load. Times are in multiplications, with what an atom needs besides.
//
// Without VNNI a multiplication is vpmaddwd and an addition, which take a core
// longer than their number says. With pairs there are more additions and fewer
// multiplications (Atoms/Dot.h), and the products of the words of a column
// among themselves once for each block of rows.
//
// Blocks: the nc = nr columns of a tile are read again for each tile of rows,
// and mc rows, which stay in a quarter of the L2 cache, for each tile of
// columns. Rows that are copied for one tile of columns alone are read once: a
// block of mr of them stays in the L1 cache from the copy to the
// multiplication.
//
//===----------------------------------------------------------------------===//

#include "TileModel.h"
#include "InterleavedColumnsModel.h"
#include "LanesAlongKModel.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace qcc;

/// Multiplications in flight that fill the pipeline.
constexpr double kPipeline = 8;
/// What a load costs where loads are not what limits.
constexpr double kHiddenLoad = 0.1;
/// Epilogue: for each accumulator, and for each tile.
constexpr double kEpilogue = 6, kTileOverhead = 30;
/// Multiplications of vectors that a core with AMX starts in a cycle.
constexpr double kVectorsPerCycle = 2;
constexpr int64_t kMaxVectors = 4, kMaxRows = 16;
/// The least rows of a block: tiles of columns are to be read from beyond the
/// L2 cache less often than rows, which come one after the other.
constexpr int64_t kLeastRows = 64;

/// For each word of K and vector of a column: half of two loads, a
/// multiplication and an addition.
constexpr double kColumnProducts = 1;

/// Instructions that a word of K takes for each accumulator. Words of two need
/// an addition of their own, pairs three additions and a multiplication for two
/// words, bytes a multiplication and an addition.
static double instructions(const Atom &atom) {
  if (atom.form == AtomForm::Bytes)
    return 3;
  return atom.kr == 2 ? 2 : 1;
}

/// How many times longer they take than their number says, measured where two
/// of four units multiply.
static double delay(const Atom &atom) {
  if (atom.form == AtomForm::Bytes)
    return 1.33;
  if (atom.kr != 2)
    return 1;
  if (atom.hasPairs())
    return atom.lanes == 16 ? 1.0 : 1.09;
  return atom.lanes == 16 ? 1.11 : 1.26;
}

static double tileTime(int64_t mr, int64_t nv, int64_t words,
                       const Atom &atom) {
  double multiplications = mr * nv * delay(atom), loads = mr + nv;
  double step = std::max({multiplications, loads, kPipeline, 2.0 * nv});
  return words * (step + kHiddenLoad * loads) +
         (kEpilogue * mr * nv + kTileOverhead) / instructions(atom);
}

double qcc::peakTime(const Atom &atom) {
  // A multiplication of tiles does 1024 products in a cycle.
  if (atom.hasTiles())
    return kVectorsPerCycle;
  return 1024.0 / (atom.lanes * atom.kr) * instructions(atom);
}

double qcc::expectedTime(const GemmShape &shape, const Tiling &tiling,
                         const Atom &atom, const TargetSpec &target) {
  if (atom.hasTiles())
    return expectedTimeOfTileRegisters(shape, tiling, atom, target);
  if (tiling.isAlongK)
    return expectedTimeAlongK(shape, tiling, atom);
  if (tiling.readsRhsInPlace)
    return expectedTimeOfInterleaved(shape, tiling, atom);
  int64_t mr = tiling.mr, nv = tiling.nr / atom.lanes;
  int64_t m = shape.m ? shape.m : 16 * mr;
  int64_t n = shape.n ? shape.n : 16 * tiling.nr;
  int64_t vectors = llvm::divideCeil(n, (int64_t)atom.lanes);
  int64_t words = llvm::divideCeil(shape.k, (int64_t)atom.kr);
  auto columnsTime = [&](int64_t rows) {
    double time = (vectors / nv) * tileTime(rows, nv, words, atom);
    if (vectors % nv)
      time += tileTime(rows, vectors % nv, words, atom);
    return time;
  };
  double time = (m / mr) * columnsTime(mr);
  if (m % mr)
    time += columnsTime(m % mr);
  if (atom.hasPairs())
    time += kColumnProducts * llvm::divideCeil(m, tiling.mc) * vectors * words;
  return time * (atom.lanes * atom.kr) / (double(m) * n * shape.k);
}

llvm::SmallVector<Tiling> qcc::listTilings(const GemmShape &shape,
                                           const Atom &atom,
                                           const TargetSpec &target) {
  if (atom.hasTiles())
    return listTileRegisters(shape, atom, target);
  int64_t vectors = kMaxVectors, rows = kMaxRows;
  if (shape.n)
    vectors = std::min<int64_t>(vectors,
                                llvm::divideCeil(shape.n, (int64_t)atom.lanes));
  if (shape.m)
    rows = std::min(rows, shape.m);
  int64_t bytesPerRow = llvm::alignTo(shape.k * 4 / atom.kr, 64) + 64;
  llvm::SmallVector<Tiling> tilings;
  for (int64_t nv = vectors; nv > 0; --nv)
    for (int64_t mr = rows; mr > 0; --mr) {
      int64_t right = atom.hasPairs() ? 2 * nv : nv;
      if (mr * nv + right + atom.temporaries > atom.registers)
        continue;
      int64_t tiles = std::max<int64_t>(target.l2Bytes / 4 / bytesPerRow / mr,
                                        llvm::divideCeil(kLeastRows, mr));
      if (shape.m) {
        // Equal blocks, as far as tiles allow.
        int64_t all = llvm::divideCeil(shape.m, mr);
        tiles = llvm::divideCeil(all, llvm::divideCeil(all, tiles));
      }
      int64_t nr = nv * atom.lanes;
      if (!shape.isInPlace && !atom.hasPairs() && shape.n && shape.n <= nr)
        tiles = 1;
      tilings.push_back({mr, nr, tiles * mr, nr});
    }
  return tilings;
}
