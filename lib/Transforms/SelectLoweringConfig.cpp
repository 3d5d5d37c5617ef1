//===- SelectLoweringConfig.cpp - Decides how contractions are computed ---===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/TargetSpec.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

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

static kernel::LoweringConfigAttr choose(kernel::ContractOp op,
                                         const TargetSpec &target) {
  const Atom &atom = target.atoms.front();
  auto roles = *op.getRoles();
  int64_t m = roles.m ? loopSize(op, *roles.m) : 1;
  int64_t n = loopSize(op, roles.n);
  int64_t nr = atom.nr();
  // Narrow outputs take a narrower tile: fewer columns are padding.
  if (!ShapedType::isDynamic(n))
    nr = std::min<int64_t>(nr,
                           llvm::alignTo(std::max<int64_t>(n, 1), atom.lanes));
  int64_t mr =
      ShapedType::isDynamic(m) ? atom.mr : std::clamp<int64_t>(m, 1, atom.mr);
  // Half of the L2 cache for the block of the weight.
  int64_t bytesPerColumn =
      llvm::alignTo(op.getReductionSize(), atom.kr) * (4 / atom.kr);
  int64_t nc =
      std::max<int64_t>(target.l2Bytes / 2 / bytesPerColumn / nr, 1) * nr;
  if (!ShapedType::isDynamic(n))
    nc = std::min<int64_t>(nc, llvm::alignTo(std::max<int64_t>(n, 1), nr));
  Builder builder(op.getContext());
  return kernel::LoweringConfigAttr::get(
      op.getContext(), builder.getStringAttr(atom.name),
      {mr, nr, (int64_t)atom.kr}, {mr, nc}, builder.getStringAttr("model"));
}

/// More registers than any target has: the tile is unrolled, so that a larger
/// one would only make code.
constexpr int64_t kMaxAccumulators = 64;

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
