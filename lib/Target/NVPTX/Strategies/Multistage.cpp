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

#include "Strategies.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;
using kernel::LoweringConfigAttrInterface;

/// Registers of a thread, less a few for what no estimate knows.
constexpr int64_t kMostRegisters = 240;
/// What a size that is not known is taken for.
constexpr int64_t kMany = 1024;
/// Instructions of a prologue for each element, and of an epilogue for each
/// result beside those of its region.
constexpr double kPerElement = 4, kPerResult = 4;
/// Instructions for 16 bytes of a row that starts anywhere, and how often its
/// sectors are loaded.
constexpr double kShifting = 24, kSectorLoads = 5;
/// Instructions that a warp issues for each step of K, whatever its tile.
constexpr double kPerStep = 25;
/// Warp instructions that a multiprocessor issues in a cycle; bytes that it
/// moves from and to shared memory, and loads from the L2 cache if all do.
constexpr double kIssue = 4, kSharedBytes = 128, kLoadedBytes = 45;
/// Cycles until the first tiles have come, and that a step of K takes beside
/// its instructions: a barrier, and loads of fragments.
constexpr double kFirstTiles = 900, kStepLatency = 60;
/// Cycles of loads from memory that the products of one step do not hide.
constexpr double kLoadLatency = 330;
/// Cycles from an instruction of a warp to its next one, on average.
constexpr double kNextInstruction = 2;
/// Operations of an epilogue that a thread has the code of, at most: compiling
/// takes its time, and code has to be loaded.
constexpr int64_t kMostOperations = 6000;

namespace {
/// What the loops of a contraction are to a strategy.
struct Sizes {
  explicit Sizes(ContractOp op);
  double batch = 1;
  int64_t rows = 1, columns = 1;
  /// Runs of K, each padded to whole stages of 64.
  int64_t runs = 1, run;
};

struct Shape {
  int64_t rows, columns, warpRows, warpColumns;
};

class Multistage : public Strategy {
public:
  explicit Multistage(const Spec &spec) : spec(spec) {}

  StringRef getName() const override {
    return stringifyStrategyKind(StrategyKind::Multistage);
  }
  std::optional<std::string> obstacle(ContractOp op) const override;
  std::optional<std::string>
  refuse(ContractOp op, LoweringConfigAttrInterface config) const override;
  SmallVector<Candidate> list(ContractOp op) const override;
  Cost cost(ContractOp op, LoweringConfigAttrInterface config) const override;
  std::optional<Packing> packing(ContractOp,
                                 LoweringConfigAttrInterface) const override {
    return Packing{1, 4, kPackedStep, 0};
  }

private:
  /// Blocks that a multiprocessor holds at once.
  int64_t blocksAtOnce(ContractOp op, ConfigAttr config) const;
  /// Warp instructions of a block for the copies of a step of K, and for the
  /// whole step.
  double instructionsOfCopies(ContractOp op, ConfigAttr config) const;
  double instructionsOfStep(ContractOp op, ConfigAttr config) const;

  const Spec spec;
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

Sizes::Sizes(ContractOp op) {
  ContractOp::Roles roles = *op.getRoles();
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopSizes())) {
    if (op.isReduction(loop))
      continue;
    int64_t known = ShapedType::isDynamic(size) ? kMany : size;
    if (loop == roles.n)
      columns = known;
    else if (llvm::is_contained(roles.batch, loop))
      batch *= known;
    else
      rows *= known;
  }
  for (int64_t size : op.getReductionSizes().drop_back())
    runs *= size;
  run = llvm::alignTo(op.getReductionSizes().back(), kPackedStep);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

std::optional<std::string> Multistage::obstacle(ContractOp op) const {
  FailureOr<ContractOp::Roles> roles = op.getRoles();
  if (failed(roles))
    return "it has no dimension of columns, which only the right operand and "
           "the results have; use strategy threads";
  if (roles->isDepthwise)
    return "each of its columns has a left operand of its own, which matrix "
           "instructions do not multiply; use strategy threads";
  return std::nullopt;
}

/// About as many registers as a thread needs.
static int64_t registersOf(ContractOp op, ConfigAttr config) {
  int64_t threads = config.getThreads();
  auto chunks = [&](int64_t rows) {
    return llvm::divideCeil(rows * config.getDepth() / 16, threads);
  };
  int64_t lhsChunks = chunks(config.getRows());
  int64_t rhsChunks = chunks(config.getColumns());
  int64_t sums = config.getWarpRows() * config.getWarpColumns() / kWarp;
  if (op.getRhsZeroPoint())
    sums += config.getWarpRows() / 4;
  int64_t fragments = (config.getWarpRows() + config.getWarpColumns()) / 4;
  // Words that are loaded and not stored yet, and addresses.
  bool hasCopies =
      findMatrixAtom(config.getAtom())->architecture >= kAsyncCopies;
  int64_t words = hasCopies ? 0 : 4 * (lhsChunks + rhsChunks);
  std::optional<int64_t> alignment = alignmentAlongK(op);
  if (!alignment)
    words +=
        4 * lhsChunks *
        llvm::divideCeil(
            getElementTypeOrSelf(op.getLhs().getType()).getIntOrFloatBitWidth(),
            8);
  else if (*alignment < kLeastCopied)
    words += 5 * lhsChunks;
  constexpr int64_t kOthers = 48;
  return sums + fragments + words + 2 * (lhsChunks + rhsChunks) + kOthers;
}

std::optional<std::string>
Multistage::refuse(ContractOp op, LoweringConfigAttrInterface any) const {
  auto config = cast<ConfigAttr>(any);
  if (std::optional<std::string> reason = refuseTile(op, config))
    return reason;
  if (!spec.has(*findMatrixAtom(config.getAtom())))
    return ("lowering_config has atom \"" + config.getAtom() +
            "\", which chip " + spec.name + " does not have in PTX " +
            std::to_string(spec.ptxVersion / 10) + "." +
            std::to_string(spec.ptxVersion % 10) + "; choose another atom")
        .str();
  if (config.getSharedBytes() > spec.sharedBytes)
    return "lowering_config needs " + std::to_string(config.getSharedBytes()) +
           " bytes of shared memory, but a block on chip " + spec.name.str() +
           " has " + std::to_string(spec.sharedBytes) +
           " at most; choose a smaller tile or fewer stages";
  int64_t registers = registersOf(op, config);
  int64_t most = std::min(kMostRegisters, spec.registers / config.getThreads());
  if (registers > most)
    return "lowering_config needs about " + std::to_string(registers) +
           " registers for each thread, of which there are " +
           std::to_string(most) +
           "; choose smaller tiles for warps, or other blocks";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

static int64_t operationsOf(Region &region) {
  return region.empty() ? 0 : region.front().getOperations().size() - 1;
}

SmallVector<Candidate> Multistage::list(ContractOp op) const {
  const Atom *atom = llvm::find_if(
      matrixAtoms(), [&](const Atom &atom) { return spec.has(atom); });
  Sizes sizes(op);
  int64_t results = kMostOperations / (operationsOf(op.getEpilogue()) + 1);
  SmallVector<Candidate> candidates;
  for (const Shape &shape : kShapes)
    for (int64_t depth : {kPackedStep, 2 * kPackedStep})
      for (int64_t stages : {3, 4, 2}) {
        auto config = ConfigAttr::get(op.getContext(), StrategyKind::Multistage,
                                      atom->name, shape.rows, shape.columns,
                                      depth, shape.warpRows, shape.warpColumns,
                                      stages, kernel::ConfigSource::Model);
        if (refuse(op, config))
          continue;
        Candidate candidate{config, cost(op, config), getName().str()};
        candidate.isForModel =
            shape.warpRows * shape.warpColumns / kWarp <= results ||
            shape.warpRows == kFragmentRows;
        candidates.push_back(candidate);
      }
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.cost.time < b.cost.time;
  });
  return candidates;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

int64_t Multistage::blocksAtOnce(ContractOp op, ConfigAttr config) const {
  int64_t threads = config.getThreads();
  int64_t bySharedMemory = spec.sharedBytes / config.getSharedBytes();
  return std::max<int64_t>(
      1, std::min({bySharedMemory, spec.threads / threads,
                   spec.registers / registersOf(op, config) / threads}));
}

double Multistage::instructionsOfCopies(ContractOp op,
                                        ConfigAttr config) const {
  double chunksOfRow = double(config.getDepth()) / 16 / kWarp;
  double copies = 2 * config.getColumns() * chunksOfRow;
  double lhsChunks = config.getRows() * chunksOfRow;
  if (std::optional<int64_t> alignment = alignmentAlongK(op))
    return copies + lhsChunks * (*alignment < kLeastCopied ? kShifting
                                                           : 32. / *alignment);
  return copies +
         lhsChunks * 16 * (operationsOf(op.getLhsPrologue()) + kPerElement);
}

double Multistage::instructionsOfStep(ContractOp op, ConfigAttr config) const {
  const Atom &atom = *findMatrixAtom(config.getAtom());
  double warps = double(config.getThreads()) / kWarp;
  double parts = config.getDepth() / kFragmentDepth;
  double fragments = config.getWarpRows() / kFragmentRows *
                     (config.getWarpColumns() / kFragmentColumns);
  double products =
      fragments * (kFragmentRows / atom.rows) * (kFragmentDepth / atom.k);
  double loads = config.getWarpRows() / 16 + config.getWarpColumns() / 16;
  return warps * (parts * (products + loads) + kPerStep) +
         instructionsOfCopies(op, config);
}

Cost Multistage::cost(ContractOp op, LoweringConfigAttrInterface any) const {
  auto config = cast<ConfigAttr>(any);
  Sizes sizes(op);
  double steps =
      double(sizes.runs) * llvm::divideCeil(sizes.run, config.getDepth());
  double results = double(config.getRows()) * config.getColumns();
  double products = results * config.getDepth() / spec.productsPerCycle;
  double issued = instructionsOfStep(op, config) / kIssue;
  double copied = (config.getRows() + config.getColumns()) * config.getDepth();
  double warps = double(config.getThreads()) / kWarp;
  double read = warps * (config.getWarpRows() + config.getWarpColumns()) *
                config.getDepth();
  std::optional<int64_t> alignment = alignmentAlongK(op);
  double loaded = copied;
  if (alignment && *alignment < kLeastCopied)
    loaded += (kSectorLoads - 1) * config.getRows() * config.getDepth();
  double blocks = sizes.batch * llvm::divideCeil(sizes.rows, config.getRows()) *
                  llvm::divideCeil(sizes.columns, config.getColumns());
  // The L2 cache serves those that have blocks.
  double served = kLoadedBytes * spec.multiprocessors /
                  std::min<double>(blocks, spec.multiprocessors);
  double step = std::max(
      {products, issued, (read + copied) / kSharedBytes, loaded / served});
  double epilogue =
      results / kWarp * (operationsOf(op.getEpilogue()) + kPerResult) / kIssue;
  double work = steps * step + epilogue;
  // The multiprocessor with the most blocks has so many, some at once.
  double most = std::ceil(blocks / spec.multiprocessors);
  double atOnce = std::min<double>(most, blocksAtOnce(op, config));
  // One after the other, steps of a block take this long, others beside them.
  // What goes through registers is loaded one step before it is stored.
  bool isStaged = spec.architecture < kAsyncCopies || !alignment ||
                  *alignment < kLeastCopied || config.getStages() == 2;
  double perInstruction = kNextInstruction / warps;
  double ownStep = instructionsOfStep(op, config) * perInstruction +
                   kStepLatency + (isStaged ? kLoadLatency : 0);
  double firstStages = (config.getStages() - 1) *
                       instructionsOfCopies(op, config) * perInstruction;
  double chain = kFirstTiles + firstStages + steps * std::max(step, ownStep) +
                 epilogue * kIssue * perInstruction;
  double time =
      std::max(most * work + kFirstTiles, std::ceil(most / atOnce) * chain);
  double peak = double(sizes.batch) * sizes.rows * sizes.columns *
                op.getReductionSize() / spec.productsPerCycle /
                spec.multiprocessors;
  return {time, peak / time};
}

std::unique_ptr<Strategy> qcc::nvptx::makeMultistage(const Spec &spec) {
  return std::make_unique<Multistage>(spec);
}
