//===- Quantization.cpp - QUANTIZE, DEQUANTIZE and CAST -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Ops.h"
#include "../Quantized.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

static bool isNarrow(Type type) {
  return type.isInteger(8) || type.isInteger(16);
}

LogicalResult tflite::importQuantize(OpImporter &n) {
  GraphValue &x = n.in(0);
  Type type = n.resultElement();
  auto to = n.resultAffine();
  if (failed(to))
    return failure();
  if (!type || !isNarrow(type))
    return n.refuse() << "makes integers of type " << typeName(n.result().type)
                      << ", which is not supported; use int8 or int16";
  StoredRange range = rangeOf(type);
  if (!x.isFloat()) {
    auto from = n.affine(0);
    if (failed(from))
      return failure();
    Multiplier m =
        quantizeMultiplier(n, static_cast<double>(from->scale) / to->scale);
    auto result = elementwise(n, {&x}, type, [&](Scalars &s, ValueRange args) {
      Value scaled = multiply(s, widen(s, args[0], from->zeroPoint), m);
      return narrow(s, scaled, type, to->zeroPoint, range);
    });
    return failed(result) ? failure() : n.set(*result);
  }
  auto result =
      elementwise(n, {&x}, type, [&](Scalars &s, ValueRange args) -> Value {
        Type real = args[0].getType();
        Value scaled = math::RoundOp::create(
            s.b, s.loc, s.div(args[0], s.constant(real, to->scale)));
        // Before the conversion, which would not hold every float.
        StoredRange moved{range.least - to->zeroPoint,
                          range.most - to->zeroPoint};
        Value whole = arith::FPToSIOp::create(s.b, s.loc, s.b.getI32Type(),
                                              clamp(s, scaled, moved));
        Value stored = s.add(whole, s.constant(whole.getType(), to->zeroPoint));
        return arith::TruncIOp::create(s.b, s.loc, type, stored);
      });
  return failed(result) ? failure() : n.set(*result);
}

/// Integers with a scale for each element of a dimension.
static LogicalResult dequantizeChannels(OpImporter &n) {
  const TensorInfo &info = n.info(0);
  GraphValue &x = n.in(0);
  if (llvm::any_of(info.zeroPoints, [](int64_t z) { return z != 0; }) ||
      info.type == fb::TensorType_UInt8)
    return n.refuse() << "has zero points for channels, which are not "
                         "supported; quantize symmetrically";
  SmallVector<int64_t> sizes(x.rank() - info.axis, 1);
  sizes[0] = static_cast<int64_t>(info.scales.size());
  GraphValue scales =
      toGraphValue(constantFloats(n, info.scales, sizes), n.shape(sizes));
  auto result = elementwise(n, {&x, &scales}, n.b.getF32Type(),
                            [](Scalars &s, ValueRange args) -> Value {
                              Value real = arith::SIToFPOp::create(
                                  s.b, s.loc, s.b.getF32Type(), args[0]);
                              return s.mul(real, args[1]);
                            });
  return failed(result) ? failure() : n.set(*result);
}

LogicalResult tflite::importDequantize(OpImporter &n) {
  GraphValue &x = n.in(0);
  Type real = n.b.getF32Type();
  if (x.isFloat()) {
    auto result = convert(n, x, real);
    return failed(result) ? failure() : n.set(*result);
  }
  if (!isNarrow(x.element))
    return n.refuse() << "takes integers of type " << typeName(n.info(0).type)
                      << ", which is not supported; use int8 or int16";
  if (n.info(0).scales.size() > 1)
    return dequantizeChannels(n);
  auto from = n.affine(0);
  if (failed(from))
    return failure();
  auto result =
      elementwise(n, {&x}, real, [&](Scalars &s, ValueRange args) -> Value {
        Value stored = widen(s, args[0], from->zeroPoint);
        return s.mul(arith::SIToFPOp::create(s.b, s.loc, real, stored),
                     s.constant(real, from->scale));
      });
  return failed(result) ? failure() : n.set(*result);
}

LogicalResult tflite::importCast(OpImporter &n) {
  GraphValue x = n.in(0);
  bool fromByte = n.info(0).type == fb::TensorType_UInt8,
       toByte = n.result().type == fb::TensorType_UInt8;
  Type type = n.resultElement();
  if (!type)
    return n.refuse() << "makes elements of type " << typeName(n.result().type)
                      << ", which are not supported; use float32, int32 or "
                         "int8";
  // uint8 is less by 128 here.
  auto move = [&](GraphValue &value, int64_t by) {
    return elementwise(
        n, {&value}, n.b.getI32Type(), [&](Scalars &s, ValueRange args) {
          Value wide =
              convertScalar(s, args[0], value.element, s.b.getI32Type());
          return s.add(wide, s.constant(wide.getType(), by));
        });
  };
  if (fromByte)
    x = *move(x, 128);
  if (toByte)
    x = *move(x, -128);
  auto result = convert(n, x, type);
  return failed(result) ? failure() : n.set(*result);
}
