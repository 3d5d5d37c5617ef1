//===- GridSample.cpp - GridSample ----------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each spatial dimension, tables of the neighbours of each point of the
// grid and of their weights, which all channels share; then the sums.
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../../Builder/Emit.h"
#include "../NodeImporter.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

namespace {
enum class Sampling { Nearest, Linear, Cubic };
enum class Padding { Zeros, Border, Reflection };

struct GridModes {
  Sampling sampling;
  Padding padding;
  bool alignsCorners;

  /// The first neighbour and one after the last, from the point on.
  std::pair<int64_t, int64_t> neighbours() const {
    return sampling == Sampling::Nearest  ? std::pair<int64_t, int64_t>(0, 1)
           : sampling == Sampling::Linear ? std::pair<int64_t, int64_t>(0, 2)
                                          : std::pair<int64_t, int64_t>(-1, 3);
  }
};

/// A neighbour along one dimension of all points of the grid.
struct Neighbour {
  Value place;  ///< int32; -1 outside of the image, where it is 0
  Value weight; ///< float32; null for the nearest one
};
} // namespace

static FailureOr<GridModes> readModes(NodeImporter &n) {
  StringRef mode = n.getString("mode", "linear"),
            padding = n.getString("padding_mode", "zeros");
  // Before operator set 20 linear and cubic have other names.
  auto sampling = llvm::StringSwitch<std::optional<Sampling>>(mode)
                      .Case("nearest", Sampling::Nearest)
                      .Cases({"linear", "bilinear"}, Sampling::Linear)
                      .Cases({"cubic", "bicubic"}, Sampling::Cubic)
                      .Default(std::nullopt);
  auto border = llvm::StringSwitch<std::optional<Padding>>(padding)
                    .Case("zeros", Padding::Zeros)
                    .Case("border", Padding::Border)
                    .Case("reflection", Padding::Reflection)
                    .Default(std::nullopt);
  if (!sampling || !border)
    return n.refuse() << "has the modes " << mode << " and " << padding
                      << ", which are not defined; correct the attributes";
  return GridModes{*sampling, *border, n.getInt("align_corners", 0) != 0};
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {
/// Arithmetic of places along a dimension of `size` elements, in float32.
struct Places {
  Scalars &s;
  Value size;
  const GridModes &modes;

  Value number(double value) { return s.constant(size.getType(), value); }
  Value floor(Value x) { return math::FloorOp::create(s.b, s.loc, x); }

  /// The place of a point: -1 and 1 are the centers of the first and the last
  /// element, or their outer edges.
  Value toImage(Value point) {
    Value moved = s.add(point, number(1)), place;
    if (modes.alignsCorners)
      place = s.mul(s.div(moved, number(2)), s.sub(size, number(1)));
    else
      place = s.div(s.sub(s.mul(moved, size), number(1)), number(2));
    if (modes.padding == Padding::Reflection)
      return place;
    // Farther away all neighbours are the same, and floats lose fractions.
    return s.min(s.max(place, number(-4)), s.add(size, number(4)));
  }
  /// The element before a place, or the nearest one.
  Value base(Value place) {
    if (modes.sampling == Sampling::Nearest)
      return math::RoundEvenOp::create(s.b, s.loc, place);
    return floor(place);
  }
  /// A place beside the image as one in it.
  Value bringInside(Value place) {
    Value last = s.sub(size, number(1));
    if (modes.padding == Padding::Border)
      return s.min(s.max(place, number(0)), last);
    if (modes.padding == Padding::Reflection)
      return reflect(place);
    Value isBefore = s.less(place, number(0)), isBehind = s.less(last, place);
    Value none = number(-1);
    // NaN is outside.
    Value isPlace = s.equal(place, place);
    return s.select(isBefore, none,
                    s.select(isBehind, none, s.select(isPlace, place, none)));
  }
  Value reflect(Value place) {
    double edge = modes.alignsCorners ? 0 : -0.5;
    Value low = number(edge),
          high = s.sub(size, number(modes.alignsCorners ? 1 : 0.5));
    Value range = s.sub(high, low), before = s.sub(low, place),
          behind = s.sub(place, high);
    auto turn = [&](Value beyond, Value near, Value far, bool isUp) {
      Value times = floor(s.div(beyond, range));
      Value rest = s.sub(beyond, s.mul(times, range));
      Value half = s.mul(times, number(0.5));
      Value isEven = s.equal(half, floor(half));
      Value fromNear = isUp ? s.add(near, rest) : s.sub(near, rest),
            fromFar = isUp ? s.sub(far, rest) : s.add(far, rest);
      return s.select(isEven, fromNear, fromFar);
    };
    Value isBefore = s.less(place, low), isBehind = s.less(high, place);
    return s.select(
        isBefore, turn(before, low, high, /*isUp=*/true),
        s.select(isBehind, turn(behind, high, low, /*isUp=*/false), place));
  }

  /// The weight of neighbour `k` of a place.
  Value weigh(Value place, int64_t k) {
    Value start = base(place), part = s.sub(place, start);
    if (modes.sampling == Sampling::Linear)
      return k == 0 ? s.sub(s.add(start, number(1)), place) : part;
    return k == -1  ? far(s.add(part, number(1)))
           : k == 0 ? near(part)
           : k == 1 ? near(s.sub(number(1), part))
                    : far(s.sub(number(2), part));
  }
  /// Keys' cubic with the coefficient -0.75.
  Value near(Value x) {
    Value inner = s.sub(s.mul(number(1.25), x), number(2.25));
    return s.add(s.mul(s.mul(inner, x), x), number(1));
  }
  Value far(Value x) {
    Value inner = s.sub(s.mul(number(-0.75), x), number(-3.75));
    return s.sub(s.mul(s.add(s.mul(inner, x), number(-6)), x), number(-3));
  }
};
} // namespace

/// Coordinate `i` of the points of the grid, without the last dimension.
static GraphValue coordinate(NodeImporter &n, GraphValue &grid, int64_t i) {
  int64_t last = grid.rank() - 1;
  SmallVector<OpFoldResult> starts(grid.rank(), n.size(0)), sizes(grid.shape);
  SmallVector<int64_t> steps(grid.rank(), 1);
  starts[last] = n.size(i);
  sizes[last] = n.size(1);
  GraphValue part = slice(n, grid, starts, sizes, steps);
  return squeeze(n, part, {last});
}

/// A size as float32.
static Value toFloat(Scalars &s, OpFoldResult size, Value index) {
  Type f32 = s.b.getF32Type();
  if (std::optional<int64_t> known = knownSize(size))
    return s.constant(f32, static_cast<double>(*known));
  Value wide = arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), index);
  return arith::SIToFPOp::create(s.b, s.loc, f32, wide);
}

/// The neighbours along a dimension of `size` elements.
static FailureOr<SmallVector<Neighbour>>
findNeighbours(NodeImporter &n, GraphValue &points, OpFoldResult size,
               const GridModes &modes) {
  Type f32 = n.b.getF32Type();
  Value index = knownSize(size) ? Value() : n.index(size);
  auto table = [&](llvm::function_ref<Value(Places &, Value)> of) {
    return elementwise(n, {&points}, f32, [&](Scalars &s, ValueRange args) {
      Places places{s, toFloat(s, size, index), modes};
      return of(places, places.toImage(args[0]));
    });
  };
  SmallVector<Neighbour> result;
  auto [first, end] = modes.neighbours();
  for (int64_t k = first; k < end; ++k) {
    auto place = table([&](Places &p, Value at) {
      Value start = p.base(at);
      return p.bringInside(k == 0 ? start
                                  : p.s.add(start, p.number(double(k))));
    });
    if (failed(place))
      return failure();
    FailureOr<GraphValue> whole = convert(n, *place, n.b.getI32Type());
    if (failed(whole))
      return failure();
    Neighbour neighbour{n.tensor(*whole), {}};
    if (modes.sampling != Sampling::Nearest) {
      auto weight = table([&](Places &p, Value at) { return p.weigh(at, k); });
      if (failed(weight))
        return failure();
      neighbour.weight = weight->value;
    }
    result.push_back(neighbour);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {
/// The elements of the tables at one point, by dimension and neighbour.
using Tables = SmallVector<SmallVector<std::pair<Value, Value>>>;

/// Interpolates at one point of one channel.
struct Interpolation {
  Scalars &s;
  Value image;
  const Tables &tables;
  SmallVector<Value> indices;
  Value zero;

  /// From dimension `d` on; the element is 0 where `isInside` is false.
  Value along(size_t d, Value isInside) {
    if (d == tables.size()) {
      Value element = s.extract(image, indices);
      return isInside ? s.select(isInside, element, zero) : element;
    }
    Value sum;
    for (auto [place, weight] : tables[d]) {
      Value at = place, within = isInside;
      if (zero) {
        Value none = s.constant(place.getType(), 0);
        Value isThere = s.less(s.constant(place.getType(), -1), place);
        within =
            within
                ? arith::AndIOp::create(s.b, s.loc, within, isThere).getResult()
                : isThere;
        at = s.max(place, none);
      }
      indices.push_back(
          arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), at));
      Value part = along(d + 1, within);
      indices.pop_back();
      if (weight)
        part = s.mul(weight, part);
      sum = sum ? s.add(sum, part) : part;
    }
    return sum;
  }
};
} // namespace

static GraphValue interpolate(NodeImporter &n, GraphValue &x,
                              const Shape &shape,
                              ArrayRef<SmallVector<Neighbour>> neighbours,
                              const GridModes &modes) {
  SmallVector<AffineExpr> exprs{n.b.getAffineDimExpr(0)};
  for (size_t d = 2; d < shape.size(); ++d)
    exprs.push_back(n.b.getAffineDimExpr(d));
  auto map = [&](ArrayRef<AffineExpr> read) {
    return AffineMap::get(shape.size(), 0, read, n.b.getContext());
  };
  SmallVector<Value> inputs;
  for (ArrayRef<Neighbour> dim : neighbours)
    for (const Neighbour &neighbour : dim) {
      inputs.push_back(neighbour.place);
      if (neighbour.weight)
        inputs.push_back(neighbour.weight);
    }
  SmallVector<AffineMap> maps(inputs.size(), map(exprs));
  // An operand that is not read: the grid is for as many images as there are.
  inputs.push_back(tensor::EmptyOp::create(
      n.b, n.loc, ArrayRef<OpFoldResult>{x.shape[0]}, x.element));
  maps.push_back(map(exprs[0]));
  maps.push_back(n.b.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  Value source = n.tensor(x);
  Value init = tensor::EmptyOp::create(n.b, n.loc, shape, x.element);
  Value y = generic(
      n, inputs, init, maps, iterators, [&](Scalars &s, ValueRange args) {
        Tables tables;
        size_t next = 0;
        for (ArrayRef<Neighbour> dim : neighbours) {
          auto &rows = tables.emplace_back();
          for (const Neighbour &neighbour : dim) {
            Value place = args[next++];
            rows.push_back({place, neighbour.weight ? args[next++] : Value()});
          }
        }
        bool hasZeros = modes.padding == Padding::Zeros;
        Interpolation at{s, source, tables, {}, {}};
        if (hasZeros)
          at.zero = s.constant(x.element, 0);
        for (unsigned d : {0, 1})
          at.indices.push_back(linalg::IndexOp::create(s.b, s.loc, d));
        return at.along(0, Value());
      });
  return toGraphValue(y, shape);
}

LogicalResult onnx::importGridSample(NodeImporter &n) {
  FailureOr<GridModes> modes = readModes(n);
  if (failed(modes))
    return failure();
  GraphValue &x = n.in(0), &grid = n.in(1);
  int64_t spatial = x.rank() - 2;
  if (!x.element.isF32() || !grid.element.isF32())
    return n.refuse() << "samples " << elementName(x.element)
                      << " at places of " << elementName(grid.element)
                      << ", which is not supported; cast both to float32";
  if (spatial < 1 || spatial > 3 || grid.rank() != x.rank() ||
      knownSize(grid.shape.back()) != spatial)
    return n.refuse() << "needs an image [batch, channels, ...] with 1 to 3 "
                         "spatial dimensions and a grid [batch, ..., number of "
                         "these]; correct the shapes";
  if (spatial == 3 && modes->sampling == Sampling::Cubic)
    return n.refuse() << "interpolates volumes by the mode cubic, which is not "
                         "supported; use linear";
  std::optional<int64_t> images = knownSize(x.shape[0]),
                         grids = knownSize(grid.shape[0]);
  if (images && grids && *images != *grids)
    return n.refuse() << "has " << *grids << " grids for " << *images
                      << " images; correct the shapes";
  SmallVector<SmallVector<Neighbour>> neighbours;
  for (int64_t d = 0; d < spatial; ++d) {
    // The last dimension has the first coordinate.
    GraphValue points = coordinate(n, grid, spatial - 1 - d);
    auto found = findNeighbours(n, points, x.shape[2 + d], *modes);
    if (failed(found))
      return failure();
    neighbours.push_back(*found);
  }
  Shape shape{simpler(x.shape[0], grid.shape[0]), x.shape[1]};
  shape.append(grid.shape.begin() + 1, grid.shape.end() - 1);
  return n.set(0, interpolate(n, x, shape, neighbours, *modes));
}
