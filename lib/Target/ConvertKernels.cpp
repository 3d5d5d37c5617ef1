//===- ConvertKernels.cpp - Kernel ops to a target's code -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/ConvertKernels.h"

using namespace mlir;
using namespace qcc;

LogicalResult qcc::convertKernels(Operation *root,
                                  ConvertKernel<kernel::ContractOp> contract,
                                  ConvertKernel<kernel::PackOp> pack) {
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
    if (failed(contraction ? contract(rewriter, contraction)
                           : pack(rewriter, cast<kernel::PackOp>(op))))
      return failure();
  }
  return success();
}
