//===- ResizePlaces.cpp - Source positions of Resize ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas are templates of the arithmetic: numbers of this process where
// the sizes are known, and ops that compute them where they are not.
//
//===----------------------------------------------------------------------===//

#include "ResizePlaces.h"
#include "../../Builder/Emit.h"
#include "../NodeImporter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

//===----------------------------------------------------------------------===//
// Arithmetic
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
  /// Whether x < y decides between two.
  double ifLess(double x, double y, double yes, double no) {
    return x < y ? yes : no;
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
  Value ifLess(Value x, Value y, Value yes, Value no) {
    return s.select(s.less(x, y), yes, no);
  }
};

/// What all places along a dimension have in common.
template <typename Number> struct Line {
  Number from, to, scale, start, end;
};

/// A place of the result along a dimension.
template <typename Numbers> class Place {
public:
  using Number = typename Numbers::Number;

  Place(Numbers a, const ResizeModes &modes, Line<Number> line, Number o);

  /// The element that the table with this number has.
  Number element(unsigned table);
  /// The weight that the table with this number has.
  Number weight(unsigned table);
  /// Element `i` of the window of `antialias`, and its weight before all are
  /// divided by their sum.
  Number windowElement(Number i);
  Number windowWeight(Number i);
  /// `yes` where the place lies outside of the image.
  Number ifOutside(Number yes, Number no) { return ifInside(x, no, yes); }

private:
  Number placeOf(Number o);
  Number nearest();
  Number cubicWeight(unsigned table);
  Number near(Number distance);
  Number far(Number distance);
  /// `yes` where 0 <= place <= from - 1.
  Number ifInside(Number place, Number yes, Number no);

  Numbers a;
  const ResizeModes &modes;
  Line<Number> line;
  /// Where the place lies in the input, and the element that tables count from.
  Number x, first;
};
} // namespace

/// How far elements with a weight are away, in elements of the larger one of
/// image and result.
static int64_t reach(const ResizeModes &modes) {
  return modes.interpolation == Interpolation::Cubic ? 2 : 1;
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

template <typename Numbers>
Place<Numbers>::Place(Numbers a, const ResizeModes &modes, Line<Number> line,
                      Number o)
    : a(a), modes(modes), line(line), x(placeOf(o)),
      first(modes.isNearest() ? nearest() : this->a.floor(x)) {}

/// Where place `o` of the result lies in the input.
template <typename Numbers>
typename Numbers::Number Place<Numbers>::placeOf(Number o) {
  StringRef mode = modes.coordinates;
  auto [from, to, scale, start, end] = line;
  Number half = a.number(0.5), one = a.number(1);
  if (mode == "tf_half_pixel_for_nn")
    return a.div(a.add(o, half), scale);
  Number centered = a.sub(a.div(a.add(o, half), scale), half);
  if (mode == "pytorch_half_pixel")
    return a.ifLess(one, to, centered, a.number(0));
  if (mode == "align_corners")
    return a.ifLess(one, to, a.div(a.mul(o, a.sub(from, one)), a.sub(to, one)),
                    a.number(0));
  if (mode == "tf_crop_and_resize") {
    Number length = a.sub(from, one);
    Number part = a.mul(a.mul(o, a.sub(end, start)), length);
    return a.ifLess(one, to,
                    a.add(a.mul(start, length), a.div(part, a.sub(to, one))),
                    a.mul(a.mul(half, a.add(start, end)), length));
  }
  if (mode == "asymmetric")
    return a.div(o, scale);
  if (mode == "half_pixel_symmetric") {
    Number rest = a.sub(one, a.div(to, a.mul(scale, from)));
    Number begin = a.mul(a.div(from, a.number(2)), rest);
    return a.sub(a.add(begin, a.div(a.add(o, half), scale)), half);
  }
  return centered;
}

template <typename Numbers> typename Numbers::Number Place<Numbers>::nearest() {
  StringRef rounding = modes.rounding;
  if (rounding == "round_prefer_floor")
    return a.ceil(a.sub(x, a.number(0.5)));
  if (rounding == "round_prefer_ceil")
    return a.floor(a.add(x, a.number(0.5)));
  return rounding == "floor" ? a.floor(x) : a.ceil(x);
}

template <typename Numbers>
typename Numbers::Number Place<Numbers>::element(unsigned table) {
  bool isCubic = modes.interpolation == Interpolation::Cubic;
  return a.add(first, a.number(isCubic ? table - 1.0 : table));
}

template <typename Numbers>
typename Numbers::Number Place<Numbers>::ifInside(Number place, Number yes,
                                                  Number no) {
  Number last = a.sub(line.from, a.number(1));
  return a.ifLess(place, a.number(0), no, a.ifLess(last, place, no, yes));
}

/// The cubic convolution of Keys, of a distance below 1.
template <typename Numbers>
typename Numbers::Number Place<Numbers>::near(Number t) {
  double c = modes.coefficient;
  Number slope = a.sub(a.mul(a.number(c + 2), t), a.number(c + 3));
  return a.add(a.mul(a.mul(slope, t), t), a.number(1));
}

/// The same of a distance from 1 to 2.
template <typename Numbers>
typename Numbers::Number Place<Numbers>::far(Number t) {
  double c = modes.coefficient;
  Number slope = a.sub(a.mul(a.number(c), t), a.number(5 * c));
  Number bend = a.add(a.mul(slope, t), a.number(8 * c));
  return a.sub(a.mul(bend, t), a.number(4 * c));
}

/// Of the distances 1 + t, t, 1 - t and 2 - t of the four elements.
template <typename Numbers>
typename Numbers::Number Place<Numbers>::cubicWeight(unsigned table) {
  Number one = a.number(1), t = a.sub(x, first);
  if (table >= 2)
    t = a.sub(one, t);
  return table == 1 || table == 2 ? near(t) : far(a.add(t, one));
}

template <typename Numbers>
typename Numbers::Number Place<Numbers>::weight(unsigned table) {
  if (modes.interpolation == Interpolation::Linear)
    return a.sub(x, first);
  if (!modes.excludesOutside)
    return cubicWeight(table);
  // Elements outside of the input have no weight, and those inside all of it.
  SmallVector<Number, 4> weights;
  for (unsigned i = 0; i < 4; ++i)
    weights.push_back(ifInside(element(i), cubicWeight(i), a.number(0)));
  Number sum = weights[0];
  for (Number weight : ArrayRef(weights).drop_front())
    sum = a.add(sum, weight);
  return a.div(weights[table], sum);
}

/// Windows begin with the first element that is less far away than those
/// without a weight.
template <typename Numbers>
typename Numbers::Number Place<Numbers>::windowElement(Number i) {
  Number one = a.number(1), most = a.number(static_cast<double>(reach(modes)));
  Number radius = a.ifLess(line.scale, one, a.div(most, line.scale), most);
  return a.add(a.floor(a.sub(a.add(x, one), radius)), i);
}

template <typename Numbers>
typename Numbers::Number Place<Numbers>::windowWeight(Number i) {
  Number zero = a.number(0), one = a.number(1), place = windowElement(i);
  Number away = a.sub(place, x);
  away = a.ifLess(away, zero, a.sub(zero, away), away);
  Number t = a.ifLess(line.scale, one, a.mul(away, line.scale), away);
  Number weight =
      modes.interpolation == Interpolation::Cubic
          ? a.ifLess(t, one, near(t), a.ifLess(t, a.number(2), far(t), zero))
          : a.ifLess(t, one, a.sub(one, t), zero);
  return modes.excludesOutside ? ifInside(place, weight, zero) : weight;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static unsigned countElements(const ResizeModes &modes) {
  return modes.isNearest()                              ? 1
         : modes.interpolation == Interpolation::Linear ? 2
                                                        : 4;
}

static unsigned countWeights(const ResizeModes &modes) {
  return modes.interpolation == Interpolation::Cubic    ? 4
         : modes.interpolation == Interpolation::Linear ? 1
                                                        : 0;
}

static Value constantIndices(NodeImporter &n, ArrayRef<int64_t> table,
                             ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, n.b.getI64Type());
  return arith::ConstantOp::create(n.b, n.loc,
                                   DenseElementsAttr::get(type, table));
}

/// How many elements a window of `antialias` has at most: those that are less
/// than its radius away.
static OpFoldResult windowOf(NodeImporter &n, const ResizeAxis &axis,
                             const ResizeModes &modes) {
  int64_t least = 2 * reach(modes);
  if (!axis.scale) {
    OpFoldResult more = n.ceilDiv(n.mul(axis.from, n.size(least)), axis.to);
    return n.max(more, n.size(least));
  }
  double radius = static_cast<double>(least) / std::min(*axis.scale, 1.0);
  return n.size(static_cast<int64_t>(std::ceil(radius)));
}

namespace {
/// The tables of numbers that are known here.
class KnownTables {
public:
  KnownTables(NodeImporter &n, const ResizeAxis &axis, const ResizeModes &modes)
      : n(n), modes(modes), to(*knownSize(axis.to)),
        from(static_cast<double>(*knownSize(axis.from))) {
    Line<double> line{from, static_cast<double>(to), *axis.scale,
                      axis.start.known, axis.end.known};
    for (int64_t o = 0; o < to; ++o)
      places.emplace_back(KnownNumbers(), modes, line, static_cast<double>(o));
  }

  void addElements(ResizeTables &tables) {
    for (unsigned i = 0; i < countElements(modes); ++i) {
      SmallVector<int64_t> elements;
      for (auto &place : places)
        elements.push_back(inside(place.element(i)));
      tables.elements.push_back(constantIndices(n, elements, to));
    }
    for (unsigned i = 0; i < countWeights(modes); ++i) {
      SmallVector<float> weights;
      for (auto &place : places)
        weights.push_back(static_cast<float>(place.weight(i)));
      tables.weights.push_back(constantFloats(n, weights, to));
    }
  }

  void addWindows(ResizeTables &tables) {
    int64_t window = *knownSize(tables.window);
    SmallVector<int64_t> elements;
    SmallVector<float> weights;
    for (auto &place : places) {
      double sum = 0;
      for (int64_t i = 0; i < window; ++i)
        sum += place.windowWeight(static_cast<double>(i));
      for (int64_t i = 0; i < window; ++i) {
        elements.push_back(inside(place.windowElement(static_cast<double>(i))));
        double weight = place.windowWeight(static_cast<double>(i));
        weights.push_back(static_cast<float>(weight / sum));
      }
    }
    tables.elements.push_back(constantIndices(n, elements, {to, window}));
    tables.weights.push_back(constantFloats(n, weights, {to, window}));
  }

  void addOutside(ResizeTables &tables) {
    SmallVector<bool> outside;
    for (auto &place : places)
      outside.push_back(place.ifOutside(1, 0) == 1);
    if (!llvm::is_contained(outside, true))
      return;
    auto type = RankedTensorType::get(to, n.b.getI1Type());
    tables.outside = arith::ConstantOp::create(
        n.b, n.loc, DenseElementsAttr::get(type, outside));
  }

private:
  int64_t inside(double element) {
    return static_cast<int64_t>(std::clamp(element, 0.0, from - 1.0));
  }

  NodeImporter &n;
  const ResizeModes &modes;
  int64_t to;
  double from;
  SmallVector<Place<KnownNumbers>> places;
};

/// The same tables, computed at run time.
class EmittedTables {
public:
  EmittedTables(NodeImporter &n, const ResizeAxis &axis,
                const ResizeModes &modes)
      : n(n), axis(axis), modes(modes), wide(n.b.getI64Type()),
        real(n.b.getF64Type()) {
    Scalars s(n.b, n.loc);
    line.from = toReal(n.b, n.index(axis.from));
    line.to = toReal(n.b, n.index(axis.to));
    line.scale =
        axis.scale ? s.constant(real, *axis.scale) : s.div(line.to, line.from);
    auto valueOf = [&](const ResizeNumber &number) {
      return number.emitted ? number.emitted : s.constant(real, number.known);
    };
    line.start = valueOf(axis.start);
    line.end = valueOf(axis.end);
  }

  void addElements(ResizeTables &tables) {
    for (unsigned i = 0; i < countElements(modes); ++i)
      tables.elements.push_back(
          tabulate(n, {axis.to}, wide, [&](Scalars &s, ValueRange o) {
            return inside(s, place(s, o[0]).element(i));
          }));
    for (unsigned i = 0; i < countWeights(modes); ++i)
      tables.weights.push_back(tabulate(
          n, {axis.to}, n.b.getF32Type(), [&](Scalars &s, ValueRange o) {
            return arith::TruncFOp::create(s.b, s.loc, s.b.getF32Type(),
                                           place(s, o[0]).weight(i))
                .getResult();
          }));
  }

  void addWindows(ResizeTables &tables) {
    Shape shape{axis.to, tables.window};
    tables.elements.push_back(
        tabulate(n, shape, wide, [&](Scalars &s, ValueRange at) {
          Value i = toReal(s.b, at[1]);
          return inside(s, place(s, at[0]).windowElement(i));
        }));
    GraphValue weights =
        toGraphValue(tabulate(n, shape, real,
                              [&](Scalars &s, ValueRange at) {
                                Value i = toReal(s.b, at[1]);
                                return place(s, at[0]).windowWeight(i);
                              }),
                     shape);
    // One after the other, which N8 does not say of a sum.
    GraphValue sum =
        reduce(n, weights, {1}, 0.0, [&](Scalars &s, ValueRange args) {
          return math::FmaOp::create(s.b, s.loc, args[1], s.constant(real, 1),
                                     args[0])
              .getResult();
        });
    sum = unsqueeze(n, sum, {1});
    GraphValue parts = *elementwise(n, {&weights, &sum}, n.b.getF32Type(),
                                    [&](Scalars &s, ValueRange args) {
                                      return arith::TruncFOp::create(
                                                 s.b, s.loc, s.b.getF32Type(),
                                                 s.div(args[0], args[1]))
                                          .getResult();
                                    });
    tables.weights.push_back(parts.value);
  }

  void addOutside(ResizeTables &tables) {
    tables.outside =
        tabulate(n, {axis.to}, n.b.getI1Type(), [&](Scalars &s, ValueRange o) {
          Value one = s.constant(real, 1), zero = s.constant(real, 0);
          return s.equal(place(s, o[0]).ifOutside(one, zero), one);
        });
  }

private:
  Value toReal(OpBuilder &b, Value size) {
    Value integer = arith::IndexCastOp::create(b, n.loc, wide, size);
    return arith::SIToFPOp::create(b, n.loc, real, integer);
  }
  Place<EmittedNumbers> place(Scalars &s, Value o) {
    return Place<EmittedNumbers>(EmittedNumbers{s}, modes, line,
                                 toReal(s.b, o));
  }
  Value inside(Scalars &s, Value element) {
    Value last = s.sub(line.from, s.constant(real, 1)),
          kept = s.max(element, s.constant(real, 0));
    return arith::FPToSIOp::create(s.b, s.loc, wide, s.min(kept, last));
  }

  NodeImporter &n;
  const ResizeAxis &axis;
  const ResizeModes &modes;
  Type wide, real;
  Line<Value> line;
};
} // namespace

template <typename Tables>
static ResizeTables fill(Tables tables, const ResizeModes &modes,
                         OpFoldResult window) {
  ResizeTables result;
  result.window = window;
  if (modes.antialiases)
    tables.addWindows(result);
  else
    tables.addElements(result);
  if (modes.crops())
    tables.addOutside(result);
  return result;
}

ResizeTables onnx::makeResizeTables(NodeImporter &n, const ResizeAxis &axis,
                                    const ResizeModes &modes) {
  constexpr int64_t mostConstants = 1 << 20;
  OpFoldResult window =
      modes.antialiases ? windowOf(n, axis, modes) : n.size(1);
  bool isConstant = axis.isKnown() && knownSize(window) &&
                    *knownSize(axis.to) <= mostConstants / *knownSize(window);
  return isConstant ? fill(KnownTables(n, axis, modes), modes, window)
                    : fill(EmittedTables(n, axis, modes), modes, window);
}
