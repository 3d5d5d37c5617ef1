//===- Shapes.cpp - Constants and shapes as values ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../../Builder/Emit.h"
#include "../FoldNumbers.h"
#include "../NodeImporter.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Integers of int64 that the evaluator knows.
static GraphValue known(NodeImporter &n, ArrayRef<OpFoldResult> integers,
                        bool isScalar) {
  GraphValue value;
  value.element = n.b.getI64Type();
  value.integers = llvm::to_vector(integers);
  if (!isScalar)
    value.shape.push_back(n.size(integers.size()));
  return value;
}

LogicalResult onnx::importShape(NodeImporter &n) {
  int64_t rank = n.in(0).rank();
  auto place = [&](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  int64_t start = place(n.getInt("start", 0)),
          end = place(n.getInt("end", rank));
  ArrayRef<OpFoldResult> sizes(n.in(0).shape);
  n.noteSizes(sizes);
  return n.set(0,
               known(n, sizes.slice(start, std::max<int64_t>(0, end - start)),
                     /*isScalar=*/false));
}

LogicalResult onnx::importSize(NodeImporter &n) {
  return n.set(0, known(n, n.product(n.in(0).shape), /*isScalar=*/true));
}

//===----------------------------------------------------------------------===//
// Range
//===----------------------------------------------------------------------===//

/// How many elements a Range of floats has; none where that is not known.
static std::optional<OpFoldResult> countFloats(NodeImporter &n, double start,
                                               double delta) {
  constexpr double most = 1 << 24; // integers up to here are exact in float32
  if (auto limit = readNumbers(n.in(1)); limit && limit->size() == 1) {
    double span = limit->front() - start;
    if (!n.in(1).element.isF64())
      span = static_cast<float>(span);
    double count = std::max(0.0, std::ceil(span / delta));
    if (!(count <= INT32_MAX))
      return std::nullopt;
    return n.size(static_cast<int64_t>(count));
  }
  auto isInteger = [&](double x) {
    return x == std::trunc(x) && std::abs(x) <= most;
  };
  if (!n.in(1).whole || !isInteger(start) || !isInteger(delta))
    return std::nullopt;
  OpFoldResult first = n.size(static_cast<int64_t>(start)),
               limit = n.in(1).whole,
               span = delta > 0 ? n.sub(limit, first) : n.sub(first, limit),
               step = n.size(static_cast<int64_t>(std::abs(delta)));
  return n.max(n.ceilDiv(span, step), n.size(0));
}

/// start + i * delta; of float16 and bfloat16 in float32, rounded once.
static LogicalResult importFloatRange(NodeImporter &n) {
  Type type = n.in(0).element;
  auto start = readNumbers(n.in(0)), delta = readNumbers(n.in(2));
  bool areNumbers = start && start->size() == 1 && delta &&
                    delta->size() == 1 && std::isfinite(start->front()) &&
                    std::isfinite(delta->front()) && delta->front() != 0;
  std::optional<OpFoldResult> count =
      areNumbers ? countFloats(n, start->front(), delta->front())
                 : std::nullopt;
  if (!count)
    return n.refuse()
           << "has a start, a limit or a delta that is no finite constant, or "
              "a "
              "delta of 0; the limit may also be an integer that is known or a "
              "size, as float, where the others are integers";
  Type wide = type.isF64() ? type : n.b.getF32Type();
  Value y = tabulate(n, {*count}, type, [&](Scalars &s, ValueRange i) -> Value {
    Value integer =
        arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), i[0]);
    Value steps = arith::SIToFPOp::create(s.b, s.loc, wide, integer);
    Value place = s.add(s.constant(wide, start->front()),
                        s.mul(steps, s.constant(wide, delta->front())));
    return type == wide ? place
                        : arith::TruncFOp::create(s.b, s.loc, type, place);
  });
  return n.set(0, y, {*count});
}

LogicalResult onnx::importRange(NodeImporter &n) {
  Type type = n.in(0).element;
  if (isa<FloatType>(type))
    return importFloatRange(n);
  if (!type.isInteger(64) && !type.isInteger(32))
    return n.refuse() << "does not take " << elementName(type)
                      << "; use int64, int32 or a float";
  auto start = n.integers(0, "its start"), limit = n.integers(1, "its limit");
  auto delta = n.constantIntegers(2, "its delta");
  if (failed(start) || failed(limit) || failed(delta))
    return failure();
  if (start->size() != 1 || limit->size() != 1 || delta->size() != 1 ||
      delta->front() == 0 || llvm::AbsoluteValue(delta->front()) > INT32_MAX)
    return n.refuse()
           << "has a start, a limit or a delta that is no number, or "
              "a delta of 0; correct them";
  OpFoldResult first = start->front(), step = n.size(delta->front());
  OpFoldResult span = delta->front() > 0 ? n.sub(limit->front(), first)
                                         : n.sub(first, limit->front());
  OpFoldResult count = n.max(
      n.ceilDiv(span, n.size(llvm::AbsoluteValue(delta->front()))), n.size(0));
  Shape shape{count};
  GraphValue y;
  y.element = type;
  y.shape = shape;
  std::optional<int64_t> elements = knownSize(count);
  if (elements && *elements <= 1024) {
    y.integers.emplace();
    for (int64_t i = 0; i < *elements; ++i)
      y.integers->push_back(n.add(first, n.mul(step, n.size(i))));
    return n.set(0, y);
  }
  Value begin = n.index(first), width = n.index(step);
  y.value = tabulate(n, {count}, type, [&](Scalars &s, ValueRange i) -> Value {
    return arith::IndexCastOp::create(s.b, s.loc, type,
                                      s.add(begin, s.mul(i[0], width)));
  });
  return n.set(0, y);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

LogicalResult onnx::importConstant(NodeImporter &n) {
  if (const NodeAttribute *value = n.find("value")) {
    FailureOr<GraphValue> constant = n.makeConstant(*value->tensor);
    return failed(constant) ? failure() : n.set(0, *constant);
  }
  auto set = [&](ArrayRef<int64_t> shape, Type element, auto values) {
    auto type = RankedTensorType::get(shape, element);
    return n.set(0,
                 Constants::toValue(n.b, DenseElementsAttr::get(type, values)));
  };
  Type f32 = n.b.getF32Type(), i64 = n.b.getI64Type();
  if (n.find("value_float"))
    return set({}, f32, ArrayRef<float>(n.getFloat("value_float", 0)));
  if (n.find("value_int"))
    return set({}, i64, ArrayRef<int64_t>(n.getInt("value_int", 0)));
  if (const NodeAttribute *floats = n.find("value_floats"))
    return set(static_cast<int64_t>(floats->reals.size()), f32,
               ArrayRef<float>(floats->reals));
  if (n.find("value_ints"))
    return set(static_cast<int64_t>(n.getInts("value_ints").size()), i64,
               n.getInts("value_ints"));
  return n.refuse()
         << "has no value of numbers; strings and sparse tensors are "
            "not supported";
}

/// Whether the element of a constant is not 0.
static bool isOtherThanZero(const GraphValue &element) {
  auto dense = dyn_cast<DenseElementsAttr>(element.constant);
  if (!dense || dense.getNumElements() != 1)
    return false;
  auto number = *dense.value_begin<Attribute>();
  if (auto real = dyn_cast<FloatAttr>(number))
    return !real.getValue().isZero();
  return !cast<IntegerAttr>(number).getValue().isZero();
}

LogicalResult onnx::importConstantOfShape(NodeImporter &n) {
  FailureOr<SmallVector<OpFoldResult>> sizes = n.integers(0, "its shape");
  if (failed(sizes))
    return failure();
  for (OpFoldResult size : *sizes)
    if (knownSize(size) && *knownSize(size) < 0)
      return n.refuse() << "has a negative size; correct the shape";
  GraphValue element;
  if (const NodeAttribute *value = n.find("value")) {
    FailureOr<GraphValue> constant = n.makeConstant(*value->tensor);
    if (failed(constant))
      return failure();
    if (knownSizes(constant->shape) != SmallVector<int64_t>{1})
      return n.refuse() << "has a value that is not one element; correct it";
    if (constant->packedBits || constant->isUInt16)
      return n.refuse() << "has a value of "
                        << (constant->isUInt16 ? "uint16" : "2 or 4 bits")
                        << ", which is not supported; make it int8, uint8 or "
                           "int32";
    element = reshape(n, *constant, {});
  } else {
    auto type = RankedTensorType::get({}, n.b.getF32Type());
    element = Constants::toValue(n.b, DenseElementsAttr::get(type, 0.0f));
  }
  Shape shape(*sizes);
  GraphValue y = broadcastTo(
      n, element, shape, AffineMap::get(shape.size(), 0, {}, n.b.getContext()));
  y.isFilled = isOtherThanZero(element);
  // Integers of such a vector may decide of shapes.
  if (auto integers = Constants::readIntegers(n.b, element)) {
    std::optional<int64_t> count =
        shape.size() == 1 ? knownSize(shape[0]) : std::nullopt;
    if (count && *count <= 1024)
      y.integers.emplace(*count, integers->front());
  }
  return n.set(0, std::move(y));
}
