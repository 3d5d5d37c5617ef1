//===- PinConfigs.cpp - Contractions with configs by chance ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PinConfigs.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Spec.h"
#include "qcc/Target/X86/X86Target.h"
#include "qcc/Transforms/Contraction/LoweringConfigs.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using qcc::x86::Atom;
using qcc::x86::AtomForm;

namespace qcc::fuzz {

namespace {
struct Choices {
  const Choose &chooseBelow;

  unsigned choose(unsigned bound) { return chooseBelow(bound); }
  template <typename T> T pick(std::initializer_list<T> values) {
    return values.begin()[choose(values.size())];
  }
};
} // namespace

/// Whether elements of K follow each other in an operand without a prologue.
static bool isAlongK(kernel::ContractOp op, AffineMap map, Region &prologue) {
  return prologue.empty() && op.getReductionDims().size() == 1 &&
         map.getResults().back() ==
             getAffineDimExpr(op.getReductionDims().front(), op.getContext());
}

static bool canReadInPlace(kernel::ContractOp op, const Atom &atom) {
  return atom.kr == 4 && op.getReductionSize() >= 4 &&
         (atom.hasTiles() ? op.getReductionSize() % atom.kStep == 0
                          : op.getLhsUnsigned()) &&
         isAlongK(op, op.getLhsMap(), op.getLhsPrologue());
}

/// Rows and vectors of columns of a tile, in vector registers or in those of
/// AMX.
using Grid = std::pair<int64_t, int64_t>;

/// The code of a tile and of all its tails grows with the square of the rows.
static Grid chooseSmallGrid(const Atom &atom, Choices &b) {
  if (atom.hasTiles())
    return b.pick<Grid>(
        {{1, 1}, {2, 1}, {3, 1}, {3, 2}, {4, 1}, {5, 1}, {16, 1}});
  return b.pick<Grid>({{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {3, 1}, {4, 1}});
}

static Grid chooseGrid(const Atom &atom, Choices &b) {
  if (atom.hasTiles())
    return b.pick<Grid>({{1, 1},
                         {16, 1},
                         {11, 1},
                         {3, 4},
                         {16, 4},
                         {5, 6},
                         {26, 1},
                         {32, 2},
                         {22, 2},
                         {48, 1},
                         {33, 1},
                         {64, 1},
                         {52, 1},
                         {90, 1}});
  return b.pick<Grid>({{1, 1},
                       {1, 5},
                       {2, 3},
                       {3, 1},
                       {4, 4},
                       {5, 2},
                       {7, 3},
                       {8, 8},
                       {13, 1},
                       {17, 2},
                       {33, 1}});
}

static x86::ConfigAttr chooseLanesAlongK(kernel::ContractOp op,
                                         const Atom &atom, bool small,
                                         Choices &b) {
  auto [mr, nr] = small ? b.pick<Grid>({{1, 1}, {1, 3}, {2, 1}, {2, 2}, {3, 1}})
                        : b.pick<Grid>({{1, 1},
                                        {1, 8},
                                        {2, 3},
                                        {3, 2},
                                        {4, 4},
                                        {5, 1},
                                        {8, 1},
                                        {7, 2}});
  // The longer side has whole vectors.
  bool alongRows = op.getRoles()->m && b.choose(2);
  int64_t whole = std::lcm<int64_t>(alongRows ? mr : nr, atom.lanes);
  int64_t mc = mr * (1 + b.choose(3)), nc = nr * (1 + b.choose(3));
  if (alongRows)
    mc = whole * (1 + nc / whole);
  else
    nc = whole * llvm::divideCeil(std::max(mc, whole), whole);
  bool lhs = isAlongK(op, op.getLhsMap(), op.getLhsPrologue());
  bool rhs = isAlongK(op, op.getRhsMap(), op.getRhsPrologue());
  return x86::ConfigAttr::get(
      op.getContext(), "inner_product", atom.name, mr, nr, atom.kr, mc, nc,
      lhs && b.choose(4) ? x86::LhsSource::InPlace : x86::LhsSource::Panel,
      rhs && b.choose(2) ? x86::RhsSource::InPlace : x86::RhsSource::Packed,
      kernel::ConfigSource::Pinned);
}

/// Where the right operand can be read in place with columns in the lanes.
static bool canInterleave(kernel::ContractOp op, const Atom &atom) {
  return atom.form == AtomForm::Words && op.getRhsPrologue().empty() &&
         op.getReductionDims().size() == 1 &&
         op.getRhsMap().getResults().back() ==
             getAffineDimExpr(op.getRoles()->n, op.getContext());
}

static x86::ConfigAttr chooseInterleaved(kernel::ContractOp op,
                                         const Atom &atom, Choices &b) {
  int64_t mr = b.pick<int64_t>({1, 2, 3, 5}), nr = atom.lanes * atom.kr;
  int64_t mc = mr * (1 + b.choose(3)), nc = nr * (1 + b.choose(2));
  return x86::ConfigAttr::get(op.getContext(), "interleaved_columns", atom.name,
                              mr, nr, atom.kr, mc, nc, x86::LhsSource::Panel,
                              x86::RhsSource::Packed,
                              kernel::ConfigSource::Pinned);
}

static x86::ConfigAttr chooseDepthwise(kernel::ContractOp op, const Atom &atom,
                                       bool small, Choices &b) {
  int64_t mr =
      small ? b.pick<int64_t>({1, 2, 3}) : b.pick<int64_t>({1, 2, 3, 5, 9, 16});
  int64_t nr = b.pick<int64_t>({1, 2, 3, 4}) * atom.lanes;
  int64_t mc = mr * (1 + b.choose(2)), nc = nr * (1 + b.choose(2));
  return x86::ConfigAttr::get(op.getContext(), "depthwise", atom.name, mr, nr,
                              atom.kr, mc, nc, x86::LhsSource::InPlace,
                              x86::RhsSource::Packed,
                              kernel::ConfigSource::Pinned);
}

static x86::ConfigAttr chooseFloatTiles(kernel::ContractOp op, const Atom &atom,
                                        bool small, Choices &b) {
  auto [mr, vectors] = small ? chooseSmallGrid(atom, b) : chooseGrid(atom, b);
  int64_t nr = vectors * atom.lanes, mc = mr * (1 + b.choose(3));
  bool inPlace = op.getLhsPrologue().empty() && b.choose(4) != 0;
  bool isTurned = isAlongK(op, op.getRhsMap(), op.getRhsPrologue()) &&
                  op.getReductionSize() % atom.lanes == 0 && b.choose(2);
  return x86::ConfigAttr::get(
      op.getContext(), "float_tiles", atom.name, mr, nr, atom.kr, mc, nr,
      inPlace ? x86::LhsSource::InPlace : x86::LhsSource::Panel,
      isTurned ? x86::RhsSource::InPlace : x86::RhsSource::Packed,
      kernel::ConfigSource::Pinned);
}

/// A tile of up to four warps in a row or a column, any of the atoms.
static nvptx::ConfigAttr chooseStages(kernel::ContractOp op,
                                      const nvptx::Atom &atom, Choices &b) {
  auto [rows, columns] = b.pick<Grid>(
      {{16, 16}, {16, 32}, {32, 16}, {32, 32}, {48, 16}, {16, 64}});
  auto [down, across] =
      b.pick<Grid>({{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}});
  return nvptx::ConfigAttr::get(
      op.getContext(), "multistage", atom.name, rows * down, columns * across,
      b.pick<int64_t>({64, 128}), rows, columns, b.pick<int64_t>({2, 3, 4, 5}),
      kernel::ConfigSource::Pinned);
}

/// A few warps that share K.
static nvptx::ConfigAttr chooseDecode(kernel::ContractOp op,
                                      const nvptx::Atom &atom, Choices &b) {
  int64_t columns = b.pick<int64_t>({8, 16, 32});
  return nvptx::ConfigAttr::get(
      op.getContext(), "decode", atom.name, 16, columns,
      b.pick<int64_t>({1, 2, 4, 8}) * nvptx::kPackedStep, 16, columns,
      b.pick<int64_t>({1, 2, 3, 4}), kernel::ConfigSource::Pinned);
}

/// Warpgroups that multiply what one loads.
static nvptx::ConfigAttr chooseWarpgroups(kernel::ContractOp op,
                                          const nvptx::Atom &atom, Choices &b) {
  int64_t columns = b.pick<int64_t>({64, 128, 192, 256});
  return nvptx::warpgroupsConfig(op.getContext(), atom.name, columns,
                                 b.pick<int64_t>({2, 3, 4}),
                                 kernel::ConfigSource::Pinned);
}

/// Any of the strategies of devices; parts of K, or guards.
static nvptx::ConfigAttr chooseForDevice(kernel::ContractOp op, Choices &b) {
  if (b.choose(5) == 0)
    return nvptx::ConfigAttr::get(op.getContext(), "threads", "mad", 0, 0, 0, 0,
                                  0, 0, kernel::ConfigSource::Pinned);
  ArrayRef<nvptx::Atom> atoms = nvptx::matrixAtoms();
  const nvptx::Atom &atom = atoms[b.choose(atoms.size())];
  auto choose = [&] {
    if (atom.isOfWarpgroups)
      return chooseWarpgroups(op, atom, b);
    return b.choose(2) ? chooseDecode(op, atom, b) : chooseStages(op, atom, b);
  };
  nvptx::ConfigAttr config = choose();
  switch (b.choose(4)) {
  case 0:
    return config.withParts(b.pick<int64_t>({2, 3, 5}));
  case 1: {
    int64_t few = b.pick<int64_t>({1, 2, 5, 16});
    SmallVector<nvptx::ConfigAttr> others{choose().withGuard(0, few)};
    if (b.choose(2))
      others.push_back(choose().withGuard(few, few + b.pick<int64_t>({1, 9})));
    return config.withFewRows(others);
  }
  default:
    return config;
  }
}

/// A config by chance; it need not fit.
static kernel::LoweringConfigAttrInterface chooseConfig(kernel::ContractOp op,
                                                        const Target &target,
                                                        bool small,
                                                        Choices &b) {
  if (target.isDevice())
    return chooseForDevice(op, b);
  // A target that emulates AMX is there for its kernels, but tiles do not
  // multiply where each column has a left operand of its own.
  bool isDepthwise = op.getRoles()->isDepthwise;
  const x86::Spec &spec = x86::specOf(target);
  SmallVector<Atom> atoms;
  for (const Atom &atom : spec.atoms)
    if (op.isOfFloats()
            ? atom.hasFloats()
            : !atom.hasFloats() &&
                  atom.hasTiles() == (spec.emulatesAMX && !isDepthwise))
      atoms.push_back(atom);
  const Atom &atom = atoms[b.choose(atoms.size())];
  if (atom.hasFloats())
    return chooseFloatTiles(op, atom, small, b);
  if (isDepthwise)
    return chooseDepthwise(op, atom, small, b);
  if (atom.form == AtomForm::Words && b.choose(3) == 0)
    return chooseLanesAlongK(op, atom, small, b);
  if (canInterleave(op, atom) && b.choose(2))
    return chooseInterleaved(op, atom, b);
  auto [mr, vectors] = small ? chooseSmallGrid(atom, b) : chooseGrid(atom, b);
  int64_t nr = vectors * atom.lanes;
  bool inPlace = canReadInPlace(op, atom) && b.choose(4) != 0;
  int64_t mc = mr * (1 + b.choose(3)), nc = nr * (1 + b.choose(3));
  return x86::ConfigAttr::get(
      op.getContext(), atom.hasTiles() ? "amx_tiles" : "vector_tiles",
      atom.name, mr, nr, atom.kr, mc, nc,
      inPlace ? x86::LhsSource::InPlace : x86::LhsSource::Panel,
      x86::RhsSource::Packed, kernel::ConfigSource::Pinned);
}

/// How often a config that does not fit is chosen anew.
constexpr unsigned kAttempts = 1000;

static void pin(kernel::ContractOp op, const Target &target,
                const PinOptions &options, const Choose &choose) {
  Choices choices{choose};
  for (unsigned i = 0; i < kAttempts; ++i) {
    kernel::LoweringConfigAttrInterface config =
        chooseConfig(op, target, options.smallTiles, choices);
    if (refuseConfig(op, config, target))
      continue;
    op.setLoweringConfigAttr(config);
    if (options.pinned)
      options.pinned(op);
    return;
  }
}

namespace {
struct PinConfigs : PassInstrumentation {
  PinConfigs(const Target &target, PinOptions options)
      : target(target), options(std::move(options)) {}

  void runBeforePass(Pass *pass, Operation *operation) override {
    if (pass->getArgument() != "select-lowering-config")
      return;
    unsigned number = 0;
    operation->walk([&](kernel::ContractOp op) {
      if (Choose choose = options.choicesFor(op, number++))
        pin(op, target, options, choose);
    });
  }

  const Target &target;
  PinOptions options;
};
} // namespace

std::unique_ptr<PassInstrumentation> pinConfigs(const Target &target,
                                                PinOptions options) {
  return std::make_unique<PinConfigs>(target, std::move(options));
}

} // namespace qcc::fuzz
