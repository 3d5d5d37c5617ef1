//===- LoweringConfigs.cpp - Which config a contraction gets --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Contraction/LoweringConfigs.h"
#include "mlir/IR/Builders.h"
#include "qcc/Analysis/NumberRange.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "select-lowering-config"

using namespace mlir;
using namespace qcc;
using kernel::ContractOp;
using kernel::LoweringConfigAttrInterface;

void qcc::annotateRhsRange(ContractOp op, const Target &target) {
  // Groups of K may be packed in nibbles, whatever the target.
  // So may bytes that become floats.
  bool widens = op.isOfFloats() && !op.getRhsPrologue().empty() &&
                getElementTypeOrSelf(op.getRhs().getType()).isInteger(8);
  bool isAsked = target.needsRhsRange() || op.hasGroups();
  bool areBytes = !op.isOfFloats() && op.getRhsPrologue().empty();
  if (op.isPacked() || !(widens || (isAsked && areBytes)))
    return;
  if (std::optional<NumberRange> range =
          rangeOfConstant(op.getRhs(), op.getRhsUnsigned())) {
    assert(range->low >= -128 && range->low <= range->high &&
           range->high <= 255 && "elements of rhs are bytes");
    kernel::Facts facts = op.getKnownFacts();
    facts.rhsRange = DenseI64ArrayAttr::get(
        op.getContext(), {int64_t(range->low), int64_t(range->high)});
    op.setKnownFacts(facts);
  }
}

//===----------------------------------------------------------------------===//
// The model's choice
//===----------------------------------------------------------------------===//

/// The candidate of the least expected time, where the time of each strategy
/// counts as often as its `leastGain` says; the first of several.
static std::optional<Candidate> chooseCandidate(ContractOp op,
                                                const Target &target) {
  std::optional<Candidate> best;
  double least = 0;
  for (const auto &strategy : target.getStrategies()) {
    if (std::optional<std::string> reason = strategy->reasonToRefuse(op)) {
      LDBG() << "strategy " << strategy->getName()
             << " does not suit the contraction at " << op.getLoc() << ": "
             << *reason;
      continue;
    }
    for (const Candidate &candidate : strategy->list(op)) {
      double time = candidate.cost.time * strategy->leastGain();
      assert(!(time < 0) && "nothing takes less than no time");
      LDBG(2) << "expects " << time << " of " << candidate.config;
      if (!candidate.isForModel || (best && time >= least))
        continue;
      best = candidate;
      least = time;
    }
  }
  return best;
}

LoweringConfigAttrInterface qcc::chooseConfig(ContractOp op,
                                              const Target &target) {
  std::optional<Candidate> best = chooseCandidate(op, target);
  return best ? best->config : nullptr;
}

std::optional<Cost> qcc::leastCost(ContractOp op, const Target &target) {
  std::optional<Candidate> best = chooseCandidate(op, target);
  return best ? std::optional(best->cost) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// What a tuner tries
//===----------------------------------------------------------------------===//

/// A tuner tries candidates that are expected to take up to so many times as
/// long as the best one.
constexpr double kPlausible = 1.6;
/// The number of the best candidates of which a tuner tries variants.
constexpr size_t kWithVariants = 3;

static void sortByTime(SmallVectorImpl<Candidate> &candidates) {
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.cost.time < b.cost.time;
  });
}

/// The groups that a tuner tries in turn: the best candidate of each family,
/// the other candidates, and the groups of variants of the best candidates.
static SmallVector<SmallVector<Candidate>>
groupCandidates(ContractOp op, const Target &target, const Candidate &best) {
  SmallVector<Candidate> all;
  for (const auto &strategy : target.getStrategies())
    if (!strategy->reasonToRefuse(op))
      llvm::append_range(all, strategy->list(op));
  sortByTime(all);
  SmallVector<SmallVector<Candidate>> groups(2);
  llvm::StringSet<> families;
  for (const Candidate &candidate : all)
    if (candidate.cost.time < kPlausible * best.cost.time)
      groups[families.insert(candidate.family).second ? 0 : 1].push_back(
          candidate);
  SmallVector<Candidate> varied{best};
  for (const Candidate &candidate : groups[0])
    if (varied.size() <= kWithVariants)
      varied.push_back(candidate);
  for (const Candidate &candidate : varied) {
    const Strategy *strategy = target.strategyOf(candidate.config);
    for (auto [i, variants] :
         llvm::enumerate(strategy->listVariants(op, candidate))) {
      groups.resize(std::max<size_t>(groups.size(), 3 + i));
      llvm::append_range(groups[2 + i], variants);
    }
  }
  if (groups.size() > 2)
    sortByTime(groups[2]);
  return groups;
}

SmallVector<LoweringConfigAttrInterface>
qcc::candidateConfigs(ContractOp op, const Target &target, unsigned most) {
  std::optional<Candidate> best = chooseCandidate(op, target);
  if (!best)
    return {};
  SmallVector<SmallVector<Candidate>> groups =
      groupCandidates(op, target, *best);
  SmallVector<Candidate> chosen{*best};
  llvm::SmallSetVector<Attribute, 16> seen;
  seen.insert(best->config);
  SmallVector<size_t> next(groups.size(), 0);
  for (bool any = true; any && chosen.size() < most;) {
    any = false;
    for (auto [group, i] : llvm::zip_equal(groups, next)) {
      // The next one that is new and fits.
      for (; i < group.size() && chosen.size() < most; ++i) {
        LoweringConfigAttrInterface config = group[i].config;
        if (refuseConfig(op, config, target) || !seen.insert(config))
          continue;
        chosen.push_back(group[i]);
        any = true;
        ++i;
        break;
      }
    }
  }
  SmallVector<Candidate> others(ArrayRef(chosen).drop_front());
  sortByTime(others);
  SmallVector<LoweringConfigAttrInterface> configs{best->config};
  for (const Candidate &candidate : others)
    configs.push_back(candidate.config);
  assert(llvm::none_of(configs, [](auto config) { return !config; }) &&
         "candidates have configs");
  configs.truncate(std::min<size_t>(configs.size(), most));
  for (LoweringConfigAttrInterface &config : configs)
    config = config.withSource(kernel::ConfigSource::Tuned);
  return configs;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

std::optional<std::string> qcc::refuseConfig(ContractOp op,
                                             LoweringConfigAttrInterface config,
                                             const Target &target) {
  if (const Strategy *strategy = target.strategyOf(config)) {
    if (std::optional<std::string> reason = strategy->reasonToRefuse(op))
      return ("lowering_config has strategy '" + strategy->getName() +
              "', but the contraction does not suit it: " + *reason)
          .str();
    return strategy->refuse(op, config);
  }
  return ("lowering_config has strategy '" + config.getStrategyName() +
          "', but target '" + target.getName() +
          "' does not have it; choose another strategy or target")
      .str();
}

LogicalResult qcc::checkConfig(ContractOp op,
                               LoweringConfigAttrInterface config,
                               const Target &target) {
  if (std::optional<std::string> reason = refuseConfig(op, config, target))
    return op.emitError() << *reason;
  return success();
}
