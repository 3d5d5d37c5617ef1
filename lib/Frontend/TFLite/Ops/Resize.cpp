//===- Resize.cpp - Images of another size --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Ops.h"
#include "../Quantized.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

/// The heights and widths of image and result.
static FailureOr<std::pair<SmallVector<int64_t>, SmallVector<int64_t>>>
readSizes(OpImporter &n) {
  GraphValue &x = n.in(0);
  auto wanted = n.constants(1, "its size");
  if (failed(wanted))
    return failure();
  std::optional<SmallVector<int64_t>> sizes;
  if (x.rank() == 4)
    sizes = knownSizes({x.shape[1], x.shape[2]});
  constexpr int64_t most = 1 << 20;
  if (!sizes || wanted->size() != 2 ||
      llvm::any_of(*wanted, [](int64_t s) { return s < 1 || s > most; }) ||
      llvm::any_of(*sizes, [](int64_t s) { return s < 1 || s > most; }))
    return n.refuse() << "needs an image of constant height and width, and two "
                         "positive sizes; correct the model";
  return std::pair(*sizes, *wanted);
}

/// A constant of one dimension.
template <typename T>
static Value constantLine(OpImporter &n, ArrayRef<T> numbers, Type element) {
  auto type =
      RankedTensorType::get({static_cast<int64_t>(numbers.size())}, element);
  GraphValue value =
      Constants::toValue(n.b, DenseElementsAttr::get(type, numbers));
  return n.tensor(value);
}

LogicalResult tflite::importResizeNearest(OpImporter &n) {
  auto *options = n.options<fb::ResizeNearestNeighborOptions>(
      fb::OptionsType_ResizeNearestNeighbor);
  auto sizes = readSizes(n);
  if (!options || failed(sizes))
    return failure();
  GraphValue &x = n.in(0);
  bool aligns = options->align_corners(),
       isHalf = options->half_pixel_centers();
  SmallVector<Value> places;
  for (auto [size, wanted] : llvm::zip_equal(sizes->first, sizes->second)) {
    float scale =
        aligns && wanted > 1
            ? static_cast<float>(size - 1) / static_cast<float>(wanted - 1)
            : static_cast<float>(size) / static_cast<float>(wanted);
    SmallVector<int32_t> line;
    for (int64_t i = 0; i < wanted; ++i) {
      float at = (static_cast<float>(i) + (isHalf ? 0.5f : 0.0f)) * scale;
      int64_t nearest =
          static_cast<int64_t>(aligns ? std::round(at) : std::floor(at));
      line.push_back(
          static_cast<int32_t>(std::clamp<int64_t>(nearest, 0, size - 1)));
    }
    places.push_back(constantLine<int32_t>(n, line, n.b.getI32Type()));
  }
  Shape shape = x.shape;
  shape[1] = n.size(sizes->second[0]);
  shape[2] = n.size(sizes->second[1]);
  return n.set(gather(n, x, shape, [&](Scalars &s, ValueRange at) {
    SmallVector<Value> from(at);
    for (unsigned d : {1u, 2u})
      from[d] = arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(),
                                           s.extract(places[d - 1], {at[d]}));
    return from;
  }));
}

namespace {
/// Along one dimension: the two elements that are mixed, and how far the result
/// is from the first one.
struct Line {
  SmallVector<int32_t> low, high, fixed;
  SmallVector<float> real;
};
} // namespace

/// The kernel of int8 has 10 bits behind the point.
static Line mixedInteger(int64_t size, int64_t wanted, bool aligns,
                         bool isHalf) {
  int64_t scale = ((1 << 10) * size + wanted / 2) / wanted;
  if (aligns && wanted > 1)
    scale = ((1 << 10) * (size - 1) + (wanted - 1) / 2) / (wanted - 1);
  Line line;
  for (int64_t i = 0; i < wanted; ++i) {
    int64_t at = isHalf ? i * scale + scale / 2 - (1 << 9) : i * scale;
    int64_t low = std::max<int64_t>(at / (1 << 10), 0);
    line.fixed.push_back(static_cast<int32_t>(at - (1 << 10) * low));
    low = std::min(low, size - 1);
    line.low.push_back(static_cast<int32_t>(low));
    int64_t high = std::min((at + (1 << 10) - 1) / (1 << 10), size - 1);
    line.high.push_back(static_cast<int32_t>(std::max<int64_t>(high, 0)));
  }
  return line;
}

static Line mixedReal(int64_t size, int64_t wanted, bool aligns, bool isHalf) {
  float scale = static_cast<float>(size) / static_cast<float>(wanted);
  if (aligns && wanted > 1)
    scale = static_cast<float>(size - 1) / static_cast<float>(wanted - 1);
  Line line;
  for (int64_t i = 0; i < wanted; ++i) {
    float at = isHalf ? (static_cast<float>(i) + 0.5f) * scale - 0.5f
                      : static_cast<float>(i) * scale;
    float floor = std::floor(at);
    int64_t low = std::max<int64_t>(static_cast<int64_t>(floor), 0);
    line.low.push_back(static_cast<int32_t>(low));
    line.high.push_back(static_cast<int32_t>(
        std::clamp<int64_t>(static_cast<int64_t>(std::ceil(at)), 0, size - 1)));
    line.real.push_back(at - static_cast<float>(low));
  }
  return line;
}

LogicalResult tflite::importResizeBilinear(OpImporter &n) {
  auto *options =
      n.options<fb::ResizeBilinearOptions>(fb::OptionsType_ResizeBilinear);
  auto sizes = readSizes(n);
  if (!options || failed(sizes))
    return failure();
  GraphValue &x = n.in(0);
  if (!x.isFloat() && !x.element.isInteger(8))
    return n.refuse() << "takes elements of " << typeName(n.info(0).type)
                      << ", which is not supported; use int8 or float32";
  // TFLite interpolates uint8 in float32.
  bool isByte = n.info(0).type == fb::TensorType_UInt8,
       isFloat = x.isFloat() || isByte;
  Type i32 = n.b.getI32Type(), sum = isByte    ? n.b.getF32Type()
                                     : isFloat ? x.element
                                               : Type(i32);
  SmallVector<Value> low, high, parts;
  for (auto [size, wanted] : llvm::zip_equal(sizes->first, sizes->second)) {
    Line line = (isFloat ? mixedReal : mixedInteger)(
        size, wanted, options->align_corners(), options->half_pixel_centers());
    low.push_back(constantLine<int32_t>(n, line.low, i32));
    high.push_back(constantLine<int32_t>(n, line.high, i32));
    parts.push_back(isFloat ? constantLine<float>(n, line.real, sum)
                            : constantLine<int32_t>(n, line.fixed, i32));
  }
  Shape shape = x.shape;
  shape[1] = n.size(sizes->second[0]);
  shape[2] = n.size(sizes->second[1]);
  Value image = n.tensor(x);
  Value result = tabulate(n, shape, x.element, [&](Scalars &s, ValueRange at) {
    auto index = [&](Value line, Value i) -> Value {
      return arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(),
                                        s.extract(line, {i}));
    };
    Value ys[] = {index(low[0], at[1]), index(high[0], at[1])},
          xs[] = {index(low[1], at[2]), index(high[1], at[2])};
    Value partY = s.extract(parts[0], {at[1]}),
          partX = s.extract(parts[1], {at[2]}),
          one = s.constant(sum, isFloat ? 1 : 1 << 10);
    Value wy[] = {s.sub(one, partY), partY}, wx[] = {s.sub(one, partX), partX};
    Value total;
    for (auto [i, j] :
         {std::pair(0, 0), std::pair(1, 0), std::pair(0, 1), std::pair(1, 1)}) {
      Value element = s.extract(image, {at[0], ys[i], xs[j], at[3]});
      if (!x.isFloat())
        element = widen(s, element, isByte ? -128 : 0);
      if (isByte)
        element = convertScalar(s, element, i32, sum);
      Value term = s.mul(s.mul(element, wy[i]), wx[j]);
      total = total ? s.add(total, term) : term;
    }
    if (x.isFloat())
      return total;
    if (isByte)
      return narrow(
          s, convertScalar(s, s.add(total, s.constant(sum, 0.5)), sum, i32),
          x.element, -128, rangeOf(x.element));
    // Half away from zero.
    Value half = s.constant(sum, 1 << 19), zero = s.constant(sum, 0);
    Value moved =
        s.select(s.less(total, zero), s.sub(total, half), s.add(total, half));
    return narrow(s, s.div(moved, s.constant(sum, 1 << 20)), x.element, 0,
                  rangeOf(x.element));
  });
  return n.set(toGraphValue(result, shape));
}
