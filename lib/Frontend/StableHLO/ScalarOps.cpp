//===- ScalarOps.cpp - Elementwise ops on scalars -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The specification leaves results open where it says "implementation-defined".
// There, these functions compute what XLA computes on CPUs; docs/Numerics.md,
// section StableHLO, lists the cases.
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;
using namespace qcc::stablehlo::scalar;

using FloatPredicate = arith::CmpFPredicate;
using IntPredicate = arith::CmpIPredicate;

/// The element type of an operand or of the result, as the op declares it.
static Type elementOf(Operation *op, unsigned i = 0) {
  return getElementTypeOrSelf(op->getOperand(i).getType());
}
static Type resultOf(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0).getType());
}

static bool isFloat(Value x) { return isa<FloatType>(x.getType()); }
static bool isBool(Value x) { return x.getType().isInteger(1); }
static unsigned widthOf(Value x) { return x.getType().getIntOrFloatBitWidth(); }

static Value integer(Scalars &s, Type type, const APInt &value) {
  return arith::ConstantOp::create(s.b, s.loc, s.b.getIntegerAttr(type, value));
}
static Value integer(Scalars &s, Type type, int64_t value) {
  return integer(s, type,
                 APInt(type.getIntOrFloatBitWidth(), value, /*isSigned=*/true,
                       /*implicitTrunc=*/true));
}
static Value compareInts(Scalars &s, IntPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(s.b, s.loc, predicate, x, y);
}
static Value compareFloats(Scalars &s, FloatPredicate predicate, Value x,
                           Value y) {
  return arith::CmpFOp::create(s.b, s.loc, predicate, x, y);
}

template <typename Op> static Value unary(Scalars &s, Value x) {
  return Op::create(s.b, s.loc, x);
}
template <typename Op> static Value binary(Scalars &s, ValueRange x) {
  return Op::create(s.b, s.loc, x[0], x[1]);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value scalar::add(Scalars &s, Operation *, ValueRange x) {
  if (isBool(x[0]))
    return binary<arith::OrIOp>(s, x);
  return s.add(x[0], x[1]);
}
Value scalar::subtract(Scalars &s, Operation *, ValueRange x) {
  return s.sub(x[0], x[1]);
}
Value scalar::multiply(Scalars &s, Operation *, ValueRange x) {
  if (isBool(x[0]))
    return binary<arith::AndIOp>(s, x);
  return s.mul(x[0], x[1]);
}
Value scalar::square(Scalars &s, Operation *, ValueRange x) {
  return s.mul(x[0], x[0]);
}

Value scalar::divide(Scalars &s, Operation *op, ValueRange x) {
  if (isFloat(x[0]))
    return s.div(x[0], x[1]);
  bool isUnsigned = elementOf(op).isUnsignedInteger();
  Value quotient =
      isUnsigned ? binary<arith::DivUIOp>(s, x) : binary<arith::DivSIOp>(s, x);
  Value zero = integer(s, x[0].getType(), 0),
        ones = integer(s, x[0].getType(), -1);
  return s.select(s.equal(x[1], zero), ones, quotient);
}

Value scalar::remainder(Scalars &s, Operation *op, ValueRange x) {
  if (isFloat(x[0]))
    return floatRemainder(s, x[0], x[1]);
  bool isUnsigned = elementOf(op).isUnsignedInteger();
  Value rest =
      isUnsigned ? binary<arith::RemUIOp>(s, x) : binary<arith::RemSIOp>(s, x);
  Value zero = integer(s, x[0].getType(), 0);
  return s.select(s.equal(x[1], zero), x[0], rest);
}

Value scalar::maximum(Scalars &s, Operation *op, ValueRange x) {
  if (isBool(x[0]))
    return binary<arith::OrIOp>(s, x);
  if (elementOf(op).isUnsignedInteger())
    return binary<arith::MaxUIOp>(s, x);
  return s.max(x[0], x[1]);
}
Value scalar::minimum(Scalars &s, Operation *op, ValueRange x) {
  if (isBool(x[0]))
    return binary<arith::AndIOp>(s, x);
  if (elementOf(op).isUnsignedInteger())
    return binary<arith::MinUIOp>(s, x);
  return s.min(x[0], x[1]);
}

/// x to the power of an integer by squaring. A negative power of an integer is
/// 0 but for those of 1 and -1; of 0 it is -1.
static Value integerPower(Scalars &s, Value x, Value y, bool isUnsigned) {
  Type type = x.getType();
  unsigned width = widthOf(x);
  Value zero = integer(s, type, 0), one = integer(s, type, 1);
  Value result = one, base = x;
  for (unsigned bit = 0; bit < width; ++bit) {
    Value isSet = compareInts(
        s, IntPredicate::ne,
        arith::AndIOp::create(
            s.b, s.loc, y, integer(s, type, APInt::getOneBitSet(width, bit))),
        zero);
    result = s.select(isSet, s.mul(result, base), result);
    if (bit + 1 < width)
      base = s.mul(base, base);
  }
  if (isUnsigned)
    return result;
  Value minusOne = integer(s, type, -1);
  Value isOdd = compareInts(s, IntPredicate::ne,
                            arith::AndIOp::create(s.b, s.loc, y, one), zero);
  Value ofMinusOne = s.select(isOdd, minusOne, one);
  Value negative =
      s.select(s.equal(x, one), one,
               s.select(s.equal(x, minusOne), ofMinusOne,
                        s.select(s.equal(x, zero), minusOne, zero)));
  return s.select(s.less(y, zero), negative, result);
}

Value scalar::power(Scalars &s, Operation *op, ValueRange x) {
  if (isFloat(x[0]))
    return binary<math::PowFOp>(s, x);
  return integerPower(s, x[0], x[1], elementOf(op).isUnsignedInteger());
}

Value scalar::abs(Scalars &s, Operation *op, ValueRange x) {
  return elementOf(op).isUnsignedInteger() ? x[0] : s.abs(x[0]);
}
Value scalar::negate(Scalars &s, Operation *, ValueRange x) {
  if (isFloat(x[0]))
    return unary<arith::NegFOp>(s, x[0]);
  return s.sub(integer(s, x[0].getType(), 0), x[0]);
}
Value scalar::sign(Scalars &s, Operation *op, ValueRange x) {
  Type type = x[0].getType();
  Value one = s.constant(type, 1), zero = s.constant(type, 0);
  if (isFloat(x[0])) {
    // Zeros keep their sign, and NaN is NaN.
    Value isZeroOrNaN = compareFloats(s, FloatPredicate::UEQ, x[0], zero);
    return s.select(isZeroOrNaN, x[0],
                    math::CopySignOp::create(s.b, s.loc, one, x[0]));
  }
  Value notZero = s.select(s.equal(x[0], zero), zero, one);
  if (elementOf(op).isUnsignedInteger())
    return notZero;
  return s.select(s.less(x[0], zero), integer(s, type, -1), notZero);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Value scalar::and_(Scalars &s, Operation *, ValueRange x) {
  return binary<arith::AndIOp>(s, x);
}
Value scalar::or_(Scalars &s, Operation *, ValueRange x) {
  return binary<arith::OrIOp>(s, x);
}
Value scalar::xor_(Scalars &s, Operation *, ValueRange x) {
  return binary<arith::XOrIOp>(s, x);
}
Value scalar::not_(Scalars &s, Operation *, ValueRange x) {
  return arith::XOrIOp::create(s.b, s.loc, x[0],
                               integer(s, x[0].getType(), -1));
}
// Shifts by the width or more give 0 or the sign (N8), and so do negative
// amounts, which are large where they are unsigned.
Value scalar::shiftLeft(Scalars &s, Operation *, ValueRange x) {
  return binary<arith::ShLIOp>(s, x);
}
Value scalar::shiftRightArithmetic(Scalars &s, Operation *, ValueRange x) {
  return binary<arith::ShRSIOp>(s, x);
}
Value scalar::shiftRightLogical(Scalars &s, Operation *, ValueRange x) {
  return binary<arith::ShRUIOp>(s, x);
}
Value scalar::countLeadingZeros(Scalars &s, Operation *, ValueRange x) {
  return unary<math::CountLeadingZerosOp>(s, x[0]);
}
Value scalar::populationCount(Scalars &s, Operation *, ValueRange x) {
  return unary<math::CtPopOp>(s, x[0]);
}
Value scalar::bitcast(Scalars &s, Operation *op, ValueRange x) {
  Type type = signless(resultOf(op));
  if (type == x[0].getType())
    return x[0];
  return arith::BitcastOp::create(s.b, s.loc, type, x[0]);
}

//===----------------------------------------------------------------------===//
// Functions of floats
//===----------------------------------------------------------------------===//

#define QCC_UNARY(name, Op)                                                    \
  Value scalar::name(Scalars &s, Operation *, ValueRange x) {                  \
    return unary<Op>(s, x[0]);                                                 \
  }
QCC_UNARY(acos, math::AcosOp)
QCC_UNARY(acosh, math::AcoshOp)
QCC_UNARY(asin, math::AsinOp)
QCC_UNARY(asinh, math::AsinhOp)
QCC_UNARY(atan, math::AtanOp)
QCC_UNARY(atanh, math::AtanhOp)
QCC_UNARY(ceil, math::CeilOp)
QCC_UNARY(cos, math::CosOp)
QCC_UNARY(cosh, math::CoshOp)
QCC_UNARY(erf, math::ErfOp)
QCC_UNARY(exp, math::ExpOp)
QCC_UNARY(expm1, math::ExpM1Op)
QCC_UNARY(floor, math::FloorOp)
QCC_UNARY(log, math::LogOp)
QCC_UNARY(log1p, math::Log1pOp)
QCC_UNARY(roundAwayFromZero, math::RoundOp)
QCC_UNARY(roundToEven, math::RoundEvenOp)
QCC_UNARY(rsqrt, math::RsqrtOp)
QCC_UNARY(sin, math::SinOp)
QCC_UNARY(sinh, math::SinhOp)
QCC_UNARY(sqrt, math::SqrtOp)
QCC_UNARY(tan, math::TanOp)
QCC_UNARY(tanh, math::TanhOp)
#undef QCC_UNARY

Value scalar::logistic(Scalars &s, Operation *, ValueRange x) {
  return s.sigmoid(x[0]);
}
Value scalar::erfc(Scalars &s, Operation *, ValueRange x) {
  return s.sub(s.constant(x[0].getType(), 1.0), unary<math::ErfOp>(s, x[0]));
}
/// A polynomial by the rule of Horner, from the highest degree.
static Value polynomial(Scalars &s, Value x, ArrayRef<double> coefficients) {
  Value sum = s.constant(x.getType(), coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = s.add(s.mul(sum, x), s.constant(x.getType(), coefficient));
  return sum;
}

/// M. Giles, "Approximating the erfinv function" (GPU Computing Gems, 2011), in
/// f32: two polynomials of w = -log(1 - x²), times x; ±1 gives ±infinity.
Value scalar::erfInverse(Scalars &s, Operation *, ValueRange operands) {
  static constexpr double kCentral[] = {
      2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
      -4.39150654e-06, 0.00021858087,  -0.00125372503,
      -0.00417768164,  0.246640727,    1.50140941};
  static constexpr double kTail[] = {
      -0.000200214257, 0.000100950558, 0.00134934322,
      -0.00367342844,  0.00573950773,  -0.0076224613,
      0.00943887047,   1.00167406,     2.83297682};
  Type f32 = s.b.getF32Type(), type = operands[0].getType();
  Value x = convertScalar(s, operands[0], type, f32);
  Value w = s.neg(
      unary<math::Log1pOp>(s, arith::NegFOp::create(s.b, s.loc, s.mul(x, x))));
  Value isCentral = s.less(w, s.constant(f32, 5.0));
  Value central = polynomial(s, s.sub(w, s.constant(f32, 2.5)), kCentral);
  Value tail = polynomial(s, s.sub(s.sqrt(w), s.constant(f32, 3.0)), kTail);
  Value result = s.mul(s.select(isCentral, central, tail), x);
  Value isOne = s.equal(s.abs(x), s.constant(f32, 1.0));
  Value infinite =
      s.mul(x, s.constant(f32, std::numeric_limits<double>::infinity()));
  return convertScalar(s, s.select(isOne, infinite, result), f32, type);
}

/// sign(x) · exp(log(|x|) / 3), then one step of Newton's method.
Value scalar::cbrt(Scalars &s, Operation *, ValueRange x) {
  Type type = x[0].getType();
  Value magnitude = s.abs(x[0]), three = s.constant(type, 3.0);
  Value y = s.exp(s.div(s.log(magnitude), three));
  Value square = s.mul(y, y);
  Value better = s.sub(y, s.div(s.sub(y, s.div(magnitude, square)), three));
  // 0, infinities and NaN are their own roots.
  Value isOrdinary = arith::AndIOp::create(
      s.b, s.loc,
      compareFloats(s, FloatPredicate::OGT, magnitude, s.constant(type, 0.0)),
      compareFloats(s, FloatPredicate::OLT, magnitude,
                    s.constant(type, std::numeric_limits<double>::infinity())));
  Value root = math::CopySignOp::create(s.b, s.loc, better, x[0]);
  return s.select(isOrdinary, root, x[0]);
}

/// The angle of the point (x, y): atan(y / x), and π more or less where x is
/// negative.
Value scalar::atan2(Scalars &s, Operation *, ValueRange operands) {
  Value y = operands[0], x = operands[1];
  Type type = y.getType();
  auto number = [&](double value) { return s.constant(type, value); };
  auto copySign = [&](Value magnitude, Value sign) -> Value {
    return math::CopySignOp::create(s.b, s.loc, magnitude, sign);
  };
  double pi = 3.14159265358979323846;
  Value inf = number(std::numeric_limits<double>::infinity());
  Value absX = s.abs(x), absY = s.abs(y);
  // Both infinite, or both zero: what the limits along the diagonal and along
  // the axis are.
  Value bothInf =
      arith::AndIOp::create(s.b, s.loc, s.equal(absX, inf), s.equal(absY, inf));
  Value bothZero = arith::AndIOp::create(s.b, s.loc, s.equal(absX, number(0.0)),
                                         s.equal(absY, number(0.0)));
  Value ratio = s.select(bothInf, number(1.0),
                         s.select(bothZero, number(0.0), s.div(absY, absX)));
  Value angle = unary<math::AtanOp>(s, ratio);
  Value signX = copySign(number(1.0), x);
  Value isLeft = s.less(signX, number(0.0));
  angle = s.select(isLeft, s.sub(number(pi), angle), angle);
  Value isNaN = compareFloats(s, FloatPredicate::UNO, x, y);
  return s.select(isNaN, s.add(x, y), copySign(angle, y));
}

Value scalar::isFinite(Scalars &s, Operation *, ValueRange x) {
  return compareFloats(
      s, FloatPredicate::OLT, s.abs(x[0]),
      s.constant(x[0].getType(), std::numeric_limits<double>::infinity()));
}
Value scalar::isInf(Scalars &s, Operation *, ValueRange x) {
  return s.equal(
      s.abs(x[0]),
      s.constant(x[0].getType(), std::numeric_limits<double>::infinity()));
}

/// Rounds to a format of fewer bits and back: f16 and bf16 are types.
Value scalar::reducePrecision(Scalars &s, Operation *op, ValueRange x) {
  auto bits = op->getAttrOfType<IntegerAttr>("mantissa_bits");
  Type type = x[0].getType();
  unsigned mantissa = bits ? bits.getInt() : 0;
  Type narrow = mantissa == 7    ? Type(s.b.getBF16Type())
                : mantissa == 10 ? Type(s.b.getF16Type())
                                 : Type(s.b.getF32Type());
  if (narrow.getIntOrFloatBitWidth() >= type.getIntOrFloatBitWidth())
    return x[0];
  return convertScalar(s, convertScalar(s, x[0], type, narrow), narrow, type);
}

//===----------------------------------------------------------------------===//
// Comparison, selection, conversion
//===----------------------------------------------------------------------===//

/// Integers in the total order of floats: -NaN < -inf < ... < -0 < +0 < ... <
/// +inf < +NaN.
static Value totalOrder(Scalars &s, Value x) {
  unsigned width = widthOf(x);
  Type word = s.b.getIntegerType(width);
  Value bits = arith::BitcastOp::create(s.b, s.loc, word, x);
  Value turned = arith::XOrIOp::create(
      s.b, s.loc, bits, integer(s, word, APInt::getSignedMaxValue(width)));
  return s.select(s.less(bits, integer(s, word, 0)), turned, bits);
}

Value scalar::compare(Scalars &s, Operation *op, ValueRange x) {
  StringRef direction = wordOf(op, "comparison_direction");
  struct Row {
    StringLiteral direction;
    IntPredicate isSigned, isUnsigned;
    FloatPredicate isFloat;
  };
  static constexpr Row kRows[] = {
      {"EQ", IntPredicate::eq, IntPredicate::eq, FloatPredicate::OEQ},
      {"NE", IntPredicate::ne, IntPredicate::ne, FloatPredicate::UNE},
      {"LT", IntPredicate::slt, IntPredicate::ult, FloatPredicate::OLT},
      {"LE", IntPredicate::sle, IntPredicate::ule, FloatPredicate::OLE},
      {"GT", IntPredicate::sgt, IntPredicate::ugt, FloatPredicate::OGT},
      {"GE", IntPredicate::sge, IntPredicate::uge, FloatPredicate::OGE},
  };
  const Row *row = llvm::find_if(
      kRows, [&](const Row &row) { return row.direction == direction; });
  if (row == std::end(kRows)) // verifyOp refuses it.
    return integer(s, s.b.getI1Type(), 0);
  if (isFloat(x[0]) && wordOf(op, "compare_type") == "TOTALORDER")
    return compareInts(s, row->isSigned, totalOrder(s, x[0]),
                       totalOrder(s, x[1]));
  if (isFloat(x[0]))
    return compareFloats(s, row->isFloat, x[0], x[1]);
  bool isUnsigned = isBool(x[0]) || elementOf(op).isUnsignedInteger();
  return compareInts(s, isUnsigned ? row->isUnsigned : row->isSigned, x[0],
                     x[1]);
}

Value scalar::select(Scalars &s, Operation *, ValueRange x) {
  return s.select(x[0], x[1], x[2]);
}
Value scalar::clamp(Scalars &s, Operation *op, ValueRange x) {
  return minimum(s, op, {maximum(s, op, {x[1], x[0]}), x[2]});
}
Value scalar::identity(Scalars &, Operation *, ValueRange x) { return x[0]; }

Value scalar::convert(Scalars &s, Operation *op, ValueRange x) {
  return convertScalar(s, x[0], elementOf(op), resultOf(op));
}
