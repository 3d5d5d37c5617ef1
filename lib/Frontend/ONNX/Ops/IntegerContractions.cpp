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

#include "../../Builder/Constants.h"
#include "../Compose.h"
#include "../Ops.h"
#include "Quantization.h"
#include "Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/Utils/ConstantData.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

namespace {
/// The numbers of a node's inputs by role; ~0u if the op has no such input.
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

/// Refuses parameters of channels other than those of `w`.
static LogicalResult verifyRoles(NodeImporter &n, const Roles &roles) {
  for (unsigned i : {roles.xScale, roles.yScale, roles.xZero, roles.yZero})
    if (i != ~0u && n.has(i) && !isOneNumber(n.in(i)))
      return n.refuse() << "has "
                        << (i == roles.xZero || i == roles.yZero
                                ? "a zero point"
                                : "a scale")
                        << " with several elements, which is not supported "
                           "here; use one for the tensor";
  return success();
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
  GraphValue param = n.in(i);
  if (mayBeZero && isConstantByte(param, 0))
    return success();
  if (param.isFloat()) {
    param = *convert(n, param, n.b.getF32Type());
    if (failed(verifyScale(n, param)))
      return failure();
  }
  if (isOneNumber(param)) {
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
  return x.rank() == 3 ? unsqueeze(n, x, {2}) : x;
}

/// The zero point of the image, or zero.
static GraphValue zeroPointOf(NodeImporter &n, const Roles &roles) {
  if (roles.xZero != ~0u && n.has(roles.xZero))
    return reshape(n, n.in(roles.xZero), {});
  Type element = n.in(roles.x).element;
  return Constants::toValue(
      n.b, makeConstant(RankedTensorType::get({}, element), {0}, "zero"));
}

/// The image with zero points before and behind it along dimension `d`.
static FailureOr<GraphValue> padStored(NodeImporter &n, GraphValue &x,
                                       GraphValue &zero, int64_t d,
                                       const WindowDim &window) {
  Composer c(n);
  auto side = [&](OpFoldResult size) {
    Shape shape = x.shape;
    shape[d] = size;
    return c.hold(broadcastTo(
        n, zero, shape, AffineMap::get(shape.size(), 0, n.b.getContext())));
  };
  Composer::Refs parts;
  if (knownSize(window.before) != 0)
    parts.push_back(side(window.before));
  parts.push_back(&x);
  if (knownSize(window.after) != 0)
    parts.push_back(side(window.after));
  Composer::Ref padded = c.op("Concat", parts, {attribute("axis", d)});
  return c.failed() ? FailureOr<GraphValue>() : *padded;
}

/// Whether qnn.conv2d pads so.
static bool isPaddedByOp(const WindowDim &window) {
  auto fits = [&](OpFoldResult size) {
    return knownSize(size) && *knownSize(size) < window.extent();
  };
  return fits(window.before) && fits(window.after);
}

/// [N, C, D, H, W] as images [N * D', H, W, C']. D' is the number of windows
/// along the depth. The channels C' of an image are the channels of all
/// elements of such a window. The channels of a group stay together: (group,
/// element, channel of the group).
static FailureOr<GraphValue> joinDepth(NodeImporter &n, GraphValue &x,
                                       const WindowDim &window,
                                       int64_t groups) {
  OpFoldResult c = n.size(*knownSize(x.shape[1]) / groups), one = n.size(1);
  GraphValue last = transpose(n, x, {0, 2, 3, 4, 1});
  Shape split{x.shape[0],     x.shape[2], x.shape[3], x.shape[4],
              n.size(groups), one,        c};
  GraphValue grouped = reshape(n, last, split);
  Composer composer(n);
  Composer::Refs parts;
  SmallVector<int64_t> steps(split.size(), 1);
  steps[1] = window.stride;
  split[1] = window.count;
  for (int64_t k = 0; k < window.kernel; ++k) {
    SmallVector<OpFoldResult> starts(split.size(), n.size(0));
    starts[1] = n.size(k * window.dilation);
    parts.push_back(composer.hold(slice(n, grouped, starts, split, steps)));
  }
  Composer::Ref all =
      composer.op("Concat", parts, {attribute("axis", int64_t(5))});
  if (composer.failed())
    return failure();
  Shape shape{n.mul(x.shape[0], window.count), x.shape[3], x.shape[4],
              n.size(*knownSize(x.shape[1]) * window.kernel)};
  Value joined = tensor::CollapseShapeOp::create(
      n.b, n.loc, n.type(x.element, shape), n.tensor(*all),
      ArrayRef<ReassociationIndices>{{0, 1}, {2}, {3}, {4, 5, 6}});
  return toGraphValue(joined, shape);
}

/// [N * D', H, W, F] as [N, D', H, W, F].
static GraphValue splitDepth(NodeImporter &n, GraphValue &y, OpFoldResult batch,
                             OpFoldResult depth) {
  Shape shape{batch, depth, y.shape[1], y.shape[2], y.shape[3]};
  Value split = tensor::ExpandShapeOp::create(
      n.b, n.loc, n.type(y.element, shape), n.tensor(y),
      ArrayRef<ReassociationIndices>{{0, 1}, {2}, {3}, {4}}, shape);
  return toGraphValue(split, shape);
}

namespace {
/// The operands of a convolution for qnn.conv2d: images with the padding that
/// this op lacks, the weight, and windows in two dimensions.
struct Images {
  GraphValue image, weight;
  SmallVector<WindowDim> windows;
};
} // namespace

static FailureOr<Images> readImages(NodeImporter &n, const Roles &roles,
                                    ArrayRef<WindowDim> windows,
                                    int64_t groups) {
  GraphValue x = n.in(roles.x), w = n.in(roles.w);
  SmallVector<WindowDim> rest(windows);
  for (auto [d, window] : llvm::enumerate(rest)) {
    bool isDepth = x.rank() == 5 && d == 0;
    if (!isDepth && isPaddedByOp(window))
      continue;
    GraphValue zero = zeroPointOf(n, roles);
    auto padded = padStored(n, x, zero, 2 + d, window);
    if (failed(padded))
      return failure();
    x = *padded;
    window.before = window.after = n.size(0);
  }
  if (x.rank() < 5) {
    if (x.rank() == 3)
      rest.insert(rest.begin(), WindowDim{1, 1, 1, n.size(0), n.size(0),
                                          n.size(0), n.size(1)});
    GraphValue high = withHeight(n, x), weight = withHeight(n, w);
    return Images{transpose(n, high, {0, 2, 3, 1}),
                  transpose(n, weight, {0, 2, 3, 1}), rest};
  }
  auto image = joinDepth(n, x, rest[0], groups);
  GraphValue weight = transpose(n, w, {0, 3, 4, 2, 1});
  Shape joined{w.shape[0], w.shape[3], w.shape[4],
               n.mul(w.shape[2], w.shape[1])};
  if (failed(image))
    return failure();
  return Images{*image, reshape(n, weight, joined),
                SmallVector<WindowDim>(ArrayRef(rest).drop_front())};
}

/// Checks the sizes of image and weight; gives the windows.
static FailureOr<SmallVector<WindowDim>>
readConvolution(NodeImporter &n, const Roles &roles, int64_t groups) {
  GraphValue &x = n.in(roles.x), &w = n.in(roles.w);
  std::optional<SmallVector<int64_t>> sizes = knownSizes(w.shape);
  if (x.rank() != w.rank() || x.rank() < 3 || x.rank() > 5 || !sizes ||
      !knownSize(x.shape[1]))
    return n.refuse() << "needs an image with 1 to 3 spatial dimensions and "
                         "known channels, and a weight of known sizes";
  ArrayRef<int64_t> kernel = ArrayRef(*sizes).drop_front(2);
  ArrayRef<int64_t> given = n.getInts("kernel_shape");
  bool agrees = groups >= 1 && (*sizes)[0] % groups == 0 &&
                *knownSize(x.shape[1]) == (*sizes)[1] * groups;
  if (!agrees || (!given.empty() && given != kernel))
    return n.refuse() << "has a weight that does not fit its image, its groups "
                         "or its kernel_shape; correct the weight";
  return readWindows(n, x, kernel);
}

static LogicalResult importIntegerConv(NodeImporter &n, const Roles &roles) {
  if (failed(verifyRoles(n, roles)))
    return failure();
  int64_t groups = n.getInt("group", 1);
  auto windows = readConvolution(n, roles, groups);
  if (failed(windows))
    return failure();
  GraphValue &x = n.in(roles.x);
  int64_t channels = *knownSize(n.in(roles.w).shape[0]);
  FailureOr<Params> p = readParams(n, roles, channels);
  if (failed(p))
    return failure();
  FailureOr<Images> images = readImages(n, roles, *windows, groups);
  if (failed(images))
    return failure();
  const WindowDim &filterY = images->windows[0], &filterX = images->windows[1];
  Shape shape{images->image.shape[0],
              x.rank() == 3 ? n.size(1) : windows->end()[-2].count,
              windows->back().count, n.size(channels)};
  auto widthOf = [](OpFoldResult size) { return *knownSize(size); };
  Value y = qnn::Conv2DOp::create(
      n.b, n.loc, n.type(resultType(n, roles), shape), n.tensor(images->image),
      n.tensor(images->weight), p->bias, p->xScale, p->xZero, p->wScale,
      p->wZero, p->yScale, p->yZero,
      ArrayRef<int64_t>{filterY.stride, filterX.stride},
      ArrayRef<int64_t>{filterY.dilation, filterX.dilation},
      ArrayRef<int64_t>{widthOf(filterY.before), widthOf(filterY.after),
                        widthOf(filterX.before), widthOf(filterX.after)},
      groups, FloatAttr(), FloatAttr());
  GraphValue last = toGraphValue(y, shape);
  if (x.rank() == 5) {
    GraphValue deep = splitDepth(n, last, x.shape[0], windows->front().count);
    return n.set(0, transpose(n, deep, {0, 4, 1, 2, 3}));
  }
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
  return broadcastTo(n, x, shape);
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
    if (i != ~0u && n.has(i) && !isOneNumber(n.in(i)))
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
