//===- FoldConstantPrologues.cpp - Weights widened at compile time --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TargetPass.h"
#include "PrologueOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/WidenedConstants.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "fold-constant-prologues"

namespace qcc {
#define GEN_PASS_DEF_FOLDCONSTANTPROLOGUES
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numKept, "Weights that kernels widen");
ALWAYS_ENABLED_STATISTIC(numFolded, "Weights that were widened");

static bool areConstants(ValueRange values) {
  return llvm::all_of(
      values, [](Value value) { return matchPattern(value, m_Constant()); });
}

namespace {
struct FoldConstantPrologues
    : TargetPass<qcc::impl::FoldConstantProloguesBase<FoldConstantPrologues>> {
  using TargetPass::TargetPass;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<kernel::ContractOp> contractions;
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](Operation *op) {
      if (auto contraction = dyn_cast<kernel::ContractOp>(op))
        contractions.push_back(contraction);
      else if (auto generic = dyn_cast<linalg::GenericOp>(op);
               generic && widensConstant(generic))
        generics.push_back(generic);
    });
    for (kernel::ContractOp op : contractions)
      fold(rewriter, op);
    for (linalg::GenericOp op : generics)
      replaceByValue(rewriter, op);
    numFolded += generics.size();
  }

private:
  /// Evaluates the right prologue of a contraction, unless the kernel does.
  void fold(RewriterBase &rewriter, kernel::ContractOp op);
};
} // namespace

void FoldConstantPrologues::fold(RewriterBase &rewriter,
                                 kernel::ContractOp op) {
  if (op.isPacked() || op.getRhsPrologue().empty() ||
      !areConstants(op.getRhs()) || !areConstants(op.getRhsOperands()))
    return;
  if (kernel::LoweringConfigAttrInterface config = op.getLoweringConfigAttr()) {
    auto packing = target->strategyOf(config)->packing(op, config);
    if (packing && packing->isNarrow) {
      ++numKept;
      return;
    }
  }
  rewriter.setInsertionPoint(op);
  ContractParts parts = ContractParts::of(op);
  linalg::GenericOp pass = createPrologueOp(
      rewriter, op.getRhsPrologue().front(), parts.rhs, parts.rhsOperands);
  if (!pass)
    return;
  parts.rhs.value = pass->getResult(0);
  parts.rhsOperands.clear();
  kernel::ContractOp folded = parts.createFrom(rewriter, op);
  folded.getRhsPrologue().getBlocks().clear();
  rewriter.replaceOp(op, folded.getResults());
  LDBG() << "widens the weight of the contraction at " << folded.getLoc();
  replaceByValue(rewriter, pass);
  ++numFolded;
}

std::unique_ptr<Pass> qcc::createFoldConstantPrologues(TargetRef target) {
  return std::make_unique<FoldConstantPrologues>(std::move(target));
}
