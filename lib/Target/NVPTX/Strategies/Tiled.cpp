//===- Tiled.cpp - Blocks that compute tiles of a contraction -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tiled.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;
using kernel::LoweringConfigAttrInterface;

/// Rows up to which there are configs of their own, where the number of rows is
/// known at run time only: those of an atom, of a small tile, and of as many
/// tiles as make use of some and of most multiprocessors.
static constexpr int64_t kFewRows[] = {16, 64, 256, 2048};
/// Bytes of shared memory that the hardware keeps for each block, and the first
/// architecture that does.
constexpr int64_t kKeptForBlock = 1 << 10, kKeepsForBlocks = 80;
/// Cycles until the first loads of a further kernel have come.
constexpr double kFirstLoads = 900;
/// Bytes of a sum of products.
constexpr double kSumBytes = 4;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Sizes::Sizes(ContractOp op, ConfigAttr config) {
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
  if (config.getRowsUpTo())
    rows = std::min(rows, config.getRowsUpTo());
  segment = hasGroupsInSlices(op)
                ? op.getReductionSize()
                : llvm::alignTo(op.getReductionSizes().back(), kPackedStep);
  if (!hasGroupsInSlices(op))
    for (int64_t size : op.getReductionSizes().drop_back())
      segments *= size;
  rhsBits = config.getRhsBits();
}

double Sizes::tiles(ConfigAttr config) const {
  assert(config.getRows() > 0 && config.getColumns() > 0 && "no tile");
  return batch * llvm::divideCeil(rows, config.getRows()) *
         llvm::divideCeil(columns, config.getColumns());
}

int64_t qcc::nvptx::operationsOf(Region &region) {
  return region.empty() ? 0 : region.front().getOperations().size() - 1;
}

double qcc::nvptx::instructionsOfLhsChunk(ContractOp op) {
  if (std::optional<int64_t> alignment = alignmentAlongK(op))
    return *alignment < kLeastCopied ? kShifting : 32. / *alignment;
  return 16 * (operationsOf(op.getLhsPrologue()) + kPerElement);
}

double qcc::nvptx::instructionsOfResult(ContractOp op) {
  // Clamps, rounding and what asks for NaN are parts of conversions.
  constexpr double kPerOperation = .5;
  return kPerOperation * operationsOf(op.getEpilogue()) + kPerResult;
}

double qcc::nvptx::instructionsOfGroups(ContractOp op) {
  if (!op.hasGroups())
    return 0;
  // Zero points take a product each.
  int64_t ofGroup = operationsOf(op.getGroupEpilogue()) +
                    (op.getLhsZeroPoint() ? 2 : 0) +
                    (op.getRhsZeroPoint() ? 2 : 0);
  return double(ofGroup) * op.getReductionSizes().front();
}

double qcc::nvptx::longest(std::initializer_list<double> times) {
  constexpr double kShareOfRest = .02;
  double most = std::max(times), all = 0;
  for (double time : times)
    all += time;
  return most + kShareOfRest * (all - most);
}

static double bytesOf(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                             : 8;
}

double qcc::nvptx::leastBytes(ContractOp op, const Sizes &sizes) {
  double k = double(sizes.segments) * sizes.segment;
  double bytes =
      sizes.batch * k *
      (sizes.columns * sizes.rhsBits / 8. + sizes.rows * bytesOf(op.getLhs()));
  for (Value operand : op.getGroupOperands()) {
    auto type = cast<ShapedType>(operand.getType());
    double elements = 1;
    for (int64_t size : type.getShape())
      elements *= ShapedType::isDynamic(size) ? kMany : size;
    bytes += elements * bytesOf(operand);
  }
  for (Value out : op.getOuts())
    bytes += sizes.results() * bytesOf(out);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

std::optional<std::string> TiledStrategy::reasonToRefuse(ContractOp op) const {
  FailureOr<ContractOp::Roles> roles = op.getRoles();
  if (failed(roles))
    return "it has no dimension of columns, which only the right operand and "
           "the results have; use strategy threads";
  if (roles->isDepthwise)
    return "each of its columns has a left operand of its own, which matrix "
           "instructions do not multiply; use strategy threads";
  return std::nullopt;
}

std::optional<std::string>
TiledStrategy::refuse(ContractOp op, LoweringConfigAttrInterface any) const {
  for (ConfigAttr config : guardedConfigs(cast<ConfigAttr>(any))) {
    if (std::optional<std::string> reason = refuseGuards(op, config))
      return reason;
    if (std::optional<std::string> reason = refuseOne(op, config))
      return reason;
  }
  return std::nullopt;
}

std::optional<std::string> TiledStrategy::refuseOne(ContractOp op,
                                                    ConfigAttr config) const {
  if (std::optional<std::string> reason = refuseTile(op, config))
    return reason;
  if (std::optional<std::string> reason = refuseParts(op, config.getParts()))
    return reason;
  return refuseResources(config, expectedRegisters(op, config));
}

std::optional<std::string>
TiledStrategy::refuseResources(ConfigAttr config, int64_t registers) const {
  if (!spec.has(*findMatrixAtom(config.getAtom())))
    return llvm::formatv("lowering_config has atom \"{0}\", which chip {1} "
                         "does not have in PTX {2}.{3}; choose another atom",
                         config.getAtom(), spec.name, spec.ptxVersion / 10,
                         spec.ptxVersion % 10)
        .str();
  if (config.getSharedBytes() > spec.sharedBytes)
    return llvm::formatv("lowering_config needs {0} bytes of shared memory, "
                         "but a block on chip {1} has {2} at most; choose a "
                         "smaller tile or fewer stages",
                         config.getSharedBytes(), spec.name, spec.sharedBytes)
        .str();
  int64_t most = std::min(kMostRegisters, spec.registers / config.getThreads());
  if (registers > most)
    return llvm::formatv("lowering_config needs about {0} registers for each "
                         "thread, of which there are {1}; choose smaller tiles "
                         "for warps, or other blocks",
                         registers, most)
        .str();
  return std::nullopt;
}

LogicalResult TiledStrategy::emit(RewriterBase &rewriter, ContractOp op) const {
  auto config = cast<ConfigAttr>(op.getLoweringConfigAttr());
  if (failed(verifyForm(op, config)))
    return failure();
  if (std::optional<std::string> reason = reasonToRefuse(op))
    return op.emitError() << "has strategy " << getName() << ", but "
                          << *reason;
  if (std::optional<std::string> reason = refuseTile(op, config))
    return op.emitError() << *reason;
  emitKernel(rewriter, op, config, *findMatrixAtom(config.getAtom()));
  return success();
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Whether configs differ in nothing but their guards.
static bool haveSameKernel(ConfigAttr a, ConfigAttr b) {
  return a.withGuard(0, 0) == b.withGuard(0, 0);
}

std::vector<std::unique_ptr<TiledStrategy>> TiledStrategy::makeAll() const {
  std::vector<std::unique_ptr<TiledStrategy>> strategies;
#define QCC_NVPTX_TILED_STRATEGY(name) strategies.push_back(make##name(spec));
#include "../Strategies.def"
  return strategies;
}

LogicalResult TiledStrategy::emitByOther(RewriterBase &rewriter, ContractOp op,
                                         StringRef reason) const {
  auto config = cast<ConfigAttr>(op.getLoweringConfigAttr());
  std::vector<std::unique_ptr<TiledStrategy>> strategies = makeAll();
  std::optional<Candidate> best;
  const TiledStrategy *ofBest = nullptr;
  for (const auto &strategy : strategies)
    for (const Candidate &candidate : strategy->listGuarded(
             op, config.getRowsAbove(), config.getRowsUpTo())) {
      // By now there are no parts of K.
      if (cast<ConfigAttr>(candidate.config).getParts() > 1 ||
          !candidate.isForModel ||
          (best && candidate.cost.time >= best->cost.time))
        continue;
      best = candidate;
      ofBest = strategy.get();
    }
  if (!best)
    return op.emitError() << reason;
  op.emitWarning() << reason << ": " << best->config << " takes its place";
  op.setLoweringConfigAttr(best->config);
  return ofBest->emit(rewriter, op);
}

SmallVector<ConfigAttr> TiledStrategy::listFewRows(ContractOp op) const {
  std::vector<std::unique_ptr<TiledStrategy>> strategies = makeAll();
  SmallVector<ConfigAttr> few;
  int64_t above = 0;
  for (int64_t upTo : kFewRows) {
    std::optional<Candidate> best;
    for (const auto &strategy : strategies)
      for (const Candidate &candidate :
           strategy->listGuarded(op, above, upTo)) {
        if (candidate.isForModel &&
            (!best || candidate.cost.time < best->cost.time))
          best = candidate;
      }
    if (!best)
      return {};
    auto config = cast<ConfigAttr>(best->config);
    if (!few.empty() && haveSameKernel(few.back(), config))
      few.back() = config.withGuard(few.back().getRowsAbove(), upTo);
    else
      few.push_back(config);
    above = upTo;
  }
  assert(few.front().getRowsAbove() == 0 && few.back().getRowsUpTo() == above &&
         "guards cover all few rows");
  return few;
}

SmallVector<Candidate> TiledStrategy::list(ContractOp op) const {
  SmallVector<int64_t> sizes = op.getStaticLoopSizes();
  bool isKnown = llvm::none_of(rowLoopsOf(op), [&](unsigned loop) {
    return ShapedType::isDynamic(sizes[loop]);
  });
  if (!isKnown && !suitsManyRows())
    return {};
  SmallVector<Candidate> candidates = listGuarded(op, 0, 0);
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.cost.time < b.cost.time;
  });
  if (isKnown)
    return candidates;
  SmallVector<ConfigAttr> few = listFewRows(op);
  // A guard and parts do not go together.
  llvm::erase_if(candidates, [](const Candidate &candidate) {
    return cast<ConfigAttr>(candidate.config).getParts() > 1;
  });
  for (Candidate &candidate : candidates) {
    auto config = cast<ConfigAttr>(candidate.config);
    ArrayRef<ConfigAttr> others = few;
    while (!others.empty() && haveSameKernel(others.back(), config))
      others = others.drop_back();
    if (!others.empty())
      candidate.config = config.withFewRows(others);
  }
  return candidates;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

std::optional<Packing>
TiledStrategy::packing(ContractOp op, LoweringConfigAttrInterface any) const {
  auto config = cast<ConfigAttr>(any);
  Packing packing{1, 4, kPackedStep, 0};
  if (hasGroupsInSlices(op))
    packing.kStep = groupSize(op);
  packing.hasNibbles = config.getRhsBits() == 4;
  // Zero points alone need the sums of columns.
  packing.hasSums = !op.hasGroups() || op.getLhsZeroPoint();
  return packing;
}

const Atom &TiledStrategy::atomOfChip() const {
  const Atom *atom = llvm::find_if(matrixAtoms(), [&](const Atom &atom) {
    return spec.has(atom) && !atom.isOfWarpgroups;
  });
  assert(atom != matrixAtoms().end() && "every chip multiplies matrices");
  return *atom;
}

int64_t TiledStrategy::blocksAtOnce(ConfigAttr config,
                                    int64_t registers) const {
  int64_t threads = config.getThreads();
  assert(registers > 0 && threads > 0 && config.getSharedBytes() > 0 &&
         "blocks take resources");
  int64_t kept = spec.architecture >= kKeepsForBlocks ? kKeptForBlock : 0;
  return std::max<int64_t>(
      1,
      std::min({(spec.sharedBytes + kept) / (config.getSharedBytes() + kept),
                spec.threads / threads, spec.registers / registers / threads}));
}

double qcc::nvptx::timeOfPass(const Spec &spec, double bytes) {
  return kNextKernel + kFirstLoads + bytes / spec.memoryBytes;
}

double TiledStrategy::idleTime(double alone, double atOnce) const {
  // As measured, where a GPU measured anything.
  constexpr double kIdleShare = .25;
  return spec.loadedLatency ? kIdleShare * alone / atOnce : 0;
}

double TiledStrategy::costOfParts(ContractOp op, ConfigAttr config,
                                  const Sizes &sizes) const {
  if (config.getParts() == 1)
    return 0;
  double results = sizes.results();
  double instructions =
      results / kWarp * (config.getParts() + instructionsOfResult(op));
  double issued = instructions / kIssue / spec.multiprocessors;
  double sums = config.getParts() * results * kSumBytes;
  return timeOfPass(spec, 2 * sums) + issued;
}

Cost TiledStrategy::costOf(ContractOp op, const Sizes &sizes,
                           double time) const {
  assert((time > 0 || sizes.results() == 0) && "making results takes time");
  double peak = sizes.results() * op.getReductionSize() /
                spec.productsPerCycle / spec.multiprocessors;
  return {time, peak / time};
}
