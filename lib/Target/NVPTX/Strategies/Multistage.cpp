//===- Multistage.cpp - Tiles in stages of shared memory ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes a tile of rows and columns, from tiles of both operands in
// shared memory. Large tiles load each element for many products, small ones
// give work to all multiprocessors. Times are in cycles of a multiprocessor.
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

/// Instructions that a warp issues for each step of K, whatever its tile.
constexpr double kPerStep = 15;
/// Cycles until the first tiles have come, and that a step of K takes beside
/// its instructions: a barrier, and loads of fragments.
constexpr double kFirstTiles = 500, kStepLatency = 30;
/// The speed of loops with asynchronous copies that load no fragments ahead, as
/// a share of those that do (docs/benchmarks/nvidia.md, main loops).
constexpr double kInOrder = .87;
/// Cycles of loads from memory that the products of one step do not hide.
constexpr double kLoadLatency = 330;
/// Operations of an epilogue that a thread has the code of, at most: compiling
/// takes its time, and code has to be loaded.
constexpr int64_t kMostOperations = 6000;

namespace {
struct Shape {
  int64_t rows, columns, warpRows, warpColumns;
};

class Multistage : public TiledStrategy {
public:
  using TiledStrategy::TiledStrategy;

  StringRef getName() const override { return rulesOfMultistage().getName(); }
  Cost cost(ContractOp op, LoweringConfigAttrInterface config) const override;

protected:
  void emitKernel(RewriterBase &rewriter, ContractOp op, ConfigAttr config,
                  const Atom &atom) const override {
    emitMultistage(rewriter, op, config, atom);
  }
  SmallVector<Candidate> listGuarded(ContractOp op, int64_t above,
                                     int64_t upTo) const override;
  bool suitsManyRows() const override { return true; }

private:
  /// Warp instructions of a block for the copies of a step of K, and for the
  /// whole step.
  double instructionsOfCopies(ContractOp op, ConfigAttr config) const;
  double instructionsOfStep(ContractOp op, ConfigAttr config) const;
  /// Cycles that a block keeps a multiprocessor busy.
  double busyTime(ContractOp op, ConfigAttr config, const Sizes &sizes,
                  double steps, double epilogue) const;
  /// Cycles of the kernel that multiplies.
  double timeOfProducts(ContractOp op, ConfigAttr config,
                        const Sizes &sizes) const;
};
} // namespace

static constexpr Shape kShapes[] = {
    {256, 128, 64, 64}, {128, 256, 64, 64}, {128, 128, 64, 64},
    {128, 128, 64, 32}, {128, 64, 64, 32},  {64, 128, 32, 64},
    {128, 64, 32, 32},  {64, 128, 32, 32},  {64, 64, 32, 32},
    {128, 32, 32, 32},  {32, 128, 32, 32},  {64, 32, 32, 16},
    {32, 64, 16, 32},   {32, 32, 16, 16},   {16, 128, 16, 32},
    {16, 64, 16, 16},   {32, 256, 32, 64},  {16, 256, 16, 64},
};

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Whether rows of the left operand start at any byte.
static bool startsAnywhere(ContractOp op) {
  std::optional<int64_t> alignment = alignmentAlongK(op);
  return alignment && *alignment < kLeastCopied;
}

/// Whether all threads have equal shares of the copies that go through
/// registers. A share that some have and others have not is a branch in the
/// main loop, around the store and, once LLVM has moved it there, the load,
/// which has then nothing to hide it. ptxas gives such a loop all registers
/// that there are.
static bool hasEvenCopies(ContractOp op, ConfigAttr config, const Spec &spec) {
  auto isEven = [&](int64_t rows) {
    return rows * config.getDepth() / 16 % config.getThreads() == 0;
  };
  if (!copiesThroughRegisters(op, config))
    return true;
  return isEven(config.getRows()) &&
         (spec.architecture >= kAsyncCopies || isEven(config.getColumns()));
}

SmallVector<Candidate> Multistage::listGuarded(ContractOp op, int64_t above,
                                               int64_t upTo) const {
  const Atom &atom = atomOfChip();
  int64_t results = kMostOperations / (operationsOf(op.getEpilogue()) + 1);
  SmallVector<Candidate> candidates;
  auto add = [&](const Shape &shape, int64_t depth, int64_t stages,
                 int64_t parts) {
    auto config =
        ConfigAttr::get(op.getContext(), getName(), atom.name, shape.rows,
                        shape.columns, depth, shape.warpRows, shape.warpColumns,
                        stages, kernel::ConfigSource::Model)
            .withParts(parts)
            .withGuard(above, upTo);
    // Parts are for blocks that leave multiprocessors idle.
    double blocks = Sizes(op, config).tiles(config) * parts;
    if ((parts > 1 && (upTo || blocks > 2 * spec.multiprocessors)) ||
        !hasEvenCopies(op, config, spec) || refuseOne(op, config))
      return;
    Candidate candidate{config, cost(op, config), getName().str()};
    candidate.isForModel =
        shape.warpRows * shape.warpColumns / kWarp <= results ||
        shape.warpRows == kFragmentRows;
    candidates.push_back(candidate);
  };
  for (const Shape &shape : kShapes)
    for (int64_t depth : {kPackedStep, 2 * kPackedStep})
      for (int64_t stages : {3, 4, 2})
        for (int64_t parts : {1, 2, 3, 4, 6, 8, 16})
          add(shape, depth, stages, parts);
  return candidates;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

double Multistage::instructionsOfCopies(ContractOp op,
                                        ConfigAttr config) const {
  double chunksOfRow = double(config.getDepth()) / 16 / kWarp;
  return chunksOfRow * (2 * config.getColumns() +
                        config.getRows() * instructionsOfLhsChunk(op));
}

double Multistage::instructionsOfStep(ContractOp op, ConfigAttr config) const {
  const Atom &atom = *findMatrixAtom(config.getAtom());
  double warps = double(config.getThreads()) / kWarp;
  int64_t parts = config.getDepth() / kFragmentDepth;
  int64_t fragments = config.getWarpRows() / kFragmentRows *
                      (config.getWarpColumns() / kFragmentColumns);
  int64_t products =
      fragments * (kFragmentRows / atom.rows) * (kFragmentDepth / atom.k);
  int64_t loads = config.getWarpRows() / 16 + config.getWarpColumns() / 16;
  return warps * (parts * (products + loads) + kPerStep) +
         instructionsOfCopies(op, config);
}

double Multistage::busyTime(ContractOp op, ConfigAttr config,
                            const Sizes &sizes, double steps,
                            double epilogue) const {
  assert(steps >= 1 && "K has steps");
  double results = double(config.getRows()) * config.getColumns();
  bool isInOrder =
      spec.architecture >= kAsyncCopies && !loadsFragmentsAhead(op, config);
  double share = spec.loopShare * (isInOrder ? kInOrder : 1);
  double products = results * config.getDepth() / spec.productsPerCycle / share;
  double issued =
      instructionsOfStep(op, config) / kIssue + epilogue / kIssue / steps;
  double copied = (config.getRows() + config.getColumns()) * config.getDepth();
  double warps = double(config.getThreads()) / kWarp;
  double read = warps * (config.getWarpRows() + config.getWarpColumns()) *
                config.getDepth();
  double loaded = copied;
  if (startsAnywhere(op))
    loaded += (kSectorLoads - 1) * config.getRows() * config.getDepth();
  double blocks = sizes.tiles(config) * config.getParts();
  // The L2 cache serves those that have blocks.
  double served =
      spec.cacheBytes / std::min<double>(blocks, spec.multiprocessors);
  return steps * std::max({products, issued, (read + copied) / kSharedBytes,
                           loaded / served});
}

double Multistage::timeOfProducts(ContractOp op, ConfigAttr config,
                                  const Sizes &sizes) const {
  double steps = std::ceil(double(sizes.segments) *
                           llvm::divideCeil(sizes.segment, config.getDepth()) /
                           config.getParts());
  double perResult =
      config.getParts() == 1 ? instructionsOfResult(op) : kPerResult;
  perResult += instructionsOfGroups(op);
  double epilogue =
      double(config.getRows()) * config.getColumns() / kWarp * perResult;
  // The multiprocessor with the most blocks has so many, some at once.
  double blocks = sizes.tiles(config) * config.getParts();
  double most = std::ceil(blocks / spec.multiprocessors);
  int64_t atOnce = blocksAtOnce(config, expectedRegisters(op, config));
  double busy = most * busyTime(op, config, sizes, steps, epilogue);
  // Nobody multiplies while the only block at work stores results.
  if (atOnce == 1)
    busy += most * epilogue / kIssue;
  // What goes through registers is loaded one step before it is stored.
  bool isOneAhead =
      copiesThroughRegisters(op, config) || config.getStages() == 2;
  double perInstruction = kNextInstruction * kWarp / config.getThreads();
  double ownStep = instructionsOfStep(op, config) * perInstruction +
                   kStepLatency + (isOneAhead ? kLoadLatency : 0);
  // The copies of so many steps are on the way at once.
  ownStep = std::max(ownStep, double(spec.loadedLatency) /
                                  std::max<int64_t>(config.getStages() - 1, 1));
  // A block that has a multiprocessor for itself takes so long.
  double alone = kFirstTiles + steps * ownStep + epilogue * perInstruction;
  if (op.hasGroups())
    alone += kChainLatency * op.getReductionSizes().front();
  double together = std::min<double>(most, atOnce);
  return longest(
      {busy, std::ceil(most / together) * alone,
       memoryTime(leastBytes(op, sizes)) + idleTime(alone, together)});
}

Cost Multistage::cost(ContractOp op, LoweringConfigAttrInterface any) const {
  auto config = cast<ConfigAttr>(any);
  Sizes sizes(op, config);
  return costOf(op, sizes,
                timeOfProducts(op, config, sizes) +
                    costOfParts(op, config, sizes));
}

std::unique_ptr<TiledStrategy> qcc::nvptx::makeMultistage(const Spec &spec) {
  return std::make_unique<Multistage>(spec);
}
