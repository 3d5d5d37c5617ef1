//===- ElementwiseFusion.cpp - Two elementwise ops as one -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/ElementwiseFusion.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "qcc/Transforms/Refusal.h"
#include "qcc/Transforms/WidenedConstants.h"

using namespace mlir;

bool qcc::isReadRepeatedly(OpOperand *operand) {
  auto reader = cast<linalg::GenericOp>(operand->getOwner());
  if (reader.getNumReductionLoops() == 0)
    return false;
  AffineMap map = reader.getMatchingIndexingMap(operand);
  for (auto [loop, size] : llvm::enumerate(reader.getStaticLoopRanges()))
    if (size != 1 && !map.isFunctionOfDim(loop))
      return true;
  // Indices that are sums of loops, as in a convolution.
  return !map.isProjectedPermutation();
}

bool qcc::isFusable(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto reader = dyn_cast<linalg::GenericOp>(operand->getOwner());
  bool isWeight = producer && reader && reader.getNumReductionLoops() != 0 &&
                  widensConstant(producer);
  return producer && !isWeight && linalg::areElementwiseOpsFusable(operand) &&
         llvm::none_of(producer.getDpsInitsMutable(), [&](OpOperand &init) {
           return producer.payloadUsesValueFromOperand(&init);
         });
}

linalg::GenericOp qcc::fuseIntoReader(RewriterBase &rewriter,
                                      OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto reader = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!reader || !isFusable(operand))
    return {};
  rewriter.setInsertionPoint(reader);
  FailureOr<linalg::ElementwiseOpFusionResult> result =
      linalg::fuseElementwiseOps(rewriter, operand);
  if (failed(result))
    return {};
  inheritNotes(result->fusedOp, {producer, reader});
  for (auto [from, to] : result->replacements)
    rewriter.replaceUsesWithIf(
        from, to, [&](OpOperand &use) { return use.getOwner() != producer; });
  rewriter.eraseOp(reader);
  return cast<linalg::GenericOp>(result->fusedOp);
}
