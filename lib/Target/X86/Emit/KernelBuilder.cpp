//===- KernelBuilder.cpp - Index arithmetic and vectors of kernels --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace qcc::x86;

void KernelBuilder::forEach(Value begin, Value end, int64_t step,
                            function_ref<void(Value)> body) {
  auto first = getConstantIntValue(begin), last = getConstantIntValue(end);
  if (first && last && *first >= *last)
    return;
  if (first && last && *first + step >= *last)
    return body(begin);
  auto loop = scf::ForOp::create(rewriter, loc, begin, end, index(step));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void KernelBuilder::ifTrue(Value condition, function_ref<void()> body) {
  if (auto constant = getConstantIntValue(condition)) {
    if (*constant)
      body();
    return;
  }
  auto branch =
      scf::IfOp::create(rewriter, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  body();
}
