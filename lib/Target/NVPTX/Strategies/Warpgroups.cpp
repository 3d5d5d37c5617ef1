//===- Warpgroups.cpp - Products of warpgroups ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One block on each multiprocessor computes tiles one after the other. Its
// copies run ahead of its products, across tiles, so that a tile costs its
// products and its epilogue. Times are in cycles of a multiprocessor.
//
//===----------------------------------------------------------------------===//

#include "../Emit/Emit.h"
#include "../IR/ConfigRules.h"
#include "Tiled.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;
using kernel::LoweringConfigAttrInterface;

/// Products of bytes that wgmma adds up in a cycle (docs/benchmarks/nvidia.md,
/// products by wgmma).
constexpr double kProducts = 4096;
/// The share of them that main loops reach, and cycles until the first tiles
/// have come and the kernel is set up: guesses, which no GPU has measured.
constexpr double kLoopShare = .9, kFirstTiles = 1500;

namespace {
class Warpgroups : public TiledStrategy {
public:
  using TiledStrategy::TiledStrategy;

  StringRef getName() const override { return rulesOfWarpgroups().getName(); }
  std::optional<std::string> reasonToRefuse(ContractOp op) const override;
  Cost cost(ContractOp op, LoweringConfigAttrInterface config) const override;
  LogicalResult emit(RewriterBase &rewriter, ContractOp op) const override;

protected:
  void emitKernel(RewriterBase &rewriter, ContractOp op, ConfigAttr config,
                  const Atom &) const override {
    emitWarpgroups(rewriter, op, config, spec.multiprocessors);
  }
  SmallVector<Candidate> listGuarded(ContractOp op, int64_t above,
                                     int64_t upTo) const override;
  bool suitsManyRows() const override { return true; }

private:
  /// The atom of warpgroups; null if the chip has none.
  const Atom *findAtom() const;
};
} // namespace

const Atom *Warpgroups::findAtom() const {
  const Atom *atom = llvm::find_if(matrixAtoms(), [&](const Atom &atom) {
    return atom.isOfWarpgroups && spec.has(atom);
  });
  return atom == matrixAtoms().end() ? nullptr : atom;
}

std::optional<std::string> Warpgroups::reasonToRefuse(ContractOp op) const {
  if (!findAtom())
    return "chip " + spec.name.str() +
           " has no products of warpgroups, which are those of sm_90a; use "
           "strategy multistage";
  return TiledStrategy::reasonToRefuse(op);
}

/// Where the left operand lies is known late. It may be a part of memory whose
/// rows start anywhere.
LogicalResult Warpgroups::emit(RewriterBase &rewriter, ContractOp op) const {
  auto config = cast<ConfigAttr>(op.getLoweringConfigAttr());
  bool isInMemory = isa<MemRefType>(op.getLhs().getType());
  if (std::optional<std::string> reason = refuseTile(op, config);
      isInMemory && reason && !reasonToRefuse(op))
    return emitByOther(rewriter, op, *reason);
  return TiledStrategy::emit(rewriter, op);
}

SmallVector<Candidate> Warpgroups::listGuarded(ContractOp op, int64_t above,
                                               int64_t upTo) const {
  SmallVector<Candidate> candidates;
  const Atom *atom = findAtom();
  if (!atom)
    return candidates;
  for (int64_t columns : {256, 192, 128, 64})
    for (int64_t stages : {4, 3, 5, 6, 8}) {
      auto config = warpgroupsConfig(op.getContext(), atom->name, columns,
                                     stages, kernel::ConfigSource::Model)
                        .withGuard(above, upTo);
      if (!refuseOne(op, config))
        candidates.push_back({config, cost(op, config), getName().str()});
    }
  return candidates;
}

Cost Warpgroups::cost(ContractOp op, LoweringConfigAttrInterface any) const {
  auto config = cast<ConfigAttr>(any);
  Sizes sizes(op, config);
  double slices = llvm::divideCeil(sizes.segment, config.getDepth());
  double results = double(config.getRows()) * config.getColumns();
  double products = results * config.getDepth() / kProducts / kLoopShare;
  double copied = (config.getRows() + config.getColumns()) * config.getDepth();
  // Each warpgroup reads its rows and all columns.
  double read = copied + config.getColumns() * config.getDepth();
  double tiles = sizes.tiles(config);
  double blocks = std::min<double>(tiles, spec.multiprocessors);
  double served = spec.cacheBytes / blocks;
  double slice =
      longest({products, (read + copied) / kSharedBytes, copied / served});
  // Too few copies are on the way to hide their latency.
  slice = std::max(slice, double(spec.loadedLatency) / config.getStages());
  double epilogue = results / kWarp * instructionsOfResult(op) / kIssue;
  double most = std::ceil(tiles / spec.multiprocessors);
  double time = kFirstTiles + most * (slices * slice + epilogue);
  return costOf(op, sizes, longest({time, memoryTime(leastBytes(op, sizes))}));
}

std::unique_ptr<TiledStrategy> qcc::nvptx::makeWarpgroups(const Spec &spec) {
  return std::make_unique<Warpgroups>(spec);
}
