//===- EmitConversion.cpp - Conversion of elements ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include <cstring>

using namespace mlir;
using namespace qcc;
using namespace qcc::frontend;

Type frontend::signless(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSignless())
    return type;
  return IntegerType::get(type.getContext(), integer.getWidth());
}

Value frontend::convertScalar(Scalars &s, Value x, Type from, Type to) {
  Type type = signless(to);
  bool isFromFloat = isa<FloatType>(from), isToFloat = isa<FloatType>(to);
  bool isFromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  unsigned width = from.getIntOrFloatBitWidth(),
           wanted = to.getIntOrFloatBitWidth();
  if (signless(from) == type)
    return x;
  if (to.isInteger(1)) {
    Value zero = s.constant(x.getType(), 0);
    return isFromFloat ? Value(arith::CmpFOp::create(
                             s.b, s.loc, arith::CmpFPredicate::UNE, x, zero))
                       : Value(arith::CmpIOp::create(
                             s.b, s.loc, arith::CmpIPredicate::ne, x, zero));
  }
  if (isFromFloat && isToFloat) {
    if (width < wanted)
      return arith::ExtFOp::create(s.b, s.loc, type, x);
    if (width > wanted)
      return arith::TruncFOp::create(s.b, s.loc, type, x);
    // Between float16 and bfloat16.
    Value wide = arith::ExtFOp::create(s.b, s.loc, s.b.getF32Type(), x);
    return arith::TruncFOp::create(s.b, s.loc, type, wide);
  }
  if (isFromFloat)
    return to.isUnsignedInteger()
               ? Value(arith::FPToUIOp::create(s.b, s.loc, type, x))
               : Value(arith::FPToSIOp::create(s.b, s.loc, type, x));
  if (isToFloat)
    return isFromUnsigned ? Value(arith::UIToFPOp::create(s.b, s.loc, type, x))
                          : Value(arith::SIToFPOp::create(s.b, s.loc, type, x));
  if (width > wanted)
    return arith::TruncIOp::create(s.b, s.loc, type, x);
  return isFromUnsigned ? Value(arith::ExtUIOp::create(s.b, s.loc, type, x))
                        : Value(arith::ExtSIOp::create(s.b, s.loc, type, x));
}

/// uint8 of floats that are integers from 0 to 255, or beyond and saturated.
static GraphValue toUnsigned(GraphBuilder &n, GraphValue &x, Type type) {
  Value one = constantFloats(n, {1.0f}, {});
  Value result =
      qnn::QuantizeOp::create(n.b, n.loc, n.type(type, x.shape), n.tensor(x),
                              one, Value(), IntegerAttr(), UnitAttr());
  return toGraphValue(result, x.shape);
}

static GraphValue fromUnsigned(GraphBuilder &n, GraphValue &x) {
  Value one = constantFloats(n, {1.0f}, {});
  Value result =
      qnn::DequantizeOp::create(n.b, n.loc, n.type(n.b.getF32Type(), x.shape),
                                n.tensor(x), one, Value(), IntegerAttr());
  return toGraphValue(result, x.shape);
}

/// A number in another type of its kind: a float rounded once, an integer with
/// the lowest bits that it has.
static APInt convertBits(const APInt &bits, Type from, Type to) {
  auto real = dyn_cast<FloatType>(from);
  if (!real)
    return from.isUnsignedInteger()
               ? bits.zextOrTrunc(to.getIntOrFloatBitWidth())
               : bits.sextOrTrunc(to.getIntOrFloatBitWidth());
  APFloat value(real.getFloatSemantics(), bits);
  bool isInexact = false;
  value.convert(cast<FloatType>(to).getFloatSemantics(),
                APFloat::rmNearestTiesToEven, &isInexact);
  return value.bitcastToAPInt();
}

/// Constants in another type of their kind. PyTorch writes scales in float64
/// and zero points in int64 and casts them, and they have to be known. Large
/// constants are left to the compiler.
static std::optional<GraphValue> convertConstant(const GraphValue &x,
                                                 Type type) {
  constexpr size_t mostBytes = 1 << 20;
  bool isFloat = isa<FloatType>(type);
  if (!x.constant || x.isFloat() != isFloat || x.isBool() || type.isInteger(1))
    return std::nullopt;
  std::optional<ConstantData> data = ConstantData::get(x.constant);
  auto sizes = knownSizes(x.shape);
  if (!data || !sizes || data->bytes.empty() || data->bytes.size() > mostBytes)
    return std::nullopt;
  unsigned from = x.element.getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  SmallVector<char> bytes;
  for (size_t at = 0; at < data->bytes.size(); at += from / 8) {
    uint64_t bits = 0;
    memcpy(&bits, data->bytes.data() + at, from / 8);
    uint64_t result =
        convertBits(APInt(from, bits), x.element, type).getZExtValue();
    auto *begin = reinterpret_cast<const char *>(&result);
    bytes.append(begin, begin + to / 8);
  }
  GraphValue y;
  y.element = type;
  y.shape = x.shape;
  y.constant =
      makeConstant(RankedTensorType::get(*sizes, type), bytes, "constant");
  return y;
}

FailureOr<GraphValue> frontend::convert(GraphBuilder &n, GraphValue &x,
                                        Type type) {
  if (x.element == type)
    return x;
  if (std::optional<GraphValue> constant = convertConstant(x, type))
    return *constant;
  auto scalarwise = [&](GraphValue &from, Type to) {
    return elementwise(n, {&from}, to, [&](Scalars &s, ValueRange args) {
      return convertScalar(s, args[0], from.element, to);
    });
  };
  Type f32 = n.b.getF32Type();
  if (x.isUnsigned()) {
    GraphValue real = fromUnsigned(n, x);
    if (type.isF32())
      return real;
    if (!type.isInteger(8))
      return scalarwise(real, type);
    // The lowest bits, where a float would saturate.
    FailureOr<GraphValue> wide = scalarwise(real, n.b.getI32Type());
    return failed(wide) ? wide : scalarwise(*wide, type);
  }
  if (!type.isUnsignedInteger())
    return scalarwise(x, type);
  // Integers wrap, floats saturate.
  FailureOr<GraphValue> real =
      elementwise(n, {&x}, f32, [&](Scalars &s, ValueRange args) -> Value {
        Value v = args[0];
        if (isa<FloatType>(v.getType())) {
          if (v.getType() != f32)
            v = convertScalar(s, v, v.getType(), f32);
          return math::TruncOp::create(s.b, s.loc, v);
        }
        if (!v.getType().isInteger(1)) {
          Value mask = s.constant(v.getType(), 255);
          if (v.getType().getIntOrFloatBitWidth() > 8)
            v = arith::AndIOp::create(s.b, s.loc, v, mask);
          else
            v = arith::ExtUIOp::create(s.b, s.loc, s.b.getI32Type(), v);
        }
        return arith::UIToFPOp::create(s.b, s.loc, f32, v);
      });
  if (failed(real))
    return failure();
  return toUnsigned(n, *real, type);
}

FailureOr<GraphValue> frontend::bitsOfBytes(GraphBuilder &n,
                                            GraphValue &bytes) {
  return convert(n, bytes, n.b.getI8Type());
}

FailureOr<GraphValue> frontend::bytesOfBits(GraphBuilder &n, GraphValue &bits) {
  auto wide = elementwise(
      n, {&bits}, n.b.getI32Type(), [](Scalars &s, ValueRange x) -> Value {
        return arith::ExtUIOp::create(s.b, s.loc, s.b.getI32Type(), x[0]);
      });
  if (failed(wide))
    return failure();
  return convert(n, *wide, n.b.getIntegerType(8, /*isSigned=*/false));
}
