//===- FuseGroups.cpp - Chains over groups of K ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionRewrites.h"
#include "MovedBody.h"
#include "Uniform.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Transforms/Refusal.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "form-contractions"

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numChains, "Chains over groups of K taken in");

/// Whether a contraction is one of sums of integers with nothing around it.
static bool isBare(kernel::ContractOp op) {
  Block &epilogue = op.getEpilogue().front();
  return !op.isOfFloats() && !op.hasGroups() && !op.getInit() &&
         op.getNumResults() == 1 && op.getReductionDims().size() == 1 &&
         epilogue.without_terminator().empty() && !op.getLhsPadding();
}

/// Why groups of K, of loop `group` of the contraction, do not become a part of
/// it; empty if they do.
static StringRef reasonAgainstGroups(kernel::ContractOp op, unsigned group) {
  if (!op.getLhsMap().isFunctionOfDim(group) ||
      !op.getRhsMap().isFunctionOfDim(group))
    return "it sums up results of a contraction that are no groups of K";
  if (op.getStaticLoopSizes()[group] < 2 || op.getReductionSize() % 4 != 0)
    return "groups of K are not several of whole words of 4 elements";
  if (!matchPattern(op.getRhs(), m_Constant()) || !op.getRhsPrologue().empty())
    return "the right operand of groups of K is not a constant";
  return "";
}

/// Moves the chain into a region of its own, and returns the operands that it
/// reads besides sums and total.
static SmallVector<MappedOperand> moveChain(RewriterBase &rewriter,
                                            linalg::GenericOp chain,
                                            OpOperand *sums, Block *block,
                                            AffineMap toContract) {
  SmallVector<MappedOperand> operands;
  Location loc = chain.getLoc();
  block->addArguments({rewriter.getI32Type(), rewriter.getF32Type()},
                      {loc, loc});
  MovedBody body(rewriter, chain, block, toContract.getNumDims(), operands,
                 /*leading=*/2);
  body.bindTo(chain.getMatchingBlockArgument(sums), block->getArgument(0));
  body.bindTo(chain.getMatchingBlockArgument(chain.getDpsInitOperand(0)),
              block->getArgument(1));
  for (OpOperand *input : chain.getDpsInputOperands())
    if (input != sums)
      body.bind(*input,
                chain.getMatchingIndexingMap(input).compose(toContract));
  body.bindCapturedScalars();
  rewriter.setInsertionPointToEnd(block);
  auto yield = kernel::YieldOp::create(rewriter, loc, block->getArgument(1));
  yield->setOperands(body.clone());
  return operands;
}

bool qcc::fuseGroups(RewriterBase &rewriter, kernel::ContractOp op,
                     linalg::GenericOp chain, DominanceInfo &dominance) {
  if (!isBare(op) || !op->hasOneUse() || chain.getNumReductionLoops() != 1 ||
      chain.getNumDpsInits() != 1 || !chain.hasPureTensorSemantics() ||
      !isMappable(chain) ||
      !getElementTypeOrSelf(chain.getDpsInits()[0].getType()).isF32() ||
      !llvm::all_of(chain->getOperands(), hasVectorElements))
    return false;
  AffineMap toContract = mapToContraction(op, chain);
  if (!toContract || !readsInOneOrder(op, chain, toContract))
    return false;
  SmallVector<unsigned> reductions;
  chain.getReductionDims(reductions);
  unsigned group = cast<AffineDimExpr>(toContract.getResult(reductions.front()))
                       .getPosition();
  if (StringRef reason = reasonAgainstGroups(op, group); !reason.empty()) {
    refuse(chain, reason);
    return false;
  }
  if (failed(moveOperandsBefore(rewriter, op, chain, dominance)))
    return false;

  OpOperand *sums = chain.getDpsInputOperands().front(),
            *init = chain.getDpsInitOperand(0);
  for (OpOperand *input : chain.getDpsInputOperands())
    if (input->get() == op.getResult(0))
      sums = input;
  AffineMap outMap = chain.getMatchingIndexingMap(init).compose(toContract);
  rewriter.setInsertionPoint(op);
  Location loc = chain.getLoc();
  ContractParts parts = ContractParts::of(op);
  Value initial = init->get();
  if (!isZeroFill(initial)) {
    parts.init = {initial, outMap};
    absorbMovement(parts.init);
  }
  Value sizes = uniformOf(initial) ? sizeSource(initial) : initial;
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, sizes),
      rewriter.getF32Type());
  parts.outs = {{empty, outMap}};
  parts.values = valueInfos(chain, 1);
  parts.reductionDims.insert(parts.reductionDims.begin(), group);
  parts.reductionSizes.insert(parts.reductionSizes.begin(),
                              op.getStaticLoopSizes()[group]);
  Block *block = new Block();
  parts.groupOperands = moveChain(rewriter, chain, sums, block, toContract);

  rewriter.setInsertionPoint(op);
  kernel::ContractOp fused = parts.create(rewriter, op.getLoc());
  fused->setDiscardableAttrs(llvm::to_vector(op->getDiscardableAttrs()));
  setValueInfos(fused, parts.values);
  fused.getLhsPrologue().takeBody(op.getLhsPrologue());
  fused.getRhsPrologue().takeBody(op.getRhsPrologue());
  fused.getGroupEpilogue().push_back(block);
  Block *epilogue = rewriter.createBlock(&fused.getEpilogue(), {},
                                         {rewriter.getF32Type()}, {loc});
  kernel::YieldOp::create(rewriter, loc, epilogue->getArguments());
  ++numChains;
  LDBG() << "takes the chain at " << loc
         << " over groups of K into the contraction at " << op.getLoc();
  rewriter.replaceOp(chain, fused.getResults());
  rewriter.eraseOp(op);
  return true;
}
