//===- SplitDynamicReductions.cpp - Kernels for a dynamic K ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionRewrites.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Utils/Notes.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "split-dynamic-reductions"

namespace qcc {
#define GEN_PASS_DEF_SPLITDYNAMICREDUCTIONS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

using Iterator = utils::IteratorType;

ALWAYS_ENABLED_STATISTIC(numSplit, "Contractions whose dynamic K was split");

/// Elements of K in a part: a row of a tile of AMX, and 16 words of VNNI. A
/// kernel computes up to one part too much; each part has sums of its own,
/// which are written and read again.
static constexpr int64_t kPart = 64;
/// The most columns that generic loops compute as fast.
static constexpr int64_t kFewColumns = 8;

namespace {
/// A contraction whose only reduction dimension is dynamic.
struct DynamicReduction {
  linalg::GenericOp op;
  unsigned dim;
  /// What is padded with elements that contribute 0, and the other one.
  OpOperand *padded, *other;
  /// The padding of the first; that of the other is 0.
  int8_t padding;
};
} // namespace

/// The dimension of an operand that is the loop `dim`, if that is all that
/// reads it.
static std::optional<unsigned> operandDim(linalg::GenericOp op,
                                          OpOperand *operand, unsigned dim) {
  std::optional<unsigned> found;
  for (auto [i, expr] :
       llvm::enumerate(op.getMatchingIndexingMap(operand).getResults())) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    if (found || !isa<AffineDimExpr>(expr))
      return std::nullopt;
    found = i;
  }
  return found;
}

/// The byte that contributes nothing to the products of a factor: its zero
/// point; none where that is not known.
static std::optional<int8_t> neutralByte(const Factor &factor) {
  if (!factor.zeroPoint)
    return 0;
  APInt zero;
  if (!matchPattern(factor.zeroPoint, m_ConstantInt(&zero)))
    return std::nullopt;
  int64_t value = zero.getSExtValue(), least = factor.isUnsigned ? 0 : -128;
  if (value < least || value > least + 255)
    return std::nullopt;
  return static_cast<int8_t>(value);
}

/// Whether more columns than generic loops compute as fast are in the lanes of
/// a kernel, whichever operand has them.
static bool hasColumns(linalg::GenericOp op, const Factor &x, const Factor &y) {
  AffineMap maps[] = {op.getMatchingIndexingMap(x.input),
                      op.getMatchingIndexingMap(y.input)};
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto isWide = [&](AffineMap own, AffineMap other) {
    for (auto [d, size] : llvm::enumerate(sizes))
      if (own.isFunctionOfDim(d) && !other.isFunctionOfDim(d) &&
          (ShapedType::isDynamic(size) || size > kFewColumns))
        return true;
    return false;
  };
  return isWide(maps[0], maps[1]) && isWide(maps[1], maps[0]);
}

static std::optional<DynamicReduction> match(linalg::GenericOp op) {
  Factor x, y;
  if (op.getNumReductionLoops() != 1 || op.hasIndexSemantics() ||
      !matchContraction(op, x, y))
    return std::nullopt;
  SmallVector<unsigned> dims;
  op.getReductionDims(dims);
  unsigned dim = dims.front();
  if (!ShapedType::isDynamic(op.getStaticLoopRanges()[dim]) ||
      !hasColumns(op, x, y))
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isFactor = &operand == x.input || &operand == y.input;
    bool reads = op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim);
    if (isFactor ? !operandDim(op, &operand, dim) : reads)
      return std::nullopt;
  }
  if (std::optional<int8_t> byte = neutralByte(x))
    return DynamicReduction{op, dim, x.input, y.input, *byte};
  if (std::optional<int8_t> byte = neutralByte(y))
    return DynamicReduction{op, dim, y.input, x.input, *byte};
  return std::nullopt;
}

/// The operand with a dimension for the parts of K and one for the elements of
/// a part.
static Value split(RewriterBase &rewriter, Location loc, Value operand,
                   unsigned dim, OpFoldResult parts, int8_t padding) {
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, operand);
  assert(dim < type.getRank() && type.isDynamicDim(dim) &&
         "what is split is a dynamic dimension");
  AffineExpr count = rewriter.getAffineDimExpr(0),
             size = rewriter.getAffineDimExpr(1);
  SmallVector<OpFoldResult> low(type.getRank(), rewriter.getIndexAttr(0)),
      high = low;
  high[dim] = affine::makeComposedFoldedAffineApply(
      rewriter, loc, AffineMap::get(2, 0, count * kPart - size),
      {parts, sizes[dim]});
  Value byte = arith::ConstantIntOp::create(rewriter, loc, padding, 8);
  Value padded =
      tensor::PadOp::create(rewriter, loc, type, operand, low, high, byte);
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> wide;
  for (auto [d, extent] : llvm::enumerate(sizes)) {
    ReassociationIndices &group = groups.emplace_back();
    if (d == dim) {
      group.push_back(shape.size());
      shape.push_back(ShapedType::kDynamic);
      wide.push_back(parts);
      extent = rewriter.getIndexAttr(kPart);
    }
    group.push_back(shape.size());
    shape.push_back(d == dim ? kPart : type.getDimSize(d));
    wide.push_back(extent);
  }
  return tensor::ExpandShapeOp::create(rewriter, loc, type.clone(shape), padded,
                                       groups, wide);
}

/// A tensor of zeros in front of whose dimensions is one for the parts.
static Value zerosFor(RewriterBase &rewriter, Location loc, Value init,
                      OpFoldResult parts) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, init);
  sizes.insert(sizes.begin(), parts);
  Type element = getElementTypeOrSelf(init.getType());
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  Value zero = arith::ConstantIntOp::create(rewriter, loc, element, 0);
  auto fill = linalg::FillOp::create(rewriter, loc, zero, empty);
  linalg::GenericOp generic = *linalg::generalizeNamedOp(rewriter, fill);
  generic->setAttr(kOriginAttr, rewriter.getStringAttr("linalg.fill"));
  return generic.getResult(0);
}

/// Maps of loops with one for the parts in front; the factors read K through
/// it, too, and the result has it in front.
static SmallVector<AffineMap> splitMaps(const DynamicReduction &found) {
  linalg::GenericOp op = found.op;
  MLIRContext *context = op.getContext();
  AffineExpr part = getAffineDimExpr(0, context);
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand).shiftDims(1);
    SmallVector<AffineExpr> reads(map.getResults());
    if (op.isDpsInit(&operand))
      reads.insert(reads.begin(), part);
    if (&operand == found.padded || &operand == found.other)
      reads.insert(reads.begin() + *operandDim(op, &operand, found.dim), part);
    maps.push_back(AffineMap::get(map.getNumDims(), 0, reads, context));
  }
  return maps;
}

/// The sum of the parts, from the initial value of the contraction.
static linalg::GenericOp sumParts(RewriterBase &rewriter, Location loc,
                                  Value parts, Value init) {
  unsigned rank = cast<RankedTensorType>(parts.getType()).getRank();
  AffineMap all = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<Iterator> iterators(rank, Iterator::parallel);
  iterators.front() = Iterator::reduction;
  auto sum = linalg::GenericOp::create(
      rewriter, loc, init.getType(), parts, init,
      ArrayRef<AffineMap>{all, all.dropResult(0)}, iterators,
      [](OpBuilder &b, Location at, ValueRange args) {
        Value next = arith::AddIOp::create(b, at, args[1], args[0]);
        linalg::YieldOp::create(b, at, next);
      });
  sum->setAttr(kOriginAttr, rewriter.getStringAttr("sum of parts of K"));
  return sum;
}

static void splitReduction(RewriterBase &rewriter,
                           const DynamicReduction &found) {
  linalg::GenericOp op = found.op;
  Location loc = op.getLoc();
  ++numSplit;
  LDBG() << "splits the dynamic K of the contraction at " << loc
         << " into parts of " << kPart << ", padded with "
         << int(found.padding);
  rewriter.setInsertionPoint(op);
  unsigned dim = *operandDim(op, found.padded, found.dim);
  OpFoldResult size =
      tensor::getMixedSize(rewriter, loc, found.padded->get(), dim);
  OpFoldResult parts = affine::makeComposedFoldedAffineApply(
      rewriter, loc,
      AffineMap::get(1, 0, rewriter.getAffineDimExpr(0).ceilDiv(kPart)), size);
  SmallVector<Value> inputs(op.getInputs());
  for (OpOperand *factor : {found.padded, found.other})
    inputs[factor->getOperandNumber()] =
        split(rewriter, loc, factor->get(), *operandDim(op, factor, found.dim),
              parts, factor == found.padded ? found.padding : 0);
  Value init = op.getDpsInits().front();
  Value zeros = zerosFor(rewriter, loc, init, parts);
  SmallVector<Iterator> iterators(op.getIteratorTypesArray());
  iterators.insert(iterators.begin(), Iterator::parallel);
  auto contraction =
      linalg::GenericOp::create(rewriter, loc, zeros.getType(), inputs, zeros,
                                splitMaps(found), iterators);
  rewriter.cloneRegionBefore(op.getRegion(), contraction.getRegion(),
                             contraction.getRegion().begin());
  contraction->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op,
                     sumParts(rewriter, loc, contraction.getResult(0), init));
}

namespace {
struct SplitDynamicReductions
    : qcc::impl::SplitDynamicReductionsBase<SplitDynamicReductions> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : generics)
      if (std::optional<DynamicReduction> found = match(op))
        splitReduction(rewriter, *found);
  }
};
} // namespace
