//===- ExposeNarrowWeights.cpp - The pass expose-narrow-weights -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Transforms/Movement.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/WidenedConstants.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "expose-narrow-weights"

namespace qcc {
#define GEN_PASS_DEF_EXPOSENARROWWEIGHTS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numExposed, "Weights that contractions widen");

namespace {
/// How a contraction of floats reads a weight that is widened from a constant.
struct NarrowWeight {
  OpOperand *operand;
  /// What stands between the two; `transpose` is null if nothing does.
  tensor::CollapseShapeOp collapse;
  linalg::GenericOp transpose;
};
} // namespace

/// Nothing where the result of `op` is read otherwise, or not by one op.
static std::optional<NarrowWeight> findReader(linalg::GenericOp op) {
  Value value = op->getResult(0);
  NarrowWeight weight{};
  auto reader = [&]() -> Operation * {
    return value.hasOneUse() ? *value.user_begin() : nullptr;
  };
  weight.collapse = dyn_cast_if_present<tensor::CollapseShapeOp>(reader());
  if (!weight.collapse)
    return std::nullopt;
  value = weight.collapse.getResult();
  auto next = dyn_cast_if_present<linalg::GenericOp>(reader());
  if (next && movementOf(next->getResult(0)) == next) {
    weight.transpose = next;
    value = next->getResult(0);
    next = dyn_cast_if_present<linalg::GenericOp>(reader());
  }
  if (!next || !linalg::isaContractionOpInterface(next))
    return std::nullopt;
  weight.operand = &*value.use_begin();
  if (!next.isDpsInput(weight.operand))
    return std::nullopt;
  return weight;
}

namespace {
/// Makes the contraction read `op`.
class Exposer {
public:
  Exposer(RewriterBase &rewriter, linalg::GenericOp op, NarrowWeight weight)
      : rewriter(rewriter), op(op), weight(weight),
        contraction(cast<linalg::GenericOp>(weight.operand->getOwner())) {}

  /// False where the contraction reads the weight in another form.
  bool run();

private:
  /// The index of each dimension of the weight before it was transposed.
  SmallVector<AffineExpr> beforeTranspose();
  /// Divides the loop of the dimension that was collapsed; false if that is not
  /// one dimension, of a loop that the other operand has by itself.
  bool divideLoop(SmallVector<AffineExpr> &indices);

  RewriterBase &rewriter;
  linalg::GenericOp op;
  NarrowWeight weight;
  linalg::GenericOp contraction;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> iterators;
};
} // namespace

SmallVector<AffineExpr> Exposer::beforeTranspose() {
  AffineMap map = contraction.getMatchingIndexingMap(weight.operand);
  if (!weight.transpose)
    return SmallVector<AffineExpr>(map.getResults());
  // The result of the transpose at `map`, of its loops, as the operand at them.
  linalg::GenericOp move = weight.transpose;
  AffineMap from = move.getMatchingIndexingMap(move.getDpsInputOperand(0)),
            to = move.getMatchingIndexingMap(move.getDpsInitOperand(0));
  if (!from.isPermutation() || !to.isPermutation())
    return {};
  map = from.compose(inversePermutation(to)).compose(map);
  return SmallVector<AffineExpr>(map.getResults());
}

bool Exposer::divideLoop(SmallVector<AffineExpr> &indices) {
  std::optional<unsigned> divided;
  SmallVector<ReassociationIndices> groups =
      weight.collapse.getReassociationIndices();
  for (auto [i, group] : llvm::enumerate(groups))
    if (group.size() != 1) {
      if (divided || group.size() != 2)
        return false;
      divided = i;
    }
  auto loop = divided ? dyn_cast<AffineDimExpr>(indices[*divided])
                      : AffineDimExpr(nullptr);
  unsigned other = 1 - weight.operand->getOperandNumber();
  if (!loop || iterators[loop.getPosition()] != utils::IteratorType::reduction)
    return false;
  std::optional<unsigned> position = maps[other].getResultPosition(loop);
  auto type = cast<RankedTensorType>(inputs[other].getType());
  if (!position)
    return false;

  // (..., k, ...) to (..., k / size, k % size, ...).
  unsigned before = loop.getPosition(), numLoops = iterators.size();
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> shifted;
  for (unsigned d = 0; d < numLoops; ++d)
    shifted.push_back(getAffineDimExpr(d <= before ? d : d + 1, context));
  AffineExpr inner = getAffineDimExpr(before + 1, context);
  for (AffineMap &map : maps)
    map = map.replaceDimsAndSymbols(shifted, {}, numLoops + 1, 0);
  for (AffineExpr &index : indices)
    index = index.replaceDims(shifted);
  indices.insert(indices.begin() + *divided + 1, inner);
  SmallVector<AffineExpr> otherIndices(maps[other].getResults());
  otherIndices.insert(otherIndices.begin() + *position + 1, inner);
  maps[other] = AffineMap::get(numLoops + 1, 0, otherIndices, context);
  iterators.insert(iterators.begin() + before, utils::IteratorType::reduction);

  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<ReassociationIndices> parts;
  for (unsigned d = 0, next = 0; d < type.getRank(); ++d) {
    parts.push_back({next++});
    if (d == *position)
      parts.back().push_back(next++);
  }
  shape[*position] = sizes[groups[*divided][0]];
  shape.insert(shape.begin() + *position + 1, sizes[groups[*divided][1]]);
  inputs[other] = tensor::ExpandShapeOp::create(
      rewriter, contraction.getLoc(),
      RankedTensorType::get(shape, type.getElementType()), inputs[other],
      parts);
  return true;
}

bool Exposer::run() {
  rewriter.setInsertionPoint(contraction);
  inputs = llvm::to_vector(contraction.getInputs());
  maps = contraction.getIndexingMapsArray();
  iterators = contraction.getIteratorTypesArray();
  SmallVector<AffineExpr> indices = beforeTranspose();
  if (indices.empty() || !divideLoop(indices))
    return false;
  unsigned number = weight.operand->getOperandNumber();
  inputs[number] = op->getResult(0);
  maps[number] = AffineMap::get(iterators.size(), 0, indices, op.getContext());
  auto exposed = linalg::GenericOp::create(
      rewriter, contraction.getLoc(), contraction.getResultTypes(), inputs,
      contraction.getOutputs(), maps, iterators);
  exposed->setDiscardableAttrs(contraction->getDiscardableAttrDictionary());
  exposed.getRegion().takeBody(contraction.getRegion());
  rewriter.replaceOp(contraction, exposed.getResults());
  if (weight.transpose)
    rewriter.eraseOp(weight.transpose);
  rewriter.eraseOp(weight.collapse);
  return true;
}

namespace {
struct ExposeNarrowWeights
    : qcc::impl::ExposeNarrowWeightsBase<ExposeNarrowWeights> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : widening(rewriter.getI32Type()))
      replaceByValue(rewriter, op); // zero points
    for (linalg::GenericOp op : widening(rewriter.getF32Type())) {
      if (llvm::none_of(op->getUsers(), llvm::IsaPred<tensor::CollapseShapeOp>))
        continue;
      std::optional<NarrowWeight> weight = findReader(op);
      bool isExposed = weight && Exposer(rewriter, op, *weight).run();
      LDBG() << (isExposed ? "exposes" : "widens") << " the weight at "
             << op.getLoc();
      if (isExposed)
        ++numExposed;
      else
        replaceByValue(rewriter, op);
    }
  }

private:
  SmallVector<linalg::GenericOp> widening(Type type) {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (widensConstant(op, type) && !op->use_empty())
        ops.push_back(op);
    });
    return ops;
  }
};
} // namespace
