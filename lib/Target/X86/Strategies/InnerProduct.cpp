//===- InnerProduct.cpp - Lanes along K -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes along N waste what a vector has more than columns, and need a packed
// right operand, which a product of two activations packs each time. Lanes
// along K waste the last vector of K and need sums of lanes.
//
// A tile of mr x nr results takes, for each vector of K, mr nr multiplications
// and mr + nr loads, some of which need a shift or a conversion; fewer
// multiplications than fill the pipeline take as long as those that would.
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

/// Multiplications in flight that fill the pipeline.
constexpr double kPipeline = 4;
/// What a load costs beside the multiplications.
constexpr double kLoad = 0.5;
/// For each result: the sum of its lanes, its share of a vector of the
/// epilogue.
constexpr double kSum = 1.5, kEpilogue = 0.5;
/// For each tile.
constexpr double kTileOverhead = 4;
/// Tiles are at most so large, blocks have at most so many vectors of results
/// one way, and results the other way.
constexpr int64_t kMaxAlong = 8, kMaxAcross = 4, kBlockVectors = 4,
                  kBlockAcross = 8;
/// A packed operand of more bytes lies beyond the L2 cache. From there a core
/// reads one long stream faster than one for each column of a tile.
constexpr int64_t kStreamBytes = 1 << 20;
/// What sizes that are not known are taken for.
constexpr int64_t kManyRows = 64;

/// Operands are read in place where K is one segment.
static bool canReadLhsInPlace(ContractOp op) {
  return op.getReductionDims().size() == 1 && isLhsContiguousAlongSegments(op);
}
static bool canReadRhsInPlace(ContractOp op) {
  return op.getReductionDims().size() == 1 && isRhsContiguousAlongSegments(op);
}

namespace {
class InnerProduct : public X86Strategy {
public:
  explicit InnerProduct(const Spec &spec)
      : X86Strategy(spec, "inner_product") {}

protected:
  bool canChoose(RhsSource source) const override {
    return source == RhsSource::InPlace || X86Strategy::canChoose(source);
  }
  OperandLayout layoutOf(ContractOp op, ConfigAttr config,
                         const Atom &atom) const override {
    return OperandLayout::movingOne(op, atom, config.hasResultsAlongRows(),
                                    /*lanesAlongK=*/true);
  }
  void emitKernel(KernelBuilder &builder,
                  Contraction &contraction) const override {
    emitInnerProduct(builder, contraction);
  }
  bool takes(const Atom &atom) const override {
    return atom.form == AtomForm::Words;
  }
  bool canReadLhsInPlace(ContractOp op, const Atom &) const override {
    return ::canReadLhsInPlace(op);
  }
  std::optional<Packing>
  packing(ContractOp op,
          kernel::LoweringConfigAttrInterface any) const override;
  SmallVector<Tiling> listTilings(ContractOp op, const GemmShape &shape,
                                  const Atom &atom) const override;
  double expectedTime(ContractOp op, const GemmShape &shape,
                      const Tiling &tiling, const Atom &atom) const override;
  std::optional<std::string> refuseConfig(ContractOp op, ConfigAttr config,
                                          const Atom &atom) const override;
};
} // namespace

double InnerProduct::expectedTime(ContractOp, const GemmShape &shape,
                                  const Tiling &tiling,
                                  const Atom &atom) const {
  int64_t m = shape.m ? shape.m : kManyRows, n = shape.n ? shape.n : kManyRows;
  // Each segment of K ends with a vector that it may not fill.
  int64_t steps =
      shape.k / shape.segment *
      llvm::divideCeil(shape.segment, int64_t(atom.lanes) * atom.kr);
  double multiplications = tiling.mr * tiling.nr;
  double loads = tiling.mr + tiling.nr;
  double tile = steps * std::max(multiplications + kLoad * loads, kPipeline) +
                kSum * multiplications + kTileOverhead;
  double time =
      llvm::divideCeil(m, tiling.mr) * llvm::divideCeil(n, tiling.nr) * tile +
      kEpilogue * std::min(m, n) * llvm::alignTo(std::max(m, n), atom.lanes);
  // The longer side is read once.
  int64_t elementBytes = 4 / atom.kr;
  double lines = std::max(m, n) * shape.k * elementBytes / 64.0;
  time = besideStream(time, lines * timeOfFarLine(lines * 64, spec), lines * 64,
                      spec) +
         kStepOverhead;
  if (!shape.isInPlace)
    time += m * steps * shape.copyTime;
  return time * 1024 / (double(m) * n * shape.k) * unitOfPeak(atom);
}

SmallVector<Tiling> InnerProduct::listTilings(ContractOp op,
                                              const GemmShape &shape,
                                              const Atom &atom) const {
  bool readsRhs = !isPackedInAdvance(op) && canReadRhsInPlace(op);
  // Packing for lanes along K pays where a column is all that there is. Less
  // than a vector is read with masks, which 256-bit vectors of bytes do not
  // have.
  if ((atom.lanes == 8 && shape.k < atom.lanes * atom.kr) ||
      (shape.m == 0 && shape.n == 0) ||
      (!isPackedInAdvance(op) && !readsRhs && shape.n != 1))
    return {};
  bool alongRows =
      op.getRoles()->m && shape.n != 0 && (shape.m == 0 || shape.m > shape.n);
  int64_t m = shape.m ? shape.m : kManyRows, n = shape.n ? shape.n : kManyRows;
  if (isPackedInAdvance(op) && !alongRows && n >= kBlockVectors * atom.lanes &&
      n * shape.k * (4 / atom.kr) > kStreamBytes)
    return {};
  int64_t along = alongRows ? m : n, across = alongRows ? n : m;
  int64_t alongBlock = std::min<int64_t>(llvm::alignTo(along, atom.lanes),
                                         kBlockVectors * atom.lanes);
  SmallVector<Tiling> tilings;
  for (int64_t a = kMaxAlong; a > 0; a /= 2)
    for (int64_t b = std::min(kMaxAcross, across); b > 0; --b) {
      if (a * b + std::min(a, b) + atom.temporaries > atom.registers)
        continue;
      int64_t acrossBlock =
          b * llvm::divideCeil(std::min(across, kBlockAcross), b);
      assert(acrossBlock % b == 0 && alongBlock % atom.lanes == 0 &&
             "blocks have whole tiles across and whole vectors along");
      Tiling tiling = alongRows ? Tiling{a, b, alongBlock, acrossBlock}
                                : Tiling{b, a, acrossBlock, alongBlock};
      tiling.rhs = readsRhs ? RhsSource::InPlace : RhsSource::Packed;
      // The side along is the longer one.
      if (acrossBlock < alongBlock)
        tilings.push_back(tiling);
    }
  return tilings;
}

std::optional<std::string> InnerProduct::refuseConfig(ContractOp op,
                                                      ConfigAttr config,
                                                      const Atom &atom) const {
  if (!takes(atom) || config.getKr() != atom.kr)
    return doesNotFit(atom) +
           "lanes along K need an atom that multiplies words, and its KR";
  if (std::max(config.getMc(), config.getNc()) % atom.lanes != 0)
    return doesNotFit(atom) +
           "with lanes along K the longer side of the block must be a multiple "
           "of " +
           std::to_string(atom.lanes);
  if (config.hasResultsAlongRows() && !op.getRoles()->m)
    return "lowering_config has results along rows, but there is no dimension "
           "of rows; choose MC = 1";
  if (config.readsLhsInPlace() && !::canReadLhsInPlace(op))
    return "lowering_config reads the left operand in place, but it has a "
           "prologue or K is not its last dimension; use lhs = panel";
  if (readsRhsInPlace(config) && !canReadRhsInPlace(op))
    return "lowering_config reads the right operand in place, but it has a "
           "prologue or K is not its last dimension; use rhs = packed";
  if (config.getMr() * config.getNr() > kMaxAccumulators)
    return hasTooManyAccumulators();
  return std::nullopt;
}

/// Columns are packed by themselves, padded to whole vectors.
std::optional<Packing>
InnerProduct::packing(ContractOp op,
                      kernel::LoweringConfigAttrInterface any) const {
  auto config = cast<ConfigAttr>(any);
  if (readsRhsInPlace(config))
    return std::nullopt;
  const Atom &atom = *spec.findAtom(config.getAtom());
  return Packing{1, config.getKr(), int64_t(atom.lanes) * atom.kr,
                 layoutOf(op, config, atom).rhsShift};
}

std::unique_ptr<Strategy> qcc::x86::makeInnerProduct(const Spec &spec) {
  return std::make_unique<InnerProduct>(spec);
}
