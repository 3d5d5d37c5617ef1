//===- Reductions.cpp - Reductions ----------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../../Builder/Emit.h"
#include "../../Builder/Integers.h"
#include "../NodeImporter.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

static Value same(Scalars &, Value x) { return x; }

namespace {
/// A reduction: combine(accumulator, of(element)) from `start`, and `after` of
/// the result.
struct Reduction {
  double start;
  Value (*combine)(Scalars &, ValueRange);
  Value (*of)(Scalars &, Value) = same;
  Value (*after)(Scalars &, Value) = nullptr;
};
} // namespace

static Value sum(Scalars &s, ValueRange args) {
  return s.add(args[0], args[1]);
}
static Value product(Scalars &s, ValueRange args) {
  return s.mul(args[0], args[1]);
}
static Value most(Scalars &s, ValueRange args) {
  return s.max(args[0], args[1]);
}
static Value least(Scalars &s, ValueRange args) {
  return s.min(args[0], args[1]);
}
static Value square(Scalars &s, Value x) { return s.mul(x, x); }
static Value absolute(Scalars &s, Value x) { return s.abs(x); }
static Value root(Scalars &s, Value x) { return s.sqrt(x); }
static Value logarithm(Scalars &s, Value x) { return s.log(x); }

static Reduction reductionOf(StringRef op, Type element) {
  double infinity = std::numeric_limits<double>::infinity();
  double lowest = -infinity, greatest = infinity;
  if (auto integer = dyn_cast<IntegerType>(element)) {
    bool isSigned = element.isSignlessInteger() && !element.isInteger(1);
    double values = std::ldexp(1.0, integer.getWidth());
    lowest = isSigned ? -values / 2 : 0;
    greatest = lowest + (values - 1);
  }
  return llvm::StringSwitch<Reduction>(op)
      .Case("ReduceMax", {lowest, most})
      .Case("ReduceMin", {greatest, least})
      .Case("ReduceProd", {1, product})
      .Case("ReduceL1", {0, sum, absolute})
      .Case("ReduceL2", {0, sum, square, root})
      .Case("ReduceSumSquare", {0, sum, square})
      .Case("ReduceLogSum", {0, sum, same, logarithm})
      .Default({0, sum});
}

/// The dimensions that are reduced; nothing if the node does nothing.
static FailureOr<std::optional<SmallVector<int64_t>>>
readAxes(NodeImporter &n) {
  GraphValue &x = n.in(0);
  SmallVector<int64_t> given(n.getInts("axes"));
  if (n.has(1)) {
    FailureOr<SmallVector<int64_t>> axes = n.constantIntegers(1, "its axes");
    if (failed(axes))
      return failure();
    given = *axes;
  }
  SmallVector<int64_t> dims;
  for (int64_t axis : given) {
    FailureOr<int64_t> dim = n.dimension(axis, x.rank());
    if (failed(dim))
      return failure();
    if (!llvm::is_contained(dims, *dim))
      dims.push_back(*dim);
  }
  if (given.empty() && n.getInt("noop_with_empty_axes", 0))
    return std::optional<SmallVector<int64_t>>();
  if (given.empty())
    dims = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  llvm::sort(dims);
  return std::optional(dims);
}

/// log(sum(exp(x - m))) + m, m the greatest element.
static FailureOr<GraphValue> logSumExp(NodeImporter &n, GraphValue &x,
                                       ArrayRef<int64_t> dims) {
  GraphValue greatest =
      reduce(n, x, dims, -std::numeric_limits<double>::infinity(), most);
  GraphValue spread = unsqueeze(n, greatest, dims);
  FailureOr<GraphValue> moved =
      elementwise(n, {&x, &spread}, x.element, [](Scalars &s, ValueRange args) {
        return s.exp(s.sub(args[0], args[1]));
      });
  if (failed(moved))
    return failure();
  GraphValue total = reduce(n, *moved, dims, 0.0, sum);
  return elementwise(n, {&total, &greatest}, x.element,
                     [](Scalars &s, ValueRange args) {
                       return s.add(s.log(args[0]), args[1]);
                     });
}

/// The sums of a constant of integers, which wrap, as a constant: those of
/// weights that dynamic quantization needs. Nothing for other values.
static std::optional<GraphValue> sumConstant(NodeImporter &n, GraphValue &x,
                                             ArrayRef<int64_t> dims) {
  std::optional<SmallVector<int64_t>> sizes = knownSizes(x.shape);
  if (!x.constant || !x.isSigned() || !sizes)
    return std::nullopt;
  SmallVector<int64_t> order, shape;
  int64_t rowSize = 1;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (!llvm::is_contained(dims, d)) {
      order.push_back(d);
      shape.push_back((*sizes)[d]);
    }
  for (int64_t d : dims) {
    order.push_back(d);
    rowSize *= (*sizes)[d];
  }
  GraphValue rows = transpose(n, x, order);
  auto type = RankedTensorType::get(shape, x.element);
  unsigned width = getElementBytes(x.element);
  std::optional<ConstantData> data = ConstantData::get(rows.constant);
  if (!data || width == 0)
    return std::nullopt;
  std::vector<char> sums(type.getNumElements() * width);
  for (int64_t row = 0; row < type.getNumElements(); ++row) {
    // The lowest bytes of a sum do not depend on the bytes above them.
    uint64_t total = 0;
    for (int64_t i = row * rowSize; i < (row + 1) * rowSize; ++i) {
      uint64_t element = 0;
      std::memcpy(&element, data->bytes.data() + i * width, width);
      total += element;
    }
    std::memcpy(sums.data() + row * width, &total, width);
  }
  return Constants::toValue(n.b, makeConstant(type, sums, "sums"));
}

LogicalResult onnx::importReduce(NodeImporter &n) {
  GraphValue x = n.in(0);
  StringRef op = n.op();
  bool takesIntegers =
      llvm::is_contained({"ReduceMax", "ReduceMin", "ReduceSum", "ReduceProd",
                          "ReduceSumSquare", "ReduceL1"},
                         op);
  bool hasLog = op.contains("Log") && x.element.isF64();
  // uint8 and bool in int32, where they are exact.
  bool isSmall = x.isUnsigned() || x.isBool();
  if (hasLog || (!x.isFloat() && !takesIntegers))
    return n.refuse() << "does not take " << elementName(x.element)
                      << "; cast it to float32";
  FailureOr<std::optional<SmallVector<int64_t>>> axes = readAxes(n);
  if (failed(axes))
    return failure();
  Type element = x.element;
  bool keepsDims = n.getInt("keepdims", 1) != 0;
  auto integerOp = llvm::StringSwitch<std::optional<IntegerOp>>(op)
                       .Case("ReduceSum", IntegerOp::Add)
                       .Case("ReduceProd", IntegerOp::Mul)
                       .Case("ReduceMin", IntegerOp::Min)
                       .Case("ReduceMax", IntegerOp::Max)
                       .Default(std::nullopt);
  if (integerOp && *axes && !(*axes)->empty())
    if (auto known = reduceIntegers(n, *integerOp, n.in(0), keepsDims))
      return n.set(0, *known);
  Reduction reduction = reductionOf(op, element);
  if (isSmall)
    x = *convert(n, x, n.b.getI32Type());
  SmallVector<int64_t> dims = axes->value_or(SmallVector<int64_t>());
  FailureOr<GraphValue> y;
  if (op == "ReduceLogSumExp")
    y = logSumExp(n, x, dims);
  else if (dims.empty() && reduction.of == same)
    y = x;
  else if (auto known =
               op == "ReduceSum" ? sumConstant(n, x, dims) : std::nullopt)
    y = *known;
  else
    y = reduce(n, x, dims, reduction.start, reduction.combine, reduction.of);
  if (failed(y))
    return failure();
  if (reduction.after)
    y = elementwise(n, {&*y}, x.element, [&](Scalars &s, ValueRange args) {
      return reduction.after(s, args[0]);
    });
  if (succeeded(y) && op == "ReduceMean") {
    SmallVector<OpFoldResult> sizes;
    for (int64_t d : dims)
      sizes.push_back(x.shape[d]);
    y = divideBySize(n, *y, n.product(sizes));
  }
  if (succeeded(y))
    y = convert(n, *y, element);
  if (failed(y))
    return failure();
  if (keepsDims && !dims.empty())
    return n.set(0, unsqueeze(n, *y, dims));
  return n.set(0, *y);
}

//===----------------------------------------------------------------------===//
// ArgMax and ArgMin
//===----------------------------------------------------------------------===//

/// The loops over the dimension `axis` of `x`, in order: the best element so
/// far and its index. A NaN is better than any number.
static GraphValue findExtreme(NodeImporter &n, GraphValue &x, int64_t axis,
                              bool isMax, bool takesLast) {
  Reduction start = reductionOf(isMax ? "ReduceMax" : "ReduceMin", x.element);
  Shape shape(x.shape);
  shape.erase(shape.begin() + axis);
  SmallVector<utils::IteratorType> iterators(x.rank(),
                                             utils::IteratorType::parallel);
  iterators[axis] = utils::IteratorType::reduction;
  AffineMap all = n.b.getMultiDimIdentityMap(x.rank());
  AffineMap kept = all.dropResult(axis);
  Value best = filled(n, x.element, shape, start.start),
        index = filled(n, n.b.getI64Type(), shape, 0);
  auto loops = linalg::GenericOp::create(
      n.b, n.loc, TypeRange{best.getType(), index.getType()}, n.tensor(x),
      ValueRange{best, index}, ArrayRef<AffineMap>{all, kept, kept}, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars s(b, loc);
        Value e = args[0], old = args[1];
        Value isBetter = isMax ? s.less(old, e) : s.less(e, old);
        auto orElse = [&](Value condition) {
          isBetter = arith::OrIOp::create(b, loc, isBetter, condition);
        };
        if (takesLast)
          orElse(s.equal(old, e));
        if (isa<FloatType>(e.getType())) {
          Value isNaN = s.isNaN(e);
          orElse(takesLast
                     ? isNaN
                     : arith::AndIOp::create(b, loc, isNaN, s.isOrdered(old)));
        }
        Value place = arith::IndexCastOp::create(
            b, loc, b.getI64Type(), linalg::IndexOp::create(b, loc, axis));
        linalg::YieldOp::create(b, loc,
                                ValueRange{s.select(isBetter, e, old),
                                           s.select(isBetter, place, args[2])});
      });
  return toGraphValue(loops.getResult(1), shape);
}

LogicalResult onnx::importArgExtreme(NodeImporter &n) {
  GraphValue x = n.in(0);
  FailureOr<int64_t> axis = n.axis(0, x.rank());
  if (failed(axis))
    return failure();
  if (x.isUnsigned())
    x = *convert(n, x, n.b.getI32Type());
  GraphValue places = findExtreme(n, x, *axis, n.op() == "ArgMax",
                                  n.getInt("select_last_index", 0) != 0);
  bool keeps = n.getInt("keepdims", 1) != 0;
  return n.set(0, keeps ? unsqueeze(n, places, *axis) : places);
}
