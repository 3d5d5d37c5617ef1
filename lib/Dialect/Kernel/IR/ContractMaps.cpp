//===- ContractMaps.cpp - Indexing maps of kernel.contract ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The maps of operands, and what follows from them: the roles of loops, and
// which loops are rows.
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineMap.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

using namespace mlir;
using namespace qcc::kernel;

//===----------------------------------------------------------------------===//
// Forms of maps
//===----------------------------------------------------------------------===//

/// `term` as that of a group.
static std::optional<GroupTerm> asGroup(AffineExpr term) {
  int64_t stride = 1;
  auto product = dyn_cast<AffineBinaryOpExpr>(term);
  if (product && product.getKind() == AffineExprKind::Mul)
    if (auto factor = dyn_cast<AffineConstantExpr>(product.getRHS())) {
      stride = factor.getValue();
      term = product.getLHS();
    }
  auto quotient = dyn_cast<AffineBinaryOpExpr>(term);
  if (!quotient || quotient.getKind() != AffineExprKind::FloorDiv)
    return std::nullopt;
  auto loop = dyn_cast<AffineDimExpr>(quotient.getLHS());
  auto size = dyn_cast<AffineConstantExpr>(quotient.getRHS());
  if (!loop || !size || size.getValue() <= 0 || stride <= 0)
    return std::nullopt;
  return GroupTerm{loop.getPosition(), size.getValue(), stride};
}

/// A sum as its first term that is a group, if there is one, and the rest.
static std::pair<std::optional<GroupTerm>, AffineExpr>
splitGroup(AffineExpr expr) {
  if (auto group = asGroup(expr))
    return {group, getAffineConstantExpr(0, expr.getContext())};
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return {std::nullopt, expr};
  auto [left, restOfLeft] = splitGroup(sum.getLHS());
  if (left)
    return {left, restOfLeft + sum.getRHS()};
  auto [right, restOfRight] = splitGroup(sum.getRHS());
  return {right, sum.getLHS() + restOfRight};
}

std::optional<GroupTerm> qcc::kernel::groupTerm(AffineExpr expr) {
  return splitGroup(expr).first;
}

std::optional<SmallVector<int64_t>> qcc::kernel::windowFactors(AffineExpr expr,
                                                               unsigned loops) {
  // Coefficients of the dimensions, of quotients and remainders, a constant.
  SmallVector<int64_t> factors;
  if (failed(getFlattenedAffineExpr(splitGroup(expr).second, loops,
                                    /*numSymbols=*/0, &factors)) ||
      factors.size() != loops + 1 || factors.pop_back_val() != 0 ||
      llvm::any_of(factors, [](int64_t factor) { return factor < 0; }))
    return std::nullopt;
  return factors;
}

bool qcc::kernel::isWindow(AffineMap map, std::optional<unsigned> columns) {
  llvm::SmallBitVector seen(map.getNumDims());
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    auto factors = windowFactors(expr, map.getNumDims());
    if (!factors)
      return false;
    if (auto group = groupTerm(expr)) {
      if (group->loop != columns || (*factors)[group->loop] != 0)
        return false;
      (*factors)[group->loop] = group->stride;
    }
    for (auto [dim, factor] : llvm::enumerate(*factors)) {
      if (factor == 0)
        continue;
      if (seen.test(dim))
        return false;
      seen.set(dim);
    }
    return true;
  });
}

std::optional<unsigned> qcc::kernel::resultAlong(AffineMap map, unsigned loop) {
  assert(loop < map.getNumDims() && "no loop of the map");
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto factors = windowFactors(expr, map.getNumDims());
    assert(factors && "maps of a verified contraction are windows");
    if ((*factors)[loop] == 1)
      return i;
  }
  return std::nullopt;
}

bool qcc::kernel::leavesOut(AffineMap map, unsigned loop) {
  return map.isFunctionOfDim(loop) && !resultAlong(map, loop);
}

bool qcc::kernel::isProjection(AffineMap map) {
  llvm::SmallBitVector seen(map.getNumDims());
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      bool isNew = !seen.test(dim.getPosition());
      seen.set(dim.getPosition());
      return isNew;
    }
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return constant && constant.getValue() == 0;
  });
}

//===----------------------------------------------------------------------===//
// Maps of operands
//===----------------------------------------------------------------------===//

/// The segments of operands, as the op has them.
enum Segment : unsigned {
  Lhs,
  Rhs,
  RhsSums, // has no map
  Init,
  LhsZeroPoint,
  RhsZeroPoint,
  LhsOperands,
  RhsOperands,
  GroupOperands,
  EpilogueOperands,
  Outs
};

/// The position in `indexing_maps` of the first operand of a segment.
static unsigned mapPosition(ContractOp op, Segment segment) {
  unsigned position = 0;
  for (unsigned i = 0; i < segment; ++i)
    if (i != RhsSums)
      position += op.getODSOperandIndexAndLength(i).second;
  return position;
}

static AffineMap mapAt(ContractOp op, unsigned position) {
  assert(position < op.getIndexingMaps().size() && "an operand without a map");
  return cast<AffineMapAttr>(op.getIndexingMaps()[position]).getValue();
}

static SmallVector<AffineMap> mapsOf(ContractOp op, Segment segment) {
  SmallVector<AffineMap> maps;
  unsigned first = mapPosition(op, segment);
  for (unsigned i = 0, e = op.getODSOperandIndexAndLength(segment).second;
       i < e; ++i)
    maps.push_back(mapAt(op, first + i));
  return maps;
}

AffineMap ContractOp::getLhsMap() { return mapAt(*this, 0); }
AffineMap ContractOp::getRhsMap() { return mapAt(*this, 1); }
AffineMap ContractOp::getInitMap() {
  return mapAt(*this, mapPosition(*this, Init));
}
AffineMap ContractOp::getLhsZeroPointMap() {
  return mapAt(*this, mapPosition(*this, LhsZeroPoint));
}
AffineMap ContractOp::getRhsZeroPointMap() {
  return mapAt(*this, mapPosition(*this, RhsZeroPoint));
}
SmallVector<AffineMap> ContractOp::getLhsOperandMaps() {
  return mapsOf(*this, LhsOperands);
}
SmallVector<AffineMap> ContractOp::getRhsOperandMaps() {
  return mapsOf(*this, RhsOperands);
}
SmallVector<AffineMap> ContractOp::getGroupMaps() {
  return mapsOf(*this, GroupOperands);
}
SmallVector<AffineMap> ContractOp::getEpilogueMaps() {
  return mapsOf(*this, EpilogueOperands);
}
SmallVector<AffineMap> ContractOp::getOutMaps() { return mapsOf(*this, Outs); }

AffineMap ContractOp::getIndexingMap(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  if (isRhsSums(number))
    return AffineMap();
  return mapAt(*this, getRhsSums() && number > 2 ? number - 1 : number);
}

//===----------------------------------------------------------------------===//
// Roles and rows
//===----------------------------------------------------------------------===//

std::optional<unsigned> ContractOp::getInnermostColumns() {
  AffineMap out = getOutMaps().front();
  if (out.getNumResults() == 0)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(out.getResults().back());
  if (!dim || isReduction(dim.getPosition()) ||
      !getRhsMap().isFunctionOfDim(dim.getPosition()))
    return std::nullopt;
  return dim.getPosition();
}

/// The columns of a depthwise contraction: they are innermost in lhs, too, or
/// choose a group there.
static std::optional<GroupTerm> depthwiseColumns(ContractOp op) {
  AffineMap lhs = op.getLhsMap();
  std::optional<unsigned> columns = op.getInnermostColumns();
  if (!columns || lhs.getNumResults() == 0)
    return std::nullopt;
  AffineExpr last = lhs.getResults().back();
  if (last == getAffineDimExpr(*columns, op.getContext()))
    return GroupTerm{*columns, 1, 1};
  std::optional<GroupTerm> group = groupTerm(last);
  return group && group->loop == *columns ? group : std::nullopt;
}

FailureOr<ContractOp::Roles> ContractOp::getRoles() {
  Roles roles;
  AffineMap lhs = getLhsMap(), rhs = getRhsMap();
  std::optional<unsigned> n;
  SmallVector<unsigned> rest;
  for (unsigned d = 0, e = getNumLoops(); d < e; ++d) {
    if (isReduction(d))
      continue;
    if (rhs.isFunctionOfDim(d) && !lhs.isFunctionOfDim(d)) {
      if (n)
        return failure();
      n = d;
      continue;
    }
    rest.push_back(d);
  }
  if (!n) {
    std::optional<GroupTerm> columns = depthwiseColumns(*this);
    if (!columns)
      return failure();
    n = columns->loop;
    roles.isDepthwise = true;
    roles.columnsOfGroup = columns->size;
    roles.elementsOfGroup = columns->stride;
    llvm::erase(rest, *n);
  }
  assert(roles.columnsOfGroup > 0 && roles.elementsOfGroup > 0 &&
         "groups have columns and elements");
  roles.n = *n;
  for (unsigned d : llvm::reverse(rest))
    if (!rhs.isFunctionOfDim(d)) {
      roles.m = d;
      break;
    }
  for (unsigned d : rest) {
    if (roles.m == d)
      continue;
    roles.outer.push_back(d);
    if (rhs.isFunctionOfDim(d))
      roles.batch.push_back(d);
  }
  return roles;
}

/// The loop that indexes the dimension of lhs before that of `loop`, leaving
/// out unit dimensions.
static std::optional<unsigned> loopBefore(ContractOp op, unsigned loop) {
  AffineMap map = op.getLhsMap();
  auto position =
      map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
  if (!position)
    return std::nullopt;
  for (unsigned i = *position; i-- > 0;) {
    if (auto dim = dyn_cast<AffineDimExpr>(map.getResult(i)))
      return dim.getPosition();
    if (!isa<AffineConstantExpr>(map.getResult(i)))
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::pair<unsigned, unsigned>>
ContractOp::getRowDims(OpOperand &operand, ArrayRef<unsigned> rows) {
  assert(!rows.empty() && "the dimensions of no loops");
  AffineMap map = getIndexingMap(operand);
  auto dimOf = [&](unsigned loop) {
    return map.getResultPosition(getAffineDimExpr(loop, getContext()));
  };
  auto first = dimOf(rows.front()), last = dimOf(rows.back());
  if (!first || !last)
    return std::nullopt;
  return std::make_pair(*first, *last);
}

/// Whether dimensions `first` to `last` of an operand are one in memory.
static bool isOneInMemory(ShapedType type, unsigned first, unsigned last) {
  assert(first <= last && last < type.getRank() && "no range of dimensions");
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || first == last)
    return true;
  SmallVector<ReassociationIndices> groups;
  for (unsigned d = 0; d < type.getRank(); ++d)
    if (d > first && d <= last)
      groups.back().push_back(d);
    else
      groups.push_back({d});
  return memref::CollapseShapeOp::isGuaranteedCollapsible(memref, groups);
}

/// Whether `rows` index dimensions of the operand that follow each other and
/// are one in memory, or none of them is there.
static bool areSideBySide(ContractOp op, OpOperand &operand,
                          ArrayRef<unsigned> rows) {
  AffineMap map = op.getIndexingMap(operand);
  if (llvm::none_of(rows, [&](unsigned d) { return map.isFunctionOfDim(d); }))
    return true;
  auto dims = op.getRowDims(operand, rows);
  auto type = cast<ShapedType>(operand.get().getType());
  if (!dims || dims->first > dims->second ||
      !isOneInMemory(type, dims->first, dims->second))
    return false;
  size_t next = 0;
  for (unsigned i = dims->first; i <= dims->second; ++i) {
    AffineExpr expr = map.getResult(i);
    if (next < rows.size() &&
        expr == getAffineDimExpr(rows[next], op.getContext()))
      ++next;
    else if (!isa<AffineConstantExpr>(expr) || type.getDimSize(i) != 1)
      return false;
  }
  return next == rows.size();
}

SmallVector<unsigned> ContractOp::getRows() {
  Roles roles = *getRoles();
  if (!roles.m)
    return {};
  SmallVector<unsigned> rows{*roles.m};
  while (auto before = loopBefore(*this, rows.front())) {
    if (!llvm::is_contained(roles.outer, *before) ||
        llvm::is_contained(roles.batch, *before))
      break;
    SmallVector<unsigned> longer{*before};
    llvm::append_range(longer, rows);
    if (!llvm::all_of(getOperation()->getOpOperands(), [&](OpOperand &operand) {
          unsigned number = operand.getOperandNumber();
          bool isPackedRhs = (isPacked() && number == 1) || isRhsSums(number);
          return isPackedRhs || areSideBySide(*this, operand, longer);
        }))
      break;
    rows = std::move(longer);
  }
  return rows;
}
