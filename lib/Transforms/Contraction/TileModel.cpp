//===- TileModel.cpp - How a contraction is best cut into tiles -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of mr rows by nv vectors of columns takes, for each word of K, mr nv
// multiplications and mr + nv loads, of which a core starts equally many. Fewer
// multiplications than fill the pipeline take as long as those that would. The
// vectors of the right operand come from the L1 cache, if they fit. Then each
// accumulator goes through the epilogue. Meanwhile each block of rows brings
// the right operand from where it lies, which may take longer. Copies of rows
// come on top. Times are in multiplications, with what an atom
// needs besides.
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
// The constants are fits to measurements, see docs/Rationale/Kernel.md.
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
constexpr double kHiddenLoad = 0.06;
/// The share of the shorter of two that overlap, computing and a stream from
/// the L2 cache, that adds to the longer.
constexpr double kBesideL2 = 0.05;
/// A right operand of so many bytes comes from memory.
constexpr int64_t kMemoryBytes = 8 << 20;
/// Operations of an epilogue that run while the next tile is multiplied; the
/// others have nothing beside them.
constexpr int64_t kHiddenOps = 16;
/// For each tile.
constexpr double kTileOverhead = 15;
constexpr int64_t kMaxVectors = 4, kMaxRows = 16;
/// What an unknown number of rows is at least taken for.
constexpr uint64_t kManyRows = 1024;
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

/// How many times longer vpmaddwd and vpaddd take than their number says,
/// measured where two of four units multiply.
static double delayOfWordsOfTwo(const Atom &atom) {
  return atom.lanes == 16 ? 1.11 : 1.26;
}

/// Likewise for what an atom does.
static double delay(const Atom &atom) {
  if (atom.form == AtomForm::Bytes)
    return 1.33;
  if (atom.kr != 2)
    return 1;
  if (atom.hasPairs())
    return atom.lanes == 16 ? 1.0 : 1.09;
  return delayOfWordsOfTwo(atom);
}

namespace {
/// The time of tiles of a contraction.
struct TileTimes {
  const GemmShape &shape;
  const Atom &atom;
  const TargetSpec &target;
  int64_t nv, vectors, words;

  /// Of a tile whose right operand's vectors take `vector` each.
  double tile(int64_t rows, int64_t columns, double vector) const {
    double accumulators = rows * columns, loads = rows + columns;
    double step = std::max(
        {accumulators * delay(atom), loads, kPipeline, vector * columns});
    int64_t hidden = std::min(shape.epilogueOps, kHiddenOps);
    double epilogue =
        hidden * target.times.operation + (shape.epilogueOps - hidden);
    return words * (step + kHiddenLoad * loads) +
           (epilogue * accumulators + kTileOverhead) / instructions(atom);
  }
  /// Of the tiles of all columns.
  double allColumns(int64_t rows, double vector) const {
    double time = (vectors / nv) * tile(rows, nv, vector);
    if (vectors % nv)
      time += tile(rows, vectors % nv, vector);
    return time;
  }
};
} // namespace

static bool staysInL2(int64_t bytes, const TargetSpec &target) {
  return bytes <= target.l2Bytes * 3 / 4;
}

double qcc::timeOfFarLine(int64_t bytes, const TargetSpec &target) {
  return staysInL2(bytes, target) ? target.times.fromL2
         : bytes <= kMemoryBytes  ? target.times.fromL3
                                  : target.times.fromMemory;
}

double qcc::besideStream(double computing, double streaming, int64_t bytes,
                         const TargetSpec &target) {
  double share =
      staysInL2(bytes, target) ? kBesideL2 : target.times.besideFarStream;
  return std::max(computing, streaming) +
         share * std::min(computing, streaming);
}

double qcc::peakTime(const Atom &atom) {
  // A multiplication of tiles does 1024 products in a cycle.
  if (atom.hasTiles())
    return kVectorsPerCycle;
  // Atoms without VNNI are compared to vpmaddwd and vpaddd, whose peak they may
  // exceed.
  if (instructions(atom) > 1)
    return 1024.0 / atom.lanes * delayOfWordsOfTwo(atom);
  return 1024.0 / (atom.lanes * atom.kr);
}

/// From multiplications for each 1024 products to multiples of the peak.
static double unitOfPeak(const Atom &atom) {
  return instructions(atom) / peakTime(atom);
}

double qcc::expectedTime(const GemmShape &shape, const Tiling &tiling,
                         const Atom &atom, const TargetSpec &target) {
  if (atom.hasTiles())
    return expectedTimeOfTileRegisters(shape, tiling, atom, target);
  if (tiling.isAlongK)
    return expectedTimeAlongK(shape, tiling, atom, target) * 1024 /
           (atom.lanes * atom.kr) * unitOfPeak(atom);
  if (tiling.readsRhsInPlace)
    return expectedTimeOfInterleaved(shape, tiling, atom, target) * 1024 /
           (atom.lanes * atom.kr) * unitOfPeak(atom);
  int64_t mr = tiling.mr;
  int64_t m =
      shape.m ? shape.m
              : std::max<int64_t>(16 * tiling.mc, llvm::alignTo(kManyRows, mr));
  int64_t n = shape.n ? shape.n : 16 * tiling.nr;
  int64_t vectors = llvm::divideCeil(n, (int64_t)atom.lanes);
  int64_t words = llvm::divideCeil(shape.k, (int64_t)atom.kr);
  TileTimes times{shape,   atom, target, tiling.nr / (int64_t)atom.lanes,
                  vectors, words};
  double lines = atom.lanes * 4 / 64.0; // in a vector
  // Between two tiles of rows there is a block of columns.
  bool isNear = tiling.nc * words * 4 <= target.l1Bytes * 3 / 4;
  double vector = lines * (isNear ? target.times.fromL1 : target.times.fromL2);
  double time = (m / mr) * times.allColumns(mr, vector);
  if (m % mr)
    time += times.allColumns(m % mr, vector);
  if (atom.hasPairs())
    time += kColumnProducts * llvm::divideCeil(m, tiling.mc) * vectors * words;
  double farLines = lines * vectors * words;
  // Where there is one block of columns, it stays near.
  int64_t blocks = n <= tiling.nc ? 1 : llvm::divideCeil(m, tiling.mc);
  double stream = blocks * farLines * timeOfFarLine(farLines * 64, target);
  time =
      besideStream(time, stream / instructions(atom), farLines * 64, target) +
      kStepOverhead / instructions(atom);
  if (!shape.isInPlace)
    time += m * llvm::divideCeil(words * 4, (int64_t)64) * shape.copyTime /
            instructions(atom);
  return time * 1024 / (double(m) * n * shape.k) * unitOfPeak(atom);
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
