//===- FuseElementwise.cpp - Elementwise ops outside of kernels -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fusion of linalg, with two differences: a producer stays apart where the
// consumer would compute it again and again, and what `qcc explain` reads
// (Refusal.h) survives every rewrite.
//
//===----------------------------------------------------------------------===//

#include "ResolveSizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qcc/Transforms/ElementwiseFusion.h"
#include "qcc/Transforms/Movement.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Refusal.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include <cmath>

#define DEBUG_TYPE "fuse-elementwise"

namespace qcc {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numFused,
                         "Elementwise ops fused with what reads them");
ALWAYS_ENABLED_STATISTIC(numFolded,
                         "Reductions of one iteration made elementwise");

/// Whether the value only repeats elements of another one, in their order:
/// reading that one instead costs nothing.
static bool isBroadcast(Value value) {
  linalg::GenericOp move = movementOf(value);
  if (!move)
    return false;
  AffineMap map = inversePermutation(
      move.getMatchingIndexingMap(move.getDpsInitOperand(0)));
  map = move.getMatchingIndexingMap(move.getDpsInputOperand(0)).compose(map);
  int64_t last = -1;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || int64_t(dim.getPosition()) <= last)
      return false;
    last = dim.getPosition();
  }
  return true;
}

static bool hasOneUse(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  return producer && producer->hasOneUse();
}

/// Whether an expansion of what a tensor.pad gives may become one of what it
/// pads: the pattern of linalg puts it right behind the definition of that,
/// where the sizes that it names have to be known.
static bool mayMoveBeforePad(OpOperand *operand) {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(operand->getOwner());
  auto pad = operand->get().getDefiningOp<tensor::PadOp>();
  if (!expand || !pad)
    return true;
  Operation *source = pad.getSource().getDefiningOp();
  return llvm::all_of(expand.getOutputShape(), [&](Value size) {
    Operation *op = size.getDefiningOp();
    return !op || (source && op->getBlock() == source->getBlock() &&
                   op->isBeforeInBlock(source));
  });
}

/// The indexing map with which the reader of an expansion reads its source, if
/// the expansion adds dimensions of one element alone; nothing if a loop of the
/// reader would then have no size.
static std::optional<AffineMap> mapOfSource(tensor::ExpandShapeOp expand,
                                            OpOperand &use) {
  auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!reader || !reader.isDpsInput(&use))
    return std::nullopt;
  AffineMap map = reader.getMatchingIndexingMap(&use);
  SmallVector<AffineExpr> kept;
  for (ArrayRef<int64_t> group : expand.getReassociationIndices()) {
    auto isUnit = [&](int64_t dim) {
      return expand.getResultType().getDimSize(dim) == 1;
    };
    const int64_t *dim = llvm::find_if_not(group, isUnit);
    if (dim == group.end())
      dim = group.begin();
    else if (!std::all_of(dim + 1, group.end(), isUnit))
      return std::nullopt;
    kept.push_back(map.getResult(*dim));
  }
  SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
  AffineMap source =
      AffineMap::get(map.getNumDims(), 0, kept, map.getContext());
  maps[use.getOperandNumber()] = source;
  if (!inversePermutation(concatAffineMaps(maps, map.getContext())))
    return std::nullopt;
  return source;
}

static bool mayExpand(OpOperand *operand) {
  // Readers that need no expansion read its source.
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(operand->getOwner()))
    if (llvm::all_of(expand->getUses(), [&](OpOperand &use) {
          return mapOfSource(expand, use).has_value();
        }))
      return false;
  return hasOneUse(operand) && mayMoveBeforePad(operand);
}

/// How long bodies may become. Each fusion copies both bodies, so that chains
/// without a limit would take time quadratic in their length.
static constexpr size_t kMaxBodyOps = 256;

static bool isTooLong(linalg::GenericOp consumer, OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return producer && producer.getBody()->getOperations().size() +
                             consumer.getBody()->getOperations().size() >
                         kMaxBodyOps;
}

/// The most operations of a producer that windows repeat, and how often they
/// may read an element on average.
static constexpr size_t kMaxRepeatedOps = 8;
static constexpr double kMaxRepetitions = 2.5;

/// Whether windows that combine elements compute them faster than they read
/// them: those of bytes that were dequantized, a few times each. Contractions
/// do more than to combine, and are left as they are.
static bool isCheapToRepeat(linalg::GenericOp consumer, OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  Block *body = consumer.getBody();
  auto bitsOf = [](Value value) {
    Type type = getElementTypeOrSelf(value.getType());
    return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
  };
  auto isNarrower = [&](Value input) {
    return bitsOf(input) < bitsOf(operand->get());
  };
  if (!producer ||
      producer.getBody()->getOperations().size() > kMaxRepeatedOps ||
      body->getOperations().size() != 2 || map.isProjectedPermutation() ||
      !llvm::all_of(producer.getInputs(), isNarrower))
    return false;
  double iterations = 1, elements = 1;
  for (int64_t size : consumer.getStaticLoopRanges())
    iterations *= ShapedType::isDynamic(size) ? NAN : double(size);
  for (int64_t size :
       cast<RankedTensorType>(operand->get().getType()).getShape())
    elements *= ShapedType::isDynamic(size) ? NAN : double(size);
  // False if a size is not known.
  return iterations <= kMaxRepetitions * elements;
}

/// Why two ops that can be fused remain two; nothing if they become one.
static StringRef whyApart(linalg::GenericOp consumer, OpOperand *operand) {
  if (isTooLong(consumer, operand))
    return "the bodies together are too long";
  if (isReadRepeatedly(operand) && !isBroadcast(operand->get()) &&
      !isCheapToRepeat(consumer, operand))
    return "the reader reads each element repeatedly";
  return "";
}

namespace {
/// consumer(producer(x)) => fused(x), where no element is computed twice.
struct FuseProducer : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp consumer,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *operand : consumer.getDpsInputOperands()) {
      if (!isFusable(operand) || !hasOneUse(operand))
        continue;
      Operation *producer = operand->get().getDefiningOp();
      if (StringRef reason = whyApart(consumer, operand); !reason.empty()) {
        LDBG(2) << "leaves " << originOf(producer) << " at "
                << producer->getLoc() << " apart from its reader at "
                << consumer.getLoc() << ": " << reason;
        continue;
      }
      Location reader = consumer.getLoc();
      if (!fuseIntoReader(rewriter, operand))
        continue;
      ++numFused;
      LDBG() << "fuses " << originOf(producer) << " at " << producer->getLoc()
             << " with its reader at " << reader;
      return success();
    }
    return failure();
  }
};

/// y[i][j] = f(expand(x)[i][0]) => y[i][j] = f(x[i]): no loops for dimensions
/// of one element, such as those that reductions keep.
struct ReadUnexpanded : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
      std::optional<AffineMap> map =
          expand ? mapOfSource(expand, *operand) : std::nullopt;
      if (!map)
        continue;
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      maps[operand->getOperandNumber()] = *map;
      rewriter.modifyOpInPlace(op, [&] {
        operand->set(expand.getSrc());
        op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      });
      return success();
    }
    return failure();
  }
};

/// A reduction by loops of one iteration is elementwise, if what it starts from
/// is an operand:
///
///   acc[i] = start[i]; for k < 1: acc[i] += x[i + k] * w[k]
/// =>
///   acc[i] = start[i] + x[i] * w[0]
///
/// Of integers: a sum of floats may have other zeros than its terms (N8).
struct FoldUnitReduction : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    SmallVector<AffineExpr> loops;
    unsigned kept = 0;
    for (auto [d, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
      bool isReduction = kind == utils::IteratorType::reduction;
      if (isReduction && sizes[d] != 1)
        return failure();
      loops.push_back(isReduction ? rewriter.getAffineConstantExpr(0)
                                  : rewriter.getAffineDimExpr(kept++));
    }
    if (kept == loops.size() || !op.hasPureTensorSemantics() ||
        op.hasIndexSemantics() ||
        !llvm::all_of(op.getDpsInits(), [](Value init) {
          return getElementTypeOrSelf(init.getType()).isInteger();
        }))
      return failure();

    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap before = op.getMatchingIndexingMap(&operand);
      maps.push_back(
          simplifyAffineMap(before.replaceDimsAndSymbols(loops, {}, kept, 0)));
      if (!readsAll(operand, before, maps.back(), sizes))
        return failure();
    }
    ++numFolded;
    LDBG() << "makes the reduction at " << op.getLoc()
           << ", of one iteration, elementwise";
    replace(rewriter, op, maps, kept);
    return success();
  }

private:
  /// Windows need not reach the end of what they slide over, but single loops
  /// do.
  static bool readsAll(OpOperand &operand, AffineMap before, AffineMap after,
                       ArrayRef<int64_t> sizes) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    for (unsigned i = 0; i < after.getNumResults(); ++i) {
      if (isa<AffineDimExpr>(before.getResult(i)))
        continue;
      // The loops of a window are parallel ones and one of its elements.
      if (!isa<AffineDimExpr>(after.getResult(i)))
        continue;
      int64_t size = ShapedType::kDynamic;
      for (unsigned d = 0; d < sizes.size(); ++d)
        if (sizes[d] != 1 && before.getResult(i).isFunctionOfDim(d))
          size = sizes[d];
      if (ShapedType::isDynamic(size) || type.getDimSize(i) != size)
        return false;
    }
    return true;
  }

  /// Leaves out dimensions of one element that no loop walks: the last one that
  /// is left is contiguous then. By a slice, since fusion moves reshapes.
  static Value dropUnits(PatternRewriter &rewriter, Location loc, Value value,
                         AffineMap &map) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || map.getNumResults() == 0)
      return value;
    SmallVector<int64_t> sizes;
    SmallVector<AffineExpr> kept;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (type.getDimSize(i) == 1 && isa<AffineConstantExpr>(expr))
        continue;
      kept.push_back(expr);
      sizes.push_back(type.getDimSize(i));
    }
    if (kept.size() == map.getNumResults())
      return value;
    map = AffineMap::get(map.getNumDims(), 0, kept, map.getContext());
    return tensor::createCanonicalRankReducingExtractSliceOp(
        rewriter, loc, value,
        RankedTensorType::get(sizes, type.getElementType()));
  }

  static void replace(PatternRewriter &rewriter, linalg::GenericOp op,
                      MutableArrayRef<AffineMap> maps, unsigned numLoops) {
    unsigned numInputs = op.getNumDpsInputs();
    assert(maps.size() == op->getNumOperands() && "a map for each operand");
    SmallVector<Value> inputs, outs;
    for (auto [input, map] : llvm::zip(op.getInputs(), maps))
      inputs.push_back(dropUnits(rewriter, op.getLoc(), input, map));
    ArrayRef<AffineMap> outMaps = maps.drop_front(numInputs);
    SmallVector<AffineMap> newMaps(maps.take_front(numInputs));
    for (Value init : op.getDpsInits()) {
      inputs.push_back(init);
      outs.push_back(tensor::EmptyOp::create(
          rewriter, op.getLoc(),
          tensor::getMixedSizes(rewriter, op.getLoc(), init),
          getElementTypeOrSelf(init.getType())));
    }
    llvm::append_range(newMaps, outMaps);
    llvm::append_range(newMaps, outMaps);
    SmallVector<utils::IteratorType> kinds(numLoops,
                                           utils::IteratorType::parallel);
    auto elementwise =
        linalg::GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(),
                                  inputs, outs, newMaps, kinds);
    inheritNotes(elementwise, op.getOperation());
    rewriter.inlineRegionBefore(op.getRegion(), elementwise.getRegion(),
                                elementwise.getRegion().end());
    Block *body = elementwise.getBody();
    for (Value out : outs)
      body->addArgument(getElementTypeOrSelf(out.getType()), op.getLoc());
    rewriter.replaceOp(op, elementwise.getResults());
  }
};

/// Gives what replaces a structured op the notes of the op.
struct NoteKeeper : RewriterBase::Listener {
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    // An op without its body, which may have moved to the new op already, has
    // only the notes that are attributes.
    if (!isa<linalg::LinalgOp>(op) ||
        (!op->hasAttr(kOriginAttr) && op->getRegion(0).empty()))
      return;
    for (Value value : values) {
      while (value &&
             isa_and_nonnull<tensor::CastOp, tensor::ExpandShapeOp,
                             tensor::CollapseShapeOp>(value.getDefiningOp()))
        value = value.getDefiningOp()->getOperand(0);
      if (value)
        if (auto other = value.getDefiningOp<linalg::GenericOp>();
            other && !other->hasAttr(kOriginAttr))
          inheritNotes(other, op);
    }
  }
};

struct FuseElementwise : qcc::impl::FuseElementwiseBase<FuseElementwise> {
  void runOnOperation() override {
    // Who asks for the size of a value would keep it from being fused.
    resolveSizes(getOperation());
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<FuseProducer, FoldUnitReduction, ReadUnexpanded>(context);
    // The patterns that accompany the fusion of linalg, without the fusion
    // itself.
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *) { return false; });
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, mayExpand);
    linalg::populateConstantFoldLinalgOperations(patterns, hasOneUse);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    NoteKeeper keeper;
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setListener(&keeper);
    // It is no failure if some simplification is left to do.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }
};
} // namespace
