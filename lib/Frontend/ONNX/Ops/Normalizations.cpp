//===- Normalizations.cpp - Normalizations and Softmax --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../Compose.h"
#include "../Ops.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <limits>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

static Value sum(Scalars &s, ValueRange args) {
  return s.add(args[0], args[1]);
}

/// Refuses floats of several types, or f64.
static LogicalResult verifyFloats(NodeImporter &n) {
  for (unsigned i = 0; i < n.numInputs(); ++i)
    if (n.has(i) &&
        (n.in(i).element.isF64() || n.in(i).element != n.in(0).element))
      return n.refuse() << "does not take " << elementName(n.in(i).element)
                        << " here; it takes float32, float16 or bfloat16, the "
                           "same for all inputs";
  return success();
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static GraphValue softmax(NodeImporter &n, GraphValue &x, int64_t axis) {
  Value init = tensor::EmptyOp::create(
      n.b, n.loc, ArrayRef<OpFoldResult>(x.shape), x.element);
  Value result =
      linalg::SoftmaxOp::create(n.b, n.loc, TypeRange(init.getType()),
                                n.tensor(x), init, axis)
          ->getResult(0);
  return toGraphValue(result, x.shape);
}

/// x - m - log(sum(exp(x - m))), m the greatest element.
static FailureOr<GraphValue> logSoftmax(NodeImporter &n, GraphValue &x,
                                        int64_t axis) {
  GraphValue greatest = reduce(
      n, x, axis, -std::numeric_limits<double>::infinity(),
      [](Scalars &s, ValueRange args) { return s.max(args[0], args[1]); });
  GraphValue spread = unsqueeze(n, greatest, axis);
  FailureOr<GraphValue> moved =
      elementwise(n, {&x, &spread}, x.element, [](Scalars &s, ValueRange args) {
        return s.sub(args[0], args[1]);
      });
  if (failed(moved))
    return failure();
  GraphValue total = reduce(n, *moved, axis, 0.0, sum,
                            [](Scalars &s, Value e) { return s.exp(e); });
  GraphValue row = unsqueeze(n, total, axis);
  return elementwise(n, {&*moved, &row}, x.element,
                     [](Scalars &s, ValueRange args) {
                       return s.sub(args[0], s.log(args[1]));
                     });
}

LogicalResult onnx::importSoftmax(NodeImporter &n) {
  if (failed(verifyFloats(n)))
    return failure();
  GraphValue x = n.in(0);
  if (x.rank() == 0)
    return n.refuse() << "takes a value with dimensions; reshape it";
  FailureOr<int64_t> axis = n.axis(n.since < 13 ? 1 : -1, x.rank());
  if (failed(axis))
    return failure();
  // Before opset 13 all dimensions from the axis on are one.
  Shape shape = x.shape;
  if (n.since < 13) {
    ArrayRef<OpFoldResult> sizes(shape);
    Shape flat{n.product(sizes.take_front(*axis)),
               n.product(sizes.drop_front(*axis))};
    x = reshape(n, x, flat);
    axis = 1;
  }
  FailureOr<GraphValue> y = n.op() == "Softmax"
                                ? FailureOr<GraphValue>(softmax(n, x, *axis))
                                : logSoftmax(n, x, *axis);
  return failed(y) ? failure() : n.set(0, reshape(n, *y, shape));
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

namespace {
/// A normalized value, and what it was normalized by; dimensions that were
/// reduced have the size 1.
struct Normal {
  GraphValue value, mean, factor;
};
} // namespace

static FailureOr<GraphValue> multiply(NodeImporter &n, GraphValue &x,
                                      GraphValue &y) {
  return elementwise(n, {&x, &y}, x.element, [](Scalars &s, ValueRange args) {
    return s.mul(args[0], args[1]);
  });
}

/// rsqrt(mean of squares of x + epsilon) over `dims`, which keep the size 1.
static FailureOr<GraphValue> rootFactor(NodeImporter &n, GraphValue &x,
                                        ArrayRef<int64_t> dims,
                                        OpFoldResult count) {
  GraphValue squares = reduce(n, x, dims, 0.0, sum,
                              [](Scalars &s, Value e) { return s.mul(e, e); });
  FailureOr<GraphValue> mean = divideBySize(n, squares, count);
  if (failed(mean))
    return failure();
  float epsilon = n.getFloat("epsilon", 1e-5f);
  FailureOr<GraphValue> factor = elementwise(
      n, {&*mean}, x.element, [&](Scalars &s, ValueRange args) -> Value {
        Value stable = s.add(args[0], s.constant(args[0].getType(), epsilon));
        return math::RsqrtOp::create(s.b, s.loc, stable);
      });
  if (failed(factor))
    return failure();
  return unsqueeze(n, *factor, dims);
}

static OpFoldResult countOf(NodeImporter &n, const GraphValue &x,
                            ArrayRef<int64_t> dims) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t d : dims)
    sizes.push_back(x.shape[d]);
  return n.product(sizes);
}

/// (x - mean) * rsqrt(variance + epsilon) over `dims`.
static FailureOr<Normal> normalize(NodeImporter &n, GraphValue &x,
                                   ArrayRef<int64_t> dims) {
  OpFoldResult count = countOf(n, x, dims);
  GraphValue total = reduce(n, x, dims, 0.0, sum);
  FailureOr<GraphValue> mean = divideBySize(n, total, count);
  if (failed(mean))
    return failure();
  Normal normal;
  normal.mean = unsqueeze(n, *mean, dims);
  FailureOr<GraphValue> moved = elementwise(
      n, {&x, &normal.mean}, x.element,
      [](Scalars &s, ValueRange args) { return s.sub(args[0], args[1]); });
  if (failed(moved))
    return failure();
  FailureOr<GraphValue> factor = rootFactor(n, *moved, dims, count);
  if (failed(factor))
    return failure();
  normal.factor = *factor;
  FailureOr<GraphValue> value = multiply(n, *moved, *factor);
  if (failed(value))
    return failure();
  normal.value = *value;
  return normal;
}

/// x * scale + bias, the latter if there is one.
static FailureOr<GraphValue> scaleAndMove(NodeImporter &n, GraphValue &x,
                                          GraphValue &scale, GraphValue *bias) {
  SmallVector<GraphValue *> operands{&x, &scale};
  if (bias)
    operands.push_back(bias);
  return elementwise(n, operands, x.element, [](Scalars &s, ValueRange args) {
    Value y = s.mul(args[0], args[1]);
    return args.size() == 3 ? s.add(y, args[2]) : y;
  });
}

LogicalResult onnx::importLayerNormalization(NodeImporter &n) {
  if (failed(verifyFloats(n)))
    return failure();
  GraphValue &x = n.in(0);
  FailureOr<int64_t> axis = n.axis(-1, x.rank());
  if (failed(axis))
    return failure();
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(*axis, x.rank()));
  FailureOr<Normal> normal = normalize(n, x, dims);
  if (failed(normal))
    return failure();
  (void)n.set(1, normal->mean);
  (void)n.set(2, normal->factor);
  FailureOr<GraphValue> y =
      scaleAndMove(n, normal->value, n.in(1), n.has(2) ? &n.in(2) : nullptr);
  if (failed(y))
    return failure();
  if (y->rank() != x.rank())
    return n.refuse() << "has a scale with more dimensions than its input; "
                         "correct the scale";
  return n.set(0, *y);
}

/// A value with one element for each channel as [C, 1, ...].
static FailureOr<GraphValue> perChannel(NodeImporter &n, unsigned i) {
  GraphValue &x = n.in(0), &param = n.in(i);
  std::optional<int64_t> count =
      param.rank() == 1 ? knownSize(param.shape[0]) : std::nullopt;
  if (!count || x.rank() < 2 || count != knownSize(x.shape[1]))
    return n.refuse() << "needs one parameter for each channel, whose number "
                         "is known; correct input "
                      << i;
  SmallVector<int64_t> trailing =
      llvm::to_vector(llvm::seq<int64_t>(1, x.rank() - 1));
  return trailing.empty() ? param : unsqueeze(n, param, trailing);
}

LogicalResult onnx::importBatchNormalization(NodeImporter &n) {
  if (failed(verifyFloats(n)) || failed(n.requireInt("training_mode", 0)))
    return failure();
  for (unsigned i = 1; i < 5; ++i)
    if (n.hasOutput(i))
      return n.refuse() << "has outputs for training, which is not supported; "
                           "export the model for inference";
  SmallVector<GraphValue> params;
  for (unsigned i = 1; i < 5; ++i) {
    FailureOr<GraphValue> param = perChannel(n, i);
    if (failed(param))
      return failure();
    params.push_back(*param);
  }
  GraphValue &x = n.in(0);
  float epsilon = n.getFloat("epsilon", 1e-5f);
  FailureOr<GraphValue> y = elementwise(
      n, {&x, &params[0], &params[1], &params[2], &params[3]}, x.element,
      [&](Scalars &s, ValueRange args) -> Value {
        Value stable = s.add(args[4], s.constant(args[4].getType(), epsilon));
        Value factor =
            s.mul(args[1], math::RsqrtOp::create(s.b, s.loc, stable));
        return s.add(s.mul(s.sub(args[0], args[3]), factor), args[2]);
      });
  return failed(y) ? failure() : n.set(0, *y);
}

LogicalResult onnx::importInstanceNormalization(NodeImporter &n) {
  if (failed(verifyFloats(n)))
    return failure();
  GraphValue &x = n.in(0);
  FailureOr<GraphValue> scale = perChannel(n, 1), bias = perChannel(n, 2);
  if (failed(scale) || failed(bias))
    return failure();
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(2, x.rank()));
  FailureOr<Normal> normal = normalize(n, x, dims);
  if (failed(normal))
    return failure();
  FailureOr<GraphValue> y = scaleAndMove(n, normal->value, *scale, &*bias);
  return failed(y) ? failure() : n.set(0, *y);
}

/// The normalization of groups of channels, then a scale and a bias for each
/// group, or for each channel since opset 21.
LogicalResult onnx::importGroupNormalization(NodeImporter &n) {
  if (failed(verifyFloats(n)))
    return failure();
  GraphValue &x = n.in(0);
  int64_t groups = n.getInt("num_groups", 0);
  std::optional<int64_t> channels =
      x.rank() >= 3 ? knownSize(x.shape[1]) : std::nullopt;
  if (!channels || groups < 1 || *channels % groups != 0)
    return n.refuse() << "needs an image of channels whose number is known and "
                         "that num_groups divides; correct the attribute";
  Shape grouped{x.shape[0], n.size(groups), n.size(*channels / groups)};
  grouped.append(x.shape.begin() + 2, x.shape.end());
  GraphValue parts = reshape(n, x, grouped);
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(2, parts.rank()));
  FailureOr<Normal> normal = normalize(n, parts, dims);
  if (failed(normal))
    return failure();
  GraphValue params[2];
  for (unsigned i = 0; i < 2; ++i) {
    GraphValue &param = n.in(1 + i);
    int64_t count = n.since < 21 ? groups : *channels;
    if (knownSizes(param.shape) != SmallVector<int64_t>{count})
      return n.refuse() << "has a scale or a bias whose size is not " << count
                        << "; correct it";
    Shape shape{n.size(groups), n.size(count / groups)};
    shape.append(x.rank() - 2, n.size(1));
    params[i] = reshape(n, param, shape);
  }
  FailureOr<GraphValue> y =
      scaleAndMove(n, normal->value, params[0], &params[1]);
  return failed(y) ? failure() : n.set(0, reshape(n, *y, x.shape));
}

/// x / sqrt(mean(x * x) + epsilon) * scale, over the dimensions from `axis` on.
LogicalResult onnx::importRMSNormalization(NodeImporter &n) {
  if (failed(verifyFloats(n)))
    return failure();
  GraphValue &x = n.in(0);
  FailureOr<int64_t> axis = n.axis(-1, x.rank());
  if (failed(axis))
    return failure();
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(*axis, x.rank()));
  FailureOr<GraphValue> factor = rootFactor(n, x, dims, countOf(n, x, dims));
  if (failed(factor))
    return failure();
  FailureOr<GraphValue> normal = multiply(n, x, *factor);
  if (failed(normal))
    return failure();
  FailureOr<GraphValue> y = scaleAndMove(n, *normal, n.in(1), nullptr);
  if (failed(y))
    return failure();
  if (y->rank() != x.rank())
    return n.refuse() << "has a scale with more dimensions than its input; "
                         "correct the scale";
  return n.set(0, *y);
}

/// x / |x| along one dimension, |x| by the sum of magnitudes or of squares; 0
/// where that is 0.
LogicalResult onnx::importLpNormalization(NodeImporter &n) {
  if (failed(verifyFloats(n)))
    return failure();
  int64_t p = n.getInt("p", 2);
  if (p != 1 && p != 2)
    return n.refuse() << "has p = " << p
                      << ", which is not defined; use 1 or 2";
  GraphValue &x = n.in(0);
  FailureOr<int64_t> axis = n.axis(-1, x.rank());
  if (failed(axis))
    return failure();
  Composer c(n);
  Composer::Ref norm =
      c.op(p == 1 ? "ReduceL1" : "ReduceL2", {&x, c.integers({n.size(*axis)})});
  return c.set(0, c.map({&x, norm}, x.element, [](Scalars &s, ValueRange args) {
    Value zero = s.constant(args[0].getType(), 0);
    return s.select(s.equal(args[1], zero), zero, s.div(args[0], args[1]));
  }));
}

/// x / (bias + alpha * m) ^ beta, m the mean of the squares of `size` channels
/// around each, those outside of the image being 0.
LogicalResult onnx::importLRN(NodeImporter &n) {
  if (failed(verifyFloats(n)))
    return failure();
  GraphValue &x = n.in(0);
  int64_t size = n.getInt("size", 0);
  if (x.rank() < 2 || size < 1)
    return n.refuse() << "has a size that is not positive, or no channels; "
                         "correct the node";
  Composer c(n);
  OpFoldResult pixels =
      n.product(ArrayRef<OpFoldResult>(x.shape).drop_front(2));
  Composer::Ref square = c.op("Mul", {&x, &x});
  Composer::Ref flat =
      c.reshape(square, {x.shape[0], n.size(1), x.shape[1], pixels});
  int64_t before = (size - 1) / 2;
  Composer::Ref mean = c.op(
      "AveragePool", {flat},
      {attribute("kernel_shape", ArrayRef<int64_t>{size, 1}),
       attribute("pads", ArrayRef<int64_t>{before, 0, size - 1 - before, 0}),
       attribute("count_include_pad", int64_t(1))});
  Composer::Ref scaled =
      c.op("Mul", {c.reshape(mean, x.shape),
                   c.number(&x, n.getFloat("alpha", 1e-4f))});
  Composer::Ref sum =
      c.op("Add", {scaled, c.number(&x, n.getFloat("bias", 1.0f))});
  Composer::Ref power =
      c.op("Pow", {sum, c.number(&x, n.getFloat("beta", 0.75f))});
  return c.set(0, c.op("Div", {&x, power}));
}
