//===- QNNOps.cpp - Elementwise qnn ops -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// N5 and N6, and what a dequantized value carries for N3.
//
//===----------------------------------------------------------------------===//

#include "QNNParams.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::reference;
using Kind = qnn::QuantParams::Kind;

llvm::Expected<RuntimeParams::Values>
RuntimeParams::layout(Operation *op, Kind kind, int64_t axis, size_t count,
                      const std::vector<int64_t> &shape) {
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
  } else if (kind == Kind::PerRow) {
    values.rowStride = 1;
    for (int64_t d = 0; d < rank - 1; ++d)
      expected *= shape[d];
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
      layout(op, params.scaleKind, params.axis, result.scales.size(), shape);
  if (!scales)
    return scales.takeError();
  llvm::Expected<Values> zeroPoints = layout(
      op, params.zeroPointKind, params.axis, result.zeroPoints.size(), shape);
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

static Scalar integer(int64_t value) {
  Scalar scalar;
  scalar.i = value;
  return scalar;
}
static Scalar number(float value) {
  Scalar scalar;
  scalar.f = value;
  return scalar;
}

namespace {

/// What the elementwise ops have in common: operand tensors, parameters and a
/// result of the shape of the first operand.
class Elementwise {
public:
  Elementwise(Operation *op, const Evaluator &evaluator, const Env &env)
      : op(op), evaluator(evaluator), env(env) {}

  llvm::Error start() {
    shape = operand(0).shape;
    llvm::Expected<Tensor> allocated =
        evaluator.allocate(op, op->getResult(0).getType(), shape);
    if (!allocated)
      return allocated.takeError();
    result = std::move(*allocated);
    return llvm::Error::success();
  }
  const Tensor &operand(unsigned i) const {
    return evaluator.valueOf(op->getOperand(i), env).tensor;
  }
  llvm::Expected<RuntimeParams> params(const qnn::QuantParams &of) const {
    return RuntimeParams::get(op, of, shape, evaluator, env);
  }
  /// Sets every element to value(element, index in its row, parameters...).
  template <typename Value, typename... Params>
  void fill(Value value, const Params &...params) {
    forRows(evaluator.threads, shape,
            [&](int64_t row, int64_t first, int64_t length) {
              fillRow(first, length, value, params.row(row)...);
            });
  }

  Operation *op;
  const Evaluator &evaluator;
  const Env &env;
  std::vector<int64_t> shape;
  Tensor result;

private:
  template <typename Value, typename... Rows>
  void fillRow(int64_t first, int64_t length, Value value,
               const Rows &...rows) {
    for (int64_t i = 0; i < length; ++i)
      result.set(first + i, value(first + i, i, rows...));
  }
};

} // namespace

static llvm::Expected<RtValue> evaluateQuantize(qnn::QuantizeOp op,
                                                Elementwise &run) {
  llvm::Expected<RuntimeParams> params = run.params(op.getResultParams());
  if (!params)
    return params.takeError();
  const Tensor &input = run.operand(0);
  bool before = op.getZeroPointBeforeRounding();
  run.fill(
      [&](int64_t at, int64_t i, const RowParams &row) {
        return integer(quantize(input.get(at).f, row.scale(i), row.zeroPoint(i),
                                params->range(), before));
      },
      *params);
  return RtValue(run.result);
}

/// The parts of the result of qnn.dequantize that N3 needs.
static llvm::Expected<std::shared_ptr<const Dequantized>>
dequantizedParts(qnn::DequantizeOp op, Elementwise &run,
                 const RuntimeParams &params) {
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
  forRows(run.evaluator.threads, run.shape,
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

static llvm::Expected<RtValue> evaluateDequantize(qnn::DequantizeOp op,
                                                  Elementwise &run) {
  llvm::Expected<RuntimeParams> params = run.params(op.getInputParams());
  if (!params)
    return params.takeError();
  const Tensor &input = run.operand(0);
  bool isByte = params->description().width == 8;
  run.fill(
      [&](int64_t at, int64_t i, const RowParams &row) {
        int64_t q = isByte ? params->stored(input, at) : input.get(at).i;
        return number(scaled(q - row.zeroPoint(i), row.scale(i)));
      },
      *params);
  RtValue value(run.result);
  if (!isByte)
    return value;
  llvm::Expected<std::shared_ptr<const Dequantized>> parts =
      dequantizedParts(op, run, *params);
  if (!parts)
    return parts.takeError();
  value.dequantized = *parts;
  return value;
}

static llvm::Expected<RtValue> evaluateRequantize(qnn::RequantizeOp op,
                                                  Elementwise &run) {
  llvm::Expected<RuntimeParams> from = run.params(op.getInputParams());
  if (!from)
    return from.takeError();
  llvm::Expected<RuntimeParams> to = run.params(op.getResultParams());
  if (!to)
    return to.takeError();
  const Tensor &input = run.operand(0);
  bool isByte = from->description().width == 8;
  run.fill(
      [&](int64_t at, int64_t i, const RowParams &x, const RowParams &y) {
        int64_t q = isByte ? from->stored(input, at) : input.get(at).i;
        float v = scaled(q - x.zeroPoint(i), x.scale(i) / y.scale(i));
        return integer(roundAndSaturate(v, y.zeroPoint(i), to->range()));
      },
      *from, *to);
  return RtValue(run.result);
}

/// qnn.add and qnn.mul; combine(a - za, sa, b - zb, sb, sy).
template <typename Op, typename Combine>
static llvm::Expected<RtValue> evaluateBinary(Op op, Elementwise &run,
                                              Combine combine) {
  llvm::Expected<RuntimeParams> lhs = run.params(op.getLhsParams());
  if (!lhs)
    return lhs.takeError();
  llvm::Expected<RuntimeParams> rhs = run.params(op.getRhsParams());
  if (!rhs)
    return rhs.takeError();
  llvm::Expected<RuntimeParams> to = run.params(op.getResultParams());
  if (!to)
    return to.takeError();
  const Tensor &a = run.operand(0), &b = run.operand(1);
  if (a.shape != b.shape)
    return failure(op, "operands have different shapes");
  run.fill(
      [&](int64_t at, int64_t i, const RowParams &x, const RowParams &w,
          const RowParams &y) {
        int32_t aDiff =
            static_cast<int32_t>(lhs->stored(a, at) - x.zeroPoint(i));
        int32_t bDiff =
            static_cast<int32_t>(rhs->stored(b, at) - w.zeroPoint(i));
        float v = combine(aDiff, x.scale(i), bDiff, w.scale(i), y.scale(i));
        return integer(roundAndSaturate(v, y.zeroPoint(i), to->range()));
      },
      *lhs, *rhs, *to);
  return RtValue(run.result);
}

static llvm::Expected<RtValue> evaluateClamp(qnn::ClampOp op,
                                             Elementwise &run) {
  llvm::Expected<RuntimeParams> params = run.params(op.getInputParams());
  if (!params)
    return params.takeError();
  const Tensor &input = run.operand(0);
  std::optional<float> low, high;
  if (auto bound = op.getMin())
    low = bound->convertToFloat();
  if (auto bound = op.getMax())
    high = bound->convertToFloat();
  StorageRange range = params->range();
  run.fill(
      [&](int64_t at, int64_t i, const RowParams &row) {
        int64_t q = params->stored(input, at);
        auto bound = [&](float real) {
          return quantize(real, row.scale(i), row.zeroPoint(i), range, false);
        };
        if (low)
          q = std::max(q, bound(*low));
        if (high)
          q = std::min(q, bound(*high));
        return integer(q);
      },
      *params);
  return RtValue(run.result);
}

static llvm::Expected<RtValue> evaluateLookup(qnn::LookupOp op,
                                              Elementwise &run) {
  const Tensor &input = run.operand(0), &table = run.operand(1);
  int64_t origin = input.elem.isUnsigned ? 0 : 128;
  run.fill([&](int64_t at, int64_t) {
    int64_t q = input.get(at).i;
    return table.get((origin ? q + origin : q & 0xff) & 0xff);
  });
  return RtValue(run.result);
}

static llvm::Expected<RtValue>
evaluateElementwise(Operation *op, const Evaluator &evaluator, const Env &env) {
  Elementwise run(op, evaluator, env);
  if (llvm::Error error = run.start())
    return std::move(error);
  if (auto quantizeOp = dyn_cast<qnn::QuantizeOp>(op))
    return evaluateQuantize(quantizeOp, run);
  if (auto dequantize = dyn_cast<qnn::DequantizeOp>(op))
    return evaluateDequantize(dequantize, run);
  if (auto requantize = dyn_cast<qnn::RequantizeOp>(op))
    return evaluateRequantize(requantize, run);
  if (auto add = dyn_cast<qnn::AddOp>(op))
    return evaluateBinary(
        add, run, [](int64_t a, float sa, int64_t b, float sb, float sy) {
          return fusedBias(a, sa / sy, scaled(b, sb / sy));
        });
  if (auto mul = dyn_cast<qnn::MulOp>(op))
    return evaluateBinary(
        mul, run, [](int64_t a, float sa, int64_t b, float sb, float sy) {
          return scaled(a * b, (sa * sb) / sy);
        });
  if (auto clamp = dyn_cast<qnn::ClampOp>(op))
    return evaluateClamp(clamp, run);
  return evaluateLookup(cast<qnn::LookupOp>(op), run);
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
  if (isa<qnn::QuantizeOp, qnn::DequantizeOp, qnn::RequantizeOp, qnn::AddOp,
          qnn::MulOp, qnn::ClampOp, qnn::LookupOp>(op))
    return bind(evaluateElementwise(op, *this, env));
  known = false;
  return llvm::Error::success();
}
