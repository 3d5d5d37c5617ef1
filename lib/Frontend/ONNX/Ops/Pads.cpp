//===- Pads.cpp - Pad -----------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Compose.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/QNN/IR/QuantParams.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

//===----------------------------------------------------------------------===//
// Widths
//===----------------------------------------------------------------------===//

namespace {
/// Numbers of elements that are added before and behind each dimension;
/// negative ones are cut off.
struct Widths {
  SmallVector<OpFoldResult> low, high;
};
} // namespace

static FailureOr<Widths> readWidths(NodeImporter &n) {
  auto pads = n.integers(1, "its pads");
  if (failed(pads))
    return failure();
  int64_t rank = n.in(0).rank();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (n.has(3)) {
    auto given = n.constantIntegers(3, "its axes");
    if (failed(given))
      return failure();
    axes.clear();
    for (int64_t axis : *given) {
      FailureOr<int64_t> dim = n.dimension(axis, rank);
      if (failed(dim))
        return failure();
      axes.push_back(*dim);
    }
  }
  if (pads->size() != 2 * axes.size())
    return n.refuse() << "has " << pads->size() << " pads for " << axes.size()
                      << " dimensions; correct them";
  Widths widths;
  widths.low.assign(rank, n.size(0));
  widths.high.assign(rank, n.size(0));
  for (auto [i, axis] : llvm::enumerate(axes)) {
    widths.low[axis] = (*pads)[i];
    widths.high[axis] = (*pads)[axes.size() + i];
    for (OpFoldResult width : {widths.low[axis], widths.high[axis]})
      if (std::abs(knownSize(width).value_or(0)) > INT32_MAX)
        return n.refuse() << "has pads that are too large; correct them";
  }
  return widths;
}

/// Cuts off negative widths; others remain in `widths`. The entry requires
/// that widths which are not known are not negative.
static GraphValue cut(NodeImporter &n, GraphValue &x, Widths &widths) {
  SmallVector<OpFoldResult> starts, sizes;
  for (int64_t d = 0; d < x.rank(); ++d) {
    int64_t low = std::min<int64_t>(0, knownSize(widths.low[d]).value_or(0));
    int64_t high = std::min<int64_t>(0, knownSize(widths.high[d]).value_or(0));
    starts.push_back(n.size(-low));
    sizes.push_back(n.add(x.shape[d], n.size(low + high)));
    widths.low[d] = n.sub(widths.low[d], n.size(low));
    widths.high[d] = n.sub(widths.high[d], n.size(high));
  }
  SmallVector<int64_t> steps(x.rank(), 1);
  return slice(n, x, starts, sizes, steps);
}

/// The element that mode edge, reflect or wrap has at `at` of dimension `d`.
static Value mirrored(Scalars &s, StringRef mode, Value at, Value size) {
  Value zero = s.constant(at.getType(), 0), one = s.constant(at.getType(), 1);
  Value last = s.sub(size, one);
  if (mode == "edge")
    return s.max(zero, s.min(at, last));
  if (mode == "wrap")
    return s.select(s.less(at, zero), s.add(at, size),
                    s.select(s.less(last, at), s.sub(at, size), at));
  Value front = s.select(s.less(at, zero), s.sub(zero, at), at);
  return s.select(s.less(last, front), s.sub(s.add(last, last), front), front);
}

static GraphValue padByElements(NodeImporter &n, GraphValue &x,
                                const Widths &widths, StringRef mode) {
  Shape shape;
  SmallVector<Value> low, sizes;
  for (int64_t d = 0; d < x.rank(); ++d) {
    shape.push_back(n.add(n.add(x.shape[d], widths.low[d]), widths.high[d]));
    low.push_back(n.index(widths.low[d]));
    sizes.push_back(n.index(x.shape[d]));
  }
  return gather(n, x, shape, [&](Scalars &s, ValueRange at) {
    SmallVector<Value> indices;
    for (auto [i, before, size] : llvm::zip_equal(at, low, sizes))
      indices.push_back(mirrored(s, mode, s.sub(i, before), size));
    return indices;
  });
}

/// `count` elements from `start` on along a dimension. A dynamic size that
/// does not have them is refused where the entry is called.
static GraphValue take(NodeImporter &n, GraphValue &x, int64_t d,
                       OpFoldResult start, OpFoldResult count,
                       bool isReversed) {
  SmallVector<OpFoldResult> starts(x.rank(), n.size(0)), sizes(x.shape);
  SmallVector<int64_t> steps(x.rank(), 1);
  starts[d] = start;
  sizes[d] = count;
  GraphValue part = slice(n, x, starts, sizes, steps);
  if (!isReversed)
    return part;
  Value last = n.index(n.sub(count, n.size(1)));
  return gather(n, part, part.shape, [&](Scalars &s, ValueRange at) {
    SmallVector<Value> indices(at);
    indices[d] = s.sub(last, at[d]);
    return indices;
  });
}

/// Pads dimension `d`, of a dynamic size, by copies of elements at the ends.
static GraphValue padByParts(NodeImporter &n, GraphValue &x, int64_t d,
                             OpFoldResult low, OpFoldResult high,
                             bool isReflected) {
  Composer c(n);
  OpFoldResult size = x.shape[d], one = n.size(isReflected ? 1 : 0);
  OpFoldResult front = isReflected ? one : n.sub(size, low);
  OpFoldResult back = isReflected ? n.sub(n.sub(size, high), one) : n.size(0);
  Composer::Refs parts;
  if (knownSize(low) != 0)
    parts.push_back(c.hold(take(n, x, d, front, low, isReflected)));
  parts.push_back(&x);
  if (knownSize(high) != 0)
    parts.push_back(c.hold(take(n, x, d, back, high, isReflected)));
  return *c.op("Concat", parts, {attribute("axis", d)});
}

/// Modes edge, reflect and wrap.
static LogicalResult padByMode(NodeImporter &n, GraphValue x, Widths &widths,
                               StringRef mode) {
  if (mode != "edge" && mode != "reflect" && mode != "wrap")
    return n.refuse() << "pads by mode " << mode
                      << ", which is not supported; use constant, edge, "
                         "reflect or wrap";
  for (int64_t d = 0; d < x.rank(); ++d) {
    OpFoldResult &low = widths.low[d], &high = widths.high[d];
    std::optional<int64_t> before = knownSize(low), after = knownSize(high),
                           size = knownSize(x.shape[d]);
    if (before == 0 && after == 0)
      continue;
    if (!before || !after)
      return n.refuse() << "pads by mode " << mode
                        << " and widths that are no constants, which is not "
                           "supported; use mode constant";
    // At most one reflection or repetition.
    int64_t most = std::max(*before, *after) + (mode == "reflect" ? 1 : 0);
    if (size && (*size == 0 || (mode != "edge" && most > *size)))
      return n.refuse() << "pads by mode " << mode
                        << " and more elements than there are, which is not "
                           "supported; pad in several nodes";
    if (size || mode == "edge")
      continue;
    x = padByParts(n, x, d, low, high, mode == "reflect");
    low = high = n.size(0);
  }
  return n.set(0, padByElements(n, x, widths, mode));
}

/// The result of a DequantizeLinear of one constant, by which ONNX Runtime
/// quantizes the value of a Pad; null for other values.
static TypedAttr dequantizeOne(NodeImporter &n, const GraphValue &given) {
  auto op = given.value ? given.value.getDefiningOp<qnn::DequantizeOp>()
                        : qnn::DequantizeOp();
  DenseElementsAttr stored;
  if (!op || !given.element.isF32() ||
      !matchPattern(op.getInput(), m_Constant(&stored)) ||
      stored.getNumElements() != 1)
    return {};
  FailureOr<qnn::QuantParams> params = qnn::getQuantParams(
      op.getInput().getType(), op.getScale(), op.getZeroPoint(), op.getAxis());
  if (failed(params) || !params->isScaleConstant ||
      !params->isZeroPointConstant || params->width != 8)
    return {};
  auto q = *stored.value_begin<APInt>();
  int64_t integer = params->isSigned ? q.getSExtValue() : q.getZExtValue();
  int64_t zero = params->zeroPoints.empty() ? 0 : params->zeroPoints.front();
  return n.b.getF32FloatAttr(static_cast<float>(integer - zero) *
                             params->scales.front());
}

/// The scalar that a Pad adds; of uint8 as a float.
static FailureOr<Value> readPadValue(NodeImporter &n) {
  Type element = n.in(0).isUnsigned() ? n.b.getF32Type() : n.in(0).element;
  if (!n.has(2))
    return Scalars(n.b, n.loc).constant(element, 0);
  GraphValue &given = n.in(2);
  bool isOne =
      given.rank() == 0 || knownSizes(given.shape) == SmallVector<int64_t>{1};
  auto dense = dyn_cast_or_null<DenseElementsAttr>(given.constant);
  TypedAttr number = dense && isOne
                         ? cast<TypedAttr>(*dense.value_begin<Attribute>())
                         : dequantizeOne(n, given);
  if (!isOne || !number)
    return n.refuse() << "pads by a value that is no constant of its type; "
                         "make it one";
  if (given.isUnsigned())
    number = n.b.getF32FloatAttr(static_cast<float>(
        cast<IntegerAttr>(number).getValue().getZExtValue()));
  return arith::ConstantOp::create(n.b, n.loc, number).getResult();
}

LogicalResult onnx::importPad(NodeImporter &n) {
  if (n.since < 11)
    return importOldPad(n);
  FailureOr<Widths> widths = readWidths(n);
  if (failed(widths))
    return failure();
  GraphValue x = cut(n, n.in(0), *widths);
  StringRef mode = n.getString("mode", "constant");
  if (mode != "constant")
    return padByMode(n, x, *widths, mode);
  FailureOr<Value> value = readPadValue(n);
  if (failed(value))
    return failure();
  if (!x.isUnsigned())
    return n.set(0, pad(n, x, widths->low, widths->high, *value));
  // tensor.pad has no constants of uint8; all of them are floats.
  FailureOr<GraphValue> real = convert(n, x, n.b.getF32Type());
  if (failed(real))
    return failure();
  GraphValue padded = pad(n, *real, widths->low, widths->high, *value);
  FailureOr<GraphValue> y = convert(n, padded, x.element);
  return failed(y) ? failure() : n.set(0, *y);
}

//===----------------------------------------------------------------------===//
// CenterCropPad
//===----------------------------------------------------------------------===//

/// Zeros are added, or elements cut off, on both sides of each dimension until
/// it has its size; an odd one at the end.
LogicalResult onnx::importCenterCropPad(NodeImporter &n) {
  FailureOr<SmallVector<OpFoldResult>> wanted = n.integers(1, "its shape");
  if (failed(wanted))
    return failure();
  GraphValue x = n.in(0);
  SmallVector<int64_t> axes(n.getInts("axes"));
  if (!n.find("axes"))
    axes = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  if (axes.size() != wanted->size())
    return n.refuse() << "has " << wanted->size() << " sizes for "
                      << axes.size() << " dimensions; correct them";
  OpFoldResult zero = n.size(0), two = n.size(2);
  SmallVector<OpFoldResult> starts(x.rank(), zero), low(starts), high(starts);
  Shape kept = x.shape;
  for (auto [axis, size] : llvm::zip_equal(axes, *wanted)) {
    FailureOr<int64_t> d = n.dimension(axis, x.rank());
    if (failed(d))
      return failure();
    if (knownSize(size).value_or(0) < 0)
      return n.refuse() << "has the size " << *knownSize(size)
                        << "; correct it";
    OpFoldResult from = x.shape[*d];
    kept[*d] = n.min(from, size);
    starts[*d] = n.floorDiv(n.sub(from, kept[*d]), two);
    OpFoldResult added = n.sub(size, kept[*d]);
    low[*d] = n.floorDiv(added, two);
    high[*d] = n.sub(added, low[*d]);
  }
  // tensor.pad has no constants of uint8.
  Type element = x.element;
  if (x.isUnsigned())
    x = *convert(n, x, n.b.getF32Type());
  SmallVector<int64_t> steps(x.rank(), 1);
  GraphValue part = slice(n, x, starts, kept, steps);
  GraphValue y =
      pad(n, part, low, high, Scalars(n.b, n.loc).constant(x.element, 0));
  FailureOr<GraphValue> result = convert(n, y, element);
  return failed(result) ? failure() : n.set(0, *result);
}
