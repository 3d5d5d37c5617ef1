//===- Reductions.cpp - Reductions ----------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Integers.h"
#include "../Codes.h"
#include "../Ops.h"
#include "../Quantized.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <limits>

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

static LogicalResult setOr(OpImporter &n, FailureOr<GraphValue> value) {
  return failed(value) ? failure() : n.set(*value);
}

/// The dimensions that operand 1 names, each once.
static FailureOr<SmallVector<int64_t>> readDims(OpImporter &n) {
  auto numbers = n.constants(1, "its dimensions");
  if (failed(numbers))
    return failure();
  SmallVector<int64_t> dims;
  for (int64_t number : *numbers) {
    auto axis = n.axisOf(number, n.in(0).rank());
    if (failed(axis))
      return failure();
    if (!llvm::is_contained(dims, *axis))
      dims.push_back(*axis);
  }
  llvm::sort(dims);
  return dims;
}

/// The value without `dims`, or with ones in their places.
static FailureOr<GraphValue> keepDims(OpImporter &n, GraphValue &reduced,
                                      ArrayRef<int64_t> dims) {
  auto *options = n.options<fb::ReducerOptions>(fb::OptionsType_Reducer);
  if (!options)
    return failure();
  return options->keep_dims() ? unsqueeze(n, reduced, dims) : reduced;
}

/// MEAN and SUM of stored integers: exact sums, multiplied once.
static FailureOr<GraphValue> sumStored(OpImporter &n, ArrayRef<int64_t> dims,
                                       GraphValue &sums) {
  GraphValue &x = n.in(0);
  auto from = n.affine(0), to = n.resultAffine();
  if (failed(from) || failed(to))
    return failure();
  int64_t count = 1;
  for (int64_t d : dims) {
    std::optional<int64_t> size = knownSize(x.shape[d]);
    if (!size || *size < 1 || *size > (1 << 23) / count)
      return n.refuse() << "sums a dimension of a dynamic size, of none or of "
                           "too many elements, which is not supported; give "
                           "it a constant size";
    count *= *size;
  }
  bool isMean = n.op.code == code::MEAN;
  double factor = static_cast<double>(from->scale) / to->scale;
  Multiplier m = quantizeMultiplier(n, factor);
  int64_t moved = static_cast<int64_t>(from->zeroPoint) * count;
  if (isMean) {
    // The count is divided out of the factor, which has bits to spare.
    int bits = 63 - llvm::countl_zero(static_cast<uint64_t>(count));
    bits = std::min({bits, 32, 31 + (31 - m.shift)});
    bits = std::max(bits, 0);
    m.value =
        static_cast<int32_t>((static_cast<int64_t>(m.value) << bits) / count);
    m.shift += bits;
  }
  return elementwise(n, {&sums}, x.element, [&](Scalars &s, ValueRange args) {
    Value sum = s.sub(args[0], s.constant(args[0].getType(), moved));
    return narrow(s, multiply(s, sum, m), x.element, to->zeroPoint,
                  rangeOf(x.element));
  });
}

LogicalResult tflite::importMean(OpImporter &n) {
  auto dims = readDims(n);
  if (failed(dims))
    return failure();
  GraphValue x = n.in(0);
  bool isStored = x.element.isInteger(8) || x.element.isInteger(16);
  if (isStored)
    x = *convert(n, x, n.b.getI32Type());
  GraphValue sums = reduce(n, x, *dims, 0.0, [](Scalars &s, ValueRange args) {
    return s.add(args[0], args[1]);
  });
  FailureOr<GraphValue> result = sums;
  if (isStored) {
    result = sumStored(n, *dims, sums);
  } else if (n.op.code == code::MEAN) {
    SmallVector<OpFoldResult> sizes;
    for (int64_t d : *dims)
      sizes.push_back(x.shape[d]);
    OpFoldResult count = n.product(sizes);
    if (knownSize(count) == 0)
      return n.refuse() << "takes the mean of no elements; correct the model";
    result = divideBySize(n, sums, count);
  }
  return failed(result) ? failure() : setOr(n, keepDims(n, *result, *dims));
}

LogicalResult tflite::importReduce(OpImporter &n) {
  auto dims = readDims(n);
  if (failed(dims))
    return failure();
  GraphValue &x = n.in(0);
  int32_t op = n.op.code;
  bool isTruth = op == code::REDUCE_ANY || op == code::REDUCE_ALL;
  if (isTruth != x.isBool() ||
      (op == code::REDUCE_PROD && x.element.getIntOrFloatBitWidth() < 32))
    return n.refuse() << "takes elements of " << typeName(n.info(0).type)
                      << ", which is not supported; use others";
  bool isMax = op == code::REDUCE_MAX, isMin = op == code::REDUCE_MIN;
  auto *options = n.options<fb::ReducerOptions>(fb::OptionsType_Reducer);
  if (!options)
    return failure();
  if (!isTruth && !dims->empty())
    if (auto known = reduceIntegers(n,
                                    isMax   ? IntegerOp::Max
                                    : isMin ? IntegerOp::Min
                                            : IntegerOp::Mul,
                                    x, options->keep_dims()))
      return n.set(*known);
  double start = op == code::REDUCE_PROD || op == code::REDUCE_ALL ? 1 : 0;
  if (isMax || isMin) {
    double most = std::numeric_limits<double>::infinity();
    if (!x.isFloat())
      most = static_cast<double>(isMax ? rangeOf(x.element).least
                                       : rangeOf(x.element).most);
    start = isMax && x.isFloat() ? -most : most;
  }
  GraphValue reduced =
      reduce(n, x, *dims, start, [&](Scalars &s, ValueRange args) -> Value {
        if (isMax)
          return s.max(args[0], args[1]);
        if (isMin)
          return s.min(args[0], args[1]);
        if (op == code::REDUCE_ANY)
          return arith::OrIOp::create(s.b, s.loc, args[0], args[1]);
        if (op == code::REDUCE_ALL)
          return arith::AndIOp::create(s.b, s.loc, args[0], args[1]);
        return s.mul(args[0], args[1]);
      });
  return setOr(n, keepDims(n, reduced, *dims));
}

/// Refuses a dimension without elements, or lets the entry do so.
static LogicalResult needElements(OpImporter &n, OpFoldResult size) {
  OpFoldResult condition =
      n.compare(arith::CmpIPredicate::sgt, size, n.size(0));
  std::optional<int64_t> known = knownSize(condition);
  if (known && *known != 0)
    return success();
  if (known)
    return n.refuse() << "takes the greatest or least of no elements; correct "
                         "the model";
  if (!isa<func::FuncOp>(n.b.getInsertionBlock()->getParentOp()))
    return n.refuse() << "is in a loop and has a dimension of a dynamic size, "
                         "which is not supported; give it a constant size";
  cf::AssertOp::create(n.b, n.loc, n.truth(condition),
                       "op '" + n.name.str() +
                           "' takes the greatest or least of no elements; "
                           "give the input at least one");
  n.noteTrue(condition);
  return success();
}

/// The floats with a number for each NaN: the best of all for one at position
/// 0, which no element replaces in TFLite, and `worst` for others, which
/// replace no element.
static FailureOr<GraphValue> orderNaNs(OpImporter &n, GraphValue &x,
                                       GraphValue &places, double worst) {
  return elementwise(
      n, {&x, &places}, x.element, [&](Scalars &s, ValueRange args) {
        Value isFirst = s.equal(args[1], s.constant(places.element, 0));
        Value number = s.select(isFirst, s.constant(x.element, -worst),
                                s.constant(x.element, worst));
        return s.select(s.isNaN(args[0]), number, args[0]);
      });
}

LogicalResult tflite::importArgMinMax(OpImporter &n) {
  auto axes = n.constants(1, "its dimension");
  if (failed(axes) || axes->size() != 1)
    return failed(axes)
               ? failure()
               : LogicalResult(n.refuse() << "needs one dimension; correct the "
                                             "model");
  GraphValue &x = n.in(0);
  auto axis = n.axisOf(axes->front(), x.rank());
  if (failed(axis) || failed(needElements(n, x.shape[*axis])))
    return failure();
  bool isMax = n.op.code == code::ARG_MAX;
  Type index = n.resultElement();
  if (!index.isInteger(32) && !index.isInteger(64))
    return n.refuse() << "gives positions of type " << typeName(n.result().type)
                      << "; correct the model";
  // The first one of the greatest or least.
  GraphValue places = toGraphValue(
      tabulate(n, Shape{x.shape[*axis]}, index,
               [&](Scalars &s, ValueRange at) -> Value {
                 return arith::IndexCastOp::create(s.b, s.loc, index, at[0]);
               }),
      Shape{x.shape[*axis]});
  SmallVector<int64_t> behind;
  for (int64_t d = 1; d < x.rank() - *axis; ++d)
    behind.push_back(d);
  places = unsqueeze(n, places, behind);
  double most = x.isFloat()
                    ? std::numeric_limits<double>::infinity()
                    : static_cast<double>(isMax ? rangeOf(x.element).least
                                                : rangeOf(x.element).most);
  if (x.isFloat() && isMax)
    most = -most;
  FailureOr<GraphValue> numbers = x;
  if (x.isFloat())
    numbers = orderNaNs(n, x, places, most);
  if (failed(numbers))
    return failure();
  GraphValue reduced =
      reduce(n, *numbers, {*axis}, most, [&](Scalars &s, ValueRange args) {
        return isMax ? s.max(args[0], args[1]) : s.min(args[0], args[1]);
      });
  GraphValue best = unsqueeze(n, reduced, {*axis});
  double last = static_cast<double>(std::numeric_limits<int32_t>::max());
  auto candidates = elementwise(
      n, {&*numbers, &best, &places}, index, [&](Scalars &s, ValueRange args) {
        return s.select(s.equal(args[0], args[1]), args[2],
                        s.constant(index, last));
      });
  if (failed(candidates))
    return failure();
  return n.set(
      reduce(n, *candidates, {*axis}, last, [](Scalars &s, ValueRange args) {
        return s.min(args[0], args[1]);
      }));
}

LogicalResult tflite::importCumsum(OpImporter &n) {
  auto *options = n.options<fb::CumsumOptions>(fb::OptionsType_Cumsum);
  auto axes = n.constants(1, "its dimension");
  if (!options || failed(axes))
    return failure();
  GraphValue &x = n.in(0);
  if (axes->size() != 1)
    return n.refuse() << "needs one dimension; correct the model";
  auto axis = n.axisOf(axes->front(), x.rank());
  if (failed(axis))
    return failure();
  Value zero = Scalars(n.b, n.loc).constant(x.element, 0);
  return setOr(n, accumulate(n, x, *axis, zero, options->reverse(),
                             options->exclusive(),
                             [](Scalars &s, ValueRange args) {
                               return s.add(args[0], args[1]);
                             }));
}

LogicalResult tflite::importL2Normalization(OpImporter &n) {
  GraphValue &x = n.in(0);
  if (x.rank() < 1)
    return n.refuse() << "takes a value with dimensions; reshape it";
  int64_t last = x.rank() - 1;
  GraphValue sums = reduce(
      n, x, {last}, 0.0,
      [](Scalars &s, ValueRange args) { return s.add(args[0], args[1]); },
      [](Scalars &s, Value v) { return s.mul(v, v); });
  GraphValue rows = unsqueeze(n, sums, {last});
  return setOr(
      n,
      elementwise(n, {&x, &rows}, x.element, [&](Scalars &s, ValueRange args) {
        Value norm = s.max(s.sqrt(args[1]), s.constant(x.element, 1e-6));
        return s.div(args[0], norm);
      }));
}

LogicalResult tflite::importAddN(OpImporter &n) {
  GraphValue sum = n.in(0);
  for (unsigned i = 1; i < n.numInputs(); ++i) {
    auto next = elementwise(
        n, {&sum, &n.in(i)}, sum.element,
        [](Scalars &s, ValueRange args) { return s.add(args[0], args[1]); });
    if (failed(next))
      return failure();
    sum = *next;
  }
  return n.set(sum);
}
