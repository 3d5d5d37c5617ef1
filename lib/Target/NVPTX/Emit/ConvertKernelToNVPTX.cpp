//===- ConvertKernelToNVPTX.cpp - Kernel ops to loops over threads --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "qcc/Target/ConvertKernels.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_CONVERTKERNELTONVPTX
#include "qcc/Target/NVPTX/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

/// Rejects a config that cannot be obeyed.
static LogicalResult verifyConfig(kernel::ContractOp op,
                                  nvptx::ConfigAttr config) {
  if (op.isPacked() != config.isPacked())
    return op.emitError() << "has strategy " << config.getStrategyName()
                          << ", which needs a right operand that is "
                          << (config.isPacked() ? "packed" : "not packed");
  if (auto roles = op.getRoles();
      succeeded(roles) && roles->columnsOfGroup != 1)
    return op.emitOpError("has columns with a left operand group by group, "
                          "which no strategy of nvptx reads; make groups a "
                          "loop of their own");
  if (op.getLhsPadding())
    return op.emitError("has lhs_padding, which no strategy of nvptx reads; "
                        "pad the left operand in memory");
  if (config.getParts() > 1 || config.getFewRows())
    return op.emitError("has parts of K, or configs for few rows; run "
                        "divide-contractions first");
  if (!config.isPacked())
    return success();
  if (op.getRoles()->isDepthwise)
    return op.emitError() << "has strategy " << config.getStrategyName()
                          << ", but each of its columns has a left operand of "
                             "its own";
  if (std::optional<std::string> reason = nvptx::refuseTile(op, config))
    return op.emitError() << *reason;
  return success();
}

static LogicalResult convertContract(RewriterBase &rewriter,
                                     kernel::ContractOp op) {
  auto config = dyn_cast_or_null<nvptx::ConfigAttr>(op.getLoweringConfigAttr());
  if (!config)
    return op.emitError("needs a lowering_config of nvptx");
  if (failed(verifyConfig(op, config)))
    return failure();
  switch (config.getStrategy()) {
  case nvptx::StrategyKind::Threads:
    nvptx::emitThreads(rewriter, op);
    return success();
  case nvptx::StrategyKind::Multistage:
    nvptx::emitMultistage(rewriter, op, config,
                          *nvptx::findMatrixAtom(config.getAtom()));
    return success();
  case nvptx::StrategyKind::Decode:
    nvptx::emitDecode(rewriter, op, config,
                      *nvptx::findMatrixAtom(config.getAtom()));
    return success();
  }
}

static LogicalResult convertPack(RewriterBase &rewriter, kernel::PackOp op) {
  if (op.getNR() != 1 || op.getKR() != 4 || op.getOffset())
    return op.emitError("packs an operand otherwise than atoms of nvptx read "
                        "it: NR must be 1, KR 4, and there must be no offset");
  nvptx::emitPack(rewriter, op);
  return success();
}

namespace {
struct ConvertKernelToNVPTX
    : qcc::impl::ConvertKernelToNVPTXBase<ConvertKernelToNVPTX> {
  void runOnOperation() override {
    if (failed(convertKernels(getOperation(), convertContract, convertPack)))
      signalPassFailure();
  }
};
} // namespace
