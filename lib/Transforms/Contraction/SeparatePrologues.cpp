//===- SeparatePrologues.cpp - Left operands computed once ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose blocks compute tiles of columns repeats the left prologue for
// each of these tiles. Where the target expects a pass over memory and a
// contraction without the prologue to take less time, both replace the
// contraction.
//
//===----------------------------------------------------------------------===//

#include "../TargetPass.h"
#include "PrologueOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "qcc/Transforms/Contraction/LoweringConfigs.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Refusal.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "separate-prologues"

namespace qcc {
#define GEN_PASS_DEF_SEPARATEPROLOGUES
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using kernel::ContractOp;

ALWAYS_ENABLED_STATISTIC(numSeparated,
                         "Left prologues that became passes over memory");
ALWAYS_ENABLED_STATISTIC(numKept, "Left prologues that stay");

/// Bytes that the pass reads and writes.
static int64_t bytesOf(linalg::GenericOp pass) {
  int64_t bytes = 0;
  for (Value value : pass->getOperands())
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      bytes += type.getNumElements() *
               llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return bytes;
}

namespace {
struct SeparatePrologues
    : TargetPass<qcc::impl::SeparateProloguesBase<SeparatePrologues>> {
  using TargetPass::TargetPass;

  void runOnOperation() override {
    if (!target->timeOfPass(0))
      return;
    IRRewriter rewriter(&getContext());
    SmallVector<ContractOp> contractions;
    getOperation().walk([&](ContractOp op) {
      if (!op.getLhsPrologue().empty() && !op.getLoweringConfigAttr() &&
          !op.getLhsPadding())
        contractions.push_back(op);
    });
    for (ContractOp op : contractions)
      separate(rewriter, op);
  }

private:
  /// Separates the prologue where that is expected to take less time.
  void separate(RewriterBase &rewriter, ContractOp op);
};
} // namespace

void SeparatePrologues::separate(RewriterBase &rewriter, ContractOp op) {
  ContractParts parts = ContractParts::of(op);
  std::optional<Cost> fused = leastCost(op, *target);
  if (!fused || llvm::any_of(op.getStaticLoopSizes(), ShapedType::isDynamic) ||
      llvm::any_of(parts.lhsOperands, [](const MappedOperand &operand) {
        auto type = dyn_cast<ShapedType>(operand.value.getType());
        return type && !type.hasStaticShape();
      })) {
    ++numKept;
    return;
  }
  rewriter.setInsertionPoint(op);
  linalg::GenericOp pass = createPrologueOp(
      rewriter, op.getLhsPrologue().front(), parts.lhs, parts.lhsOperands);
  if (!pass) {
    ++numKept;
    return;
  }
  // The source op that the prologue was has the first of the names.
  if (parts.fused.size() > 1) {
    pass->setAttr(kOriginAttr, rewriter.getStringAttr(parts.fused.front()));
    parts.fused.erase(parts.fused.begin());
  }
  parts.lhs.value = pass.getResult(0);
  parts.lhsOperands.clear();
  auto rest = cast<ContractOp>(rewriter.clone(*op));
  ContractOp separated = parts.createFrom(rewriter, rest);
  rewriter.eraseOp(rest);
  separated.getLhsPrologue().getBlocks().clear();
  std::optional<Cost> cost = leastCost(separated, *target);
  double passTime = *target->timeOfPass(bytesOf(pass));
  LDBG() << "contraction at " << op.getLoc() << ": " << fused->time
         << " with the prologue, " << (cost ? cost->time : 0) << " and "
         << passTime << " for a pass over memory";
  if (!cost || cost->time + passTime >= fused->time) {
    ++numKept;
    Operation *empty = pass.getDpsInits().front().getDefiningOp();
    for (Operation *unused :
         {separated.getOperation(), pass.getOperation(), empty})
      rewriter.eraseOp(unused);
    return;
  }
  ++numSeparated;
  refuse(pass, "a pass over memory of its own is expected to take less time "
               "than to repeat it for each tile of columns");
  rewriter.replaceOp(op, separated.getResults());
}

std::unique_ptr<Pass> qcc::createSeparatePrologues(TargetRef target) {
  return std::make_unique<SeparatePrologues>(std::move(target));
}
