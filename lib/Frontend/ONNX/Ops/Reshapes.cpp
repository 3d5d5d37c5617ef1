//===- Reshapes.cpp - Ops that change shapes ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../../Builder/Emit.h"
#include "../NodeImporter.h"
#include "../Ops.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

/// Sets the result; integers that the evaluator knows stay known where all
/// sizes are.
static LogicalResult setReshaped(NodeImporter &n, const Shape &shape) {
  GraphValue &x = n.in(0);
  bool keeps = x.integers && knownSizes(shape);
  if (keeps && !x.value && !x.constant) {
    GraphValue y = x;
    y.shape = shape;
    return n.set(0, std::move(y));
  }
  GraphValue y = reshape(n, x, shape);
  if (keeps)
    y.integers = x.integers;
  return n.set(0, std::move(y));
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// The size that -1 stands for: the number of elements divided by the other
/// sizes. Factors that occur on both sides cancel each other.
static FailureOr<OpFoldResult> remainingSize(NodeImporter &n, const Shape &from,
                                             const Shape &others) {
  SizeProduct all, rest;
  for (OpFoldResult size : from)
    all.multiply(size);
  for (OpFoldResult size : others)
    rest.multiply(size);
  int64_t above = all.constant, below = rest.constant;
  SmallVector<OpFoldResult> left = all.others, divisors;
  for (OpFoldResult size : rest.others) {
    auto *found = llvm::find(left, size);
    if (found != left.end())
      left.erase(found);
    else
      divisors.push_back(size);
  }
  if (below == 0)
    return n.refuse() << "has a shape with -1 where the other sizes do not "
                         "decide it; give the size";
  if (!divisors.empty()) {
    // The entry requires that the other sizes divide the number of elements.
    left.push_back(n.size(above));
    divisors.push_back(n.size(below));
    return n.floorDiv(n.product(left), n.max(n.product(divisors), n.size(1)));
  }
  if (left.empty() && above % below != 0)
    return n.refuse() << "has " << above << " elements, which " << below
                      << " does not divide; correct the shape";
  if (above % below == 0) {
    left.push_back(n.size(above / below));
    return n.product(left);
  }
  left.push_back(n.size(above));
  return n.floorDiv(n.product(left), n.size(below));
}

LogicalResult onnx::importReshape(NodeImporter &n) {
  FailureOr<SmallVector<OpFoldResult>> wanted = n.integers(1, "its shape");
  if (failed(wanted))
    return failure();
  GraphValue &x = n.in(0);
  bool allowsZero = n.getInt("allowzero", 0) != 0;
  Shape shape, others;
  std::optional<size_t> remaining;
  for (auto [i, size] : llvm::enumerate(*wanted)) {
    std::optional<int64_t> known = knownSize(size);
    shape.push_back(size);
    if (known == 0 && !allowsZero) {
      if (static_cast<int64_t>(i) >= x.rank())
        return n.refuse() << "copies the size of dimension " << i
                          << ", which its input does not have";
      shape.back() = x.shape[i];
    } else if (known == -1 && !remaining) {
      remaining = i;
      continue;
    } else if (known && *known < 0) {
      return n.refuse() << "has the size " << *known
                        << " in its shape; correct the shape";
    }
    others.push_back(shape.back());
  }
  if (remaining) {
    FailureOr<OpFoldResult> size = remainingSize(n, x.shape, others);
    if (failed(size))
      return failure();
    shape[*remaining] = *size;
  }
  auto from = knownSizes(x.shape), to = knownSizes(shape);
  auto count = [](ArrayRef<int64_t> sizes) {
    int64_t product = 1;
    for (int64_t size : sizes)
      product = llvm::SaturatingMultiply<uint64_t>(product, size);
    return product;
  };
  if (from && to && count(*from) != count(*to))
    return n.refuse() << "has " << count(*from) << " elements but "
                      << count(*to) << " in its shape; correct the shape";
  return setReshaped(n, shape);
}

LogicalResult onnx::importFlatten(NodeImporter &n) {
  GraphValue &x = n.in(0);
  int64_t axis = n.getInt("axis", 1);
  if (axis < 0)
    axis += x.rank();
  if (axis < 0 || axis > x.rank())
    return n.refuse() << "has the axis " << axis << " for a value with "
                      << x.rank() << " dimensions; correct it";
  ArrayRef<OpFoldResult> sizes(x.shape);
  return n.set(0, reshape(n, x,
                          {n.product(sizes.take_front(axis)),
                           n.product(sizes.drop_front(axis))}));
}

//===----------------------------------------------------------------------===//
// Squeeze and Unsqueeze
//===----------------------------------------------------------------------===//

/// The axes, an attribute before opset 13 and an input since then, of a value
/// with `rank` dimensions; sorted, each once.
static FailureOr<SmallVector<int64_t>>
readAxes(NodeImporter &n, ArrayRef<int64_t> given, int64_t rank) {
  SmallVector<int64_t> dims;
  for (int64_t axis : given) {
    FailureOr<int64_t> dim = n.dimension(axis, rank);
    if (failed(dim))
      return failure();
    if (llvm::is_contained(dims, *dim))
      return n.refuse() << "names axis " << *dim << " twice; correct the axes";
    dims.push_back(*dim);
  }
  llvm::sort(dims);
  return dims;
}

static FailureOr<SmallVector<int64_t>> givenAxes(NodeImporter &n) {
  if (n.has(1))
    return n.constantIntegers(1, "its axes");
  return SmallVector<int64_t>(n.getInts("axes"));
}

LogicalResult onnx::importSqueeze(NodeImporter &n) {
  GraphValue &x = n.in(0);
  FailureOr<SmallVector<int64_t>> given = givenAxes(n);
  if (failed(given))
    return failure();
  bool isGiven = n.has(1) || n.find("axes");
  FailureOr<SmallVector<int64_t>> dims = readAxes(n, *given, x.rank());
  if (failed(dims))
    return failure();
  if (!isGiven)
    for (auto [d, size] : llvm::enumerate(x.shape)) {
      if (!knownSize(size))
        return n.refuse() << "has no axes for a value of dynamic sizes; give "
                             "the axes";
      if (knownSize(size) == 1)
        dims->push_back(d);
    }
  Shape shape, ones = x.shape;
  for (auto [d, size] : llvm::enumerate(x.shape)) {
    if (!llvm::is_contained(*dims, static_cast<int64_t>(d)))
      shape.push_back(size);
    else if (knownSize(size).value_or(1) != 1)
      return n.refuse() << "removes axis " << d << ", whose size is "
                        << *knownSize(size) << "; correct the axes";
    else
      ones[d] = n.size(1);
  }
  if (ones == x.shape)
    return setReshaped(n, shape);
  GraphValue one = assumeSizes(n, x, ones);
  return n.set(0, reshape(n, one, shape));
}

LogicalResult onnx::importUnsqueeze(NodeImporter &n) {
  GraphValue &x = n.in(0);
  FailureOr<SmallVector<int64_t>> given = givenAxes(n);
  if (failed(given))
    return failure();
  FailureOr<SmallVector<int64_t>> dims =
      readAxes(n, *given, x.rank() + given->size());
  if (failed(dims))
    return failure();
  Shape shape(x.shape.size() + dims->size());
  for (int64_t d : *dims)
    shape[d] = n.size(1);
  auto next = x.shape.begin();
  for (OpFoldResult &size : shape)
    if (!size)
      size = *next++;
  return setReshaped(n, shape);
}
