//===- QuantizedProducts.cpp - Products of values in blocks ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MatMul and Gemm of two results of DequantizeLinear, one of which has blocks
// along K. They are qnn.linear with parameters for groups of K, which a kernel
// multiplies as integers.
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "Quantization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

namespace {
/// Integers [.., K] with parameters of shape [.., count], or one number.
struct Rows {
  GraphValue integers;
  Value scale, zeroPoint;
  int64_t count = 1;
  /// Whether the parameters are those of blocks.
  bool isBlocked = false;
};
} // namespace

/// A tensor of this shape; a constant stays one.
static GraphValue reshapeTensor(NodeImporter &n, Value tensor,
                                const Shape &shape) {
  TypedAttr constant;
  GraphValue value = matchPattern(tensor, m_Constant(&constant))
                         ? Constants::toValue(n.b, constant)
                         : toGraphValue(n.b, tensor);
  return reshape(n, value, shape);
}

static int64_t rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

/// Whether the op joins the last two dimensions, and no others. Dimensions of 1
/// may be listed with either neighbour.
static bool joinsLastTwo(tensor::CollapseShapeOp op) {
  ArrayRef<int64_t> from = op.getSrcType().getShape(),
                    to = op.getResultType().getShape();
  return from.size() == to.size() + 1 && from.drop_back(2) == to.drop_back() &&
         from[from.size() - 2] * from.back() == to.back();
}

/// The integers that `real`, a tensor of this shape, was made of by
/// DequantizeLinear.
static std::optional<Rows> readRows(NodeImporter &n, Value real,
                                    const Shape &shape) {
  if (!real)
    return std::nullopt;
  auto collapse = real.getDefiningOp<tensor::CollapseShapeOp>();
  auto op =
      (collapse ? collapse.getSrc() : real).getDefiningOp<qnn::DequantizeOp>();
  if (!op || !getElementTypeOrSelf(op.getType()).isF32() || !op.getScale() ||
      getElementTypeOrSelf(op.getInput().getType()).getIntOrFloatBitWidth() !=
          8)
    return std::nullopt;
  Rows rows;
  if (!collapse) {
    // Of scales along an axis, only those of whole rows do not vary along K.
    bool isPerRow = op.getAxis() && *op.getAxis() + 1 < shape.size();
    for (size_t d = 0; isPerRow && d + 1 < shape.size(); ++d)
      isPerRow = d == *op.getAxis() || knownSize(shape[d]) == 1;
    if (!isPerRow && rankOf(op.getScale()) != 0)
      return std::nullopt;
    Shape column(shape);
    column.back() = n.size(1);
    auto perRow = [&](Value parameter) {
      if (!parameter || !isPerRow)
        return parameter;
      GraphValue rows = reshapeTensor(n, parameter, column);
      return n.tensor(rows);
    };
    rows.integers = reshapeTensor(n, op.getInput(), shape);
    rows.scale = perRow(op.getScale());
    rows.zeroPoint = perRow(op.getZeroPoint());
    return rows;
  }
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(op.getType()).getShape();
  if (!joinsLastTwo(collapse) ||
      rankOf(op.getScale()) != static_cast<int64_t>(shape.size()) + 1)
    return std::nullopt;
  rows.isBlocked = true;
  rows.count = sizes[sizes.size() - 2];
  Shape perBlock(shape);
  perBlock.back() = n.size(rows.count);
  auto withoutLast = [&](Value parameter) {
    if (!parameter)
      return parameter;
    GraphValue flat = reshapeTensor(n, parameter, perBlock);
    return n.tensor(flat);
  };
  rows.integers = reshapeTensor(n, op.getInput(), shape);
  rows.scale = withoutLast(op.getScale());
  rows.zeroPoint = withoutLast(op.getZeroPoint());
  return rows;
}

std::optional<GraphValue> onnx::matchBlockedProduct(NodeImporter &n,
                                                    const GraphValue &a,
                                                    const GraphValue &b,
                                                    bool transB,
                                                    const GraphValue *bias) {
  std::optional<int64_t> k = knownSize(a.shape.back());
  if (b.rank() != 2 || !k || knownSize(b.shape[transB ? 1 : 0]) != *k)
    return std::nullopt;
  // The weight has rows of K here.
  Shape weightShape{b.shape[transB ? 0 : 1], b.shape[transB ? 1 : 0]};
  Value weight = b.value;
  if (!transB) {
    auto transpose =
        weight ? weight.getDefiningOp<linalg::TransposeOp>() : nullptr;
    weight = transpose ? transpose.getInput() : Value();
  }
  if (!knownSize(weightShape[0]))
    return std::nullopt;
  std::optional<Rows> x = readRows(n, a.value, a.shape),
                      w = readRows(n, weight, weightShape);
  if (!x || !w || !(x->isBlocked || w->isBlocked))
    return std::nullopt;
  int64_t groups = std::max(x->count, w->count);
  // A sum of a group must fit in int32, whatever the zero points are.
  constexpr int64_t greatestGroup = INT32_MAX / (255 * 255);
  if (*k == 0 || *k / groups > greatestGroup)
    return std::nullopt;
  for (int64_t count : {x->count, w->count})
    if (count != 1 && count != groups)
      return std::nullopt;
  // A weight without groups has a parameter for each channel.
  for (Value *parameter : {&w->scale, &w->zeroPoint})
    if (*parameter && w->count == 1 && rankOf(*parameter) == 2) {
      GraphValue flat = reshapeTensor(n, *parameter, {weightShape[0]});
      *parameter = n.tensor(flat);
    }
  Value start;
  if (bias) {
    if (bias->rank() != 1 ||
        knownSize(bias->shape[0]) != knownSize(weightShape[0]))
      return std::nullopt;
    GraphValue own = *bias;
    start = n.tensor(own);
  }
  Shape shape(a.shape);
  shape.back() = weightShape[0];
  Value y = qnn::LinearOp::create(
      n.b, n.loc, n.type(n.b.getF32Type(), shape), n.tensor(x->integers),
      n.tensor(w->integers), start, x->scale, x->zeroPoint, w->scale,
      w->zeroPoint, /*output_scale=*/Value(), /*output_zero_point=*/Value(),
      /*clamp_min=*/FloatAttr(), /*clamp_max=*/FloatAttr());
  return toGraphValue(y, shape);
}
