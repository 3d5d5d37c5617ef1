//===- KernelBuilder.cpp - Index arithmetic and vectors of kernels --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc::x86;

SmallVector<Value> KernelBuilder::delinearize(Value linear,
                                              ArrayRef<int64_t> sizes) {
  SmallVector<Value> indices(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    indices[i] = i == 0 ? linear : rem(linear, index(sizes[i]));
    linear = div(linear, index(sizes[i]));
  }
  return indices;
}

Value KernelBuilder::clearFrom(Value vector, int64_t count) {
  auto type = cast<VectorType>(vector.getType());
  Value mask = vector::ConstantMaskOp::create(
      rewriter, loc, vectorType(type.getNumElements(), 1),
      ArrayRef<int64_t>{count});
  return clearUnless(mask, vector);
}

// Not arith.select: without optimizations, LLVM's instruction selection does
// not end for chains of shuffles that end in one by a constant. Where it
// optimizes, this becomes a select.
Value KernelBuilder::clearUnless(Value mask, Value vector) {
  Value bits = arith::ExtSIOp::create(rewriter, loc, vector.getType(), mask);
  return arith::AndIOp::create(rewriter, loc, vector, bits);
}

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

SmallVector<Value>
KernelBuilder::carry(Value begin, Value end, ValueRange values,
                     function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto first = getConstantIntValue(begin), last = getConstantIntValue(end);
  if (first && last && *first >= *last)
    return llvm::to_vector(values);
  if (first && last && *first + 1 == *last)
    return body(begin, values);
  auto loop = scf::ForOp::create(rewriter, loc, begin, end, index(1), values);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(rewriter, loc, next);
  return llvm::to_vector_of<Value>(loop.getResults());
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
