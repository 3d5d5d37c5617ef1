//===- Decode.cpp - Few rows, with K shared by warps ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights go from memory to registers, each once, so that their bytes are what
// takes time if enough of them are on their way: that is what the number of
// warps and of steps loaded ahead are for. More columns share what is loaded of
// the left operand, fewer give work to all multiprocessors.
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

/// More rows than these are several tiles, which all load the weights.
constexpr int64_t kMostRows = 64;
/// Instructions of a warp beside those of its steps, and of each round of them.
constexpr double kOnce = 120, kPerRound = 12;
/// Cycles until the first loads have come, and of later ones beside what is
/// done at the same time, on a chip without a measured latency.
constexpr double kFirstLoads = 500, kLoadLatency = 400;
/// The most of a kernel's time that it can save by starting early.
constexpr double kMostSaved = .25;
/// Kernels start early enough if multiprocessors have room for all blocks, and
/// load so many bytes of weights before they wait, by blocks of so many warps
/// and columns: a rule for what an H200 measured.
constexpr double kEarlyBytes = 64 << 10, kEarlyWarps = 8;
constexpr int64_t kEarlyColumns = 16;
/// Bytes of shared memory for sums of groups of K beyond which parts of the
/// chain are put in between.
constexpr int64_t kMostSumBytes = 48 << 10;
/// Groups of K of which a chain loads the operands at once: a guess.
constexpr double kGroupsAtOnce = 8;

namespace {
class Decode : public TiledStrategy {
public:
  using TiledStrategy::TiledStrategy;

  StringRef getName() const override { return rulesOfDecode().getName(); }
  Cost cost(ContractOp op, LoweringConfigAttrInterface config) const override;

protected:
  void emitKernel(RewriterBase &rewriter, ContractOp op, ConfigAttr config,
                  const Atom &atom) const override {
    emitDecode(rewriter, op, config, atom, spec.hasProgrammaticLaunch());
  }
  SmallVector<Candidate> listGuarded(ContractOp op, int64_t above,
                                     int64_t upTo) const override;
  bool suitsManyRows() const override { return false; }

private:
  double timeOfProducts(ContractOp op, ConfigAttr config,
                        const Sizes &sizes) const;
  /// The config with room for sums of groups of K.
  ConfigAttr withRoom(ContractOp op, ConfigAttr config) const;
};
} // namespace

ConfigAttr Decode::withRoom(ContractOp op, ConfigAttr config) const {
  if (!op.hasGroups())
    return config;
  int64_t ofOne = config.withSums(1).getSharedBytes();
  int64_t most = std::max<int64_t>(1, kMostSumBytes / ofOne);
  GroupSums groups(op, config);
  // As many as all rounds have, or as few as a round has.
  int64_t ofRound =
      llvm::divideCeil(groups.ofRound * groups.rows, kFragmentRows);
  int64_t all = llvm::divideCeil(groups.rounds * ofRound, config.getWarps());
  if (all <= most)
    return config.withSums(all);
  int64_t least = llvm::divideCeil(ofRound, config.getWarps());
  while (least <= 2 * most &&
         GroupSums(op, config.withSums(least)).roundsAtOnce == 0)
    least *= 2;
  return config.withSums(std::max(least, most));
}

SmallVector<Candidate> Decode::listGuarded(ContractOp op, int64_t above,
                                           int64_t upTo) const {
  SmallVector<Candidate> candidates;
  // Other configs for more rows would have to read the same packed operand.
  int64_t bits = fitsNibbles(op) && above == 0 && upTo == 0 ? 4 : 8;
  auto add = [&](int64_t columns, int64_t warps, int64_t stages) {
    auto config = ConfigAttr::get(op.getContext(), getName(), atomOfChip().name,
                                  kFragmentRows, columns, warps * kPackedStep,
                                  kFragmentRows, columns, stages,
                                  kernel::ConfigSource::Model)
                      .withGuard(above, upTo)
                      .withRhsBits(bits);
    config = withRoom(op, config);
    Sizes sizes(op, config);
    bool isIdle = warps * stages > sizes.segments * sizes.segment / kPackedStep;
    if (sizes.rows > kMostRows || (isIdle && warps * stages > 1) ||
        refuseOne(op, config))
      return;
    candidates.push_back({config, cost(op, config), getName().str()});
  };
  for (int64_t columns : {16, 32, 8})
    for (int64_t warps : {8, 4, 16, 2, 1})
      for (int64_t stages : {4, 2, 8, 1})
        add(columns, warps, stages);
  return candidates;
}

double Decode::timeOfProducts(ContractOp op, ConfigAttr config,
                              const Sizes &sizes) const {
  const Atom &atom = *findMatrixAtom(config.getAtom());
  double warps = config.getWarps();
  int64_t fragments = config.getColumns() / kFragmentColumns;
  double chunks = lhsChunksOfDecode(op, config);
  double ofFragment = (chunks * kFragmentRows / 2 <= atom.rows
                           ? 1.
                           : double(kFragmentRows) / atom.rows) *
                      (double(kFragmentDepth) / atom.k);
  double perStep =
      fragments * (1 + 2 * ofFragment) + chunks * instructionsOfLhsChunk(op);
  if (op.hasGroups()) {
    GroupSums groups(op, config);
    double unpacking = config.getRhsBits() == 4 ? 6 * fragments : 0;
    double masking = groups.ofSlice > 1 ? 8 * groups.ofSlice : 0;
    // Products of each group, and stores of its sums.
    perStep += unpacking + masking +
               fragments * (2 * ofFragment * (groups.ofSlice - 1) +
                            double(groups.ofSlice) / groups.merged);
  }
  double steps =
      double(sizes.segments) * sizes.segment / kPackedStep / config.getParts();
  double rounds = std::ceil(steps / warps / config.getStages());
  double results = std::min<double>(sizes.rows, kFragmentRows) *
                   config.getColumns() / 4 / config.getThreads();
  double ofResults =
      std::max(1., results) *
      (2 * warps + 4 * instructionsOfResult(op) + 4 * instructionsOfGroups(op));
  double instructions =
      kOnce + rounds * kPerRound + steps / warps * perStep + ofResults;
  double blocks = sizes.tiles(config) * config.getParts();
  double most = std::ceil(blocks / spec.multiprocessors);
  double room = blocksAtOnce(config, expectedRegisters(op, config));
  double atOnce = std::min(most, room);
  double latency = spec.loadedLatency;
  double chain =
      op.hasGroups()
          ? kChainLatency * op.getReductionSizes().front() / kGroupsAtOnce
          : 0;
  double alone = std::max(kFirstLoads, latency) +
                 kNextInstruction * instructions +
                 rounds * std::max(kLoadLatency, latency) + chain;
  double rowBytes = std::min<double>(sizes.rows, kFragmentRows) *
                    (alignmentAlongK(op) ? 1 : 4);
  double loaded = blocks * steps * kPackedStep *
                  (config.getColumns() * config.getRhsBits() / 8. + rowBytes);
  double time =
      longest({most * warps * instructions / kIssue,
               std::ceil(most / atOnce) * alone, loaded / spec.cacheBytes,
               memoryTime(leastBytes(op, sizes)) + idleTime(alone, atOnce)});
  double early =
      most * warps * config.getStages() * kPackedStep * config.getColumns();
  bool isFilled = spec.hasProgrammaticLaunch() && most <= room &&
                  letsNextStartEarly(op, config) && warps >= kEarlyWarps &&
                  config.getColumns() >= kEarlyColumns && early >= kEarlyBytes;
  return isFilled ? time - std::min(kNextKernel, kMostSaved * time) : time;
}

Cost Decode::cost(ContractOp op, LoweringConfigAttrInterface any) const {
  auto config = cast<ConfigAttr>(any);
  Sizes sizes(op, config);
  return costOf(op, sizes,
                timeOfProducts(op, config, sizes) +
                    costOfParts(op, config, sizes));
}

std::unique_ptr<TiledStrategy> qcc::nvptx::makeDecode(const Spec &spec) {
  return std::make_unique<Decode>(spec);
}
