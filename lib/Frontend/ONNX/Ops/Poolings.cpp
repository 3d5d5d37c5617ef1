//===- Poolings.cpp - Poolings --------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../Ops.h"
#include "Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include <limits>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Iterator = utils::IteratorType;

/// `combine` over the windows of `x`, from `start`, which is padded, too.
static GraphValue pool(NodeImporter &n, GraphValue &x,
                       ArrayRef<WindowDim> windows, double start,
                       ScalarBody combine) {
  GraphValue image = padWindows(n, x, windows, start);
  unsigned spatial = windows.size();
  SmallVector<Iterator> iterators(2 + spatial, Iterator::parallel);
  iterators.append(spatial, Iterator::reduction);
  Shape shape(x.shape.begin(), x.shape.begin() + 2), kernel;
  SmallVector<AffineExpr> read, window, write;
  for (unsigned d = 0; d < 2 + spatial; ++d)
    write.push_back(n.b.getAffineDimExpr(d));
  read.append(write.begin(), write.begin() + 2);
  for (auto [d, w] : llvm::enumerate(windows)) {
    AffineExpr k = n.b.getAffineDimExpr(2 + spatial + d);
    read.push_back(windowPlace(w, write[2 + d], k));
    window.push_back(k);
    shape.push_back(w.count);
    kernel.push_back(n.size(w.kernel));
  }
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(2 + 2 * spatial, 0, exprs, n.b.getContext());
  };
  // An operand that is not read says how large the windows are.
  Value extent = tensor::EmptyOp::create(
      n.b, n.loc, ArrayRef<OpFoldResult>(kernel), x.element);
  Value result =
      generic(n, {n.tensor(image), extent}, filled(n, x.element, shape, start),
              {map(read), map(window), map(write)}, iterators,
              [&](Scalars &s, ValueRange args) {
                return combine(s, {args[2], args[0]});
              });
  return toGraphValue(result, shape);
}

static Value greater(Scalars &s, ValueRange args) {
  return s.max(args[0], args[1]);
}
static Value sum(Scalars &s, ValueRange args) {
  return s.add(args[0], args[1]);
}

/// Refuses what is no image with 1 to 3 spatial dimensions.
static LogicalResult verifyImage(NodeImporter &n) {
  GraphValue &x = n.in(0);
  if (x.rank() >= 3 && x.rank() <= 5)
    return success();
  return n.refuse() << "takes images with 1 to 3 spatial dimensions, not a "
                       "value with "
                    << x.rank() << " dimensions; reshape it";
}

static FailureOr<SmallVector<int64_t>> readKernel(NodeImporter &n) {
  return n.getInts("kernel_shape", n.in(0).rank() - 2, 1);
}

LogicalResult onnx::importMaxPool(NodeImporter &n) {
  if (failed(verifyImage(n)))
    return failure();
  if (n.hasOutput(1))
    return n.refuse() << "gives the places of its maxima, which is not "
                         "supported; remove the second output";
  GraphValue &x = n.in(0);
  FailureOr<SmallVector<int64_t>> kernel = readKernel(n);
  if (failed(kernel))
    return failure();
  auto windows = readWindows(n, x, *kernel);
  if (failed(windows))
    return failure();
  // Bytes in float32, where they are exact.
  FailureOr<GraphValue> real =
      x.isByte() ? convert(n, x, n.b.getF32Type()) : FailureOr<GraphValue>(x);
  if (failed(real))
    return failure();
  GraphValue y = pool(n, *real, *windows,
                      -std::numeric_limits<double>::infinity(), greater);
  FailureOr<GraphValue> result = convert(n, y, x.element);
  return failed(result) ? failure() : n.set(0, *result);
}

/// |x|^p of elements, or of sums the root of degree p.
static FailureOr<GraphValue> power(NodeImporter &n, GraphValue &x, int64_t p,
                                   bool isRoot) {
  return elementwise(
      n, {&x}, x.element, [&](Scalars &s, ValueRange args) -> Value {
        Value v = isRoot ? args[0] : s.abs(args[0]);
        if (p == 1)
          return v;
        if (p == 2)
          return isRoot ? s.sqrt(v) : s.mul(v, v);
        auto exponent = static_cast<double>(p);
        return math::PowFOp::create(
            s.b, s.loc, v,
            s.constant(v.getType(), isRoot ? 1 / exponent : exponent));
      });
}

/// The degree of LpPool and GlobalLpPool.
static FailureOr<int64_t> readDegree(NodeImporter &n) {
  int64_t p = n.getInt("p", 2);
  if (p < 1 || (p > 2 && n.in(0).element.isF64()))
    return n.refuse() << "has p = " << p << " of "
                      << elementName(n.in(0).element)
                      << ", which is not supported; it has to be positive, and "
                         "1 or 2 for float64";
  return p;
}

LogicalResult onnx::importLpPool(NodeImporter &n) {
  if (failed(verifyImage(n)))
    return failure();
  FailureOr<SmallVector<int64_t>> kernel = readKernel(n);
  FailureOr<int64_t> p = readDegree(n);
  if (failed(kernel) || failed(p))
    return failure();
  GraphValue &x = n.in(0);
  auto windows = readWindows(n, x, *kernel);
  if (failed(windows))
    return failure();
  FailureOr<GraphValue> powers = power(n, x, *p, /*isRoot=*/false);
  if (failed(powers))
    return failure();
  GraphValue sums = pool(n, *powers, *windows, 0.0, sum);
  FailureOr<GraphValue> y = power(n, sums, *p, /*isRoot=*/true);
  return failed(y) ? failure() : n.set(0, *y);
}

/// The number of elements that lie from `low` on and before `high` of each
/// window, as float32 in one dimension.
static Value countElements(NodeImporter &n, const WindowDim &w,
                           OpFoldResult low, OpFoldResult high) {
  std::optional<int64_t> before = knownSize(w.before), least = knownSize(low),
                         most = knownSize(high), count = knownSize(w.count);
  if (before && least && most && count) {
    // How many elements of the window at `start` lie before one of the padded
    // image.
    auto countBefore = [&](int64_t end, int64_t start) {
      int64_t room = std::max<int64_t>(end - start, 0);
      return std::min((room + w.dilation - 1) / w.dilation, w.kernel);
    };
    SmallVector<float> counts;
    for (int64_t o = 0; o < *count; ++o)
      counts.push_back(
          static_cast<float>(countBefore(*most + *before, o * w.stride) -
                             countBefore(*least + *before, o * w.stride)));
    return constantFloats(n, counts, *count);
  }
  Type wide = n.b.getI64Type();
  auto integer = [&](OpFoldResult size) -> Value {
    return arith::IndexCastOp::create(n.b, n.loc, wide, n.index(size));
  };
  Value from = integer(n.add(low, w.before)),
        to = integer(n.add(high, w.before));
  return tabulate(
      n, {w.count}, n.b.getF32Type(),
      [&](Scalars &s, ValueRange args) -> Value {
        Value zero = s.constant(wide, 0), step = s.constant(wide, w.dilation),
              place = arith::IndexCastOp::create(s.b, s.loc, wide, args[0]),
              start = s.mul(place, s.constant(wide, w.stride));
        auto countBefore = [&](Value end) {
          Value room = s.max(s.sub(end, start), zero);
          Value steps =
              s.div(s.add(room, s.constant(wide, w.dilation - 1)), step);
          return s.min(steps, s.constant(wide, w.kernel));
        };
        Value inside = s.sub(countBefore(to), countBefore(from));
        return arith::SIToFPOp::create(s.b, s.loc, s.b.getF32Type(), inside);
      });
}

/// Divides the sums of windows by the numbers of their elements, of the image
/// or of its padding too.
static FailureOr<GraphValue> divide(NodeImporter &n, GraphValue &sums,
                                    ArrayRef<WindowDim> windows,
                                    bool withPadding) {
  GraphValue &x = n.in(0);
  // All windows have as many elements where nothing is padded.
  bool isUniform = true;
  int64_t all = 1;
  for (const WindowDim &w : windows) {
    bool hasPadding = knownSize(w.before) != 0 || knownSize(w.after) != 0;
    isUniform &= !hasPadding || (withPadding && knownSize(w.rest) == 0);
    all *= w.kernel;
  }
  if (isUniform)
    return elementwise(n, {&sums}, x.element, [&](Scalars &s, ValueRange args) {
      return s.div(args[0], s.constant(args[0].getType(), all));
    });
  SmallVector<GraphValue> factors;
  for (auto [d, w] : llvm::enumerate(windows)) {
    OpFoldResult low = n.size(0), high = x.shape[2 + d];
    if (withPadding) {
      low = n.sub(low, w.before);
      high = n.sub(n.add(high, w.after), w.rest);
    }
    GraphValue counts = toGraphValue(countElements(n, w, low, high), {w.count});
    Shape shape(windows.size(), n.size(1));
    shape[d] = w.count;
    factors.push_back(reshape(n, counts, shape));
  }
  SmallVector<GraphValue *> operands{&sums};
  for (GraphValue &factor : factors)
    operands.push_back(&factor);
  return elementwise(n, operands, x.element, [](Scalars &s, ValueRange args) {
    Value count = args[1];
    for (Value factor : args.drop_front(2))
      count = s.mul(count, factor);
    if (count.getType() != args[0].getType())
      count = arith::TruncFOp::create(s.b, s.loc, args[0].getType(), count);
    return s.div(args[0], count);
  });
}

LogicalResult onnx::importAveragePool(NodeImporter &n) {
  if (failed(verifyImage(n)))
    return failure();
  GraphValue &x = n.in(0);
  if (x.element.isF64())
    return n.refuse() << "does not take float64; cast it to float32";
  FailureOr<SmallVector<int64_t>> kernel = readKernel(n);
  if (failed(kernel))
    return failure();
  auto windows = readWindows(n, x, *kernel);
  if (failed(windows))
    return failure();
  GraphValue sums = pool(n, x, *windows, 0.0, sum);
  FailureOr<GraphValue> y =
      divide(n, sums, *windows, n.getInt("count_include_pad", 0) != 0);
  return failed(y) ? failure() : n.set(0, *y);
}

//===----------------------------------------------------------------------===//
// Of whole images
//===----------------------------------------------------------------------===//

/// Reduces the spatial dimensions; they stay as dimensions of size 1.
static GraphValue reduceImage(NodeImporter &n, GraphValue &x, double start,
                              ScalarBody combine) {
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(2, x.rank()));
  GraphValue reduced = reduce(n, x, dims, start, combine);
  return unsqueeze(n, reduced, dims);
}

LogicalResult onnx::importGlobalMaxPool(NodeImporter &n) {
  if (failed(verifyImage(n)))
    return failure();
  return n.set(0,
               reduceImage(n, n.in(0), -std::numeric_limits<double>::infinity(),
                           greater));
}

LogicalResult onnx::importGlobalAveragePool(NodeImporter &n) {
  if (failed(verifyImage(n)))
    return failure();
  GraphValue &x = n.in(0);
  GraphValue sums = reduceImage(n, x, 0.0, sum);
  OpFoldResult elements =
      n.product(ArrayRef<OpFoldResult>(x.shape).drop_front(2));
  FailureOr<GraphValue> y = divideBySize(n, sums, elements);
  return failed(y) ? failure() : n.set(0, *y);
}

LogicalResult onnx::importGlobalLpPool(NodeImporter &n) {
  if (failed(verifyImage(n)))
    return failure();
  FailureOr<int64_t> p = readDegree(n);
  if (failed(p))
    return failure();
  FailureOr<GraphValue> powers = power(n, n.in(0), *p, /*isRoot=*/false);
  if (failed(powers))
    return failure();
  GraphValue sums = reduceImage(n, *powers, 0.0, sum);
  FailureOr<GraphValue> y = power(n, sums, *p, /*isRoot=*/true);
  return failed(y) ? failure() : n.set(0, *y);
}
