//===- Quantization.cpp - Quantizing and dequantizing ops of StableHLO ----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Ops.h"
#include "../Quantized.h"
#include "../ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

namespace {
/// What a quantized type says, for a tensor of integers.
struct Parameters {
  quant::QuantizedType type;
  SmallVector<float> scales;
  SmallVector<int32_t> zeroPoints;
  /// -1: the parameters of all elements.
  int64_t axis = -1;

  bool isSymmetric() const {
    return llvm::all_of(zeroPoints, [](int32_t z) { return z == 0; });
  }
  int64_t low() const { return type.getStorageTypeMin(); }
  int64_t high() const { return type.getStorageTypeMax(); }
  bool hasFullRange() const { return !type.hasStorageTypeBounds(); }
  unsigned width() const { return type.getStorageTypeIntegralWidth(); }
};
} // namespace

/// The parameters of the type that uniform_quantize or uniform_dequantize has.
static Parameters parametersOf(Operation *op) {
  Parameters p;
  p.type = cast<quant::QuantizedType>(
      op->getAttrOfType<TypeAttr>(kQuantizedAttr).getValue());
  auto add = [&](double scale, int64_t zeroPoint) {
    p.scales.push_back(static_cast<float>(scale));
    p.zeroPoints.push_back(static_cast<int32_t>(zeroPoint));
  };
  if (auto all = dyn_cast<quant::UniformQuantizedType>(p.type)) {
    add(all.getScale(), all.getZeroPoint());
    return p;
  }
  auto each = cast<quant::UniformQuantizedPerAxisType>(p.type);
  p.axis = each.getQuantizedDimension();
  for (auto [scale, zeroPoint] :
       llvm::zip_equal(each.getScales(), each.getZeroPoints()))
    add(scale, zeroPoint);
  return p;
}

/// The same, if they fit a tensor of `shape`.
static FailureOr<Parameters> parametersOf(OpImporter &n, const Shape &shape) {
  if (!n.has(kQuantizedAttr))
    return n.refuse() << "has no quantized type; correct the program";
  Parameters p = parametersOf(n.op);
  auto rank = static_cast<int64_t>(shape.size());
  int64_t count = p.scales.size();
  if (p.axis < rank &&
      (p.axis < 0 || knownSize(shape[p.axis]).value_or(count) == count))
    return p;
  return n.refuse() << "has " << count << " scales along dimension " << p.axis
                    << ", which its tensor does not have; correct the type";
}

/// An integer's real number. The difference to the zero point wraps at 32 bits
/// (N6).
static Value dequantizeScalar(Scalars &s, const Parameters &p, Value q,
                              Value scale, Value zeroPoint) {
  Type i32 = s.b.getI32Type();
  if (p.width() < 32)
    q = p.type.isSigned() ? Value(arith::ExtSIOp::create(s.b, s.loc, i32, q))
                          : Value(arith::ExtUIOp::create(s.b, s.loc, i32, q));
  Value real = arith::SIToFPOp::create(s.b, s.loc, s.b.getF32Type(),
                                       s.sub(q, zeroPoint));
  return s.mul(real, scale);
}

/// The integer of a float32: the quotient rounded, moved by the zero point and
/// saturated. NaN gives the zero point.
static Value quantizeScalar(Scalars &s, const Parameters &p, Value x,
                            Value scale, Value zeroPoint) {
  Type i64 = s.b.getI64Type(), element = s.b.getIntegerType(p.width());
  Value rounded = math::RoundEvenOp::create(s.b, s.loc, s.div(x, scale));
  // fptosi saturates, and makes 0 of NaN.
  if (p.hasFullRange() && p.isSymmetric() && p.type.isSigned())
    return arith::FPToSIOp::create(s.b, s.loc, element, rounded);
  // Beyond all integers, and the sum does not wrap.
  constexpr double limit = int64_t(1) << 40;
  rounded = s.max(rounded, s.constant(rounded.getType(), -limit));
  rounded = s.min(rounded, s.constant(rounded.getType(), limit));
  Value sum = s.add(arith::FPToSIOp::create(s.b, s.loc, i64, rounded),
                    arith::ExtSIOp::create(s.b, s.loc, i64, zeroPoint));
  sum = s.max(sum, s.constant(i64, p.low()));
  sum = s.min(sum, s.constant(i64, p.high()));
  return arith::TruncIOp::create(s.b, s.loc, element, sum);
}

Value scalar::uniformDequantize(Scalars &s, Operation *op, ValueRange x) {
  Parameters p = parametersOf(op);
  Value real =
      dequantizeScalar(s, p, x[0], s.constant(s.b.getF32Type(), p.scales[0]),
                       s.constant(s.b.getI32Type(), p.zeroPoints[0]));
  return convertScalar(s, real, s.b.getF32Type(),
                       getElementTypeOrSelf(op->getResult(0).getType()));
}

Value scalar::uniformQuantize(Scalars &s, Operation *op, ValueRange x) {
  Parameters p = parametersOf(op);
  Type f32 = s.b.getF32Type();
  return quantizeScalar(s, p, convertScalar(s, x[0], x[0].getType(), f32),
                        s.constant(f32, p.scales[0]),
                        s.constant(s.b.getI32Type(), p.zeroPoints[0]));
}

/// Scales or zero points as a constant of `shape`, that of a scalar where all
/// elements have one.
template <typename T>
static GraphValue constantOf(OpImporter &n, const Parameters &p,
                             ArrayRef<T> values, Type element,
                             ArrayRef<int64_t> shape) {
  auto type =
      RankedTensorType::get(p.axis >= 0 ? shape : ArrayRef<int64_t>(), element);
  return Constants::toValue(n.b, DenseElementsAttr::get(type, values));
}

/// Scales or zero points as the operand of an op of qnn.
template <typename T>
static Value operandOf(OpImporter &n, const Parameters &p, ArrayRef<T> values,
                       Type element) {
  GraphValue constant =
      constantOf(n, p, values, element, static_cast<int64_t>(values.size()));
  return n.tensor(constant);
}

/// `body` of each element of `x`, its scale and its zero point.
static LogicalResult computeWith(OpImporter &n, const Parameters &p,
                                 GraphValue &x, ScalarBody body) {
  SmallVector<int64_t> shape(x.rank(), 1);
  if (p.axis >= 0)
    shape[p.axis] = static_cast<int64_t>(p.scales.size());
  GraphValue scales =
      constantOf<float>(n, p, p.scales, n.b.getF32Type(), shape);
  GraphValue zeroPoints =
      constantOf<int32_t>(n, p, p.zeroPoints, n.b.getI32Type(), shape);
  FailureOr<GraphValue> result = elementwise(n, {&x, &scales, &zeroPoints},
                                             signless(n.resultElement()), body);
  return failed(result) ? failure() : n.set(*result);
}

static IntegerAttr axisOf(OpImporter &n, const Parameters &p) {
  return p.axis >= 0 ? n.b.getI64IntegerAttr(p.axis) : IntegerAttr();
}

/// uint8 as int8 and back: q - 128.
static FailureOr<GraphValue> flipSign(OpImporter &n, GraphValue &x) {
  return elementwise(n, {&x}, n.b.getI8Type(),
                     [](Scalars &s, ValueRange args) -> Value {
                       Value sign = s.constant(args[0].getType(), -128);
                       return arith::XOrIOp::create(s.b, s.loc, args[0], sign);
                     });
}

/// The parameters of int8 for integers of uint8 whose sign is flipped.
static Parameters flipSign(Parameters p) {
  for (int32_t &zeroPoint : p.zeroPoints)
    zeroPoint -= 128;
  return p;
}

static bool isBytesWithoutSign(const Parameters &p) {
  return p.width() == 8 && !p.type.isSigned();
}

LogicalResult stablehlo::importUniformDequantize(OpImporter &n) {
  GraphValue x = n.in(0);
  FailureOr<Parameters> p = parametersOf(n, x.shape);
  if (failed(p))
    return failure();
  if (isBytesWithoutSign(*p)) {
    FailureOr<GraphValue> flipped = flipSign(n, x);
    if (failed(flipped))
      return failure();
    x = *flipped;
    p = flipSign(*p);
  } else if (p->width() == 16 || (p->width() == 32 && !p->isSymmetric())) {
    return computeWith(n, *p, x, [&](Scalars &s, ValueRange args) {
      Value real = dequantizeScalar(s, *p, args[0], args[1], args[2]);
      return convertScalar(s, real, s.b.getF32Type(), n.resultElement());
    });
  }
  Value zeroPoint;
  if (!p->isSymmetric())
    zeroPoint = operandOf<int8_t>(
        n, *p, llvm::to_vector_of<int8_t>(p->zeroPoints), n.b.getI8Type());
  Value scale = operandOf<float>(n, *p, p->scales, n.b.getF32Type());
  Value result =
      qnn::DequantizeOp::create(n.b, n.loc, n.type(n.resultElement(), x.shape),
                                n.tensor(x), scale, zeroPoint, axisOf(n, *p));
  return n.set(toGraphValue(result, x.shape));
}

LogicalResult stablehlo::importUniformQuantize(OpImporter &n) {
  GraphValue x = n.in(0);
  FailureOr<Parameters> p = parametersOf(n, x.shape);
  if (failed(p))
    return failure();
  if (p->width() != 8) {
    return computeWith(n, *p, x, [&](Scalars &s, ValueRange args) {
      Value real = convertScalar(s, args[0], x.element, s.b.getF32Type());
      return quantizeScalar(s, *p, real, args[1], args[2]);
    });
  }
  bool isUnsigned = isBytesWithoutSign(*p);
  Parameters bytes = isUnsigned ? flipSign(*p) : *p;
  Value zeroPoint;
  if (!bytes.isSymmetric())
    zeroPoint = operandOf<int8_t>(n, bytes,
                                  llvm::to_vector_of<int8_t>(bytes.zeroPoints),
                                  n.b.getI8Type());
  Value scale = operandOf<float>(n, bytes, bytes.scales, n.b.getF32Type());
  Value quantized = qnn::QuantizeOp::create(
      n.b, n.loc, n.type(n.b.getI8Type(), x.shape), n.tensor(x), scale,
      zeroPoint, axisOf(n, bytes), UnitAttr());
  FailureOr<GraphValue> result = toGraphValue(quantized, x.shape);
  int64_t shift = isUnsigned ? 128 : 0;
  if (!p->hasFullRange()) {
    GraphValue integers = *result;
    result = elementwise(n, {&integers}, n.b.getI8Type(),
                         [&](Scalars &s, ValueRange args) {
                           Type i8 = args[0].getType();
                           Value low = s.constant(i8, p->low() - shift);
                           Value high = s.constant(i8, p->high() - shift);
                           return s.min(s.max(args[0], low), high);
                         });
  }
  if (succeeded(result) && isUnsigned) {
    GraphValue integers = *result;
    result = flipSign(n, integers);
  }
  return failed(result) ? failure() : n.set(*result);
}
