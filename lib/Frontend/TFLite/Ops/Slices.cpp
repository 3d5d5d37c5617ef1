//===- Slices.cpp - Ops that take parts -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Codes.h"
#include "../Ops.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

/// `count` elements along `axis` from `start` on.
static GraphValue takePart(OpImporter &n, GraphValue &x, int64_t axis,
                           int64_t start, OpFoldResult count) {
  SmallVector<OpFoldResult> starts(x.rank(), n.size(0)), sizes(x.shape);
  SmallVector<int64_t> strides(x.rank(), 1);
  starts[axis] = n.size(start);
  sizes[axis] = count;
  return slice(n, x, starts, sizes, strides);
}

/// SPLIT and SPLIT_V.
LogicalResult tflite::importSplit(OpImporter &n) {
  bool hasSizes = n.op.code == code::SPLIT_V;
  unsigned value = hasSizes ? 0 : 1, axisAt = hasSizes ? 2 : 0;
  GraphValue &x = n.in(value);
  auto axes = n.constants(axisAt, "its dimension");
  if (failed(axes) || axes->size() != 1)
    return failed(axes)
               ? failure()
               : LogicalResult(n.refuse() << "needs one dimension; correct the "
                                             "model");
  auto axis = n.axisOf(axes->front(), x.rank());
  if (failed(axis))
    return failure();
  std::optional<int64_t> size = knownSize(x.shape[*axis]);
  int64_t parts = n.numResults();
  if (!size || parts < 1)
    return n.refuse() << "splits a dimension of a dynamic size, which is not "
                         "supported; give it a constant size";
  SmallVector<int64_t> sizes(parts, *size / parts);
  if (hasSizes) {
    auto given = n.constants(1, "its sizes");
    if (failed(given))
      return failure();
    sizes = *given;
    int64_t known = 0;
    for (int64_t part : sizes)
      known += std::clamp<int64_t>(part, 0, *size + 1);
    for (int64_t &part : sizes)
      if (part == -1)
        part = *size - known;
  }
  int64_t start = 0;
  bool fits = static_cast<int64_t>(sizes.size()) == parts;
  for (int64_t part : sizes) {
    fits &= part >= 0 && part <= *size;
    start += fits ? part : 0;
  }
  if (!fits || start != *size)
    return n.refuse() << "splits " << *size << " elements into " << parts
                      << " parts whose sizes do not add up; correct the model";
  start = 0;
  for (int64_t i = 0; i < parts; ++i) {
    GraphValue part = takePart(n, x, *axis, start, n.size(sizes[i]));
    if (failed(n.set(i, part)))
      return failure();
    start += sizes[i];
  }
  return success();
}

LogicalResult tflite::importUnpack(OpImporter &n) {
  auto *options = n.options<fb::UnpackOptions>(fb::OptionsType_Unpack);
  GraphValue &x = n.in(0);
  if (!options)
    return failure();
  auto axis = n.axisOf(options->axis(), x.rank());
  if (failed(axis))
    return failure();
  if (knownSize(x.shape[*axis]) != static_cast<int64_t>(n.numResults()))
    return n.refuse() << "has " << n.numResults()
                      << " results for a dimension of another size; correct "
                         "the model";
  for (unsigned i = 0; i < n.numResults(); ++i) {
    GraphValue part;
    if (x.rank() == 1 && n.knowsIntegers(x)) {
      part.element = x.element;
      part.integers.emplace();
      part.integers->push_back((*x.integers)[i]);
    } else {
      GraphValue line = takePart(n, x, *axis, i, n.size(1));
      part = squeeze(n, line, {*axis});
    }
    if (failed(n.set(i, part)))
      return failure();
  }
  return success();
}

LogicalResult tflite::importSlice(OpImporter &n) {
  GraphValue &x = n.in(0);
  auto begins = n.integers(1, "its begin"), counts = n.integers(2, "its size");
  if (failed(begins) || failed(counts))
    return failure();
  if (static_cast<int64_t>(begins->size()) != x.rank() ||
      static_cast<int64_t>(counts->size()) != x.rank())
    return n.refuse() << "has a begin or a size of another number of "
                         "dimensions than its operand; correct the model";
  SmallVector<OpFoldResult> sizes;
  for (int64_t d = 0; d < x.rank(); ++d) {
    OpFoldResult begin = (*begins)[d], count = (*counts)[d];
    if (knownSize(count) == -1)
      count = n.sub(x.shape[d], begin);
    sizes.push_back(count);
    std::optional<int64_t> from = knownSize(begin), known = knownSize(count),
                           all = knownSize(x.shape[d]);
    bool isInside =
        (!from || *from >= 0) && (!known || *known >= 0) &&
        (!from || !known || !all || (*from <= *all && *known <= *all - *from));
    if (!isInside)
      return n.refuse() << "takes elements that are not in "
                        << n.type(x.element, x.shape) << "; correct the model";
  }
  return n.set(slice(n, x, *begins, sizes, SmallVector<int64_t>(x.rank(), 1)));
}

namespace {
/// STRIDED_SLICE for each dimension of the operand.
struct SlicedDim {
  OpFoldResult start, count;
  int64_t stride = 1;
  bool shrinks = false;
};
} // namespace

/// One dimension, whose begin and end have not been clamped.
static FailureOr<SlicedDim> sliceDim(OpImporter &n, OpFoldResult size,
                                     std::optional<int64_t> begin,
                                     OpFoldResult end, bool hasEnd,
                                     int64_t stride, bool shrinks) {
  OpFoldResult zero = n.size(0);
  SlicedDim result;
  result.stride = stride;
  result.shrinks = shrinks;
  std::optional<int64_t> known = knownSize(size);
  if (stride < 1 && !(known && knownSize(end)))
    return n.refuse() << "has a negative stride on a dimension of a dynamic "
                         "size, which is not supported; use a positive one";
  int64_t start = begin.value_or(stride < 0 ? -1 : 0);
  if (shrinks) {
    if (known && (start < -*known || start >= *known))
      return n.refuse() << "takes element " << start << " of " << *known
                        << "; correct the model";
    result.start = start < 0 ? n.add(size, n.size(start)) : n.size(start);
    result.count = n.size(1);
    result.stride = 1;
    return result;
  }
  if (known && (!hasEnd || knownSize(end))) {
    int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? *known : *known - 1;
    auto place = [&](int64_t at) {
      return std::clamp(at < 0 ? at + *known : at, low, high);
    };
    int64_t from = begin ? place(*begin) : (stride > 0 ? low : high),
            to = hasEnd ? place(*knownSize(end)) : (stride > 0 ? high : low);
    int64_t count = stride > 0 ? (to - from + stride - 1) / stride
                               : (from - to - stride - 1) / -stride;
    result.start = n.size(from);
    result.count = n.size(std::max<int64_t>(count, 0));
    return result;
  }
  result.start =
      n.min(start < 0 ? n.max(n.add(size, n.size(start)), zero) : n.size(start),
            size);
  OpFoldResult last = size;
  if (hasEnd) {
    std::optional<int64_t> to = knownSize(end);
    last = to && *to < 0 ? n.max(n.add(size, end), zero) : n.min(end, size);
  }
  result.count =
      n.max(n.ceilDiv(n.sub(last, result.start), n.size(stride)), zero);
  return result;
}

/// The elements that `dims` say, also backwards.
static GraphValue takeDims(OpImporter &n, GraphValue &x,
                           ArrayRef<SlicedDim> dims) {
  SmallVector<OpFoldResult> starts, sizes;
  SmallVector<int64_t> strides;
  bool isForward = true;
  for (const SlicedDim &dim : dims) {
    starts.push_back(dim.start);
    sizes.push_back(dim.count);
    strides.push_back(dim.stride);
    isForward &= dim.stride > 0;
  }
  auto from = knownSizes(starts), counts = knownSizes(sizes);
  if (from && counts && knownSizes(x.shape)) {
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
    if (auto integers = moveIntegers(n, x, order, *from, *counts, strides))
      return *integers;
  }
  if (isForward)
    return slice(n, x, starts, sizes, strides);
  return gather(n, x, Shape(sizes), [&](Scalars &s, ValueRange at) {
    SmallVector<Value> places;
    for (auto [i, dim] : llvm::zip_equal(at, dims)) {
      Value moved = s.mul(i, s.constant(i.getType(), dim.stride));
      places.push_back(s.add(moved, n.index(dim.start)));
    }
    return places;
  });
}

LogicalResult tflite::importStridedSlice(OpImporter &n) {
  auto *o = n.options<fb::StridedSliceOptions>(fb::OptionsType_StridedSlice);
  GraphValue &x = n.in(0);
  auto begins = n.constants(1, "its begin");
  auto ends = n.integers(2, "its end");
  auto strides = n.constants(3, "its strides");
  if (!o || failed(begins) || failed(ends) || failed(strides))
    return failure();
  size_t count = begins->size();
  if (ends->size() != count || strides->size() != count || count > 32 ||
      o->offset())
    return n.refuse() << "has lists of different lengths, or ends relative to "
                         "its begins, which is not supported; convert the "
                         "model again";
  auto isSet = [](int32_t mask, size_t i) { return (mask >> i & 1) != 0; };
  // How many dimensions an ellipsis stands for.
  int64_t named = 0;
  for (size_t i = 0; i < count; ++i)
    named += !isSet(o->new_axis_mask(), i) && !isSet(o->ellipsis_mask(), i);
  int64_t rest = x.rank() - named;
  if (rest < 0)
    return n.refuse() << "names " << named << " dimensions of a value that has "
                      << x.rank() << "; correct the model";
  SmallVector<SlicedDim> dims;
  SmallVector<bool> isNew; // of each dimension of the result
  auto addWhole = [&] {
    SlicedDim whole;
    whole.start = n.size(0);
    whole.count = x.shape[dims.size()];
    dims.push_back(whole);
    isNew.push_back(false);
  };
  for (size_t i = 0; i < count; ++i) {
    if (isSet(o->ellipsis_mask(), i)) {
      for (; rest > 0; --rest)
        addWhole();
      continue;
    }
    if (isSet(o->new_axis_mask(), i)) {
      isNew.push_back(true);
      continue;
    }
    if ((*strides)[i] == 0 || (*strides)[i] > kMostSize ||
        (*strides)[i] < -kMostSize)
      return n.refuse() << "has a stride of " << (*strides)[i]
                        << "; correct the model";
    std::optional<int64_t> begin;
    if (!isSet(o->begin_mask(), i))
      begin = (*begins)[i];
    bool shrinks = isSet(o->shrink_axis_mask(), i);
    auto dim = sliceDim(n, x.shape[dims.size()], begin, (*ends)[i],
                        !isSet(o->end_mask(), i), (*strides)[i], shrinks);
    if (failed(dim))
      return failure();
    dims.push_back(*dim);
    if (!shrinks)
      isNew.push_back(false);
  }
  while (static_cast<int64_t>(dims.size()) < x.rank())
    addWhole();
  GraphValue part = takeDims(n, x, dims);
  Shape shape;
  SmallVector<OpFoldResult> kept;
  for (const SlicedDim &dim : dims)
    if (!dim.shrinks)
      kept.push_back(dim.count);
  auto next = kept.begin();
  for (bool isOne : isNew)
    shape.push_back(isOne ? n.size(1) : *next++);
  if (part.integers && !part.value) {
    part.shape = shape;
    return n.set(part);
  }
  return n.set(reshape(n, part, shape));
}
