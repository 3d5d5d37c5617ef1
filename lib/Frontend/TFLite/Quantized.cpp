//===- Quantized.cpp - Arithmetic of TFLite's quantized kernels -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantized.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

using Iterator = utils::IteratorType;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

Multiplier tflite::quantizeMultiplier(const OpImporter &n, double factor) {
  bool roundsOnce = n.importer.roundsOnce();
  int exponent = 0;
  // No quantization has such factors, but a damaged model may.
  if (std::isnan(factor))
    factor = 0;
  double fraction = std::frexp(std::clamp(factor, -0x1p40, 0x1p40), &exponent);
  auto value = static_cast<int64_t>(std::round(fraction * 0x1p31));
  if (value == int64_t(1) << 31) {
    value /= 2;
    ++exponent;
  }
  if (exponent < -31)
    return {};
  // Greater factors than any quantization has.
  if (exponent > 30)
    return {std::numeric_limits<int32_t>::max(), 1, roundsOnce};
  return {static_cast<int32_t>(value), 31 - exponent, roundsOnce};
}

static Value constant64(Scalars &s, int64_t value) {
  return arith::ConstantOp::create(s.b, s.loc, s.b.getI64IntegerAttr(value));
}

/// (x · value + round) >> shift, in i64; what is added to round is half of the
/// last bit, and 2^30 away from zero where two roundings differ from one.
static Value scale(Scalars &s, Value x, Value value, Value round, Value shift) {
  Type wide = s.b.getI64Type();
  Value product = s.mul(arith::ExtSIOp::create(s.b, s.loc, wide, x), value);
  Value sum = s.add(product, round);
  return arith::TruncIOp::create(
      s.b, s.loc, s.b.getI32Type(),
      arith::ShRSIOp::create(s.b, s.loc, sum, shift));
}

/// `round`, moved by 2^30 away from zero.
static Value roundTwice(Scalars &s, Value x, Value round) {
  Value isNegative = s.less(x, s.constant(x.getType(), 0));
  Value nudge = s.select(isNegative, constant64(s, -(int64_t(1) << 30)),
                         constant64(s, int64_t(1) << 30));
  return s.add(round, nudge);
}

Value tflite::multiply(Scalars &s, Value x, Multiplier m) {
  Value round = constant64(s, int64_t(1) << (m.shift - 1));
  if (m.shift > 31 && !m.roundsOnce)
    round = roundTwice(s, x, round);
  return scale(s, x, constant64(s, m.value), round, constant64(s, m.shift));
}

int64_t tflite::multiply(int64_t x, Multiplier m) {
  int64_t product = x * m.value, round = int64_t(1) << (m.shift - 1);
  if (m.shift > 31 && !m.roundsOnce)
    round += product < 0 ? -(int64_t(1) << 30) : int64_t(1) << 30;
  return (product + round) >> m.shift;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

StoredRange tflite::rangeOf(Type type) {
  int64_t most = llvm::maxIntN(type.getIntOrFloatBitWidth());
  return {-most - 1, most};
}

FailureOr<StoredRange> tflite::activationRange(OpImporter &n,
                                               fb::Activation activation,
                                               Type type,
                                               const Affine &affine) {
  StoredRange range = rangeOf(type);
  auto quantize = [&](float real) {
    double stored = std::round(real / affine.scale);
    return affine.zeroPoint +
           static_cast<int64_t>(std::clamp(stored, -0x1p31, 0x1p31));
  };
  auto limit = [&](float least, std::optional<float> most) {
    range.least = std::max(range.least, quantize(least));
    if (most)
      range.most = std::min(range.most, quantize(*most));
    return range;
  };
  switch (activation) {
  case fb::Activation_None:
    return range;
  case fb::Activation_Relu:
    return limit(0, std::nullopt);
  case fb::Activation_ReluN1To1:
    return limit(-1, 1);
  case fb::Activation_Relu6:
    return limit(0, 6);
  default:
    return n.refuse() << "has a fused activation of number "
                      << static_cast<int>(activation)
                      << ", which is not supported; make it an op of its own";
  }
}

Value tflite::clamp(Scalars &s, Value x, StoredRange range) {
  Type type = x.getType();
  return s.min(s.max(x, s.constant(type, static_cast<double>(range.least))),
               s.constant(type, static_cast<double>(range.most)));
}

Value tflite::widen(Scalars &s, Value x, int32_t zeroPoint) {
  Type wide = s.b.getI32Type();
  Value value = arith::ExtSIOp::create(s.b, s.loc, wide, x);
  return zeroPoint == 0 ? value : s.sub(value, s.constant(wide, zeroPoint));
}

Value tflite::narrow(Scalars &s, Value x, Type type, int32_t zeroPoint,
                     StoredRange range) {
  if (zeroPoint != 0)
    x = s.add(x, s.constant(x.getType(), zeroPoint));
  return arith::TruncIOp::create(s.b, s.loc, type, clamp(s, x, range));
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// An i64 as an integer of `type`: TFLite rounds the factor to 15 bits.
static Value multiplyWide(Scalars &s, Value x, Multiplier m) {
  int64_t reduced = m.value < 0x7fff0000
                        ? (static_cast<int64_t>(m.value) + (1 << 15)) >> 16
                        : 0x7fff;
  int shift = std::max(m.shift - 16, 1);
  Value sum = s.add(s.mul(x, constant64(s, reduced)),
                    constant64(s, int64_t(1) << (shift - 1)));
  return arith::TruncIOp::create(
      s.b, s.loc, s.b.getI32Type(),
      arith::ShRSIOp::create(s.b, s.loc, sum, constant64(s, shift)));
}

namespace {
/// What is read for each element of the last dimension.
struct ChannelFactors {
  GraphValue values, rounds, shifts;
  bool hasWide = false, hasNarrow = false; ///< shifts of more than 31 bits
};
} // namespace

static GraphValue constantRow(OpImporter &n, ArrayRef<int64_t> numbers) {
  auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())},
                                    n.b.getI64Type());
  return Constants::toValue(n.b, DenseElementsAttr::get(type, numbers));
}

static ChannelFactors readFactors(OpImporter &n, ArrayRef<double> factors,
                                  bool isWide) {
  SmallVector<int64_t> values, rounds, shifts;
  ChannelFactors result;
  for (double factor : factors) {
    Multiplier m = quantizeMultiplier(n, factor);
    int64_t value = m.value, shift = m.shift;
    if (isWide) {
      value = value < 0x7fff0000 ? (value + (1 << 15)) >> 16 : 0x7fff;
      shift = std::max<int64_t>(shift - 16, 1);
    }
    values.push_back(value);
    shifts.push_back(shift);
    rounds.push_back(int64_t(1) << (shift - 1));
    (shift > 31 ? result.hasWide : result.hasNarrow) = true;
  }
  result.values = constantRow(n, values);
  result.rounds = constantRow(n, rounds);
  result.shifts = constantRow(n, shifts);
  return result;
}

/// (x · value + round) >> shift of an i64, where the product has up to 95 bits
/// and its factor at least 33 bits behind the point: `round` and `shift` are
/// those of the product without its low 32 bits.
static Value scaleWide(Scalars &s, Value x, Value value, Value round,
                       Value shift) {
  Value bits = constant64(s, 32);
  Value low = arith::AndIOp::create(s.b, s.loc, x,
                                    constant64(s, (int64_t(1) << 32) - 1)),
        high = arith::ShRSIOp::create(s.b, s.loc, x, bits),
        carry = arith::ShRUIOp::create(s.b, s.loc, s.mul(low, value), bits);
  Value product = s.add(s.mul(high, value), carry);
  return arith::ShRSIOp::create(s.b, s.loc, s.add(product, round), shift);
}

/// Sums of i64, multiplied by all bits of their factors and rounded once.
static FailureOr<GraphValue> requantizeWide(OpImporter &n, GraphValue &sums,
                                            ArrayRef<double> factors, Type type,
                                            int32_t zeroPoint,
                                            StoredRange range) {
  SmallVector<int64_t> values, rounds, shifts, lefts;
  for (double factor : factors) {
    Multiplier m = quantizeMultiplier(n, factor);
    int shift = std::max(m.shift - 32, 1);
    values.push_back(m.value);
    rounds.push_back(int64_t(1) << (shift - 1));
    shifts.push_back(shift);
    lefts.push_back(shift + 32 - m.shift);
  }
  GraphValue value = constantRow(n, values), round = constantRow(n, rounds),
             shift = constantRow(n, shifts), left = constantRow(n, lefts);
  SmallVector<GraphValue *> operands = {&sums, &value, &round, &shift};
  // A sum that is clamped here has a factor of at least 1/4, so its result is
  // beyond `type` anyway.
  bool hasLeft = llvm::any_of(lefts, [](int64_t left) { return left > 0; });
  if (hasLeft)
    operands.push_back(&left);
  return elementwise(n, operands, type, [&](Scalars &s, ValueRange args) {
    Value x = args[0];
    if (hasLeft) {
      Value most = arith::ShRSIOp::create(
          s.b, s.loc, constant64(s, int64_t(1) << 62), args[4]);
      Value clamped = s.max(s.min(x, most), s.sub(constant64(s, 0), most));
      x = arith::ShLIOp::create(s.b, s.loc, clamped, args[4]);
    }
    return narrow(s, scaleWide(s, x, args[1], args[2], args[3]), type,
                  zeroPoint, range);
  });
}

FailureOr<GraphValue> tflite::requantize(OpImporter &n, GraphValue &sums,
                                         ArrayRef<double> factors, Type type,
                                         int32_t zeroPoint, StoredRange range,
                                         bool roundsOnce) {
  bool isWide = sums.element.isInteger(64);
  if (isWide && roundsOnce)
    return requantizeWide(n, sums, factors, type, zeroPoint, range);
  if (factors.size() == 1) {
    Multiplier m = quantizeMultiplier(n, factors.front());
    m.roundsOnce |= roundsOnce;
    return elementwise(n, {&sums}, type, [&](Scalars &s, ValueRange x) {
      Value scaled = isWide ? multiplyWide(s, x[0], m) : multiply(s, x[0], m);
      return narrow(s, scaled, type, zeroPoint, range);
    });
  }
  ChannelFactors c = readFactors(n, factors, isWide);
  c.hasWide &= !roundsOnce && !n.importer.roundsOnce();
  return elementwise(n, {&sums, &c.values, &c.rounds, &c.shifts}, type,
                     [&](Scalars &s, ValueRange x) -> Value {
                       Value round = x[2];
                       if (isWide) {
                         Value shifted = arith::ShRSIOp::create(
                             s.b, s.loc, s.add(s.mul(x[0], x[1]), round), x[3]);
                         Value scaled = arith::TruncIOp::create(
                             s.b, s.loc, s.b.getI32Type(), shifted);
                         return narrow(s, scaled, type, zeroPoint, range);
                       }
                       if (c.hasWide)
                         round = roundTwice(s, x[0], round);
                       if (c.hasWide && c.hasNarrow) {
                         Value isLong = s.less(constant64(s, 31), x[3]);
                         round = s.select(isLong, round, x[2]);
                       }
                       return narrow(s, scale(s, x[0], x[1], round, x[3]), type,
                                     zeroPoint, range);
                     });
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

FailureOr<GraphValue>
tflite::lookUp(OpImporter &n, GraphValue &x,
               llvm::function_ref<int64_t(int64_t)> function) {
  SmallVector<int8_t> table;
  for (int64_t stored = -128; stored < 128; ++stored)
    table.push_back(
        static_cast<int8_t>(std::clamp<int64_t>(function(stored), -128, 127)));
  auto type = RankedTensorType::get({256}, n.b.getI8Type());
  GraphValue values = Constants::toValue(
      n.b, DenseElementsAttr::get(type, ArrayRef<int8_t>(table)));
  Value source = n.tensor(values);
  return elementwise(n, {&x}, n.b.getI8Type(), [&](Scalars &s, ValueRange x) {
    Type index = s.b.getIndexType();
    Value at = arith::IndexCastOp::create(s.b, s.loc, index, x[0]);
    return s.extract(source, s.add(at, s.constant(index, 128)));
  });
}

int64_t tflite::toStored(float scaled) {
  return std::isnan(scaled)
             ? 0
             : static_cast<int64_t>(std::clamp(scaled, -1e6f, 1e6f));
}

FailureOr<GraphValue>
tflite::lookUpReal(OpImporter &n, llvm::function_ref<float(float)> function) {
  FailureOr<Affine> from = n.affine(0), to = n.resultAffine();
  if (failed(from) || failed(to))
    return failure();
  float inverse = 1 / to->scale;
  return lookUp(n, n.in(0), [&](int64_t stored) {
    float real = from->scale * static_cast<float>(stored - from->zeroPoint);
    float scaled = std::round(function(real) * inverse);
    return toStored(scaled) + to->zeroPoint;
  });
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

FailureOr<GraphValue> tflite::activate(OpImporter &n, GraphValue x,
                                       fb::Activation activation) {
  auto bound = [&](std::optional<double> least, std::optional<double> most) {
    return elementwise(n, {&x}, x.element, [&](Scalars &s, ValueRange args) {
      Value v = args[0];
      if (least)
        v = s.max(v, s.constant(x.element, *least));
      if (most)
        v = s.min(v, s.constant(x.element, *most));
      return v;
    });
  };
  switch (activation) {
  case fb::Activation_None:
    return x;
  case fb::Activation_Relu:
    return bound(0, std::nullopt);
  case fb::Activation_ReluN1To1:
    return bound(-1, 1);
  case fb::Activation_Relu6:
    return bound(0, 6);
  case fb::Activation_Tanh:
    if (x.isFloat())
      return elementwise(n, {&x}, x.element,
                         [](Scalars &s, ValueRange args) -> Value {
                           return math::TanhOp::create(s.b, s.loc, args[0]);
                         });
    [[fallthrough]];
  default:
    return n.refuse() << "has a fused activation of number "
                      << static_cast<int>(activation)
                      << ", which is not supported; make it an op of its own";
  }
}
