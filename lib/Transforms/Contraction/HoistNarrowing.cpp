//===- HoistNarrowing.cpp - Narrow values before they are moved -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Transforms/Movement.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "hoist-narrowing"

namespace qcc {
#define GEN_PASS_DEF_HOISTNARROWING
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numHoisted, "Narrowing ops computed before movement");

static bool isUniformConstant(Value value) {
  DenseElementsAttr dense;
  return matchPattern(value, m_Constant(&dense)) && dense.isSplat();
}

/// The only input of the op that has dimensions, splats aside; null unless the
/// op computes each element from that of this input at the same place.
static OpOperand *soleInput(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      op.hasIndexSemantics() || !op.hasPureTensorSemantics())
    return nullptr;
  OpOperand *init = op.getDpsInitOperand(0), *sole = nullptr;
  if (op.payloadUsesValueFromOperand(init))
    return nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.getNumResults() == 0 || isUniformConstant(input->get()))
      continue;
    if (sole || !map.isPermutation() || map != op.getMatchingIndexingMap(init))
      return nullptr;
    sole = input;
  }
  return sole;
}

/// The ops whose result, or a value that is computed from it alone, is narrower
/// than their sole input. `ops` are in the order of the program; no movement is
/// among them.
static DenseSet<Operation *> findNarrowing(ArrayRef<linalg::GenericOp> ops) {
  auto width = [](Value value) {
    Type type = getElementTypeOrSelf(value.getType());
    return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
  };
  DenseSet<Operation *> narrowing;
  // Readers come before what they read.
  for (linalg::GenericOp op : llvm::reverse(ops)) {
    OpOperand *input = soleInput(op);
    if (!input)
      continue;
    Value result = op->getResult(0);
    bool leads = width(result) < width(input->get());
    if (width(result) == width(input->get()) && result.hasOneUse()) {
      OpOperand &use = *result.getUses().begin();
      auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
      leads = user && narrowing.contains(user) && soleInput(user) == &use;
    }
    if (leads)
      narrowing.insert(op);
  }
  return narrowing;
}

/// The value whose elements `moved` has in another order or shape; null if
/// `moved` is not such a movement.
static Value sourceOf(Value moved) {
  if (auto expand = moved.getDefiningOp<tensor::ExpandShapeOp>())
    return expand.getSrc();
  if (auto collapse = moved.getDefiningOp<tensor::CollapseShapeOp>())
    return collapse.getSrc();
  // Not a broadcast, which has more elements than its source.
  if (linalg::GenericOp move = movementOf(moved))
    if (OpOperand *input = move.getDpsInputOperand(0);
        move.getMatchingIndexingMap(input).isPermutation())
      return input->get();
  return {};
}

/// Whether one op works on the value; others only ask for its sizes.
static bool hasOneReader(Value value) {
  return llvm::count_if(value.getUses(), [](OpOperand &use) {
           auto dim = dyn_cast<tensor::DimOp>(use.getOwner());
           return !dim || !dim.getConstantIndex();
         }) == 1;
}

/// Gives those who ask for sizes of the result of `movement` the same in terms
/// of its operands.
static bool replaceDims(RewriterBase &rewriter, Operation *movement) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(movement);
  ReifiedRankedShapedTypeDims sizes;
  SmallVector<tensor::DimOp> dims;
  for (Operation *user : movement->getUsers())
    if (auto dim = dyn_cast<tensor::DimOp>(user))
      dims.push_back(dim);
  if (dims.empty())
    return true;
  if (failed(reifyResultShapes(rewriter, movement, sizes)))
    return false;
  for (tensor::DimOp dim : dims)
    rewriter.replaceOp(dim, getValueOrCreateConstantIndexOp(
                                rewriter, dim.getLoc(),
                                sizes.front()[*dim.getConstantIndex()]));
  return true;
}

/// The same movement of `source`; a tensor of its sizes is `outs`, if given.
static Value moveInstead(RewriterBase &rewriter, Location loc, Value moved,
                         Value source, Value outs) {
  Type element = getElementTypeOrSelf(source.getType());
  Type type = cast<RankedTensorType>(moved.getType()).clone(element);
  if (auto expand = moved.getDefiningOp<tensor::ExpandShapeOp>())
    return tensor::ExpandShapeOp::create(rewriter, loc, type, source,
                                         expand.getReassociationIndices(),
                                         expand.getMixedOutputShape());
  if (auto collapse = moved.getDefiningOp<tensor::CollapseShapeOp>())
    return tensor::CollapseShapeOp::create(rewriter, loc, type, source,
                                           collapse.getReassociationIndices());
  linalg::GenericOp move = movementOf(moved);
  if (!outs)
    outs = tensor::EmptyOp::create(
        rewriter, loc,
        tensor::getMixedSizes(rewriter, loc, move.getDpsInits()[0]), element);
  auto copy = linalg::GenericOp::create(
      rewriter, loc, type, source, outs, move.getIndexingMapsArray(),
      move.getIteratorTypesArray(),
      [](OpBuilder &builder, Location loc, ValueRange args) {
        linalg::YieldOp::create(builder, loc, args.front());
      });
  copy->setDiscardableAttrs(move->getDiscardableAttrDictionary());
  return copy.getResult(0);
}

/// The location of `op` where it is computed on `source`: the value before the
/// movement in another form, or else a part of what the op computes.
static Location earlyLocation(linalg::GenericOp op, Value source) {
  Operation *def = source.getDefiningOp();
  ValueInfo info = def ? valueInfo(def->getLoc()) : ValueInfo();
  if (info.layer.empty() || !isFormOfLayer(op.getLoc()))
    return asPartOfLayer(op.getLoc());
  return withOrder(asFormOfLayer(op.getLoc(), info), info.order);
}

/// The op on `source` instead of `input`, in the order of its elements.
static Value computeOn(RewriterBase &rewriter, linalg::GenericOp op,
                       OpOperand *input, Value source) {
  Location loc = op.getLoc();
  unsigned rank = cast<RankedTensorType>(source.getType()).getRank();
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Value value = operand->get();
    DenseElementsAttr splat;
    if (operand != input &&
        op.getMatchingIndexingMap(operand).getNumResults() != 0 &&
        matchPattern(value, m_Constant(&splat)))
      value = arith::ConstantOp::create(
          rewriter, loc, cast<TypedAttr>(splat.getSplatValue<Attribute>()));
    inputs.push_back(operand == input ? source : value);
    maps.push_back(operand == input
                       ? identity
                       : AffineMap::get(rank, 0, rewriter.getContext()));
  }
  maps.push_back(identity);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, source),
      getElementTypeOrSelf(op->getResult(0).getType()));
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  auto early =
      linalg::GenericOp::create(rewriter, earlyLocation(op, source),
                                empty.getType(), inputs, empty, maps, kinds);
  early->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.cloneRegionBefore(op.getRegion(), early.getRegion(),
                             early.getRegion().begin());
  return early.getResult(0);
}

/// Whether a value is moved, and only for one reader. Parts of a concatenation
/// are read by nobody else either, so that no element is computed twice where
/// something is computed of the parts.
static bool isMoved(Value value) {
  if (!hasOneReader(value))
    return false;
  auto concat = value.getDefiningOp<tensor::ConcatOp>();
  return sourceOf(value) ||
         (concat && llvm::all_of(concat.getInputs(), hasOneReader));
}

namespace {
/// Computes an op before all movement of its input.
class Hoister {
public:
  Hoister(RewriterBase &rewriter, linalg::GenericOp op, OpOperand *input)
      : rewriter(rewriter), op(op), input(input) {}

  /// The op of `value`, its input or what that is moved from.
  Value compute(Value value) {
    if (!isMoved(value) || !replaceDims(rewriter, value.getDefiningOp()))
      return computeOn(rewriter, op, input, value);
    bool isLast = moves.empty();
    Location loc = isLast ? op.getLoc() : asPartOfLayer(op.getLoc());
    moves.push_back(value.getDefiningOp());
    if (Value source = sourceOf(value))
      return moveInstead(rewriter, loc, value, compute(source),
                         isLast ? op.getDpsInits()[0] : Value());
    auto concat = value.getDefiningOp<tensor::ConcatOp>();
    SmallVector<Value> parts;
    for (Value part : concat.getInputs())
      parts.push_back(compute(part));
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    return tensor::ConcatOp::create(rewriter, loc,
                                    concat.getResultType().clone(element),
                                    concat.getDim(), parts);
  }

  /// What was moved, readers first.
  ArrayRef<Operation *> getMoves() const { return moves; }

private:
  RewriterBase &rewriter;
  linalg::GenericOp op;
  OpOperand *input;
  SmallVector<Operation *> moves;
};
} // namespace

/// Computes the op, which leads to narrowing, before all movement of its input,
/// and moves its result.
static void hoist(RewriterBase &rewriter, linalg::GenericOp op) {
  OpOperand *input = soleInput(op);
  if (!input || !isMoved(input->get()))
    return;
  rewriter.setInsertionPoint(op);
  Hoister hoister(rewriter, op, input);
  Value value = hoister.compute(input->get());
  if (hoister.getMoves().empty()) // someone else asks for a size
    return rewriter.eraseOp(value.getDefiningOp());
  ++numHoisted;
  LDBG() << "computes " << op->getName() << " at " << op.getLoc() << " before "
         << hoister.getMoves().size() << " movements of its input";
  rewriter.replaceOp(op, value);
  for (Operation *move : hoister.getMoves())
    rewriter.eraseOp(move);
}

namespace {
struct HoistNarrowing : qcc::impl::HoistNarrowingBase<HoistNarrowing> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      // Movement may vanish before its turn.
      if (op->getNumResults() == 1 && !movementOf(op->getResult(0)))
        ops.push_back(op);
    });
    DenseSet<Operation *> narrowing = findNarrowing(ops);
    for (linalg::GenericOp op : ops)
      if (narrowing.contains(op))
        hoist(rewriter, op);
  }
};
} // namespace
