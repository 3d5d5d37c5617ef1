//===- AmxTiles.cpp - Tiles in tile registers -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is a grid of i x j registers of r x 16 results. A step of 64 elements
// of K takes i j multiplications of r cycles each, into registers of their own;
// i r + 16 j loads of 64 bytes, two in a cycle; and the bytes of the right
// operand out of the L2 cache, with those of the left one where a tile's rows
// and columns are too many for the L1 cache. The epilogue of a tile runs during
// the steps of the next. What is left of the rows has a tile of as few
// registers as will do, and its epilogue to itself. Meanwhile each block of
// rows brings the right operand from where it lies, which may take longer.
// While tiles are multiplied the clock is lower.
//
// Blocks: nc columns of the right operand stay in half of the L2 cache. Rows
// that are copied stay in a quarter of it; others need no blocks.
//
// The constants are fits to measurements, see docs/Rationale/Kernel.md.
//
//===----------------------------------------------------------------------===//

#include "../Emit/Strategies.h"
#include "X86Strategy.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;
using kernel::ContractOp;

constexpr int64_t kRegisterRows = 16, kRegisterColumns = 16;
constexpr int64_t kMaxRegisterRows = 4, kMaxRegisterColumns = 4;
/// Cycles between two multiplications into the same register.
constexpr double kLatency = 52;
/// Cycles of a load that is hidden.
constexpr double kHiddenLoad = 0.1;
/// Cycles of the epilogue: for each operation on a vector, and for each tile
/// whose epilogue has nothing beside it.
constexpr double kOperation = 0.4, kTileOverhead = 150;
/// What the shorter of two that run at the same time adds to the longer.
constexpr double kOverlap = 0.3;
/// How much longer cycles are than those of a core that multiplies zeros.
constexpr double kLowerClock = 1.25;
/// Products in a cycle at the peak.
constexpr double kPeak = 1024;
/// Rows of a block where it does not matter.
constexpr int64_t kManyRows = 4096;

/// How much faster tiles have to be expected to be.
constexpr double kLeastGain = 1.05;

namespace {
class AmxTiles : public TileStrategy {
public:
  explicit AmxTiles(const Spec &spec) : TileStrategy(spec, "amx_tiles") {}
  double leastGain() const override { return kLeastGain; }
  int64_t rowPitch(kernel::LoweringConfigAttrInterface config,
                   int64_t bytes) const override {
    return cast<ConfigAttr>(config).readsLhsInPlace() ? spreadPitch(bytes)
                                                      : bytes;
  }

protected:
  void emitKernel(KernelBuilder &builder,
                  Contraction &contraction) const override {
    emitAmxTiles(builder, contraction);
  }
  bool takes(const Atom &atom) const override { return atom.hasTiles(); }
  SmallVector<Tiling> listTilings(ContractOp op, const GemmShape &shape,
                                  const Atom &atom) const override;
  double expectedTime(ContractOp op, const GemmShape &shape,
                      const Tiling &tiling, const Atom &atom) const override;
  std::optional<std::string> refuseConfig(ContractOp op, ConfigAttr config,
                                          const Atom &atom) const override;
};
} // namespace

/// The registers that a tile of `mr` by `nr` takes, with those of its operands;
/// 0 if its rows cannot be cut into registers of equally many.
static int64_t countTileRegisters(int64_t mr, int64_t nr) {
  assert(mr > 0 && nr > 0 && nr % kRegisterColumns == 0 &&
         "tiles have rows, and columns of whole registers");
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
  int64_t nr() const { return j * kRegisterColumns; }
};

/// The cycles of tiles of a contraction.
struct AmxTimes {
  const GemmShape &shape;
  const AmxTiling &tiling;
  const Spec &spec;
  int64_t steps;

  double operation() const { return kOperation * shape.epilogueOps; }
  /// The steps of a tile of i x j registers.
  double multiply(int64_t i, int64_t j) const {
    double left = i * tiling.r, right = kRegisterColumns * j;
    double fetched = right;
    if ((left + right) * steps * 64 > spec.l1Bytes)
      fetched += left;
    fetched *= spec.times.fromL2;
    return steps * (std::max({kLatency, i * j * tiling.r * 1.0,
                              (left + right) / 2, fetched / kVectorsPerCycle}) +
                    kHiddenLoad * (left + right));
  }
  double tile(int64_t j) const {
    double steps = multiply(tiling.i, j);
    double epilogue = operation() * tiling.mr() * j;
    return std::max(steps, epilogue) + kOverlap * std::min(steps, epilogue);
  }
  /// `rest` rows that are less than a tile.
  double lastRows(int64_t rest, int64_t j) const {
    return multiply(llvm::divideCeil(rest, tiling.r), j) +
           operation() * rest * j + kTileOverhead;
  }
};
} // namespace

double AmxTiles::expectedTime(ContractOp, const GemmShape &shape,
                              const Tiling &tiling, const Atom &atom) const {
  int64_t i = llvm::divideCeil(tiling.mr, kRegisterRows);
  assert(tiling.mr % i == 0 && "registers of a tile have equally many rows");
  AmxTiling registers{i, tiling.mr / i, tiling.nr / kRegisterColumns};
  int64_t mr = tiling.mr, j = registers.j;
  int64_t m = shape.m ? shape.m : 16 * std::min(tiling.mc, kManyRows);
  int64_t n = shape.n ? shape.n : 16 * tiling.nr;
  int64_t columns = llvm::divideCeil(n, kRegisterColumns);
  int64_t steps = shape.words(atom) * atom.kr / atom.kStep;
  AmxTimes times{shape, registers, spec, steps};
  auto allRows = [&](int64_t j) {
    int64_t whole = m / mr;
    double time = whole * times.tile(j);
    if (m % mr)
      time += times.lastRows(m % mr, j);
    return time;
  };
  int64_t whole = columns / j;
  double cycles = whole * allRows(j);
  if (columns % j)
    cycles += allRows(columns % j);
  int64_t farLines = columns * steps * kRegisterColumns;
  double stream = llvm::divideCeil(m, tiling.mc) * farLines *
                  timeOfFarLine(farLines * 64, spec) / kVectorsPerCycle;
  cycles = besideStream(cycles, stream, farLines * 64, spec);
  // The epilogue of the last tile has nothing beside it.
  cycles += kStepOverhead / kVectorsPerCycle + kTileOverhead +
            times.operation() * mr * j;
  if (!shape.isInPlace)
    cycles += m * steps * shape.copyTime / kVectorsPerCycle;
  return cycles * kLowerClock * kPeak / (double(m) * n * shape.k);
}

static Tiling addBlocks(const AmxTiling &tiling, const GemmShape &shape,
                        const Atom &atom, const Spec &spec) {
  int64_t mr = tiling.mr(), nr = tiling.nr();
  // As many equal blocks as it takes.
  auto blocks = [](int64_t tiles, int64_t most) {
    most = std::max<int64_t>(most, 1);
    return tiles == 0 ? most
                      : llvm::divideCeil(tiles, llvm::divideCeil(tiles, most));
  };
  int64_t bytes = shape.words(atom) * atom.kr;
  int64_t columns =
      blocks(llvm::divideCeil(shape.n, nr), spec.l2Bytes / 2 / bytes / nr);
  int64_t rows = blocks(
      llvm::divideCeil(shape.m, mr),
      (shape.isInPlace ? kManyRows : spec.l2Bytes / 4 / (bytes + 128)) / mr);
  assert(rows > 0 && columns > 0 && "blocks have tiles");
  return {mr, nr, rows * mr, columns * nr};
}

SmallVector<Tiling> AmxTiles::listTilings(ContractOp, const GemmShape &shape,
                                          const Atom &atom) const {
  int64_t mostColumns = kMaxRegisterColumns;
  if (shape.n)
    mostColumns = std::min<int64_t>(
        mostColumns, llvm::divideCeil(shape.n, kRegisterColumns));
  SmallVector<Tiling> tilings;
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
        tilings.push_back(addBlocks(tiling, shape, atom, spec));
      }
  return tilings;
}

std::optional<std::string> AmxTiles::refuseConfig(ContractOp op,
                                                  ConfigAttr config,
                                                  const Atom &atom) const {
  if (!takes(atom))
    return doesNotFit(atom) + "it does not multiply tiles; use vector_tiles";
  if (auto reason = refuseTile(op, config, atom))
    return reason;
  int64_t registers = countTileRegisters(config.getMr(), config.getNr());
  if (registers == 0 || registers > atom.registers)
    return doesNotFit(atom) +
           "MR must be a number of registers of equally many rows, at most 16, "
           "and with their operands at most " +
           std::to_string(atom.registers) +
           " registers; choose MR = 32 and NR = 32";
  return std::nullopt;
}

std::unique_ptr<Strategy> qcc::x86::makeAmxTiles(const Spec &spec) {
  return std::make_unique<AmxTiles>(spec);
}
