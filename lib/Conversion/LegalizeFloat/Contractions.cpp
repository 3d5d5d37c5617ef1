//===- Contractions.cpp - Float contractions as chains of fma -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace qcc;

namespace {
/// The parts of a body acc + x * y.
struct ContractionBody {
  arith::AddFOp add;
  arith::MulFOp product;
  Value accumulator;
};
} // namespace

/// The input that `value` is, directly or widened.
static BlockArgument getInput(Value value) {
  if (auto extend = value.getDefiningOp<arith::ExtFOp>())
    value = extend.getIn();
  return dyn_cast<BlockArgument>(value);
}

static std::optional<ContractionBody> matchBody(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1)
    return std::nullopt;
  Block *block = op.getBlock();
  BlockArgument accumulator = op.getRegionOutputArgs().front();
  auto add =
      block->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return std::nullopt;
  Value other = add.getLhs() == accumulator ? add.getRhs() : add.getLhs();
  if (add.getLhs() != accumulator && add.getRhs() != accumulator)
    return std::nullopt;
  auto product = other.getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  BlockArgument x = getInput(product.getLhs());
  BlockArgument y = getInput(product.getRhs());
  if (!x || !y || x == y || x == accumulator || y == accumulator ||
      x.getOwner() != block || y.getOwner() != block)
    return std::nullopt;
  return ContractionBody{add, product, accumulator};
}

bool qcc::isFloatContraction(linalg::LinalgOp op) {
  return matchBody(op).has_value();
}

void qcc::rewriteFloatContraction(RewriterBase &rewriter, linalg::LinalgOp op) {
  std::optional<ContractionBody> body = matchBody(op);
  assert(body && "not a contraction");
  rewriter.setInsertionPoint(body->add);
  rewriter.replaceOpWithNewOp<math::FmaOp>(body->add, body->product.getLhs(),
                                           body->product.getRhs(),
                                           body->accumulator);
  if (body->product->use_empty())
    rewriter.eraseOp(body->product);
}
