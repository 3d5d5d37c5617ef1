//===- Layouts.cpp - In which order values are stored ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

Order qcc::identityOrder(int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

bool qcc::isIdentity(ArrayRef<int64_t> order) {
  return llvm::equal(order, llvm::seq<int64_t>(0, order.size()));
}

RankedTensorType qcc::inMemory(RankedTensorType type, ArrayRef<int64_t> order) {
  return type.clone(inMemory(type.getShape(), order));
}

AffineMap qcc::inMemory(AffineMap map, ArrayRef<int64_t> order) {
  return AffineMap::get(map.getNumDims(), 0, inMemory(map.getResults(), order),
                        map.getContext());
}

Order Layouts::of(Value value) const {
  auto known = values.find(value);
  if (known != values.end())
    return known->second;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return identityOrder(type ? type.getRank() : 0);
}

bool Layouts::areTrivial() const {
  auto isTrivial = [](const auto &entry) { return isIdentity(entry.second); };
  return llvm::all_of(values, isTrivial) && llvm::all_of(operands, isTrivial);
}

bool qcc::isFree(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<tensor::EmptyOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic->getNumResults() == 1 &&
         generic.getNumReductionLoops() == 0 && !generic.hasIndexSemantics() &&
         isa_and_nonnull<tensor::EmptyOp>(
             generic.getDpsInits()[0].getDefiningOp()) &&
         llvm::none_of(generic.getDpsInputs(), [](Value input) {
           return isa<ShapedType>(input.getType());
         });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::optional<unsigned> qcc::loopAlong(linalg::GenericOp op,
                                       AffineExpr dimension) {
  if (auto dim = dyn_cast<AffineDimExpr>(dimension))
    return dim.getPosition();
  std::optional<unsigned> found;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (unsigned loop = 0; loop < kinds.size(); ++loop) {
    if (kinds[loop] != utils::IteratorType::parallel ||
        !dimension.isFunctionOfDim(loop))
      continue;
    if (found)
      return std::nullopt;
    found = loop;
  }
  return found;
}

std::optional<Order>
qcc::orderByLoops(linalg::GenericOp op, AffineMap map,
                  ArrayRef<std::optional<int64_t>> places) {
  assert(places.size() == op.getNumLoops() && "a place for each loop");
  SmallVector<int64_t> keys;
  for (AffineExpr expr : map.getResults()) {
    if (isa<AffineConstantExpr>(expr)) {
      keys.push_back(-1);
      continue;
    }
    std::optional<unsigned> loop = loopAlong(op, expr);
    if (!loop || !places[*loop])
      return std::nullopt;
    keys.push_back(*places[*loop]);
  }
  Order order = identityOrder(keys.size());
  llvm::stable_sort(order,
                    [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
  return order;
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

std::optional<ReshapeLayout>
qcc::layoutFromExpanded(RankedTensorType expanded,
                        ArrayRef<ReassociationIndices> groups,
                        ArrayRef<int64_t> order) {
  assert(int64_t(order.size()) == expanded.getRank() &&
         "an order has each dimension");
  SmallVector<int64_t> groupOf(expanded.getRank());
  for (auto [g, group] : llvm::enumerate(groups))
    for (int64_t d : group)
      groupOf[d] = g;
  ReshapeLayout layout{Order(order), {}, {}};
  int64_t last = -1; // dimension of the current group with more than an element
  for (auto [i, d] : llvm::enumerate(order)) {
    if (layout.collapsed.empty() || layout.collapsed.back() != groupOf[d]) {
      if (llvm::is_contained(layout.collapsed, groupOf[d]))
        return std::nullopt;
      layout.collapsed.push_back(groupOf[d]);
      layout.groups.emplace_back();
      last = -1;
    }
    layout.groups.back().push_back(i);
    if (expanded.getDimSize(d) == 1)
      continue;
    if (d < last)
      return std::nullopt;
    last = d;
  }
  if (layout.collapsed.size() != groups.size())
    return std::nullopt; // a tensor without dimensions
  return layout;
}

ReshapeLayout qcc::layoutFromCollapsed(ArrayRef<ReassociationIndices> groups,
                                       ArrayRef<int64_t> order) {
  assert(order.size() == groups.size() && "an order has each dimension");
  ReshapeLayout layout{{}, Order(order), {}};
  for (int64_t g : order) {
    layout.groups.emplace_back();
    for (int64_t d : groups[g]) {
      layout.groups.back().push_back(layout.expanded.size());
      layout.expanded.push_back(d);
    }
  }
  return layout;
}
