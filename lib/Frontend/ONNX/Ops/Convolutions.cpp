//===- Convolutions.cpp - Conv --------------------------------------------===//
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

#include "Convolutions.h"
#include "../Ops.h"
#include "Windows.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Iterator = utils::IteratorType;

FailureOr<ConvolutionSizes> onnx::readConvolution(NodeImporter &n,
                                                  bool transposed) {
  GraphValue &x = n.in(0), &w = n.in(1);
  bool fits = x.rank() >= 3 && x.rank() <= 5 && w.rank() == x.rank();
  std::optional<SmallVector<int64_t>> sizes = knownSizes(w.shape);
  std::optional<int64_t> channels =
      x.rank() > 1 ? knownSize(x.shape[1]) : std::nullopt;
  if (!fits || !sizes || !channels)
    return n.refuse() << "needs an image with 1 to 3 spatial dimensions and "
                         "known channels, and a weight of as many dimensions "
                         "and known sizes; correct the inputs";
  ConvolutionSizes result;
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

Shape onnx::resultShape(NodeImporter &n, const GraphValue &image,
                        const ConvolutionSizes &sizes,
                        const Windowed &windowed) {
  Shape shape{image.shape[0]};
  if (sizes.hasGroups())
    shape.push_back(n.size(sizes.groups));
  for (int64_t count : windowed.phases)
    shape.push_back(n.size(count));
  shape.push_back(n.size(sizes.isDepthwise() ? sizes.groups : sizes.m));
  llvm::append_range(shape, windowed.counts);
  return shape;
}

Value onnx::startOf(NodeImporter &n, const Shape &shape,
                    const ConvolutionSizes &sizes, const Windowed &windowed) {
  if (!n.has(2))
    return filled(n, n.in(0).element, shape, 0.0);
  GraphValue bias = n.in(2);
  unsigned channel = 1 + sizes.hasGroups() + windowed.phases.size();
  SmallVector<AffineExpr> exprs;
  if (sizes.hasGroups()) {
    exprs.push_back(n.b.getAffineDimExpr(1));
    bias = reshape(n, bias, {shape[1], shape[channel]});
  }
  exprs.push_back(n.b.getAffineDimExpr(channel));
  return broadcastTo(n, bias, shape,
                     AffineMap::get(shape.size(), 0, exprs, n.b.getContext()))
      .value;
}

GraphValue onnx::contractWindows(NodeImporter &n, GraphValue &image,
                                 GraphValue &weight,
                                 const ConvolutionSizes &sizes,
                                 const Windowed &windowed) {
  Loops loops(n);
  AffineExpr batch = loops.add(Iterator::parallel);
  loops.x = {batch};
  loops.y = {batch};
  if (sizes.hasGroups()) {
    AffineExpr g = loops.add(Iterator::parallel);
    for (auto *exprs : {&loops.x, &loops.w, &loops.y})
      exprs->push_back(g);
  }
  for (size_t i = 0; i < windowed.phases.size(); ++i) {
    AffineExpr phase = loops.add(Iterator::parallel);
    loops.w.push_back(phase);
    loops.y.push_back(phase);
  }
  AffineExpr m = loops.add(Iterator::parallel);
  loops.w.push_back(m);
  loops.y.push_back(m);
  SmallVector<AffineExpr> windows;
  for (size_t d = 0; d < windowed.counts.size(); ++d) {
    windows.push_back(loops.add(Iterator::parallel));
    loops.y.push_back(windows.back());
  }
  if (sizes.isDepthwise()) {
    loops.x.push_back(m);
  } else {
    AffineExpr c = loops.add(Iterator::reduction);
    loops.x.push_back(c);
    loops.w.push_back(c);
  }
  for (size_t d = 0; d < windowed.counts.size(); ++d) {
    AffineExpr k = loops.add(Iterator::reduction);
    loops.x.push_back(windowed.place(d, windows[d], k));
    loops.w.push_back(k);
  }
  Shape shape = resultShape(n, image, sizes, windowed);
  Value start = startOf(n, shape, sizes, windowed);
  Value result =
      generic(n, {n.tensor(image), n.tensor(weight)}, start,
              {loops.map(loops.x), loops.map(loops.w), loops.map(loops.y)},
              loops.iterators, multiplyAdd);
  return toGraphValue(result, shape);
}

GraphValue onnx::joinChannels(NodeImporter &n, GraphValue &y,
                              const ConvolutionSizes &sizes) {
  if (!sizes.hasGroups())
    return y;
  Shape joined{y.shape[0], n.size(sizes.groups * sizes.m)};
  joined.append(y.shape.begin() + 3, y.shape.end());
  return reshape(n, y, joined);
}

GraphValue onnx::splitChannels(NodeImporter &n, GraphValue &x,
                               const ConvolutionSizes &sizes) {
  if (!sizes.hasGroups())
    return x;
  Shape shape{x.shape[0], n.size(sizes.groups), n.size(sizes.c)};
  shape.append(x.shape.begin() + 2, x.shape.end());
  return reshape(n, x, shape);
}

/// The weight [groups * M, C, ...] as `contractWindows` takes it.
static GraphValue splitWeight(NodeImporter &n, GraphValue &w,
                              const ConvolutionSizes &sizes) {
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
  FailureOr<ConvolutionSizes> sizes = readConvolution(n, /*transposed=*/false);
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
  GraphValue y =
      contractWindows(n, image, weight, *sizes,
                      {counts, {}, [&](size_t d, AffineExpr o, AffineExpr k) {
                         return windowPlace((*windows)[d], o, k);
                       }});
  return n.set(0, joinChannels(n, y, *sizes));
}
