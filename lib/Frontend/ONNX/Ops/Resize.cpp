//===- Resize.cpp - Resize ------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along one dimension after the other, the last one first, with tables of
// places: constants where the sizes are known, else computed at run time by
// the same formulas.
//
//===----------------------------------------------------------------------===//

#include "../Constants.h"
#include "../Emit.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

namespace {
/// The new size of a dimension, and how many times the old one it is; no
/// scale where it is the quotient of sizes that are known at run time.
struct Axis {
  int64_t dim;
  OpFoldResult from, to;
  std::optional<double> scale;

  bool isKnown() const { return knownSize(from) && knownSize(to); }
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

/// floor(scale * size); none where a factor does not fit. The scale is a
/// fraction of integers, since it is a float.
static std::optional<OpFoldResult> scaled(NodeImporter &n, double scale,
                                          OpFoldResult size) {
  if (std::optional<int64_t> known = knownSize(size))
    return n.size(
        static_cast<int64_t>(std::floor(scale * static_cast<double>(*known))));
  double numerator = scale;
  int64_t denominator = 1;
  while (numerator != std::floor(numerator) && denominator < (1 << 30)) {
    numerator *= 2;
    denominator *= 2;
  }
  if (numerator != std::floor(numerator) || numerator > INT32_MAX)
    return std::nullopt;
  return n.floorDiv(n.mul(size, n.size(static_cast<int64_t>(numerator))),
                    n.size(denominator));
}

static bool isSize(OpFoldResult size) {
  std::optional<int64_t> known = knownSize(size);
  return !known || (*known >= 1 && *known <= (1 << 24));
}

/// A dimension that gets a size or, if `size` is null, a scale.
static FailureOr<Axis> readAxis(NodeImporter &n, int64_t dim, OpFoldResult size,
                                double scale) {
  Axis axis{dim, n.in(0).shape[dim], size, std::nullopt};
  if (!size && scale > 0) {
    axis.scale = scale;
    axis.to = scaled(n, scale, axis.from).value_or(OpFoldResult());
    if (!axis.to)
      return n.refuse() << "has a scale of " << scale
                        << " of a dynamic size, which is not supported; give "
                           "the size, or a scale with fewer digits";
  } else if (size && axis.isKnown() && *knownSize(axis.from) > 0) {
    axis.scale = static_cast<double>(*knownSize(size)) /
                 static_cast<double>(*knownSize(axis.from));
  }
  if (!axis.to || !isSize(axis.from) || !isSize(axis.to))
    return n.refuse() << "has a size or scale that is not positive, or too "
                         "large; correct it";
  return axis;
}

/// The dimensions whose size or scale changes.
static FailureOr<SmallVector<Axis>> readDimensions(NodeImporter &n) {
  bool hasSizes = isGiven(n, 3), hasScales = isGiven(n, 2);
  if (hasSizes == hasScales)
    return n.refuse() << "needs either sizes or scales; correct its inputs";
  SmallVector<OpFoldResult> sizes;
  SmallVector<float> scales;
  if (hasSizes) {
    auto given = n.integers(3, "its sizes");
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
    if (hasScales ? scales[i] == 1.0f : sizes[i] == n.in(0).shape[dim])
      continue;
    FailureOr<Axis> axis = readAxis(
        n, dim, hasSizes ? sizes[i] : OpFoldResult(), hasSizes ? 0 : scales[i]);
    if (failed(axis))
      return failure();
    axes.push_back(*axis);
  }
  return axes;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// Arithmetic of numbers that are known here.
struct KnownNumbers {
  using Number = double;
  double number(double x) { return x; }
  double add(double x, double y) { return x + y; }
  double sub(double x, double y) { return x - y; }
  double mul(double x, double y) { return x * y; }
  double div(double x, double y) { return x / y; }
  double floor(double x) { return std::floor(x); }
  double ceil(double x) { return std::ceil(x); }
  /// Whether a number is above 1 decides between two.
  double ifAboveOne(double x, double yes, double no) {
    return x > 1 ? yes : no;
  }
};

/// The same arithmetic at run time, of binary64 numbers.
struct EmittedNumbers {
  using Number = Value;
  Scalars &s;
  Value number(double x) { return s.constant(s.b.getF64Type(), x); }
  Value add(Value x, Value y) { return s.add(x, y); }
  Value sub(Value x, Value y) { return s.sub(x, y); }
  Value mul(Value x, Value y) { return s.mul(x, y); }
  Value div(Value x, Value y) { return s.div(x, y); }
  Value floor(Value x) { return math::FloorOp::create(s.b, s.loc, x); }
  Value ceil(Value x) { return math::CeilOp::create(s.b, s.loc, x); }
  Value ifAboveOne(Value x, Value yes, Value no) {
    return s.select(s.less(number(1), x), yes, no);
  }
};
} // namespace

/// Where place `o` of the result lies in the input.
template <typename Numbers, typename Number = typename Numbers::Number>
static Number placeOf(Numbers a, StringRef mode, Number o, Number from,
                      Number to, Number scale) {
  Number half = a.number(0.5), exact = a.mul(scale, from);
  Number centered = a.sub(a.div(a.add(o, half), scale), half);
  if (mode == "pytorch_half_pixel")
    return a.ifAboveOne(to, centered, a.number(0));
  if (mode == "align_corners") {
    Number one = a.number(1);
    return a.ifAboveOne(
        to, a.div(a.mul(o, a.sub(from, one)), a.sub(exact, one)), a.number(0));
  }
  if (mode == "asymmetric")
    return a.div(o, scale);
  if (mode == "half_pixel_symmetric") {
    Number rest = a.sub(a.number(1), a.div(to, exact));
    Number start = a.mul(a.div(from, a.number(2)), rest);
    return a.sub(a.add(start, a.div(a.add(o, half), scale)), half);
  }
  return centered;
}

template <typename Numbers, typename Number = typename Numbers::Number>
static Number nearest(Numbers a, StringRef rounding, Number x) {
  if (rounding == "round_prefer_floor")
    return a.ceil(a.sub(x, a.number(0.5)));
  if (rounding == "round_prefer_ceil")
    return a.floor(a.add(x, a.number(0.5)));
  return rounding == "floor" ? a.floor(x) : a.ceil(x);
}

static bool areModesKnown(StringRef coordinates, StringRef rounding) {
  return llvm::is_contained({"half_pixel", "pytorch_half_pixel",
                             "align_corners", "asymmetric",
                             "half_pixel_symmetric"},
                            coordinates) &&
         llvm::is_contained(
             {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"},
             rounding);
}

namespace {
/// How a node resizes.
struct Modes {
  StringRef coordinates, rounding;
  bool isLinear;
};
/// For each place of the result along a dimension: the element to take, or
/// both neighbours and the part of the place behind the first of them.
struct Tables {
  Value first, second, weights;
};
} // namespace

static Value constantIndices(NodeImporter &n, ArrayRef<int64_t> table) {
  auto type = RankedTensorType::get(static_cast<int64_t>(table.size()),
                                    n.b.getI64Type());
  return arith::ConstantOp::create(n.b, n.loc,
                                   DenseElementsAttr::get(type, table));
}

static Tables knownTables(NodeImporter &n, const Axis &axis,
                          const Modes &modes) {
  SmallVector<int64_t> first, second;
  SmallVector<float> weights;
  double from = *knownSize(axis.from), to = *knownSize(axis.to);
  auto toIndex = [&](double x) {
    return static_cast<int64_t>(std::clamp(x, 0.0, from - 1.0));
  };
  for (int64_t o = 0; o < *knownSize(axis.to); ++o) {
    double place = placeOf(KnownNumbers(), modes.coordinates,
                           static_cast<double>(o), from, to, *axis.scale);
    double i = modes.isLinear ? std::floor(place)
                              : nearest(KnownNumbers(), modes.rounding, place);
    first.push_back(toIndex(i));
    second.push_back(toIndex(i + 1));
    weights.push_back(static_cast<float>(place - i));
  }
  if (!modes.isLinear)
    return {constantIndices(n, first), {}, {}};
  return {constantIndices(n, first), constantIndices(n, second),
          constantFloats(n, weights, *knownSize(axis.to))};
}

/// A tensor in one dimension of what `body` makes of each place.
static Value tabulate(NodeImporter &n, const Axis &axis, Type element,
                      ScalarBody body) {
  Value init = tensor::EmptyOp::create(
      n.b, n.loc, ArrayRef<OpFoldResult>{axis.to}, element);
  return generic(n, {}, init, n.b.getMultiDimIdentityMap(1),
                 utils::IteratorType::parallel, body);
}

static Tables emittedTables(NodeImporter &n, const Axis &axis,
                            const Modes &modes) {
  Type wide = n.b.getI64Type(), real = n.b.getF64Type();
  auto toReal = [&](OpBuilder &b, Value size) -> Value {
    Value integer = arith::IndexCastOp::create(b, n.loc, wide, size);
    return arith::SIToFPOp::create(b, n.loc, real, integer);
  };
  Value sizes[] = {toReal(n.b, n.index(axis.from)),
                   toReal(n.b, n.index(axis.to))};
  Scalars outside(n.b, n.loc);
  Value scale = axis.scale ? outside.constant(real, *axis.scale)
                           : outside.div(sizes[1], sizes[0]);
  auto place = [&](Scalars &s) {
    Value o = toReal(s.b, linalg::IndexOp::create(s.b, s.loc, 0));
    return placeOf(EmittedNumbers{s}, modes.coordinates, o, sizes[0], sizes[1],
                   scale);
  };
  auto element = [&](Scalars &s) {
    EmittedNumbers a{s};
    return modes.isLinear ? a.floor(place(s))
                          : nearest(a, modes.rounding, place(s));
  };
  auto indices = [&](double offset) {
    return tabulate(n, axis, wide, [&](Scalars &s, ValueRange) -> Value {
      EmittedNumbers a{s};
      Value i = a.add(element(s), a.number(offset));
      Value last = a.sub(sizes[0], a.number(1));
      Value kept = s.min(s.max(i, a.number(0)), last);
      return arith::FPToSIOp::create(s.b, s.loc, wide, kept);
    });
  };
  if (!modes.isLinear)
    return {indices(0), {}, {}};
  Value weights =
      tabulate(n, axis, n.b.getF32Type(), [&](Scalars &s, ValueRange) -> Value {
        Value rest = s.sub(place(s), element(s));
        return arith::TruncFOp::create(s.b, s.loc, s.b.getF32Type(), rest);
      });
  return {indices(0), indices(1), weights};
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The place of an element of the result in the input.
static SmallVector<Value> at(Scalars &s, ValueRange indices, const Axis &axis,
                             Value table) {
  SmallVector<Value> place(indices);
  Value element = s.extract(table, indices[axis.dim]);
  place[axis.dim] =
      arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), element);
  return place;
}

/// How many times in a row each element is taken; 0 if it is not so.
static int64_t repetitions(const Axis &axis, const Modes &modes) {
  if (!axis.scale || *axis.scale < 1 || *axis.scale > (1 << 24) ||
      *axis.scale != std::floor(*axis.scale))
    return 0;
  // Element i has the places from i * scale on. Their centers lie less than
  // half an element beside it.
  bool isCentered = modes.coordinates.contains("half_pixel") &&
                    modes.rounding.starts_with("round");
  bool isFloored =
      modes.coordinates == "asymmetric" && modes.rounding == "floor";
  return isCentered || isFloored ? static_cast<int64_t>(*axis.scale) : 0;
}

static GraphValue takeNearest(NodeImporter &n, GraphValue &x, const Axis &axis,
                              const Modes &modes) {
  Shape shape = x.shape;
  shape[axis.dim] = axis.to;
  // Each element several times in a row is a broadcast.
  if (int64_t factor = repetitions(axis, modes)) {
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
  Tables tables = axis.isKnown() ? knownTables(n, axis, modes)
                                 : emittedTables(n, axis, modes);
  return gather(n, x, shape, [&](Scalars &s, ValueRange indices) {
    return at(s, indices, axis, tables.first);
  });
}

/// fma(v1 - v0, w, v0) of the neighbours v0 and v1, for w the part of a place
/// behind the first of them.
static GraphValue interpolate(NodeImporter &n, GraphValue &x, const Axis &axis,
                              const Modes &modes) {
  Tables tables = axis.isKnown() ? knownTables(n, axis, modes)
                                 : emittedTables(n, axis, modes);
  Shape shape = x.shape;
  shape[axis.dim] = axis.to;
  GraphValue w = toGraphValue(tables.weights, {axis.to});
  AffineMap map = AffineMap::get(
      shape.size(), 0, n.b.getAffineDimExpr(axis.dim), n.b.getContext());
  GraphValue low = gather(n, x, shape, [&](Scalars &s, ValueRange indices) {
    return at(s, indices, axis, tables.first);
  });
  GraphValue high = gather(n, x, shape, [&](Scalars &s, ValueRange indices) {
    return at(s, indices, axis, tables.second);
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
  Modes modes{n.getString("coordinate_transformation_mode", "half_pixel"),
              n.getString("nearest_mode", "round_prefer_floor"),
              mode == "linear"};
  if ((!modes.isLinear && mode != "nearest") || policy != "stretch" ||
      n.getInt("antialias", 0) != 0 || n.getInt("exclude_outside", 0) != 0)
    return n.refuse() << "resizes by mode " << mode
                      << (n.getInt("antialias", 0) ? " with antialias" : "")
                      << " and policy " << policy
                      << ", which is not supported; nearest and linear without "
                         "antialias and exclude_outside are, with stretch";
  GraphValue x = n.in(0);
  if (modes.isLinear && !x.element.isF32() && !x.isByte())
    return n.refuse() << "interpolates " << elementName(x.element)
                      << ", which is not supported; cast it to float32";
  if (!areModesKnown(modes.coordinates, modes.rounding))
    return n.refuse() << "has the modes " << modes.coordinates << " and "
                      << modes.rounding << ", which are not supported";
  auto axes = readDimensions(n);
  if (failed(axes))
    return failure();
  // Neighbours of int8 and uint8 as floats, whose fractions are cut off.
  Type element = x.element;
  if (modes.isLinear)
    x = *convert(n, x, n.b.getF32Type());
  for (const Axis &axis : llvm::reverse(*axes))
    x = modes.isLinear ? interpolate(n, x, axis, modes)
                       : takeNearest(n, x, axis, modes);
  FailureOr<GraphValue> y = convert(n, x, element);
  return failed(y) ? failure() : n.set(0, *y);
}
