//===- QNNOps.cpp - Elementwise qnn ops -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of tensors, row by row; elementwise ops, and what a
// dequantized value carries for N3.
//
//===----------------------------------------------------------------------===//

#include "QNNContraction.h"
#include "QNNElementwise.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::reference;
using Kind = qnn::QuantParams::Kind;

llvm::Expected<RuntimeParams::Values>
RuntimeParams::layout(Operation *op, Kind kind, const qnn::QuantParams &params,
                      size_t count, const std::vector<int64_t> &shape) {
  int64_t axis = params.axis, groupSize = params.groupSize;
  Values values;
  values.kind = kind;
  int64_t rank = shape.size(), expected = 1;
  if (kind == Kind::PerChannel) {
    expected = values.channels = shape[axis];
    if (axis == rank - 1) {
      values.elementStride = 1;
    } else {
      values.channelStride = 1;
      for (int64_t d = axis + 1; d < rank - 1; ++d)
        values.channelStride *= shape[d];
    }
  } else if (kind == Kind::PerRow || kind == Kind::PerGroup) {
    values.rowStride = kind == Kind::PerGroup ? shape[rank - 1] / groupSize : 1;
    expected = values.rowStride;
    for (int64_t d = 0; d < rank - 1; ++d)
      expected *= shape[d];
    values.elementStride = kind == Kind::PerGroup;
  }
  // An empty tensor has no channels to divide by.
  values.channels = std::max<int64_t>(1, values.channels);
  if (values.channelStride == 0 && kind == Kind::PerChannel && axis != rank - 1)
    values.channelStride = 1;
  if (static_cast<int64_t>(count) != expected)
    return failure(op, "has " + llvm::Twine(count) +
                           " scales or zero points where its tensor needs " +
                           llvm::Twine(expected));
  return values;
}

llvm::Expected<RuntimeParams>
RuntimeParams::get(Operation *op, const qnn::QuantParams &params,
                   const std::vector<int64_t> &shape,
                   const Evaluator &evaluator, const Env &env) {
  RuntimeParams result;
  result.params = params;
  auto read = [&](Value operand, auto append) {
    const RtValue &value = evaluator.valueOf(operand, env);
    if (!isa<RankedTensorType>(operand.getType()))
      return append(value.scalar);
    for (int64_t i = 0, e = value.tensor.count(); i < e; ++i)
      append(value.tensor.get(i));
  };
  if (params.scale)
    read(params.scale,
         [&](Scalar scalar) { result.scales.push_back(scalar.f); });
  else
    result.scales.assign(params.scales.begin(), params.scales.end());
  if (params.zeroPoint) {
    bool isByte =
        getElementTypeOrSelf(params.zeroPoint.getType()).isUnsignedInteger();
    read(params.zeroPoint, [&](Scalar scalar) {
      result.zeroPoints.push_back(isByte ? scalar.i & 0xff : scalar.i);
    });
  } else {
    result.zeroPoints.assign(params.zeroPoints.begin(),
                             params.zeroPoints.end());
  }
  llvm::Expected<Values> scales =
      layout(op, params.scaleKind, params, result.scales.size(), shape);
  if (!scales)
    return scales.takeError();
  llvm::Expected<Values> zeroPoints =
      layout(op, params.zeroPointKind, params, result.zeroPoints.size(), shape);
  if (!zeroPoints)
    return zeroPoints.takeError();
  result.scaleLayout = *scales;
  result.zeroPointLayout = *zeroPoints;
  return result;
}

RowParams RuntimeParams::row(int64_t row) const {
  return {scales.data() + scaleLayout.start(row), scaleLayout.elementStride,
          zeroPoints.data() + zeroPointLayout.start(row),
          zeroPointLayout.elementStride};
}

llvm::Error Elementwise::start() {
  llvm::SmallVector<qnn::QuantTensor> tensors = op.getTensors();
  for (const qnn::QuantTensor &tensor : llvm::drop_end(tensors))
    operands.push_back(&valueOf(tensor.value));
  shape.assign(operand(0).rank(), 1);
  for (auto [t, tensor] : llvm::enumerate(operands))
    for (size_t d = 0; d < shape.size(); ++d)
      if (!op.isBroadcast(t, d))
        shape[d] = tensor->shape[d];
  for (auto [t, tensor] : llvm::enumerate(operands))
    for (size_t d = 0; d < shape.size(); ++d)
      if (!op.isBroadcast(t, d) && tensor->shape[d] != shape[d])
        return failure(op, "operands have different shapes");
  for (auto [t, tensor] : llvm::enumerate(tensors)) {
    places.push_back(placesOf(t));
    tensorParams.emplace_back();
    if (!tensor.isQuantized())
      continue;
    llvm::Expected<RuntimeParams> params = RuntimeParams::get(
        op, tensor.getParams(),
        t < operands.size() ? operands[t]->shape : shape, evaluator, env);
    if (!params)
      return params.takeError();
    tensorParams.back() = std::move(*params);
  }
  llvm::Expected<Tensor> allocated =
      evaluator.allocate(op, tensors.back().getType(), shape);
  if (!allocated)
    return allocated.takeError();
  result = std::move(*allocated);
  return llvm::Error::success();
}

Elementwise::Places Elementwise::placesOf(unsigned tensor) {
  Places places;
  int64_t rank = shape.size(), stride = 1;
  if (rank == 0)
    return places;
  bool isColumn = op.isBroadcast(tensor, rank - 1);
  places.elementStride = isColumn ? 0 : 1;
  places.length = isColumn ? 1 : shape.back();
  places.rowStrides.assign(rank - 1, 0);
  for (int64_t d = rank - 2; d >= 0; --d)
    if (!op.isBroadcast(tensor, d)) {
      places.rowStrides[d] = stride;
      stride *= shape[d];
    }
  return places;
}

int64_t Elementwise::rowOf(const Places &tensor, int64_t row) const {
  int64_t own = 0;
  for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d) {
    own += row % shape[d] * tensor.rowStrides[d];
    row /= shape[d];
  }
  return own;
}

/// The parts of the result of qnn.dequantize that N3 needs.
static llvm::Expected<std::shared_ptr<const Dequantized>>
dequantizedParts(qnn::DequantizeOp op, const Elementwise &run) {
  const RuntimeParams &params = run.params(0);
  const qnn::QuantParams &description = params.description();
  auto parts = std::make_shared<Dequantized>();
  parts->maxDifference = description.getMaxDifference();
  auto type = cast<RankedTensorType>(op.getInput().getType());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    bool differs =
        description.scaleKind == Kind::PerChannel
            ? d == description.axis
            : description.scaleKind == Kind::PerRow && d + 1 < type.getRank();
    parts->varies.push_back(differs && type.getDimSize(d) != 1);
  }
  bool perTensor = description.scaleKind == Kind::PerTensor;
  parts->difference = Tensor::zeros(Elem::integer(32), run.shape);
  parts->scale = Tensor::zeros(Elem::single(),
                               perTensor ? std::vector<int64_t>() : run.shape);
  if (!parts->difference.data || !parts->scale.data)
    return failure(op, "not enough memory");
  if (perTensor)
    *parts->scale.as<float>() = params.row(0).scale(0);
  const Tensor &input = run.operand(0);
  forRows(run.threads(), run.shape,
          [&](int64_t row, int64_t first, int64_t length) {
            RowParams rowParams = params.row(row);
            for (int64_t i = 0; i < length; ++i) {
              parts->difference.as<int32_t>()[first + i] = static_cast<int32_t>(
                  params.stored(input, first + i) - rowParams.zeroPoint(i));
              if (!perTensor)
                parts->scale.as<float>()[first + i] = rowParams.scale(i);
            }
          });
  return parts;
}

static llvm::Expected<RtValue>
evaluateElementwise(qnn::ElementwiseOpInterface op, const Evaluator &evaluator,
                    const Env &env) {
  Elementwise run(op, evaluator, env);
  if (llvm::Error error = run.start())
    return std::move(error);
  if (!evaluateFormula(run))
    return failure(op, "has no formula in the reference interpreter");
  RtValue value(run.result);
  // A bias or an accumulator is no dequantized value (N3).
  auto dequantize = dyn_cast<qnn::DequantizeOp>(op.getOperation());
  if (!dequantize || run.params(0).description().width != 8)
    return value;
  llvm::Expected<std::shared_ptr<const Dequantized>> parts =
      dequantizedParts(dequantize, run);
  if (!parts)
    return parts.takeError();
  value.dequantized = *parts;
  return value;
}

llvm::Error Evaluator::evaluateQNN(Operation *op, Env &env, bool &known) {
  auto bind = [&](llvm::Expected<RtValue> value) -> llvm::Error {
    known = true;
    if (!value)
      return value.takeError();
    env.set(op->getResult(0), std::move(*value));
    return llvm::Error::success();
  };
  if (auto linear = dyn_cast<qnn::LinearOp>(op))
    return bind(evaluateLinear(linear, *this, env));
  if (auto matmul = dyn_cast<qnn::MatmulOp>(op))
    return bind(evaluateMatmul(matmul, *this, env));
  if (auto convolution = dyn_cast<qnn::Conv2DOp>(op))
    return bind(evaluateConv2D(convolution, *this, env));
  if (auto convolution = dyn_cast<qnn::ConvTranspose2DOp>(op))
    return bind(evaluateConvTranspose2D(convolution, *this, env));
  if (auto pool = dyn_cast<qnn::MaxPool2DOp>(op))
    return bind(evaluateMaxPool(pool, *this, env));
  if (auto pool = dyn_cast<qnn::AvgPool2DOp>(op))
    return bind(evaluateAvgPool(pool, *this, env));
  if (auto resize = dyn_cast<qnn::ResizeOp>(op))
    return bind(evaluateResize(resize, *this, env));
  if (auto elementwise = dyn_cast<qnn::ElementwiseOpInterface>(op))
    return bind(evaluateElementwise(elementwise, *this, env));
  known = false;
  return llvm::Error::success();
}
