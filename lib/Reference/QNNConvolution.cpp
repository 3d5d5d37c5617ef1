//===- QNNConvolution.cpp - qnn.conv2d and qnn.conv_transpose2d -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions by their definition, group by group; then N3 or N6 by the type
// of the result. Windows, sizes and padding are computed from the attributes
// here: nothing is shared with the compiler.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "QNNContraction.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::reference;

namespace {

/// The shapes, and the differences x - zx and w - zw.
struct Convolution : ContractionEnd {
  explicit Convolution(const Evaluator &evaluator) : evaluator(evaluator) {}

  const Evaluator &evaluator;
  int64_t n = 0, h = 0, w = 0, c = 0; ///< of the input
  int64_t f = 0, kh = 0, kw = 0;      ///< of the weight
  int64_t oh = 0, ow = 0, groups = 1; ///< of the result
  int64_t strideH = 1, strideW = 1, dilationH = 1, dilationW = 1;
  int64_t top = 0, bottom = 0, left = 0, right = 0;
  std::vector<int32_t> x, weight;
  float xScale = 1;
  std::vector<float> weightScales; ///< one per channel of the result

  template <typename Op> llvm::Error start(Op op, const Env &env);
  template <typename Op>
  llvm::Error allocate(Op op, const Env &env, int64_t resultH, int64_t resultW);
  void store(int64_t pixel, int64_t channel, int64_t acc) {
    result.set(pixel * f + channel,
               finish(acc, xScale, weightScales[channel], channel));
  }
};

} // namespace

/// Everything but the result.
template <typename Op> llvm::Error Convolution::start(Op op, const Env &env) {
  const Tensor &input = evaluator.valueOf(op.getInput(), env).tensor;
  const Tensor &filter = evaluator.valueOf(op.getWeight(), env).tensor;
  n = input.shape[0], h = input.shape[1], w = input.shape[2];
  c = input.shape[3], groups = op.getGroups();
  f = filter.shape[0], kh = filter.shape[1], kw = filter.shape[2];
  strideH = op.getStrides()[0], strideW = op.getStrides()[1];
  dilationH = op.getDilations()[0], dilationW = op.getDilations()[1];
  top = op.getPadding()[0], bottom = op.getPadding()[1];
  left = op.getPadding()[2], right = op.getPadding()[3];
  if (op.getBias())
    bias = &evaluator.valueOf(op.getBias(), env).tensor;

  llvm::Expected<RuntimeParams> inputParams =
      RuntimeParams::get(op, op.getInputParams(), input.shape, evaluator, env);
  if (!inputParams)
    return inputParams.takeError();
  llvm::Expected<RuntimeParams> weightParams = RuntimeParams::get(
      op, op.getWeightParams(), filter.shape, evaluator, env);
  if (!weightParams)
    return weightParams.takeError();

  RowParams all = inputParams->row(0);
  // Of a zero point, what can be stored: that is what padding holds.
  int64_t zero = inputParams->isSigned() ? int64_t(int8_t(all.zeroPoint(0)))
                                         : int64_t(uint8_t(all.zeroPoint(0)));
  xScale = all.scale(0);
  x.resize(input.count());
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<int32_t>(inputParams->stored(input, i) - zero);

  int64_t perFilter = kh * kw * filter.shape[3];
  weight.resize(filter.count());
  for (int64_t channel = 0; channel < f; ++channel) {
    RowParams row = weightParams->row(channel * kh * kw);
    weightScales.push_back(row.scale(0));
    for (int64_t i = channel * perFilter; i < (channel + 1) * perFilter; ++i)
      weight[i] = static_cast<int32_t>(weightParams->stored(filter, i) -
                                       row.zeroPoint(0));
  }
  return llvm::Error::success();
}

template <typename Op>
llvm::Error Convolution::allocate(Op op, const Env &env, int64_t resultH,
                                  int64_t resultW) {
  if (resultH < 1 || resultW < 1)
    return failure(op, "has no window in an input of " + llvm::Twine(h) +
                           " x " + llvm::Twine(w) + " elements");
  oh = resultH, ow = resultW;
  llvm::Expected<Tensor> allocated =
      evaluator.allocate(op, op.getType(), {n, oh, ow, f});
  if (!allocated)
    return allocated.takeError();
  result = std::move(*allocated);
  return read(op, evaluator, env);
}

/// How many windows of `kernel` elements there are in `size` elements.
static int64_t windowsIn(int64_t size, int64_t kernel, int64_t dilation,
                         int64_t stride) {
  int64_t last = size - (dilation * (kernel - 1) + 1);
  return last < 0 ? 0 : last / stride + 1;
}

llvm::Expected<RtValue>
qcc::reference::evaluateConv2D(qnn::Conv2DOp op, const Evaluator &evaluator,
                               const Env &env) {
  Convolution conv(evaluator);
  if (llvm::Error error = conv.start(op, env))
    return std::move(error);
  if (llvm::Error error =
          conv.allocate(op, env,
                        windowsIn(conv.top + conv.h + conv.bottom, conv.kh,
                                  conv.dilationH, conv.strideH),
                        windowsIn(conv.left + conv.w + conv.right, conv.kw,
                                  conv.dilationW, conv.strideW)))
    return std::move(error);

  int64_t channels = conv.c / conv.groups, filters = conv.f / conv.groups;
  for (int64_t group = 0; group < conv.groups; ++group) {
    IntContraction loop;
    loop.m = conv.n * conv.oh * conv.ow;
    loop.n = filters;
    loop.k = conv.kh * conv.kw * channels;
    loop.packX = [&](int64_t pixel, int64_t *to) {
      int64_t image = pixel / (conv.oh * conv.ow);
      int64_t firstRow = pixel / conv.ow % conv.oh * conv.strideH - conv.top;
      int64_t firstColumn = pixel % conv.ow * conv.strideW - conv.left;
      for (int64_t i = 0; i < conv.kh; ++i)
        for (int64_t j = 0; j < conv.kw; ++j) {
          int64_t row = firstRow + i * conv.dilationH;
          int64_t column = firstColumn + j * conv.dilationW;
          bool isInside =
              row >= 0 && row < conv.h && column >= 0 && column < conv.w;
          int64_t at = ((image * conv.h + row) * conv.w + column) * conv.c +
                       group * channels;
          for (int64_t k = 0; k < channels; ++k)
            *to++ = isInside ? conv.x[at + k] : 0;
        }
    };
    loop.packY = [&](int64_t filter, int64_t *to) {
      const int32_t *from =
          conv.weight.data() + (group * filters + filter) * loop.k;
      std::copy(from, from + loop.k, to);
    };
    loop.sink = [&](int64_t pixel, int64_t filter, int64_t count,
                    const int64_t *sums) {
      for (int64_t i = 0; i < count; ++i)
        conv.store(pixel, group * filters + filter + i, sums[i]);
    };
    loop.run(evaluator.threads);
  }
  return RtValue(conv.result);
}

llvm::Expected<RtValue> qcc::reference::evaluateConvTranspose2D(
    qnn::ConvTranspose2DOp op, const Evaluator &evaluator, const Env &env) {
  Convolution conv(evaluator);
  if (llvm::Error error = conv.start(op, env))
    return std::move(error);
  auto sizeOf = [](int64_t size, int64_t stride, int64_t kernel,
                   int64_t dilation, int64_t added, int64_t cut) {
    return size < 1 ? 0
                    : (size - 1) * stride + dilation * (kernel - 1) + 1 +
                          added - cut;
  };
  llvm::ArrayRef<int64_t> added = op.getOutputPadding();
  if (llvm::Error error =
          conv.allocate(op, env,
                        sizeOf(conv.h, conv.strideH, conv.kh, conv.dilationH,
                               added[0], conv.top + conv.bottom),
                        sizeOf(conv.w, conv.strideW, conv.kw, conv.dilationW,
                               added[1], conv.left + conv.right)))
    return std::move(error);

  // Each pixel of the input adds to a window of the result.
  int64_t channels = conv.c / conv.groups, filters = conv.f / conv.groups;
  int64_t pixels = conv.n * conv.oh * conv.ow;
  auto addFilter = [&](int64_t filter) {
    std::vector<uint32_t> sums(pixels);
    const int32_t *weight =
        conv.weight.data() + filter * conv.kh * conv.kw * channels;
    int64_t firstChannel = filter / filters * channels;
    for (int64_t at = 0; at < conv.n * conv.h * conv.w; ++at) {
      int64_t image = at / (conv.h * conv.w);
      int64_t row = at / conv.w % conv.h, column = at % conv.w;
      const int32_t *x = conv.x.data() + at * conv.c + firstChannel;
      for (int64_t i = 0; i < conv.kh; ++i)
        for (int64_t j = 0; j < conv.kw; ++j) {
          int64_t toRow = row * conv.strideH + i * conv.dilationH - conv.top;
          int64_t toColumn =
              column * conv.strideW + j * conv.dilationW - conv.left;
          if (toRow < 0 || toRow >= conv.oh || toColumn < 0 ||
              toColumn >= conv.ow)
            continue;
          uint32_t &sum = sums[(image * conv.oh + toRow) * conv.ow + toColumn];
          for (int64_t k = 0; k < channels; ++k)
            sum +=
                static_cast<uint32_t>(x[k]) *
                static_cast<uint32_t>(weight[(i * conv.kw + j) * channels + k]);
        }
    }
    for (int64_t pixel = 0; pixel < pixels; ++pixel)
      conv.store(pixel, filter, static_cast<int32_t>(sums[pixel]));
  };
  parallelFor(evaluator.threads, conv.f, 1, [&](int64_t begin, int64_t end) {
    for (int64_t filter = begin; filter < end; ++filter)
      addFilter(filter);
  });
  return RtValue(conv.result);
}
