//===- WidenedConstants.cpp - Constants that ops widen --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/WidenedConstants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Conversion/QNNToLinalg/EvaluateConstant.h"
#include "qcc/Dialect/Utils/ConstantAction.h"
#include "qcc/Dialect/Utils/ConstantData.h"

using namespace mlir;
using namespace qcc;

bool qcc::widensConstant(linalg::GenericOp op, Type type) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      op.getNumDpsInputs() == 0 ||
      !llvm::all_of(op.getInputs(), [](Value input) {
        return matchPattern(input, m_Constant());
      }))
    return false;
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto source = dyn_cast<RankedTensorType>(op.getInputs().front().getType());
  return result && source && result.hasStaticShape() &&
         source.getElementType().isInteger(8) &&
         result.getElementType() == type;
}

bool qcc::widensConstant(linalg::GenericOp op) {
  return widensConstant(op, Float32Type::get(op.getContext()));
}

static void replace(RewriterBase &rewriter, linalg::GenericOp op) {
  std::optional<std::vector<char>> bytes = evaluateConstant(op->getResult(0));
  if (!bytes)
    return;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto function = op->getParentOfType<func::FuncOp>();
  TypedAttr value =
      makeConstant(type, *bytes, (function.getName() + "_widened").str());
  SmallVector<Operation *> sources;
  for (Value input : op.getInputs())
    sources.push_back(input.getDefiningOp());
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
  for (Operation *source : sources)
    if (source->use_empty())
      rewriter.eraseOp(source);
}

void qcc::replaceByValue(RewriterBase &rewriter, linalg::GenericOp op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  makeInAction(op.getContext(),
               type.getNumElements() * getElementBytes(type.getElementType()),
               [&] { replace(rewriter, op); });
}
