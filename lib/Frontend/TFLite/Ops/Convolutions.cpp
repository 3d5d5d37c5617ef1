//===- Convolutions.cpp - Convolutions ------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Ops.h"
#include "../Windows.h"
#include "Contractions.h"
#include "qcc/Dialect/Utils/ConstantData.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

using Iterator = utils::IteratorType;

/// Refuses operands that are no image and no weight of known sizes.
static LogicalResult verifyImage(OpImporter &n, GraphValue &x, GraphValue &w) {
  if (x.rank() == 4 && w.rank() == 4 && knownSizes(w.shape) &&
      knownSize(x.shape[3]))
    return success();
  return n.refuse() << "takes an image and a weight with 4 dimensions, not "
                    << n.type(x.element, x.shape) << " and "
                    << n.type(w.element, w.shape) << "; reshape them";
}

namespace {
struct ConvOptions {
  fb::Padding padding;
  int64_t strideY, strideX, dilationY, dilationX;
  fb::Activation activation;
};
} // namespace

template <typename Table> static ConvOptions toConvOptions(const Table &table) {
  return {table.padding(),    table.stride_h(),   table.stride_w(),
          table.dilation_h(), table.dilation_w(), table.activation()};
}

/// The windows along height and width of an image and a weight.
static FailureOr<std::pair<Window, Window>>
makeWindows(OpImporter &n, GraphValue &image, ArrayRef<int64_t> weight,
            const ConvOptions &options) {
  auto y = makeWindow(n, image.shape[1], weight[1], options.strideY,
                      options.dilationY, options.padding),
       x = makeWindow(n, image.shape[2], weight[2], options.strideX,
                      options.dilationX, options.padding);
  if (failed(y) || failed(x))
    return failure();
  return std::pair(*y, *x);
}

/// A convolution with a weight [outputs, height, width, inputs], whose inputs
/// may be a part of the channels, of groups.
static LogicalResult convolve(OpImporter &n, const ConvOptions &options) {
  Contraction c;
  if (failed(verifyImage(n, n.in(0), n.in(1))) ||
      failed(readOperands(n, c, 0, 1, /*axis=*/0)))
    return failure();
  SmallVector<int64_t> w = *knownSizes(c.w.shape);
  int64_t channels = *knownSize(c.x.shape[3]);
  if (w[3] < 1 || channels < 1 || channels % w[3] != 0 ||
      w[0] % (channels / w[3]) != 0)
    return n.refuse() << "has " << channels << " channels and a weight of "
                      << w[3] << " inputs and " << w[0]
                      << " outputs; correct the model";
  auto windows = makeWindows(n, c.x, w, options);
  if (failed(windows))
    return failure();
  auto [y, x] = *windows;
  int64_t groups = channels / w[3];
  c.x = padImage(n, c.x, y, x, c.xZero);
  c.shape = {c.x.shape[0], y.count, x.count};
  SmallVector<AffineExpr> d;
  for (unsigned i = 0; i < 8; ++i)
    d.push_back(n.b.getAffineDimExpr(i));
  if (groups == 1) {
    c.shape.push_back(n.size(w[0]));
    c.iterators.assign(4, Iterator::parallel);
    c.readX = {d[0], y.position(d[1], d[4]), x.position(d[2], d[5]), d[6]};
    c.readW = {d[3], d[4], d[5], d[6]};
    c.iterators.append(3, Iterator::reduction);
    return setContraction(n, c, 2, options.activation);
  }
  return n.refuse() << "has " << groups
                    << " groups, which are not supported; split the op, or "
                       "use DEPTHWISE_CONV_2D";
}

LogicalResult tflite::importConv2D(OpImporter &n) {
  auto *table = n.options<fb::Conv2DOptions>(fb::OptionsType_Conv2D);
  return table ? convolve(n, toConvOptions(*table)) : failure();
}

LogicalResult tflite::importDepthwiseConv2D(OpImporter &n) {
  auto *table =
      n.options<fb::DepthwiseConv2DOptions>(fb::OptionsType_DepthwiseConv2D);
  if (!table)
    return failure();
  ConvOptions options = toConvOptions(*table);
  Contraction c;
  if (failed(verifyImage(n, n.in(0), n.in(1))) ||
      failed(readOperands(n, c, 0, 1, /*axis=*/3)))
    return failure();
  SmallVector<int64_t> w = *knownSizes(c.w.shape);
  int64_t channels = *knownSize(c.x.shape[3]);
  if (w[0] != 1 || channels < 1 || w[3] % channels != 0 || w[3] == 0)
    return n.refuse() << "has " << channels << " channels and a weight of "
                      << w[0] << "x" << w[1] << "x" << w[2] << "x" << w[3]
                      << "; correct the model";
  auto windows = makeWindows(n, c.x, w, options);
  if (failed(windows))
    return failure();
  auto [y, x] = *windows;
  int64_t repeats = w[3] / channels;
  // Each channel is repeated, as often as it has results.
  if (repeats > 1) {
    Shape wide = c.x.shape;
    wide.push_back(n.size(repeats));
    GraphValue line = unsqueeze(n, c.x, {4});
    GraphValue all = broadcastTo(n, line, wide);
    Shape flat = c.x.shape;
    flat[3] = n.size(w[3]);
    c.x = reshape(n, all, flat);
  }
  c.x = padImage(n, c.x, y, x, c.xZero);
  c.w = squeeze(n, c.w, {0});
  c.shape = {c.x.shape[0], y.count, x.count, n.size(w[3])};
  SmallVector<AffineExpr> d;
  for (unsigned i = 0; i < 6; ++i)
    d.push_back(n.b.getAffineDimExpr(i));
  c.readX = {d[0], y.position(d[1], d[4]), x.position(d[2], d[5]), d[3]};
  c.readW = {d[4], d[5], d[3]};
  c.iterators.assign(4, Iterator::parallel);
  c.iterators.append(2, Iterator::reduction);
  return setContraction(n, c, 2, options.activation);
}

//===----------------------------------------------------------------------===//
// Transposed convolution
//===----------------------------------------------------------------------===//

/// A constant weight with its window turned around; null if its bytes are not
/// known.
static TypedAttr turnWindow(GraphValue &w) {
  auto data = w.constant ? ConstantData::get(w.constant) : std::nullopt;
  auto sizes = knownSizes(w.shape);
  if (!data || !sizes)
    return {};
  const SmallVector<int64_t> &s = *sizes;
  size_t row = s[3] * getElementBytes(w.element);
  std::vector<char> bytes(data->bytes.size());
  int64_t window = s[1] * s[2];
  for (int64_t o = 0; o < s[0]; ++o)
    for (int64_t k = 0; k < window; ++k)
      std::copy_n(data->bytes.begin() + (o * window + k) * row, row,
                  bytes.begin() + (o * window + window - 1 - k) * row);
  return makeConstant(RankedTensorType::get(s, w.element), bytes, "weight");
}

/// The image with `stride` - 1 elements of `value` between neighbours along
/// dimension `d`, and what puts the windows of one element apart into place:
/// result element o is the sum over the window that begins at o.
static FailureOr<GraphValue> spread(OpImporter &n, GraphValue x, int64_t d,
                                    int64_t kernel, int64_t stride,
                                    OpFoldResult wanted, fb::Padding padding,
                                    int32_t value) {
  OpFoldResult one = n.size(1);
  OpFoldResult extent =
      n.add(n.mul(n.sub(x.shape[d], one), n.size(stride)), one);
  OpFoldResult before = n.size(0);
  if (padding == fb::Padding_Same) {
    OpFoldResult covered = n.add(extent, n.size(kernel - 1));
    before = n.floorDiv(n.max(n.sub(covered, wanted), n.size(0)), n.size(2));
  }
  OpFoldResult low = n.sub(n.size(kernel - 1), before);
  OpFoldResult high =
      n.sub(n.sub(n.add(wanted, n.size(kernel - 1)), low), extent);
  for (OpFoldResult size : {low, high, extent})
    if (knownSize(size).value_or(0) < 0)
      return n.refuse() << "has an output shape that does not fit its image; "
                           "correct the model";
  Shape shape = x.shape;
  shape[d] = n.add(n.add(low, extent), high);
  Value all = filled(n, x.element, shape, value);
  SmallVector<OpFoldResult> starts(x.rank(), n.size(0));
  starts[d] = low;
  SmallVector<int64_t> strides(x.rank(), 1);
  strides[d] = stride;
  (void)n.tensor(x);
  return toGraphValue(insertSlice(n, all, x, starts, strides), shape);
}

LogicalResult tflite::importTransposeConv(OpImporter &n) {
  auto *options =
      n.options<fb::TransposeConvOptions>(fb::OptionsType_TransposeConv);
  auto sizes = n.integers(0, "its output shape");
  Contraction c;
  if (!options || failed(sizes) || failed(verifyImage(n, n.in(2), n.in(1))) ||
      failed(readOperands(n, c, 2, 1, /*axis=*/0)))
    return failure();
  SmallVector<int64_t> w = *knownSizes(c.w.shape);
  if (sizes->size() != 4 || w[3] != knownSize(c.x.shape[3]))
    return n.refuse() << "has an output shape of " << sizes->size()
                      << " sizes and a weight of " << w[3]
                      << " inputs; correct the model";
  int64_t strideY = options->stride_h(), strideX = options->stride_w();
  // The numbers are those of the convolution the other way around.
  auto y = makeWindow(n, (*sizes)[1], w[1], strideY, 1, fb::Padding_Same),
       x = makeWindow(n, (*sizes)[2], w[2], strideX, 1, fb::Padding_Same);
  if (failed(y) || failed(x))
    return failure();
  TypedAttr turned = turnWindow(n.in(1));
  if (!turned || !isInteger(c.x) != !isInteger(n.in(1)))
    return n.refuse() << "has weights that are no constant of the type of the "
                         "image, which is not supported; make them one";
  c.w = Constants::toValue(n.b, turned);
  for (auto [d, size, stride] :
       {std::tuple(1, w[1], strideY), std::tuple(2, w[2], strideX)}) {
    auto image = spread(n, c.x, d, size, stride, (*sizes)[d],
                        options->padding(), c.xZero);
    if (failed(image))
      return failure();
    c.x = *image;
  }
  c.shape = {c.x.shape[0], (*sizes)[1], (*sizes)[2], n.size(w[0])};
  SmallVector<AffineExpr> d;
  for (unsigned i = 0; i < 7; ++i)
    d.push_back(n.b.getAffineDimExpr(i));
  c.readX = {d[0], d[1] + d[4], d[2] + d[5], d[6]};
  c.readW = {d[3], d[4], d[5], d[6]};
  c.iterators.assign(4, Iterator::parallel);
  c.iterators.append(3, Iterator::reduction);
  return setContraction(n, c, 3, options->activation());
}

//===----------------------------------------------------------------------===//
// Three dimensions
//===----------------------------------------------------------------------===//

LogicalResult tflite::importConv3D(OpImporter &n) {
  auto *o = n.options<fb::Conv3DOptions>(fb::OptionsType_Conv3D);
  Contraction c;
  if (!o || failed(readOperands(n, c, 0, 1, /*axis=*/4)))
    return failure();
  std::optional<SmallVector<int64_t>> w;
  if (c.w.rank() == 5)
    w = knownSizes(c.w.shape);
  if (!w || c.x.rank() != 5 || (*w)[3] != knownSize(c.x.shape[4]))
    return n.refuse() << "takes an image and a weight with 5 dimensions, not "
                      << n.type(c.x.element, c.x.shape) << " and "
                      << n.type(c.w.element, c.w.shape)
                      << "; correct the model";
  int64_t strides[] = {o->stride_d(), o->stride_h(), o->stride_w()},
          dilations[] = {o->dilation_d(), o->dilation_h(), o->dilation_w()};
  SmallVector<AffineExpr> d;
  for (unsigned i = 0; i < 9; ++i)
    d.push_back(n.b.getAffineDimExpr(i));
  SmallVector<OpFoldResult> low(5, n.size(0)), high(5, n.size(0));
  c.shape = {c.x.shape[0]};
  c.readX = {d[0]};
  for (unsigned i = 0; i < 3; ++i) {
    auto window = makeWindow(n, c.x.shape[1 + i], (*w)[i], strides[i],
                             dilations[i], o->padding());
    if (failed(window))
      return failure();
    low[1 + i] = window->before;
    high[1 + i] = window->after;
    c.shape.push_back(window->count);
    c.readX.push_back(window->position(d[1 + i], d[5 + i]));
  }
  Value zero = Scalars(n.b, n.loc).constant(c.x.element, c.xZero);
  c.x = pad(n, c.x, low, high, zero);
  c.shape.push_back(n.size((*w)[4]));
  c.readX.push_back(d[8]);
  c.readW = {d[5], d[6], d[7], d[8], d[4]};
  c.iterators.assign(5, Iterator::parallel);
  c.iterators.append(4, Iterator::reduction);
  return setContraction(n, c, 2, o->activation());
}
