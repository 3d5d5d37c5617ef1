//===- Reductions.cpp - reduce, windows, map ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Body.h"
#include "../Ops.h"
#include "Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

using Iterator = utils::IteratorType;

/// Operands are tensors, then as many initial values, then `others`. Refuses
/// other operands.
static FailureOr<unsigned> countTensors(OpImporter &n, unsigned others = 0) {
  unsigned count = n.op->getNumResults();
  bool fits = count > 0 && n.numOperands() == 2 * count + others;
  for (unsigned i = 0; fits && i < count; ++i)
    fits = n.in(i).rank() == n.in(0).rank() && n.in(count + i).rank() == 0 &&
           n.in(count + i).element == n.in(i).element;
  if (fits)
    return count;
  return n.refuse() << "needs tensors of one shape and an initial value of "
                       "each, and has as many results; correct the program";
}

/// Arguments of the region: results so far, then elements. The custom call that
/// stands for a reduce_window of computed sizes has a function as its region.
static FailureOr<Body> bodyOf(OpImporter &n, unsigned count) {
  SmallVector<Type> types;
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned i = 0; i < count; ++i)
      types.push_back(n.in(i).element);
  if (n.op->getNumRegions() > 0)
    return Body::get(n, types, count);
  auto callees = n.op->getAttrOfType<ArrayAttr>("called_computations");
  auto name = callees && callees.size() == 1
                  ? dyn_cast<FlatSymbolRefAttr>(callees[0])
                  : FlatSymbolRefAttr();
  auto callee =
      name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(n.op, name)
           : func::FuncOp();
  if (!callee)
    return n.refuse() << "names no function that combines elements; correct "
                         "the program";
  return Body::get(n, callee.getBody(), types, count);
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
  Shape sizes, low, high;
  SmallVector<int64_t> strides, dilations, baseDilations;
};
} // namespace

/// Windows of attributes, or of operands from `first` on.
static FailureOr<Windows> readWindows(OpImporter &n, int64_t rank,
                                      unsigned first) {
  auto sizes = readSizes(n, "window_dimensions", first, rank, 1),
       strides = readSizes(n, "window_strides", first + 1, rank, 1),
       baseDilations = readSizes(n, "base_dilations", first + 2, rank, 1),
       dilations = readSizes(n, "window_dilations", first + 3, rank, 1),
       padding = readSizes(n, "padding", first + 4, 2 * rank, 0);
  if (failed(sizes) || failed(strides) || failed(dilations) ||
      failed(baseDilations) || failed(padding))
    return failure();
  for (auto *list : {&*sizes, &*strides, &*dilations, &*baseDilations})
    for (OpFoldResult size : *list)
      if (int64_t number = knownSize(size).value_or(1);
          number < 1 || number > (int64_t(1) << 31))
        return n.refuse() << "has a window, stride or dilation of " << number
                          << "; correct the attribute";
  auto steps = knownSizes(*strides), gaps = knownSizes(*dilations),
       baseGaps = knownSizes(*baseDilations);
  if (!steps || !gaps || !baseGaps)
    return n.refuse() << "has strides or dilations that are not constant, "
                         "which is not supported; give the program constant "
                         "ones";
  Windows w{Shape(*sizes), {}, {}, *steps, *gaps, *baseGaps};
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
    bool hasNoLow = knownSize(w.low[d]) == 0,
         hasNoHigh = knownSize(w.high[d]) == 0;
    if (knownSize(w.sizes[d]) == 1 && hasNoLow && hasNoHigh)
      continue;
    OpFoldResult others = n.sub(w.sizes[d], n.size(1));
    bool isForward = w.low[d] == others && hasNoHigh,
         isReverse = hasNoLow && w.high[d] == others;
    if (found || x.shape[d] != w.sizes[d] || (!isForward && !isReverse))
      return std::nullopt;
    found = Cumulative{d, isReverse};
  }
  return found;
}

/// The number of windows of a padded tensor in each dimension.
static Shape shapeOfWindows(OpImporter &n, const Windows &windows,
                            const GraphValue &padded) {
  Shape shape;
  for (int64_t d = 0; d < padded.rank(); ++d)
    shape.push_back(countWindows(n, padded.shape[d], windows.sizes[d],
                                 windows.strides[d], windows.dilations[d]));
  return shape;
}

/// `inputs` are padded to one shape, of which `shape` counts the windows.
/// `combine` gets results so far, which begin with `starts`, then elements, for
/// each element of a window in its order.
static SmallVector<Value> reduceWindows(OpImporter &n, const Windows &windows,
                                        ArrayRef<GraphValue> inputs,
                                        ValueRange starts, const Shape &shape,
                                        ScalarsBody combine) {
  // Loops: results, then dimensions of which a window has several elements.
  int64_t rank = inputs.front().rank();
  SmallVector<Iterator> iterators(rank, Iterator::parallel);
  SmallVector<AffineExpr> read, write, window;
  Shape kernel;
  for (int64_t d = 0; d < rank; ++d) {
    AffineExpr place = n.b.getAffineDimExpr(d) * windows.strides[d];
    if (knownSize(windows.sizes[d]) != 1) {
      AffineExpr k = n.b.getAffineDimExpr(iterators.size());
      iterators.push_back(Iterator::reduction);
      place = place + k * windows.dilations[d];
      window.push_back(k);
      kernel.push_back(windows.sizes[d]);
    }
    read.push_back(place);
    write.push_back(n.b.getAffineDimExpr(d));
  }
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(iterators.size(), 0, exprs, n.b.getContext());
  };
  SmallVector<Value> tensors, results;
  SmallVector<AffineMap> maps(inputs.size(), map(read));
  for (GraphValue input : inputs)
    tensors.push_back(n.tensor(input));
  // An operand that is not read says how large the windows are.
  tensors.push_back(tensor::EmptyOp::create(
      n.b, n.loc, ArrayRef<OpFoldResult>(kernel), inputs.front().element));
  maps.push_back(map(window));
  for (Value start : starts) {
    results.push_back(filledWith(n, start, shape));
    maps.push_back(map(write));
  }
  if (llvm::is_contained(llvm::map_range(shape, knownSize), 0))
    return results;
  return generics(
      n, tensors, results, maps, iterators, [&](Scalars &s, ValueRange args) {
        SmallVector<Value> arguments(args.take_back(starts.size()));
        llvm::append_range(arguments, args.take_front(inputs.size()));
        return combine(s, arguments);
      });
}

LogicalResult stablehlo::importReduceWindow(OpImporter &n) {
  // What a custom call has as operands in the place of attributes.
  bool isDynamic = n.op->getNumRegions() == 0;
  FailureOr<unsigned> count = countTensors(n, isDynamic ? 5 : 0);
  if (failed(count))
    return failure();
  auto windows = readWindows(n, n.in(0).rank(), 2 * *count);
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
  SmallVector<Value> starts;
  SmallVector<GraphValue> inputs;
  for (unsigned i = 0; i < *count; ++i) {
    starts.push_back(scalarOf(n, n.in(*count + i)));
    inputs.push_back(
        padAll(n, n.in(i), windows->low, windows->high, gaps, starts.back()));
  }
  FailureOr<Shape> declared =
      n.declared(0, shapeOfWindows(n, *windows, inputs.front()));
  if (failed(declared))
    return failure();
  SmallVector<Value> results =
      reduceWindows(n, *windows, inputs, starts, *declared,
                    [&](Scalars &s, ValueRange arguments) {
                      return body->compute(s, arguments);
                    });
  for (auto [i, result] : llvm::enumerate(results))
    if (failed(n.set(i, toGraphValue(result, *declared))))
      return failure();
  return success();
}

/// For each window of `x` the number, in row-major order, of the element that
/// `select` prefers to all others: the first of those that it takes as equal.
/// -1 where a window has only padding.
static GraphValue selectPlaces(OpImporter &n, GraphValue &x,
                               const Windows &windows, const Body &select) {
  Type i64 = n.b.getI64Type();
  Scalars top(n.b, n.loc);
  Value none = top.constant(i64, -1), zero = top.constant(x.element, 0);
  SmallVector<Value> sizes;
  for (OpFoldResult size : x.shape)
    sizes.push_back(n.index(size));
  Value numbers =
      tabulate(n, x.shape, i64, [&](Scalars &s, ValueRange at) -> Value {
        Value number = s.constant(s.b.getIndexType(), 0);
        for (auto [i, size] : llvm::zip_equal(at, sizes))
          number = s.add(s.mul(number, size), i);
        return arith::IndexCastOp::create(s.b, s.loc, i64, number);
      });
  GraphValue places = toGraphValue(numbers, x.shape);
  SmallVector<int64_t> gaps(x.rank(), 0);
  GraphValue padded[] = {
      padAll(n, x, windows.low, windows.high, gaps, zero),
      padAll(n, places, windows.low, windows.high, gaps, none)};
  Shape shape = shapeOfWindows(n, windows, padded[0]);
  SmallVector<Value> chosen = reduceWindows(
      n, windows, padded, {zero, none}, shape, [&](Scalars &s, ValueRange v) {
        Value best = v[0], bestPlace = v[1], element = v[2], place = v[3];
        Value isFirst = s.less(bestPlace, s.constant(i64, 0)),
              isElement = s.less(none, place);
        Value stays = select.compute(s, {best, element}).front();
        Value isBetter = arith::OrIOp::create(
            s.b, s.loc, isFirst,
            arith::XOrIOp::create(s.b, s.loc, stays,
                                  s.constant(s.b.getI1Type(), 1)));
        Value takes = arith::AndIOp::create(s.b, s.loc, isElement, isBetter);
        return SmallVector<Value>{s.select(takes, element, best),
                                  s.select(takes, place, bestPlace)};
      });
  return toGraphValue(chosen[1], shape);
}

LogicalResult stablehlo::importSelectAndScatter(OpImporter &n) {
  GraphValue &x = n.in(0), &source = n.in(1), &start = n.in(2);
  if (x.rank() != source.rank() || start.rank() != 0 ||
      x.element != source.element || x.element != start.element)
    return n.refuse() << "needs an operand and a source of one rank, and an "
                         "initial value, all of one type; correct the program";
  auto windows = readWindows(n, x.rank(), n.numOperands());
  auto select = Body::get(n, {x.element, x.element}, 1);
  auto scatter = Body::get(n, {x.element, x.element}, 1, /*region=*/1);
  if (failed(windows) || failed(select) || failed(scatter))
    return failure();
  GraphValue places = selectPlaces(n, x, *windows, *select);
  for (auto [have, need] : llvm::zip_equal(source.shape, places.shape))
    if (knownSize(have) && knownSize(need) &&
        *knownSize(have) != *knownSize(need))
      return n.refuse() << "has a source of " << *knownSize(have)
                        << " elements along a dimension with "
                        << *knownSize(need) << " windows; correct the program";
  Value initial = filledWith(n, scalarOf(n, start), x.shape);
  GraphValue result = toGraphValue(initial, x.shape);
  if (llvm::is_contained(llvm::map_range(places.shape, knownSize), 0) ||
      llvm::is_contained(llvm::map_range(x.shape, knownSize), 0))
    return n.set(result);
  Value table = n.tensor(places), given = n.tensor(source);
  if (!knownSizes(source.shape) || !knownSizes(places.shape)) {
    // An op that reads both asks for equal sizes when the program runs.
    AffineMap identity = n.b.getMultiDimIdentityMap(x.rank());
    Value empty = tensor::EmptyOp::create(
        n.b, n.loc, ArrayRef<OpFoldResult>(source.shape), source.element);
    given = generic(n, {given, table}, empty, {identity, identity, identity},
                    SmallVector<Iterator>(x.rank(), Iterator::parallel),
                    [](Scalars &, ValueRange args) { return args[0]; });
  }
  SmallVector<Value> sizes;
  for (OpFoldResult size : x.shape)
    sizes.push_back(n.index(size));
  Value sums =
      forEach(n, source.shape, initial, [&](ValueRange at, Value carried) {
        Scalars s(n.b, n.loc);
        Value place = s.extract(table, at);
        Value isElement = s.less(s.constant(place.getType(), -1), place);
        Value number = arith::IndexCastOp::create(
            s.b, s.loc, s.b.getIndexType(),
            s.select(isElement, place, s.constant(place.getType(), 0)));
        SmallVector<Value> to = indicesOf(n, number, sizes);
        Value old = s.extract(carried, to);
        Value next = scatter->compute(s, {old, s.extract(given, at)}).front();
        return Value(tensor::InsertOp::create(
            s.b, s.loc, s.select(isElement, next, old), carried, to));
      });
  return n.set(toGraphValue(sums, x.shape));
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
