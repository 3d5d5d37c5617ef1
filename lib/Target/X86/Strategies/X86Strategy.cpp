//===- X86Strategy.cpp - Base of x86 strategies ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "X86Strategy.h"
#include "qcc/Analysis/NumberRange.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <tuple>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;
using kernel::ContractOp;
using kernel::LoweringConfigAttrInterface;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Whether elements of an operand follow each other along loop `dim`.
static bool liesAlong(Value operand, AffineMap map, unsigned dim) {
  if (auto type = dyn_cast<MemRefType>(operand.getType());
      type && !type.isLastDimUnitStride())
    return false;
  return map.getNumResults() > 0 &&
         kernel::resultAlong(map, dim) == map.getNumResults() - 1;
}

bool qcc::x86::isContiguousAlong(ContractOp op, Value operand, AffineMap map,
                                 Region &prologue, unsigned dim) {
  return prologue.empty() && liesAlong(operand, map, dim);
}

bool qcc::x86::isLhsContiguousAlongSegments(ContractOp op) {
  return isContiguousAlong(op, op.getLhs(), op.getLhsMap(), op.getLhsPrologue(),
                           op.getReductionDims().back());
}

bool qcc::x86::liesRhsAlongSegments(ContractOp op) {
  return !op.isPacked() &&
         liesAlong(op.getRhs(), op.getRhsMap(), op.getReductionDims().back());
}

bool qcc::x86::isRhsContiguousAlongSegments(ContractOp op) {
  return op.getRhsPrologue().empty() && liesRhsAlongSegments(op);
}

/// The value range of a constant right operand; none if it is not constant.
static std::optional<NumberRange> rhsRange(ContractOp op) {
  if (DenseI64ArrayAttr range = op.getKnownFacts().rhsRange)
    return NumberRange{double(range[0]), double(range[1]), false};
  if (op.isPacked() || !op.getRhsPrologue().empty())
    return std::nullopt;
  return rangeOfConstant(op.getRhs(), op.getRhsUnsigned());
}

/// The same of bytes that the prologue of a contraction of floats widens.
static std::optional<NumberRange> rangeOfStored(ContractOp op) {
  if (DenseI64ArrayAttr range = op.getKnownFacts().rhsRange)
    return NumberRange{double(range[0]), double(range[1]), false};
  return rangeOfConstant(op.getRhs(), /*isUnsigned=*/false);
}

bool qcc::x86::fitsNibbles(ContractOp op, const Atom &atom) {
  // What was packed stays as the config says.
  if (op.isPacked())
    return configOf(op).hasNibbles();
  if (op.isOfFloats()) {
    std::optional<NumberRange> range;
    if (fitsNarrow(op) && op.getReductionSizes().back() % kNibblesOfWord == 0 &&
        getElementTypeOrSelf(op.getRhs().getType()).isInteger(8))
      range = rangeOfStored(op);
    return range && (range->isWithin(0, 15) || range->isWithin(-8, 7));
  }
  if (!op.hasGroups() || op.getReductionSizes().back() % kStepOfNibbles != 0 ||
      atom.kr != 4 ||
      (atom.form != AtomForm::Words && atom.form != AtomForm::Bytes))
    return false;
  std::optional<NumberRange> range = rhsRange(op);
  return range && (op.getRhsUnsigned() ? range->isWithin(0, 15)
                                       : range->isWithin(-8, 7));
}

/// Whether the right operand is packed before its prologue.
static bool packsNarrow(ContractOp op, ConfigAttr config) {
  return op.isOfFloats() && config.readsNarrowRhs();
}

bool qcc::x86::fitsNarrow(ContractOp op) {
  if (op.isPacked())
    return packsNarrow(op, configOf(op));
  std::optional<ConstantData> data;
  if (op.isOfFloats() && !op.getRhsPrologue().empty() && isPackedInAdvance(op))
    data = ConstantData::get(op.getRhs());
  return data && !data->bytes.empty();
}

std::optional<std::string> qcc::x86::refuseElements(ContractOp op,
                                                    const Atom &atom) {
  if (atom.hasFloats() != op.isOfFloats())
    return atom.hasFloats() ? "it multiplies floats, not integers"
                            : "it multiplies integers, not floats";
  if (op.hasGroups() && atom.hasPairs())
    return "it adds up products of whole rows and columns, not of groups of K";
  if (atom.form != AtomForm::Bytes || fitsNibbles(op, atom))
    return std::nullopt;
  std::string reason = "sums of two products could saturate: ";
  std::optional<NumberRange> range = rhsRange(op);
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

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

std::string qcc::x86::doesNotFit(const Atom &atom) {
  return ("lowering_config does not fit atom \"" + atom.name + "\": ").str();
}

std::string qcc::x86::hasTooManyAccumulators() {
  return "lowering_config asks for a tile of more than " +
         std::to_string(kMaxAccumulators) +
         " registers; choose a smaller MR or NR";
}

std::optional<std::string> qcc::x86::refuseAccumulators(ConfigAttr config,
                                                        const Atom &atom) {
  if (config.getMr() > kMaxAccumulators ||
      config.getMr() * (config.getNr() / atom.lanes) > kMaxAccumulators)
    return hasTooManyAccumulators();
  return std::nullopt;
}

/// The largest blocks, in rows or columns, and the largest copy of rows, in
/// bytes: far more than caches hold, far less than would be dangerous.
constexpr int64_t kMaxBlock = 1 << 20, kMaxCopy = 64 << 20;

static bool hasHugeBlocks(ContractOp op, ConfigAttr config, const Atom &atom) {
  if (config.getMc() > kMaxBlock || config.getNc() > kMaxBlock)
    return true;
  int64_t rowBytes = GemmShape::of(op, false).words(atom) * 4;
  return !config.readsLhsInPlace() && config.getMc() > config.getMr() &&
         config.getMc() > kMaxCopy / std::max<int64_t>(rowBytes, 1);
}

std::optional<std::string> X86Strategy::reasonToRefuse(ContractOp op) const {
  if (op.getRoles()->isDepthwise)
    return "each of its columns has a left operand of its own, as in a "
           "depthwise convolution; use strategy depthwise";
  if (op.hasGroups() && !computesGroups())
    return "it has groups of K with sums of their own; use strategy "
           "vector_tiles";
  // A word of floats is one element, wherever it lies.
  if (op.isOfFloats() ||
      !kernel::leavesOut(op.getLhsMap(), op.getReductionDims().back()))
    return std::nullopt;
  return "the innermost dimension of K leaves out elements of the left "
         "operand; run collapse-reductions, which adds one that does not";
}

std::optional<std::string>
X86Strategy::verify(LoweringConfigAttrInterface any) const {
  auto config = cast<ConfigAttr>(any);
  RhsSource source = config.getRhs();
  if (canChoose(source))
    return std::nullopt;
  StringRef remedy = source == RhsSource::Nibbles ? "use vector_tiles"
                     : source == RhsSource::Narrow
                         ? "use float_tiles"
                         : "use inner_product, or interleaved_columns for "
                           "columns in the lanes";
  return llvm::formatv("lowering_config has rhs = {0}, but strategy '{1}' does "
                       "not choose that; {2}",
                       stringifyRhsSource(source), name, remedy)
      .str();
}

std::optional<std::string>
X86Strategy::refuse(ContractOp op, LoweringConfigAttrInterface any) const {
  auto config = cast<ConfigAttr>(any);
  if (auto reason = verify(config))
    return reason;
  const Atom *atom = spec.findAtom(config.getAtom());
  if (!atom)
    return ("lowering_config asks for atom \"" + config.getAtom() +
            "\", but target '" + spec.name +
            "' does not have it; choose another atom or target")
        .str();
  if (hasHugeBlocks(op, config, *atom))
    return "lowering_config asks for blocks that no cache holds; choose a "
           "smaller MC or NC";
  return refuseConfig(op, config, *atom);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Another atom than words has to be faster than the best one of words; what
/// comes after that one does less at a time, as floats do after the best atom
/// of floats.
static bool isForModel(const Atom &atom, const Spec &spec) {
  AtomForm form = atom.hasFloats() ? AtomForm::Floats : AtomForm::Words;
  const Atom *best = llvm::find_if(
      spec.atoms, [&](const Atom &one) { return one.form == form; });
  return spec.findAtom(atom.name) <= best;
}

Cost X86Strategy::cost(ContractOp op, const Tiling &tiling,
                       const Atom &atom) const {
  GemmShape shape = GemmShape::of(op, tiling.lhsInPlace);
  double relative = expectedTime(op, shape, tiling, atom);
  double waiting =
      tiling.rhs == RhsSource::InPlace ? 0 : packingTime(op, shape, atom);
  assert(relative > 0 && waiting >= 0 && "computing takes time");
  return {(relative + waiting) * peakTime(atom), 1 / relative};
}

Candidate X86Strategy::candidate(ContractOp op, const Tiling &tiling,
                                 const Atom &atom) const {
  assert(tiling.mr > 0 && tiling.mc >= tiling.mr && tiling.nr > 0 &&
         tiling.nc >= tiling.nr && "a block has at least one tile");
  // Strategies that only read in place need not say so.
  RhsSource rhs = canChoose(tiling.rhs) ? tiling.rhs : RhsSource::Packed;
  auto config =
      ConfigAttr::get(op.getContext(), name, atom.name, tiling.mr, tiling.nr,
                      atom.kr, tiling.mc, tiling.nc,
                      tiling.lhsInPlace ? LhsSource::InPlace : LhsSource::Panel,
                      rhs, kernel::ConfigSource::Model);
  return {config, cost(op, tiling, atom),
          (atom.name + " " + std::to_string(tiling.nr)).str(),
          isForModel(atom, spec)};
}

SmallVector<Candidate> X86Strategy::list(ContractOp op) const {
  SmallVector<Candidate> candidates;
  for (const Atom &atom : spec.atoms) {
    if (!takes(atom) || refuseElements(op, atom))
      continue;
    bool isInPlace = canReadLhsInPlace(op, atom);
    for (Tiling &tiling : listTilings(op, GemmShape::of(op, isInPlace), atom)) {
      tiling.lhsInPlace = isInPlace;
      candidates.push_back(candidate(op, tiling, atom));
    }
  }
  // The faster one; of equal ones the one with the better atom or larger tile.
  llvm::stable_sort(candidates, [&](const Candidate &a, const Candidate &b) {
    auto key = [&](const Candidate &one) {
      auto config = cast<ConfigAttr>(one.config);
      return std::make_tuple(one.cost.time, spec.findAtom(config.getAtom()),
                             -config.getNr(), -config.getMr(), -config.getMc(),
                             config.getNc());
    };
    return key(a) < key(b);
  });
  return candidates;
}

Cost X86Strategy::cost(ContractOp op, LoweringConfigAttrInterface any) const {
  auto config = cast<ConfigAttr>(any);
  return cost(op,
              {config.getMr(), config.getNr(), config.getMc(), config.getNc(),
               config.readsLhsInPlace(),
               readsRhsInPlace(config) ? RhsSource::InPlace : config.getRhs()},
              *spec.findAtom(config.getAtom()));
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

std::optional<Packing>
X86Strategy::packing(ContractOp op, LoweringConfigAttrInterface any) const {
  auto config = cast<ConfigAttr>(any);
  assert(spec.findAtom(config.getAtom()) && "a config that was not refused");
  const Atom &atom = *spec.findAtom(config.getAtom());
  OperandLayout layout = layoutOf(op, config, atom);
  bool hasSums =
      !op.hasGroups() || op.getLhsZeroPoint() || layout.lhsShift != 0;
  if (packsNarrow(op, config)) {
    bool hasNibbles = config.hasNibbles();
    // Nibbles are signed.
    bool isMoved = hasNibbles && !rangeOfStored(op)->isWithin(-8, 7);
    return Packing{
        config.getNr(),   1,          hasNibbles ? kNibblesOfWord : 1,
        isMoved ? -8 : 0, hasNibbles, false,
        /*isNarrow=*/true};
  }
  return Packing{config.getNr(),
                 config.getKr(),
                 config.hasNibbles() ? kStepOfNibbles : atom.kStep,
                 layout.rhsShift,
                 config.hasNibbles(),
                 hasSums};
}

int64_t X86Strategy::rowsOfTile(LoweringConfigAttrInterface config) const {
  return cast<ConfigAttr>(config).getMr();
}

LoweringConfigAttrInterface X86Strategy::adapt(ContractOp op,
                                               LoweringConfigAttrInterface any,
                                               std::string &reason) const {
  auto config = cast<ConfigAttr>(any);
  if (!config.readsLhsInPlace() ||
      canReadLhsInPlace(op, *spec.findAtom(config.getAtom())))
    return config;
  reason = "rows of the left operand are copied, since its elements along K "
           "do not follow each other in memory";
  return ConfigAttr::get(op.getContext(), name, config.getAtom(),
                         config.getMr(), config.getNr(), config.getKr(),
                         config.getMc(), config.getNc(), LhsSource::Panel,
                         config.getRhs(), config.getSource());
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

std::optional<std::string> X86Strategy::refuseForm(ContractOp op,
                                                   ConfigAttr config,
                                                   const Atom &atom) const {
  if (op.getLhsPadding())
    return ("has strategy " + name +
            ", which does not read lhs_padding; pad the left operand in memory")
        .str();
  if (!takes(atom))
    return ("has strategy " + name + ", which does not multiply by atom \"" +
            atom.name + "\"")
        .str();
  if (op.isPacked() == readsRhsInPlace(config))
    return "needs a right operand that is packed unless the config reads it in "
           "place";
  bool isNarrow = packsNarrow(op, config);
  if (op.isPacked() && isNarrow == op.getRhsPrologue().empty())
    return "has a packed right operand of another form than its config says: "
           "rhs_prologue belongs to rhs = narrow and to nibbles of floats";
  if (isNarrow &&
      config.hasNibbles() != getElementTypeOrSelf(op.getRhs()).isInteger(32))
    return "has a packed right operand of another form than its config says: "
           "nibbles of floats lie in words of i32, other elements do not";
  if (config.readsLhsInPlace() && !op.isOfFloats() &&
      !cast<MemRefType>(op.getLhs().getType()).isLastDimUnitStride())
    return "reads the left operand in place, but its elements along K do not "
           "follow each other; run adapt-lowering-config first";
  return std::nullopt;
}

LogicalResult X86Strategy::emit(RewriterBase &rewriter, ContractOp op) const {
  ConfigAttr config = configOf(op);
  const Atom *atom = findAtom(config.getAtom());
  if (!atom)
    return op.emitError() << "is for atom \"" << config.getAtom()
                          << "\", but x86 does not have this atom";
  if (std::optional<std::string> reason = reasonToRefuse(op))
    return op.emitError() << "has strategy " << name << ", but " << *reason;
  if (std::optional<std::string> reason = verify(config))
    return op.emitError() << *reason;
  if (std::optional<std::string> reason = refuseForm(op, config, *atom))
    return op.emitError() << *reason;
  rewriter.setInsertionPoint(op);
  KernelBuilder builder(rewriter, op.getLoc(), atom->lanes,
                        op.getAccumulatorType());
  Contraction contraction(builder, op, *atom, layoutOf(op, config, *atom));
  emitKernel(builder, contraction);
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

bool TileStrategy::canReadLhsInPlace(ContractOp op, const Atom &atom) const {
  if (atom.hasFloats())
    return op.getLhsPrologue().empty();
  return atom.kr == 4 && atom.lhsShift(op.getLhsUnsigned()) == 0 &&
         op.getReductionSizes().back() >= atom.kr &&
         (!atom.hasTiles() ||
          op.getReductionSizes().back() % atom.kStep == 0) &&
         isLhsContiguousAlongSegments(op);
}

std::optional<std::string> X86Strategy::refuseTile(ContractOp op,
                                                   ConfigAttr config,
                                                   const Atom &atom) const {
  std::string name = ("\"" + atom.name + "\"").str();
  if (config.getKr() != atom.kr || config.getNr() % atom.lanes != 0)
    return doesNotFit(atom) + "KR must be " + std::to_string(atom.kr) +
           " and NR a multiple of " + std::to_string(atom.lanes);
  if (auto reason = refuseElements(op, atom))
    return doesNotFit(atom) + *reason + "; choose another atom";
  if (config.hasNibbles() && !fitsNibbles(op, atom))
    return doesNotFit(atom) +
           "rhs = nibbles needs groups of K of whole slices of 8 elements, or "
           "of floats, and a constant of 4 bits";
  if (config.getRhs() == RhsSource::Narrow && !fitsNarrow(op))
    return doesNotFit(atom) +
           "rhs = narrow needs a constant of a contraction of floats, with a "
           "prologue of constants";
  if (config.readsLhsInPlace() && ((config.hasNibbles() && !op.isOfFloats()) ||
                                   !canReadLhsInPlace(op, atom)))
    return "lowering_config reads the left operand in place, but atom " + name +
           " takes it as a copy; use lhs = panel";
  return std::nullopt;
}

/// Other tiles of rows have to be expected to take less than this share of the
/// time of those that were chosen.
constexpr double kWorthAnotherTile = 0.98;

LoweringConfigAttrInterface TileStrategy::adapt(ContractOp op,
                                                LoweringConfigAttrInterface any,
                                                std::string &reason) const {
  auto config = cast<ConfigAttr>(X86Strategy::adapt(op, any, reason));
  if (config.getSource() != kernel::ConfigSource::Model)
    return config;
  const Atom &atom = *spec.findAtom(config.getAtom());
  GemmShape shape = GemmShape::of(op, config.readsLhsInPlace());
  double least = X86Strategy::cost(op, config).time * kWorthAnotherTile;
  ConfigAttr best = config;
  for (Tiling &tiling : listTilings(op, shape, atom)) {
    // The right operand is packed, in tiles of as many columns.
    if (tiling.nr != config.getNr() || tiling.rhs != config.getRhs())
      continue;
    tiling.lhsInPlace = shape.isInPlace;
    Candidate other = candidate(op, tiling, atom);
    if (other.cost.time >= least)
      continue;
    least = other.cost.time;
    best = cast<ConfigAttr>(other.config);
  }
  if (best != config && reason.empty())
    reason = "tiles have other rows than was chosen first, since rows of the "
             "result or of the left operand do not all follow each other in "
             "memory";
  return best;
}

/// The same tile in other blocks that stay in the caches.
static SmallVector<Tiling> listBlocks(const GemmShape &shape,
                                      const Tiling &tiling, const Atom &atom,
                                      const Spec &spec) {
  int64_t bytes = shape.words(atom) * 4;
  assert(bytes > 0 && tiling.mr > 0 && tiling.nr > 0 && "tiles have elements");
  // Sizes in tiles, at most all of them and what the L2 cache holds.
  auto most = [&](int64_t size, int64_t tile) {
    int64_t fit = std::max<int64_t>(spec.l2Bytes / bytes / tile, 1);
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
      Tiling block = tiling;
      block.mc = r * tiling.mr;
      block.nc = c * tiling.nr;
      blocks.push_back(block);
    }
  return blocks;
}

SmallVector<SmallVector<Candidate>>
TileStrategy::listVariants(ContractOp op, const Candidate &from) const {
  auto config = cast<ConfigAttr>(from.config);
  const Atom &atom = *spec.findAtom(config.getAtom());
  Tiling tiling{config.getMr(), config.getNr(),           config.getMc(),
                config.getNc(), config.readsLhsInPlace(), config.getRhs()};
  SmallVector<Candidate> blocks, copies;
  GemmShape shape = GemmShape::of(op, tiling.lhsInPlace);
  for (const Tiling &block : listBlocks(shape, tiling, atom, spec))
    blocks.push_back(candidate(op, block, atom));
  if (tiling.lhsInPlace) {
    tiling.lhsInPlace = false;
    copies.push_back(candidate(op, tiling, atom));
  }
  return {blocks, copies};
}
