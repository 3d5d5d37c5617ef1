//===- LoweringConfigs.cpp - The ways to compute a contraction ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Contraction/LoweringConfigs.h"
#include "InterleavedColumnsModel.h"
#include "LanesAlongKModel.h"
#include "TileModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "qcc/Dialect/Kernel/IR/ConstantExtent.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <tuple>

using namespace mlir;
using namespace qcc;
using kernel::ContractOp;
using kernel::LoweringConfigAttr;

//===----------------------------------------------------------------------===//
// Contractions as the models see them
//===----------------------------------------------------------------------===//

/// Instructions that fit into the time of a division or a square root.
constexpr int64_t kSlowInstruction = 8;
/// Multiplications in the time of copying 64 bytes, and of an instruction of
/// the prologue on as many.
constexpr double kCopy = 4.5, kPrologue = 6;

/// The static extent of a loop of the contraction, by any operand that has it;
/// 0 where it is not known.
static int64_t loopSize(ContractOp op, unsigned dim) {
  for (auto [out, map] : llvm::zip(op.getOuts(), op.getOutMaps()))
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (expr == getAffineDimExpr(dim, op.getContext())) {
        int64_t size = cast<ShapedType>(out.getType()).getShape()[i];
        return ShapedType::isDynamic(size) ? 0 : std::max<int64_t>(size, 1);
      }
  return 0;
}

/// Whether rows of the left operand are bytes as `atom` reads them, so that
/// they need not be copied.
static bool canReadInPlace(ContractOp op, const Atom &atom) {
  return atom.kr == 4 && atom.lhsShift(op.getLhsUnsigned()) == 0 &&
         op.getLhsPrologue().empty() && op.getReductionDims().size() == 1 &&
         op.getReductionSize() >= atom.kr &&
         (!atom.hasTiles() || op.getReductionSize() % atom.kStep == 0) &&
         op.getLhsMap().getResults().back() ==
             getAffineDimExpr(op.getReductionDims().front(), op.getContext());
}

/// [least, greatest] element of the right operand.
static constexpr StringLiteral kRhsRangeAttr = "qcc.rhs_range";

/// That of a constant; nothing for anything else.
static std::optional<Extent> rhsRange(ContractOp op) {
  if (auto noted = op->getAttrOfType<DenseI64ArrayAttr>(kRhsRangeAttr);
      noted && noted.size() == 2)
    return Extent{double(noted[0]), double(noted[1])};
  if (op.isPacked() || !op.getRhsPrologue().empty())
    return std::nullopt;
  return extentOf(op.getRhs(), op.getRhsUnsigned());
}

void qcc::noteRhsRange(ContractOp op, const TargetSpec &target) {
  auto first = llvm::find_if(target.atoms,
                             [](const Atom &atom) { return !atom.hasTiles(); });
  if (first == target.atoms.end() || first->form != AtomForm::Bytes)
    return;
  if (std::optional<Extent> range = rhsRange(op))
    op->setAttr(kRhsRangeAttr, DenseI64ArrayAttr::get(op.getContext(),
                                                      {(int64_t)range->low,
                                                       (int64_t)range->high}));
}

/// Why an atom does not multiply the elements of the right operand exactly;
/// nothing if it does.
static std::optional<std::string> refuseElements(ContractOp op,
                                                 const Atom &atom) {
  if (atom.form != AtomForm::Bytes)
    return std::nullopt;
  std::string reason = "sums of two products could saturate: ";
  std::optional<Extent> range = rhsRange(op);
  if (!range)
    return reason + "the right operand is not a constant";
  int64_t shift = atom.rhsShift(op.getRhsUnsigned()), most = atom.largestRhs();
  if (range->low + shift >= -most && range->high + shift <= most)
    return std::nullopt;
  return llvm::formatv("{0}the right operand has elements from {1} to {2}, not "
                       "within {3} and {4}",
                       reason, int64_t(range->low), int64_t(range->high),
                       -most - shift, most - shift)
      .str();
}

/// The instructions that the ops of a region make, about.
static int64_t countInstructions(Region &region) {
  int64_t count = 0;
  region.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() ||
        op->hasTrait<OpTrait::IsTerminator>())
      return;
    bool isSlow = isa<arith::DivFOp, math::SqrtOp>(op);
    count += isSlow ? kSlowInstruction : 1;
  });
  return count;
}

static GemmShape shapeOf(ContractOp op, bool isInPlace) {
  auto roles = *op.getRoles();
  int64_t prologueOps = countInstructions(op.getLhsPrologue());
  return {roles.m ? loopSize(op, *roles.m) : 1,
          loopSize(op, roles.n),
          op.getReductionSize(),
          isInPlace,
          countInstructions(op.getEpilogue()),
          kCopy + kPrologue * prologueOps};
}

namespace {
/// A way to compute a contraction, and what the model expects of it.
struct Way {
  const Atom *atom;
  Tiling tiling;
  bool isInPlace;
  /// As a multiple of what the atom takes at its peak; in the unit of peakTime,
  /// and with the packing of the right operand.
  double relativeTime, time;

  Way(ContractOp op, const Atom &atom, const Tiling &tiling, bool isInPlace,
      const TargetSpec &target)
      : atom(&atom), tiling(tiling), isInPlace(isInPlace),
        relativeTime(
            expectedTime(shapeOf(op, isInPlace), tiling, atom, target)),
        time((relativeTime + waitingTime(op)) * peakTime(atom)) {}

  double waitingTime(ContractOp op) const {
    return tiling.readsRhsInPlace
               ? 0
               : packingTime(op, shapeOf(op, isInPlace), *atom);
  }

  /// The faster one; of equal ones that with the better atom or larger tile.
  bool operator<(const Way &other) const {
    auto key = [](const Way &way) {
      const Tiling &t = way.tiling;
      return std::make_tuple(way.time, way.atom, -t.nr, -t.mr, -t.mc, t.nc);
    };
    return key(*this) < key(other);
  }
  double shareOfPeak() const { return 1 / relativeTime; }
  LoweringConfigAttr config(ContractOp op, StringRef source) const {
    auto text = [&](StringRef value) {
      return StringAttr::get(op.getContext(), value);
    };
    return LoweringConfigAttr::get(
        op.getContext(), text(atom->name),
        {tiling.mr, tiling.nr, (int64_t)atom->kr}, {tiling.mc, tiling.nc},
        text(isInPlace ? "in_place" : "panel"),
        text(tiling.isAlongK ? "k" : "n"),
        text(tiling.readsRhsInPlace ? "in_place" : "packed"), text(source));
  }
};
} // namespace

/// All tilings of an atom, the fastest first.
static SmallVector<Way> listWays(ContractOp op, const Atom &atom,
                                 const TargetSpec &target) {
  bool isInPlace = canReadInPlace(op, atom);
  SmallVector<Way> ways;
  for (const Tiling &tiling : listTilings(shapeOf(op, isInPlace), atom, target))
    ways.push_back({op, atom, tiling, isInPlace, target});
  isInPlace = canReadLhsAlongK(op);
  for (const Tiling &tiling :
       listTilingsAlongK(op, shapeOf(op, isInPlace), atom))
    ways.push_back({op, atom, tiling, isInPlace, target});
  for (const Tiling &tiling :
       listInterleavedTilings(op, shapeOf(op, false), atom))
    ways.push_back({op, atom, tiling, false, target});
  llvm::sort(ways);
  return ways;
}

/// How much faster an atom with tiles has to be than the best one without.
constexpr double kLeastGain = 1.05;

static Way chooseWay(ContractOp op, const TargetSpec &target) {
  // Other atoms than words have to be faster than the best one of words.
  std::optional<Way> best;
  for (const Atom &atom : target.atoms) {
    if (refuseElements(op, atom))
      continue;
    Way way = listWays(op, atom, target).front();
    if (!best ||
        way.time < best->time * (best->atom->hasTiles() ? kLeastGain : 1))
      best = way;
    if (atom.form == AtomForm::Words)
      break;
  }
  return *best;
}

LoweringConfigAttr qcc::chooseConfig(ContractOp op, const TargetSpec &target) {
  return chooseWay(op, target).config(op, "model");
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Candidates are expected to take at most this many times as long as the best.
constexpr double kPlausible = 1.6;
/// Of how many of the best tiles other blocks are tried.
constexpr size_t kTilesWithVariants = 3;

/// The same tile in other blocks that stay in `target`'s caches.
static SmallVector<Tiling> listBlocks(ContractOp op, const Way &way,
                                      const TargetSpec &target) {
  if (way.tiling.isAlongK || way.tiling.readsRhsInPlace)
    return {};
  GemmShape shape = shapeOf(op, way.isInPlace);
  const Tiling &tiling = way.tiling;
  int64_t bytes = llvm::alignTo(shape.k, (uint64_t)way.atom->kStep) * 4 /
                  (int64_t)way.atom->kr;
  // Sizes in tiles, at most all of them and what the L2 cache holds.
  auto most = [&](int64_t size, int64_t tile) {
    int64_t fit = std::max<int64_t>(target.l2Bytes / bytes / tile, 1);
    return size ? std::min<int64_t>(fit, llvm::divideCeil(size, tile)) : fit;
  };
  int64_t mostRows = most(shape.m, tiling.mr);
  int64_t mostColumns = most(shape.n, tiling.nr);
  int64_t rows = tiling.mc / tiling.mr;
  SmallVector<Tiling> blocks;
  for (int64_t c : {(int64_t)1, (int64_t)4, mostColumns / 2, mostColumns})
    for (int64_t r : {rows, rows / 2, rows * 2, mostRows, (int64_t)4}) {
      r = std::clamp<int64_t>(r, 1, std::max(mostRows, rows));
      c = std::clamp<int64_t>(c, 1, mostColumns);
      blocks.push_back({tiling.mr, tiling.nr, r * tiling.mr, c * tiling.nr});
    }
  return blocks;
}

SmallVector<LoweringConfigAttr>
qcc::candidateConfigs(ContractOp op, const TargetSpec &target, unsigned most) {
  Way best = chooseWay(op, target);
  // The best tile of each atom and number of columns; its other tiles; other
  // blocks; the other way to read the left operand.
  SmallVector<Way> groups[4];
  for (const Atom &atom : target.atoms) {
    if (refuseElements(op, atom))
      continue;
    llvm::SmallSetVector<int64_t, 4> columns;
    for (const Way &way : listWays(op, atom, target))
      if (way.time < kPlausible * best.time)
        groups[columns.insert(way.tiling.nr) ? 0 : 1].push_back(way);
  }
  for (SmallVector<Way> &group : groups)
    llvm::sort(group);
  SmallVector<Way> tiles{best};
  for (const Way &way : groups[0])
    if (tiles.size() <= kTilesWithVariants)
      tiles.push_back(way);
  for (const Way &way : tiles) {
    for (const Tiling &blocks : listBlocks(op, way, target))
      groups[2].push_back({op, *way.atom, blocks, way.isInPlace, target});
    if (way.isInPlace)
      groups[3].push_back({op, *way.atom, way.tiling, false, target});
  }
  llvm::sort(groups[2]);

  SmallVector<Way> chosen{best};
  llvm::SmallSetVector<LoweringConfigAttr, 16> seen;
  seen.insert(best.config(op, "tuned"));
  size_t next[4] = {};
  for (bool any = true; any && chosen.size() < most;) {
    any = false;
    for (auto [group, i] : llvm::zip(groups, next)) {
      // The next one that is new and fits.
      for (; i < group.size() && chosen.size() < most; ++i) {
        LoweringConfigAttr config = group[i].config(op, "tuned");
        if (refuseConfig(op, config, target) || !seen.insert(config))
          continue;
        chosen.push_back(group[i]);
        any = true;
        ++i;
        break;
      }
    }
  }
  llvm::sort(MutableArrayRef(chosen).drop_front());
  SmallVector<LoweringConfigAttr> configs;
  for (const Way &way : ArrayRef(chosen).take_front(most))
    configs.push_back(way.config(op, "tuned"));
  return configs;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The largest blocks, in rows or columns, and the largest copy of rows, in
/// bytes: far more than caches hold, far less than would be dangerous.
constexpr int64_t kMaxBlock = 1 << 20, kMaxCopy = 64 << 20;

static bool hasHugeBlocks(ContractOp op, LoweringConfigAttr config,
                          const Atom &atom) {
  if (config.getMC() > kMaxBlock || config.getNC() > kMaxBlock)
    return true;
  int64_t rowBytes =
      llvm::alignTo(op.getReductionSize(), (uint64_t)atom.kStep) * 4 / atom.kr;
  return !config.readsInPlace() && config.getMC() > config.getMR() &&
         config.getMC() > kMaxCopy / std::max<int64_t>(rowBytes, 1);
}

std::optional<std::string> qcc::refuseConfig(ContractOp op,
                                             LoweringConfigAttr config,
                                             const TargetSpec &target) {
  std::string name = ("\"" + config.getAtom().getValue() + "\"").str();
  const Atom *atom = target.findAtom(config.getAtom().getValue());
  if (!atom)
    return "lowering_config asks for atom " + name + ", which target '" +
           target.name + "' has not; choose another atom or target";
  if (hasHugeBlocks(op, config, *atom))
    return "lowering_config asks for blocks that no cache holds; choose a "
           "smaller MC or NC";
  if (config.hasLanesAlongK())
    return refuseAlongK(op, config, *atom);
  if (config.readsRhsInPlace())
    return refuseInterleaved(op, config, *atom);
  if (config.getKR() != atom->kr || config.getNR() % atom->lanes != 0)
    return "lowering_config does not fit atom " + name + ": KR must be " +
           std::to_string(atom->kr) + " and NR a multiple of " +
           std::to_string(atom->lanes);
  if (auto reason = refuseElements(op, *atom))
    return "lowering_config does not fit atom " + name + ": " + *reason +
           "; choose another atom";
  if (config.readsInPlace() && !canReadInPlace(op, *atom))
    return "lowering_config reads the left operand in place, but atom " + name +
           " takes it as a copy; use lhs = \"panel\"";
  if (atom->hasTiles()) {
    int64_t registers = countTileRegisters(config.getMR(), config.getNR());
    if (registers == 0 || registers > atom->registers)
      return "lowering_config does not fit atom " + name +
             ": MR must be a number of registers of equally many rows, at "
             "most 16, and with their operands at most " +
             std::to_string(atom->registers) +
             " registers; choose MR = 32 and NR = 32";
    return std::nullopt;
  }
  if (config.getMR() > kMaxAccumulators ||
      config.getMR() * (config.getNR() / atom->lanes) > kMaxAccumulators)
    return "lowering_config asks for a tile of more than " +
           std::to_string(kMaxAccumulators) +
           " registers; choose a smaller MR or NR";
  return std::nullopt;
}

LogicalResult qcc::checkConfig(ContractOp op, LoweringConfigAttr config,
                               const TargetSpec &target) {
  if (std::optional<std::string> reason = refuseConfig(op, config, target))
    return op.emitError() << *reason;
  return success();
}

//===----------------------------------------------------------------------===//
// Explanations
//===----------------------------------------------------------------------===//

/// What the model expects of a config that fits.
static Way wayOf(ContractOp op, LoweringConfigAttr config,
                 const TargetSpec &target) {
  return {op,
          *target.findAtom(config.getAtom().getValue()),
          {config.getMR(), config.getNR(), config.getMC(), config.getNC(),
           config.hasLanesAlongK(), config.readsRhsInPlace()},
          config.readsInPlace(),
          target};
}

double qcc::expectedShareOfPeak(ContractOp op, LoweringConfigAttr config,
                                const TargetSpec &target) {
  return wayOf(op, config, target).shareOfPeak();
}

static std::string explainMissing(const Atom &atom, const TargetSpec &target) {
  StringRef missing = atom.missing;
  if (target.name == "native" && missing.consume_front("the target "))
    return ("the host " + missing).str();
  return missing.str();
}

/// What of a shape leaves parts of tiles unused, such as "N = 1 fills 1 of 16
/// columns of a tile"; may be empty.
static std::string explainWaste(const GemmShape &shape, const Atom &atom) {
  std::string text;
  auto add = [&](char name, int64_t size, int64_t unit, StringRef what) {
    int64_t all = llvm::alignTo(size, unit);
    if (size == 0 || size > 0.75 * all)
      return;
    text += llvm::formatv("{0}{1} = {2} fills {2} of {3} {4}",
                          text.empty() ? "" : ", ", name, size, all, what);
  };
  add('M', std::min<int64_t>(shape.m, 16), 16, "rows of a tile");
  add('N', shape.n, atom.lanes, "columns of tiles");
  add('K', shape.k, atom.kStep, "elements of steps");
  return text;
}

/// Why `used` computes a contraction and not `other`, of another atom.
static std::string explainSlower(ContractOp op, const Way &other,
                                 const Way &used, LoweringConfigAttr config) {
  std::string expected =
      llvm::formatv("{0:F3} of its peak against {1:F3} of that of {2}",
                    other.shareOfPeak(), used.shareOfPeak(), used.atom->name);
  StringRef source = config.getSource().getValue();
  bool missesGain =
      used.time > other.time && source == "model" && other.atom->hasTiles();
  if (used.time <= other.time || missesGain) {
    std::string waste, copies;
    if (other.atom->hasTiles())
      waste = explainWaste(shapeOf(op, other.isInPlace), *other.atom);
    if (!other.isInPlace && used.isInPlace)
      copies = "it reads rows through copies";
    std::string text = waste;
    if (!copies.empty())
      text += (text.empty() ? "" : ", ") + copies;
    return llvm::formatv(
        "{0}{1}the model expects it to take {2:F2} times as long: {3}", text,
        text.empty() ? "" : "; ", other.time / used.time,
        missesGain ? expected + "; tiles have to gain 5 %" : expected);
  }
  if (source == "model")
    return ("it does less at a time than " + used.atom->name).str();
  return llvm::formatv(
      "{0}, although the model expects it to take {1:F2} of the time: {2}",
      source == "tuned" ? used.atom->name + " was measured to be the fastest"
                        : "the config is pinned to " + used.atom->name,
      other.time / used.time, expected);
}

std::optional<std::string> qcc::refuseAtom(ContractOp op, const Atom &atom,
                                           const TargetSpec &target) {
  LoweringConfigAttr config = op.getLoweringConfigAttr();
  if (!config)
    config = chooseConfig(op, target);
  if (config.getAtom().getValue() == atom.name)
    return std::nullopt;
  if (!target.findAtom(atom.name))
    return explainMissing(atom, target);
  if (auto reason = refuseElements(op, atom))
    return reason;
  return explainSlower(op, listWays(op, atom, target).front(),
                       wayOf(op, config, target), config);
}
