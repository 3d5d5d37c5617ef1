//===- ConvertKernels.cpp - Kernel ops to a target's code -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/ConvertKernels.h"

using namespace mlir;
using namespace qcc;

static LogicalResult convertContract(RewriterBase &rewriter,
                                     kernel::ContractOp op,
                                     const Target &target) {
  kernel::LoweringConfigAttrInterface config = op.getLoweringConfigAttr();
  if (!config)
    return op.emitError("has no lowering_config; run select-lowering-config "
                        "first");
  if (const Strategy *strategy = target.strategyOf(config))
    return strategy->emit(rewriter, op);
  return op.emitError() << "has strategy " << config.getStrategyName()
                        << ", but " << target.getFamily()
                        << " does not have it";
}

LogicalResult qcc::convertKernels(Operation *root, const Target &target,
                                  ConvertPack pack) {
  IRRewriter rewriter(root->getContext());
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<kernel::ContractOp, kernel::PackOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (!isa<MemRefType>(op->getOperand(0).getType()))
      return op->emitError("is not bufferized; run one-shot-bufferize first");
    auto contraction = dyn_cast<kernel::ContractOp>(op);
    if (failed(contraction ? convertContract(rewriter, contraction, target)
                           : pack(rewriter, cast<kernel::PackOp>(op))))
      return failure();
  }
  return success();
}
