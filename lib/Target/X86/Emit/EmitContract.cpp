//===- EmitContract.cpp - kernel.contract to a blocked kernel -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Strategies.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

void qcc::x86::emitContract(RewriterBase &rewriter, kernel::ContractOp op,
                            const Atom &atom) {
  rewriter.setInsertionPoint(op);
  KernelBuilder builder(rewriter, op.getLoc(), atom.lanes);
  Contraction contraction(builder, op, atom);
  switch (contraction.config.getStrategy()) {
  case StrategyKind::VectorTiles:
    emitVectorTiles(builder, contraction);
    break;
  case StrategyKind::AmxTiles:
    emitAmxTiles(builder, contraction);
    break;
  case StrategyKind::InnerProduct:
    emitInnerProduct(builder, contraction);
    break;
  case StrategyKind::InterleavedColumns:
    emitInterleavedColumns(builder, contraction);
    break;
  case StrategyKind::Depthwise:
    emitDepthwise(builder, contraction);
    break;
  }
  rewriter.eraseOp(op);
}
