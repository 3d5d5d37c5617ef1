//===- MergeGroups.cpp - Groups of few channels at a time -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TargetPass.h"
#include "ContractionRewrites.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
#include "qcc/Transforms/Contraction/LoweringConfigs.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "merge-groups"

namespace qcc {
#define GEN_PASS_DEF_MERGEGROUPS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using kernel::ContractOp;

ALWAYS_ENABLED_STATISTIC(numMerged,
                         "Grouped contractions with several groups in one");
ALWAYS_ENABLED_STATISTIC(
    numJoined, "Grouped contractions with one loop for groups and columns");
ALWAYS_ENABLED_STATISTIC(numKept, "Grouped contractions that stay as they are");

/// The most groups that become one, and the most bytes of a right operand with
/// blocks of zeros.
constexpr int64_t kMostMerged = 16, kMostBytes = int64_t(16) << 20;
/// The most columns of groups that become one: with more, lanes are not what is
/// missing.
constexpr int64_t kMostColumns = 64;

namespace {
/// The loops of a grouped contraction: groups, the columns of a group, and the
/// elements of K that lie beside the groups in lhs.
struct Groups {
  unsigned group, column, inner;
  int64_t groups, columns, elements;
};
} // namespace

/// Where a map has the two loops, one after the other.
static std::optional<unsigned> pairAt(AffineMap map, unsigned first,
                                      unsigned second) {
  MLIRContext *context = map.getContext();
  auto at = map.getResultPosition(getAffineDimExpr(first, context));
  if (!at || *at + 1 >= map.getNumResults() ||
      map.getResult(*at + 1) != getAffineDimExpr(second, context))
    return std::nullopt;
  return at;
}

/// Whether an operand has groups and columns side by side, or neither.
static bool isOfColumns(const MappedOperand &operand, const Groups &groups) {
  return pairAt(operand.map, groups.group, groups.column) ||
         (!operand.map.isFunctionOfDim(groups.group) &&
          !operand.map.isFunctionOfDim(groups.column));
}

/// Nothing where groups cannot become one.
static std::optional<Groups> groupsOf(ContractOp op) {
  auto roles = op.getRoles();
  // Products of floats by zeros change the sign of a zero, and may be NaN.
  if (op.isOfFloats() || op.isPacked() || op.getLoweringConfigAttr() ||
      failed(roles) || roles->isDepthwise || roles->batch.size() != 1 ||
      op.getLhsPadding() || !op.getLhsPrologue().empty() ||
      !op.getRhsPrologue().empty())
    return std::nullopt;
  ContractParts parts = ContractParts::of(op);
  SmallVector<int64_t> sizes = op.getStaticLoopSizes();
  Groups groups;
  groups.group = roles->batch.front();
  groups.column = roles->n;
  bool hasInner = false;
  for (int64_t dim : op.getReductionDims())
    if (pairAt(parts.lhs.map, groups.group, dim)) {
      groups.inner = dim;
      hasInner = true;
    }
  groups.groups = sizes[groups.group];
  groups.columns = sizes[groups.column];
  if (!hasInner || ShapedType::isDynamic(groups.groups) ||
      ShapedType::isDynamic(groups.columns))
    return std::nullopt;
  groups.elements = sizes[groups.inner];
  auto lhs = cast<RankedTensorType>(parts.lhs.value.getType());
  unsigned at = *pairAt(parts.lhs.map, groups.group, groups.inner);
  if (lhs.getDimSize(at + 1) != groups.elements)
    return std::nullopt;
  for (MappedOperand *operand : parts.operands())
    if (operand != &parts.lhs && operand != &parts.rhs &&
        !isOfColumns(*operand, groups))
      return std::nullopt;
  return groups;
}

/// `value` with other sizes of dimensions d and d + 1, whose elements stay in
/// their order: one of the two sizes divides the other one before and after.
static Value regroup(OpBuilder &builder, Location loc, Value value, unsigned d,
                     int64_t outer, int64_t inner) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape()), split(type.getShape());
  assert(outer * inner == shape[d] * shape[d + 1] &&
         "a tensor keeps its number of elements");
  int64_t kept = std::min(outer, shape[d]);
  int64_t merged = std::max(outer, shape[d]) / kept;
  bool isMerged = outer < shape[d];
  int64_t least = std::min(inner, shape[d + 1]);
  split[d] = kept;
  split[d + 1] = least;
  split.insert(split.begin() + d + 1, merged);
  shape[d] = outer;
  shape[d + 1] = inner;
  auto result = RankedTensorType::get(shape, type.getElementType());
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    if (TypedAttr retyped = retypeConstant(constant, result))
      return arith::ConstantOp::create(builder, loc, retyped);
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(builder, loc, result,
                                   empty.getDynamicSizes());
  auto groupsAt = [&](unsigned pair) {
    SmallVector<ReassociationIndices> groups;
    for (int64_t i = 0, e = split.size(); i < e; ++i)
      if (i == pair + 1)
        groups.back().push_back(i);
      else
        groups.push_back({i});
    return groups;
  };
  auto splitType = RankedTensorType::get(split, type.getElementType());
  Value expanded = tensor::ExpandShapeOp::create(
      builder, loc, splitType, value, groupsAt(isMerged ? d : d + 1));
  return tensor::CollapseShapeOp::create(builder, loc, result, expanded,
                                         groupsAt(isMerged ? d + 1 : d));
}

/// The loop that indexes a dimension of a right operand; nothing where none
/// does.
static std::optional<unsigned> loopOf(AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

/// The type of the right operand with `count` groups in one.
static RankedTensorType mergedType(const ContractParts &parts,
                                   const Groups &groups, int64_t count) {
  auto type = cast<RankedTensorType>(parts.rhs.value.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, expr] : llvm::zip_equal(shape, parts.rhs.map.getResults())) {
    std::optional<unsigned> loop = loopOf(expr);
    assert((loop != groups.group || size % count == 0) &&
           "all groups are merged alike");
    if (loop == groups.group)
      size /= count;
    else if (loop == groups.column || loop == groups.inner)
      size *= count;
  }
  return RankedTensorType::get(shape, type.getElementType());
}

/// A block diagonal: the elements of group i of `count` are in block i of the
/// columns and in block i of K, all others are 0. Null where the elements
/// cannot be read.
static TypedAttr mergeWeights(const ContractParts &parts, const Groups &groups,
                              int64_t count) {
  std::optional<ConstantData> data = ConstantData::get(parts.rhs.value);
  auto type = cast<RankedTensorType>(parts.rhs.value.getType());
  RankedTensorType merged = mergedType(parts, groups, count);
  if (!data || getElementBytes(type.getElementType()) != 1)
    return {};
  // How far an index of a dimension moves in the merged operand, and a group
  // within its `count`.
  int64_t rank = type.getRank(), step = 0;
  SmallVector<int64_t> strides(rank, 1);
  unsigned groupAt = 0;
  for (int64_t d = rank - 1; d >= 0; --d) {
    if (d + 1 < rank)
      strides[d] = strides[d + 1] * merged.getDimSize(d + 1);
    std::optional<unsigned> loop = loopOf(parts.rhs.map.getResult(d));
    if (loop == groups.group)
      groupAt = d;
    else if (loop == groups.column || loop == groups.inner)
      step += strides[d] * type.getDimSize(d);
  }
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(merged.getNumElements(), 64);
  MutableArrayRef<char> bytes = blob.getMutableData();
  llvm::fill(bytes, 0);
  SmallVector<int64_t> index(rank);
  for (char element : data->bytes) {
    int64_t offset = index[groupAt] % count * step;
    for (int64_t d = 0; d < rank; ++d)
      offset += strides[d] * (d == groupAt ? index[d] / count : index[d]);
    assert(offset < int64_t(bytes.size()) && "elements have their places");
    bytes[offset] = element;
    for (int64_t d = rank - 1; d >= 0 && ++index[d] == type.getDimSize(d); --d)
      index[d] = 0;
  }
  return makeConstant(merged, std::move(blob),
                      data->name.empty() ? "merged" : data->name);
}

/// Whether the groups may become a block diagonal: a right operand without zero
/// point, which is not the same all along K, has a place for zeros.
static bool canHaveZeros(ContractOp op, const Groups &groups) {
  return !op.getRhsZeroPoint() && matchPattern(op.getRhs(), m_Constant()) &&
         op.getRhsMap().isFunctionOfDim(groups.inner);
}

/// Gives all operands but the right one the shapes of `count` groups in one.
static void mergeOperands(OpBuilder &builder, Location loc,
                          ContractParts &parts, const Groups &groups,
                          int64_t count) {
  int64_t outer = groups.groups / count;
  parts.lhs.value = regroup(builder, loc, parts.lhs.value,
                            *pairAt(parts.lhs.map, groups.group, groups.inner),
                            outer, groups.elements * count);
  for (MappedOperand *operand : parts.operands())
    if (operand != &parts.lhs && operand != &parts.rhs)
      if (auto at = pairAt(operand->map, groups.group, groups.column))
        operand->value = regroup(builder, loc, operand->value, *at, outer,
                                 groups.columns * count);
}

/// The contraction of `parts`, with the rest of `op`.
static ContractOp createMerged(RewriterBase &rewriter, ContractOp op,
                               const ContractParts &parts) {
  ContractOp merged = parts.create(rewriter, op.getLoc());
  merged->setDiscardableAttrs(llvm::to_vector(op->getDiscardableAttrs()));
  setValueInfos(merged, parts.values);
  rewriter.cloneRegionBefore(op.getEpilogue(), merged.getEpilogue(),
                             merged.getEpilogue().end());
  return merged;
}

/// The contraction with `count` groups in one, beside `op`. Its right operand
/// has the right type and no elements yet.
static ContractOp mergeShapes(RewriterBase &rewriter, ContractOp op,
                              const Groups &groups, int64_t count) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  ContractParts parts = ContractParts::of(op);
  RankedTensorType type = mergedType(parts, groups, count);
  parts.rhs.value = arith::ConstantOp::create(
      rewriter, loc, cast<TypedAttr>(rewriter.getZeroAttr(type)));
  mergeOperands(rewriter, loc, parts, groups, count);
  for (auto [dim, size] :
       llvm::zip_equal(parts.reductionDims, parts.reductionSizes))
    if (dim == groups.inner)
      size *= count;
  parts.updateFacts([&](kernel::Facts &facts) {
    if (DenseI64ArrayAttr &range = facts.rhsRange)
      range = rewriter.getDenseI64ArrayAttr(
          {std::min<int64_t>(range[0], 0), std::max<int64_t>(range[1], 0)});
  });
  ContractOp merged = createMerged(rewriter, op, parts);
  merged->setAttr(kMergedGroupsAttr, rewriter.getIndexAttr(count));
  return merged;
}

/// The contraction with one loop for groups and columns, beside `op`; null
/// where it would not be a depthwise one (ContractOp::getRoles).
static ContractOp joinColumns(RewriterBase &rewriter, ContractOp op,
                              const Groups &groups) {
  ContractParts parts = ContractParts::of(op);
  auto isInnermost = [](AffineMap map, std::optional<unsigned> pair) {
    return pair && *pair + 2 == map.getNumResults();
  };
  AffineMap out = parts.outs.front().map;
  auto atRhs = pairAt(parts.rhs.map, groups.group, groups.column);
  if (!atRhs || groups.columns == 1 ||
      !isInnermost(parts.lhs.map,
                   pairAt(parts.lhs.map, groups.group, groups.inner)) ||
      !isInnermost(out, pairAt(out, groups.group, groups.column)))
    return {};
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  mergeOperands(rewriter, loc, parts, groups, groups.groups);
  parts.rhs.value = regroup(rewriter, loc, parts.rhs.value, *atRhs, 1,
                            groups.groups * groups.columns);
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> exprs(parts.lhs.map.getResults());
  exprs.back() = getAffineDimExpr(groups.column, context)
                         .floorDiv(uint64_t(groups.columns)) *
                     groups.elements +
                 getAffineDimExpr(groups.inner, context);
  parts.lhs.map = AffineMap::get(parts.lhs.map.getNumDims(), 0, exprs, context);
  return createMerged(rewriter, op, parts);
}

namespace {
struct MergeGroups : TargetPass<qcc::impl::MergeGroupsBase<MergeGroups>> {
  using TargetPass::TargetPass;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<ContractOp> ops;
    getOperation().walk([&](ContractOp op) { ops.push_back(op); });
    for (ContractOp op : ops)
      if (std::optional<Groups> groups = groupsOf(op))
        mergeGroups(rewriter, op, *groups);
  }

private:
  void mergeGroups(RewriterBase &rewriter, ContractOp op, const Groups &groups);
  /// The form of the contraction that is expected to take the least time, and
  /// the number of groups in its block diagonal, 0 without a block diagonal;
  /// null if `op` itself is expected to take the least time.
  std::pair<ContractOp, int64_t>
  chooseMerged(RewriterBase &rewriter, ContractOp op, const Groups &groups);
};
} // namespace

std::pair<ContractOp, int64_t> MergeGroups::chooseMerged(RewriterBase &rewriter,
                                                         ContractOp op,
                                                         const Groups &groups) {
  annotateRhsRange(op, *target);
  std::optional<Cost> cost = leastCost(op, *target);
  if (!cost)
    return {};
  ContractOp best;
  int64_t bestCount = 0;
  double least = cost->time;
  // Costs are for each product: a form may have so many times as many.
  auto consider = [&](ContractOp merged, int64_t count, int64_t products) {
    std::optional<Cost> cost = leastCost(merged, *target);
    bool isBetter = cost && cost->time * products < least;
    LDBG(2) << "form with " << count
            << " groups in one: " << (cost ? cost->time * products : 0)
            << ", the best so far " << least;
    if (!isBetter)
      return rewriter.eraseOp(merged);
    if (best)
      rewriter.eraseOp(best);
    best = merged;
    bestCount = count;
    least = cost->time * products;
  };
  if (ContractOp joined = joinColumns(rewriter, op, groups))
    consider(joined, 0, 1);
  auto type = cast<RankedTensorType>(op.getRhs().getType());
  for (int64_t count = 2; canHaveZeros(op, groups) &&
                          count <= std::min(groups.groups, kMostMerged);
       ++count)
    if (groups.groups % count == 0 && groups.columns * count <= kMostColumns &&
        type.getNumElements() * count <= kMostBytes)
      consider(mergeShapes(rewriter, op, groups, count), count, count);
  return {best, bestCount};
}

void MergeGroups::mergeGroups(RewriterBase &rewriter, ContractOp op,
                              const Groups &groups) {
  auto [merged, count] = chooseMerged(rewriter, op, groups);
  if (!merged) {
    ++numKept;
    LDBG() << "keeps the " << groups.groups << " groups of " << groups.columns
           << " columns of the contraction at " << op.getLoc()
           << ": no other form is expected to be faster";
    return;
  }
  ContractParts parts = ContractParts::of(op);
  if (count != 0) {
    TypedAttr weights = mergeWeights(parts, groups, count);
    if (!weights)
      return rewriter.eraseOp(merged);
    rewriter.setInsertionPoint(merged);
    merged.getRhsMutable().assign(
        arith::ConstantOp::create(rewriter, op.getLoc(), weights));
  }
  ++(count == 0 ? numJoined : numMerged);
  LDBG() << (count == 0 ? "joins groups and columns"
                        : "makes several groups one, " + std::to_string(count))
         << " in the contraction at " << op.getLoc();
  merged = foldUnitLoops(rewriter, merged);
  rewriter.setInsertionPointAfter(merged);
  SmallVector<Value> results;
  for (auto [result, out] : llvm::zip_equal(merged.getResults(), parts.outs))
    results.push_back(regroup(rewriter, op.getLoc(), result,
                              *pairAt(out.map, groups.group, groups.column),
                              groups.groups, groups.columns));
  rewriter.replaceOp(op, results);
}

std::unique_ptr<Pass>
qcc::createMergeGroups(std::shared_ptr<const Target> target) {
  return std::make_unique<MergeGroups>(std::move(target));
}
