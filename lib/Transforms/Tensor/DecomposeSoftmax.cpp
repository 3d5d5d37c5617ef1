//===- DecomposeSoftmax.cpp - linalg.softmax to its steps -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's decomposition gives the bits of N8: its maximum ignores NaN and
// starts with the least finite number, which changes no element of a result.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "qcc/Transforms/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_DECOMPOSESOFTMAX
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;

namespace {
struct DecomposeSoftmax : qcc::impl::DecomposeSoftmaxBase<DecomposeSoftmax> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::SoftmaxOp> ops;
    getOperation().walk([&](linalg::SoftmaxOp op) { ops.push_back(op); });
    for (linalg::SoftmaxOp op : ops) {
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
      if (failed(results)) {
        op.emitOpError("has no decomposition; write out its steps");
        return signalPassFailure();
      }
      rewriter.replaceOp(op, *results);
    }
  }
};
} // namespace
