//===- Activations.cpp - Activations and softmax --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Ops.h"
#include "../Quantized.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

static LogicalResult setOr(OpImporter &n, FailureOr<GraphValue> value) {
  return failed(value) ? failure() : n.set(*value);
}

/// Computes floats one by one.
static LogicalResult onFloats(OpImporter &n, ScalarBody body) {
  GraphValue &x = n.in(0);
  return setOr(n, elementwise(n, {&x}, x.element, body));
}

/// Refuses integers of more than 8 bits, for which there is no table.
static LogicalResult verifyByte(OpImporter &n) {
  if (n.in(0).element.isInteger(8) && n.resultElement() == n.in(0).element)
    return success();
  return n.refuse() << "takes elements of " << typeName(n.info(0).type)
                    << ", which is not supported; use int8 or float32";
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// RELU, RELU_N1_TO_1, RELU6 and RELU_0_TO_1.
LogicalResult tflite::importClamp(OpImporter &n) {
  enum { Relu = 19, ReluN1To1 = 20, Relu6 = 21 };
  float least = n.op.code == ReluN1To1 ? -1 : 0;
  std::optional<float> most;
  if (n.op.code != Relu)
    most = n.op.code == Relu6 ? 6 : 1;
  GraphValue &x = n.in(0);
  if (x.isFloat())
    return onFloats(n, [&](Scalars &s, ValueRange args) {
      Value v = s.max(args[0], s.constant(x.element, least));
      return most ? s.min(v, s.constant(x.element, *most)) : v;
    });
  auto from = n.affine(0), to = n.resultAffine();
  if (failed(from) || failed(to))
    return failure();
  if (!x.element.isInteger(8) && !x.element.isInteger(16))
    return n.refuse() << "takes elements of " << typeName(n.info(0).type)
                      << ", which is not supported; use int8 or float32";
  StoredRange range = rangeOf(x.element);
  auto quantize = [&](float real) {
    return to->zeroPoint + static_cast<int64_t>(std::clamp<double>(
                               std::round(real / to->scale), -0x1p31, 0x1p31));
  };
  range.least = std::max(range.least, quantize(least));
  if (most)
    range.most = std::min(range.most, quantize(*most));
  Multiplier m =
      quantizeMultiplier(n, static_cast<double>(from->scale / to->scale));
  return setOr(
      n, elementwise(n, {&x}, x.element, [&](Scalars &s, ValueRange args) {
        Value v = widen(s, args[0], from->zeroPoint);
        return narrow(s, multiply(s, v, m), x.element, to->zeroPoint, range);
      }));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult tflite::importLogistic(OpImporter &n) {
  if (n.in(0).isFloat())
    return onFloats(n,
                    [](Scalars &s, ValueRange x) { return s.sigmoid(x[0]); });
  if (failed(verifyByte(n)))
    return failure();
  return setOr(n, lookUpReal(n, [](float x) {
                 return 1.0f / (1.0f + static_cast<float>(
                                           std::exp(-static_cast<double>(x))));
               }));
}

LogicalResult tflite::importTanh(OpImporter &n) {
  if (n.in(0).isFloat())
    return onFloats(n, [](Scalars &s, ValueRange x) -> Value {
      return math::TanhOp::create(s.b, s.loc, x[0]);
    });
  if (failed(verifyByte(n)))
    return failure();
  return setOr(n, lookUpReal(n, [](float x) {
                 return static_cast<float>(std::tanh(static_cast<double>(x)));
               }));
}

LogicalResult tflite::importLeakyRelu(OpImporter &n) {
  auto *options = n.options<fb::LeakyReluOptions>(fb::OptionsType_LeakyRelu);
  if (!options)
    return failure();
  float alpha = options->alpha();
  GraphValue &x = n.in(0);
  if (x.isFloat())
    return onFloats(n, [&](Scalars &s, ValueRange args) {
      Value zero = s.constant(x.element, 0);
      return s.select(s.less(zero, args[0]), args[0],
                      s.mul(args[0], s.constant(x.element, alpha)));
    });
  auto from = n.affine(0), to = n.resultAffine();
  if (failed(verifyByte(n)) || failed(from) || failed(to))
    return failure();
  double factor = static_cast<double>(from->scale) / to->scale;
  Multiplier identity = quantizeMultiplier(n, factor),
             slope = quantizeMultiplier(
                 n, static_cast<double>(from->scale * alpha / to->scale));
  return setOr(n, lookUp(n, x, [&](int64_t stored) {
                 int64_t v = stored - from->zeroPoint;
                 return to->zeroPoint + multiply(v, v >= 0 ? identity : slope);
               }));
}

LogicalResult tflite::importPrelu(OpImporter &n) {
  GraphValue &x = n.in(0), &alpha = n.in(1);
  if (x.isFloat())
    return setOr(n, elementwise(n, {&x, &alpha}, x.element,
                                [&](Scalars &s, ValueRange args) {
                                  Value zero = s.constant(x.element, 0);
                                  return s.select(s.less(args[0], zero),
                                                  s.mul(args[0], args[1]),
                                                  args[0]);
                                }));
  auto from = n.affine(0), slope = n.affine(1), to = n.resultAffine();
  if (failed(verifyByte(n)) || failed(from) || failed(slope) || failed(to))
    return failure();
  double factor = static_cast<double>(from->scale) / to->scale;
  Multiplier identity = quantizeMultiplier(n, factor),
             scaled = quantizeMultiplier(n, static_cast<double>(from->scale) *
                                                slope->scale / to->scale);
  return setOr(
      n,
      elementwise(n, {&x, &alpha}, x.element, [&](Scalars &s, ValueRange args) {
        Value v = widen(s, args[0], from->zeroPoint);
        Value a = widen(s, args[1], slope->zeroPoint);
        Value isNegative = s.less(v, s.constant(v.getType(), 0));
        Value result = s.select(isNegative, multiply(s, s.mul(v, a), scaled),
                                multiply(s, v, identity));
        return narrow(s, result, x.element, to->zeroPoint, rangeOf(x.element));
      }));
}

//===----------------------------------------------------------------------===//
// Hard swish
//===----------------------------------------------------------------------===//

static int64_t saturate(int64_t x, int64_t most) {
  return std::clamp(x, -most - 1, most);
}
/// The high half of twice a product of 16 bits, rounded half up.
static int64_t highProduct(int64_t x, int64_t y) {
  return saturate((x * y + (1 << 14)) >> 15, 0x7fff);
}
static int64_t roundShift(int64_t x, int shift) {
  if (shift <= 0)
    return x;
  int64_t mask = (int64_t(1) << shift) - 1, rest = x & mask;
  return (x >> shift) + (rest > (mask >> 1) + (x < 0));
}

namespace {
/// A factor of 15 bits times 2^exponent.
struct ShortMultiplier {
  int64_t value;
  int exponent;
};
} // namespace

static ShortMultiplier shorten(const OpImporter &n, double factor) {
  Multiplier m = quantizeMultiplier(n, factor);
  int64_t value = m.value >= 0x7fffffff - (1 << 15)
                      ? 0x7fff
                      : (static_cast<int64_t>(m.value) + (1 << 15)) >> 16;
  return {value, 31 - m.shift};
}

LogicalResult tflite::importHardSwish(OpImporter &n) {
  GraphValue &x = n.in(0);
  if (x.isFloat())
    return onFloats(n, [&](Scalars &s, ValueRange args) {
      auto real = [&](double value) { return s.constant(x.element, value); };
      Value gate = s.min(s.max(s.add(args[0], real(3)), real(0)), real(6));
      return s.div(s.mul(args[0], gate), real(6));
    });
  auto from = n.affine(0), to = n.resultAffine();
  if (failed(verifyByte(n)) || failed(from) || failed(to))
    return failure();
  // 7 more bits for the input, and a gate of 16 bits.
  float fine = (1.0f / 128.0f) * from->scale, gateScale = 3.0f / 32768.0f;
  ShortMultiplier output = shorten(n, fine / to->scale),
                  gate = shorten(n, fine / gateScale);
  if (output.exponent > 0 || gate.exponent > 15)
    return n.refuse() << "has scales that TFLite does not define; quantize the "
                         "model again";
  return setOr(n, lookUp(n, x, [&](int64_t stored) {
                 int64_t v = (stored - from->zeroPoint) * 128;
                 int64_t scaled = highProduct(v, output.value), g = v;
                 if (gate.exponent > 0)
                   g = saturate(g << (gate.exponent - 1), 0x7fff);
                 g = highProduct(g, gate.value);
                 if (gate.exponent > 0)
                   g = saturate(g * 2, 0x7fff);
                 g = roundShift(g, -gate.exponent);
                 g = (g + (1 << 15)) >> 1;
                 int64_t product = saturate((g * scaled) / (1 << 15), 0x7fff);
                 return roundShift(product, -output.exponent) + to->zeroPoint;
               }));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// The sums of the rows.
static GraphValue sumRows(OpImporter &n, GraphValue &x) {
  int64_t last = x.rank() - 1;
  GraphValue sums = reduce(n, x, {last}, 0.0, [](Scalars &s, ValueRange args) {
    return s.add(args[0], args[1]);
  });
  return unsqueeze(n, sums, {last});
}

static LogicalResult softmaxOfBytes(OpImporter &n, float beta,
                                    GraphValue &greatest) {
  GraphValue &x = n.in(0);
  auto from = n.affine(0), to = n.resultAffine();
  if (failed(verifyByte(n)) || failed(from) || failed(to))
    return failure();
  // The exponentials of all differences, from 0 to -255.
  SmallVector<float> table;
  float scale = -from->scale * beta;
  for (int i = 0; i < 256; ++i)
    table.push_back(static_cast<float>(
        std::exp(static_cast<double>(scale * static_cast<float>(i)))));
  Value source = constantFloats(n, table, {256});
  Type real = n.b.getF32Type();
  auto powers =
      elementwise(n, {&x, &greatest}, real, [&](Scalars &s, ValueRange args) {
        Value difference = s.sub(widen(s, args[1], 0), widen(s, args[0], 0));
        return s.extract(
            source, {arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(),
                                                difference)});
      });
  if (failed(powers))
    return failure();
  GraphValue sums = sumRows(n, *powers);
  auto factors =
      elementwise(n, {&sums}, real, [&](Scalars &s, ValueRange args) {
        return s.div(s.constant(real, 1),
                     s.mul(args[0], s.constant(real, to->scale)));
      });
  if (failed(factors))
    return failure();
  return setOr(n, elementwise(n, {&*powers, &*factors}, x.element,
                              [&](Scalars &s, ValueRange args) {
                                Value v = s.add(s.mul(args[0], args[1]),
                                                s.constant(real, 0.5));
                                Value whole = arith::FPToSIOp::create(
                                    s.b, s.loc, s.b.getI32Type(),
                                    s.min(v, s.constant(real, 1e6)));
                                return narrow(s, whole, x.element,
                                              to->zeroPoint,
                                              rangeOf(x.element));
                              }));
}

LogicalResult tflite::importSoftmax(OpImporter &n) {
  auto *options = n.options<fb::SoftmaxOptions>(fb::OptionsType_Softmax);
  GraphValue &x = n.in(0);
  if (!options)
    return failure();
  if (x.rank() < 1)
    return n.refuse() << "takes a value with dimensions; reshape it";
  float beta = options->beta();
  int64_t last = x.rank() - 1;
  double least = x.isFloat() ? -std::numeric_limits<double>::infinity() : -128;
  GraphValue maxima = reduce(n, x, {last}, least, [](Scalars &s, ValueRange v) {
    return s.max(v[0], v[1]);
  });
  GraphValue greatest = unsqueeze(n, maxima, {last});
  if (!x.isFloat())
    return softmaxOfBytes(n, beta, greatest);
  auto powers = elementwise(
      n, {&x, &greatest}, x.element, [&](Scalars &s, ValueRange args) {
        Value v = s.sub(args[0], args[1]);
        return s.exp(beta == 1.0f ? v : s.mul(v, s.constant(x.element, beta)));
      });
  if (failed(powers))
    return failure();
  GraphValue sums = sumRows(n, *powers);
  return setOr(n, elementwise(n, {&*powers, &sums}, x.element,
                              [](Scalars &s, ValueRange args) {
                                return s.div(args[0], args[1]);
                              }));
}

LogicalResult tflite::importLogSoftmax(OpImporter &n) {
  GraphValue &x = n.in(0);
  if (x.rank() < 1)
    return n.refuse() << "takes a value with dimensions; reshape it";
  int64_t last = x.rank() - 1;
  GraphValue maxima =
      reduce(n, x, {last}, -std::numeric_limits<double>::infinity(),
             [](Scalars &s, ValueRange v) { return s.max(v[0], v[1]); });
  GraphValue greatest = unsqueeze(n, maxima, {last});
  auto moved = elementwise(
      n, {&x, &greatest}, x.element,
      [](Scalars &s, ValueRange args) { return s.sub(args[0], args[1]); });
  if (failed(moved))
    return failure();
  auto powers =
      elementwise(n, {&*moved}, x.element,
                  [](Scalars &s, ValueRange args) { return s.exp(args[0]); });
  if (failed(powers))
    return failure();
  GraphValue sums = sumRows(n, *powers);
  return setOr(n, elementwise(n, {&*moved, &sums}, x.element,
                              [](Scalars &s, ValueRange args) {
                                return s.sub(args[0], s.log(args[1]));
                              }));
}
