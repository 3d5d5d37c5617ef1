//===- AdaptLoweringConfig.cpp - Configs for operands as they lie ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TargetPass.h"
#include "qcc/Transforms/Contraction/LoweringConfigs.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Refusal.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "adapt-lowering-config"

namespace qcc {
#define GEN_PASS_DEF_ADAPTLOWERINGCONFIG
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numAdapted,
                         "Configs replaced since an operand is a strided view");

namespace {
struct AdaptLoweringConfig
    : TargetPass<qcc::impl::AdaptLoweringConfigBase<AdaptLoweringConfig>> {
  using TargetPass::TargetPass;

  void runOnOperation() override {
    getOperation().walk([&](kernel::ContractOp op) {
      kernel::LoweringConfigAttrInterface config = op.getLoweringConfigAttr();
      const Strategy *strategy = target->strategyOf(config);
      if (!strategy)
        return;
      std::string reason;
      kernel::LoweringConfigAttrInterface adapted =
          strategy->adapt(op, config, reason);
      if (adapted == config)
        return;
      ++numAdapted;
      LDBG() << "contraction at " << op.getLoc() << ": " << adapted
             << " instead of " << config << ": " << reason;
      op.setLoweringConfigAttr(adapted);
      refuse(op, reason);
    });
  }
};
} // namespace

std::unique_ptr<Pass> qcc::createAdaptLoweringConfig(TargetRef target) {
  return std::make_unique<AdaptLoweringConfig>(std::move(target));
}
