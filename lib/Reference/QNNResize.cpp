//===- QNNResize.cpp - qnn.resize -----------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element by element, from the place of each in the image: a fraction of
// integers, of which whole parts and rests are exact.
//
//===----------------------------------------------------------------------===//

#include "QNNParams.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::reference;

namespace {
/// Of the mode linear: two neighbours and the weight of the second.
struct Neighbours {
  int64_t first, second;
  float weight;
};

/// One dimension of the image and of the result.
struct Axis {
  int64_t n, m;
  llvm::StringRef transformation;

  /// The whole part of x + shift / 2 for the place x of `o`, and what is left
  /// of it as a fraction below 1.
  struct Split {
    int64_t whole, rest, divisor;
  };
  Split split(int64_t o, int64_t shift) const {
    int64_t above, below;
    if (transformation == "half_pixel") {
      above = (2 * o + 1) * n - m;
      below = 2 * m;
    } else if (transformation == "asymmetric") {
      above = o * n;
      below = m;
    } else {
      above = m == 1 ? 0 : o * (n - 1);
      below = m == 1 ? 1 : m - 1;
    }
    above = 2 * above + shift * below;
    below = 2 * below;
    int64_t rest = (above % below + below) % below;
    return {(above - rest) / below, rest, below};
  }
  int64_t inside(int64_t place) const {
    return std::min(std::max<int64_t>(place, 0), n - 1);
  }

  int64_t nearest(int64_t o, llvm::StringRef rounding) const {
    // A number rounded up is its whole part, and one more if there is a rest.
    auto up = [](Split x) { return x.whole + (x.rest != 0); };
    if (rounding == "floor")
      return inside(split(o, 0).whole);
    if (rounding == "ceil")
      return inside(up(split(o, 0)));
    if (rounding == "round_prefer_ceil")
      return inside(split(o, 1).whole);
    return inside(up(split(o, -1)));
  }
  Neighbours neighbours(int64_t o) const {
    Split x = split(o, 0);
    long double weight = static_cast<long double>(x.rest) / x.divisor;
    return {inside(x.whole), inside(x.whole + 1), static_cast<float>(weight)};
  }
};

/// An op that is being evaluated.
struct Resizing {
  qnn::ResizeOp op;
  const Tensor &image;
  Axis h, w;
  Tensor result;
  unsigned threads;

  int64_t channels() const { return image.shape[3]; }
  /// Where the first channel of a pixel of the image is.
  int64_t pixel(int64_t batch, int64_t row, int64_t column) const {
    return ((batch * h.n + row) * w.n + column) * channels();
  }
  /// Calls body(first element, batch, row, column) for each pixel of the
  /// result.
  template <typename Body> void forPixels(Body body) {
    forRows(threads, result.shape, [&](int64_t number, int64_t first, int64_t) {
      body(first, number / (h.m * w.m), number / w.m % h.m, number % w.m);
    });
  }

  void nearest();
  llvm::Error linear(const Evaluator &evaluator, const Env &env);
};
} // namespace

void Resizing::nearest() {
  llvm::StringRef rounding = *op.getRounding();
  forPixels([&](int64_t first, int64_t batch, int64_t row, int64_t column) {
    int64_t from =
        pixel(batch, h.nearest(row, rounding), w.nearest(column, rounding));
    for (int64_t c = 0; c < channels(); ++c)
      result.set(first + c, image.get(from + c));
  });
}

llvm::Error Resizing::linear(const Evaluator &evaluator, const Env &env) {
  llvm::Expected<RuntimeParams> from =
      RuntimeParams::get(op, op.getInputParams(), image.shape, evaluator, env);
  if (!from)
    return from.takeError();
  std::optional<RuntimeParams> to;
  if (op.hasQuantizedResult()) {
    llvm::Expected<RuntimeParams> params = RuntimeParams::get(
        op, op.getResultParams(), result.shape, evaluator, env);
    if (!params)
      return params.takeError();
    to = std::move(*params);
  }
  RowParams sx = from->row(0);
  forPixels([&](int64_t first, int64_t batch, int64_t row, int64_t column) {
    Neighbours y = h.neighbours(row), x = w.neighbours(column);
    for (int64_t c = 0; c < channels(); ++c) {
      auto value = [&](int64_t line, int64_t place) {
        int64_t q = from->stored(image, pixel(batch, line, place) + c);
        return static_cast<float>(static_cast<int32_t>(q - sx.zeroPoint(c)));
      };
      auto along = [&](int64_t line) {
        float left = value(line, x.first), right = value(line, x.second);
        return std::fma(right - left, x.weight, left);
      };
      float top = along(y.first), bottom = along(y.second);
      float t = std::fma(bottom - top, y.weight, top);
      Scalar scalar;
      if (to) {
        RowParams sy = to->row(0);
        scalar.i = roundAndSaturate(t * (sx.scale(c) / sy.scale(c)),
                                    sy.zeroPoint(c), to->range());
      } else {
        scalar.f = t * sx.scale(c);
      }
      result.set(first + c, scalar);
    }
  });
  return llvm::Error::success();
}

llvm::Expected<RtValue>
qcc::reference::evaluateResize(qnn::ResizeOp op, const Evaluator &evaluator,
                               const Env &env) {
  const Tensor &image = evaluator.valueOf(op.getInput(), env).tensor;
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto axis = [&](unsigned d) {
    return Axis{image.shape[d], type.getDimSize(d),
                op.getCoordinateTransformation()};
  };
  llvm::Expected<Tensor> result = evaluator.allocate(
      op, type,
      {image.shape[0], type.getDimSize(1), type.getDimSize(2), image.shape[3]});
  if (!result)
    return result.takeError();
  Resizing resizing{op, image, axis(1), axis(2), *result, evaluator.threads};
  if (op.isNearest())
    resizing.nearest();
  else if (llvm::Error error = resizing.linear(evaluator, env))
    return std::move(error);
  return RtValue(resizing.result);
}
