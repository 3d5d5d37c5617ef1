//===- Elementwise.cpp - Elementwise qnn ops ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop around the op's formula.
//
//===----------------------------------------------------------------------===//

#include "Formula.h"
#include "Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qcc;

namespace {
struct ConvertElementwise
    : OpInterfaceConversionPattern<qnn::ElementwiseOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::ElementwiseOpInterface op, ArrayRef<Value>,
                  ConversionPatternRewriter &rewriter) const override {
    FormulaInputs inputs(rewriter, op);
    GenericEmitter::Reader formula = makeFormula(inputs);
    if (!formula)
      return rewriter.notifyMatchFailure(op, "has no formula");
    Type element = getTypeConverter()->convertType(
        op.getTensors().back().getType().getElementType());
    Value init =
        tensor::EmptyOp::create(rewriter, op.getLoc(), inputs.sizes(), element);
    replaceValue(
        rewriter, op,
        inputs.emitter.build(init, 0, op->getName().getStringRef(), formula));
    return success();
  }
};
} // namespace

void qcc::populateElementwisePatterns(const StorageTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<ConvertElementwise>(converter, patterns.getContext());
}
