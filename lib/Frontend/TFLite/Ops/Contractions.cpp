//===- Contractions.cpp - Convolutions and products -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op is one contraction: a linalg.generic that sums products in i32, i64
// or f32 from the bias on. What follows the sums of integers is in Quantized.h.
//
//===----------------------------------------------------------------------===//

#include "Contractions.h"
#include "../Quantized.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

using Iterator = utils::IteratorType;

/// Weights of integers for activations of floats, as floats.
static FailureOr<GraphValue> dequantizeWeight(OpImporter &n, unsigned i) {
  const TensorInfo &info = n.info(i);
  GraphValue w = n.in(i);
  SmallVector<float> scales(info.scales);
  bool hasZeroPoints =
      llvm::any_of(info.zeroPoints, [](int64_t z) { return z != 0; });
  if (scales.empty() || !w.element.isInteger(8) ||
      info.type == fb::TensorType_UInt8 || hasZeroPoints)
    return n.refuse() << "multiplies float32 by weights of "
                      << typeName(info.type)
                      << " that have no scales or have zero points, which is "
                         "not supported; quantize them symmetrically to int8";
  for (float scale : scales)
    if (!std::isnormal(scale) || scale < 0)
      return n.refuse() << "has a scale of " << scale
                        << " for its weights; quantize the model again";
  bool hasAxis = scales.size() > 1;
  SmallVector<int64_t> dims;
  if (hasAxis)
    dims.push_back(static_cast<int64_t>(scales.size()));
  Value scale = constantFloats(n, scales, dims);
  Value real = qnn::DequantizeOp::create(
      n.b, n.loc, n.type(n.b.getF32Type(), w.shape), n.tensor(w), scale,
      Value(), hasAxis ? n.b.getI64IntegerAttr(info.axis) : IntegerAttr());
  return toGraphValue(real, w.shape);
}

LogicalResult tflite::readOperands(OpImporter &n, Contraction &c, unsigned x,
                                   unsigned w, int64_t axis) {
  c.x = n.in(x);
  if (!isInteger(c.x) && isInteger(n.in(w))) {
    auto weight = dequantizeWeight(n, w);
    if (failed(weight))
      return failure();
    c.w = *weight;
    return success();
  }
  c.w = n.in(w);
  if (isInteger(c.x) != isInteger(c.w) ||
      (!isInteger(c.x) && c.x.element != c.w.element))
    return n.refuse() << "multiplies " << elementName(c.x.element) << " by "
                      << elementName(c.w.element)
                      << ", which is not supported; quantize both operands";
  if (!isInteger(c.x))
    return success();
  bool fits = (c.x.element.isInteger(8) || c.x.element.isInteger(16)) &&
              (c.w.element.isInteger(8) || c.w.element == c.x.element);
  if (!fits)
    return n.refuse() << "multiplies " << typeName(n.info(x).type) << " by "
                      << typeName(n.info(w).type)
                      << ", which is not supported; use int8";
  auto from = n.affine(x), to = n.resultAffine();
  if (failed(from) || failed(to))
    return failure();
  c.xZero = from->zeroPoint;
  const TensorInfo &weight = n.info(w);
  if (weight.scales.size() <= 1) {
    auto affine = n.affine(w);
    if (failed(affine))
      return failure();
    c.wZero = affine->zeroPoint;
  } else if (weight.axis != axis || weight.type == fb::TensorType_UInt8 ||
             llvm::any_of(weight.zeroPoints,
                          [](int64_t z) { return z != 0; })) {
    return n.refuse() << "has weights '" << weight.name
                      << "' with scales of dimension " << weight.axis
                      << " or with zero points, which is not supported; "
                         "quantize them symmetrically by output channel";
  }
  for (float scale : weight.scales)
    c.factors.push_back(static_cast<double>(from->scale) * scale / to->scale);
  return success();
}

/// The value from which sums start: the bias, or zeros. Operand `i` of the op
/// has an element for each one of the last dimension.
static FailureOr<Value> makeStart(OpImporter &n, const Contraction &c,
                                  unsigned i, Type sum) {
  if (!n.has(i))
    return filled(n, sum, c.shape, 0.0);
  GraphValue bias = n.in(i);
  // Some converters give it dimensions of 1.
  std::optional<int64_t> count = knownSize(n.product(bias.shape));
  if (bias.rank() != 1 && count && count == knownSize(c.shape.back()))
    bias = reshape(n, bias, {c.shape.back()});
  bool fits = isInteger(bias) == isa<IntegerType>(sum) && bias.rank() == 1 &&
              (!isInteger(bias) || bias.element.isInteger(32) ||
               bias.element.isInteger(64)) &&
              bias.shape[0] == c.shape.back();
  if (!fits)
    return n.refuse() << "has a bias of " << n.type(bias.element, bias.shape)
                      << " for " << n.type(sum, c.shape)
                      << "; correct the model";
  auto converted = convert(n, bias, sum);
  if (failed(converted))
    return failure();
  GraphValue start = broadcastTo(n, *converted, c.shape);
  return n.tensor(start);
}

FailureOr<GraphValue> tflite::contract(OpImporter &n, Contraction &c,
                                       unsigned bias) {
  Type sum = c.x.element;
  if (isInteger(c.x))
    sum = c.x.element.isInteger(16) ? n.b.getI64Type() : n.b.getI32Type();
  FailureOr<Value> start = makeStart(n, c, bias, sum);
  if (failed(start))
    return failure();
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(c.iterators.size(), 0, exprs, n.b.getContext());
  };
  SmallVector<AffineExpr> write;
  for (size_t d = 0; d < c.shape.size(); ++d)
    write.push_back(n.b.getAffineDimExpr(d));
  auto factor = [&](Scalars &s, Value x, int32_t zeroPoint) -> Value {
    if (!isa<IntegerType>(sum))
      return x;
    Value wide = arith::ExtSIOp::create(s.b, s.loc, sum, x);
    return zeroPoint == 0 ? wide : s.sub(wide, s.constant(sum, zeroPoint));
  };
  Value result =
      generic(n, {n.tensor(c.x), n.tensor(c.w)}, *start,
              {map(c.readX), map(c.readW), map(write)}, c.iterators,
              [&](Scalars &s, ValueRange args) {
                return s.add(args[2], s.mul(factor(s, args[0], c.xZero),
                                            factor(s, args[1], c.wZero)));
              });
  return toGraphValue(result, c.shape);
}

FailureOr<GraphValue> tflite::finish(OpImporter &n, const Contraction &c,
                                     GraphValue sums,
                                     fb::Activation activation) {
  if (c.factors.empty())
    return activate(n, sums, activation);
  auto to = n.resultAffine();
  if (failed(to))
    return failure();
  Type type = n.resultElement();
  if (!type.isInteger(8) && !type.isInteger(16))
    return n.refuse() << "has sums of integers but a result of "
                      << typeName(n.result().type)
                      << ", which is not supported; quantize it";
  auto range = activationRange(n, activation, type, *to);
  if (failed(range))
    return failure();
  return requantize(n, sums, c.factors, type, to->zeroPoint, *range,
                    c.roundsOnce);
}

LogicalResult tflite::setContraction(OpImporter &n, Contraction &c,
                                     unsigned bias, fb::Activation activation) {
  auto sums = contract(n, c, bias);
  if (failed(sums))
    return failure();
  auto result = finish(n, c, *sums, activation);
  return failed(result) ? failure() : n.set(*result);
}
