//===- AmxModel.cpp - How a contraction is best cut into tile registers ---===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is a grid of i x j registers of r x 16 results. A step of 64 elements
// of K takes i j multiplications of r cycles each; i r + 16 j loads of 64
// bytes, two in a cycle; and j kilobytes of the right operand out of the L2
// cache. The epilogue of a tile runs during the steps of the next. What is left
// of the rows has a tile of as few registers as will do, and its epilogue to
// itself.
//
// Blocks: nc columns of the right operand stay in half of the L2 cache. Rows
// that are copied stay in a quarter of it; others need no blocks.
//
//===----------------------------------------------------------------------===//

#include "TileModel.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace qcc;

constexpr int64_t kRegisterRows = 16, kRegisterColumns = 16;
constexpr int64_t kMaxRegisterRows = 4, kMaxRegisterColumns = 4;
/// Cycles, for each 64 bytes: of a load that is not hidden, of a kilobyte from
/// the L2 cache.
constexpr double kHiddenLoad = 0.1, kKilobyte = 24;
/// Cycles of the epilogue: for each vector of results, and for each tile whose
/// epilogue has nothing beside it.
constexpr double kEpilogue = 4, kTileOverhead = 150;
/// What the shorter of two that run at the same time adds to the longer.
constexpr double kOverlap = 0.15;
/// Products in a cycle at the peak.
constexpr double kPeak = 1024;
/// Rows of a block where it does not matter.
constexpr int64_t kManyRows = 4096;

int64_t qcc::countTileRegisters(int64_t mr, int64_t nr) {
  int64_t rows = llvm::divideCeil(mr, kRegisterRows);
  int64_t columns = nr / kRegisterColumns;
  if (mr % rows != 0)
    return 0;
  // A register of the left operand; those of the right one are kept for the
  // rows of registers that follow.
  return rows * columns + 1 + (rows > 1 ? columns : 1);
}

namespace {
struct AmxTiling {
  /// Rows of registers, results in one of them, columns of registers.
  int64_t i, r, j;

  int64_t mr() const { return i * r; }
  double stepsTime(int64_t i, int64_t j, int64_t steps) const {
    double loads = i * r + kRegisterColumns * j;
    return steps * (std::max({double(i * j * r), loads / 2, kKilobyte * j}) +
                    kHiddenLoad * loads);
  }
  /// Tiles of all rows, by j columns of registers.
  double columnsTime(int64_t m, int64_t j, int64_t steps) const {
    double multiply = stepsTime(i, j, steps), epilogue = kEpilogue * mr() * j;
    double time = (m / mr()) * (std::max(multiply, epilogue) +
                                kOverlap * std::min(multiply, epilogue));
    if (int64_t rest = m % mr())
      time += stepsTime(llvm::divideCeil(rest, r), j, steps) +
              kEpilogue * rest * j + kTileOverhead;
    return time;
  }
  double totalTime(const GemmShape &shape, const Atom &atom) const {
    int64_t m = shape.m ? shape.m : 16 * mr();
    int64_t n = shape.n ? shape.n : 16 * j * kRegisterColumns;
    int64_t columns = llvm::divideCeil(n, kRegisterColumns);
    int64_t steps = llvm::divideCeil(shape.k, (int64_t)atom.kStep);
    double cycles = (columns / j) * columnsTime(m, j, steps);
    if (columns % j)
      cycles += columnsTime(m, columns % j, steps);
    // The epilogue of the last tile has nothing beside it.
    cycles += kTileOverhead + kEpilogue * mr() * j;
    return cycles * kPeak / (double(m) * n * shape.k);
  }
};
} // namespace

double qcc::expectedTimeOfTileRegisters(const GemmShape &shape,
                                        const Tiling &tiling, const Atom &atom,
                                        const TargetSpec &target) {
  int64_t i = llvm::divideCeil(tiling.mr, kRegisterRows);
  return AmxTiling{i, tiling.mr / i, tiling.nr / kRegisterColumns}.totalTime(
      shape, atom);
}

static Tiling addBlocks(const AmxTiling &tiling, const GemmShape &shape,
                        const Atom &atom, const TargetSpec &target) {
  int64_t mr = tiling.mr(), nr = tiling.j * kRegisterColumns;
  // As many equal blocks as it takes.
  auto blocks = [](int64_t tiles, int64_t most) {
    most = std::max<int64_t>(most, 1);
    return tiles == 0 ? most
                      : llvm::divideCeil(tiles, llvm::divideCeil(tiles, most));
  };
  int64_t bytes = llvm::alignTo(shape.k, (uint64_t)atom.kStep);
  int64_t columns =
      blocks(llvm::divideCeil(shape.n, nr), target.l2Bytes / 2 / bytes / nr);
  int64_t rows = blocks(
      llvm::divideCeil(shape.m, mr),
      (shape.isInPlace ? kManyRows : target.l2Bytes / 4 / (bytes + 128)) / mr);
  return {mr, nr, rows * mr, columns * nr};
}

llvm::SmallVector<Tiling> qcc::listTileRegisters(const GemmShape &shape,
                                                 const Atom &atom,
                                                 const TargetSpec &target) {
  int64_t mostColumns = kMaxRegisterColumns;
  if (shape.n)
    mostColumns = std::min<int64_t>(
        mostColumns, llvm::divideCeil(shape.n, kRegisterColumns));
  llvm::SmallVector<Tiling> tilings;
  for (int64_t i = 1; i <= kMaxRegisterRows; ++i)
    for (int64_t j = 1; j <= mostColumns; ++j)
      for (int64_t r = kRegisterRows; r > 0; --r) {
        AmxTiling tiling{i, r, j};
        // The rows must not fit fewer registers.
        if ((int64_t)llvm::divideCeil(tiling.mr(), kRegisterRows) != i ||
            countTileRegisters(tiling.mr(), j * kRegisterColumns) >
                atom.registers ||
            (shape.m && tiling.mr() > shape.m))
          continue;
        tilings.push_back(addBlocks(tiling, shape, atom, target));
      }
  return tilings;
}
