//===- Convolutions.cpp - Conv and ConvTranspose --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is a contraction of real values: where its operands are
// dequantized, N3 makes it one of integers, and channels-last brings it into
// the order of memory that kernels read.
//
//===----------------------------------------------------------------------===//

#include "../Constants.h"
#include "../Ops.h"
#include "Windows.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Iterator = utils::IteratorType;

namespace {
/// The sizes of a convolution: `c` and `m` are the channels and the results of
/// a group.
struct Sizes {
  int64_t groups, c, m;
  SmallVector<int64_t> kernel;
};
} // namespace

/// Checks what both convolutions ask of their inputs. The weight is
/// [M, C / groups, ...], or [C, M / groups, ...] if it is `transposed`.
static FailureOr<Sizes> readSizes(NodeImporter &n, bool transposed) {
  GraphValue &x = n.in(0), &w = n.in(1);
  bool fits = x.rank() >= 3 && x.rank() <= 5 && w.rank() == x.rank();
  std::optional<SmallVector<int64_t>> sizes = knownSizes(w.shape);
  std::optional<int64_t> channels =
      x.rank() > 1 ? knownSize(x.shape[1]) : std::nullopt;
  if (!fits || !sizes || !channels)
    return n.refuse() << "needs an image with 1 to 3 spatial dimensions and "
                         "known channels, and a weight of as many dimensions "
                         "and known sizes; correct the inputs";
  Sizes result;
  result.groups = n.getInt("group", 1);
  result.kernel.assign(sizes->begin() + 2, sizes->end());
  int64_t outer = (*sizes)[0], inner = (*sizes)[1], groups = result.groups;
  bool divides = groups >= 1 && outer % groups == 0 && *channels % groups == 0;
  result.c = divides ? *channels / groups : 0;
  result.m = transposed ? inner : divides ? outer / groups : 0;
  bool agrees = divides && result.c == (transposed ? outer / groups : inner);
  ArrayRef<int64_t> given = n.getInts("kernel_shape");
  if (!agrees || (!given.empty() && given != ArrayRef(result.kernel)))
    return n.refuse() << "has " << *channels << " channels, " << groups
                      << " groups and a weight of other sizes; correct the "
                         "attributes or the weight";
  if (result.c == 0 || llvm::is_contained(result.kernel, 0))
    return n.refuse()
           << "has a weight without elements, which is not supported; correct "
              "the weight";
  if (n.has(2) &&
      (n.in(2).rank() != 1 || knownSize(n.in(2).shape[0]) != groups * result.m))
    return n.refuse() << "has a bias that is not one number for each of its "
                      << groups * result.m << " results; correct the bias";
  return result;
}

namespace {
/// The loops of a contraction, and the maps of its operands.
struct Loops {
  NodeImporter &n;
  SmallVector<Iterator> iterators;
  SmallVector<AffineExpr> x, w, y;

  explicit Loops(NodeImporter &n) : n(n) {}
  AffineExpr add(Iterator kind) {
    iterators.push_back(kind);
    return n.b.getAffineDimExpr(iterators.size() - 1);
  }
  AffineMap map(ArrayRef<AffineExpr> exprs) const {
    return AffineMap::get(iterators.size(), 0, exprs, n.b.getContext());
  }
};
} // namespace

/// acc + x * w
static Value multiplyAdd(Scalars &s, ValueRange args) {
  return s.add(args[2], s.mul(args[0], args[1]));
}

/// The bias, repeated along all dimensions but those of channels; or zeros.
static Value startOf(NodeImporter &n, const Shape &shape, bool hasGroups) {
  if (!n.has(2))
    return filled(n, n.in(0).element, shape, 0.0);
  GraphValue bias = n.in(2);
  SmallVector<AffineExpr> exprs{n.b.getAffineDimExpr(1)};
  if (hasGroups) {
    exprs.push_back(n.b.getAffineDimExpr(2));
    bias = reshape(n, bias, {shape[1], shape[2]});
  }
  return broadcastTo(n, bias, shape,
                     AffineMap::get(shape.size(), 0, exprs, n.b.getContext()))
      .value;
}

/// The contraction of a padded image with windows; `place` says where element
/// k of window o lies. The weight is [groups, M, C, ...] without the dimensions
/// of size 1 that `isDepthwise` and one group leave out.
static GraphValue
contract(NodeImporter &n, GraphValue &image, GraphValue &weight,
         const Shape &counts, const Sizes &sizes,
         function_ref<AffineExpr(size_t, AffineExpr, AffineExpr)> place) {
  bool isDepthwise = sizes.groups > 1 && sizes.c == 1 && sizes.m == 1;
  bool hasGroups = sizes.groups > 1 && !isDepthwise;
  Shape shape{image.shape[0]};
  Loops loops(n);
  AffineExpr batch = loops.add(Iterator::parallel);
  loops.x = {batch};
  loops.y = {batch};
  if (hasGroups) {
    AffineExpr g = loops.add(Iterator::parallel);
    shape.push_back(n.size(sizes.groups));
    for (auto *exprs : {&loops.x, &loops.w, &loops.y})
      exprs->push_back(g);
  }
  AffineExpr m = loops.add(Iterator::parallel);
  shape.push_back(n.size(isDepthwise ? sizes.groups : sizes.m));
  loops.w.push_back(m);
  loops.y.push_back(m);
  SmallVector<AffineExpr> windows;
  for (OpFoldResult count : counts) {
    windows.push_back(loops.add(Iterator::parallel));
    loops.y.push_back(windows.back());
    shape.push_back(count);
  }
  if (isDepthwise) {
    loops.x.push_back(m);
  } else {
    AffineExpr c = loops.add(Iterator::reduction);
    loops.x.push_back(c);
    loops.w.push_back(c);
  }
  for (size_t d = 0; d < counts.size(); ++d) {
    AffineExpr k = loops.add(Iterator::reduction);
    loops.x.push_back(place(d, windows[d], k));
    loops.w.push_back(k);
  }
  Value start = startOf(n, shape, hasGroups);
  Value result =
      generic(n, {n.tensor(image), n.tensor(weight)}, start,
              {loops.map(loops.x), loops.map(loops.w), loops.map(loops.y)},
              loops.iterators, multiplyAdd);
  GraphValue grouped = toGraphValue(result, shape);
  if (!hasGroups)
    return grouped;
  Shape joined{shape[0], n.size(sizes.groups * sizes.m)};
  llvm::append_range(joined, counts);
  return reshape(n, grouped, joined);
}

/// The image as [N, groups, C, ...] where there are groups.
static GraphValue splitChannels(NodeImporter &n, GraphValue &x,
                                const Sizes &sizes) {
  if (sizes.groups == 1 || (sizes.c == 1 && sizes.m == 1))
    return x;
  Shape shape{x.shape[0], n.size(sizes.groups), n.size(sizes.c)};
  shape.append(x.shape.begin() + 2, x.shape.end());
  return reshape(n, x, shape);
}

/// The weight [groups * M, C, ...] as `contract` takes it.
static GraphValue splitWeight(NodeImporter &n, GraphValue &w,
                              const Sizes &sizes) {
  if (sizes.groups == 1)
    return w;
  Shape shape{n.size(sizes.groups)};
  if (sizes.c > 1 || sizes.m > 1) {
    shape.push_back(n.size(sizes.m));
    shape.push_back(n.size(sizes.c));
  }
  shape.append(w.shape.begin() + 2, w.shape.end());
  return reshape(n, w, shape);
}

LogicalResult onnx::importConv(NodeImporter &n) {
  FailureOr<Sizes> sizes = readSizes(n, /*transposed=*/false);
  if (failed(sizes))
    return failure();
  GraphValue &x = n.in(0);
  auto windows = readWindows(n, x, sizes->kernel);
  if (failed(windows))
    return failure();
  Shape counts;
  for (const WindowDim &window : *windows)
    counts.push_back(window.count);
  GraphValue padded = padWindows(n, x, *windows, 0.0);
  GraphValue image = splitChannels(n, padded, *sizes);
  GraphValue weight = splitWeight(n, n.in(1), *sizes);
  return n.set(0, contract(n, image, weight, counts, *sizes,
                           [&](size_t d, AffineExpr o, AffineExpr k) {
                             return windowPlace((*windows)[d], o, k);
                           }));
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

namespace {
/// The window and the padding of a transposed convolution in one dimension.
struct Transposed {
  int64_t kernel, stride, dilation, outputPadding;
  int64_t before = 0, after = 0;

  int64_t extent() const { return dilation * (kernel - 1) + 1; }
  /// The zeros that windows reach before and behind the image.
  int64_t reachBefore() const { return std::max<int64_t>(slackBefore(), 0); }
  int64_t reachAfter() const { return std::max<int64_t>(slackAfter(), 0); }
  /// The elements at the start and at the end of the image, with the zeros
  /// between them, that no window reaches.
  int64_t cutBefore() const { return std::max<int64_t>(-slackBefore(), 0); }
  int64_t cutAfter() const { return std::max<int64_t>(-slackAfter(), 0); }

private:
  int64_t slackBefore() const { return extent() - 1 - before; }
  int64_t slackAfter() const { return extent() - 1 - after + outputPadding; }
};
} // namespace

/// Sets the padding so that `total` elements are cut off. An odd one is cut off
/// at the end with SAME_UPPER, and at the start otherwise.
static void cutOff(Transposed &dim, int64_t total, AutoPad automatic) {
  // A negative number of elements is added at the end instead.
  if (total < 0) {
    dim.outputPadding -= total;
    total = 0;
  }
  int64_t less = total / 2, more = total - less;
  dim.before = automatic == AutoPad::SameUpper ? less : more;
  dim.after = total - dim.before;
}

/// Warns where the result of a SAME mode needs elements that no window has:
/// ONNX Runtime leaves them out.
static void warnOfShortWindows(NodeImporter &n, const Transposed &dim) {
  n.warn() << "has auto_pad, a stride of " << dim.stride << " and windows of "
           << dim.extent()
           << ": its result has the size that ONNX defines, input times "
              "stride, with zeros at the end; ONNX Runtime gives a smaller "
              "one; use pads for that";
}

static FailureOr<SmallVector<Transposed>>
readTransposed(NodeImporter &n, const GraphValue &x, ArrayRef<int64_t> kernel) {
  size_t count = kernel.size();
  auto strides = n.getInts("strides", count, 1);
  auto dilations = n.getInts("dilations", count, 1);
  auto pads = n.getInts("pads", 2 * count, 0);
  auto added = n.getInts("output_padding", count, 0);
  auto wanted = n.getInts("output_shape", count, -1);
  FailureOr<AutoPad> automatic = readAutoPad(n);
  if (failed(strides) || failed(dilations) || failed(pads) || failed(added) ||
      failed(wanted) || failed(automatic))
    return failure();
  bool isSame =
      *automatic == AutoPad::SameLower || *automatic == AutoPad::SameUpper;
  SmallVector<Transposed> dims;
  for (size_t d = 0; d < count; ++d) {
    Transposed &dim = dims.emplace_back(
        Transposed{kernel[d], (*strides)[d], (*dilations)[d], (*added)[d]});
    std::optional<int64_t> size = knownSize(x.shape[2 + d]);
    if (n.find("output_shape") && !size)
      return n.refuse() << "has output_shape for a dynamic size; give pads";
    int64_t rest = dim.outputPadding + dim.extent();
    if (n.find("output_shape")) {
      cutOff(dim, (*size - 1) * dim.stride + rest - (*wanted)[d], *automatic);
    } else if (isSame) {
      if (rest < dim.stride)
        warnOfShortWindows(n, dim);
      // The result has size * stride elements; without padding it would have
      // (size - 1) * stride + rest.
      cutOff(dim, rest - dim.stride, *automatic);
    } else if (*automatic == AutoPad::NotSet) {
      dim.before = (*pads)[d];
      dim.after = (*pads)[count + d];
    }
    bool fits = dim.stride >= 1 && dim.dilation >= 1 && dim.outputPadding >= 0;
    if (!fits || dim.before < 0 || dim.after < 0)
      return n.refuse() << "has strides, dilations, padding or output_padding "
                           "that are negative or 0; correct the attributes";
    // At least one element of the image remains.
    if (size && dim.cutBefore() + dim.cutAfter() > (*size - 1) * dim.stride)
      return n.refuse() << "has padding by which no element of the image is "
                           "left; correct the padding";
  }
  return dims;
}

static OpFoldResult transposedSize(NodeImporter &n, OpFoldResult size,
                                   const Transposed &dim) {
  return n.add(
      n.mul(n.sub(size, n.size(1)), n.size(dim.stride)),
      n.size(dim.extent() + dim.outputPadding - dim.before - dim.after));
}

/// The image with stride - 1 zeros between its elements, and around it what
/// windows of the result reach.
static GraphValue spread(NodeImporter &n, GraphValue &x,
                         ArrayRef<Transposed> dims) {
  Shape split(x.shape.begin(), x.shape.begin() + 2), joined = split;
  SmallVector<OpFoldResult> none(2, n.size(0));
  SmallVector<OpFoldResult> between(none), before(none), after(none);
  Shape cut = split;
  SmallVector<OpFoldResult> starts(none);
  for (auto [d, dim] : llvm::enumerate(dims)) {
    OpFoldResult size = x.shape[2 + d], stride = n.size(dim.stride);
    split.append({size, n.size(1)});
    between.append({n.size(0), n.size(dim.stride - 1)});
    joined.push_back(n.mul(size, stride));
    starts.push_back(n.size(dim.cutBefore()));
    cut.push_back(n.add(n.mul(n.sub(size, n.size(1)), stride),
                        n.size(1 - dim.cutBefore() - dim.cutAfter())));
    before.push_back(n.size(dim.reachBefore()));
    after.push_back(n.size(dim.reachAfter()));
  }
  Value zero = Scalars(n.b, n.loc).constant(x.element, 0.0);
  SmallVector<OpFoldResult> zeros(split.size(), n.size(0));
  GraphValue expanded = reshape(n, x, split);
  GraphValue spaced = pad(n, expanded, zeros, between, zero);
  GraphValue flat = reshape(n, spaced, joined);
  SmallVector<int64_t> steps(cut.size(), 1);
  GraphValue tight = slice(n, flat, starts, cut, steps);
  return pad(n, tight, before, after, zero);
}

/// The result of two dequantized operands, by qnn.conv_transpose2d.
static std::optional<GraphValue> contractIntegers(NodeImporter &n,
                                                  const Sizes &sizes,
                                                  ArrayRef<Transposed> dims,
                                                  const Shape &shape) {
  auto x = n.value(0).getDefiningOp<qnn::DequantizeOp>();
  auto w = n.value(1).getDefiningOp<qnn::DequantizeOp>();
  auto isScalar = [](Value param) {
    auto type =
        param ? cast<RankedTensorType>(param.getType()) : RankedTensorType();
    return !type || type.getRank() == 0;
  };
  bool isPlain = x && w && dims.size() == 2 && sizes.groups == 1 &&
                 isScalar(x.getScale()) && isScalar(x.getZeroPoint());
  // The channels of results are dimension 1 of the weight.
  if (!isPlain || (!isScalar(w.getScale()) && w.getAxis() != 1) ||
      (!isScalar(w.getZeroPoint()) && w.getAxis() != 1))
    return std::nullopt;
  for (const Transposed &dim : dims)
    if (dim.outputPadding >= std::max(dim.stride, dim.dilation) ||
        dim.before >= dim.extent() || dim.after >= dim.extent())
      return std::nullopt;
  auto isByte = [](qnn::DequantizeOp op) {
    return op.getInput().getType().getElementType().isInteger(8);
  };
  if (!isByte(x) || !isByte(w))
    return std::nullopt;
  GraphValue bytes = toGraphValue(x.getInput(), n.in(0).shape);
  GraphValue weight = toGraphValue(w.getInput(), n.in(1).shape);
  GraphValue image = transpose(n, bytes, {0, 2, 3, 1});
  GraphValue filter = transpose(n, weight, {1, 2, 3, 0});
  Shape result{shape[0], shape[2], shape[3], shape[1]};
  const Transposed &h = dims[0], &v = dims[1];
  Value y = qnn::ConvTranspose2DOp::create(
      n.b, n.loc, n.type(n.in(0).element, result), n.tensor(image),
      n.tensor(filter), n.has(2) ? n.value(2) : Value(), x.getScale(),
      x.getZeroPoint(), w.getScale(), w.getZeroPoint(), Value(), Value(),
      ArrayRef<int64_t>{h.stride, v.stride},
      ArrayRef<int64_t>{h.dilation, v.dilation},
      ArrayRef<int64_t>{h.before, h.after, v.before, v.after}, 1,
      ArrayRef<int64_t>{h.outputPadding, v.outputPadding}, FloatAttr(),
      FloatAttr());
  GraphValue last = toGraphValue(y, result);
  return transpose(n, last, {0, 3, 1, 2});
}

LogicalResult onnx::importConvTranspose(NodeImporter &n) {
  FailureOr<Sizes> sizes = readSizes(n, /*transposed=*/true);
  if (failed(sizes))
    return failure();
  GraphValue &x = n.in(0), &w = n.in(1);
  auto dims = readTransposed(n, x, sizes->kernel);
  if (failed(dims))
    return failure();
  Shape counts;
  for (auto [d, dim] : llvm::enumerate(*dims))
    counts.push_back(transposedSize(n, x.shape[2 + d], dim));
  Shape shape{x.shape[0], n.size(sizes->groups * sizes->m)};
  llvm::append_range(shape, counts);
  for (OpFoldResult count : counts)
    if (knownSize(count) && *knownSize(count) < 1)
      return n.refuse() << "has a result without elements; correct the padding";
  if (auto integers = contractIntegers(n, *sizes, *dims, shape))
    return n.set(0, *integers);
  // [groups, M, C, ...] with the elements of each window in reverse.
  Shape split{n.size(sizes->groups), n.size(sizes->c), n.size(sizes->m)};
  split.append(w.shape.begin() + 2, w.shape.end());
  GraphValue grouped = reshape(n, w, split);
  SmallVector<int64_t> order{0, 2, 1};
  for (size_t d = 0; d < counts.size(); ++d)
    order.push_back(3 + d);
  GraphValue turned = transpose(n, grouped, order);
  Shape flatShape{n.size(sizes->groups * sizes->m), n.size(sizes->c)};
  flatShape.append(w.shape.begin() + 2, w.shape.end());
  GraphValue flat = reshape(n, turned, flatShape);
  GraphValue weight = splitWeight(n, flat, *sizes);
  GraphValue spaced = spread(n, x, *dims);
  GraphValue image = splitChannels(n, spaced, *sizes);
  return n.set(0, contract(n, image, weight, counts, *sizes,
                           [&](size_t d, AffineExpr o, AffineExpr k) {
                             const Transposed &dim = (*dims)[d];
                             return o + (dim.extent() - 1) - k * dim.dilation;
                           }));
}
