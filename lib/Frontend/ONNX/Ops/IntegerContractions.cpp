//===- IntegerContractions.cpp - Contractions of stored integers ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ConvInteger, MatMulInteger, QLinearConv and QLinearMatMul are ops of qnn: N2
// sums, N6 requantizes.
//
//===----------------------------------------------------------------------===//

#include "../Constants.h"
#include "../Ops.h"
#include "Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/QNN/Transforms/ConstantData.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

namespace {
/// The inputs of a node by what they are; ~0u is none.
struct Roles {
  unsigned x, w;
  unsigned xScale = ~0u, xZero = ~0u, wScale = ~0u, wZero = ~0u;
  unsigned yScale = ~0u, yZero = ~0u, bias = ~0u;

  bool hasResultScale() const { return yScale != ~0u; }
};
} // namespace

static constexpr Roles kConvInteger{0, 1, ~0u, 2, ~0u, 3};
static constexpr Roles kQLinearConv{0, 3, 1, 2, 4, 5, 6, 7, 8};
static constexpr Roles kMatMulInteger{0, 1, ~0u, 2, ~0u, 3};
static constexpr Roles kQLinearMatMul{0, 3, 1, 2, 4, 5, 6, 7};

/// Whether a parameter is one number.
static bool isScalar(GraphValue &param) {
  return param.rank() == 0 ||
         (param.rank() == 1 && knownSize(param.shape[0]) == 1);
}

static bool isConstantZero(GraphValue &value) {
  std::optional<qnn::ConstantData> data =
      qnn::ConstantData::get(value.constant);
  return data && llvm::all_of(data->bytes, [](char c) { return c == 0; });
}

/// Types of all inputs, and that parameters other than those of `w` are
/// scalars.
static LogicalResult verifyRoles(NodeImporter &n, const Roles &roles) {
  if (failed(n.requireInputs(roles.hasResultScale() ? 8 : 2)))
    return failure();
  auto check = [&](unsigned i, Type type, StringRef what,
                   bool scalar) -> LogicalResult {
    if (i == ~0u || !n.has(i))
      return success();
    GraphValue &value = n.in(i);
    if (type && value.element != type)
      return n.refuse() << "has " << what << " of "
                        << elementName(value.element) << " where "
                        << elementName(type) << " is needed; correct the type";
    if (!scalar || isScalar(value))
      return success();
    return n.refuse() << "has " << what
                      << " with several elements, which is not supported here; "
                         "use one for the tensor";
  };
  for (unsigned i : {roles.x, roles.w, roles.yZero})
    if (i != ~0u && !n.in(i).isByte())
      return n.refuse() << "takes " << elementName(n.in(i).element)
                        << "; int8 and uint8 are supported";
  Type f32 = n.b.getF32Type();
  return success(
      succeeded(check(roles.xScale, f32, "a scale", true)) &&
      succeeded(check(roles.wScale, f32, "a scale", false)) &&
      succeeded(check(roles.yScale, f32, "a scale", true)) &&
      succeeded(
          check(roles.xZero, n.in(roles.x).element, "a zero point", true)) &&
      succeeded(
          check(roles.wZero, n.in(roles.w).element, "a zero point", false)) &&
      succeeded(check(roles.yZero, {}, "a zero point", true)) &&
      succeeded(check(roles.bias, n.b.getI32Type(), "a bias", false)));
}

namespace {
/// The parameters of a contraction, as operands of qnn.
struct Params {
  Value xScale, xZero, wScale, wZero, yScale, yZero, bias;
};
} // namespace

/// A parameter of the tensor, or one for each of `count` channels; refuses
/// another number.
static LogicalResult readParam(NodeImporter &n, unsigned i, int64_t count,
                               bool mayBeZero, Value &operand) {
  if (i == ~0u || !n.has(i))
    return success();
  GraphValue &param = n.in(i);
  if (mayBeZero && isConstantZero(param))
    return success();
  if (isScalar(param)) {
    GraphValue scalar = reshape(n, param, {});
    operand = n.tensor(scalar);
    return success();
  }
  if (param.rank() != 1 || knownSize(param.shape[0]) != count)
    return n.refuse() << "has parameters that are neither one number nor one "
                         "for each of its "
                      << count << " results; correct their shape";
  operand = n.tensor(param);
  return success();
}

static FailureOr<Params> readParams(NodeImporter &n, const Roles &roles,
                                    int64_t channels) {
  Params p;
  if (failed(readParam(n, roles.xScale, 1, false, p.xScale)) ||
      failed(readParam(n, roles.xZero, 1, true, p.xZero)) ||
      failed(readParam(n, roles.wScale, channels, false, p.wScale)) ||
      failed(readParam(n, roles.wZero, channels, true, p.wZero)) ||
      failed(readParam(n, roles.yScale, 1, false, p.yScale)) ||
      failed(readParam(n, roles.yZero, 1, true, p.yZero)))
    return failure();
  if (roles.bias != ~0u && n.has(roles.bias)) {
    GraphValue &bias = n.in(roles.bias);
    if (bias.rank() != 1 || knownSize(bias.shape[0]) != channels)
      return n.refuse() << "has a bias that is not one int32 for each of its "
                        << channels << " results; correct the bias";
    p.bias = n.tensor(bias);
  }
  return p;
}

/// The element type of the result: int32, or that of its zero point.
static Type resultType(NodeImporter &n, const Roles &roles) {
  return roles.hasResultScale() ? n.in(roles.yZero).element
                                : Type(n.b.getI32Type());
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// An image of one dimension as one of height 1.
static GraphValue withHeight(NodeImporter &n, GraphValue &x) {
  return x.rank() == 4 ? x : unsqueeze(n, x, {2});
}

static LogicalResult importIntegerConv(NodeImporter &n, const Roles &roles) {
  if (failed(verifyRoles(n, roles)))
    return failure();
  GraphValue &x = n.in(roles.x), &w = n.in(roles.w);
  std::optional<SmallVector<int64_t>> sizes = knownSizes(w.shape);
  if (x.rank() != w.rank() || (x.rank() != 3 && x.rank() != 4) || !sizes ||
      !knownSize(x.shape[1]))
    return n.refuse() << "needs an image with one or two spatial dimensions "
                         "and known channels, and a weight of known sizes";
  ArrayRef<int64_t> kernel = ArrayRef(*sizes).drop_front(2);
  ArrayRef<int64_t> given = n.getInts("kernel_shape");
  int64_t groups = n.getInt("group", 1), channels = (*sizes)[0];
  bool agrees = groups >= 1 && channels % groups == 0 &&
                *knownSize(x.shape[1]) == (*sizes)[1] * groups;
  if (!agrees || (!given.empty() && given != kernel))
    return n.refuse() << "has a weight that does not fit its image, its groups "
                         "or its kernel_shape; correct the weight";
  auto windows = readWindows(n, x, kernel);
  FailureOr<Params> p = readParams(n, roles, channels);
  if (failed(windows) || failed(p))
    return failure();
  Shape counts = windowCounts(n, x, *windows);
  if (x.rank() == 3) {
    windows->insert(windows->begin(), WindowDim());
    counts.insert(counts.begin(), n.size(1));
  }
  GraphValue high = withHeight(n, x), highWeight = withHeight(n, w);
  GraphValue image = transpose(n, high, {0, 2, 3, 1});
  GraphValue filter = transpose(n, highWeight, {0, 2, 3, 1});
  Shape shape{x.shape[0], counts[0], counts[1], n.size(channels)};
  const WindowDim &h = (*windows)[0], &v = (*windows)[1];
  for (const WindowDim &window : *windows)
    if (window.before >= window.extent() || window.after >= window.extent())
      return n.refuse() << "pads by more than a window, which is not supported";
  Value y = qnn::Conv2DOp::create(
      n.b, n.loc, n.type(resultType(n, roles), shape), n.tensor(image),
      n.tensor(filter), p->bias, p->xScale, p->xZero, p->wScale, p->wZero,
      p->yScale, p->yZero, ArrayRef<int64_t>{h.stride, v.stride},
      ArrayRef<int64_t>{h.dilation, v.dilation},
      ArrayRef<int64_t>{h.before, h.after, v.before, v.after}, groups,
      FloatAttr(), FloatAttr());
  GraphValue last = toGraphValue(y, shape);
  GraphValue first = transpose(n, last, {0, 3, 1, 2});
  return n.set(0, x.rank() == 3 ? squeeze(n, first, {2}) : first);
}

LogicalResult onnx::importConvInteger(NodeImporter &n) {
  return importIntegerConv(n, kConvInteger);
}

LogicalResult onnx::importQLinearConv(NodeImporter &n) {
  return importIntegerConv(n, kQLinearConv);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A product with a matrix: a linear layer, whose weight is [N, K].
static LogicalResult importLinear(NodeImporter &n, const Roles &roles,
                                  GraphValue &x, GraphValue &w,
                                  ArrayRef<int64_t> unit) {
  std::optional<int64_t> columns = knownSize(w.shape[1]);
  if (!columns)
    return n.refuse() << "has a weight of dynamic size; give its size";
  FailureOr<Params> p = readParams(n, roles, *columns);
  if (failed(p))
    return failure();
  GraphValue weight = transpose(n, w, {1, 0});
  Shape shape(x.shape);
  shape.back() = w.shape[1];
  Value y = qnn::LinearOp::create(
      n.b, n.loc, n.type(resultType(n, roles), shape), n.tensor(x),
      n.tensor(weight), Value(), p->xScale, p->xZero, p->wScale, p->wZero,
      p->yScale, p->yZero, FloatAttr(), FloatAttr());
  GraphValue result = toGraphValue(y, shape);
  return n.set(0, unit.empty() ? result : squeeze(n, result, unit));
}

/// The value with a size that is known of something that it has to fit.
static GraphValue withSize(NodeImporter &n, GraphValue &x, int64_t dim,
                           OpFoldResult size) {
  if (knownSize(x.shape[dim]) == knownSize(size))
    return x;
  Shape shape = x.shape;
  shape[dim] = size;
  return toGraphValue(
      tensor::CastOp::create(n.b, n.loc, n.type(x.element, shape), n.tensor(x)),
      shape);
}

/// The value, with its leading dimensions repeated to those of `batch`.
static GraphValue repeat(NodeImporter &n, GraphValue &x, const Shape &batch) {
  Shape shape(batch);
  shape.append({x.shape[x.rank() - 2], x.shape.back()});
  if (ArrayRef<OpFoldResult>(shape) == ArrayRef<OpFoldResult>(x.shape))
    return x;
  return broadcastTo(n, x, shape, broadcastMap(n, x.shape, shape));
}

static LogicalResult importIntegerMatMul(NodeImporter &n, const Roles &roles) {
  if (failed(verifyRoles(n, roles)))
    return failure();
  GraphValue x = n.in(roles.x), w = n.in(roles.w);
  if (x.rank() == 0 || w.rank() == 0)
    return n.refuse() << "has an operand without dimensions; use Mul";
  SmallVector<int64_t> unit; // dimensions of the result that are no matrix's
  bool isRow = x.rank() == 1, isColumn = w.rank() == 1;
  if (isRow)
    x = unsqueeze(n, n.in(roles.x), {0});
  if (isColumn)
    w = unsqueeze(n, n.in(roles.w), {1});
  int64_t rank = std::max(x.rank(), w.rank());
  if (isRow)
    unit.push_back(rank - 2);
  if (isColumn)
    unit.push_back(rank - 1);
  std::optional<int64_t> depth = knownSize(x.shape.back()),
                         height = knownSize(w.shape[w.rank() - 2]);
  if (depth && height && *depth != *height)
    return n.refuse() << "multiplies rows of " << *depth << " by columns of "
                      << *height << " elements; correct the shapes";
  if (w.rank() == 2 && height) {
    x = withSize(n, x, x.rank() - 1, w.shape[0]);
    return importLinear(n, roles, x, w, unit);
  }
  // Where one size is known, the other is the same.
  if (height)
    x = withSize(n, x, x.rank() - 1, w.shape[w.rank() - 2]);
  else
    w = withSize(n, w, w.rank() - 2, x.shape.back());
  for (unsigned i : {roles.wScale, roles.wZero})
    if (i != ~0u && n.has(i) && !isScalar(n.in(i)))
      return n.refuse()
             << "has parameters for each column of several matrices, "
                "which is not supported; use one for the tensor";
  Shape leadingX(x.shape.begin(), x.shape.end() - 2),
      leadingW(w.shape.begin(), w.shape.end() - 2);
  FailureOr<Shape> batch = broadcast(n, {&leadingX, &leadingW});
  FailureOr<Params> p = readParams(n, roles, 1);
  if (failed(batch) || failed(p))
    return failure();
  GraphValue lhs = repeat(n, x, *batch), rhs = repeat(n, w, *batch);
  Shape shape(*batch);
  shape.append({x.shape[x.rank() - 2], w.shape.back()});
  Value y = qnn::MatmulOp::create(
      n.b, n.loc, n.type(resultType(n, roles), shape), n.tensor(lhs),
      n.tensor(rhs), p->xScale, p->xZero, p->wScale, p->wZero, p->yScale,
      p->yZero, /*transpose_rhs=*/false, FloatAttr(), FloatAttr());
  GraphValue result = toGraphValue(y, shape);
  return n.set(0, unit.empty() ? result : squeeze(n, result, unit));
}

LogicalResult onnx::importMatMulInteger(NodeImporter &n) {
  return importIntegerMatMul(n, kMatMulInteger);
}

LogicalResult onnx::importQLinearMatMul(NodeImporter &n) {
  return importIntegerMatMul(n, kQLinearMatMul);
}
