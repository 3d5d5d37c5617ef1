//===- SelectLoweringConfig.cpp - Decides how contractions are computed ---===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TargetPass.h"
#include "qcc/Transforms/Contraction/LoweringConfigs.h"
#include "qcc/Transforms/Contraction/TunedConfigs.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "select-lowering-config"

namespace qcc {
#define GEN_PASS_DEF_SELECTLOWERINGCONFIG
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numPinned, "Contractions with a pinned config");
ALWAYS_ENABLED_STATISTIC(numTuned,
                         "Contractions with a config of the tuning database");
ALWAYS_ENABLED_STATISTIC(numModeled,
                         "Contractions whose config the cost model chose");

namespace {
struct SelectLoweringConfig
    : TargetPass<qcc::impl::SelectLoweringConfigBase<SelectLoweringConfig>> {
  using TargetPass::TargetPass;
  SelectLoweringConfig(TargetRef target,
                       std::shared_ptr<const TuningDatabase> tuning)
      : TargetPass(std::move(target)), tuning(std::move(tuning)) {}

  /// The tuned config, if there is one that can be used.
  kernel::LoweringConfigAttrInterface lookUp(kernel::ContractOp op,
                                             unsigned &untuned) {
    if (!tuning)
      return {};
    TunedConfig tuned = findTunedConfig(op, *target, *tuning);
    if (tuned.config)
      return tuned.config;
    LDBG() << "contraction at " << op.getLoc() << ": " << tuned.reason;
    op->setAttr(kNotTunedAttr, StringAttr::get(op.getContext(), tuned.reason));
    if (tuned.isDamaged)
      op.emitWarning() << tuned.reason << "; it is ignored";
    else
      ++untuned;
    return {};
  }

  /// No strategy has a config for `op`.
  LogicalResult refuseContraction(kernel::ContractOp op) {
    InFlightDiagnostic error = op.emitError()
                               << "no strategy of target '" << target->getName()
                               << "' computes it";
    for (const auto &strategy : target->getStrategies())
      if (std::optional<std::string> reason = strategy->reasonToRefuse(op))
        return error << ": " << *reason;
    return error << "; choose another target";
  }

  void runOnOperation() override {
    unsigned untuned = 0;
    WalkResult result = getOperation().walk([&](kernel::ContractOp op) {
      annotateRhsRange(op, *target);
      if (kernel::LoweringConfigAttrInterface config =
              op.getLoweringConfigAttr()) {
        ++numPinned;
        LDBG() << "contraction at " << op.getLoc() << ": pinned " << config;
        return WalkResult(checkConfig(op, config, *target));
      }
      kernel::LoweringConfigAttrInterface chosen = lookUp(op, untuned);
      bool isTuned = bool(chosen);
      if (!chosen)
        chosen = chooseConfig(op, *target);
      if (!chosen)
        return WalkResult(refuseContraction(op));
      ++(isTuned ? numTuned : numModeled);
      LDBG() << "contraction at " << op.getLoc() << ": "
             << (isTuned ? "the tuning database has " : "the model chooses ")
             << chosen;
      op.setLoweringConfigAttr(chosen);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
    if (untuned > 0)
      getOperation().emitRemark()
          << "the tuning database has no config for " << untuned
          << (untuned == 1 ? " kernel" : " kernels") << " of '"
          << getOperation().getName() << "' on target '" << target->getName()
          << "'; the cost model chooses";
  }

  std::shared_ptr<const TuningDatabase> tuning;
};
} // namespace

std::unique_ptr<Pass>
qcc::createSelectLoweringConfig(TargetRef target,
                                std::shared_ptr<const TuningDatabase> tuning) {
  return std::make_unique<SelectLoweringConfig>(std::move(target),
                                                std::move(tuning));
}
