//===- Resize.cpp - Resize ------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along one dimension after the other, the last one first, with tables of the
// elements that each place of the result is made of.
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../Compose.h"
#include "../FoldNumbers.h"
#include "../Ops.h"
#include "ResizePlaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Ref = Composer::Ref;

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

/// floor of `product` / `divisor` where the quotient is rounded to float32
/// first: what is added lets it reach the next integer from half a unit in the
/// last place below it. This holds below 2^20.
static OpFoldResult roundedQuotient(NodeImporter &n, OpFoldResult product,
                                    int64_t divisor) {
  // Half a unit in the last place of numbers from 2^exponent on, times
  // the divisor.
  auto half = [&](int exponent) { return divisor >> (24 - exponent); };
  OpFoldResult added = n.size(half(-1));
  for (int exponent = 0; exponent < 20; ++exponent) {
    int64_t more = half(exponent) - half(exponent - 1);
    if (more == 0)
      continue;
    OpFoldResult reaches =
        n.min(n.floorDiv(product, n.size(divisor << exponent)), n.size(1));
    added = n.add(added, n.mul(reaches, n.size(more)));
  }
  return n.floorDiv(n.add(product, added), n.size(divisor));
}

/// floor(scale * size), the product rounded to float32; none where a factor
/// does not fit. The scale is a fraction of integers, since it is a float.
static std::optional<OpFoldResult> scaled(NodeImporter &n, float scale,
                                          OpFoldResult size) {
  if (std::optional<int64_t> known = knownSize(size))
    return n.size(
        static_cast<int64_t>(std::floor(scale * static_cast<float>(*known))));
  double numerator = scale;
  int64_t denominator = 1;
  while (numerator != std::floor(numerator) && denominator < (1 << 30)) {
    numerator *= 2;
    denominator *= 2;
  }
  if (numerator != std::floor(numerator) || numerator > INT32_MAX)
    return std::nullopt;
  return roundedQuotient(
      n, n.mul(size, n.size(static_cast<int64_t>(numerator))), denominator);
}

static bool isSize(OpFoldResult size) {
  std::optional<int64_t> known = knownSize(size);
  return !known || (*known >= 1 && *known <= (1 << 24));
}

/// A dimension that gets a size or, if `size` is null, a scale.
static FailureOr<ResizeAxis> readAxis(NodeImporter &n, int64_t dim,
                                      OpFoldResult size, float scale) {
  ResizeAxis axis{dim, n.in(0).shape[dim], size, std::nullopt};
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

/// Replaces sizes of dimensions by those of one scale for all of them, by which
/// none gets larger than its size, or none smaller.
static FailureOr<double> keepAspectRatio(NodeImporter &n,
                                         ArrayRef<int64_t> dims,
                                         MutableArrayRef<OpFoldResult> sizes) {
  StringRef policy = n.getString("keep_aspect_ratio_policy", "stretch");
  bool isNotLarger = policy == "not_larger";
  if (!isNotLarger && policy != "not_smaller")
    return n.refuse() << "has keep_aspect_ratio_policy = " << policy
                      << ", which is not defined; correct the attribute";
  std::optional<double> scale;
  for (auto [dim, size] : llvm::zip_equal(dims, sizes)) {
    std::optional<int64_t> from = knownSize(n.in(0).shape[dim]),
                           to = knownSize(size);
    if (!from || !to || *from < 1)
      return n.refuse() << "keeps the aspect ratio of dynamic or empty sizes, "
                           "which is not supported; give the sizes, or scales";
    double own = static_cast<double>(*to) / static_cast<double>(*from);
    scale = !scale        ? own
            : isNotLarger ? std::min(*scale, own)
                          : std::max(*scale, own);
  }
  for (auto [dim, size] : llvm::zip_equal(dims, sizes)) {
    double from = static_cast<double>(*knownSize(n.in(0).shape[dim]));
    size = n.size(static_cast<int64_t>(std::floor(*scale * from + 0.5)));
  }
  return *scale;
}

/// Sets the part of the image of each axis from input 1: the starts of all
/// dimensions that `axes` names, then the ends.
static LogicalResult readParts(NodeImporter &n, ArrayRef<int64_t> dims,
                               MutableArrayRef<ResizeAxis> axes) {
  if (!isGiven(n, 1))
    return success();
  GraphValue &given = n.in(1);
  int64_t count = dims.size();
  if (given.rank() != 1 || knownSize(given.shape[0]) != 2 * count)
    return n.refuse() << "has a roi that does not have a start and an end for "
                         "each of "
                      << count << " dimensions; correct it";
  std::optional<SmallVector<double>> known = readNumbers(given);
  GraphValue wide;
  if (!known) {
    FailureOr<GraphValue> converted = convert(n, given, n.b.getF64Type());
    if (failed(converted))
      return failure();
    wide = *converted;
  }
  auto read = [&](int64_t i) {
    if (known)
      return ResizeNumber{(*known)[i], {}};
    Value place = n.index(n.size(i));
    return ResizeNumber{0, Scalars(n.b, n.loc).extract(wide.value, place)};
  };
  for (ResizeAxis &axis : axes) {
    int64_t i = std::distance(dims.begin(), llvm::find(dims, axis.dim));
    axis.start = read(i);
    axis.end = read(i + count);
  }
  return success();
}

/// Leaves out dimensions that stay what they are.
static void dropWhole(NodeImporter &n, SmallVectorImpl<ResizeAxis> &axes) {
  bool warns = false;
  llvm::erase_if(axes, [&](const ResizeAxis &axis) {
    bool isSame = axis.to == axis.from && axis.scale == 1;
    warns |= isSame && !axis.isWhole();
    return isSame && axis.isWhole();
  });
  if (warns)
    n.warn() << "takes a part of a dimension whose size does not change, as "
                "ONNX defines it; ONNX Runtime takes all of such a dimension";
}

/// The dimensions whose size, scale or part of the image is not what it was.
static FailureOr<SmallVector<ResizeAxis>>
readDimensions(NodeImporter &n, const ResizeModes &modes) {
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
  std::optional<double> common;
  if (hasSizes &&
      n.getString("keep_aspect_ratio_policy", "stretch") != "stretch") {
    FailureOr<double> scale = keepAspectRatio(n, *dims, sizes);
    if (failed(scale))
      return failure();
    common.emplace(scale.value());
  }
  SmallVector<ResizeAxis> axes;
  for (auto [i, dim] : llvm::enumerate(*dims)) {
    bool isSame =
        hasScales ? scales[i] == 1.0f : sizes[i] == n.in(0).shape[dim];
    if (isSame && !modes.crops())
      continue;
    FailureOr<ResizeAxis> axis = readAxis(
        n, dim, hasSizes ? sizes[i] : OpFoldResult(), hasSizes ? 0 : scales[i]);
    if (failed(axis))
      return failure();
    if (isSame)
      axis->scale = 1;
    else if (common)
      axis->scale = common;
    axes.push_back(*axis);
  }
  if (!modes.crops())
    return axes;
  if (failed(readParts(n, *dims, axes)))
    return failure();
  dropWhole(n, axes);
  return axes;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The place of an element of the result in the input.
static SmallVector<Value> at(Scalars &s, ValueRange indices,
                             const ResizeAxis &axis, Value table) {
  SmallVector<Value> place(indices);
  Value element = s.extract(table, indices[axis.dim]);
  place[axis.dim] =
      arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), element);
  return place;
}

/// How many times in a row each element is taken; 0 if it is not so.
static int64_t repetitions(const ResizeAxis &axis, const ResizeModes &modes) {
  if (!modes.isNearest() || !axis.scale || *axis.scale < 1 ||
      *axis.scale > (1 << 24) || *axis.scale != std::floor(*axis.scale))
    return 0;
  // Element i has the places from i * scale on. Their centers lie less than
  // half an element beside it.
  bool isCentered = modes.coordinates.contains("half_pixel") &&
                    modes.coordinates != "tf_half_pixel_for_nn" &&
                    modes.rounding.starts_with("round");
  bool isFloored =
      modes.coordinates == "asymmetric" && modes.rounding == "floor";
  return isCentered || isFloored ? static_cast<int64_t>(*axis.scale) : 0;
}

/// Each element several times in a row, which is a broadcast.
static GraphValue repeatElements(NodeImporter &n, GraphValue &x,
                                 const ResizeAxis &axis, int64_t factor) {
  Shape shape = x.shape, wide;
  shape[axis.dim] = axis.to;
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

static GraphValue takeNearest(NodeImporter &n, GraphValue &x,
                              const ResizeAxis &axis,
                              const ResizeTables &tables) {
  Shape shape = x.shape;
  shape[axis.dim] = axis.to;
  return gather(n, x, shape, [&](Scalars &s, ValueRange indices) {
    return at(s, indices, axis, tables.elements[0]);
  });
}

/// fma(v1 - v0, w, v0) of two elements, w the weight of the second one; or
/// fma(v3, w3, fma(v2, w2, fma(v1, w1, v0 * w0))) of four.
static Value combine(Scalars &s, ValueRange elements, ValueRange weights) {
  auto fma = [&](Value x, Value y, Value z) -> Value {
    return math::FmaOp::create(s.b, s.loc, x, y, z);
  };
  if (elements.size() == 2)
    return fma(s.sub(elements[1], elements[0]), weights[0], elements[0]);
  Value sum = s.mul(elements[0], weights[0]);
  for (unsigned i = 1; i < elements.size(); ++i)
    sum = fma(elements[i], weights[i], sum);
  return sum;
}

static GraphValue interpolate(NodeImporter &n, GraphValue &x,
                              const ResizeAxis &axis,
                              const ResizeTables &tables) {
  Shape shape = x.shape;
  shape[axis.dim] = axis.to;
  AffineMap map = AffineMap::get(
      shape.size(), 0, n.b.getAffineDimExpr(axis.dim), n.b.getContext());
  SmallVector<GraphValue> operands;
  for (Value table : tables.elements)
    operands.push_back(gather(n, x, shape, [&](Scalars &s, ValueRange indices) {
      return at(s, indices, axis, table);
    }));
  for (Value table : tables.weights) {
    GraphValue weights = toGraphValue(table, {axis.to});
    operands.push_back(broadcastTo(n, weights, shape, map));
  }
  SmallVector<GraphValue *> pointers;
  for (GraphValue &operand : operands)
    pointers.push_back(&operand);
  size_t count = tables.elements.size();
  return *elementwise(n, pointers, x.element, [&](Scalars &s, ValueRange args) {
    return combine(s, args.take_front(count), args.drop_front(count));
  });
}

/// The sum of the elements of a window, each times its weight.
static GraphValue weighWindows(NodeImporter &n, GraphValue &x,
                               const ResizeAxis &axis,
                               const ResizeTables &tables) {
  Shape shape = x.shape;
  shape[axis.dim] = axis.to;
  int64_t rank = x.rank();
  AffineExpr place = n.b.getAffineDimExpr(axis.dim),
             i = n.b.getAffineDimExpr(rank);
  AffineMap table = AffineMap::get(rank + 1, 0, {place, i}, n.b.getContext()),
            result = n.b.getMultiDimIdentityMap(rank + 1).dropResult(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  Value source = n.tensor(x);
  Value y =
      generic(n, {tables.elements[0], tables.weights[0]},
              filled(n, x.element, shape, 0.0), {table, table, result},
              iterators, [&](Scalars &s, ValueRange args) -> Value {
                SmallVector<Value> indices;
                for (int64_t d = 0; d < rank; ++d)
                  indices.push_back(
                      d == axis.dim
                          ? arith::IndexCastOp::create(
                                s.b, s.loc, s.b.getIndexType(), args[0])
                                .getResult()
                          : linalg::IndexOp::create(s.b, s.loc, d).getResult());
                return math::FmaOp::create(
                    s.b, s.loc, s.extract(source, indices), args[1], args[2]);
              });
  return toGraphValue(y, shape);
}

/// What bytes are rounded to after each dimension with antialias.
static GraphValue roundToByte(NodeImporter &n, GraphValue &x, Type byte) {
  double low = byte.isUnsignedInteger() ? 0 : -128;
  return *elementwise(n, {&x}, x.element, [&](Scalars &s, ValueRange args) {
    Type type = args[0].getType();
    Value rounded = math::FloorOp::create(
        s.b, s.loc, s.add(args[0], s.constant(type, 0.5)));
    return s.min(s.max(rounded, s.constant(type, low)),
                 s.constant(type, low + 255));
  });
}

/// Puts a value where places lie outside of the image.
static Ref extrapolate(NodeImporter &n, Composer &c, Ref y,
                       const ResizeAxis &axis, Value outside) {
  Shape shape(y->rank() - axis.dim, n.size(1));
  shape.front() = axis.to;
  GraphValue mask = toGraphValue(outside, {axis.to});
  return c.op("Where", {c.reshape(&mask, shape),
                        c.number(y, n.getFloat("extrapolation_value", 0)), y});
}

/// The attributes but for those that readDimensions reads.
static FailureOr<ResizeModes> readModes(NodeImporter &n) {
  std::optional<Interpolation> interpolation =
      llvm::StringSwitch<std::optional<Interpolation>>(
          n.getString("mode", "nearest"))
          .Case("nearest", Interpolation::Nearest)
          .Case("linear", Interpolation::Linear)
          .Case("cubic", Interpolation::Cubic)
          .Default(std::nullopt);
  if (!interpolation)
    return n.refuse() << "resizes by mode " << n.getString("mode", "")
                      << ", which is not supported; nearest, linear and cubic "
                         "are";
  ResizeModes modes{*interpolation,
                    n.getString("coordinate_transformation_mode", "half_pixel"),
                    n.getString("nearest_mode", "round_prefer_floor"),
                    n.getFloat("cubic_coeff_a", -0.75f),
                    n.getInt("exclude_outside", 0) != 0,
                    n.getInt("antialias", 0) != 0};
  if (modes.antialiases && modes.isNearest())
    return n.refuse() << "has antialias with the mode nearest, which ONNX does "
                         "not define; remove the attribute";
  if (modes.excludesOutside && !modes.antialiases &&
      *interpolation != Interpolation::Cubic)
    return n.refuse() << "has exclude_outside, which ONNX defines for the mode "
                         "cubic and with antialias only; remove the attribute";
  if (!std::isfinite(modes.coefficient))
    return n.refuse() << "has a cubic_coeff_a that is not finite; correct it";
  if (!llvm::is_contained({"half_pixel", "pytorch_half_pixel", "align_corners",
                           "asymmetric", "half_pixel_symmetric",
                           "tf_crop_and_resize", "tf_half_pixel_for_nn"},
                          modes.coordinates) ||
      !llvm::is_contained(
          {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"},
          modes.rounding))
    return n.refuse() << "has the modes " << modes.coordinates << " and "
                      << modes.rounding
                      << ", which ONNX does not define; correct them";
  return modes;
}

LogicalResult onnx::importResize(NodeImporter &n) {
  if (n.since < 11)
    return importOldResize(n);
  FailureOr<ResizeModes> modes = readModes(n);
  if (failed(modes))
    return failure();
  GraphValue x = n.in(0);
  bool takesBytes =
      modes->interpolation == Interpolation::Linear || modes->antialiases;
  if (!modes->isNearest() && !x.element.isF32() && !(takesBytes && x.isByte()))
    return n.refuse() << "interpolates " << elementName(x.element)
                      << ", which is not supported; cast it to float32";
  auto axes = readDimensions(n, *modes);
  if (failed(axes))
    return failure();
  // Neighbours of int8 and uint8 as floats, whose fractions are cut off.
  Type element = x.element;
  if (!modes->isNearest())
    x = *convert(n, x, n.b.getF32Type());
  SmallVector<std::pair<ResizeAxis, Value>> outside;
  for (const ResizeAxis &axis : llvm::reverse(*axes)) {
    if (int64_t factor = repetitions(axis, *modes)) {
      x = repeatElements(n, x, axis, factor);
      continue;
    }
    ResizeTables tables = makeResizeTables(n, axis, *modes);
    x = modes->antialiases   ? weighWindows(n, x, axis, tables)
        : modes->isNearest() ? takeNearest(n, x, axis, tables)
                             : interpolate(n, x, axis, tables);
    if (modes->antialiases && !element.isF32())
      x = roundToByte(n, x, element);
    if (tables.outside)
      outside.emplace_back(axis, tables.outside);
  }
  FailureOr<GraphValue> y = convert(n, x, element);
  if (failed(y))
    return failure();
  Composer c(n);
  Ref result = c.hold(*y);
  for (const auto &[axis, mask] : outside)
    result = extrapolate(n, c, result, axis, mask);
  return c.set(0, result);
}
