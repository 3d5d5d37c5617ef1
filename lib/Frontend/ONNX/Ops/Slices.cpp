//===- Slices.cpp - Slice and Split ---------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../../Builder/Emit.h"
#include "../NodeImporter.h"
#include "../Ops.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/Utils/ConstantData.h"

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

/// The operands of a Slice.
struct SliceInputs {
  SmallVector<OpFoldResult> starts, ends;
  SmallVector<int64_t> axes, steps;
};
} // namespace

static FailureOr<SliceInputs> readSlice(NodeImporter &n) {
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

/// i + size where i is negative.
static OpFoldResult fromFront(NodeImporter &n, OpFoldResult i,
                              OpFoldResult size) {
  if (std::optional<int64_t> known = knownSize(i))
    return *known < 0 ? n.add(size, i) : i;
  if (n.isNeverNegative(i))
    return i;
  // The quotient is -1 of negative places, which are less than this divisor.
  OpFoldResult sign = n.floorDiv(i, n.size(int64_t(1) << 40));
  return n.sub(i, n.mul(size, sign));
}

/// A start or an end, counted from the end where it is negative, brought into
/// [low, high].
static OpFoldResult place(NodeImporter &n, OpFoldResult i, OpFoldResult size,
                          OpFoldResult low, OpFoldResult high) {
  std::optional<int64_t> known = knownSize(i), end = knownSize(size);
  // An end beyond all sizes is the end.
  if (known && !end && *known >= INT32_MAX)
    return high;
  if (known && !end && *known <= -INT32_MAX)
    return low;
  OpFoldResult at = fromFront(n, i, size);
  if (known == 0 && knownSize(low) == 0)
    return at;
  return n.max(low, n.min(at, high));
}

static FailureOr<Span> readSpan(NodeImporter &n, OpFoldResult size,
                                OpFoldResult start, OpFoldResult end,
                                int64_t step) {
  if (step == 0)
    return n.refuse() << "has a step of 0; correct it";
  // A step beyond all sizes takes one element, as a longer one does.
  step = std::clamp<int64_t>(step, -INT32_MAX, INT32_MAX);
  Span range;
  range.step = step;
  OpFoldResult zero = n.size(0), one = n.size(1), last = n.sub(size, one);
  OpFoldResult span;
  if (step > 0) {
    range.start = place(n, start, size, zero, size);
    span = n.sub(place(n, end, size, zero, size), range.start);
  } else {
    range.start = place(n, start, size, zero, last);
    if (std::optional<int64_t> known = knownSize(end);
        known == INT32_MAX || known == INT64_MAX)
      n.warn() << "has a negative step and the end " << *known
               << ", by which ONNX takes no element and ONNX Runtime takes "
                  "all from the start on; to slice backward to the first "
                  "element, make the end "
               << INT64_MIN;
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
                                               ArrayRef<Span> ranges) {
  SmallVector<int64_t> order, starts, counts, steps;
  for (const Span &range : ranges) {
    std::optional<int64_t> start = knownSize(range.start),
                           count = knownSize(range.count);
    if (!start || !count)
      return std::nullopt;
    order.push_back(order.size());
    starts.push_back(*start);
    counts.push_back(*count);
    steps.push_back(range.step);
  }
  return moveIntegers(n, n.in(0), order, starts, counts, steps);
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
  if (n.since < 10)
    return importOldSlice(n);
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
  if (std::optional<GraphValue> integers = sliceIntegers(n, ranges))
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
    // The last part may be smaller, since opset 18.
    std::optional<int64_t> known = knownSize(size);
    OpFoldResult each = n.ceilDiv(size, n.size(count));
    if (known && n.since < 18 && *known % static_cast<int64_t>(count) != 0)
      return n.refuse() << "splits " << *known << " elements into " << count
                        << " equal parts; correct the number";
    for (size_t i = 0; i < count; ++i) {
      OpFoldResult rest = n.sub(size, n.mul(each, n.size(i)));
      parts.push_back(n.max(n.min(rest, each), n.size(0)));
    }
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

/// Splits a dynamic size into equal parts: the entry asks for a size that has
/// them.
static LogicalResult splitEqually(NodeImporter &n, GraphValue &x,
                                  int64_t axis) {
  OpFoldResult count = n.size(n.node.outputs.size());
  Shape shape = x.shape;
  shape[axis] = n.floorDiv(x.shape[axis], count);
  Shape parts = shape;
  parts.insert(parts.begin() + axis, count);
  GraphValue split = reshape(n, x, parts);
  parts[axis] = n.size(1);
  SmallVector<OpFoldResult> starts(parts.size(), n.size(0));
  SmallVector<int64_t> steps(parts.size(), 1);
  for (size_t i = 0; i < n.node.outputs.size(); ++i) {
    starts[axis] = n.size(i);
    GraphValue part = slice(n, split, starts, parts, steps);
    (void)n.set(i, squeeze(n, part, axis));
  }
  return success();
}

LogicalResult onnx::importSplit(NodeImporter &n) {
  GraphValue &x = n.in(0);
  FailureOr<int64_t> axis = n.axis(0, x.rank());
  if (failed(axis))
    return failure();
  bool isEqual = !n.has(1) && !n.find("split") && n.since < 18;
  if (isEqual && !knownSize(x.shape[*axis]))
    return splitEqually(n, x, *axis);
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
