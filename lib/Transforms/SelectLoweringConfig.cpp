//===- SelectLoweringConfig.cpp - Decides how contractions are computed ---===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/TargetSpec.h"
#include "qcc/Transforms/LoweringConfigs.h"
#include "qcc/Transforms/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_SELECTLOWERINGCONFIG
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

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
      if (kernel::LoweringConfigAttr config = op.getLoweringConfigAttr())
        return WalkResult(checkConfig(op, config, *target));
      op.setLoweringConfigAttr(chooseConfig(op, *target));
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
