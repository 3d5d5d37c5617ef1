//===- GeneralizeLinalg.cpp - Named linalg ops to linalg.generic ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Dialect/QNN/IR/WeightNote.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Refusal.h"
#include "llvm/ADT/StringSet.h"

namespace qcc {
#define GEN_PASS_DEF_GENERALIZELINALG
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

/// The value of a layer is that of its last op; the ops before compute parts of
/// the value.
static void markParts(ArrayRef<linalg::LinalgOp> ops) {
  llvm::StringSet<> layers;
  for (linalg::LinalgOp op : llvm::reverse(ops)) {
    StringRef layer = layerName(op.getLoc());
    // An op that gives the layer's value another form does not compute a part.
    if (layer.empty() || isFormOfLayer(op.getLoc()))
      continue;
    if (!layers.insert(layer).second)
      op->setLoc(asPartOfLayer(op.getLoc()));
  }
}

namespace {
struct GeneralizeLinalg : qcc::impl::GeneralizeLinalgBase<GeneralizeLinalg> {
  void runOnOperation() override {
    // Without a driver that folds: folders round otherwise than N7 and N8 say.
    RewritePatternSet depthwise(&getContext());
    linalg::populateSimplifyDepthwiseConvPatterns(depthwise);
    walkAndApplyPatterns(getOperation(), std::move(depthwise));

    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    markParts(ops);
    for (linalg::LinalgOp op : ops) {
      op->setAttr(kOriginAttr, rewriter.getStringAttr(originOf(op)));
      if (isa<linalg::GenericOp>(op))
        continue;
      SmallVector<NamedAttribute> kept;
      for (StringRef name : {kOriginAttr, kRefusedAttr, kWeightAttr})
        if (Attribute attr = op->getAttr(name))
          kept.push_back(rewriter.getNamedAttr(name, attr));
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> generic =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(generic)) {
        op->emitError() << "'" << op->getName()
                        << "' has no general form; write it as linalg.generic";
        return signalPassFailure();
      }
      for (NamedAttribute attr : kept)
        (*generic)->setAttr(attr.getName(), attr.getValue());
    }
  }
};
} // namespace
