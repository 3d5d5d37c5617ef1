//===- FloatTiles.cpp - Tiles of floats in vector registers ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles take as long as those of words (VectorTiles.cpp), their columns coming
// from the L1 cache. Between two parts of K (Emit/FloatTiles.cpp) accumulators
// are stored and loaded.
//
// Blocks: the columns of a tile come from where they lie once for each block of
// mc rows. Rows of the left operand and of the results stay in a quarter of the
// L2 cache; they are at least kLeastRows.
//
// A narrow right operand is widened once for each block, or for its only tile.
// One that lies along a short K may be turned once for each block, after its
// prologue. Blocks then
// have more rows, and packing takes longer if there are few blocks. If the
// number of rows is not known, it always is: that costs little for many rows,
// and packing would take most of the time for few.
//
//===----------------------------------------------------------------------===//

#include "../Emit/Strategies.h"
#include "../Layout/PartsOfK.h"
#include "X86Strategy.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;
using kernel::ContractOp;

constexpr int64_t kMaxVectors = 8, kMaxRows = 16;
/// What an unknown number of rows, and of columns, is taken for.
constexpr int64_t kManyRows = 1024, kManyColumns = 1024;
/// The rows of a block: fewer would read tiles of columns too often from beyond
/// the L2 cache, accumulators of more would leave the L1 cache.
constexpr int64_t kLeastRows = 64, kMostRows = 256;
/// The most accumulators of a block, which lie in memory: far more than caches
/// hold, far less than would be dangerous.
constexpr int64_t kMostAccumulators = 1 << 22;
/// An accumulator between two parts of K: a store and a load.
constexpr double kPause = 2;
/// Operations that load and store a vector of widened columns.
constexpr double kWidenedToMemory = 2;
/// Multiplications in the time of turning a vector of columns.
constexpr double kTurn = 3;
/// Operations that take a vector of nibbles out of words, less the extension of
/// a byte.
constexpr double kUnpackNibble = 1;

namespace {
class FloatTiles : public TileStrategy {
public:
  explicit FloatTiles(const Spec &spec) : TileStrategy(spec, "float_tiles") {}

  /// Rows of many tiles are read together, so they must not meet in few sets of
  /// the L1 cache.
  int64_t rowPitch(kernel::LoweringConfigAttrInterface config,
                   int64_t bytes) const override {
    return cast<ConfigAttr>(config).readsLhsInPlace() ? spreadPitch(bytes)
                                                      : bytes;
  }

protected:
  void emitKernel(KernelBuilder &builder,
                  Contraction &contraction) const override {
    emitFloatTiles(builder, contraction);
  }
  bool takes(const Atom &atom) const override { return atom.hasFloats(); }
  bool canChoose(RhsSource source) const override {
    return source == RhsSource::InPlace || source == RhsSource::Narrow ||
           source == RhsSource::Nibbles || TileStrategy::canChoose(source);
  }
  std::optional<Packing>
  packing(ContractOp op,
          kernel::LoweringConfigAttrInterface config) const override {
    if (readsRhsInPlace(cast<ConfigAttr>(config)))
      return std::nullopt;
    return TileStrategy::packing(op, config);
  }
  SmallVector<Tiling> listTilings(ContractOp op, const GemmShape &shape,
                                  const Atom &atom) const override;
  double expectedTime(ContractOp op, const GemmShape &shape,
                      const Tiling &tiling, const Atom &atom) const override;
  std::optional<std::string> refuseConfig(ContractOp op, ConfigAttr config,
                                          const Atom &atom) const override;
};
} // namespace

/// Whether squares of the right operand can be turned in registers.
static bool canTurn(ContractOp op, const Atom &atom) {
  return op.getReductionDims().size() == 1 &&
         op.getReductionSize() % atom.lanes == 0 && liesRhsAlongSegments(op);
}

double FloatTiles::expectedTime(ContractOp op, const GemmShape &shape,
                                const Tiling &tiling, const Atom &atom) const {
  int64_t mr = tiling.mr, m = shape.m ? shape.m : kManyRows,
          n = shape.n ? shape.n : kManyColumns;
  int64_t vectors = llvm::divideCeil(n, (int64_t)atom.lanes), words = shape.k;
  TileTimes times{shape,   atom, spec, tiling.nr / (int64_t)atom.lanes,
                  vectors, words};
  double lines = atom.lanes * 4 / 64.0; // in a vector
  double vector = lines * spec.times.fromL1, widening = 0;
  bool isOneTile = tiling.mc == mr;
  bool isTurned = tiling.rhs == RhsSource::InPlace;
  if (tiling.rhs != RhsSource::Packed) {
    bool hasNibbles = tiling.rhs == RhsSource::Nibbles;
    double bits = hasNibbles ? 4
                             : getElementTypeOrSelf(op.getRhs().getType())
                                   .getIntOrFloatBitWidth();
    lines = atom.lanes * bits / 8 / 64;
    int64_t operations = 0;
    if (!op.getRhsPrologue().empty())
      operations =
          llvm::range_size(op.getRhsPrologue().front().without_terminator());
    widening =
        spec.times.operation * (operations + (hasNibbles ? kUnpackNibble : 0));
    if (isTurned)
      widening += kTurn;
    else if (isOneTile)
      vector = lines * spec.times.fromL1 + widening;
    else
      widening += kWidenedToMemory * spec.times.operation;
  }
  double time = times.all(m, mr, vector);
  double parts = std::ceil(words * tiling.nr * 4 / double(kPartBytes));
  if (parts > 1)
    time += kPause * parts * m * vectors;
  double farLines = lines * vectors * words;
  double blocks = goThroughOuter(op, tiling.lhsInPlace)
                      ? double(m) / tiling.mc
                      : llvm::divideCeil(m, tiling.mc);
  if (!isOneTile || isTurned)
    time += blocks * vectors * words * widening;
  time =
      besideStream(time, blocks * farLines * timeOfFarLine(farLines * 64, spec),
                   farLines * 64, spec) +
      kStepOverhead;
  if (!shape.isInPlace)
    time += m * llvm::divideCeil(words * 4, (int64_t)64) * shape.copyTime;
  return time * 1024 / (double(m) * n * shape.k) * unitOfPeak(atom);
}

SmallVector<Tiling> FloatTiles::listTilings(ContractOp op,
                                            const GemmShape &shape,
                                            const Atom &atom) const {
  int64_t vectors = kMaxVectors, rows = kMaxRows;
  if (shape.n)
    vectors = std::min<int64_t>(vectors,
                                llvm::divideCeil(shape.n, (int64_t)atom.lanes));
  if (shape.m)
    rows = std::min(rows, shape.m);
  int64_t bytesPerRow = (shape.k + (shape.n ? shape.n : kManyColumns)) * 4;
  int64_t most = std::clamp<int64_t>(spec.l2Bytes / 4 / bytesPerRow, kLeastRows,
                                     kMostRows);
  bool isThroughOuter = goThroughOuter(op, shape.isInPlace);
  bool isNarrow = fitsNarrow(op);
  RhsSource narrow = isNarrow && fitsNibbles(op, atom) ? RhsSource::Nibbles
                                                       : RhsSource::Narrow;
  // No memory for floats that would come from it again for each run.
  bool mustBeNarrow =
      isNarrow &&
      (op.isPacked() || !shape.n ||
       !staysInL2(shape.k * shape.n * int64_t(sizeof(float)), spec));
  // One part of K, such as that of the heads of an attention.
  bool canBeTurned =
      canTurn(op, atom) && !isPackedInAdvance(op) &&
      shape.k * 2 * atom.lanes * int64_t(sizeof(float)) <= kPartBytes;
  bool mustBeTurned = canBeTurned && shape.m == 0;
  SmallVector<Tiling> tilings;
  for (int64_t nv = vectors; nv > 0; --nv)
    for (int64_t mr = rows; mr > 0; --mr) {
      if (mr * nv + nv + atom.temporaries > atom.registers)
        continue;
      int64_t tiles = llvm::divideCeil(most, mr);
      if (!isThroughOuter)
        tiles = tilesOfEqualBlocks(shape.m, mr, tiles);
      int64_t nr = nv * atom.lanes;
      if (!mustBeNarrow && !mustBeTurned)
        tilings.push_back({mr, nr, tiles * mr, nr});
      if (canBeTurned)
        tilings.push_back(
            {mr, nr,
             tilesOfEqualBlocks(shape.m, mr, llvm::divideCeil(kMostRows, mr)) *
                 mr,
             nr, false, RhsSource::InPlace});
      if (isNarrow)
        tilings.push_back({mr, nr, tiles * mr, nr, false, narrow});
    }
  return tilings;
}

std::optional<std::string> FloatTiles::refuseConfig(ContractOp op,
                                                    ConfigAttr config,
                                                    const Atom &atom) const {
  if (!takes(atom))
    return doesNotFit(atom) + "it multiplies integers; use vector_tiles";
  if (auto reason = refuseTile(op, config, atom))
    return reason;
  if (readsRhsInPlace(config) && !canTurn(op, atom))
    return "lowering_config reads the right operand in place, but K is not its "
           "last dimension and a multiple of " +
           std::to_string(atom.lanes) + "; use rhs = packed";
  if (config.getNc() != config.getNr())
    return "lowering_config has strategy 'float_tiles', whose blocks have the "
           "columns of one tile; use NC = NR";
  if (!config.readsLhsInPlace() &&
      kernel::leavesOut(op.getLhsMap(), op.getReductionDims().back()))
    return "lowering_config copies rows of the left operand, but the innermost "
           "dimension of K leaves out elements of it; use lhs = in_place";
  if (config.getMc() > kMostAccumulators / config.getNr())
    return "lowering_config asks for blocks of more than " +
           std::to_string(kMostAccumulators) +
           " accumulators; choose a smaller MC";
  return refuseAccumulators(config, atom);
}

std::unique_ptr<Strategy> qcc::x86::makeFloatTiles(const Spec &spec) {
  return std::make_unique<FloatTiles>(spec);
}
