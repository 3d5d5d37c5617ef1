//===- VectorTiles.cpp - Tiles in vector registers ------------------------===//
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

#include "../Emit/Strategies.h"
#include "X86Strategy.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;
using kernel::ContractOp;

constexpr int64_t kMaxVectors = 4, kMaxRows = 16;
/// What an unknown number of rows is at least taken for.
constexpr uint64_t kManyRows = 1024;
/// The least rows of a block: tiles of columns are to be read from beyond the
/// L2 cache less often than rows, which come one after the other.
constexpr int64_t kLeastRows = 64;

/// For each word of K and vector of a column: half of two loads, a
/// multiplication and an addition.
constexpr double kColumnProducts = 1;
/// Operations that make words of nibbles, for each word.
constexpr double kUnpackNibbles = 1.5;

namespace {
class VectorTiles : public TileStrategy {
public:
  explicit VectorTiles(const Spec &spec) : TileStrategy(spec, "vector_tiles") {}

protected:
  void emitKernel(KernelBuilder &builder,
                  Contraction &contraction) const override {
    emitVectorTiles(builder, contraction);
  }
  bool computesGroups() const override { return true; }
  bool canChoose(RhsSource source) const override {
    return source == RhsSource::Nibbles || TileStrategy::canChoose(source);
  }
  OperandLayout layoutOf(ContractOp op, ConfigAttr config,
                         const Atom &atom) const override {
    return config.hasNibbles() ? OperandLayout::ofNibbles(op)
                               : OperandLayout::ofColumns(op, atom);
  }
  bool canReadLhsInPlace(ContractOp op, const Atom &atom) const override {
    return !fitsNibbles(op, atom) && TileStrategy::canReadLhsInPlace(op, atom);
  }
  bool takes(const Atom &atom) const override {
    return !atom.hasTiles() && !atom.hasFloats();
  }
  SmallVector<Tiling> listTilings(ContractOp op, const GemmShape &shape,
                                  const Atom &atom) const override;
  double expectedTime(ContractOp op, const GemmShape &shape,
                      const Tiling &tiling, const Atom &atom) const override;
  std::optional<std::string> refuseConfig(ContractOp op, ConfigAttr config,
                                          const Atom &atom) const override;
};
} // namespace

double VectorTiles::expectedTime(ContractOp, const GemmShape &shape,
                                 const Tiling &tiling, const Atom &atom) const {
  int64_t mr = tiling.mr;
  int64_t m =
      shape.m ? shape.m
              : std::max<int64_t>(16 * tiling.mc, llvm::alignTo(kManyRows, mr));
  int64_t n = shape.n ? shape.n : 16 * tiling.nr;
  int64_t vectors = llvm::divideCeil(n, (int64_t)atom.lanes);
  int64_t words = shape.words(atom);
  assert(tiling.nr >= atom.lanes && tiling.nr % atom.lanes == 0 &&
         "columns of tiles are whole vectors");
  TileTimes times{shape,   atom, spec, tiling.nr / (int64_t)atom.lanes,
                  vectors, words};
  double lines = atom.lanes * 4 / 64.0; // in a vector
  // Between two tiles of rows there is a block of columns.
  bool isNear = tiling.nc * words * 4 <= spec.l1Bytes * 3 / 4;
  double vector = lines * (isNear ? spec.times.fromL1 : spec.times.fromL2);
  if (tiling.rhs == RhsSource::Nibbles) {
    lines /= 2;
    vector = vector / 2 + kUnpackNibbles * spec.times.operation;
  }
  double time = times.all(m, mr, vector);
  if (atom.hasPairs())
    time += kColumnProducts * llvm::divideCeil(m, tiling.mc) * vectors * words;
  double farLines = lines * vectors * words;
  // Where there is one block of columns, it stays near.
  int64_t blocks = n <= tiling.nc ? 1 : llvm::divideCeil(m, tiling.mc);
  double stream = blocks * farLines * timeOfFarLine(farLines * 64, spec);
  time = besideStream(time, stream / countInstructions(atom), farLines * 64,
                      spec) +
         kStepOverhead / countInstructions(atom);
  if (!shape.isInPlace)
    time += m * llvm::divideCeil(words * 4, (int64_t)64) * shape.copyTime /
            countInstructions(atom);
  return time * 1024 / (double(m) * n * shape.k) * unitOfPeak(atom);
}

SmallVector<Tiling> VectorTiles::listTilings(ContractOp op,
                                             const GemmShape &shape,
                                             const Atom &atom) const {
  int64_t vectors = kMaxVectors, rows = kMaxRows;
  if (shape.n)
    vectors = std::min<int64_t>(vectors,
                                llvm::divideCeil(shape.n, (int64_t)atom.lanes));
  if (shape.m)
    rows = std::min(rows, shape.m);
  int64_t bytesPerRow = llvm::alignTo(shape.words(atom) * 4, 64) + 64;
  SmallVector<Tiling> tilings;
  bool hasNibbles = fitsNibbles(op, atom);
  for (int64_t nv = vectors; nv > 0; --nv)
    for (int64_t mr = rows; mr > 0; --mr) {
      int64_t right = atom.hasPairs() || hasNibbles ? 2 * nv : nv;
      if (mr * nv + right + atom.temporaries > atom.registers)
        continue;
      int64_t tiles = std::max<int64_t>(spec.l2Bytes / 4 / bytesPerRow / mr,
                                        llvm::divideCeil(kLeastRows, mr));
      tiles = tilesOfEqualBlocks(shape.m, mr, tiles);
      assert(tiles > 0 && "a block has tiles");
      int64_t nr = nv * atom.lanes;
      if (!shape.isInPlace && !atom.hasPairs() && shape.n && shape.n <= nr)
        tiles = 1;
      tilings.push_back({mr, nr, tiles * mr, nr, false,
                         hasNibbles ? RhsSource::Nibbles : RhsSource::Packed});
    }
  return tilings;
}

std::optional<std::string> VectorTiles::refuseConfig(ContractOp op,
                                                     ConfigAttr config,
                                                     const Atom &atom) const {
  if (!takes(atom))
    return doesNotFit(atom) + "it multiplies " +
           (atom.hasTiles() ? "tiles; use amx_tiles"
                            : "floats; use float_tiles");
  if (auto reason = refuseTile(op, config, atom))
    return reason;
  return refuseAccumulators(config, atom);
}

std::unique_ptr<Strategy> qcc::x86::makeVectorTiles(const Spec &spec) {
  return std::make_unique<VectorTiles>(spec);
}
