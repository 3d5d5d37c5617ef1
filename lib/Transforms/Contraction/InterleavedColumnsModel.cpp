//===- InterleavedColumnsModel.cpp - Few rows times an activation ---------===//
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

#include "InterleavedColumnsModel.h"
#include "LanesAlongKModel.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace qcc;
using kernel::ContractOp;
using kernel::LoweringConfigAttr;

/// For each vector of words: what loads and shuffles take, and what they add to
/// multiplications that take longer.
constexpr double kInterleaving = 2.25, kHiddenInterleaving = 0.75;
/// For each vector of results, and for each tile.
constexpr double kEpilogue = 8, kTileOverhead = 20;
constexpr int64_t kMaxRows = 4;
/// What columns that are not known are taken for.
constexpr int64_t kManyColumns = 64;

static bool canInterleave(ContractOp op) {
  return !op.isPacked() && op.getRhsPrologue().empty() &&
         op.getReductionDims().size() == 1 &&
         op.getRhsMap().getResults().back() ==
             getAffineDimExpr(op.getRoles()->n, op.getContext());
}

double qcc::expectedTimeOfInterleaved(const GemmShape &shape,
                                      const Tiling &tiling, const Atom &atom,
                                      const TargetSpec &target) {
  int64_t m = shape.m ? shape.m : 16 * tiling.mr;
  int64_t n = shape.n ? shape.n : kManyColumns;
  int64_t vectors = atom.kr, words = llvm::divideCeil(shape.k, vectors);
  double word = std::max(tiling.mr + kHiddenInterleaving, kInterleaving);
  double tile =
      words * vectors * word + kEpilogue * tiling.mr * vectors + kTileOverhead;
  double time =
      llvm::divideCeil(m, tiling.mr) * llvm::divideCeil(n, tiling.nr) * tile;
  double lines = double(n) * shape.k / 64;
  time = besideStream(time, lines * timeOfFarLine(lines * 64, target),
                      lines * 64, target) +
         kStepOverhead;
  return time * (atom.lanes * atom.kr) / (double(m) * n * shape.k);
}

SmallVector<Tiling> qcc::listInterleavedTilings(ContractOp op,
                                                const GemmShape &shape,
                                                const Atom &atom) {
  int64_t nr = atom.kr * atom.lanes;
  // Constants are packed in advance. Fewer columns are read with masks, which
  // 256-bit vectors of bytes do not have.
  if (atom.form != AtomForm::Words || !canInterleave(op) || shape.m == 0 ||
      packingTime(op, shape, atom) == 0 || (atom.lanes == 8 && shape.n < nr))
    return {};
  SmallVector<Tiling> tilings;
  for (int64_t mr = std::min(shape.m, kMaxRows); mr > 0; --mr) {
    int64_t rows = mr * llvm::divideCeil(std::min(shape.m, nr / 2), mr);
    Tiling tiling{mr, nr, std::min(rows, nr / mr * mr), nr};
    tiling.readsRhsInPlace = true;
    tilings.push_back(tiling);
  }
  return tilings;
}

std::optional<std::string> qcc::refuseInterleaved(ContractOp op,
                                                  LoweringConfigAttr config,
                                                  const Atom &atom) {
  std::string doesNotFit =
      ("lowering_config does not fit atom \"" + atom.name + "\": ").str();
  int64_t nr = atom.kr * atom.lanes;
  if (atom.form != AtomForm::Words || config.getKR() != atom.kr ||
      config.getNR() != nr || config.getMC() > config.getNC())
    return doesNotFit +
           "to read the right operand in place it must multiply words, KR be " +
           std::to_string(atom.kr) + ", NR " + std::to_string(nr) +
           " and MC at most NC";
  if (config.readsInPlace())
    return "lowering_config reads both operands in place, which only lanes "
           "along K can; use lhs = \"panel\"";
  if (!canInterleave(op))
    return "lowering_config reads the right operand in place, but it has a "
           "prologue or N is not its last dimension; use rhs = \"packed\"";
  if (config.getMR() * atom.kr > kMaxAccumulators)
    return "lowering_config asks for a tile of more than " +
           std::to_string(kMaxAccumulators) +
           " registers; choose a smaller MR or NR";
  return std::nullopt;
}
