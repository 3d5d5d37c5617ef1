//===- QNNPooling.cpp - qnn.max_pool2d and qnn.avg_pool2d -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Window by window, over the elements that are inside of the image: nothing is
// padded here.
//
//===----------------------------------------------------------------------===//

#include "QNNParams.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::reference;

namespace {
/// The windows along one dimension of an image.
struct Axis {
  int64_t size, kernel, stride = 1, dilation = 1, before = 0, after = 0;

  int64_t outputs() const {
    assert(stride > 0 && kernel > 0 && "windows have elements, and move");
    int64_t room = size + before + after - dilation * (kernel - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
  }
  /// The places inside of the image of window number `i`.
  llvm::SmallVector<int64_t> places(int64_t i) const {
    llvm::SmallVector<int64_t> result;
    for (int64_t k = 0; k < kernel; ++k) {
      int64_t place = i * stride - before + k * dilation;
      if (place >= 0 && place < size)
        result.push_back(place);
    }
    return result;
  }
};

/// An image, the windows over it and the result, of an op that is evaluated.
struct Pooling {
  Axis h, w;
  const Tensor *image;
  Tensor result;
  unsigned threads;

  /// Makes sure that a window fits, and that each has an element of the image.
  llvm::Error start(Operation *op, const Evaluator &evaluator);

  /// Sets every element of the result to value(elements of its window, as
  /// their positions, channel).
  template <typename Value> void fill(Value value);
};
} // namespace

llvm::Error Pooling::start(Operation *op, const Evaluator &evaluator) {
  for (const Axis *axis : {&h, &w}) {
    const char *name = axis == &h ? "H" : "W";
    if (axis->outputs() == 0)
      return failure(op, "has an image of " + llvm::Twine(axis->size) +
                             " elements along " + name +
                             ", which is less than a window");
    if (axis->size == 0 ||
        (axis->before && axis->after && axis->size < axis->dilation))
      return failure(op, "has windows that lie in padding alone along " +
                             llvm::Twine(name) + ", where the image has " +
                             llvm::Twine(axis->size) + " elements");
  }
  llvm::Expected<Tensor> allocated = evaluator.allocate(
      op, op->getResult(0).getType(),
      {image->shape[0], h.outputs(), w.outputs(), image->shape[3]});
  if (!allocated)
    return allocated.takeError();
  result = std::move(*allocated);
  threads = evaluator.threads;
  return llvm::Error::success();
}

template <typename Value> void Pooling::fill(Value value) {
  int64_t channels = image->shape[3];
  forRows(threads, result.shape, [&](int64_t row, int64_t first, int64_t) {
    int64_t j = row % w.outputs(), i = row / w.outputs() % h.outputs();
    int64_t n = row / w.outputs() / h.outputs();
    llvm::SmallVector<int64_t> pixels;
    for (int64_t y : h.places(i))
      for (int64_t x : w.places(j))
        pixels.push_back(((n * h.size + y) * w.size + x) * channels);
    for (int64_t c = 0; c < channels; ++c) {
      llvm::SmallVector<int64_t> elements(pixels);
      for (int64_t &element : elements)
        element += c;
      result.set(first + c, value(elements, c));
    }
  });
}

static Scalar integer(int64_t value) {
  Scalar scalar;
  scalar.i = value;
  return scalar;
}

llvm::Expected<RtValue>
qcc::reference::evaluateMaxPool(qnn::MaxPool2DOp op, const Evaluator &evaluator,
                                const Env &env) {
  const Tensor &x = evaluator.valueOf(op.getInput(), env).tensor;
  auto axis = [&](unsigned d) {
    return Axis{x.shape[1 + d],         op.getWindow()[d],
                op.getStrides()[d],     op.getDilations()[d],
                op.getPadding()[2 * d], op.getPadding()[2 * d + 1]};
  };
  Pooling pooling{axis(0), axis(1), &x, {}, 1};
  if (llvm::Error error = pooling.start(op, evaluator))
    return std::move(error);
  llvm::Expected<RuntimeParams> params =
      RuntimeParams::get(op, op.getInputParams(), x.shape, evaluator, env);
  if (!params)
    return params.takeError();
  pooling.fill([&](llvm::ArrayRef<int64_t> elements, int64_t) {
    assert(!elements.empty() && "start() refuses windows of padding alone");
    int64_t greatest = params->stored(x, elements.front());
    for (int64_t element : elements)
      greatest = std::max(greatest, params->stored(x, element));
    return integer(greatest);
  });
  return RtValue(pooling.result);
}

llvm::Expected<RtValue>
qcc::reference::evaluateAvgPool(qnn::AvgPool2DOp op, const Evaluator &evaluator,
                                const Env &env) {
  const Tensor &x = evaluator.valueOf(op.getInput(), env).tensor;
  auto axis = [&](unsigned d) {
    if (op.isGlobal())
      return Axis{x.shape[1 + d], x.shape[1 + d]};
    return Axis{x.shape[1 + d],         (*op.getWindow())[d],
                op.getStrides()[d],     1,
                op.getPadding()[2 * d], op.getPadding()[2 * d + 1]};
  };
  Pooling pooling{axis(0), axis(1), &x, {}, 1};
  if (op.isGlobal() && (x.shape[1] == 0 || x.shape[2] == 0))
    return failure(op, "has an image without elements, which has no mean");
  if (llvm::Error error = pooling.start(op, evaluator))
    return std::move(error);
  int64_t whole = pooling.h.kernel * pooling.w.kernel;
  if (whole > op.getMostElements())
    return failure(op, "has a window of " + llvm::Twine(whole) +
                           " elements, whose sum could overflow i32");
  llvm::Expected<RuntimeParams> from =
      RuntimeParams::get(op, op.getInputParams(), x.shape, evaluator, env);
  if (!from)
    return from.takeError();
  std::optional<RuntimeParams> to;
  if (op.hasQuantizedResult()) {
    llvm::Expected<RuntimeParams> params = RuntimeParams::get(
        op, op.getResultParams(), pooling.result.shape, evaluator, env);
    if (!params)
      return params.takeError();
    to = std::move(*params);
  }
  pooling.fill([&](llvm::ArrayRef<int64_t> elements, int64_t c) {
    RowParams sx = from->row(0);
    int64_t acc = 0;
    for (int64_t element : elements)
      acc += from->stored(x, element) - sx.zeroPoint(c);
    assert(!elements.empty() && "start() refuses windows of padding alone");
    float count = static_cast<float>(
        op.getCountIncludePad() ? whole : int64_t(elements.size()));
    float factor = sx.scale(c) / count;
    if (to) {
      RowParams sy = to->row(0);
      return integer(roundAndSaturate(scaled(acc, factor / sy.scale(c)),
                                      sy.zeroPoint(c), to->range()));
    }
    Scalar real;
    real.f = scaled(acc, factor);
    return real;
  });
  return RtValue(pooling.result);
}
