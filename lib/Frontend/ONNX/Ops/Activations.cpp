//===- Activations.cpp - Functions of one value ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function is computed in the type of its elements, each step rounded
// once; docs/Numerics.md has the steps.
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Emit.h"
#include "../FoldNumbers.h"
#include "../ModelConstants.h"
#include "../NodeImporter.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
/// The attributes of activations.
struct Parameters {
  double alpha = 0, beta = 0;
};
} // namespace

using Function = Value (*)(Scalars &, Value, const Parameters &);

static Value leaky(Scalars &s, Value x, const Parameters &p) {
  Value zero = s.constant(x.getType(), 0);
  Value scaled = s.mul(s.constant(x.getType(), p.alpha), x);
  return s.select(s.less(x, zero), scaled, x);
}

static Value hardSigmoid(Scalars &s, Value x, const Parameters &p) {
  Type type = x.getType();
  Value y =
      s.add(s.mul(s.constant(type, p.alpha), x), s.constant(type, p.beta));
  return s.min(s.max(y, s.constant(type, 0)), s.constant(type, 1));
}

/// x where x is positive, otherwise alpha * (exp(x) - 1), times beta.
static Value elu(Scalars &s, Value x, const Parameters &p) {
  Type type = x.getType();
  Value negative =
      s.mul(s.constant(type, p.alpha), s.sub(s.exp(x), s.constant(type, 1)));
  return s.select(s.less(s.constant(type, 0), x), x, negative);
}

static Value selu(Scalars &s, Value x, const Parameters &p) {
  return s.mul(s.constant(x.getType(), p.beta), elu(s, x, p));
}

static Value sign(Scalars &s, Value x, const Parameters &) {
  Type type = x.getType();
  Value zero = s.constant(type, 0);
  Value notPositive = s.select(s.less(x, zero), s.constant(type, -1), zero);
  return s.select(s.less(zero, x), s.constant(type, 1), notPositive);
}

static Value softsign(Scalars &s, Value x, const Parameters &) {
  return s.div(x, s.add(s.constant(x.getType(), 1), s.abs(x)));
}

/// 0.5 * x * (1 + erf(x / sqrt(2)))
static Value gelu(Scalars &s, Value x, const Parameters &) {
  Type type = x.getType();
  Value e = math::ErfOp::create(
      s.b, s.loc, s.mul(x, s.constant(type, 0.70710678118654752440)));
  return s.mul(s.mul(s.constant(type, 0.5), x), s.add(s.constant(type, 1), e));
}

/// 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
static Value geluByTanh(Scalars &s, Value x, const Parameters &) {
  Type type = x.getType();
  Value cube = s.mul(s.mul(x, x), x);
  Value inner = s.mul(s.constant(type, 0.79788456080286535588),
                      s.add(x, s.mul(s.constant(type, 0.044715), cube)));
  Value t = math::TanhOp::create(s.b, s.loc, inner);
  return s.mul(s.mul(s.constant(type, 0.5), x), s.add(s.constant(type, 1), t));
}

/// max(x, 0) + log(1 + exp(-|x|)), which does not overflow.
static Value softplus(Scalars &s, Value x, const Parameters &) {
  Type type = x.getType();
  Value small = s.exp(arith::NegFOp::create(s.b, s.loc, s.abs(x)));
  return s.add(s.max(x, s.constant(type, 0)),
               s.log(s.add(s.constant(type, 1), small)));
}

static Value mish(Scalars &s, Value x, const Parameters &p) {
  return s.mul(x, math::TanhOp::create(s.b, s.loc, softplus(s, x, p)));
}

/// max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
static Value celu(Scalars &s, Value x, const Parameters &p) {
  Type type = x.getType();
  Value alpha = s.constant(type, p.alpha), zero = s.constant(type, 0);
  Value curve = s.sub(s.exp(s.div(x, alpha)), s.constant(type, 1));
  return s.add(s.max(zero, x), s.min(zero, s.mul(alpha, curve)));
}

template <typename Op>
static Value one(Scalars &s, Value x, const Parameters &) {
  return Op::create(s.b, s.loc, x);
}

static Function floatFunction(StringRef op) {
  return llvm::StringSwitch<Function>(op)
      .Case("Relu",
            [](Scalars &s, Value x, const Parameters &) {
              return s.max(x, s.constant(x.getType(), 0));
            })
      .Case("LeakyRelu", leaky)
      .Case("ThresholdedRelu",
            [](Scalars &s, Value x, const Parameters &p) {
              Type type = x.getType();
              return s.select(s.less(s.constant(type, p.alpha), x), x,
                              s.constant(type, 0));
            })
      .Case("Sigmoid", [](Scalars &s, Value x,
                          const Parameters &) { return s.sigmoid(x); })
      .Case("Swish",
            [](Scalars &s, Value x, const Parameters &p) {
              return s.mul(
                  x, s.sigmoid(s.mul(s.constant(x.getType(), p.alpha), x)));
            })
      .Case("HardSigmoid", hardSigmoid)
      .Case("HardSwish",
            [](Scalars &s, Value x, const Parameters &p) {
              return s.mul(x, hardSigmoid(s, x, p));
            })
      .Case("Elu", elu)
      .Case("Selu", selu)
      .Case("Celu", celu)
      .Case("Softplus", softplus)
      .Case("Mish", mish)
      .Case("Sign", sign)
      .Case("Softsign", softsign)
      .Case("Gelu", gelu)
      .Case("Reciprocal",
            [](Scalars &s, Value x, const Parameters &) {
              return s.div(s.constant(x.getType(), 1), x);
            })
      .Case("Tanh", one<math::TanhOp>)
      .Case("Erf", one<math::ErfOp>)
      .Case("Exp", one<math::ExpOp>)
      .Case("Sin", one<math::SinOp>)
      .Case("Cos", one<math::CosOp>)
      .Case("Tan", one<math::TanOp>)
      .Case("Asin", one<math::AsinOp>)
      .Case("Acos", one<math::AcosOp>)
      .Case("Atan", one<math::AtanOp>)
      .Case("Sinh", one<math::SinhOp>)
      .Case("Cosh", one<math::CoshOp>)
      .Case("Asinh", one<math::AsinhOp>)
      .Case("Acosh", one<math::AcoshOp>)
      .Case("Atanh", one<math::AtanhOp>)
      .Case("Log", one<math::LogOp>)
      .Case("Sqrt", one<math::SqrtOp>)
      .Case("Neg", one<arith::NegFOp>)
      .Case("Abs", one<math::AbsFOp>)
      .Case("Floor", one<math::FloorOp>)
      .Case("Ceil", one<math::CeilOp>)
      .Case("Round", one<math::RoundEvenOp>)
      .Default(nullptr);
}

static Function integerFunction(StringRef op) {
  return llvm::StringSwitch<Function>(op)
      .Case("Relu",
            [](Scalars &s, Value x, const Parameters &) {
              return s.max(x, s.constant(x.getType(), 0));
            })
      .Case("Sign", sign)
      .Case("Abs", one<math::AbsIOp>)
      .Case("Neg",
            [](Scalars &s, Value x, const Parameters &) {
              return s.sub(s.constant(x.getType(), 0), x);
            })
      .Case("BitwiseNot",
            [](Scalars &s, Value x, const Parameters &) -> Value {
              return arith::XOrIOp::create(s.b, s.loc, x,
                                           s.constant(x.getType(), -1));
            })
      .Default(nullptr);
}

static Function boolFunction(StringRef op) {
  return op == "Not" ? [](Scalars &s, Value x, const Parameters &) -> Value {
    Value yes = arith::ConstantOp::create(s.b, s.loc, s.b.getBoolAttr(true));
    return arith::XOrIOp::create(s.b, s.loc, x, yes);
  } : Function(nullptr);
}

/// The default values of attributes.
static Parameters absentParameters(StringRef op) {
  return llvm::StringSwitch<Parameters>(op)
      .Case("LeakyRelu", {0.01, 0})
      .Case("HardSigmoid", {0.2, 0.5})
      .Case("HardSwish", {1.0 / 6, 0.5})
      .Case("Selu", {1.67326319217681884765625, 1.05070102214813232421875})
      .Default({1, 1});
}

/// Functions of the fixed sequences (N8), which f64 does not have.
static bool usesLibrary(StringRef op) {
  return llvm::StringSwitch<bool>(op)
      .Cases({"Sigmoid", "Swish", "Elu",   "Selu",  "Celu",     "Gelu",
              "Tanh",    "Erf",   "Exp",   "Log",   "Softplus", "Mish",
              "Sin",     "Cos",   "Tan",   "Asin",  "Acos",     "Atan",
              "Sinh",    "Cosh",  "Asinh", "Acosh", "Atanh"},
             true)
      .Default(false);
}

/// The negative integers of the evaluator.
static GraphValue negated(NodeImporter &n, const GraphValue &x) {
  GraphValue y = x;
  y.value = {};
  y.constant = {};
  for (OpFoldResult &integer : *y.integers)
    integer = n.sub(n.size(0), integer);
  return y;
}

LogicalResult onnx::importUnary(NodeImporter &n) {
  GraphValue &x = n.in(0);
  if (n.op() == "Neg" && n.knowsIntegers(x))
    return n.set(0, negated(n, x));
  if (std::optional<GraphValue> numbers = foldNumbers(n))
    return n.set(0, *numbers);
  if (std::optional<bool> known = Constants::readBool(x);
      n.op() == "Not" && known)
    return n.set(0, Constants::makeBool(n.b, !*known, x.shape));
  Function function = x.isFloat()  ? floatFunction(n.op())
                      : x.isBool() ? boolFunction(n.op())
                                   : integerFunction(n.op());
  if (n.op() == "Gelu" && n.getString("approximate", "none") == "tanh")
    function = geluByTanh;
  if (function && usesLibrary(n.op()) && x.element.isF64())
    return n.refuse() << "takes float64, of which the operations are not "
                         "defined (N8 in Numerics); cast it to float32";
  if (!function)
    return n.refuse() << "does not take " << elementName(x.element)
                      << "; cast it to float32";
  Parameters p = absentParameters(n.op());
  if (n.op() != "HardSwish") {
    p.alpha = n.getFloat("alpha", p.alpha);
    if (n.op() == "HardSigmoid")
      p.beta = n.getFloat("beta", p.beta);
    if (n.op() == "Selu")
      p.beta = n.getFloat("gamma", p.beta);
  }
  // uint8 is computed in int32 and wraps.
  Type wide = x.isUnsigned() ? Type(n.b.getI32Type()) : x.element;
  FailureOr<GraphValue> v = convert(n, x, wide);
  if (failed(v))
    return failure();
  FailureOr<GraphValue> y =
      elementwise(n, {&*v}, wide, [&](Scalars &s, ValueRange args) {
        return function(s, args[0], p);
      });
  if (succeeded(y))
    y = convert(n, *y, x.element);
  return failed(y) ? failure() : n.set(0, *y);
}

/// IsNaN and IsInf.
LogicalResult onnx::importIsSpecial(NodeImporter &n) {
  GraphValue &x = n.in(0);
  bool positive = n.getInt("detect_positive", 1) != 0,
       negative = n.getInt("detect_negative", 1) != 0;
  double infinity = std::numeric_limits<double>::infinity();
  FailureOr<GraphValue> y = elementwise(
      n, {&x}, n.b.getI1Type(), [&](Scalars &s, ValueRange args) -> Value {
        Value v = args[0];
        if (n.op() == "IsNaN")
          return s.isNaN(v);
        Value top = s.equal(v, s.constant(v.getType(), infinity)),
              bottom = s.equal(v, s.constant(v.getType(), -infinity));
        if (positive && negative)
          return arith::OrIOp::create(s.b, s.loc, top, bottom);
        if (!positive && !negative)
          return arith::ConstantOp::create(s.b, s.loc, s.b.getBoolAttr(false));
        return positive ? top : bottom;
      });
  return failed(y) ? failure() : n.set(0, *y);
}

//===----------------------------------------------------------------------===//
// With parameters
//===----------------------------------------------------------------------===//

LogicalResult onnx::importPRelu(NodeImporter &n) {
  GraphValue &x = n.in(0);
  if (!x.isFloat())
    return n.refuse() << "does not take " << elementName(x.element)
                      << "; cast it to float32";
  FailureOr<GraphValue> y = elementwise(
      n, {&x, &n.in(1)}, x.element, [](Scalars &s, ValueRange args) {
        Value zero = s.constant(args[0].getType(), 0);
        return s.select(s.less(args[0], zero), s.mul(args[1], args[0]),
                        args[0]);
      });
  return failed(y) ? failure() : n.set(0, *y);
}

/// Whether a bound of bytes is the least or the greatest byte. Some writers
/// clip by such bounds after each QuantizeLinear.
static bool boundsNothing(const GraphValue &bound, bool isLow) {
  std::optional<ConstantData> data = ConstantData::get(bound.constant);
  if (!bound.isByte() || !data || data->bytes.size() != 1)
    return false;
  auto byte = static_cast<uint8_t>(data->bytes[0]);
  return byte == (bound.isUnsigned() ? (isLow ? 0 : 255) : (isLow ? 128 : 127));
}

LogicalResult onnx::importClip(NodeImporter &n) {
  if (n.since < 11)
    return importOldClip(n);
  GraphValue &x = n.in(0);
  // uint8 is compared as int32.
  Type wide = x.isUnsigned() ? Type(n.b.getI32Type()) : x.element;
  std::optional<GraphValue> bounds[2];
  for (unsigned i = 1; i < 3; ++i) {
    if (!n.has(i))
      continue;
    GraphValue &bound = n.in(i);
    if (bound.rank() != 0 && knownSizes(bound.shape) != SmallVector<int64_t>{1})
      return n.refuse() << "has a bound of several elements; make it a scalar";
    if (boundsNothing(bound, i == 1))
      continue;
    GraphValue scalar = reshape(n, bound, {});
    FailureOr<GraphValue> converted = convert(n, scalar, wide);
    if (failed(converted))
      return failure();
    bounds[i - 1] = *converted;
  }
  if (!bounds[0] && !bounds[1])
    return n.set(0, x);
  FailureOr<GraphValue> y = convert(n, x, wide);
  if (failed(y))
    return failure();
  SmallVector<GraphValue *> operands{&*y};
  for (std::optional<GraphValue> &bound : bounds)
    if (bound)
      operands.push_back(&*bound);
  y = elementwise(n, operands, wide, [&](Scalars &s, ValueRange args) {
    Value v = args[0];
    if (bounds[0])
      v = s.max(v, args[1]);
    if (bounds[1])
      v = s.min(v, args.back());
    return v;
  });
  if (succeeded(y))
    y = convert(n, *y, x.element);
  return failed(y) ? failure() : n.set(0, *y);
}

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

static LogicalResult castTo(NodeImporter &n, Type type) {
  GraphValue &x = n.in(0);
  // The integer evaluator keeps the values of integers of another type.
  bool keepsIntegers =
      (type.isSignlessInteger(64) || type.isSignlessInteger(32)) &&
      n.knowsIntegers(x);
  if (keepsIntegers && !x.value && !x.constant) {
    GraphValue y = x;
    y.element = type;
    return n.set(0, std::move(y));
  }
  if (std::optional<GraphValue> numbers = foldCast(n, type))
    return n.set(0, *numbers);
  FailureOr<GraphValue> y = convert(n, x, type);
  if (failed(y))
    return failure();
  if (keepsIntegers)
    y->integers = x.integers;
  if (x.isByte() && type.isF32())
    y->stored = n.tensor(x);
  if (y->isFloat() && n.knowsIntegers(x) && x.integers->size() == 1)
    y->whole = x.integers->front();
  return n.set(0, *y);
}

LogicalResult onnx::importCast(NodeImporter &n) {
  int32_t to = n.getInt("to", 0);
  Type type = elementType(to, n.b.getContext());
  if (!type)
    return n.refuse() << "casts to " << dataTypeName(to)
                      << ", which is not supported; cast to float32 or int32";
  return castTo(n, type);
}

LogicalResult onnx::importCastLike(NodeImporter &n) {
  return castTo(n, n.in(1).element);
}
