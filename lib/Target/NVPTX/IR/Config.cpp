//===- Config.cpp - How an NVIDIA chip computes a contraction -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConfigRules.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

//===----------------------------------------------------------------------===//
// Strategies
//===----------------------------------------------------------------------===//

const ConfigRules *qcc::nvptx::findRules(StringRef name) {
  for (const ConfigRules *rules : {
#define QCC_NVPTX_STRATEGY(name) &rulesOf##name(),
#include "../Strategies.def"
       })
    if (rules->getName() == name)
      return rules;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The guards of configs follow each other, and the last one is `last`.
static LogicalResult verifyGuards(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t rowsAbove, int64_t rowsUpTo,
                                  int64_t rhsBits, ArrayAttr fewRows) {
  if (rowsAbove < 0 || rowsUpTo < 0 || (rowsUpTo && rowsUpTo <= rowsAbove))
    return emitError() << "rows_up_to must be more than rows_above, and "
                          "neither is negative";
  if (!fewRows)
    return success();
  int64_t next = 0;
  for (Attribute attribute : fewRows) {
    auto config = dyn_cast<ConfigAttr>(attribute);
    if (!config || config.getFewRows())
      return emitError() << "few_rows must have configs of nvptx without "
                            "few_rows of their own";
    if (config.getRhsBits() != rhsBits)
      return emitError() << "few_rows must have rhs_bits = " << rhsBits
                         << ", since all configs read one packed operand";
    if (config.getRowsAbove() != next || config.getRowsUpTo() == 0)
      return emitError() << "few_rows must have guards that follow each other, "
                            "but one of them begins above "
                         << config.getRowsAbove() << " rows and not above "
                         << next;
    next = config.getRowsUpTo();
  }
  if (rowsAbove != next)
    return emitError() << "rows_above must be " << next
                       << ", up to which few_rows has configs";
  return success();
}

LogicalResult ConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef strategy, StringRef, int64_t rows,
                                 int64_t columns, int64_t depth,
                                 int64_t warpRows, int64_t warpColumns,
                                 int64_t stages, int64_t parts, int64_t sums,
                                 int64_t rhsBits, int64_t rowsAbove,
                                 int64_t rowsUpTo, ArrayAttr fewRows,
                                 kernel::ConfigSource) {
  if (failed(verifyGuards(emitError, rowsAbove, rowsUpTo, rhsBits, fewRows)))
    return failure();
  const ConfigRules *rules = findRules(strategy);
  if (!rules)
    return emitError() << "no strategy of nvptx has the name '" << strategy
                       << "'";
  if (!rules->hasTiles()) {
    if (rows || columns || depth || warpRows || warpColumns || stages ||
        parts != 1 || sums != 1 || rhsBits != 8)
      return emitError() << strategy
                         << " computes one result at a time; leave out tile, "
                            "warp, stages, parts, sums and rhs_bits";
    return success();
  }
  for (int64_t size :
       {rows, columns, depth, warpRows, warpColumns, stages, parts, sums})
    if (size < 1)
      return emitError() << strategy
                         << " needs tile, warp and stages, all of them "
                            "positive, as parts and sums are";
  if (rhsBits != 8 && rhsBits != 4)
    return emitError() << "rhs_bits must be 8 or 4, but is " << rhsBits;
  if (!rules->sumsUpGroups() && (sums != 1 || rhsBits != 8))
    return emitError() << strategy
                       << " has neither sums nor rhs_bits, which "
                          "are for decode";
  if (rows % warpRows != 0 || columns % warpColumns != 0)
    return emitError() << "rows and columns of the tile must be multiples of "
                          "those of a warp";
  return success();
}

//===----------------------------------------------------------------------===//
// What configs say
//===----------------------------------------------------------------------===//

/// The verifier has found the rules.
static const ConfigRules &rulesOf(ConfigAttr config) {
  return *findRules(config.getStrategy());
}

bool ConfigAttr::isPacked() const { return rulesOf(*this).hasTiles(); }

int64_t ConfigAttr::getThreads() const {
  return rulesOf(*this).getThreads(*this);
}

int64_t ConfigAttr::getSharedBytes() const {
  return rulesOf(*this).getSharedBytes(*this);
}

int64_t ConfigAttr::getWarps() const { return getDepth() / kPackedStep; }

int64_t qcc::nvptx::expectedRegisters(kernel::ContractOp op,
                                      ConfigAttr config) {
  return rulesOf(config).getRegisters(op, config);
}

std::optional<std::string> qcc::nvptx::refuseTile(kernel::ContractOp op,
                                                  ConfigAttr config) {
  const Atom *atom = findMatrixAtom(config.getAtom());
  if (!atom)
    return ("lowering_config has atom \"" + config.getAtom() +
            "\", which no chip has; choose another atom")
        .str();
  const ConfigRules &rules = rulesOf(config);
  if (atom->isOfWarpgroups != rules.isOfWarpgroups())
    return llvm::formatv("lowering_config has atom \"{0}\", by which {1} and "
                         "not strategy {2}; choose another atom",
                         atom->name,
                         atom->isOfWarpgroups ? "warpgroups multiply"
                                              : "single warps multiply",
                         rules.getName())
        .str();
  return rules.refuse(op, config, *atom);
}

SmallVector<ConfigAttr> qcc::nvptx::guardedConfigs(ConfigAttr config) {
  SmallVector<ConfigAttr> configs;
  if (ArrayAttr few = config.getFewRows())
    llvm::append_range(configs, few.getAsRange<ConfigAttr>());
  configs.push_back(
      config.withGuard(config.getRowsAbove(), config.getRowsUpTo()));
  return configs;
}

namespace {
/// The fields of a config that change; the others stay.
struct Changes {
  explicit Changes(ConfigAttr config)
      : parts(config.getParts()), sums(config.getSums()),
        rhsBits(config.getRhsBits()), above(config.getRowsAbove()),
        upTo(config.getRowsUpTo()), fewRows(config.getFewRows()),
        source(config.getSource()) {}

  ConfigAttr apply(ConfigAttr config) const {
    return ConfigAttr::get(
        config.getContext(), config.getStrategy(), config.getAtom(),
        config.getRows(), config.getColumns(), config.getDepth(),
        config.getWarpRows(), config.getWarpColumns(), config.getStages(),
        parts, sums, rhsBits, above, upTo, fewRows, source);
  }

  int64_t parts, sums, rhsBits, above, upTo;
  ArrayAttr fewRows;
  kernel::ConfigSource source;
};
} // namespace

ConfigAttr ConfigAttr::withParts(int64_t parts) const {
  Changes changes(*this);
  changes.parts = parts;
  return changes.apply(*this);
}

ConfigAttr ConfigAttr::withSums(int64_t sums) const {
  Changes changes(*this);
  changes.sums = sums;
  return changes.apply(*this);
}

ConfigAttr ConfigAttr::withRhsBits(int64_t bits) const {
  Changes changes(*this);
  changes.rhsBits = bits;
  return changes.apply(*this);
}

ConfigAttr ConfigAttr::withGuard(int64_t above, int64_t upTo) const {
  Changes changes(*this);
  changes.above = above;
  changes.upTo = upTo;
  changes.fewRows = ArrayAttr();
  return changes.apply(*this);
}

ConfigAttr ConfigAttr::withFewRows(ArrayRef<ConfigAttr> configs) const {
  assert(!configs.empty() && "few rows have configs");
  SmallVector<Attribute> few(configs.begin(), configs.end());
  Changes changes(*this);
  changes.above = configs.back().getRowsUpTo();
  changes.fewRows = ArrayAttr::get(getContext(), few);
  return changes.apply(*this);
}

//===----------------------------------------------------------------------===//
// LoweringConfigAttrInterface
//===----------------------------------------------------------------------===//

kernel::LoweringConfigAttrInterface
ConfigAttr::withSource(kernel::ConfigSource source) const {
  ArrayAttr few = getFewRows();
  if (few)
    few = ArrayAttr::get(
        getContext(), llvm::map_to_vector(few.getAsRange<ConfigAttr>(),
                                          [&](ConfigAttr config) -> Attribute {
                                            return config.withSource(source);
                                          }));
  Changes changes(*this);
  changes.fewRows = few;
  changes.source = source;
  return changes.apply(*this);
}

/// "rows <= 16: ", nothing without a guard.
static std::string describeGuard(ConfigAttr config) {
  int64_t above = config.getRowsAbove(), upTo = config.getRowsUpTo();
  if (above && upTo)
    return llvm::formatv("{0} < rows <= {1}: ", above, upTo);
  if (upTo)
    return llvm::formatv("rows <= {0}: ", upTo);
  return above ? llvm::formatv("rows > {0}: ", above).str() : "";
}

static std::string describeOne(ConfigAttr config) {
  std::string text = describeGuard(config);
  text += rulesOf(config).describe(config);
  if (config.getParts() > 1)
    text += llvm::formatv(", {0} parts of K", config.getParts());
  return text;
}

std::string ConfigAttr::describe() const {
  std::string text;
  for (ConfigAttr config : guardedConfigs(*this)) {
    if (!text.empty())
      text += "; ";
    if (getFewRows())
      text += (config.getStrategyName() + " for ").str();
    text += describeOne(config);
  }
  return text;
}
