//===- SelectLoweringConfig.cpp - Decides how contractions are computed ---===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileModel.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/TargetSpec.h"
#include "qcc/Transforms/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_SELECTLOWERINGCONFIG
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

/// The static extent of a loop of the contraction, by any operand that has it.
static int64_t loopSize(kernel::ContractOp op, unsigned dim) {
  for (auto [out, map] : llvm::zip(op.getOuts(), op.getOutMaps()))
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (expr == getAffineDimExpr(dim, op.getContext()))
        return cast<ShapedType>(out.getType()).getShape()[i];
  return ShapedType::kDynamic;
}

/// Whether rows of the left operand are bytes as `atom` reads them, so that
/// they need not be copied.
static bool canReadInPlace(kernel::ContractOp op, const Atom &atom) {
  return atom.kr == 4 && atom.lhsShift(op.getLhsUnsigned()) == 0 &&
         op.getLhsPrologue().empty() && op.getReductionDims().size() == 1 &&
         op.getReductionSize() >= atom.kr &&
         (!atom.hasTiles() || op.getReductionSize() % atom.kStep == 0) &&
         op.getLhsMap().getResults().back() ==
             getAffineDimExpr(op.getReductionDims().front(), op.getContext());
}

static kernel::LoweringConfigAttr choose(kernel::ContractOp op,
                                         const TargetSpec &target) {
  auto roles = *op.getRoles();
  auto known = [](int64_t size) {
    return ShapedType::isDynamic(size) ? 0 : std::max<int64_t>(size, 1);
  };
  // An atom with tiles has to be faster than the best one without.
  std::optional<Tiling> best;
  const Atom *bestAtom;
  for (const Atom &atom : target.atoms) {
    GemmShape shape{known(roles.m ? loopSize(op, *roles.m) : 1),
                    known(loopSize(op, roles.n)), op.getReductionSize(),
                    canReadInPlace(op, atom)};
    Tiling tiling = chooseTiling(shape, atom, target);
    if (!best || tiling.time < best->time) {
      best = tiling;
      bestAtom = &atom;
    }
    if (!atom.hasTiles())
      break;
  }
  Builder builder(op.getContext());
  return kernel::LoweringConfigAttr::get(
      op.getContext(), builder.getStringAttr(bestAtom->name),
      {best->mr, best->nr, (int64_t)bestAtom->kr}, {best->mc, best->nc},
      builder.getStringAttr(canReadInPlace(op, *bestAtom) ? "in_place"
                                                          : "panel"),
      builder.getStringAttr("model"));
}

/// A config written by hand must name an atom of the target and fit it.
static LogicalResult checkPinned(kernel::ContractOp op,
                                 const TargetSpec &target) {
  kernel::LoweringConfigAttr config = op.getLoweringConfigAttr();
  const Atom *atom = target.findAtom(config.getAtom().getValue());
  if (!atom)
    return op.emitError() << "lowering_config asks for atom "
                          << config.getAtom() << ", which target '"
                          << target.name
                          << "' has not; choose another atom or target";
  if (config.getKR() != atom->kr || config.getNR() % atom->lanes != 0)
    return op.emitError() << "lowering_config does not fit atom "
                          << config.getAtom() << ": KR must be " << atom->kr
                          << " and NR a multiple of " << atom->lanes;
  int64_t accumulators = config.getMR() * (config.getNR() / atom->lanes);
  if (config.readsInPlace() && !canReadInPlace(op, *atom))
    return op.emitError() << "lowering_config reads the left operand in place, "
                             "but atom "
                          << config.getAtom()
                          << " takes it as a copy; use lhs = \"panel\"";
  if (atom->hasTiles()) {
    int64_t registers = countTileRegisters(config.getMR(), config.getNR());
    if (registers == 0 || registers > atom->registers)
      return op.emitError()
             << "lowering_config does not fit atom " << config.getAtom()
             << ": MR must be a number of registers of equally many rows, at "
                "most 16, and with their operands at most "
             << atom->registers << " registers; choose MR = 32 and NR = 32";
    return success();
  }
  if (config.getMR() > kMaxAccumulators || accumulators > kMaxAccumulators)
    return op.emitError() << "lowering_config asks for a tile of more than "
                          << kMaxAccumulators
                          << " registers; choose a smaller MR or NR";
  return success();
}

namespace {
struct SelectLoweringConfig
    : qcc::impl::SelectLoweringConfigBase<SelectLoweringConfig> {
  using Base::Base;
  explicit SelectLoweringConfig(const TargetSpec &target) : target(target) {}

  LogicalResult initialize(MLIRContext *context) override {
    if (target)
      return success();
    llvm::Expected<TargetSpec> spec = TargetSpec::forCPU(cpu);
    if (!spec)
      return emitError(UnknownLoc::get(context))
             << llvm::toString(spec.takeError());
    target = std::move(*spec);
    return success();
  }

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](kernel::ContractOp op) {
      if (op.getLoweringConfig())
        return WalkResult(checkPinned(op, *target));
      op.setLoweringConfigAttr(choose(op, *target));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  std::optional<TargetSpec> target;
};
} // namespace

std::unique_ptr<Pass>
qcc::createSelectLoweringConfig(const TargetSpec &target) {
  return std::make_unique<SelectLoweringConfig>(target);
}
