//===- ConvertKernelToNVPTX.cpp - Kernel ops to loops over threads --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_CONVERTKERNELTONVPTX
#include "qcc/Target/NVPTX/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

static LogicalResult convert(RewriterBase &rewriter, kernel::ContractOp op) {
  if (!isa<MemRefType>(op.getLhs().getType()))
    return op.emitError("is not bufferized; run one-shot-bufferize first");
  auto config = dyn_cast_or_null<nvptx::ConfigAttr>(op.getLoweringConfigAttr());
  if (!config)
    return op.emitError("needs a lowering_config of nvptx");
  if (op.isPacked())
    return op.emitError("has a packed right operand, but strategy '")
           << config.getStrategyName()
           << "' reads it where it lies; do not pack it";
  switch (config.getStrategy()) {
  case nvptx::StrategyKind::Threads:
    nvptx::emitThreads(rewriter, op);
  }
  return success();
}

namespace {
struct ConvertKernelToNVPTX
    : qcc::impl::ConvertKernelToNVPTXBase<ConvertKernelToNVPTX> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<kernel::ContractOp> ops;
    WalkResult packs = getOperation().walk([&](Operation *op) {
      if (auto contract = dyn_cast<kernel::ContractOp>(op))
        ops.push_back(contract);
      if (!isa<kernel::PackOp>(op))
        return WalkResult::advance();
      op->emitError("packs an operand, but no strategy of nvptx reads packed "
                    "operands; do not pack it");
      return WalkResult::interrupt();
    });
    if (packs.wasInterrupted())
      return signalPassFailure();
    for (kernel::ContractOp op : ops)
      if (failed(convert(rewriter, op)))
        return signalPassFailure();
  }
};
} // namespace
