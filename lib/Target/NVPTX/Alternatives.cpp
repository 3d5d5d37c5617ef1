//===- Alternatives.cpp - Why atoms do not compute a contraction ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/NVPTXTarget.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;
using kernel::LoweringConfigAttrInterface;

/// The best candidate of an atom that the model may choose; nothing if the atom
/// has no candidate.
static std::optional<Candidate> bestOf(ContractOp op, const Atom &atom,
                                       const Target &target) {
  std::optional<Candidate> best;
  for (const auto &strategy : target.getStrategies()) {
    if (strategy->reasonToRefuse(op))
      continue;
    for (const Candidate &candidate : strategy->list(op))
      if (candidate.isForModel && candidate.config.getAtomName() == atom.name &&
          (!best || candidate.cost.time < best->cost.time))
        best = candidate;
  }
  return best;
}

/// Why `used` computes a contraction and not `other`, of another atom.
static std::string explainSlower(const Candidate &other,
                                 LoweringConfigAttrInterface used,
                                 double time) {
  switch (used.getSource()) {
  case kernel::ConfigSource::Model:
    return llvm::formatv("the model expects it to take {0:F2} times as long",
                         other.cost.time / time);
  case kernel::ConfigSource::Tuned:
    return (used.getAtomName() + " was measured to be the fastest").str();
  case kernel::ConfigSource::Pinned:
    return ("the config is pinned to " + used.getAtomName()).str();
  }
}

/// The best config that needs more shared memory than blocks have, where it is
/// expected to be faster than what is used and than all that blocks have.
static std::optional<Candidate>
findLargerConfig(ContractOp op, const Spec &spec, double time) {
  Spec larger = spec;
  for (const Spec &chip : allChips())
    larger.sharedBytes = std::max(larger.sharedBytes, chip.sharedBytes);
  NVPTXTarget target(larger);
  std::optional<Candidate> best;
  for (const auto &strategy : target.getStrategies()) {
    if (strategy->reasonToRefuse(op))
      continue;
    for (const Candidate &candidate : strategy->list(op)) {
      auto config = cast<ConfigAttr>(candidate.config);
      if (!candidate.isForModel || candidate.cost.time >= time)
        continue;
      time = candidate.cost.time;
      best.reset();
      if (config.getSharedBytes() > spec.sharedBytes)
        best = candidate;
    }
  }
  return best;
}

/// Why no strategy multiplies by an atom of the chip.
static std::string explainUnused(ContractOp op, const Atom &atom) {
  if (!atom.isOfWarpgroups)
    return "it does less at a time than other atoms of the chip";
  ConfigAttr smallest =
      warpgroupsConfig(op.getContext(), atom.name, /*columns=*/64,
                       /*stages=*/2, kernel::ConfigSource::Model);
  std::optional<std::string> reason = whyNoWarpgroups(op, smallest);
  return reason ? "strategy warpgroups " + *reason
                : "no tile of warpgroups fits";
}

std::vector<Alternative> NVPTXTarget::listAlternatives(ContractOp op) const {
  LoweringConfigAttrInterface used = op.getLoweringConfigAttr();
  double time = strategyOf(used)->cost(op, used).time;
  mlir::FailureOr<ContractOp::Roles> roles = op.getRoles();
  std::vector<Alternative> alternatives;
  for (const Atom &atom : matrixAtoms()) {
    if (used.getAtomName() == atom.name)
      break;
    // GPUs of other architectures could not have it.
    if (atom.isOfWarpgroups && spec.architecture != atom.architecture)
      continue;
    std::string reason;
    if (!spec.has(atom))
      reason =
          llvm::formatv("chip {0} does not have it in PTX {1}.{2}", spec.name,
                        spec.ptxVersion / 10, spec.ptxVersion % 10);
    else if (failed(roles))
      reason = "no strategy multiplies by it where there are no columns, which "
               "only the right operand and the results have";
    else if (roles->isDepthwise)
      reason = "no strategy multiplies by it where each column has a left "
               "operand of its own";
    else if (std::optional<Candidate> best = bestOf(op, atom, *this))
      reason = explainSlower(*best, used, time);
    else
      reason = explainUnused(op, atom);
    alternatives.push_back({atom.name.str(), reason});
  }
  if (std::optional<Candidate> larger = findLargerConfig(op, spec, time)) {
    auto config = cast<ConfigAttr>(larger->config);
    std::string reason = llvm::formatv(
        "it needs {0} bytes of shared memory for a block, of which chip {1} "
        "has {2}; with these the model would expect {3:F2} of the time",
        config.getSharedBytes(), spec.name, spec.sharedBytes,
        larger->cost.time / time);
    alternatives.push_back(
        {llvm::formatv("tile {0}x{1}x{2} in {3} stages", config.getRows(),
                       config.getColumns(), config.getDepth(),
                       config.getStages()),
         reason});
  }
  return alternatives;
}
