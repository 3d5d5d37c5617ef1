//===- Reductions.cpp - reduce, reduce_window, map ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Body.h"
#include "../Ops.h"
#include "Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

using Iterator = utils::IteratorType;

/// Operands are tensors, then as many initial values. Refuses other operands.
static FailureOr<unsigned> countTensors(OpImporter &n) {
  unsigned count = n.numOperands() / 2;
  bool fits = count > 0 && n.numOperands() == 2 * count &&
              n.op->getNumResults() == count;
  for (unsigned i = 0; fits && i < count; ++i)
    fits = n.in(i).rank() == n.in(0).rank() && n.in(count + i).rank() == 0 &&
           n.in(count + i).element == n.in(i).element;
  if (fits)
    return count;
  return n.refuse() << "needs tensors of one shape and an initial value of "
                       "each, and has as many results; correct the program";
}

/// Arguments of the region: results so far, then elements.
static FailureOr<Body> bodyOf(OpImporter &n, unsigned count) {
  SmallVector<Type> types;
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned i = 0; i < count; ++i)
      types.push_back(n.in(i).element);
  return Body::get(n, types, count);
}

LogicalResult stablehlo::importReduce(OpImporter &n) {
  FailureOr<unsigned> count = countTensors(n);
  if (failed(count))
    return failure();
  int64_t rank = n.in(0).rank();
  auto dims = n.dimensions("dimensions", rank);
  auto body = bodyOf(n, *count);
  if (failed(dims) || failed(body))
    return failure();
  Shape shape;
  SmallVector<Iterator> iterators(rank, Iterator::parallel);
  SmallVector<AffineExpr> kept;
  for (int64_t d = 0; d < rank; ++d) {
    if (llvm::is_contained(*dims, d)) {
      iterators[d] = Iterator::reduction;
      continue;
    }
    shape.push_back(n.in(0).shape[d]);
    kept.push_back(n.b.getAffineDimExpr(d));
  }
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps(*count, n.b.getMultiDimIdentityMap(rank));
  maps.append(*count, AffineMap::get(rank, 0, kept, n.b.getContext()));
  for (unsigned i = 0; i < *count; ++i) {
    inputs.push_back(n.value(i));
    inits.push_back(filledWith(n, scalarOf(n, n.in(*count + i)), shape));
  }
  SmallVector<Value> results = generics(
      n, inputs, inits, maps, iterators, [&](Scalars &s, ValueRange args) {
        SmallVector<Value> arguments(args.take_back(*count));
        llvm::append_range(arguments, args.take_front(*count));
        return body->compute(s, arguments);
      });
  for (auto [i, result] : llvm::enumerate(results))
    if (failed(n.set(i, toGraphValue(result, shape))))
      return failure();
  return success();
}

namespace {
struct Windows {
  SmallVector<int64_t> sizes, strides, dilations, baseDilations, low, high;
};
} // namespace

static FailureOr<Windows> readWindows(OpImporter &n, int64_t rank) {
  auto sizes = n.ints("window_dimensions", rank, 1),
       strides = n.ints("window_strides", rank, 1),
       dilations = n.ints("window_dilations", rank, 1),
       baseDilations = n.ints("base_dilations", rank, 1),
       padding = n.ints("padding", 2 * rank, 0);
  if (failed(sizes) || failed(strides) || failed(dilations) ||
      failed(baseDilations) || failed(padding))
    return failure();
  Windows w{*sizes, *strides, *dilations, *baseDilations, {}, {}};
  for (auto *list : {&w.sizes, &w.strides, &w.dilations, &w.baseDilations})
    for (int64_t number : *list)
      if (number < 1 || number > (int64_t(1) << 31))
        return n.refuse() << "has a window, stride or dilation of " << number
                          << "; correct the attribute";
  for (int64_t d = 0; d < rank; ++d) {
    w.low.push_back((*padding)[2 * d]);
    w.high.push_back((*padding)[2 * d + 1]);
  }
  return w;
}

/// Whether an initial value changes nothing where `body` combines it.
static bool isNeutral(const Body &body, GraphValue &start) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(start.constant);
  if (!dense || dense.getNumElements() != 1)
    return false;
  Attribute value = *dense.value_begin<Attribute>();
  if (auto real = dyn_cast<FloatAttr>(value)) {
    APFloat x = real.getValue();
    return (body.isOnly("stablehlo.add") && x.isZero()) ||
           (body.isOnly("stablehlo.multiply") && x.isExactlyValue(1.0)) ||
           (body.isOnly("stablehlo.maximum") && x.isInfinity() &&
            x.isNegative()) ||
           (body.isOnly("stablehlo.minimum") && x.isInfinity() &&
            !x.isNegative());
  }
  APInt x = cast<IntegerAttr>(value).getValue();
  return (body.isOnly("stablehlo.add") && x.isZero()) ||
         (body.isOnly("stablehlo.multiply") && x.isOne());
}

namespace {
/// Sums, or other combinations, of all elements up to each along a dimension.
struct Cumulative {
  int64_t dim;
  bool isReverse;
};
} // namespace

/// How JAX writes a cumulative op: windows of the size of a dimension, with as
/// much padding before it, or behind it, less one.
static std::optional<Cumulative> findCumulative(OpImporter &n, const Windows &w,
                                                const Body &body) {
  GraphValue &x = n.in(0);
  std::optional<Cumulative> found;
  if (n.op->getNumResults() != 1 || !isNeutral(body, n.in(1)))
    return std::nullopt;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (w.strides[d] != 1 || w.dilations[d] != 1 || w.baseDilations[d] != 1)
      return std::nullopt;
    if (w.sizes[d] == 1 && w.low[d] == 0 && w.high[d] == 0)
      continue;
    bool isForward = w.low[d] == w.sizes[d] - 1 && w.high[d] == 0,
         isReverse = w.low[d] == 0 && w.high[d] == w.sizes[d] - 1;
    if (found || knownSize(x.shape[d]) != w.sizes[d] ||
        (!isForward && !isReverse))
      return std::nullopt;
    found = Cumulative{d, isReverse};
  }
  return found;
}

LogicalResult stablehlo::importReduceWindow(OpImporter &n) {
  FailureOr<unsigned> count = countTensors(n);
  if (failed(count))
    return failure();
  int64_t rank = n.in(0).rank();
  auto windows = readWindows(n, rank);
  auto body = bodyOf(n, *count);
  if (failed(windows) || failed(body))
    return failure();
  if (auto cumulative = findCumulative(n, *windows, *body)) {
    auto result = accumulate(
        n, n.in(0), cumulative->dim, scalarOf(n, n.in(1)),
        cumulative->isReverse, /*isExclusive=*/false,
        [&](Scalars &s, ValueRange v) { return body->compute(s, v).front(); });
    return failed(result) ? failure() : n.set(*result);
  }
  SmallVector<int64_t> gaps;
  for (int64_t dilation : windows->baseDilations)
    gaps.push_back(dilation - 1);
  SmallVector<Value> inputs, starts;
  Shape padded;
  for (unsigned i = 0; i < *count; ++i) {
    starts.push_back(scalarOf(n, n.in(*count + i)));
    GraphValue wide =
        padAll(n, n.in(i), windows->low, windows->high, gaps, starts.back());
    inputs.push_back(n.tensor(wide));
    padded = wide.shape;
  }
  // Loops: results, then dimensions of which a window has several elements.
  SmallVector<Iterator> iterators(rank, Iterator::parallel);
  SmallVector<AffineExpr> read, write, window;
  Shape shape, kernel;
  for (int64_t d = 0; d < rank; ++d) {
    AffineExpr place = n.b.getAffineDimExpr(d) * windows->strides[d];
    if (windows->sizes[d] > 1) {
      AffineExpr k = n.b.getAffineDimExpr(iterators.size());
      iterators.push_back(Iterator::reduction);
      place = place + k * windows->dilations[d];
      window.push_back(k);
      kernel.push_back(n.size(windows->sizes[d]));
    }
    read.push_back(place);
    write.push_back(n.b.getAffineDimExpr(d));
    shape.push_back(countWindows(n, padded[d], windows->sizes[d],
                                 windows->strides[d], windows->dilations[d]));
  }
  FailureOr<Shape> declared = n.declared(0, shape);
  if (failed(declared))
    return failure();
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(iterators.size(), 0, exprs, n.b.getContext());
  };
  SmallVector<AffineMap> maps(*count, map(read));
  // An operand that is not read says how large the windows are.
  inputs.push_back(tensor::EmptyOp::create(
      n.b, n.loc, ArrayRef<OpFoldResult>(kernel), n.in(0).element));
  maps.push_back(map(window));
  SmallVector<Value> results;
  for (Value start : starts) {
    results.push_back(filledWith(n, start, *declared));
    maps.push_back(map(write));
  }
  if (!llvm::is_contained(llvm::map_range(*declared, knownSize), 0))
    results = generics(n, inputs, results, maps, iterators,
                       [&](Scalars &s, ValueRange args) {
                         SmallVector<Value> arguments(args.take_back(*count));
                         llvm::append_range(arguments, args.take_front(*count));
                         return body->compute(s, arguments);
                       });
  for (auto [i, result] : llvm::enumerate(results))
    if (failed(n.set(i, toGraphValue(result, *declared))))
      return failure();
  return success();
}

LogicalResult stablehlo::importMap(OpImporter &n) {
  SmallVector<Type> types;
  SmallVector<GraphValue *> operands;
  for (unsigned i = 0; i < n.numOperands(); ++i) {
    types.push_back(n.in(i).element);
    operands.push_back(&n.in(i));
  }
  auto body = Body::get(n, types, 1);
  if (failed(body))
    return failure();
  auto result = elementwise(
      n, operands, signless(n.resultElement()),
      [&](Scalars &s, ValueRange x) { return body->compute(s, x).front(); });
  return failed(result) ? failure() : n.set(*result);
}
