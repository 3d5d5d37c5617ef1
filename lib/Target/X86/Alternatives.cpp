//===- Alternatives.cpp - Why other atoms do not compute ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Strategies/X86Strategy.h"
#include "qcc/Target/X86/X86Target.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;
using kernel::ContractOp;

namespace {
/// A config and what its strategy expects of it.
struct Expectation {
  const Atom *atom;
  ConfigAttr config;
  Cost cost;
};
} // namespace

static std::string explainMissing(const Atom &atom, const Spec &spec) {
  StringRef missing = atom.missing;
  if (spec.name == "native" && missing.consume_front("the target "))
    return ("the host " + missing).str();
  return missing.str();
}

/// Which size of a shape leaves parts of tiles unused, such as "N = 1 fills 1
/// of 16 columns of a tile"; may be empty.
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

/// Why a contraction is computed by `used` and not by `other`, which has
/// another atom.
static std::string explainSlower(ContractOp op, const Expectation &other,
                                 const Expectation &used) {
  std::string expected = llvm::formatv(
      "{0:F3} of its peak against {1:F3} of that of {2}",
      other.cost.shareOfPeak, used.cost.shareOfPeak, used.atom->name);
  kernel::ConfigSource source = used.config.getSource();
  bool missesGain = used.cost.time > other.cost.time &&
                    source == kernel::ConfigSource::Model &&
                    other.atom->hasTiles();
  if (used.cost.time <= other.cost.time || missesGain) {
    std::string waste, copies;
    if (other.atom->hasTiles())
      waste = explainWaste(GemmShape::of(op, other.config.readsLhsInPlace()),
                           *other.atom);
    if (!other.config.readsLhsInPlace() && used.config.readsLhsInPlace())
      copies = "it reads rows through copies";
    std::string text = waste;
    if (!copies.empty())
      text += (text.empty() ? "" : ", ") + copies;
    return llvm::formatv(
        "{0}{1}the model expects it to take {2:F2} times as long: {3}", text,
        text.empty() ? "" : "; ", other.cost.time / used.cost.time,
        missesGain ? expected + "; tiles have to gain 5 %" : expected);
  }
  if (source == kernel::ConfigSource::Model)
    return ("it does less at a time than " + used.atom->name).str();
  return llvm::formatv(
      "{0}, although the model expects it to take {1:F2} of the time: {2}",
      source == kernel::ConfigSource::Tuned
          ? used.atom->name + " was measured to be the fastest"
          : "the config is pinned to " + used.atom->name,
      other.cost.time / used.cost.time, expected);
}

/// The best candidate of an atom; nothing where no strategy computes `op` by
/// the atom.
static std::optional<Expectation> bestOf(ContractOp op, const Atom &atom,
                                         const Target &target) {
  std::optional<Candidate> best;
  for (const auto &strategy : target.getStrategies()) {
    if (strategy->reasonToRefuse(op))
      continue;
    for (const Candidate &candidate : strategy->list(op))
      if (candidate.config.getAtomName() == atom.name &&
          (!best || candidate.cost.time < best->cost.time))
        best = candidate;
  }
  if (!best)
    return std::nullopt;
  return Expectation{&atom, cast<ConfigAttr>(best->config), best->cost};
}

std::vector<Alternative> X86Target::listAlternatives(ContractOp op) const {
  ConfigAttr config = configOf(op);
  Expectation used{spec.findAtom(config.getAtom()), config,
                   strategyOf(config)->cost(op, config)};
  std::vector<Alternative> alternatives;
  for (const Atom &atom : allAtoms()) {
    if (config.getAtom() == atom.name)
      break;
    if (atom.hasFloats() != op.isOfFloats())
      continue;
    std::string reason;
    if (!spec.findAtom(atom.name))
      reason = explainMissing(atom, spec);
    else if (auto inexact = refuseElements(op, atom))
      reason = *inexact;
    else if (auto best = bestOf(op, atom, *this))
      reason = explainSlower(op, *best, used);
    else
      reason = "no strategy multiplies by it where each column has a left "
               "operand of its own";
    alternatives.push_back({atom.name.str(), reason});
  }
  return alternatives;
}
