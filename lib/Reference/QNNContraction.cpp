//===- QNNContraction.cpp - qnn.linear and qnn.matmul ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// N2 into i32, then N3 or N6 by the type of the result; a float chain where an
// operand is a float that is not dequantized.
//
//===----------------------------------------------------------------------===//

#include "QNNContraction.h"
#include "Contraction.h"
#include <limits>

using namespace mlir;
using namespace qcc;
using namespace qcc::reference;

namespace {

/// One operand as rows whose elements are multiplied: integers with a scale per
/// row, or floats.
struct Side {
  const Tensor *tensor = nullptr;
  int64_t rows = 0;          ///< per batch
  int64_t rowStride = 0;     ///< between rows, in elements
  int64_t elementStride = 1; ///< between elements of a row
  // Exactly one of these, for a product of integers.
  std::optional<RuntimeParams> params;
  std::shared_ptr<const Dequantized> dequantized;

  int64_t offset(int64_t batch, int64_t row, int64_t k) const {
    return batch * rows * k + row * rowStride;
  }
  void packIntegers(int64_t batch, int64_t row, int64_t k, int64_t *to) const {
    int64_t at = offset(batch, row, k);
    if (dequantized) {
      const int32_t *from = dequantized->difference.as<int32_t>() + at;
      for (int64_t i = 0; i < k; ++i)
        to[i] = from[i * elementStride];
      return;
    }
    int64_t z = parameters(batch, row).zeroPoint(0);
    for (int64_t i = 0; i < k; ++i)
      to[i] = static_cast<int32_t>(
          params->stored(*tensor, at + i * elementStride) - z);
  }
  void packFloats(int64_t batch, int64_t row, int64_t k, float *to) const {
    const float *from = tensor->as<float>() + offset(batch, row, k);
    for (int64_t i = 0; i < k; ++i)
      to[i] = from[i * elementStride];
  }
  /// The elements of group `group`, of `size` elements, less their zero point.
  void packGroup(int64_t batch, int64_t row, int64_t k, int64_t group,
                 int64_t size, int64_t *to) const {
    int64_t at = offset(batch, row, k) + group * size;
    int64_t z = parameters(batch, row).zeroPoint(group);
    for (int64_t i = 0; i < size; ++i)
      to[i] = params->stored(*tensor, at + i) - z;
  }
  float groupScale(int64_t batch, int64_t row, int64_t group) const {
    return parameters(batch, row).scale(group);
  }
  float scale(int64_t batch, int64_t row, int64_t k) const {
    if (!dequantized)
      return parameters(batch, row).scale(0);
    if (dequantized->isPerTensor())
      return *dequantized->scale.as<float>();
    return dequantized->scale.as<float>()[offset(batch, row, k)];
  }

private:
  /// Columns of a right operand that is not transposed share one set.
  RowParams parameters(int64_t batch, int64_t row) const {
    return params->row(elementStride == 1 ? batch * rows + row : 0);
  }
};

/// batches x [m, k] * [n, k] and what follows.
struct Product : ContractionEnd {
  explicit Product(const Evaluator &evaluator) : evaluator(evaluator) {}

  const Evaluator &evaluator;
  int64_t batches = 1, m = 0, n = 0, k = 0;
  Side x, y;

  void runOnIntegers();
  void runOnGroups(int64_t size);
  void runOnFloats();
};

} // namespace

float ContractionEnd::clamped(float v) const {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return clampFloat(v, low.value_or(-infinity), high.value_or(infinity));
}

Scalar ContractionEnd::finish(int64_t acc, float xScale, float yScale,
                              int64_t column) const {
  Scalar scalar;
  if (bias && !biasIsFloat())
    acc = static_cast<int32_t>(static_cast<uint32_t>(acc) +
                               static_cast<uint32_t>(bias->get(column).i));
  if (result.elem.isInt() && !output) {
    scalar.i = acc;
    return scalar;
  }
  if (!output) {
    float m = xScale * yScale;
    float v =
        biasIsFloat() ? fusedBias(acc, m, bias->get(column).f) : scaled(acc, m);
    scalar.f = clamped(v);
    return scalar;
  }
  RowParams to = output->row(0);
  float sy = to.scale(0);
  float m = (xScale * yScale) / sy;
  float v = biasIsFloat() ? fusedBias(acc, m, bias->get(column).f / sy)
                          : scaled(acc, m);
  // A bound divided by a run-time scale may be NaN; it then clamps nothing. One
  // that is absent is not infinity, whose sign a negative scale would turn.
  if (low && v < *low / sy)
    v = *low / sy;
  if (high && v > *high / sy)
    v = *high / sy;
  scalar.i = roundAndSaturate(v, to.zeroPoint(0), output->range());
  return scalar;
}

void Product::runOnIntegers() {
  assert(x.params.has_value() != bool(x.dequantized) &&
         y.params.has_value() != bool(y.dequantized) &&
         "integers have parameters, or come from a dequantized value");
  for (int64_t batch = 0; batch < batches; ++batch) {
    IntContraction loop;
    loop.m = m;
    loop.n = n;
    loop.k = k;
    loop.packX = [&](int64_t row, int64_t *to) {
      x.packIntegers(batch, row, k, to);
    };
    loop.packY = [&](int64_t row, int64_t *to) {
      y.packIntegers(batch, row, k, to);
    };
    loop.sink = [&](int64_t row, int64_t column, int64_t count,
                    const int64_t *sums) {
      float xScale = x.scale(batch, row, k);
      int64_t at = (batch * m + row) * n + column;
      for (int64_t j = 0; j < count; ++j)
        result.set(at + j, finish(sums[j], xScale,
                                  y.scale(batch, column + j, k), column + j));
    };
    loop.run(evaluator.threads);
  }
}

/// N3 where parameters vary along K, in groups of `size` elements.
void Product::runOnGroups(int64_t size) {
  assert(batches == 1 && "only linear layers have groups");
  std::vector<float> values(m * n);
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column)
      values[row * n + column] = bias ? bias->get(column).f : 0.0f;
  for (int64_t group = 0; group < k / size; ++group) {
    IntContraction loop;
    loop.m = m;
    loop.n = n;
    loop.k = size;
    loop.packX = [&](int64_t row, int64_t *to) {
      x.packGroup(0, row, k, group, size, to);
    };
    loop.packY = [&](int64_t row, int64_t *to) {
      y.packGroup(0, row, k, group, size, to);
    };
    loop.sink = [&](int64_t row, int64_t column, int64_t count,
                    const int64_t *sums) {
      float xScale = x.groupScale(0, row, group);
      for (int64_t j = column; j < column + count; ++j) {
        float &v = values[row * n + j];
        v = fusedBias(sums[j - column], xScale * y.groupScale(0, j, group), v);
      }
    };
    loop.run(evaluator.threads);
  }
  for (auto [i, v] : llvm::enumerate(values)) {
    Scalar scalar;
    scalar.f = clamped(v);
    result.set(i, scalar);
  }
}

void Product::runOnFloats() {
  for (int64_t batch = 0; batch < batches; ++batch) {
    FloatContraction<float> loop;
    loop.m = m;
    loop.n = n;
    loop.k = k;
    loop.packX = [&](int64_t row, float *to) {
      x.packFloats(batch, row, k, to);
    };
    loop.packY = [&](int64_t row, float *to) {
      y.packFloats(batch, row, k, to);
    };
    loop.initial = [](int64_t, int64_t, int64_t count, float *values) {
      std::fill_n(values, count, 0.0f);
    };
    loop.sink = [&](int64_t row, int64_t column, int64_t count,
                    const float *sums) {
      int64_t at = (batch * m + row) * n + column;
      for (int64_t j = 0; j < count; ++j) {
        float v = sums[j];
        if (bias)
          v = v + bias->get(column + j).f;
        Scalar scalar;
        scalar.f = clamped(v);
        result.set(at + j, scalar);
      }
    };
    loop.run(evaluator.threads);
  }
}

/// N3: the integers of a float operand, if it is dequantized and its scale does
/// not vary along dimension `kDim`.
static std::shared_ptr<const Dequantized> integersOf(const RtValue &value,
                                                     int64_t kDim) {
  if (!value.dequantized || value.dequantized->varies[kDim])
    return nullptr;
  return value.dequantized;
}

/// A K that is known only when the program runs.
static llvm::Error overflows(mlir::Operation *op, int64_t k) {
  return failure(op, "has a reduction of " + llvm::Twine(k) +
                         " products, whose sum could overflow i32");
}

/// Everything but the parameters of integer operands, which only ops that have
/// them must be asked for.
template <typename Op, typename GetX, typename GetY>
static llvm::Expected<RtValue>
evaluateProduct(Op op, Product &product, const Env &env, int64_t kDimX,
                int64_t kDimY, GetX getX, GetY getY) {
  const Evaluator &evaluator = product.evaluator;
  const RtValue &x = evaluator.valueOf(op->getOperand(0), env);
  const RtValue &y = evaluator.valueOf(op->getOperand(1), env);
  bool isDynamic = llvm::cast<mlir::ShapedType>(op->getOperand(0).getType())
                       .isDynamicDim(x.tensor.rank() - 1);
  product.x.tensor = &x.tensor;
  product.y.tensor = &y.tensor;
  if (llvm::Error error = product.read(op, evaluator, env))
    return std::move(error);
  if (op.hasFloatOperands()) {
    auto xIntegers = integersOf(x, kDimX), yIntegers = integersOf(y, kDimY);
    bool isShort = xIntegers && yIntegers &&
                   cannotOverflow(product.k, xIntegers->maxDifference,
                                  yIntegers->maxDifference);
    if (xIntegers && yIntegers && !isShort && isDynamic)
      return overflows(op, product.k);
    if (!isShort) {
      product.runOnFloats();
      return RtValue(product.result);
    }
    product.x.dequantized = xIntegers;
    product.y.dequantized = yIntegers;
  } else {
    llvm::Expected<RuntimeParams> xParams =
        RuntimeParams::get(op, getX(), x.tensor.shape, evaluator, env);
    if (!xParams)
      return xParams.takeError();
    llvm::Expected<RuntimeParams> yParams =
        RuntimeParams::get(op, getY(), y.tensor.shape, evaluator, env);
    if (!yParams)
      return yParams.takeError();
    if (isDynamic && !cannotOverflow(product.k, getX().getMaxDifference(),
                                     getY().getMaxDifference()))
      return overflows(op, product.k);
    product.x.params = std::move(*xParams);
    product.y.params = std::move(*yParams);
    if (int64_t size = std::max(getX().groupSize, getY().groupSize)) {
      product.runOnGroups(size);
      return RtValue(product.result);
    }
  }
  product.runOnIntegers();
  return RtValue(product.result);
}

llvm::Expected<RtValue>
qcc::reference::evaluateLinear(qnn::LinearOp op, const Evaluator &evaluator,
                               const Env &env) {
  const Tensor &x = evaluator.valueOf(op.getInput(), env).tensor;
  const Tensor &w = evaluator.valueOf(op.getWeight(), env).tensor;
  std::vector<int64_t> shape = x.shape;
  int64_t k = shape.back(), n = w.shape[0], m = 1;
  shape.back() = n;
  for (size_t d = 0; d + 1 < shape.size(); ++d)
    m *= shape[d];
  llvm::Expected<Tensor> result = evaluator.allocate(op, op.getType(), shape);
  if (!result)
    return result.takeError();
  Product product(evaluator);
  product.m = m;
  product.n = n;
  product.k = k;
  product.result = std::move(*result);
  if (op.getBias())
    product.bias = &evaluator.valueOf(op.getBias(), env).tensor;
  product.x.rows = m;
  product.y.rows = n;
  product.x.rowStride = product.y.rowStride = k;
  return evaluateProduct(
      op, product, env, x.rank() - 1, 1, [&] { return op.getInputParams(); },
      [&] { return op.getWeightParams(); });
}

llvm::Expected<RtValue>
qcc::reference::evaluateMatmul(qnn::MatmulOp op, const Evaluator &evaluator,
                               const Env &env) {
  const Tensor &x = evaluator.valueOf(op.getLhs(), env).tensor;
  const Tensor &y = evaluator.valueOf(op.getRhs(), env).tensor;
  int64_t rank = x.rank(), batches = 1;
  bool transposed = op.getTransposeRhs();
  int64_t kDim = transposed ? rank - 1 : rank - 2;
  int64_t k = x.shape[rank - 1], m = x.shape[rank - 2];
  int64_t n = y.shape[transposed ? rank - 2 : rank - 1];
  std::vector<int64_t> shape = x.shape;
  shape[rank - 1] = n;
  for (int64_t d = 0; d < rank - 2; ++d) {
    if (x.shape[d] != y.shape[d])
      return failure(op, "operands disagree about batch dimension " +
                             llvm::Twine(d) + ": " + llvm::Twine(x.shape[d]) +
                             " and " + llvm::Twine(y.shape[d]));
    batches *= x.shape[d];
  }
  llvm::Expected<Tensor> result = evaluator.allocate(op, op.getType(), shape);
  if (!result)
    return result.takeError();
  Product product(evaluator);
  product.batches = batches;
  product.m = m;
  product.n = n;
  product.k = k;
  product.result = std::move(*result);
  product.x.rows = m;
  product.x.rowStride = k;
  product.y.rows = n;
  product.y.rowStride = transposed ? k : 1;
  product.y.elementStride = transposed ? 1 : n;
  return evaluateProduct(
      op, product, env, rank - 1, kDim, [&] { return op.getLhsParams(); },
      [&] { return op.getRhsParams(); });
}
