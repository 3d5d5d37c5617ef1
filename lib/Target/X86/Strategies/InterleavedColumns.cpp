//===- InterleavedColumns.cpp - Few rows times an activation --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The right operand is put together in registers for each mr rows instead of
// once for all, which pays as long as rows are few. Of KR vectors of columns a
// word of K takes as many multiplications for each row, and as many loads and
// about twice as many shuffles for all, which run beside the multiplications.
// Times are in multiplications.
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

/// For each vector of words: what loads and shuffles take, and what they add to
/// multiplications that take longer.
constexpr double kInterleaving = 2.25, kHiddenInterleaving = 0.75;
/// For each vector of results, and for each tile.
constexpr double kEpilogue = 8, kTileOverhead = 20;
constexpr int64_t kMaxRows = 4;
/// What columns that are not known are taken for.
constexpr int64_t kManyColumns = 64;

namespace {
class InterleavedColumns : public X86Strategy {
public:
  explicit InterleavedColumns(const Spec &spec)
      : X86Strategy(spec, "interleaved_columns") {}

  std::optional<std::string>
  verify(kernel::LoweringConfigAttrInterface config) const override {
    if (cast<ConfigAttr>(config).readsLhsInPlace())
      return "lowering_config has strategy 'interleaved_columns', which reads "
             "the left operand through a panel; use lhs = panel";
    return X86Strategy::verify(config);
  }

protected:
  bool neverPacksRhs() const override { return true; }
  OperandLayout layoutOf(ContractOp op, ConfigAttr,
                         const Atom &atom) const override {
    return OperandLayout::movingOne(op, atom, /*movesLhs=*/false,
                                    /*lanesAlongK=*/false);
  }
  void emitKernel(KernelBuilder &builder,
                  Contraction &contraction) const override {
    emitInterleavedColumns(builder, contraction);
  }
  bool takes(const Atom &atom) const override {
    return atom.form == AtomForm::Words;
  }
  bool canReadLhsInPlace(ContractOp, const Atom &) const override {
    return false;
  }
  std::optional<Packing>
  packing(ContractOp, kernel::LoweringConfigAttrInterface) const override {
    return std::nullopt;
  }
  SmallVector<Tiling> listTilings(ContractOp op, const GemmShape &shape,
                                  const Atom &atom) const override;
  double expectedTime(ContractOp op, const GemmShape &shape,
                      const Tiling &tiling, const Atom &atom) const override;
  std::optional<std::string> refuseConfig(ContractOp op, ConfigAttr config,
                                          const Atom &atom) const override;
};
} // namespace

static bool canInterleave(ContractOp op) {
  return !op.isPacked() && op.getReductionDims().size() == 1 &&
         isContiguousAlong(op, op.getRhs(), op.getRhsMap(), op.getRhsPrologue(),
                           op.getRoles()->n);
}

double InterleavedColumns::expectedTime(ContractOp, const GemmShape &shape,
                                        const Tiling &tiling,
                                        const Atom &atom) const {
  int64_t m = shape.m ? shape.m : 16 * tiling.mr;
  int64_t n = shape.n ? shape.n : kManyColumns;
  int64_t vectors = atom.kr, words = llvm::divideCeil(shape.k, vectors);
  double word = std::max(tiling.mr + kHiddenInterleaving, kInterleaving);
  double tile =
      words * vectors * word + kEpilogue * tiling.mr * vectors + kTileOverhead;
  double time =
      llvm::divideCeil(m, tiling.mr) * llvm::divideCeil(n, tiling.nr) * tile;
  double lines = double(n) * shape.k / 64;
  time = besideStream(time, lines * timeOfFarLine(lines * 64, spec), lines * 64,
                      spec) +
         kStepOverhead;
  return time * 1024 / (double(m) * n * shape.k) * unitOfPeak(atom);
}

SmallVector<Tiling> InterleavedColumns::listTilings(ContractOp op,
                                                    const GemmShape &shape,
                                                    const Atom &atom) const {
  int64_t nr = atom.kr * atom.lanes;
  // Constants are packed in advance. Fewer columns are read with masks, which
  // 256-bit vectors of bytes do not have.
  if (!canInterleave(op) || shape.m == 0 || packingTime(op, shape, atom) == 0 ||
      (atom.lanes == 8 && shape.n < nr))
    return {};
  SmallVector<Tiling> tilings;
  for (int64_t mr = std::min(shape.m, kMaxRows); mr > 0; --mr) {
    int64_t rows = mr * llvm::divideCeil(std::min(shape.m, nr / 2), mr);
    Tiling tiling{mr, nr, std::min(rows, nr / mr * mr), nr};
    assert(tiling.mc % mr == 0 && tiling.mc <= tiling.nc &&
           "blocks have whole tiles, and no more rows than columns");
    tiling.rhs = RhsSource::InPlace;
    tilings.push_back(tiling);
  }
  return tilings;
}

std::optional<std::string>
InterleavedColumns::refuseConfig(ContractOp op, ConfigAttr config,
                                 const Atom &atom) const {
  int64_t nr = atom.kr * atom.lanes;
  if (!takes(atom) || config.getKr() != atom.kr || config.getNr() != nr ||
      config.getMc() > config.getNc())
    return doesNotFit(atom) +
           "to read the right operand in place it must multiply words, KR be " +
           std::to_string(atom.kr) + ", NR " + std::to_string(nr) +
           " and MC at most NC";
  if (!canInterleave(op))
    return "lowering_config reads the right operand in place, but it has a "
           "prologue or N is not its last dimension; use another strategy";
  if (config.getMr() * atom.kr > kMaxAccumulators)
    return hasTooManyAccumulators();
  return std::nullopt;
}

std::unique_ptr<Strategy> qcc::x86::makeInterleavedColumns(const Spec &spec) {
  return std::make_unique<InterleavedColumns>(spec);
}
