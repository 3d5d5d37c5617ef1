//===- MatchFloats.cpp - Contractions of floats ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a contraction of floats is fma(x, w, acc) in f32 (N8). A factor
// is an input of f32, or is computed from one input alone: widened from f16 or
// bf16, for instance. A pass of its own then computes it, which may become a
// prologue. Of a constant it is computed at once.
//
//===----------------------------------------------------------------------===//

#include "ContractionRewrites.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "qcc/Conversion/QNNToLinalg/EvaluateConstant.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include "qcc/Transforms/Refusal.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace qcc;

/// The ops of the body that compute `value`, in order, without constants.
static llvm::SetVector<Operation *> opsOf(linalg::GenericOp op, Value value) {
  llvm::SetVector<Operation *> ops;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *inner) {
    return inner->getBlock() == op.getBody() && !isa<arith::ConstantOp>(inner);
  };
  (void)getBackwardSlice(value, &ops, options);
  return ops;
}

static std::optional<Factor> matchFactor(linalg::GenericOp op, Value value) {
  Factor factor;
  if (OpOperand *input = inputOf(op, value)) {
    factor.input = input;
    return factor;
  }
  if (!value.getDefiningOp() || value.getParentBlock() != op.getBody())
    return std::nullopt;
  for (Operation *inner : opsOf(op, value)) {
    if (!OpTrait::hasElementwiseMappableTraits(inner))
      return std::nullopt;
    for (Value operand : inner->getOperands()) {
      OpOperand *input = inputOf(op, operand);
      bool isArgument = isa<BlockArgument>(operand) &&
                        operand.getParentBlock() == op.getBody();
      if (isArgument && (!input || (factor.input && factor.input != input)))
        return std::nullopt;
      if (input)
        factor.input = input;
    }
  }
  factor.computed = value;
  return factor.input ? std::optional(factor) : std::nullopt;
}

bool qcc::matchFloatContraction(linalg::GenericOp op, Factor &lhs,
                                Factor &rhs) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return false;
  Block *body = op.getBody();
  auto fma = body->getTerminator()->getOperand(0).getDefiningOp<math::FmaOp>();
  if (!fma || !fma.getType().isF32() ||
      fma.getC() != body->getArguments().back())
    return false;
  auto left = matchFactor(op, fma.getA()), right = matchFactor(op, fma.getB());
  auto isTensor = [](const Factor &factor) {
    return isa<RankedTensorType>(factor.input->get().getType());
  };
  if (!left || !right || left->input == right->input || !isTensor(*left) ||
      !isTensor(*right))
    return false;
  lhs = *left;
  rhs = *right;
  return true;
}

Value qcc::computeFactor(RewriterBase &rewriter, linalg::GenericOp op,
                         const Factor &factor) {
  Value input = factor.input->get();
  if (!factor.computed)
    return input;
  Location loc = factor.computed.getLoc();
  auto type = cast<RankedTensorType>(input.getType());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, input),
      factor.computed.getType());
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto pass = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), input, empty,
      ArrayRef<AffineMap>{identity, identity}, iterators,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(op.getMatchingBlockArgument(factor.input), arguments[0]);
        for (Operation *inner : opsOf(op, factor.computed))
          builder.clone(*inner, mapping);
        linalg::YieldOp::create(builder, loc, mapping.lookup(factor.computed));
      });
  inheritNotes(pass, {op});
  auto bytes = evaluateConstant(pass.getResult(0));
  if (!bytes)
    return pass.getResult(0);
  return arith::ConstantOp::create(
      rewriter, loc,
      makeConstant(cast<RankedTensorType>(empty.getType()), *bytes, "real"));
}
