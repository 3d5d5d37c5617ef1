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
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
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

/// The dimensions of the left operand, of the loops; nothing where they are not
/// loops, or where an operand of the prologue has others.
static std::optional<SmallVector<AffineExpr>>
dimensionsOfLoops(const ContractParts &parts) {
  MLIRContext *context = parts.lhs.map.getContext();
  SmallVector<AffineExpr> dimensions(parts.lhs.map.getNumDims());
  for (auto [position, expr] : llvm::enumerate(parts.lhs.map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || dimensions[loop.getPosition()])
      return std::nullopt;
    dimensions[loop.getPosition()] = getAffineDimExpr(position, context);
  }
  for (const MappedOperand &operand : parts.lhsOperands)
    for (unsigned loop = 0; loop < dimensions.size(); ++loop)
      if (!dimensions[loop] && operand.map.isFunctionOfDim(loop))
        return std::nullopt;
  return dimensions;
}

/// The elementwise op that computes the bytes of the left operand.
static linalg::GenericOp createPass(RewriterBase &rewriter, ContractOp op,
                                    const ContractParts &parts,
                                    ArrayRef<AffineExpr> dimensions) {
  Block &prologue = op.getLhsPrologue().front();
  auto type = cast<RankedTensorType>(parts.lhs.value.getType());
  Type element = prologue.getTerminator()->getOperand(0).getType();
  Location loc = prologue.getArgument(0).getLoc();
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, type.getShape(), element);
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<Value> inputs{parts.lhs.value};
  SmallVector<AffineMap> maps{identity};
  // Loops that no operand reads need an expression as well.
  SmallVector<AffineExpr> replacement(dimensions);
  for (AffineExpr &expr : replacement)
    if (!expr)
      expr = rewriter.getAffineConstantExpr(0);
  for (const MappedOperand &operand : parts.lhsOperands) {
    inputs.push_back(operand.value);
    maps.push_back(
        operand.map.replaceDimsAndSymbols(replacement, {}, type.getRank(), 0));
  }
  maps.push_back(identity);
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      rewriter, loc, empty.getType(), inputs, empty, maps, iterators,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(prologue.getArguments(), arguments.drop_back());
        for (Operation &inner : prologue.without_terminator())
          builder.clone(inner, mapping);
        linalg::YieldOp::create(
            builder, loc,
            mapping.lookupOrDefault(prologue.getTerminator()->getOperand(0)));
      });
}

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
  auto dimensions = dimensionsOfLoops(parts);
  std::optional<Cost> fused = leastCost(op, *target);
  if (!dimensions || !fused ||
      llvm::any_of(op.getStaticLoopSizes(), ShapedType::isDynamic) ||
      llvm::any_of(parts.lhsOperands, [](const MappedOperand &operand) {
        auto type = dyn_cast<ShapedType>(operand.value.getType());
        return type && !type.hasStaticShape();
      })) {
    ++numKept;
    return;
  }
  rewriter.setInsertionPoint(op);
  linalg::GenericOp pass = createPass(rewriter, op, parts, *dimensions);
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
