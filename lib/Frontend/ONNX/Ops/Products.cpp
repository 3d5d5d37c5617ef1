//===- Products.cpp - MatMul and Gemm -------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../../Builder/Emit.h"
#include "../NodeImporter.h"
#include "../Ops.h"
#include "Quantization.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Iterator = utils::IteratorType;

/// Refuses integers.
static LogicalResult verifyFloats(NodeImporter &n) {
  if (n.in(0).isFloat())
    return success();
  return n.refuse() << "multiplies " << elementName(n.in(0).element)
                    << ", which is not supported; cast to float32, or use "
                       "MatMulInteger";
}

static LogicalResult verifyDepth(NodeImporter &n, OpFoldResult x,
                                 OpFoldResult y) {
  std::optional<int64_t> kx = knownSize(x), ky = knownSize(y);
  if (!kx || !ky || *kx == *ky)
    return success();
  return n.refuse() << "multiplies rows of " << *kx << " by columns of " << *ky
                    << " elements; correct the shapes";
}

/// The contraction of a [..., M, K] and b [..., K, N], whose leading dimensions
/// are broadcast to `batch`, from `start`. Transposed operands have their last
/// two dimensions swapped.
static GraphValue multiply(NodeImporter &n, GraphValue &a, GraphValue &b,
                           const Shape &batch, Value start, const Shape &shape,
                           bool transA, bool transB) {
  unsigned rank = batch.size();
  SmallVector<Iterator> iterators(rank + 2, Iterator::parallel);
  iterators.push_back(Iterator::reduction);
  AffineExpr row = n.b.getAffineDimExpr(rank),
             column = n.b.getAffineDimExpr(rank + 1),
             depth = n.b.getAffineDimExpr(rank + 2);
  auto mapOf = [&](GraphValue &operand, AffineExpr first, AffineExpr second) {
    Shape leading(operand.shape.begin(), operand.shape.end() - 2);
    SmallVector<AffineExpr> exprs(broadcastMap(n, leading, batch).getResults());
    exprs.append({first, second});
    return AffineMap::get(rank + 3, 0, exprs, n.b.getContext());
  };
  AffineMap mapA = mapOf(a, transA ? depth : row, transA ? row : depth);
  AffineMap mapB = mapOf(b, transB ? column : depth, transB ? depth : column);
  SmallVector<AffineExpr> result;
  for (unsigned d = 0; d < rank + 2; ++d)
    result.push_back(n.b.getAffineDimExpr(d));
  return toGraphValue(
      generic(
          n, {n.tensor(a), n.tensor(b)}, start,
          {mapA, mapB, AffineMap::get(rank + 3, 0, result, n.b.getContext())},
          iterators,
          [](Scalars &s, ValueRange args) {
            return s.add(args[2], s.mul(args[0], args[1]));
          }),
      shape);
}

LogicalResult onnx::importMatMul(NodeImporter &n) {
  if (failed(verifyFloats(n)))
    return failure();
  GraphValue a = n.in(0), b = n.in(1);
  if (a.rank() == 0 || b.rank() == 0)
    return n.refuse() << "has an operand without dimensions; use Mul";
  bool isRow = a.rank() == 1, isColumn = b.rank() == 1;
  if (isRow)
    a = unsqueeze(n, n.in(0), {0});
  if (isColumn)
    b = unsqueeze(n, n.in(1), {1});
  if (failed(verifyDepth(n, a.shape.back(), b.shape[b.rank() - 2])))
    return failure();
  if (!isRow && !isColumn)
    if (auto y = matchBlockedProduct(n, a, b, /*transB=*/false, nullptr))
      return n.set(0, *y);
  Shape leadingA(a.shape.begin(), a.shape.end() - 2),
      leadingB(b.shape.begin(), b.shape.end() - 2);
  FailureOr<Shape> batch = broadcast(n, {&leadingA, &leadingB});
  if (failed(batch))
    return failure();
  for (GraphValue *operand : {&a, &b}) {
    Shape whole(*batch);
    whole.append(operand->shape.end() - 2, operand->shape.end());
    *operand = repeatOnes(n, *operand, whole);
  }
  Shape shape(*batch);
  shape.append({a.shape[a.rank() - 2], b.shape.back()});
  Value start = filled(n, a.element, shape, 0.0);
  GraphValue y = multiply(n, a, b, *batch, start, shape, false, false);
  SmallVector<int64_t> unit;
  if (isRow)
    unit.push_back(shape.size() - 2);
  if (isColumn)
    unit.push_back(shape.size() - 1);
  return n.set(0, unit.empty() ? y : squeeze(n, y, unit));
}

/// y times a number, unless that is 1.
static FailureOr<GraphValue> scaled(NodeImporter &n, GraphValue &y,
                                    float factor) {
  if (factor == 1.0f)
    return y;
  return elementwise(n, {&y}, y.element, [&](Scalars &s, ValueRange args) {
    return s.mul(s.constant(args[0].getType(), factor), args[0]);
  });
}

LogicalResult onnx::importGemm(NodeImporter &n) {
  if (failed(verifyFloats(n)))
    return failure();
  GraphValue a = n.in(0), b = n.in(1);
  if (a.rank() != 2 || b.rank() != 2)
    return n.refuse() << "multiplies values with " << a.rank() << " and "
                      << b.rank() << " dimensions; reshape them to matrices";
  bool transA = n.getInt("transA", 0), transB = n.getInt("transB", 0);
  // Columns of a result follow each other, and so do those of a constant.
  if (transB && b.constant) {
    b = transpose(n, b, {1, 0});
    transB = false;
  }
  if (failed(verifyDepth(n, a.shape[transA ? 0 : 1], b.shape[transB ? 1 : 0])))
    return failure();
  Shape shape{a.shape[transA ? 1 : 0], b.shape[transB ? 0 : 1]};
  float alpha = n.getFloat("alpha", 1.0f), beta = n.getFloat("beta", 1.0f);
  bool hasC = n.has(2) && beta != 0.0f;
  if (hasC) {
    FailureOr<Shape> joined = broadcast(n, {&shape, &n.in(2).shape});
    if (failed(joined))
      return failure();
    bool fits = joined->size() == 2;
    for (auto [size, wanted] : llvm::zip(*joined, shape))
      fits &= !knownSize(size) || !knownSize(wanted) ||
              *knownSize(size) == *knownSize(wanted);
    if (!fits)
      return n.refuse() << "adds a value that does not fit its result; correct "
                           "the shape of C";
  }
  // A bias is what the sum begins with, unless the product is scaled.
  bool starts = hasC && alpha == 1.0f;
  FailureOr<GraphValue> c;
  if (hasC) {
    c = scaled(n, n.in(2), beta);
    if (failed(c))
      return failure();
  }
  if (!transA && alpha == 1.0f)
    if (auto y = matchBlockedProduct(n, a, b, transB, hasC ? &*c : nullptr))
      return n.set(0, *y);
  Value start = starts ? broadcastTo(n, *c, shape).value
                       : filled(n, a.element, shape, 0.0);
  GraphValue product = multiply(n, a, b, {}, start, shape, transA, transB);
  FailureOr<GraphValue> y = scaled(n, product, alpha);
  if (succeeded(y) && hasC && !starts)
    y = elementwise(n, {&*y, &*c}, a.element, [](Scalars &s, ValueRange args) {
      return s.add(args[0], args[1]);
    });
  return failed(y) ? failure() : n.set(0, *y);
}
