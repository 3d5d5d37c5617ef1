//===- LowerLinalgToVectorLoops.cpp - Generic code for linalg -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op becomes one scf.forall over its parallel dimensions, collapsed into
// one counter, and inside it loops over vectors of consecutive outputs. Each
// output is computed in the order of the op's iteration space (a float
// contraction is a chain of fma by then), or in that of N8 for float
// reductions: vectors hold independent outputs or the lanes of N8, so no bit
// changes. Sums of integers are the same in any order.
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Refusal.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "lower-linalg-to-vector-loops"

namespace qcc {
#define GEN_PASS_DEF_LOWERLINALGTOVECTORLOOPS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numReductions, "Float reductions in the order of N8");
ALWAYS_ENABLED_STATISTIC(numSums, "Sums of integers in any order");
ALWAYS_ENABLED_STATISTIC(numInterleaved,
                         "Ops with two dimensions in the lanes");
ALWAYS_ENABLED_STATISTIC(numTransposed,
                         "Ops whose tiles are turned in registers");
ALWAYS_ENABLED_STATISTIC(numOrdered,
                         "Ops in the order of their iteration space");

/// Elements of an output that one iteration of the forall computes at least.
static constexpr int64_t kElementwiseBlock = 4096;
/// As kElementwiseBlock, where each element is a reduction.
static constexpr int64_t kReductionBlock = 256;

/// Rows that are computed side by side, so that what is loaded for one serves
/// all.
static constexpr unsigned kRows = 4;
/// Vectors of outputs that are computed side by side: half of the registers
/// hold accumulators. A single row takes as much of each row of the other
/// operand: a matrix whose rows are a page each is read once from each page.
static unsigned getUnroll(bool hasRows, unsigned vectorBits) {
  unsigned accumulators = vectorBits < 512 ? 8 : 16;
  return hasRows ? accumulators / kRows : accumulators;
}
/// As many for a large body: what hides the latency of a chain.
static constexpr unsigned kFewVectors = 4;
/// Rows that one iteration of the forall computes at least.
static constexpr int64_t kRowBlock = 16;
/// A body with more operations than this is not repeated for several rows.
static constexpr unsigned kLargestRepeatedBody = 32;

namespace {
class OrderedLoopsEmitter {
public:
  OrderedLoopsEmitter(LinalgLoops &loops, unsigned vectorBits)
      : loops(loops), op(loops.op), vectorBits(vectorBits),
        isReduction(!loops.getReductionDims().empty()),
        yielded(
            llvm::to_vector(op.getBlock()->getTerminator()->getOperands())) {}

  void emit();

private:
  using Point = LinalgLoops::Point;

  /// Whether each element of a vector has to be loaded by itself.
  bool gathers(unsigned dim) const {
    return !loops.listGathers(dim).empty() ||
           llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
             return loops.isGathered(*input, dim);
           });
  }
  /// The dimension whose indices are computed several at once: those of one
  /// vector share what is loaded or computed for all.
  std::optional<unsigned> chooseRows(const InnermostDim &innermost,
                                     bool isBlocked) const;
  bool isBodySmall() const {
    return op.getBlock()->getOperations().size() <= kLargestRepeatedBody;
  }

  unsigned chooseVectorsOfElementwise(const InnermostDim &innermost) const;

  /// The outputs at the lanes, at each of the points.
  void emitAt(ArrayRef<Point> points, const Lanes &lanes);
  SmallVector<Value> emitReduction(ArrayRef<Point> points, const Lanes &lanes);

  LinalgLoops &loops;
  /// A handle, as in LinalgLoops.
  mutable linalg::LinalgOp op;
  unsigned vectorBits;
  bool isReduction;
  SmallVector<Value> yielded;
};
} // namespace

SmallVector<Value> OrderedLoopsEmitter::emitReduction(ArrayRef<Point> points,
                                                      const Lanes &lanes) {
  SmallVector<Value> accumulators;
  for (const Point &point : points)
    for (OpOperand &output : op.getDpsInitsMutable())
      accumulators.push_back(
          loops.spread(loops.load(output, point, lanes), lanes));
  return loops.emitLoops(
      loops.getReductionDims(), points.front(), accumulators,
      [&](const Point &at, ValueRange args) {
        SmallVector<Value> next;
        for (const Point &point : points) {
          Point here = point;
          for (unsigned dim : loops.getReductionDims())
            here[dim] = at[dim];
          ValueRange own = args.slice(next.size(), yielded.size());
          for (Value value : loops.emitBody(yielded, own, here, lanes))
            next.push_back(loops.spread(value, lanes));
        }
        return next;
      });
}

void OrderedLoopsEmitter::emitAt(ArrayRef<Point> points, const Lanes &lanes) {
  SmallVector<Value> results;
  if (isReduction)
    results = emitReduction(points, lanes);
  else
    for (const Point &point : points)
      llvm::append_range(results, loops.emitBody(yielded, {}, point, lanes));
  assert(results.size() == yielded.size() * points.size() &&
         "a value of each result for each row");
  for (auto [row, point] : llvm::enumerate(points))
    for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
      loops.store(results[row * yielded.size() + i], output, point, lanes);
}

std::optional<unsigned>
OrderedLoopsEmitter::chooseRows(const InnermostDim &innermost,
                                bool isBlocked) const {
  if (!isBodySmall())
    return std::nullopt;
  if (isBlocked)
    return chooseRowDim(loops, innermost.dim, kRows);
  SmallVector<memref::LoadOp> gathers = loops.listGathers(innermost.dim);
  if (isReduction || !innermost.isContiguous || gathers.empty() ||
      !loops.isBodyMappable())
    return std::nullopt;
  DenseSet<Value> varying = loops.listVarying(innermost.dim);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (unsigned dim : llvm::reverse(loops.getParallelDims())) {
    DenseSet<Value> varyingOfRows = loops.listVarying(dim);
    bool isShared = llvm::all_of(gathers, [&](memref::LoadOp load) {
      return llvm::none_of(load.getIndices(), [&](Value index) {
        return varying.contains(index) && varyingOfRows.contains(index);
      });
    });
    if (dim != innermost.dim && sizes[dim] != 1 && isShared)
      return dim;
  }
  return std::nullopt;
}

/// Vectors at once of an elementwise op: several of a large body, and otherwise
/// as many as make whole vectors of its narrowest results, so that instructions
/// that narrow fill them.
unsigned OrderedLoopsEmitter::chooseVectorsOfElementwise(
    const InnermostDim &innermost) const {
  if (isReduction || gathers(innermost.dim))
    return 1;
  if (!isBodySmall())
    return kFewVectors;
  unsigned narrowest = vectorBits;
  for (Value output : op.getDpsInits())
    if (Type type = getElementTypeOrSelf(output.getType()); type.isIntOrFloat())
      narrowest = std::min(narrowest, type.getIntOrFloatBitWidth());
  unsigned width = loops.getVectorWidth(vectorBits);
  return std::max(1u, std::min(vectorBits / (narrowest * width), kFewVectors));
}

void OrderedLoopsEmitter::emit() {
  Point point;
  std::optional<InnermostDim> innermost = chooseInnermostDim(loops);
  if (!innermost) {
    loops.openForall({}, point);
    return emitAt(point, Lanes());
  }
  unsigned dim = innermost->dim;
  // Several vectors at once hide the latency of a chain, unless lanes have to
  // be gathered one by one.
  bool isBlocked = isReduction && innermost->isContiguous && !gathers(dim);
  std::optional<unsigned> rowDim = chooseRows(*innermost, isBlocked);
  SmallVector<LinalgLoops::Blocked> blocked;
  if (rowDim)
    blocked.push_back({*rowDim, kRowBlock});
  blocked.push_back({dim, isReduction ? kReductionBlock : kElementwiseBlock});
  SmallVector<LinalgLoops::Block> blocks = loops.openForall(blocked, point);

  SmallVector<unsigned> moving(loops.getReductionDims());
  moving.push_back(dim);
  if (rowDim)
    moving.push_back(*rowDim);
  loops.emitInvariants(point, moving);
  auto chooseUnroll = [&](unsigned rows) {
    return !isBlocked      ? chooseVectorsOfElementwise(*innermost)
           : isBodySmall() ? getUnroll(/*hasRows=*/rows > 1, vectorBits)
                           : kFewVectors;
  };
  LDBG() << "dimension " << dim << " is in the lanes, "
         << (rowDim ? "rows of dimension " + std::to_string(*rowDim)
                    : std::string("single rows"))
         << ", " << chooseUnroll(rowDim ? kRows : 1) << " vectors at once";
  auto emitRows = [&](unsigned rows) {
    Segments segments =
        chooseSegments(loops, *innermost, vectorBits, chooseUnroll(rows));
    loops.emitSegments(blocks.back(), segments,
                       [&](Value iv, const Lanes &lanes) {
                         point[dim] = iv;
                         if (rowDim)
                           emitAt(loops.getRows(point, *rowDim, rows), lanes);
                         else
                           emitAt(point, lanes);
                       });
  };
  if (!rowDim)
    return emitRows(1);
  loops.emitRows(blocks.front(), *rowDim, kRows, point, emitRows);
}

void qcc::emitOrderedLoops(LinalgLoops &loops, unsigned vectorBits) {
  OrderedLoopsEmitter(loops, vectorBits).emit();
}

namespace {
struct LowerLinalgToVectorLoops
    : qcc::impl::LowerLinalgToVectorLoopsBase<LowerLinalgToVectorLoops> {
  using LowerLinalgToVectorLoopsBase::LowerLinalgToVectorLoopsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (Operation *op : listLoopOps(getOperation()))
      if (failed(lower(rewriter, op)))
        return signalPassFailure();
  }

private:
  LogicalResult lower(RewriterBase &rewriter, Operation *op) {
    FailureOr<linalg::GenericOp> generic = prepareLoops(rewriter, op);
    if (failed(generic))
      return failure();
    LinalgLoops loops(rewriter, *generic,
                      hasBF16Instructions ? BF16Conversions::ByInstructions
                                          : BF16Conversions::OnIntegers);
    auto choose = [&](llvm::TrackingStatistic &count, StringRef form) {
      ++count;
      LDBG() << "emits " << originOf(loops.op) << " at " << loops.op.getLoc()
             << " as " << form;
    };
    if (auto outputs = getFloatReduction(loops.op)) {
      choose(numReductions, "a float reduction of 32 lanes");
      emitFloatReduction(loops, *outputs, vectorBits);
    } else if (Value summand = matchIntegerSum(loops)) {
      choose(numSums, "a sum of integers");
      emitIntegerSum(loops, summand, vectorBits);
    } else if (auto dims = chooseInterleavedDims(loops)) {
      choose(numInterleaved, "interleaved vectors of two dimensions");
      emitInterleavedLoops(loops, *dims, vectorBits);
    } else if (auto dims = chooseTransposedDims(loops, vectorBits)) {
      choose(numTransposed, "tiles that are turned in registers");
      emitTransposedLoops(loops, *dims);
    } else {
      choose(numOrdered, "loops in the order of its iteration space");
      emitOrderedLoops(loops, vectorBits);
    }
    rewriter.eraseOp(*generic);
    return success();
  }
};
} // namespace
