//===- GeneralizeElementwise.cpp - Ops on whole tensors to linalg ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns in a driver that folds nothing. The upstream pass runs
// them as a dialect conversion, which folds each op before it is converted:
// with the host's math library, by fast-math flags, and into constants of
// tensors whose sizes are not known.
//
//===----------------------------------------------------------------------===//

#include "ResolveSizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qcc/Transforms/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_GENERALIZEELEMENTWISE
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

namespace {
struct GeneralizeElementwise
    : qcc::impl::GeneralizeElementwiseBase<GeneralizeElementwise> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    // The outputs of the new ops are their operands.
    resolveSizes(getOperation());
  }
};
} // namespace
