//===- Softmax.cpp - linalg.softmax, row by row ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of N8: the greatest element, differences from it, exp, their sum,
// quotients, each rounded to the type of the elements.
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "FloatLibrary.h"
#include "Half.h"
#include "Threads.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace qcc::reference;

static float rounded(Elem elem, float value) {
  if (elem.cls == Elem::F16)
    return roundToF16(value);
  return elem.cls == Elem::BF16 ? roundToBF16(value) : value;
}

/// A reduction of N8: 32 lanes, then a tree, then the initial value.
template <typename Combine>
static float reduce(ArrayRef<float> row, float neutral, float initial,
                    Combine combine) {
  float lanes[32];
  std::fill_n(lanes, 32, neutral);
  for (size_t i = 0; i < row.size(); ++i)
    lanes[i % 32] = combine(lanes[i % 32], row[i]);
  for (int step : {16, 8, 4, 2, 1})
    for (int lane = 0; lane < step; ++lane)
      lanes[lane] = combine(lanes[lane], lanes[lane + step]);
  return combine(initial, lanes[0]);
}

static float greater(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<float>::quiet_NaN();
  return a > b ? a : b;
}

static void computeRow(Elem elem, MutableArrayRef<float> row) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  float greatest = reduce(row, -infinity, -infinity, greater);
  for (float &x : row)
    x = rounded(elem, fixedExp(rounded(elem, x - greatest)));
  float sum = reduce(row, -0.0f, 0.0f,
                     [elem](float a, float b) { return rounded(elem, a + b); });
  for (float &x : row)
    x = rounded(elem, x / sum);
}

llvm::Error Evaluator::evaluateSoftmax(linalg::SoftmaxOp op, Env &env) {
  const Tensor &input = valueOf(op.getInput(), env).tensor;
  if (!input.elem.isSingle())
    return failure(op, "is defined for f32, f16 and bf16 only (N8)");
  if (input.shape != valueOf(op.getOutput(), env).tensor.shape)
    return failure(op, "operands have different shapes");
  Tensor result = Tensor::zeros(input.elem, input.shape);
  if (!result.data)
    return failure(op, "not enough memory for the result");
  int64_t dim = op.getDimension(), size = input.shape[dim];
  int64_t stride = rowMajorStrides(input.shape)[dim];
  int64_t rows = size == 0 ? 0 : input.count() / size;
  parallelFor(threads, rows, 16, [&](int64_t begin, int64_t end) {
    std::vector<float> row(size);
    for (int64_t r = begin; r < end; ++r) {
      int64_t first = r / stride * stride * size + r % stride;
      for (int64_t i = 0; i < size; ++i)
        row[i] = input.get(first + i * stride).f;
      computeRow(input.elem, row);
      for (int64_t i = 0; i < size; ++i) {
        Scalar value;
        value.f = row[i];
        result.set(first + i * stride, value);
      }
    }
  });
  env.set(op->getResult(0), RtValue(std::move(result)));
  return llvm::Error::success();
}
