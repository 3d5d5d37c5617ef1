//===- WideQuantization.cpp - Quantization to 16 bits ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No kernel multiplies integers of 16 bits: they are computed with as floats.
// Constants are dequantized when they are imported.
//
//===----------------------------------------------------------------------===//

#include "WideQuantization.h"
#include "../../Builder/Constants.h"
#include "../Ops.h"
#include "Quantization.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include <cstring>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

namespace {
/// Parameters that broadcast to the value.
struct WideParams {
  GraphValue scale;
  std::optional<GraphValue> zero;
};
} // namespace

/// The parameters of `x`, the stored integers or their type and shape.
static FailureOr<WideParams> readWideParams(NodeImporter &n,
                                            const GraphValue &x) {
  FailureOr<QuantParams> params = readQuantParams(n, x, 1, 2);
  if (failed(params))
    return failure();
  Shape own, wide;
  if (params->axis) {
    int64_t axis = params->axis.getInt();
    own.push_back(x.shape[axis]);
    wide.assign(x.rank() - axis, n.size(1));
    wide.front() = own.front();
  }
  auto spread = [&](Value param) {
    GraphValue value = toGraphValue(param, own);
    return reshape(n, value, wide);
  };
  WideParams result{spread(params->scale), std::nullopt};
  if (params->zeroPoint)
    result.zero = spread(params->zeroPoint);
  return result;
}

LogicalResult onnx::quantizeWide(NodeImporter &n, GraphValue &x,
                                 bool isUnsigned) {
  // The result has the type of the zero point.
  GraphValue stored;
  stored.shape = x.shape;
  stored.element = n.b.getIntegerType(isUnsigned ? 32 : 16);
  stored.isUInt16 = isUnsigned;
  FailureOr<WideParams> params = readWideParams(n, stored);
  FailureOr<GraphValue> real = convert(n, x, n.b.getF32Type());
  if (failed(params) || failed(real))
    return failure();
  SmallVector<GraphValue *> operands{&*real, &params->scale};
  GraphValue zero;
  if (params->zero) {
    FailureOr<GraphValue> exact = convert(n, *params->zero, n.b.getF32Type());
    if (failed(exact))
      return failure();
    zero = *exact;
    operands.push_back(&zero);
  }
  double least = isUnsigned ? 0 : -32768;
  auto body = [&](Scalars &s, ValueRange args) -> Value {
    Type f32 = args[0].getType();
    Value none = s.constant(f32, 0), z = args.size() > 2 ? args[2] : none;
    Value v = s.div(args[0], args[1]);
    v = s.select(s.equal(v, v), v, none);
    // Bounds and sums of these are exact.
    Value low = s.sub(s.constant(f32, least), z),
          high = s.sub(s.constant(f32, least + 65535), z);
    v = s.min(s.max(v, low), high);
    return s.add(math::RoundEvenOp::create(s.b, s.loc, v), z);
  };
  FailureOr<GraphValue> rounded =
      elementwise(n, operands, n.b.getF32Type(), body);
  if (failed(rounded))
    return failure();
  FailureOr<GraphValue> y =
      convert(n, *rounded, n.b.getIntegerType(isUnsigned ? 32 : 16));
  if (failed(y))
    return failure();
  y->isUInt16 = isUnsigned;
  return n.set(0, *y);
}

//===----------------------------------------------------------------------===//
// DequantizeLinear
//===----------------------------------------------------------------------===//

/// The elements of a constant of int16 or int32.
static std::optional<SmallVector<int32_t>> readElements(const GraphValue &x) {
  std::optional<ConstantData> data = ConstantData::get(x.constant);
  if (!data)
    return std::nullopt;
  size_t width = x.element.getIntOrFloatBitWidth() / 8;
  SmallVector<int32_t> elements;
  elements.reserve(data->bytes.size() / width);
  for (size_t at = 0; at < data->bytes.size(); at += width) {
    int16_t narrow = 0;
    int32_t wide = 0;
    if (width == 2) {
      std::memcpy(&narrow, &data->bytes[at], width);
      wide = narrow;
    } else {
      std::memcpy(&wide, &data->bytes[at], width);
    }
    elements.push_back(wide);
  }
  return elements;
}

/// The constant of float32 of a constant whose parameters are constants;
/// nothing otherwise. The parameters are valid, and `axis` is negative where
/// they are one for the tensor.
static std::optional<GraphValue>
dequantizeConstant(NodeImporter &n, const GraphValue &x, int64_t axis) {
  if (!x.constant || !n.in(1).constant || (n.has(2) && !n.in(2).constant))
    return std::nullopt;
  auto elements = readElements(x);
  auto scales = Constants::readFloats(n.in(1));
  if (!elements || !scales)
    return std::nullopt;
  SmallVector<int32_t> zeros(scales->size(), 0);
  if (n.has(2)) {
    auto given = readElements(n.in(2));
    if (!given || given->size() != scales->size())
      return std::nullopt;
    zeros = *given;
  }
  int64_t inner = 1;
  for (int64_t d = axis + 1; axis >= 0 && d < x.rank(); ++d)
    inner *= *knownSize(x.shape[d]);
  std::vector<float> reals(elements->size());
  for (size_t i = 0; i < reals.size(); ++i) {
    size_t channel = axis < 0 ? 0 : i / inner % scales->size();
    reals[i] = static_cast<float>((*elements)[i] - zeros[channel]) *
               (*scales)[channel];
  }
  n.evict(x.constant);
  ArrayRef<char> bytes(reinterpret_cast<const char *>(reals.data()),
                       reals.size() * sizeof(float));
  return Constants::toValue(n.b, makeConstant(n.type(n.b.getF32Type(), x.shape),
                                              bytes, "dequantized"));
}

LogicalResult onnx::dequantizeWide(NodeImporter &n, Type element) {
  GraphValue &x = n.in(0);
  FailureOr<QuantParams> valid = readQuantParams(n, x, 1, 2);
  if (failed(valid))
    return failure();
  FailureOr<GraphValue> real = failure();
  if (auto known =
          dequantizeConstant(n, x, valid->axis ? valid->axis.getInt() : -1)) {
    real = *known;
  } else {
    FailureOr<WideParams> params = readWideParams(n, x);
    if (failed(params))
      return failure();
    SmallVector<GraphValue *> operands{&x, &params->scale};
    if (params->zero)
      operands.push_back(&*params->zero);
    Type f32 = n.b.getF32Type();
    real = elementwise(n, operands, f32, [&](Scalars &s, ValueRange args) {
      auto widen = [&](Value q) -> Value {
        if (q.getType().isInteger(32))
          return q;
        return arith::ExtSIOp::create(s.b, s.loc, s.b.getI32Type(), q);
      };
      Value q = widen(args[0]);
      if (args.size() > 2)
        q = s.sub(q, widen(args[2]));
      return s.mul(arith::SIToFPOp::create(s.b, s.loc, f32, q), args[1]);
    });
  }
  if (failed(real))
    return failure();
  FailureOr<GraphValue> y = convert(n, *real, element);
  return failed(y) ? failure() : n.set(0, *y);
}
