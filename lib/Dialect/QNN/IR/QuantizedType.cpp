//===- QuantizedType.cpp - Types of quantized values ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/QNN/IR/QuantizedType.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;
using namespace qcc::qnn;

Type qcc::qnn::getQuantizedType(const QuantParams &params,
                                MLIRContext *context) {
  using Kind = QuantParams::Kind;
  if (params.width != 8 || !params.isScaleConstant ||
      !params.isZeroPointConstant || params.scaleKind == Kind::PerRow ||
      params.zeroPointKind == Kind::PerRow)
    return {};
  unsigned flags = params.isSigned ? quant::QuantizationFlags::Signed : 0;
  Type storage = IntegerType::get(context, params.width),
       real = Float32Type::get(context);
  SmallVector<double> scales(params.scales.begin(), params.scales.end());
  SmallVector<int64_t> zeroPoints(params.zeroPoints.begin(),
                                  params.zeroPoints.end());
  if (params.scaleKind == Kind::PerTensor &&
      params.zeroPointKind == Kind::PerTensor)
    return quant::UniformQuantizedType::get(flags, storage, real,
                                            scales.front(), zeroPoints.front(),
                                            params.qmin, params.qmax);
  size_t channels = std::max(scales.size(), zeroPoints.size());
  if (params.scaleKind == Kind::PerTensor)
    scales.assign(channels, scales.front());
  if (params.zeroPointKind == Kind::PerTensor)
    zeroPoints.assign(channels, zeroPoints.front());
  return quant::UniformQuantizedPerAxisType::get(
      flags, storage, real, scales, zeroPoints, int32_t(params.axis),
      params.qmin, params.qmax);
}
