//===- ChannelsLast.cpp - Images with their channels last -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites a function for the layouts that ChooseLayouts.cpp chose, op by op in
// the order of the program. Each op reads its operands as they are stored, or
// transposed where it needs them otherwise, and makes its results as they are
// to be stored.
//
//===----------------------------------------------------------------------===//

#include "StoredValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Transforms/Movement.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace qcc {
#define GEN_PASS_DEF_CHANNELSLAST
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

namespace {
class LayoutRewriter {
public:
  LayoutRewriter(MLIRContext *context, const Layouts &layouts)
      : rewriter(context), layouts(layouts), values(rewriter, layouts) {}

  void rewrite(func::FuncOp function);

private:
  bool concerns(Operation *op) const;
  bool rewrite(Operation *op);
  void rewrite(linalg::GenericOp op);
  void rewrite(tensor::PadOp op);
  void rewrite(tensor::ConcatOp op);
  void rewrite(tensor::ExtractSliceOp op);
  void rewrite(tensor::InsertSliceOp op);
  void rewrite(tensor::ExpandShapeOp op);
  void rewrite(tensor::CollapseShapeOp op);
  void rewrite(tensor::CastOp op);
  void rewrite(tensor::DimOp op);
  void takeBody(linalg::GenericOp from, linalg::GenericOp to,
                ArrayRef<unsigned> loops);
  /// The order in which a generic reads an input.
  Order readOrder(linalg::GenericOp op, OpOperand &input,
                  ArrayRef<unsigned> loops) const;

  IRRewriter rewriter;
  const Layouts &layouts;
  StoredValues values;
};
} // namespace

//===----------------------------------------------------------------------===//
// linalg.generic
//===----------------------------------------------------------------------===//

/// Whether the results are the same in whatever order reductions run.
static bool isReductionOfIntegers(linalg::GenericOp op) {
  Block *body = op.getBody();
  for (auto [i, value] :
       llvm::enumerate(body->getTerminator()->getOperands())) {
    Operation *combine = value.getDefiningOp();
    Value acc = body->getArgument(op.getNumDpsInputs() + i);
    if (!isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::MaxSIOp,
                         arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp>(
            combine) ||
        !acc.hasOneUse() || *acc.user_begin() != combine)
      return false;
  }
  return true;
}

/// The loops of an op in their new order: parallel ones as the first result is
/// stored, reductions as the first input is that has them all.
static SmallVector<unsigned> orderLoops(linalg::GenericOp op,
                                        const Layouts &layouts) {
  SmallVector<unsigned> loops;
  auto add = [&](unsigned loop) {
    if (!llvm::is_contained(loops, loop))
      loops.push_back(loop);
  };
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expr :
       inMemory(out, layouts.of(op->getResult(0))).getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      add(dim.getPosition());
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  llvm::for_each(parallel, add);
  if (reductions.size() > 1 && isReductionOfIntegers(op))
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (!llvm::all_of(reductions,
                        [&](unsigned d) { return map.isFunctionOfDim(d); }))
        continue;
      auto known = layouts.operands.find(input);
      Order order = known != layouts.operands.end() ? known->second
                                                    : layouts.of(input->get());
      for (AffineExpr expr : inMemory(map, order).getResults())
        for (unsigned loop : reductions)
          if (expr.isFunctionOfDim(loop))
            add(loop);
      break;
    }
  llvm::for_each(reductions, add);
  return loops;
}

Order LayoutRewriter::readOrder(linalg::GenericOp op, OpOperand &input,
                                ArrayRef<unsigned> loops) const {
  auto wanted = layouts.operands.find(&input);
  if (wanted != layouts.operands.end())
    return wanted->second;
  Value value = input.get();
  if (!isa<RankedTensorType>(value.getType()) ||
      !matchPattern(value, m_Constant()))
    return layouts.of(value);
  // A constant is stored as it is read: what is summed up first, so that
  // columns of a weight lie side by side.
  SmallVector<std::optional<int64_t>> places(op.getNumLoops());
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (auto [place, loop] : llvm::enumerate(loops))
    places[loop] = kinds[loop] == utils::IteratorType::parallel
                       ? int64_t(place + loops.size())
                       : int64_t(place);
  std::optional<Order> order =
      orderByLoops(op, op.getMatchingIndexingMap(&input), places);
  return order ? *order : layouts.of(value);
}

void LayoutRewriter::takeBody(linalg::GenericOp from, linalg::GenericOp to,
                              ArrayRef<unsigned> loops) {
  rewriter.cloneRegionBefore(from.getRegion(), to.getRegion(),
                             to.getRegion().begin());
  to.getBody()->walk([&](linalg::IndexOp index) {
    index.setDim(std::distance(loops.begin(),
                               llvm::find(loops, unsigned(index.getDim()))));
  });
  to.getBody()->walk([&](tensor::ExtractOp extract) {
    Value tensor = extract.getTensor();
    Order order = layouts.of(tensor);
    if (isIdentity(order))
      return;
    SmallVector<Value> indices = inMemory(extract.getIndices(), order);
    extract.getTensorMutable().assign(values.stored(tensor));
    extract.getIndicesMutable().assign(indices);
  });
}

void LayoutRewriter::rewrite(linalg::GenericOp op) {
  SmallVector<unsigned> loops = orderLoops(op, layouts);
  assert(loops.size() == op.getNumLoops() && "each loop has a place");
  SmallVector<AffineExpr> renamed(loops.size());
  SmallVector<utils::IteratorType> kinds;
  for (auto [i, loop] : llvm::enumerate(loops)) {
    renamed[loop] = rewriter.getAffineDimExpr(i);
    kinds.push_back(op.getIteratorTypesArray()[loop]);
  }
  SmallVector<AffineMap> maps;
  auto addMap = [&](OpOperand &operand, ArrayRef<int64_t> order) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!order.empty())
      map = inMemory(map, order);
    maps.push_back(map.replaceDimsAndSymbols(renamed, {}, loops.size(), 0));
  };
  SmallVector<Value> inputs, inits;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Order order = readOrder(op, *input, loops);
    inputs.push_back(order.empty() ? input->get()
                                   : values.inOrder(input->get(), order));
    addMap(*input, order);
  }
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Order order = layouts.of(op.getTiedOpResult(&init));
    inits.push_back(values.inOrder(init.get(), order));
    addMap(init, order);
  }
  rewriter.setInsertionPoint(op);
  bool isMove = movementOf(op->getResult(0)) && maps[0] == maps[1] &&
                inputs[0].getType() == inits[0].getType();
  if (isMove) // it is stored as the op would store it
    return values.replace(op->getResult(0), inputs[0]);
  auto created = linalg::GenericOp::create(rewriter, op.getLoc(),
                                           ValueRange(inits).getTypes(), inputs,
                                           inits, maps, kinds);
  created->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  takeBody(op, created, loops);
  if (op->getNumResults() == 1)
    created->setLoc(values.locationOf(op->getResult(0)));
  SmallVector<ValueInfo> infos = valueInfos(op, op->getNumResults());
  for (auto [info, result] : llvm::zip_equal(infos, op->getResults()))
    if (Order order = layouts.of(result);
        !isIdentity(order) && !(info == ValueInfo()))
      info.order = order;
  setValueInfos(created, infos);
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), created.getResults()))
    values.replace(result, value);
}

//===----------------------------------------------------------------------===//
// Ops of tensors
//===----------------------------------------------------------------------===//

void LayoutRewriter::rewrite(tensor::PadOp op) {
  Order order = layouts.of(op.getResult());
  auto created = tensor::PadOp::create(
      rewriter, values.locationOf(op->getResult(0)),
      inMemory(op.getResultType(), order),
      values.inOrder(op.getSource(), order),
      inMemory(op.getMixedLowPad(), order),
      inMemory(op.getMixedHighPad(), order), op.getNofold());
  rewriter.cloneRegionBefore(op.getRegion(), created.getRegion(),
                             created.getRegion().begin());
  values.replace(op->getResult(0), created.getResult());
}

void LayoutRewriter::rewrite(tensor::ConcatOp op) {
  Order order = layouts.of(op.getResult());
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(values.inOrder(input, order));
  int64_t dim =
      std::distance(order.begin(), llvm::find(order, int64_t(op.getDim())));
  values.replace(op->getResult(0),
                 tensor::ConcatOp::create(
                     rewriter, values.locationOf(op->getResult(0)),
                     inMemory(op.getResultType(), order), dim, inputs));
}

void LayoutRewriter::rewrite(tensor::ExtractSliceOp op) {
  Order order = layouts.of(op.getResult());
  values.replace(op->getResult(0),
                 tensor::ExtractSliceOp::create(
                     rewriter, values.locationOf(op->getResult(0)),
                     inMemory(op.getType(), order),
                     values.inOrder(op.getSource(), order),
                     inMemory(op.getMixedOffsets(), order),
                     inMemory(op.getMixedSizes(), order),
                     inMemory(op.getMixedStrides(), order)));
}

void LayoutRewriter::rewrite(tensor::InsertSliceOp op) {
  Order order = layouts.of(op.getResult());
  values.replace(op->getResult(0),
                 tensor::InsertSliceOp::create(
                     rewriter, values.locationOf(op->getResult(0)),
                     values.inOrder(op.getSource(), order),
                     values.inOrder(op.getDest(), order),
                     inMemory(op.getMixedOffsets(), order),
                     inMemory(op.getMixedSizes(), order),
                     inMemory(op.getMixedStrides(), order)));
}

void LayoutRewriter::rewrite(tensor::ExpandShapeOp op) {
  auto layout =
      *layoutFromExpanded(op.getResultType(), op.getReassociationIndices(),
                          layouts.of(op.getResult()));
  values.replace(op->getResult(0),
                 tensor::ExpandShapeOp::create(
                     rewriter, values.locationOf(op->getResult(0)),
                     inMemory(op.getResultType(), layout.expanded),
                     values.inOrder(op.getSrc(), layout.collapsed),
                     layout.groups,
                     inMemory(op.getMixedOutputShape(), layout.expanded)));
}

void LayoutRewriter::rewrite(tensor::CollapseShapeOp op) {
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  Order order = layouts.of(op.getResult());
  // As it is stored, if the result then has its order.
  auto layout =
      layoutFromExpanded(op.getSrcType(), groups, layouts.of(op.getSrc()));
  if (!layout || layout->collapsed != order)
    layout = layoutFromCollapsed(groups, order);
  values.replace(op->getResult(0),
                 tensor::CollapseShapeOp::create(
                     rewriter, values.locationOf(op->getResult(0)),
                     inMemory(op.getResultType(), order),
                     values.inOrder(op.getSrc(), layout->expanded),
                     layout->groups));
}

void LayoutRewriter::rewrite(tensor::CastOp op) {
  Order order = layouts.of(op.getResult());
  auto type = inMemory(cast<RankedTensorType>(op.getType()), order);
  values.replace(
      op->getResult(0),
      tensor::CastOp::create(rewriter, values.locationOf(op->getResult(0)),
                             type, values.inOrder(op.getSource(), order)));
}

void LayoutRewriter::rewrite(tensor::DimOp op) {
  Order order = layouts.of(op.getSource());
  std::optional<int64_t> dim = op.getConstantIndex();
  Value source = op.getSource();
  Value size;
  if (dim && *dim < int64_t(order.size()))
    size = tensor::DimOp::create(
        rewriter, op.getLoc(), values.stored(source),
        std::distance(order.begin(), llvm::find(order, *dim)));
  else
    size = tensor::DimOp::create(
        rewriter, op.getLoc(),
        values.inOrder(source, identityOrder(order.size())), op.getIndex());
  values.replace(op->getResult(0), size);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Whether an operand or a result is not as the program has it.
bool LayoutRewriter::concerns(Operation *op) const {
  auto isMoved = [&](Value value) { return !isIdentity(layouts.of(value)); };
  if (llvm::any_of(op->getOperands(), isMoved) ||
      llvm::any_of(op->getResults(), isMoved))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return false;
  for (OpOperand &operand : op->getOpOperands())
    if (auto wanted = layouts.operands.find(&operand);
        wanted != layouts.operands.end() && !isIdentity(wanted->second))
      return true;
  return generic.getBody()
      ->walk([&](tensor::ExtractOp extract) {
        return isMoved(extract.getTensor()) ? WalkResult::interrupt()
                                            : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether another op stands for the op now.
bool LayoutRewriter::rewrite(Operation *op) {
  rewriter.setInsertionPoint(op);
  bool isRewritten =
      op->getNumResults() > 0 && (layouts.values.contains(op->getResult(0)) ||
                                  isa<linalg::GenericOp, tensor::DimOp>(op));
  if (!isRewritten) {
    for (OpOperand &operand : op->getOpOperands())
      if (Order order = layouts.of(operand.get()); !isIdentity(order))
        operand.set(values.inOrder(operand.get(), identityOrder(order.size())));
    return false;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<linalg::GenericOp, tensor::PadOp, tensor::ConcatOp,
            tensor::ExtractSliceOp, tensor::InsertSliceOp,
            tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
            tensor::DimOp>([&](auto typed) { rewrite(typed); });
  return true;
}

void LayoutRewriter::rewrite(func::FuncOp function) {
  // Bodies of generics are rewritten with these.
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function && concerns(op))
      ops.push_back(op);
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  SmallVector<Operation *> replaced =
      llvm::filter_to_vector(ops, [&](Operation *op) { return rewrite(op); });
  for (Operation *op : llvm::reverse(replaced))
    rewriter.eraseOp(op);
}

namespace {
struct ChannelsLast : qcc::impl::ChannelsLastBase<ChannelsLast> {
  using ChannelsLastBase::ChannelsLastBase;

  void runOnOperation() override {
    Layouts layouts = chooseLayouts(getOperation(), floats);
    if (!layouts.areTrivial())
      LayoutRewriter(&getContext(), layouts).rewrite(getOperation());
  }
};
} // namespace
