//===- PromoteScalarArguments.cpp - Scalars at the boundary to tensors ----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The caller of an entry hands over buffers only, so a scalar arrives in a
// tensor without dimensions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Transforms/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_PROMOTESCALARARGUMENTS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;

static Type promote(Type type) {
  return type.isIntOrIndexOrFloat() ? RankedTensorType::get({}, type) : type;
}

namespace {
struct PromoteScalarArguments
    : qcc::impl::PromoteScalarArgumentsBase<PromoteScalarArguments> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    // A private function has callers, which pass scalars.
    if (function.isExternal() || !function.isPublic())
      return;
    OpBuilder builder(&function.getBody());
    for (BlockArgument argument : function.getArguments()) {
      Type type = argument.getType();
      if (promote(type) == type)
        continue;
      argument.setType(promote(type));
      auto scalar =
          tensor::ExtractOp::create(builder, argument.getLoc(), argument);
      argument.replaceAllUsesExcept(scalar.getResult(), scalar);
    }
    function.walk([&](func::ReturnOp op) {
      builder.setInsertionPoint(op);
      for (OpOperand &operand : op->getOpOperands()) {
        Type type = operand.get().getType();
        if (promote(type) != type)
          operand.set(tensor::FromElementsOp::create(
              builder, op.getLoc(), promote(type), operand.get()));
      }
    });
    FunctionType type = function.getFunctionType();
    function.setFunctionType(FunctionType::get(
        &getContext(), llvm::map_to_vector(type.getInputs(), promote),
        llvm::map_to_vector(type.getResults(), promote)));
  }
};
} // namespace
