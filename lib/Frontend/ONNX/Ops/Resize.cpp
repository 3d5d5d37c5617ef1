//===- Resize.cpp - Resize ------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along one dimension after the other, the last one first, with tables of
// places that are computed here.
//
//===----------------------------------------------------------------------===//

#include "../Constants.h"
#include "../Emit.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

namespace {
/// The new size of a dimension, and how many times the old one it is.
struct Axis {
  int64_t dim, from, to;
  double scale;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The dimensions of input `i`, a list for all of them or for `axes`.
static FailureOr<SmallVector<int64_t>> readDims(NodeImporter &n, size_t count) {
  int64_t rank = n.in(0).rank();
  SmallVector<int64_t> dims;
  for (int64_t axis : n.getInts("axes")) {
    FailureOr<int64_t> dim = n.dimension(axis, rank);
    if (failed(dim))
      return failure();
    dims.push_back(*dim);
  }
  if (dims.empty())
    dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (dims.size() != count)
    return n.refuse() << "has " << count << " sizes or scales for "
                      << dims.size() << " dimensions; correct them";
  return dims;
}

static bool isGiven(NodeImporter &n, unsigned i) {
  return n.has(i) && !(n.in(i).rank() == 1 && knownSize(n.in(i).shape[0]) == 0);
}

/// The dimensions whose size or scale changes.
static FailureOr<SmallVector<Axis>> readDimensions(NodeImporter &n) {
  bool hasSizes = isGiven(n, 3), hasScales = isGiven(n, 2);
  if (hasSizes == hasScales)
    return n.refuse() << "needs either sizes or scales; correct its inputs";
  SmallVector<int64_t> sizes;
  SmallVector<float> scales;
  if (hasSizes) {
    auto given = n.constantIntegers(3, "its sizes");
    if (failed(given))
      return failure();
    sizes = *given;
  } else {
    auto given = n.constantFloats(2, "its scales");
    if (failed(given))
      return failure();
    scales = *given;
  }
  auto dims = readDims(n, hasSizes ? sizes.size() : scales.size());
  if (failed(dims))
    return failure();
  SmallVector<Axis> axes;
  for (auto [i, dim] : llvm::enumerate(*dims)) {
    if (hasScales && scales[i] == 1.0f)
      continue;
    std::optional<int64_t> from = knownSize(n.in(0).shape[dim]);
    if (!from || *from < 1 || *from > (1 << 24))
      return n.refuse() << "changes a dynamic size, which is not supported";
    Axis axis{dim, *from, 0, 0};
    axis.to = hasSizes ? sizes[i]
                       : static_cast<int64_t>(std::floor(
                             static_cast<double>(scales[i]) * *from));
    axis.scale = hasSizes ? static_cast<double>(axis.to) / *from : scales[i];
    if (!(axis.scale > 0) || axis.to < 1 || axis.to > (1 << 24))
      return n.refuse() << "has a size or scale that is not positive, or too "
                           "large; correct it";
    if (axis.to != axis.from || hasScales)
      axes.push_back(axis);
  }
  return axes;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Where place `o` of the result lies in the input; NaN for an unknown mode.
static double placeOf(StringRef mode, const Axis &axis, int64_t o) {
  double to = axis.scale * axis.from;
  if (mode == "half_pixel")
    return (o + 0.5) / axis.scale - 0.5;
  if (mode == "pytorch_half_pixel")
    return axis.to > 1 ? (o + 0.5) / axis.scale - 0.5 : 0.0;
  if (mode == "align_corners")
    return axis.to > 1 ? static_cast<double>(o) * (axis.from - 1) / (to - 1)
                       : 0.0;
  if (mode == "asymmetric")
    return o / axis.scale;
  if (mode == "half_pixel_symmetric") {
    double adjustment = axis.to / to, center = axis.from / 2.0;
    return center * (1 - adjustment) + (o + 0.5) / axis.scale - 0.5;
  }
  return std::nan("");
}

static std::optional<double> nearest(StringRef rounding, double x) {
  if (rounding == "round_prefer_floor")
    return std::ceil(x - 0.5);
  if (rounding == "round_prefer_ceil")
    return std::floor(x + 0.5);
  if (rounding == "floor")
    return std::floor(x);
  if (rounding == "ceil")
    return std::ceil(x);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static Value constantIndices(NodeImporter &n, ArrayRef<int64_t> table) {
  auto type = RankedTensorType::get(static_cast<int64_t>(table.size()),
                                    n.b.getI64Type());
  return arith::ConstantOp::create(n.b, n.loc,
                                   DenseElementsAttr::get(type, table));
}

/// The place of an element of the result in the input.
static SmallVector<Value> at(Scalars &s, ValueRange indices, const Axis &axis,
                             Value table) {
  SmallVector<Value> place(indices);
  Value element = s.extract(table, indices[axis.dim]);
  place[axis.dim] =
      arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), element);
  return place;
}

static GraphValue takeNearest(NodeImporter &n, GraphValue &x, const Axis &axis,
                              ArrayRef<int64_t> table) {
  Shape shape = x.shape;
  shape[axis.dim] = n.size(axis.to);
  // Each element several times in a row is a broadcast.
  int64_t factor = axis.to / axis.from;
  bool repeats = axis.to % axis.from == 0;
  for (int64_t o = 0; repeats && o < axis.to; ++o)
    repeats = table[o] == o / factor;
  if (repeats) {
    Shape wide;
    SmallVector<AffineExpr> read;
    for (auto [d, size] : llvm::enumerate(x.shape)) {
      read.push_back(n.b.getAffineDimExpr(wide.size()));
      wide.push_back(size);
      if (static_cast<int64_t>(d) == axis.dim)
        wide.push_back(n.size(factor));
    }
    GraphValue repeated = broadcastTo(
        n, x, wide, AffineMap::get(wide.size(), 0, read, n.b.getContext()));
    return reshape(n, repeated, shape);
  }
  Value places = constantIndices(n, table);
  return gather(n, x, shape, [&](Scalars &s, ValueRange indices) {
    return at(s, indices, axis, places);
  });
}

/// fma(v1 - v0, w, v0) of the neighbours v0 and v1, for w the part of a place
/// behind the first of them.
static GraphValue interpolate(NodeImporter &n, GraphValue &x, const Axis &axis,
                              ArrayRef<double> places) {
  SmallVector<int64_t> first, second;
  SmallVector<float> weights;
  for (double place : places) {
    double i = std::floor(place), last = axis.from - 1.0;
    first.push_back(static_cast<int64_t>(std::clamp(i, 0.0, last)));
    second.push_back(static_cast<int64_t>(std::clamp(i + 1, 0.0, last)));
    weights.push_back(static_cast<float>(place - i));
  }
  Shape shape = x.shape, row{n.size(axis.to)};
  shape[axis.dim] = row[0];
  Value i0 = constantIndices(n, first), i1 = constantIndices(n, second);
  GraphValue w = toGraphValue(constantFloats(n, weights, axis.to), row);
  AffineMap map = AffineMap::get(
      shape.size(), 0, n.b.getAffineDimExpr(axis.dim), n.b.getContext());
  GraphValue low = gather(n, x, shape, [&](Scalars &s, ValueRange indices) {
    return at(s, indices, axis, i0);
  });
  GraphValue high = gather(n, x, shape, [&](Scalars &s, ValueRange indices) {
    return at(s, indices, axis, i1);
  });
  GraphValue factors = broadcastTo(n, w, shape, map);
  return *elementwise(n, {&low, &high, &factors}, x.element,
                      [](Scalars &s, ValueRange args) -> Value {
                        return math::FmaOp::create(s.b, s.loc,
                                                   s.sub(args[1], args[0]),
                                                   args[2], args[0]);
                      });
}

LogicalResult onnx::importResize(NodeImporter &n) {
  if (failed(n.requireInputs(1)))
    return failure();
  StringRef mode = n.getString("mode", "nearest");
  StringRef policy = n.getString("keep_aspect_ratio_policy", "stretch");
  StringRef coordinates =
      n.getString("coordinate_transformation_mode", "half_pixel");
  StringRef rounding = n.getString("nearest_mode", "round_prefer_floor");
  bool isLinear = mode == "linear";
  if ((!isLinear && mode != "nearest") || policy != "stretch" ||
      n.getInt("antialias", 0) != 0 || n.getInt("exclude_outside", 0) != 0)
    return n.refuse() << "resizes by mode " << mode
                      << (n.getInt("antialias", 0) ? " with antialias" : "")
                      << " and policy " << policy
                      << ", which is not supported; nearest and linear without "
                         "antialias and exclude_outside are, with stretch";
  GraphValue x = n.in(0);
  if (isLinear && !x.element.isF32())
    return n.refuse() << "interpolates " << elementName(x.element)
                      << ", which is not supported; cast it to float32";
  auto axes = readDimensions(n);
  if (failed(axes))
    return failure();
  for (const Axis &axis : llvm::reverse(*axes)) {
    SmallVector<double> places;
    SmallVector<int64_t> table;
    for (int64_t o = 0; o < axis.to; ++o) {
      double place = placeOf(coordinates, axis, o);
      std::optional<double> rounded = nearest(rounding, place);
      if (std::isnan(place) || !rounded)
        return n.refuse() << "has the modes " << coordinates << " and "
                          << rounding << ", which are not supported";
      places.push_back(place);
      table.push_back(
          static_cast<int64_t>(std::clamp(*rounded, 0.0, axis.from - 1.0)));
    }
    x = isLinear ? interpolate(n, x, axis, places)
                 : takeNearest(n, x, axis, table);
  }
  return n.set(0, x);
}
