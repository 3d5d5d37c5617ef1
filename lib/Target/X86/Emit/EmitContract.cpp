//===- EmitContract.cpp - kernel.contract to a blocked kernel -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Emit.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

void qcc::x86::emitContract(RewriterBase &rewriter, kernel::ContractOp op,
                            const Atom &atom) {
  rewriter.setInsertionPoint(op);
  KernelBuilder builder(rewriter, op.getLoc(), atom.lanes);
  Contraction contraction(builder, op, atom);
  kernel::LoweringConfigAttr config = op.getLoweringConfigAttr();
  if (config.hasLanesAlongK())
    emitLanesAlongK(builder, contraction);
  else if (config.readsRhsInPlace())
    emitInterleavedColumns(builder, contraction);
  else if (atom.hasTiles())
    emitTileBlocks(builder, contraction);
  else
    emitVectorBlocks(builder, contraction);
  rewriter.eraseOp(op);
}
