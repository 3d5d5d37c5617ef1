//===- Arithmetic.cpp - Elementwise ops -----------------------------------===//
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
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

static LogicalResult setOr(OpImporter &n, FailureOr<GraphValue> value) {
  return failed(value) ? failure() : n.set(*value);
}

/// Integers of 8 or 16 bits, which are stored numbers.
static bool isStored(const GraphValue &x) {
  return x.element.isInteger(8) || x.element.isInteger(16);
}

/// Computes elements of both operands as they are.
static FailureOr<GraphValue> combine(OpImporter &n, Type element,
                                     ScalarBody body) {
  return elementwise(n, {&n.in(0), &n.in(1)}, element, body);
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// The fused activation of ADD, SUB, MUL and DIV.
static const fb::ArithmeticOptions *readOptions(OpImporter &n) {
  fb::OptionsType type = n.op.code == code::ADD   ? fb::OptionsType_Add
                         : n.op.code == code::SUB ? fb::OptionsType_Sub
                         : n.op.code == code::MUL ? fb::OptionsType_Mul
                                                  : fb::OptionsType_Div;
  return n.options<fb::ArithmeticOptions>(type);
}

/// Whether TFLite takes a scale for a power of 2.
static bool isPowerOfTwo(float scale) {
  float log = std::log2(scale);
  return std::abs(log - std::round(log)) < 1e-3f;
}

/// ADD and SUB: both operands get the greater scale, with bits to spare.
static FailureOr<GraphValue> addStored(OpImporter &n, const Affine &x,
                                       const Affine &y, const Affine &to,
                                       bool mayShift, StoredRange range) {
  Type type = n.in(0).element;
  // TFLite has a kernel of shifts for these.
  bool shifts =
      mayShift &&
      llvm::all_of(ArrayRef<Affine>{x, y, to}, [](const Affine &affine) {
        return affine.zeroPoint == 0 && isPowerOfTwo(affine.scale);
      });
  if (type.isInteger(16) && shifts)
    return n.refuse() << "adds int16 with scales that are powers of 2, which "
                         "is not supported; convert the model again";
  int bits = type.isInteger(16) ? 15 : 20;
  double twice =
      2 * std::max(static_cast<double>(x.scale), static_cast<double>(y.scale));
  Multiplier mx = quantizeMultiplier(n, x.scale / twice),
             my = quantizeMultiplier(n, y.scale / twice),
             m = quantizeMultiplier(n,
                                    twice / (std::ldexp(1.0, bits) * to.scale));
  bool isSub = n.op.code == code::SUB;
  return combine(n, type, [&](Scalars &s, ValueRange args) {
    auto fine = [&](Value v, int32_t zeroPoint, Multiplier factor) {
      Value wide = widen(s, v, zeroPoint);
      Value moved = arith::ShLIOp::create(s.b, s.loc, wide,
                                          s.constant(wide.getType(), bits));
      return multiply(s, moved, factor);
    };
    Value a = fine(args[0], x.zeroPoint, mx),
          b = fine(args[1], y.zeroPoint, my);
    Value sum = isSub ? s.sub(a, b) : s.add(a, b);
    return narrow(s, multiply(s, sum, m), type, to.zeroPoint, range);
  });
}

static FailureOr<GraphValue>
importStored(OpImporter &n, const fb::ArithmeticOptions &options) {
  Type type = n.in(0).element;
  auto x = n.affine(0), y = n.affine(1), to = n.resultAffine();
  if (failed(x) || failed(y) || failed(to))
    return failure();
  auto range = activationRange(n, options.activation(), type, *to);
  if (failed(range))
    return failure();
  if (n.op.code == code::ADD || n.op.code == code::SUB)
    return addStored(n, *x, *y, *to, options.pot_scale_int16(), *range);
  if (n.op.code != code::MUL)
    return n.refuse() << "divides " << typeName(n.info(0).type)
                      << ", which is not supported; multiply by the inverse, "
                         "or divide float32";
  Multiplier m = quantizeMultiplier(n, static_cast<double>(x->scale) *
                                           y->scale / to->scale);
  return combine(n, type, [&](Scalars &s, ValueRange args) {
    Value product =
        s.mul(widen(s, args[0], x->zeroPoint), widen(s, args[1], y->zeroPoint));
    return narrow(s, multiply(s, product, m), type, to->zeroPoint, *range);
  });
}

/// x - floor(x / y) · y, or floor(x / y).
static Value floorDivide(Scalars &s, Value x, Value y, bool isRest) {
  Value zero = s.constant(x.getType(), 0);
  bool isFloat = isa<FloatType>(x.getType());
  if (isFloat && !isRest)
    return math::FloorOp::create(s.b, s.loc, s.div(x, y));
  if (!isFloat && !isRest)
    return arith::FloorDivSIOp::create(s.b, s.loc, x, y);
  Value rest =
      isFloat ? floatRemainder(s, x, y) : s.sub(x, s.mul(s.div(x, y), y));
  // The rest has the sign of x; a rest of the other sign than y's is moved.
  Value differs =
      arith::XOrIOp::create(s.b, s.loc, s.less(rest, zero), s.less(y, zero));
  Value isExact = s.equal(rest, zero);
  return s.select(isExact, rest, s.select(differs, s.add(rest, y), rest));
}

/// What an op computes of integers that are known when the model is imported.
static std::optional<IntegerOp> integerOpOf(int32_t op) {
  switch (op) {
  case code::ADD:
    return IntegerOp::Add;
  case code::SUB:
    return IntegerOp::Sub;
  case code::MUL:
    return IntegerOp::Mul;
  case code::DIV:
    return IntegerOp::TruncDiv;
  case code::MAXIMUM:
    return IntegerOp::Max;
  case code::MINIMUM:
    return IntegerOp::Min;
  case code::FLOOR_DIV:
    return IntegerOp::FloorDiv;
  case code::FLOOR_MOD:
    return IntegerOp::FloorRem;
  default:
    return std::nullopt;
  }
}

static FailureOr<GraphValue> importPlain(OpImporter &n) {
  Type type = n.in(0).element;
  if (std::optional<IntegerOp> op = integerOpOf(n.op.code))
    if (auto known = computeIntegers(n, *op, {&n.in(0), &n.in(1)}))
      return *known;
  return combine(n, type, [&](Scalars &s, ValueRange x) -> Value {
    switch (n.op.code) {
    case code::ADD:
      return s.add(x[0], x[1]);
    case code::SUB:
      return s.sub(x[0], x[1]);
    case code::MUL:
      return s.mul(x[0], x[1]);
    case code::DIV:
      return s.div(x[0], x[1]);
    case code::MAXIMUM:
      return s.max(x[0], x[1]);
    case code::MINIMUM:
      return s.min(x[0], x[1]);
    case code::FLOOR_DIV:
      return floorDivide(s, x[0], x[1], /*isRest=*/false);
    case code::FLOOR_MOD:
      return floorDivide(s, x[0], x[1], /*isRest=*/true);
    case code::POW:
      return math::PowFOp::create(s.b, s.loc, x[0], x[1]);
    default: { // SQUARED_DIFFERENCE
      Value difference = s.sub(x[0], x[1]);
      return s.mul(difference, difference);
    }
    }
  });
}

/// Ops of two operands of one type.
LogicalResult tflite::importArithmetic(OpImporter &n) {
  bool isStoredPair = isStored(n.in(0));
  switch (n.op.code) {
  case code::ADD:
  case code::SUB:
  case code::MUL:
  case code::DIV: {
    auto *options = readOptions(n);
    if (!options)
      return failure();
    if (isStoredPair)
      return setOr(n, importStored(n, *options));
    auto result = importPlain(n);
    return failed(result)
               ? failure()
               : setOr(n, activate(n, *result, options->activation()));
  }
  case code::MAXIMUM:
  case code::MINIMUM:
    // The operands and the result have one quantization.
    return setOr(n, importPlain(n));
  default:
    if (isStoredPair)
      return n.refuse() << "takes elements of " << typeName(n.info(0).type)
                        << ", which is not supported; use float32";
    return setOr(n, importPlain(n));
  }
}

//===----------------------------------------------------------------------===//
// Truth values
//===----------------------------------------------------------------------===//

static Value compare(Scalars &s, int32_t op, Value x, Value y) {
  auto isNot = [&](Value v) -> Value {
    return arith::XOrIOp::create(s.b, s.loc, v, s.constant(v.getType(), 1));
  };
  if (x.getType().isInteger(1)) {
    Value differs = arith::XOrIOp::create(s.b, s.loc, x, y);
    return op == code::EQUAL ? isNot(differs) : differs;
  }
  switch (op) {
  case code::EQUAL:
    return s.equal(x, y);
  case code::NOT_EQUAL:
    return isNot(s.equal(x, y));
  case code::LESS:
    return s.less(x, y);
  case code::GREATER:
    return s.less(y, x);
  default: {
    Value a = op == code::LESS_EQUAL ? x : y,
          b = op == code::LESS_EQUAL ? y : x;
    return arith::OrIOp::create(s.b, s.loc, s.less(a, b), s.equal(a, b));
  }
  }
}

LogicalResult tflite::importCompare(OpImporter &n) {
  Type truth = n.b.getI1Type();
  GraphValue &x = n.in(0);
  bool isOrder = n.op.code != code::EQUAL && n.op.code != code::NOT_EQUAL;
  if (x.isBool() && isOrder)
    return n.refuse() << "orders truth values, which is not supported; "
                         "convert them";
  if (!isStored(x) || !n.isQuantized(0))
    return setOr(n, combine(n, truth, [&](Scalars &s, ValueRange args) {
                   return compare(s, n.op.code, args[0], args[1]);
                 }));
  // Real numbers with 8 bits behind the point.
  auto a = n.affine(0), b = n.affine(1);
  if (failed(a) || failed(b))
    return failure();
  auto fine = [&](Scalars &s, Value v, const Affine &affine) {
    Value wide = widen(s, v, affine.zeroPoint);
    Value moved =
        arith::ShLIOp::create(s.b, s.loc, wide, s.constant(wide.getType(), 8));
    return multiply(s, moved, quantizeMultiplier(n, affine.scale));
  };
  return setOr(n, combine(n, truth, [&](Scalars &s, ValueRange args) {
                 return compare(s, n.op.code, fine(s, args[0], *a),
                                fine(s, args[1], *b));
               }));
}

LogicalResult tflite::importLogical(OpImporter &n) {
  GraphValue &x = n.in(0);
  Type truth = x.element;
  if (n.op.code == code::LOGICAL_NOT)
    return setOr(
        n,
        elementwise(n, {&x}, truth, [&](Scalars &s, ValueRange args) -> Value {
          return arith::XOrIOp::create(s.b, s.loc, args[0],
                                       s.constant(truth, 1));
        }));
  if (!n.has(1))
    return n.refuse() << "needs two operands; correct the model";
  return setOr(n, combine(n, truth, [&](Scalars &s, ValueRange args) -> Value {
                 if (n.op.code == code::LOGICAL_AND)
                   return arith::AndIOp::create(s.b, s.loc, args[0], args[1]);
                 return arith::OrIOp::create(s.b, s.loc, args[0], args[1]);
               }));
}

LogicalResult tflite::importSelect(OpImporter &n) {
  GraphValue condition = n.in(0);
  GraphValue &x = n.in(1), &y = n.in(2);
  if (x.element != y.element)
    return n.refuse() << "selects from values of different elements; correct "
                         "the model";
  // A truth value for each element of the first dimension.
  if (n.op.code == code::SELECT && condition.rank() == 1)
    while (condition.rank() < x.rank())
      condition = unsqueeze(n, condition, {condition.rank()});
  return setOr(n, elementwise(n, {&condition, &x, &y}, x.element,
                              [](Scalars &s, ValueRange args) {
                                return s.select(args[0], args[1], args[2]);
                              }));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// x · Φ(x), or its approximation by tanh.
static Value gelu(Scalars &s, Value x, bool isApproximate) {
  auto real = [&](double value) { return s.constant(x.getType(), value); };
  Value gate;
  if (isApproximate) {
    Value cube = s.mul(s.mul(x, x), x);
    Value inner =
        s.mul(real(0.7978845608028654), s.add(x, s.mul(real(0.044715), cube)));
    gate = math::TanhOp::create(s.b, s.loc, inner);
  } else {
    gate = math::ErfOp::create(s.b, s.loc, s.mul(x, real(0.7071067811865476)));
  }
  return s.mul(s.mul(x, real(0.5)), s.add(real(1), gate));
}

static Value applyFunction(Scalars &s, OpImporter &n, Value x,
                           bool isApproximate) {
  auto real = [&](double value) { return s.constant(x.getType(), value); };
  switch (n.op.code) {
  case code::EXP:
    return s.exp(x);
  case code::LOG:
    return s.log(x);
  case code::SQRT:
    return s.sqrt(x);
  case code::RSQRT:
    return s.div(real(1), s.sqrt(x));
  case code::SIN:
    return math::SinOp::create(s.b, s.loc, x);
  case code::COS:
    return math::CosOp::create(s.b, s.loc, x);
  case code::FLOOR:
    return math::FloorOp::create(s.b, s.loc, x);
  case code::CEIL:
    return math::CeilOp::create(s.b, s.loc, x);
  case code::ROUND:
    return math::RoundEvenOp::create(s.b, s.loc, x);
  case code::ELU:
    return s.select(s.less(x, real(0)), math::ExpM1Op::create(s.b, s.loc, x),
                    x);
  case code::GELU:
    return gelu(s, x, isApproximate);
  case code::SIGN:
    return s.select(s.equal(x, real(0)), x,
                    s.select(s.less(x, real(0)), real(-1), real(1)));
  case code::ABS:
    return s.abs(x);
  case code::NEG:
    return s.neg(x);
  default: // SQUARE
    return s.mul(x, x);
  }
}

/// The function of real numbers for a table; null if integers have none.
static float (*tableFunction(int32_t op, bool isApproximate))(float) {
  switch (op) {
  case code::ELU:
    return [](float x) {
      return x < 0 ? static_cast<float>(std::expm1(static_cast<double>(x))) : x;
    };
  case code::EXP:
    return [](float x) {
      return static_cast<float>(std::exp(static_cast<double>(x)));
    };
  case code::GELU:
    if (isApproximate)
      return [](float x) {
        double v = x;
        return static_cast<float>(
            0.5 * v *
            (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v))));
      };
    return [](float x) {
      double v = x;
      return static_cast<float>(v * 0.5 * std::erfc(-v * 0.7071067811865476));
    };
  default:
    return nullptr;
  }
}

static FailureOr<GraphValue> absStored(OpImporter &n) {
  auto from = n.affine(0), to = n.resultAffine();
  if (failed(from) || failed(to))
    return failure();
  Multiplier m =
      quantizeMultiplier(n, static_cast<double>(from->scale) / to->scale);
  return lookUp(n, n.in(0), [&](int64_t stored) {
    return multiply(std::abs(stored - from->zeroPoint), m) + to->zeroPoint;
  });
}

LogicalResult tflite::importUnary(OpImporter &n) {
  GraphValue &x = n.in(0);
  bool isApproximate = false;
  if (n.op.code == code::GELU) {
    auto *options = n.options<fb::GeluOptions>(fb::OptionsType_Gelu);
    if (!options)
      return failure();
    isApproximate = options->approximate();
  }
  if (n.op.code == code::ABS && x.element.isInteger(8))
    return setOr(n, absStored(n));
  bool isPlain = n.op.code == code::ABS || n.op.code == code::NEG ||
                 n.op.code == code::SQUARE;
  auto *function = tableFunction(n.op.code, isApproximate);
  if (x.element.isInteger(8) && function)
    return setOr(n, lookUpReal(n, function));
  if (!x.isFloat() && (!isPlain || isStored(x)))
    return n.refuse() << "takes elements of " << typeName(n.info(0).type)
                      << ", which is not supported; use float32";
  return setOr(
      n, elementwise(n, {&x}, x.element, [&](Scalars &s, ValueRange args) {
        return applyFunction(s, n, args[0], isApproximate);
      }));
}
