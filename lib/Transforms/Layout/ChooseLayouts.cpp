//===- ChooseLayouts.cpp - Which values have their channels last ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// int8 convolutions want their left operands and results with the channels
// last. From there the order spreads over the ops that can do their work in any
// order, to what they read and to what they write; the first order that reaches
// a value stays.
//
//===----------------------------------------------------------------------===//

#include "../Contraction/ContractionRewrites.h"
#include "Layouts.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/InterleavedRange.h"

#define DEBUG_TYPE "channels-last"

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numConvolutions,
                         "Convolutions that want their channels last");
ALWAYS_ENABLED_STATISTIC(numValues, "Values stored in another order");

/// Whether a slice has as many dimensions as what it is a slice of.
template <typename OpTy> static bool keepsRank(OpTy op) {
  return op.getSourceType().getRank() == op.getType().getRank();
}

/// Whether the op can be told to store its result in the order.
static bool canStore(Value value, ArrayRef<int64_t> order) {
  Operation *op = value.getDefiningOp();
  if (!op || isFree(value))
    return false;
  // The body of an op may take elements of other tensors, and nothing else.
  for (Operation *user : value.getUsers())
    if (user->getParentOfType<linalg::LinalgOp>() &&
        !isa<tensor::ExtractOp>(user))
      return false;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic.hasPureTensorSemantics();
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return llvm::all_of(pad.getRegion().getArguments(),
                        [](BlockArgument arg) { return arg.use_empty(); });
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return keepsRank(slice);
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return keepsRank(slice);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return layoutFromExpanded(expand.getResultType(),
                              expand.getReassociationIndices(), order)
        .has_value();
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType());
  return isa<tensor::CollapseShapeOp, tensor::ConcatOp>(op);
}

namespace {
class Chooser {
public:
  explicit Chooser(bool formsFloats) : formsFloats(formsFloats) {}

  /// The orders that a convolution wants.
  void wish(linalg::GenericOp op);
  /// Hands the order of each value on to its neighbours, and so on.
  void spreadAll();
  Layouts take() { return std::move(layouts); }

private:
  using Places = SmallVector<std::optional<int64_t>>;

  void assign(Value value, ArrayRef<int64_t> order) {
    assert((!isa<RankedTensorType>(value.getType()) ||
            int64_t(order.size()) ==
                cast<RankedTensorType>(value.getType()).getRank()) &&
           "an order has each dimension");
    if (isa<RankedTensorType>(value.getType()) && canStore(value, order) &&
        layouts.values.try_emplace(value, order).second) {
      if (!isIdentity(order)) {
        ++numValues;
        LDBG() << "stores the value at " << value.getLoc() << " in the order "
               << llvm::interleaved_array(order);
      }
      worklist.push_back(value);
    }
  }
  void spread(Operation *op, Value from);
  void spread(linalg::GenericOp op, Value from);
  void spread(linalg::GenericOp op, OpOperand &from, ArrayRef<int64_t> order);

  bool formsFloats;
  Layouts layouts;
  SmallVector<Value> worklist;
};
} // namespace

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
enum class Role { Batch, Window, Channel };
} // namespace

/// Batches, then the dimensions of windows, then channels; as it is where the
/// last dimension is one of channels, or there is one channel only.
static Order channelsLast(Value value, ArrayRef<Role> roles) {
  Order order = identityOrder(roles.size());
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  bool hasChannels = llvm::any_of(llvm::zip(shape, roles), [](auto dim) {
    return std::get<0>(dim) != 1 && std::get<1>(dim) == Role::Channel;
  });
  if (!hasChannels || roles.back() == Role::Channel)
    return order;
  llvm::stable_sort(order,
                    [&](int64_t a, int64_t b) { return roles[a] < roles[b]; });
  return order;
}

static bool hasWindows(AffineMap map) {
  return llvm::any_of(map.getResults(), [](AffineExpr expr) {
    return !isa<AffineDimExpr, AffineConstantExpr>(expr);
  });
}

void Chooser::wish(linalg::GenericOp op) {
  auto [lhs, rhs] = factorOperands(op, formsFloats);
  if (!lhs || !hasWindows(op.getMatchingIndexingMap(lhs)))
    return;
  AffineMap left = op.getMatchingIndexingMap(lhs),
            right = op.getMatchingIndexingMap(rhs),
            out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<bool> inWindow(op.getNumLoops());
  SmallVector<Role> leftRoles, outRoles;
  auto roleOf = [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return isa<AffineConstantExpr>(expr) ? Role::Batch : Role::Window;
    if (inWindow[dim.getPosition()])
      return Role::Window;
    return right.isFunctionOfDim(dim.getPosition()) ? Role::Channel
                                                    : Role::Batch;
  };
  for (AffineExpr expr : left.getResults()) {
    leftRoles.push_back(roleOf(expr));
    if (leftRoles.back() == Role::Window)
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        inWindow[loop] |= expr.isFunctionOfDim(loop);
  }
  for (AffineExpr expr : out.getResults())
    outRoles.push_back(roleOf(expr));
  Order leftOrder = channelsLast(lhs->get(), leftRoles);
  ++numConvolutions;
  LDBG() << "the convolution at " << op.getLoc()
         << " wants its left operand in the order "
         << llvm::interleaved_array(leftOrder);
  layouts.operands[lhs] = leftOrder;
  assign(lhs->get(), leftOrder);
  assign(op->getResult(0), channelsLast(op->getResult(0), outRoles));
}

//===----------------------------------------------------------------------===//
// Neighbours
//===----------------------------------------------------------------------===//

/// A product of the channels of pixels that is not written as a convolution:
/// the channels that it makes lie where those lie that it reads.
static void placeColumns(linalg::GenericOp op, bool formsFloats,
                         MutableArrayRef<std::optional<int64_t>> places) {
  auto [lhs, rhs] = factorOperands(op, formsFloats);
  if (!lhs || op.getNumReductionLoops() != 1)
    return;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  AffineMap left = op.getMatchingIndexingMap(lhs),
            right = op.getMatchingIndexingMap(rhs);
  std::optional<unsigned> column;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (left.isFunctionOfDim(loop) || !right.isFunctionOfDim(loop))
      continue;
    if (column)
      return;
    column = loop;
  }
  if (!column)
    return;
  auto &reduction = places[reduced.front()], &columns = places[*column];
  if (!columns)
    columns = reduction;
  else if (!reduction)
    reduction = columns;
}

/// `order` is that of `from`, an operand or the result that is tied to it.
void Chooser::spread(linalg::GenericOp op, OpOperand &from,
                     ArrayRef<int64_t> order) {
  AffineMap map = op.getMatchingIndexingMap(&from);
  Places places(op.getNumLoops());
  Order placeOf(order.size()); // of each dimension in memory
  for (auto [place, d] : llvm::enumerate(order)) {
    placeOf[d] = place;
    if (std::optional<unsigned> loop = loopAlong(op, map.getResult(d)))
      places[*loop] = place;
  }
  placeColumns(op, formsFloats, places);
  for (OpOperand &to : op->getOpOperands()) {
    AffineMap toMap = op.getMatchingIndexingMap(&to);
    std::optional<Order> wanted = orderByLoops(op, toMap, places);
    // Dimensions of one element keep their places among the others.
    if (wanted && toMap.getNumResults() == order.size() &&
        llvm::all_of_zip(toMap.getResults(), map.getResults(),
                         [](AffineExpr a, AffineExpr b) {
                           return a == b || isa<AffineConstantExpr>(a) ||
                                  isa<AffineConstantExpr>(b);
                         }))
      wanted = Order(order);
    if (!wanted)
      continue;
    assign(to.get(), *wanted);
    if (op.isDpsInit(&to))
      assign(op.getTiedOpResult(&to), *wanted);
  }
}

void Chooser::spread(linalg::GenericOp op, Value from) {
  SmallVector<OpOperand *> inputs;
  bool isWindowed = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    isWindowed |= hasWindows(op.getMatchingIndexingMap(input));
    if (op.payloadUsesValueFromOperand(input))
      inputs.push_back(input);
  }
  // A convolution has its own wishes, or none where it becomes loops: they read
  // and write any order, and do well with vectors along a line.
  if (isWindowed && inputs.size() > 1)
    return;
  Order order = layouts.of(from);
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == from ||
        (op.isDpsInit(&operand) && op.getTiedOpResult(&operand) == from))
      spread(op, operand, order);
  // What the body takes elements of, such as an image that is resized.
  SmallVector<Value> images;
  op.getBody()->walk([&](tensor::ExtractOp extract) {
    if (extract.getTensor().getType().getRank() == int64_t(order.size()))
      images.push_back(extract.getTensor());
  });
  if (llvm::is_contained(images, from))
    for (Value result : op->getResults())
      if (cast<RankedTensorType>(result.getType()).getRank() ==
          int64_t(order.size()))
        assign(result, order);
  if (from.getDefiningOp() == op)
    for (Value image : images)
      assign(image, order);
}

void Chooser::spread(Operation *op, Value from) {
  Order order = layouts.of(from);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return spread(generic, from);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    auto groups = expand.getReassociationIndices();
    if (from == expand.getSrc())
      assign(expand.getResult(), layoutFromCollapsed(groups, order).expanded);
    else if (auto layout =
                 layoutFromExpanded(expand.getResultType(), groups, order))
      assign(expand.getSrc(), layout->collapsed);
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    auto groups = collapse.getReassociationIndices();
    if (from == collapse.getResult())
      assign(collapse.getSrc(), layoutFromCollapsed(groups, order).expanded);
    else if (auto layout =
                 layoutFromExpanded(collapse.getSrcType(), groups, order))
      assign(collapse.getResult(), layout->collapsed);
  } else if (isa<tensor::PadOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
                 tensor::ConcatOp, tensor::CastOp>(op)) {
    auto hasRank = [&](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      return type && type.getRank() == int64_t(order.size());
    };
    for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()),
                                           llvm::to_vector(op->getResults())))
      if (hasRank(value))
        assign(value, order);
  }
}

void Chooser::spreadAll() {
  for (size_t next = 0; next < worklist.size(); ++next) {
    Value value = worklist[next];
    // A number, say a scale that is expanded, orders no dimensions.
    if (layouts.of(value).empty())
      continue;
    spread(value.getDefiningOp(), value);
    for (Operation *user : value.getUsers()) {
      auto around = isa<tensor::ExtractOp>(user)
                        ? user->getParentOfType<linalg::GenericOp>()
                        : linalg::GenericOp();
      spread(around ? around : user, value);
    }
  }
}

Layouts qcc::chooseLayouts(func::FuncOp function, bool formsFloats) {
  Chooser chooser(formsFloats);
  function.walk([&](linalg::GenericOp op) { chooser.wish(op); });
  chooser.spreadAll();
  return chooser.take();
}
