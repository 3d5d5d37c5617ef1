//===- QuantizedOps.cpp - Ops on quantized values of ONNX Runtime ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op becomes DequantizeLinear, the op on floats and QuantizeLinear. Sums
// and products become ops of qnn instead: N6 rounds exact halves to even, but
// floats that are rounded before they are added may lie below a half.
//
//===----------------------------------------------------------------------===//

#include "../Compose.h"
#include "../Ops.h"
#include "Quantization.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Ref = Composer::Ref;

/// Inputs `i` to `i` + 2 of the node: stored integers, scale and zero point.
static Ref dequantize(Composer &c, unsigned i) {
  return c.op("DequantizeLinear", {c.in(i), c.in(i + 1), c.in(i + 2)});
}

/// Quantizes `y` to the type of `like` by scale and zero point, inputs `i` and
/// `i` + 1.
static Ref quantize(Composer &c, Ref y, unsigned i, Ref like) {
  Ref zero = c.in(i + 1);
  if (!zero && !like->isUnsigned())
    zero = c.number(like, 0);
  return c.op("QuantizeLinear", {y, c.in(i), zero});
}

/// A value with as many dimensions as `rank`; those in front have the size 1.
static GraphValue withRank(NodeImporter &n, GraphValue &x, int64_t rank) {
  SmallVector<int64_t> front =
      llvm::to_vector(llvm::seq<int64_t>(0, rank - x.rank()));
  return front.empty() ? x : unsqueeze(n, x, front);
}

/// QLinearAdd and QLinearMul: the inputs are three for each operand, then scale
/// and zero point of the result.
LogicalResult onnx::importQLinearBinary(NodeImporter &n) {
  GraphValue probe;
  probe.element = n.in(0).element;
  FailureOr<StoredValue> x = readStored(n, {0, 1, 2});
  if (failed(x))
    return failure();
  FailureOr<StoredValue> y = readStored(n, {3, 4, 5});
  if (failed(y))
    return failure();
  FailureOr<QuantParams> result = readQuantParams(n, probe, 6, 7);
  if (failed(result))
    return failure();
  for (StoredValue *operand : {&*x, &*y})
    if (operand->params.axis)
      return n.refuse() << "has parameters of channels, which is not "
                           "supported; use one scale for the tensor";
  FailureOr<Shape> shape =
      broadcast(n, {&x->integers.shape, &y->integers.shape});
  if (failed(shape))
    return failure();
  GraphValue a = withRank(n, x->integers, shape->size()),
             b = withRank(n, y->integers, shape->size());
  a = repeatOnes(n, a, *shape);
  b = repeatOnes(n, b, *shape);
  auto make = [&](auto op) -> Value {
    return decltype(op)::create(
        n.b, n.loc, n.type(probe.element, *shape), n.tensor(a), n.tensor(b),
        x->params.scale, x->params.zeroPoint, y->params.scale,
        y->params.zeroPoint, result->scale, result->zeroPoint);
  };
  return n.set(0,
               n.op() == "QLinearAdd" ? make(qnn::AddOp()) : make(qnn::MulOp()),
               *shape);
}

/// QLinearSigmoid, QLinearLeakyRelu and QLinearSoftmax.
LogicalResult onnx::importQLinearUnary(NodeImporter &n) {
  Composer c(n);
  StringRef op = n.op().drop_front(strlen("QLinear"));
  // Softmax sums other dimensions before operator set 13.
  int64_t operatorSet = n.getInt("opset", kLastOperatorSet);
  if (operatorSet < kFirstOperatorSet)
    operatorSet = kFirstOperatorSet;
  Composer::Attributes attributes(n.node.attributes);
  if (op == "Softmax" && !n.find("axis"))
    attributes.push_back(attribute("axis", int64_t(-1)));
  Ref y = c.op(op, {dequantize(c, 0)}, attributes, operatorSet);
  return c.set(0, quantize(c, y, 3, c.in(0)));
}

/// Scale and zero point of the result, then three inputs for each value.
LogicalResult onnx::importQLinearConcat(NodeImporter &n) {
  unsigned count = n.numInputs() / 3;
  if (count == 0 || n.numInputs() != 2 + 3 * count)
    return n.refuse() << "has " << n.numInputs()
                      << " inputs, which are not two and three for each value; "
                         "correct the node";
  Composer c(n);
  Composer::Refs parts;
  for (unsigned i = 0; i < count; ++i)
    parts.push_back(quantize(c, dequantize(c, 2 + 3 * i), 0, c.in(2)));
  return c.set(0, c.op("Concat", parts, n.node.attributes));
}

/// A condition, then three inputs for each value, then scale and zero point of
/// the result.
LogicalResult onnx::importQLinearWhere(NodeImporter &n) {
  Composer c(n);
  Ref y = c.op("Where", {c.in(0), dequantize(c, 1), dequantize(c, 4)});
  return c.set(0, quantize(c, y, 7, c.in(1)));
}

/// QLinearAveragePool and QLinearGlobalAveragePool.
LogicalResult onnx::importQLinearPool(NodeImporter &n) {
  Composer c(n);
  Ref x = dequantize(c, 0);
  bool isLast = n.getInt("channels_last", 0) != 0;
  Ref y = c.op(n.op().drop_front(strlen("QLinear")),
               {isLast ? channelsFirst(c, x) : x}, n.node.attributes);
  if (isLast)
    y = channelsLast(c, y);
  return c.set(0, quantize(c, y, 3, c.in(0)));
}

/// The axes are an attribute, as ReduceMean has them up to operator set 17.
LogicalResult onnx::importQLinearReduceMean(NodeImporter &n) {
  Composer c(n);
  Ref y = c.op("ReduceMean", {dequantize(c, 0)}, n.node.attributes,
               /*operatorSet=*/13);
  return c.set(0, quantize(c, y, 3, c.in(0)));
}

static Ref transposed(Composer &c, Ref x, bool isTransposed) {
  return isTransposed && x->rank() == 2 ? c.transpose(x, {1, 0}) : x;
}

/// A, B and their parameters, C in int32 with the scale of the product, and
/// the parameters of the result, without which it is float32.
LogicalResult onnx::importQGemm(NodeImporter &n) {
  Composer c(n);
  Ref a = transposed(c, c.in(0), n.getInt("transA", 0)),
      b = transposed(c, c.in(3), n.getInt("transB", 0));
  Ref sum = c.op("MatMulInteger", {a, b, c.in(2), c.in(5)});
  if (n.has(6))
    sum = c.op("Add", {sum, c.in(6)});
  Ref scale = c.op("Mul", {c.in(1), c.in(4)});
  if (float alpha = n.getFloat("alpha", 1.0f); alpha != 1.0f)
    scale = c.op("Mul", {c.number(scale, alpha), scale});
  Ref y = c.op("Mul", {c.convert(sum, scale->element), scale});
  return c.set(0, n.has(7) ? quantize(c, y, 7, c.in(0)) : y);
}
