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
#include "../Emit.h"
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

/// A place of the result along a dimension of `from` elements.
template <typename Numbers> class Place {
public:
  using Number = typename Numbers::Number;

  Place(Numbers a, const ResizeModes &modes, Number o, Number from, Number to,
        Number scale);

  /// The element that the table with this number has.
  Number element(unsigned table);
  /// The weight that the table with this number has.
  Number weight(unsigned table);

private:
  Number placeOf(Number o, Number to, Number scale);
  Number nearest();
  Number cubicWeight(unsigned table);

  Numbers a;
  const ResizeModes &modes;
  Number from;
  /// Where the place lies in the input, and the element that tables count from.
  Number x, first;
};
} // namespace

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

template <typename Numbers>
Place<Numbers>::Place(Numbers a, const ResizeModes &modes, Number o,
                      Number from, Number to, Number scale)
    : a(a), modes(modes), from(from), x(placeOf(o, to, scale)),
      first(modes.isNearest() ? nearest() : this->a.floor(x)) {}

/// Where place `o` of the result lies in the input.
template <typename Numbers>
typename Numbers::Number Place<Numbers>::placeOf(Number o, Number to,
                                                 Number scale) {
  StringRef mode = modes.coordinates;
  Number half = a.number(0.5);
  Number centered = a.sub(a.div(a.add(o, half), scale), half);
  if (mode == "pytorch_half_pixel")
    return a.ifLess(a.number(1), to, centered, a.number(0));
  if (mode == "align_corners") {
    Number one = a.number(1);
    return a.ifLess(one, to, a.div(a.mul(o, a.sub(from, one)), a.sub(to, one)),
                    a.number(0));
  }
  if (mode == "asymmetric")
    return a.div(o, scale);
  if (mode == "half_pixel_symmetric") {
    Number rest = a.sub(a.number(1), a.div(to, a.mul(scale, from)));
    Number start = a.mul(a.div(from, a.number(2)), rest);
    return a.sub(a.add(start, a.div(a.add(o, half), scale)), half);
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

/// The cubic convolution of Keys, of the distances 1 + t, t, 1 - t and 2 - t of
/// the four elements.
template <typename Numbers>
typename Numbers::Number Place<Numbers>::cubicWeight(unsigned table) {
  double c = modes.coefficient;
  Number one = a.number(1), t = a.sub(x, first);
  if (table >= 2)
    t = a.sub(one, t);
  if (table == 1 || table == 2) {
    Number slope = a.sub(a.mul(a.number(c + 2), t), a.number(c + 3));
    return a.add(a.mul(a.mul(slope, t), t), one);
  }
  Number far = a.add(t, one);
  Number slope = a.sub(a.mul(a.number(c), far), a.number(5 * c));
  Number bend = a.add(a.mul(slope, far), a.number(8 * c));
  return a.sub(a.mul(bend, far), a.number(4 * c));
}

template <typename Numbers>
typename Numbers::Number Place<Numbers>::weight(unsigned table) {
  if (modes.interpolation == Interpolation::Linear)
    return a.sub(x, first);
  if (!modes.excludesOutside)
    return cubicWeight(table);
  // Elements outside of the input have no weight, and those inside all of it.
  SmallVector<Number, 4> weights;
  Number zero = a.number(0), last = a.sub(from, a.number(1));
  for (unsigned i = 0; i < 4; ++i) {
    Number place = element(i);
    Number inside = a.ifLess(last, place, zero, cubicWeight(i));
    weights.push_back(a.ifLess(place, zero, zero, inside));
  }
  Number sum = weights[0];
  for (Number weight : ArrayRef(weights).drop_front())
    sum = a.add(sum, weight);
  return a.div(weights[table], sum);
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

static Value constantIndices(NodeImporter &n, ArrayRef<int64_t> table) {
  auto type = RankedTensorType::get(static_cast<int64_t>(table.size()),
                                    n.b.getI64Type());
  return arith::ConstantOp::create(n.b, n.loc,
                                   DenseElementsAttr::get(type, table));
}

static ResizeTables knownTables(NodeImporter &n, const ResizeAxis &axis,
                                const ResizeModes &modes) {
  double from = *knownSize(axis.from), to = *knownSize(axis.to);
  SmallVector<Place<KnownNumbers>> places;
  for (int64_t o = 0; o < *knownSize(axis.to); ++o)
    places.emplace_back(KnownNumbers(), modes, static_cast<double>(o), from, to,
                        *axis.scale);
  ResizeTables tables;
  for (unsigned i = 0; i < countElements(modes); ++i) {
    SmallVector<int64_t> elements;
    for (auto &place : places)
      elements.push_back(
          static_cast<int64_t>(std::clamp(place.element(i), 0.0, from - 1.0)));
    tables.elements.push_back(constantIndices(n, elements));
  }
  for (unsigned i = 0; i < countWeights(modes); ++i) {
    SmallVector<float> weights;
    for (auto &place : places)
      weights.push_back(static_cast<float>(place.weight(i)));
    tables.weights.push_back(constantFloats(n, weights, *knownSize(axis.to)));
  }
  return tables;
}

static ResizeTables emittedTables(NodeImporter &n, const ResizeAxis &axis,
                                  const ResizeModes &modes) {
  Type wide = n.b.getI64Type(), real = n.b.getF64Type();
  auto toReal = [&](OpBuilder &b, Value size) -> Value {
    Value integer = arith::IndexCastOp::create(b, n.loc, wide, size);
    return arith::SIToFPOp::create(b, n.loc, real, integer);
  };
  Value from = toReal(n.b, n.index(axis.from)),
        to = toReal(n.b, n.index(axis.to));
  Scalars outside(n.b, n.loc);
  Value scale =
      axis.scale ? outside.constant(real, *axis.scale) : outside.div(to, from);
  auto place = [&](Scalars &s, Value o) {
    return Place<EmittedNumbers>(EmittedNumbers{s}, modes, toReal(s.b, o), from,
                                 to, scale);
  };
  ResizeTables tables;
  for (unsigned i = 0; i < countElements(modes); ++i)
    tables.elements.push_back(
        tabulate(n, axis.to, wide, [&](Scalars &s, ValueRange o) -> Value {
          Value last = s.sub(from, s.constant(real, 1)),
                kept = s.max(place(s, o[0]).element(i), s.constant(real, 0));
          return arith::FPToSIOp::create(s.b, s.loc, wide, s.min(kept, last));
        }));
  for (unsigned i = 0; i < countWeights(modes); ++i)
    tables.weights.push_back(
        tabulate(n, axis.to, n.b.getF32Type(), [&](Scalars &s, ValueRange o) {
          return arith::TruncFOp::create(s.b, s.loc, s.b.getF32Type(),
                                         place(s, o[0]).weight(i))
              .getResult();
        }));
  return tables;
}

ResizeTables onnx::makeResizeTables(NodeImporter &n, const ResizeAxis &axis,
                                    const ResizeModes &modes) {
  constexpr int64_t mostConstants = 1 << 20;
  bool isConstant = axis.isKnown() && *knownSize(axis.to) <= mostConstants;
  return isConstant ? knownTables(n, axis, modes)
                    : emittedTables(n, axis, modes);
}
