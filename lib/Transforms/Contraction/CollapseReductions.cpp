//===- CollapseReductions.cpp - The order and number of dimensions of K ---===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/InterleavedRange.h"

#define DEBUG_TYPE "collapse-reductions"

namespace qcc {
#define GEN_PASS_DEF_COLLAPSEREDUCTIONS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(
    numCollapsed,
    "Contractions whose dimensions of K were collapsed or reordered");

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Orders the reduction dimensions as they lie in lhs, those that move farther
/// first. Those that move in the same dimension of lhs as loop `beside`, if
/// there is one, come before all others.
static void orderAsInLhs(ContractParts &parts,
                         std::optional<unsigned> beside = {}) {
  AffineMap map = parts.lhs.map;
  unsigned loops = map.getNumDims();
  /// Whether a loop does not move beside the other one; the dimension of lhs
  /// that it moves in, and how far.
  auto keyOf = [&](int64_t loop) {
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      SmallVector<int64_t> factors = *kernel::windowFactors(expr, loops);
      if (factors[loop])
        return std::make_tuple(beside && !factors[*beside], int64_t(i),
                               -factors[loop]);
    }
    return std::make_tuple(false, int64_t(-1), int64_t(0));
  };
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [dim, size] :
       llvm::zip_equal(parts.reductionDims, parts.reductionSizes))
    dims.emplace_back(dim, size);
  llvm::stable_sort(dims, [&](const auto &a, const auto &b) {
    return keyOf(a.first) < keyOf(b.first);
  });
  for (auto [i, dim] : llvm::enumerate(dims))
    std::tie(parts.reductionDims[i], parts.reductionSizes[i]) = dim;
}

/// A last reduction dimension of one iteration, for windows that do not move
/// from one element to the next along any other.
static void addUnitSegment(ContractParts &parts) {
  unsigned loop = parts.lhs.map.getNumDims();
  MLIRContext *context = parts.lhs.map.getContext();
  for (MappedOperand *operand : parts.operands()) {
    SmallVector<AffineExpr> exprs(operand->map.getResults());
    if (operand == &parts.lhs)
      exprs.back() = exprs.back() + getAffineDimExpr(loop, context);
    operand->map = AffineMap::get(loop + 1, 0, exprs, context);
  }
  parts.reductionDims.push_back(loop);
  parts.reductionSizes.push_back(1);
}

//===----------------------------------------------------------------------===//
// Number
//===----------------------------------------------------------------------===//

/// A loop of a reduction, and one whose iterations all lie between two of its
/// own.
struct LoopPair {
  unsigned outer, inner;
  int64_t innerSize;
};

/// Whether both loops move along an operand like one, or not at all; `first` is
/// then the first of the two dimensions that they move in.
static bool moveAsOne(const MappedOperand &operand, const LoopPair &loops,
                      std::optional<unsigned> &first) {
  AffineMap map = operand.map;
  if (!map.isFunctionOfDim(loops.outer) && !map.isFunctionOfDim(loops.inner))
    return true;
  first = kernel::resultAlong(map, loops.outer);
  auto type = cast<RankedTensorType>(operand.value.getType());
  return first && *first + 1 < map.getNumResults() &&
         map.getResult(*first + 1) ==
             getAffineDimExpr(loops.inner, map.getContext()) &&
         type.getDimSize(*first + 1) == loops.innerSize;
}

/// `value` with dimensions `first` and first + 1 as one; a constant remains
/// one.
static Value collapse(OpBuilder &builder, Location loc, Value value,
                      unsigned first) {
  auto type = cast<RankedTensorType>(value.getType());
  assert(first + 1 < type.getRank() && "two dimensions to collapse");
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d == first + 1)
      groups.back().push_back(d);
    else
      groups.push_back({d});
  RankedTensorType collapsed =
      tensor::CollapseShapeOp::inferCollapsedType(type, groups);
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto dense = dyn_cast<DenseElementsAttr>(constant))
      return arith::ConstantOp::create(builder, loc, dense.reshape(collapsed));
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant))
      return arith::ConstantOp::create(
          builder, loc, collapsed,
          DenseResourceElementsAttr::get(collapsed, resource.getRawHandle()));
  }
  return tensor::CollapseShapeOp::create(builder, loc, collapsed, value,
                                         groups);
}

/// Makes the last two reduction dimensions one; false where they are not.
static bool collapseLast(OpBuilder &builder, Location loc,
                         ContractParts &parts) {
  size_t count = parts.reductionDims.size();
  if (count < 2)
    return false;
  LoopPair loops{unsigned(parts.reductionDims[count - 2]),
                 unsigned(parts.reductionDims[count - 1]),
                 parts.reductionSizes[count - 1]};
  SmallVector<std::optional<unsigned>> firsts;
  for (MappedOperand *operand : parts.operands())
    if (!moveAsOne(*operand, loops, firsts.emplace_back()))
      return false;
  MLIRContext *context = builder.getContext();
  for (auto [operand, first] : llvm::zip_equal(parts.operands(), firsts)) {
    if (!first)
      continue;
    operand->value = collapse(builder, loc, operand->value, *first);
    SmallVector<AffineExpr> exprs(operand->map.getResults());
    // outer + rest, inner: inner + rest * size.
    AffineExpr rest = exprs[*first] - getAffineDimExpr(loops.outer, context);
    exprs[*first] = rest * loops.innerSize + exprs[*first + 1];
    exprs.erase(exprs.begin() + *first + 1);
    operand->map = AffineMap::get(operand->map.getNumDims(), 0, exprs, context);
  }
  assert(parts.reductionSizes[count - 1] == loops.innerSize &&
         "the inner loop has kept its size");
  parts.reductionSizes[count - 1] *= parts.reductionSizes[count - 2];
  llvm::SmallBitVector dropped(parts.lhs.map.getNumDims());
  dropped.set(loops.outer);
  parts.dropLoops(dropped);
  return true;
}

static void collapseReductions(RewriterBase &rewriter, kernel::ContractOp op) {
  rewriter.setInsertionPoint(op);
  ContractParts parts = ContractParts::of(op);
  kernel::ContractOp::Roles roles = *op.getRoles();
  // Windows of several rows of a depthwise contraction share what is read along
  // the last reduction dimension, where rows do not move along it.
  // Sums of floats keep their order (N8).
  if (!op.isOfFloats())
    orderAsInLhs(parts, roles.isDepthwise ? roles.m : std::nullopt);
  if (!op.isOfFloats() && !roles.isDepthwise &&
      kernel::leavesOut(parts.lhs.map, parts.reductionDims.back()))
    addUnitSegment(parts);
  // Padding lies around each dimension of its own.
  while (!parts.attributes.lhs_padding &&
         collapseLast(rewriter, op.getLoc(), parts)) {
  }
  assert(llvm::product_of(parts.reductionSizes) == op.getReductionSize() &&
         "K keeps its number of elements");
  bool isSame = llvm::equal(parts.reductionDims, op.getReductionDims());
  if (isSame)
    return;
  ++numCollapsed;
  LDBG() << "contraction at " << op.getLoc() << ": sizes of K "
         << llvm::interleaved_array(op.getReductionSizes()) << " become "
         << llvm::interleaved_array(parts.reductionSizes);
  kernel::ContractOp collapsed = parts.createFrom(rewriter, op);
  rewriter.replaceOp(op, collapsed.getResults());
}

namespace {
struct CollapseReductions
    : qcc::impl::CollapseReductionsBase<CollapseReductions> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<kernel::ContractOp> ops;
    getOperation().walk([&](kernel::ContractOp op) {
      // The first dimension of K numbers groups, if there are any.
      if (!op.isPacked() && !op.hasGroups() &&
          isa<TensorType>(op.getLhs().getType()))
        ops.push_back(op);
    });
    for (kernel::ContractOp op : ops)
      collapseReductions(rewriter, op);
  }
};
} // namespace
