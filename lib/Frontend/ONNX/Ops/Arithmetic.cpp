//===- Arithmetic.cpp - Functions of several values -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../../Builder/Emit.h"
#include "../../Builder/Integers.h"
#include "../FoldNumbers.h"
#include "../NodeImporter.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

/// The inputs, uint8 as int32.
static FailureOr<SmallVector<GraphValue>> wideInputs(NodeImporter &n) {
  SmallVector<GraphValue> inputs;
  for (unsigned i = 0; i < n.numInputs(); ++i) {
    FailureOr<GraphValue> wide = n.in(i).isUnsigned()
                                     ? convert(n, n.in(i), n.b.getI32Type())
                                     : FailureOr<GraphValue>(n.in(i));
    if (failed(wide))
      return failure();
    inputs.push_back(*wide);
  }
  return inputs;
}

/// `body` of the inputs; uint8 is computed in int32 and wraps.
static LogicalResult setElementwise(NodeImporter &n, Type element,
                                    ScalarBody body) {
  FailureOr<SmallVector<GraphValue>> inputs = wideInputs(n);
  if (failed(inputs))
    return failure();
  SmallVector<GraphValue *> operands;
  for (GraphValue &input : *inputs)
    operands.push_back(&input);
  Type wide = element.isUnsignedInteger() ? Type(n.b.getI32Type()) : element;
  FailureOr<GraphValue> y = elementwise(n, operands, wide, body);
  if (succeeded(y))
    y = convert(n, *y, element);
  return failed(y) ? failure() : n.set(0, *y);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The remainder with the sign of the divisor.
static Value floorModulo(Scalars &s, Value x, Value y) {
  Value remainder = arith::RemSIOp::create(s.b, s.loc, x, y);
  Value zero = s.constant(x.getType(), 0);
  Value isZero = s.equal(remainder, zero);
  Value differs = arith::XOrIOp::create(s.b, s.loc, s.less(remainder, zero),
                                        s.less(y, zero));
  Value moved = s.add(remainder, y);
  return s.select(isZero, remainder, s.select(differs, moved, remainder));
}

/// x - trunc(x / y) * y, with the sign of x.
static Value truncatedModulo(Scalars &s, Value x, Value y) {
  return arith::RemSIOp::create(s.b, s.loc, x, y);
}

using Function = Value (*)(Scalars &, Value, Value);

template <typename Op> static Value bits(Scalars &s, Value x, Value y) {
  return Op::create(s.b, s.loc, x, y);
}

static Function arithmeticFunction(NodeImporter &n) {
  return llvm::StringSwitch<Function>(n.op())
      .Case("Add", [](Scalars &s, Value x, Value y) { return s.add(x, y); })
      .Case("Sub", [](Scalars &s, Value x, Value y) { return s.sub(x, y); })
      .Case("Mul", [](Scalars &s, Value x, Value y) { return s.mul(x, y); })
      .Case("Div", [](Scalars &s, Value x, Value y) { return s.div(x, y); })
      .Case("Mod", n.in(0).isFloat()     ? floatRemainder
                   : n.getInt("fmod", 0) ? truncatedModulo
                                         : floorModulo)
      .Case("BitShift", n.getString("direction", "") == "LEFT"
                            ? bits<arith::ShLIOp>
                            : bits<arith::ShRUIOp>)
      .Case("BitwiseAnd", bits<arith::AndIOp>)
      .Case("BitwiseOr", bits<arith::OrIOp>)
      .Case("BitwiseXor", bits<arith::XOrIOp>)
      .Default(nullptr);
}

/// What an op computes of integers that are known when the model is imported.
static std::optional<IntegerOp> integerOpOf(NodeImporter &n) {
  return llvm::StringSwitch<std::optional<IntegerOp>>(n.op())
      .Case("Add", IntegerOp::Add)
      .Case("Sub", IntegerOp::Sub)
      .Case("Mul", IntegerOp::Mul)
      .Case("Div", IntegerOp::TruncDiv)
      .Case("Mod",
            n.getInt("fmod", 0) ? IntegerOp::TruncRem : IntegerOp::FloorRem)
      .Case("Min", IntegerOp::Min)
      .Case("Max", IntegerOp::Max)
      .Default(std::nullopt);
}

LogicalResult onnx::importArithmetic(NodeImporter &n) {
  if (n.op() == "Mod" && n.in(0).isFloat()) {
    if (!n.getInt("fmod", 0))
      return n.refuse()
             << "has fmod = 0, which ONNX defines for integers only; "
                "set it to 1, or cast to int32";
    if (n.in(0).element.isF64())
      return n.refuse() << "does not take float64; cast it to float32";
  }
  if (n.op() == "BitShift")
    if (StringRef way = n.getString("direction", "");
        way != "LEFT" && way != "RIGHT")
      return n.refuse() << "has direction = " << way << "; give LEFT or RIGHT";
  if (std::optional<IntegerOp> integerOp = integerOpOf(n))
    if (auto sizes = computeIntegers(n, *integerOp, {&n.in(0), &n.in(1)}))
      return n.set(0, *sizes);
  if (std::optional<GraphValue> numbers = foldNumbers(n))
    return n.set(0, *numbers);
  if (n.op() == "Mul")
    if (std::optional<GraphValue> scaled = matchScaledCast(n))
      return n.set(0, *scaled);
  Function function = arithmeticFunction(n);
  return setElementwise(n, n.in(0).element, [&](Scalars &s, ValueRange args) {
    return function(s, args[0], args[1]);
  });
}

LogicalResult onnx::importVariadic(NodeImporter &n) {
  StringRef op = n.op();
  SmallVector<GraphValue *> values;
  for (unsigned i = 0; i < n.numInputs(); ++i)
    values.push_back(&n.in(i));
  if (std::optional<IntegerOp> integerOp = integerOpOf(n))
    if (auto sizes = computeIntegers(n, *integerOp, values))
      return n.set(0, *sizes);
  return setElementwise(n, n.in(0).element, [&](Scalars &s, ValueRange args) {
    Value v = args[0];
    for (Value next : args.drop_front())
      v = op == "Min"   ? s.min(v, next)
          : op == "Max" ? s.max(v, next)
                        : s.add(v, next);
    if (op == "Mean")
      v = s.div(v, s.constant(v.getType(), args.size()));
    return v;
  });
}

/// The exponent of a Pow, where it is one number that is known.
static std::optional<float> knownExponent(NodeImporter &n) {
  if (auto floats = Constants::readFloats(n.in(1)))
    return floats->size() == 1 ? std::optional(floats->front()) : std::nullopt;
  auto integers = Constants::readIntegers(n.b, n.in(1));
  if (!integers || integers->size() != 1)
    return std::nullopt;
  std::optional<int64_t> known = knownSize(integers->front());
  return known ? std::optional(static_cast<float>(*known)) : std::nullopt;
}

/// The power of a float by an exponent of any type.
static LogicalResult importAnyPow(NodeImporter &n) {
  GraphValue &x = n.in(0);
  if (!x.isFloat() || x.element.isF64())
    return n.refuse() << "is supported for float32, float16 and bfloat16, and "
                         "for float64 and integers with one of the constant "
                         "exponents 1, 2 and 3, or 0.5 of floats; cast it to "
                         "float32";
  FailureOr<GraphValue> y = elementwise(
      n, {&x, &n.in(1)}, x.element, [&](Scalars &s, ValueRange args) -> Value {
        Value v = args[0], e = args[1];
        Type type = v.getType();
        if (isa<IntegerType>(e.getType()))
          e = n.in(1).isSigned()
                  ? arith::SIToFPOp::create(s.b, s.loc, type, e).getResult()
                  : arith::UIToFPOp::create(s.b, s.loc, type, e).getResult();
        else if (e.getType().getIntOrFloatBitWidth() >
                 type.getIntOrFloatBitWidth())
          e = arith::TruncFOp::create(s.b, s.loc, type, e);
        else if (e.getType() != type)
          e = arith::ExtFOp::create(s.b, s.loc, type, e);
        return math::PowFOp::create(s.b, s.loc, v, e);
      });
  return failed(y) ? failure() : n.set(0, *y);
}

/// The power 0.5. Unlike the square root it is +0 of -0, and +inf of -inf.
static Value squareRoot(Scalars &s, Value x) {
  double infinity = std::numeric_limits<double>::infinity();
  Type type = x.getType();
  Value root = s.sqrt(s.add(x, s.constant(type, 0)));
  return s.select(s.equal(x, s.constant(type, -infinity)),
                  s.constant(type, infinity), root);
}

LogicalResult onnx::importPow(NodeImporter &n) {
  if (std::optional<GraphValue> numbers = foldNumbers(n))
    return n.set(0, *numbers);
  GraphValue &x = n.in(0);
  std::optional<float> power = knownExponent(n);
  bool isProduct = power && n.in(1).rank() <= x.rank() &&
                   (*power == 1 || *power == 2 || *power == 3 ||
                    (*power == 0.5f && x.isFloat()));
  if (!isProduct)
    return importAnyPow(n);
  FailureOr<GraphValue> y =
      elementwise(n, {&x}, x.element, [&](Scalars &s, ValueRange args) {
        Value v = args[0];
        if (*power == 0.5f)
          return squareRoot(s, v);
        Value result = v;
        for (int i = 1; i < static_cast<int>(*power); ++i)
          result = s.mul(result, v);
        return result;
      });
  return failed(y) ? failure() : n.set(0, *y);
}

//===----------------------------------------------------------------------===//
// Comparisons and conditions
//===----------------------------------------------------------------------===//

static Value compare(Scalars &s, StringRef op, Value x, Value y) {
  if (isa<FloatType>(x.getType())) {
    auto predicate = llvm::StringSwitch<arith::CmpFPredicate>(op)
                         .Case("Equal", arith::CmpFPredicate::OEQ)
                         .Case("Greater", arith::CmpFPredicate::OGT)
                         .Case("GreaterOrEqual", arith::CmpFPredicate::OGE)
                         .Case("Less", arith::CmpFPredicate::OLT)
                         .Default(arith::CmpFPredicate::OLE);
    return arith::CmpFOp::create(s.b, s.loc, predicate, x, y);
  }
  auto predicate = llvm::StringSwitch<arith::CmpIPredicate>(op)
                       .Case("Equal", arith::CmpIPredicate::eq)
                       .Case("Greater", arith::CmpIPredicate::sgt)
                       .Case("GreaterOrEqual", arith::CmpIPredicate::sge)
                       .Case("Less", arith::CmpIPredicate::slt)
                       .Default(arith::CmpIPredicate::sle);
  return arith::CmpIOp::create(s.b, s.loc, predicate, x, y);
}

/// The result of a comparison that is known when the model is imported: of two
/// known integers, or of a size with a negative integer.
static std::optional<bool> compareIntegers(NodeImporter &n, OpFoldResult x,
                                           OpFoldResult y) {
  StringRef op = n.op();
  std::optional<int64_t> a = knownSize(x), b = knownSize(y);
  if (a && b)
    return llvm::StringSwitch<bool>(op)
        .Case("Equal", *a == *b)
        .Case("Greater", *a > *b)
        .Case("GreaterOrEqual", *a >= *b)
        .Case("Less", *a < *b)
        .Default(*a <= *b);
  if (op == "Equal" && ((n.isNeverNegative(x) && b && *b < 0) ||
                        (n.isNeverNegative(y) && a && *a < 0)))
    return false;
  return std::nullopt;
}

/// The comparison of integers, such as sizes, that is known when the model is
/// imported.
static std::optional<GraphValue> compareKnown(NodeImporter &n) {
  GraphValue &x = n.in(0), &y = n.in(1);
  std::optional<size_t> count = meetIntegers(n, {&x, &y});
  if (!count)
    return std::nullopt;
  SmallVector<bool> results;
  for (size_t i = 0; i < *count; ++i) {
    std::optional<bool> result =
        compareIntegers(n, integerAt(x, i), integerAt(y, i));
    if (!result)
      return std::nullopt;
    results.push_back(*result);
  }
  SmallVector<int64_t> shape;
  if (x.rank() + y.rank() > 0)
    shape.push_back(*count);
  auto type = RankedTensorType::get(shape, n.b.getI1Type());
  return Constants::toValue(n.b, DenseElementsAttr::get(type, results));
}

static arith::CmpIPredicate predicateOf(StringRef op) {
  using Predicate = arith::CmpIPredicate;
  return llvm::StringSwitch<Predicate>(op)
      .Case("Equal", Predicate::eq)
      .Case("Greater", Predicate::sgt)
      .Case("GreaterOrEqual", Predicate::sge)
      .Case("Less", Predicate::slt)
      .Case("LessOrEqual", Predicate::sle);
}

LogicalResult onnx::importComparison(NodeImporter &n) {
  if (std::optional<GraphValue> known = compareKnown(n))
    return n.set(0, *known);
  if (failed(
          setElementwise(n, n.b.getI1Type(), [&](Scalars &s, ValueRange args) {
            return compare(s, n.op(), args[0], args[1]);
          })))
    return failure();
  GraphValue &x = n.in(0), &y = n.in(1);
  if (meetIntegers(n, {&x, &y}) != 1)
    return success();
  OpFoldResult a = integerAt(x, 0), c = integerAt(y, 0);
  n.outputs()[0]->condition = n.compare(predicateOf(n.op()), a, c);
  if (n.op() == "Equal")
    n.outputs()[0]->isOne = knownSize(c) == 1   ? a
                            : knownSize(a) == 1 ? c
                                                : OpFoldResult();
  return success();
}

/// And, Or or Xor of two truth values that are known when the model is
/// imported.
static std::optional<GraphValue> combineBools(NodeImporter &n) {
  std::optional<bool> x = Constants::readBool(n.in(0)),
                      y = Constants::readBool(n.in(1));
  if (!x || !y)
    return std::nullopt;
  bool result = n.op() == "And"  ? *x && *y
                : n.op() == "Or" ? *x || *y
                                 : *x != *y;
  const Shape &a = n.in(0).shape, &b = n.in(1).shape;
  return Constants::makeBool(n.b, result, a.size() > b.size() ? a : b);
}

LogicalResult onnx::importBoolean(NodeImporter &n) {
  if (std::optional<GraphValue> known = combineBools(n))
    return n.set(0, *known);
  Function function = n.op() == "And"  ? bits<arith::AndIOp>
                      : n.op() == "Or" ? bits<arith::OrIOp>
                                       : bits<arith::XOrIOp>;
  FailureOr<GraphValue> y =
      elementwise(n, {&n.in(0), &n.in(1)}, n.b.getI1Type(),
                  [&](Scalars &s, ValueRange args) {
                    return function(s, args[0], args[1]);
                  });
  return failed(y) ? failure() : n.set(0, *y);
}

/// The operand that a condition known when the model is imported chooses, if
/// the result has its shape.
static GraphValue *chooseKnown(NodeImporter &n) {
  std::optional<bool> condition = Constants::readBool(n.in(0));
  GraphValue &x = n.in(1), &y = n.in(2);
  if (!condition || n.in(0).rank() > x.rank() ||
      ArrayRef<OpFoldResult>(x.shape) != ArrayRef<OpFoldResult>(y.shape))
    return nullptr;
  return *condition ? &x : &y;
}

/// The integers that a condition known when the model is imported chooses, each
/// by itself.
static std::optional<GraphValue> chooseIntegers(NodeImporter &n) {
  GraphValue &x = n.in(1), &y = n.in(2);
  auto condition = dyn_cast_or_null<DenseElementsAttr>(n.in(0).constant);
  std::optional<size_t> count = meetIntegers(n, {&x, &y});
  if (!condition || n.in(0).rank() > 1 || !count)
    return std::nullopt;
  size_t conditions = condition.getNumElements();
  if (conditions != 1 && *count != 1 && conditions != *count)
    return std::nullopt;
  GraphValue result;
  result.element = x.element;
  result.integers.emplace();
  for (size_t i = 0, e = conditions == 1 ? *count : conditions; i < e; ++i) {
    bool isFirst = condition.getValues<bool>()[conditions == 1 ? 0 : i];
    result.integers->push_back(integerAt(isFirst ? x : y, i));
  }
  if (n.in(0).rank() + x.rank() + y.rank() > 0)
    result.shape.push_back(n.size(result.integers->size()));
  return result;
}

LogicalResult onnx::importWhere(NodeImporter &n) {
  if (GraphValue *chosen = chooseKnown(n))
    return n.set(0, *chosen);
  if (std::optional<GraphValue> integers = chooseIntegers(n))
    return n.set(0, *integers);
  return setElementwise(n, n.in(1).element, [](Scalars &s, ValueRange args) {
    return s.select(args[0], args[1], args[2]);
  });
}
