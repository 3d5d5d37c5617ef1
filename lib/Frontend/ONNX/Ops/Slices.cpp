//===- Slices.cpp - Parts of values, and padding --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Constants.h"
#include "../Emit.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/Transforms/ConstantData.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

namespace {
/// A slice along one dimension.
struct Span {
  OpFoldResult start, count;
  int64_t step = 1;
};

/// What a Slice takes, attributes or inputs.
struct SliceInputs {
  SmallVector<OpFoldResult> starts, ends;
  SmallVector<int64_t> axes, steps;
};
} // namespace

static FailureOr<SliceInputs> readSlice(NodeImporter &n) {
  if (failed(n.requireInputs(3)))
    return failure();
  SliceInputs in;
  auto starts = n.integers(1, "its starts"), ends = n.integers(2, "its ends");
  if (failed(starts) || failed(ends))
    return failure();
  in.starts = *starts;
  in.ends = *ends;
  size_t count = in.starts.size();
  in.axes = llvm::to_vector(llvm::seq<int64_t>(0, count));
  in.steps.assign(count, 1);
  if (n.has(3)) {
    auto axes = n.constantIntegers(3, "its axes");
    if (failed(axes))
      return failure();
    in.axes = *axes;
  }
  if (n.has(4)) {
    auto steps = n.constantIntegers(4, "its steps");
    if (failed(steps))
      return failure();
    in.steps = *steps;
  }
  if (in.ends.size() != count || in.axes.size() != count ||
      in.steps.size() != count)
    return n.refuse() << "has starts, ends, axes and steps of different "
                         "numbers; correct them";
  return in;
}

/// A start or an end, counted from the end where it is negative, brought into
/// [low, high]. A value that is not known counts as not negative.
static OpFoldResult place(NodeImporter &n, OpFoldResult i, OpFoldResult size,
                          OpFoldResult low, OpFoldResult high) {
  std::optional<int64_t> known = knownSize(i), end = knownSize(size);
  // An end beyond all sizes is the end.
  if (known && !end && *known >= INT32_MAX)
    return high;
  if (known && !end && *known <= -INT32_MAX)
    return low;
  OpFoldResult at = known && *known < 0 ? n.add(size, i) : i;
  if (known == 0 && knownSize(low) == 0)
    return at;
  return n.max(low, n.min(at, high));
}

static FailureOr<Span> readSpan(NodeImporter &n, OpFoldResult size,
                                OpFoldResult start, OpFoldResult end,
                                int64_t step) {
  if (step == 0 || step > INT32_MAX || step < -INT32_MAX)
    return n.refuse() << "has a step of " << step << "; correct it";
  Span range;
  range.step = step;
  OpFoldResult zero = n.size(0), one = n.size(1), last = n.sub(size, one);
  OpFoldResult span;
  if (step > 0) {
    range.start = place(n, start, size, zero, size);
    span = n.sub(place(n, end, size, zero, size), range.start);
  } else {
    range.start = place(n, start, size, zero, last);
    span = n.sub(range.start, place(n, end, size, n.size(-1), last));
  }
  OpFoldResult count = n.ceilDiv(span, n.size(step > 0 ? step : -step));
  // A slice from the front to the end has no negative size.
  bool isWhole = knownSize(range.start) == 0 && count == size;
  range.count = isWhole ? size : n.max(count, zero);
  return range;
}

/// The part of the integers that the evaluator knows.
static std::optional<GraphValue> sliceIntegers(NodeImporter &n,
                                               const Span &range) {
  GraphValue &x = n.in(0);
  if (!x.integers)
    x.integers = Constants::readIntegers(n.b, x);
  std::optional<int64_t> start = knownSize(range.start),
                         count = knownSize(range.count);
  if (!x.integers || x.rank() != 1 || !start || !count)
    return std::nullopt;
  GraphValue result;
  result.element = x.element;
  result.shape.push_back(range.count);
  result.integers.emplace();
  for (int64_t i = 0; i < *count; ++i)
    result.integers->push_back((*x.integers)[*start + i * range.step]);
  return result;
}

/// Elements from behind, which tensor.extract_slice cannot take.
static GraphValue gatherSpans(NodeImporter &n, GraphValue &x,
                              ArrayRef<Span> ranges) {
  Shape shape;
  SmallVector<Value> starts, steps;
  for (const Span &range : ranges) {
    shape.push_back(range.count);
    starts.push_back(n.index(range.start));
    steps.push_back(n.index(n.size(range.step)));
  }
  return gather(n, x, shape, [&](Scalars &s, ValueRange at) {
    SmallVector<Value> indices;
    for (auto [i, start, step] : llvm::zip_equal(at, starts, steps))
      indices.push_back(s.add(start, s.mul(i, step)));
    return indices;
  });
}

LogicalResult onnx::importSlice(NodeImporter &n) {
  FailureOr<SliceInputs> in = readSlice(n);
  if (failed(in))
    return failure();
  GraphValue &x = n.in(0);
  SmallVector<Span> ranges;
  for (OpFoldResult size : x.shape)
    ranges.push_back({n.size(0), size, 1});
  bool hasNegative = false;
  for (size_t i = 0; i < in->axes.size(); ++i) {
    FailureOr<int64_t> axis = n.dimension(in->axes[i], x.rank());
    if (failed(axis))
      return failure();
    FailureOr<Span> range =
        readSpan(n, x.shape[*axis], in->starts[i], in->ends[i], in->steps[i]);
    if (failed(range))
      return failure();
    ranges[*axis] = *range;
    hasNegative |= range->step < 0;
  }
  if (ranges.size() == 1)
    if (std::optional<GraphValue> integers = sliceIntegers(n, ranges[0]))
      return n.set(0, *integers);
  if (hasNegative)
    return n.set(0, gatherSpans(n, x, ranges));
  SmallVector<OpFoldResult> starts, counts;
  SmallVector<int64_t> steps;
  for (const Span &range : ranges) {
    starts.push_back(range.start);
    counts.push_back(range.count);
    steps.push_back(range.step);
  }
  return n.set(0, slice(n, x, starts, counts, steps));
}

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

/// The sizes of the parts.
static FailureOr<SmallVector<OpFoldResult>> readParts(NodeImporter &n,
                                                      OpFoldResult size) {
  size_t count = n.node.outputs.size();
  SmallVector<OpFoldResult> parts;
  if (n.has(1)) {
    auto given = n.integers(1, "its sizes");
    if (failed(given))
      return failure();
    parts = *given;
  }
  for (int64_t part : n.getInts("split"))
    parts.push_back(n.size(part));
  if (parts.empty()) {
    std::optional<int64_t> known = knownSize(size);
    if (!known)
      return n.refuse() << "splits a dynamic size into equal parts, which is "
                           "not supported; give the sizes";
    // The last part may be smaller, since opset 18.
    int64_t each = llvm::divideCeil(*known, std::max<int64_t>(1, count));
    if (n.since < 18 && each * static_cast<int64_t>(count) != *known)
      return n.refuse() << "splits " << *known << " elements into " << count
                        << " equal parts; correct the number";
    for (size_t i = 0; i < count; ++i)
      parts.push_back(n.size(std::clamp<int64_t>(
          *known - static_cast<int64_t>(i) * each, 0, each)));
  }
  if (parts.size() != count)
    return n.refuse() << "has " << parts.size() << " sizes for " << count
                      << " outputs; correct them";
  OpFoldResult total = n.size(0);
  for (OpFoldResult part : parts)
    total = n.add(total, part);
  bool fits = !knownSize(total) || !knownSize(size) ||
              *knownSize(total) == *knownSize(size);
  for (OpFoldResult part : parts)
    fits &= !knownSize(part) || *knownSize(part) >= 0;
  if (!fits)
    return n.refuse()
           << "has sizes whose sum is not that of its input; correct "
              "them";
  return parts;
}

LogicalResult onnx::importSplit(NodeImporter &n) {
  if (failed(n.requireInputs(1)))
    return failure();
  GraphValue &x = n.in(0);
  FailureOr<int64_t> axis = n.axis(0, x.rank());
  if (failed(axis))
    return failure();
  auto parts = readParts(n, x.shape[*axis]);
  if (failed(parts))
    return failure();
  SmallVector<OpFoldResult> starts(x.rank(), n.size(0));
  SmallVector<int64_t> steps(x.rank(), 1);
  for (auto [i, part] : llvm::enumerate(*parts)) {
    SmallVector<OpFoldResult> sizes(x.shape);
    sizes[*axis] = part;
    (void)n.set(i, slice(n, x, starts, sizes, steps));
    starts[*axis] = n.add(starts[*axis], part);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

namespace {
/// What is added to each dimension; negative amounts are cut off.
struct Amounts {
  SmallVector<OpFoldResult> low, high;
};
} // namespace

static FailureOr<Amounts> readAmounts(NodeImporter &n) {
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
  Amounts amounts;
  amounts.low.assign(rank, n.size(0));
  amounts.high.assign(rank, n.size(0));
  for (auto [i, axis] : llvm::enumerate(axes)) {
    amounts.low[axis] = (*pads)[i];
    amounts.high[axis] = (*pads)[axes.size() + i];
    for (OpFoldResult amount : {amounts.low[axis], amounts.high[axis]})
      if (!knownSize(amount) || std::abs(*knownSize(amount)) > INT32_MAX)
        return n.refuse() << "has pads that are no constants, which is not "
                             "supported";
  }
  return amounts;
}

/// Cuts off what is negative; the rest remains.
static GraphValue cut(NodeImporter &n, GraphValue &x, Amounts &amounts) {
  SmallVector<OpFoldResult> starts, sizes;
  for (int64_t d = 0; d < x.rank(); ++d) {
    int64_t low = std::min<int64_t>(0, *knownSize(amounts.low[d]));
    int64_t high = std::min<int64_t>(0, *knownSize(amounts.high[d]));
    starts.push_back(n.size(-low));
    sizes.push_back(n.add(x.shape[d], n.size(low + high)));
    amounts.low[d] = n.size(*knownSize(amounts.low[d]) - low);
    amounts.high[d] = n.size(*knownSize(amounts.high[d]) - high);
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
                                const Amounts &amounts, StringRef mode) {
  Shape shape;
  SmallVector<Value> low, sizes;
  for (int64_t d = 0; d < x.rank(); ++d) {
    shape.push_back(n.add(n.add(x.shape[d], amounts.low[d]), amounts.high[d]));
    low.push_back(n.index(amounts.low[d]));
    sizes.push_back(n.index(x.shape[d]));
  }
  return gather(n, x, shape, [&](Scalars &s, ValueRange at) {
    SmallVector<Value> indices;
    for (auto [i, before, size] : llvm::zip_equal(at, low, sizes))
      indices.push_back(mirrored(s, mode, s.sub(i, before), size));
    return indices;
  });
}

LogicalResult onnx::importPad(NodeImporter &n) {
  if (failed(n.requireInputs(2)))
    return failure();
  FailureOr<Amounts> amounts = readAmounts(n);
  if (failed(amounts))
    return failure();
  GraphValue x = cut(n, n.in(0), *amounts);
  StringRef mode = n.getString("mode", "constant");
  if (mode != "constant") {
    // At most one reflection or repetition.
    for (int64_t d = 0; d < x.rank(); ++d) {
      std::optional<int64_t> size = knownSize(x.shape[d]);
      int64_t most =
          std::max(*knownSize(amounts->low[d]), *knownSize(amounts->high[d]));
      int64_t limit = mode == "reflect" ? 1 : 0;
      bool fits = most == 0 || (size && *size > 0 &&
                                (mode == "edge" || most <= *size - limit));
      if (!fits || (mode != "edge" && mode != "reflect" && mode != "wrap"))
        return n.refuse() << "pads by mode " << mode
                          << " in a way that is not supported: by more than "
                             "the size, or of a dynamic size";
    }
    return n.set(0, padByElements(n, x, *amounts, mode));
  }
  if (x.isUnsigned())
    return n.refuse() << "does not take uint8; cast it to float32";
  Value value;
  if (n.has(2)) {
    GraphValue &given = n.in(2);
    bool isOne =
        given.rank() == 0 || knownSizes(given.shape) == SmallVector<int64_t>{1};
    auto dense = dyn_cast_or_null<DenseElementsAttr>(given.constant);
    if (given.element != x.element || !isOne || !dense)
      return n.refuse() << "pads by a value that is no constant of its type; "
                           "make it one";
    value = arith::ConstantOp::create(
        n.b, n.loc, cast<TypedAttr>(*dense.value_begin<mlir::Attribute>()));
  } else {
    value = Scalars(n.b, n.loc).constant(x.element, 0);
  }
  return n.set(0, pad(n, x, amounts->low, amounts->high, value));
}
