//===- Pooling.cpp - Poolings ---------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Ops.h"
#include "../Quantized.h"
#include "../Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <limits>

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

using Iterator = utils::IteratorType;

namespace {
struct Pool {
  Window y, x;
  fb::Activation activation;
};
} // namespace

static FailureOr<Pool> readPool(OpImporter &n) {
  auto *options = n.options<fb::Pool2DOptions>(fb::OptionsType_Pool2D);
  if (!options)
    return failure();
  GraphValue &image = n.in(0);
  if (image.rank() != 4)
    return n.refuse() << "takes an image with 4 dimensions, not "
                      << n.type(image.element, image.shape) << "; reshape it";
  auto y = makeWindow(n, image.shape[1], options->filter_h(),
                      options->stride_h(), 1, options->padding()),
       x = makeWindow(n, image.shape[2], options->filter_w(),
                      options->stride_w(), 1, options->padding());
  if (failed(y) || failed(x))
    return failure();
  return Pool{*y, *x, options->activation()};
}

/// `combine` over the windows of an image, which is padded by `start`.
static GraphValue pool(OpImporter &n, const Pool &p, GraphValue &image,
                       Type element, double start, ScalarBody combine) {
  GraphValue padded = padImage(n, image, p.y, p.x, start);
  Shape shape{image.shape[0], p.y.count, p.x.count, image.shape[3]};
  Shape window = n.shape({p.y.kernel, p.x.kernel});
  // An operand that is not read says how large the windows are.
  Value extent = tensor::EmptyOp::create(
      n.b, n.loc, ArrayRef<OpFoldResult>(window), image.element);
  SmallVector<AffineExpr> d;
  for (unsigned i = 0; i < 6; ++i)
    d.push_back(n.b.getAffineDimExpr(i));
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(6, 0, exprs, n.b.getContext());
  };
  SmallVector<Iterator> iterators(4, Iterator::parallel);
  iterators.append(2, Iterator::reduction);
  Value result = generic(
      n, {n.tensor(padded), extent}, filled(n, element, shape, start),
      {map({d[0], p.y.position(d[1], d[4]), p.x.position(d[2], d[5]), d[3]}),
       map({d[4], d[5]}), map({d[0], d[1], d[2], d[3]})},
      iterators, [&](Scalars &s, ValueRange args) {
        return combine(s, {args[2], args[0]});
      });
  return toGraphValue(result, shape);
}

LogicalResult tflite::importMaxPool(OpImporter &n) {
  FailureOr<Pool> p = readPool(n);
  if (failed(p))
    return failure();
  GraphValue &image = n.in(0);
  double least = image.isFloat()
                     ? -std::numeric_limits<double>::infinity()
                     : static_cast<double>(rangeOf(image.element).least);
  GraphValue y =
      pool(n, *p, image, image.element, least,
           [](Scalars &s, ValueRange x) { return s.max(x[0], x[1]); });
  if (image.isFloat()) {
    auto result = activate(n, y, p->activation);
    return failed(result) ? failure() : n.set(*result);
  }
  if (p->activation == fb::Activation_None)
    return n.set(y);
  auto affine = n.resultAffine();
  if (failed(affine))
    return failure();
  auto range = activationRange(n, p->activation, image.element, *affine);
  if (failed(range))
    return failure();
  auto result =
      elementwise(n, {&y}, image.element, [&](Scalars &s, ValueRange x) {
        return clamp(s, x[0], *range);
      });
  return failed(result) ? failure() : n.set(*result);
}

//===----------------------------------------------------------------------===//
// Averages
//===----------------------------------------------------------------------===//

/// How many elements of the image each window has, as values of `element` and
/// shape [height, width, 1].
static FailureOr<GraphValue> countElements(OpImporter &n, const Pool &p,
                                           Type element) {
  auto sizes = knownSizes({n.in(0).shape[1], n.in(0).shape[2], p.y.count,
                           p.x.count, p.y.before, p.x.before});
  bool isFull = knownSize(p.y.before) == 0 && knownSize(p.y.after) == 0 &&
                knownSize(p.x.before) == 0 && knownSize(p.x.after) == 0;
  Shape shape = n.shape({1, 1, 1});
  int64_t all = p.y.kernel * p.x.kernel;
  if (isFull)
    return toGraphValue(filled(n, element, shape, static_cast<double>(all)),
                        shape);
  constexpr int64_t most = 1 << 24;
  if (!sizes || (*sizes)[2] * (*sizes)[3] > most)
    return n.refuse() << "pads an image of dynamic sizes, which is not "
                         "supported; give its height and width constant sizes";
  auto count = [](const Window &w, int64_t o, int64_t size, int64_t before) {
    int64_t first = o * w.stride - before;
    return std::min(first + w.kernel, size) - std::max<int64_t>(first, 0);
  };
  std::vector<Attribute> counts;
  for (int64_t y = 0; y < (*sizes)[2]; ++y)
    for (int64_t x = 0; x < (*sizes)[3]; ++x) {
      int64_t number = count(p.y, y, (*sizes)[0], (*sizes)[4]) *
                       count(p.x, x, (*sizes)[1], (*sizes)[5]);
      counts.push_back(isa<FloatType>(element)
                           ? Attribute(n.b.getFloatAttr(element, number))
                           : n.b.getIntegerAttr(element, number));
    }
  auto type = RankedTensorType::get({(*sizes)[2], (*sizes)[3], 1}, element);
  return Constants::toValue(n.b, DenseElementsAttr::get(type, counts));
}

/// A sum divided by a count, rounded to nearest, half away from zero.
static Value divideRounded(Scalars &s, Value sum, Value count) {
  Value half =
      arith::ShRUIOp::create(s.b, s.loc, count, s.constant(count.getType(), 1));
  Value isPositive = s.less(s.constant(sum.getType(), 0), sum);
  return s.div(s.select(isPositive, s.add(sum, half), s.sub(sum, half)), count);
}

LogicalResult tflite::importAveragePool(OpImporter &n) {
  FailureOr<Pool> p = readPool(n);
  if (failed(p))
    return failure();
  GraphValue &image = n.in(0);
  bool isFloat = image.isFloat();
  Type sum = isFloat ? image.element : Type(n.b.getI32Type());
  auto count = countElements(n, *p, sum);
  if (failed(count))
    return failure();
  // Integers are padded by the zeros of their sums.
  GraphValue wide = image;
  if (!isFloat)
    wide = *convert(n, image, sum);
  GraphValue sums = pool(n, *p, wide, sum, 0.0, [](Scalars &s, ValueRange x) {
    return s.add(x[0], x[1]);
  });
  if (isFloat) {
    auto mean =
        elementwise(n, {&sums, &*count}, sum,
                    [](Scalars &s, ValueRange x) { return s.div(x[0], x[1]); });
    if (failed(mean))
      return failure();
    auto result = activate(n, *mean, p->activation);
    return failed(result) ? failure() : n.set(*result);
  }
  StoredRange range = rangeOf(image.element);
  if (p->activation != fb::Activation_None) {
    auto affine = n.resultAffine();
    if (failed(affine))
      return failure();
    auto limited = activationRange(n, p->activation, image.element, *affine);
    if (failed(limited))
      return failure();
    range = *limited;
  }
  // Sums of uint8 are rounded as those of numbers from 0 to 255.
  int64_t moved = n.info(0).type == fb::TensorType_UInt8 ? 128 : 0;
  auto result =
      elementwise(n, {&sums, &*count}, image.element,
                  [&](Scalars &s, ValueRange x) -> Value {
                    Value total = x[0],
                          shift = s.constant(sum, static_cast<double>(moved));
                    if (moved)
                      total = s.add(total, s.mul(x[1], shift));
                    Value mean = divideRounded(s, total, x[1]);
                    return narrow(s, moved ? s.sub(mean, shift) : mean,
                                  image.element, 0, range);
                  });
  return failed(result) ? failure() : n.set(*result);
}
