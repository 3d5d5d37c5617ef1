//===- Movements.cpp - Ops that move elements -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../../Builder/Emit.h"
#include "../NodeImporter.h"
#include "../Ops.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

LogicalResult onnx::importIdentity(NodeImporter &n) {
  return n.set(0, n.in(0));
}

LogicalResult onnx::importDropout(NodeImporter &n) {
  if (n.has(2) && !n.in(2).constant)
    return n.refuse() << "may be in training, which is not supported; make "
                         "training_mode the constant false";
  if (n.has(2) && Constants::readBool(n.in(2)).value_or(false))
    return n.refuse() << "is in training, which is not supported; export the "
                         "model for inference";
  // It keeps all elements.
  if (n.hasOutput(1)) {
    Shape shape = n.in(0).shape;
    Type element = n.since < 10 ? n.in(0).element : n.b.getI1Type();
    Value mask = filled(n, element, shape, 1);
    if (failed(n.set(1, mask, shape)))
      return failure();
  }
  return n.set(0, n.in(0));
}

LogicalResult onnx::importTranspose(NodeImporter &n) {
  GraphValue &x = n.in(0);
  SmallVector<int64_t> order(n.getInts("perm"));
  if (!n.find("perm"))
    for (int64_t d = x.rank() - 1; d >= 0; --d)
      order.push_back(d);
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, x.rank())))
    return n.refuse() << "has a perm that is no order of the " << x.rank()
                      << " dimensions of its input; correct it";
  SmallVector<int64_t> starts(x.rank(), 0), steps(x.rank(), 1), counts;
  if (n.knowsIntegers(x))
    for (int64_t d : order)
      counts.push_back(*knownSize(x.shape[d]));
  if (std::optional<GraphValue> integers =
          moveIntegers(n, x, order, starts, counts, steps))
    return n.set(0, *integers);
  return n.set(0, transpose(n, x, order));
}

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

LogicalResult onnx::importConcat(NodeImporter &n) {
  FailureOr<int64_t> axis = n.axis(0, n.in(0).rank());
  if (failed(axis))
    return failure();
  SmallVector<GraphValue *> values;
  for (unsigned i = 0; i < n.numInputs(); ++i)
    values.push_back(&n.in(i));
  FailureOr<GraphValue> joined = concat(n, values, *axis);
  return failed(joined) ? failure() : n.set(0, *joined);
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

LogicalResult onnx::importExpand(NodeImporter &n) {
  FailureOr<SmallVector<OpFoldResult>> wanted = n.integers(1, "its shape");
  if (failed(wanted))
    return failure();
  GraphValue &x = n.in(0);
  Shape other(*wanted);
  for (OpFoldResult size : other)
    if (knownSize(size) && *knownSize(size) < 0)
      return n.refuse() << "expands to a negative size; correct the shape";
  FailureOr<Shape> shape = broadcast(n, {&x.shape, &other});
  if (failed(shape))
    return failure();
  if (ArrayRef<OpFoldResult>(*shape) == ArrayRef<OpFoldResult>(x.shape))
    return n.set(0, x);
  return n.set(0, broadcastTo(n, x, *shape));
}

LogicalResult onnx::importTile(NodeImporter &n) {
  FailureOr<SmallVector<OpFoldResult>> repeats = n.integers(1, "its repeats");
  if (failed(repeats))
    return failure();
  GraphValue &x = n.in(0);
  if (static_cast<int64_t>(repeats->size()) != x.rank())
    return n.refuse() << "has " << repeats->size() << " repeats for "
                      << x.rank() << " dimensions; correct them";
  Shape repeated, shape;
  SmallVector<AffineExpr> read;
  for (auto [size, count] : llvm::zip_equal(x.shape, *repeats)) {
    if (knownSize(count) && *knownSize(count) < 0)
      return n.refuse() << "has a negative repeat; correct it";
    shape.push_back(n.mul(count, size));
    if (knownSize(count) != 1)
      repeated.push_back(count);
    read.push_back(n.b.getAffineDimExpr(repeated.size()));
    repeated.push_back(size);
  }
  GraphValue wide =
      broadcastTo(n, x, repeated,
                  AffineMap::get(repeated.size(), 0, read, n.b.getContext()));
  return n.set(0, reshape(n, wide, shape));
}

/// Keeps the elements on one side of a diagonal, zeros elsewhere.
LogicalResult onnx::importTrilu(NodeImporter &n) {
  GraphValue &x = n.in(0);
  if (x.isUnsigned() || x.rank() < 2)
    return n.refuse() << "takes matrices, and not " << elementName(x.element)
                      << " here; cast it to float32";
  int64_t diagonal = 0;
  if (n.has(1)) {
    auto given = n.constantIntegers(1, "its diagonal");
    if (failed(given))
      return failure();
    if (given->size() != 1)
      return n.refuse() << "has several diagonals; give one";
    // All diagonals beyond the matrix are the same.
    diagonal = std::clamp<int64_t>(given->front(), -(int64_t(1) << 40),
                                   int64_t(1) << 40);
  }
  bool isUpper = n.getInt("upper", 1) != 0;
  Value init = tensor::EmptyOp::create(
      n.b, n.loc, ArrayRef<OpFoldResult>(x.shape), x.element);
  AffineMap map = n.b.getMultiDimIdentityMap(x.rank());
  SmallVector<utils::IteratorType> iterators(x.rank(),
                                             utils::IteratorType::parallel);
  Value y = generic(
      n, n.tensor(x), init, {map, map}, iterators,
      [&](Scalars &s, ValueRange args) {
        Value row = linalg::IndexOp::create(s.b, s.loc, x.rank() - 2),
              column = linalg::IndexOp::create(s.b, s.loc, x.rank() - 1);
        Value edge = s.add(row, s.constant(row.getType(), diagonal));
        Value zero = s.constant(x.element, 0);
        // Strictly on the side that becomes zero.
        Value isZero = isUpper ? s.less(column, edge) : s.less(edge, column);
        return s.select(isZero, zero, args[0]);
      });
  return n.set(0, y, x.shape);
}

//===----------------------------------------------------------------------===//
// Between channels and pixels
//===----------------------------------------------------------------------===//

/// The block size, if the input is an image whose dimension `d` it divides.
static FailureOr<int64_t> readBlock(NodeImporter &n, ArrayRef<int64_t> dims,
                                    int64_t power) {
  GraphValue &x = n.in(0);
  int64_t block = n.getInt("blocksize", 0);
  bool fits = x.rank() == 4 && block >= 1 && block < (1 << 15);
  for (int64_t d : dims) {
    std::optional<int64_t> size = fits ? knownSize(x.shape[d]) : std::nullopt;
    fits = size && *size % (power == 2 ? block * block : block) == 0;
  }
  if (fits)
    return block;
  return n.refuse() << "needs an image [N, C, H, W] of known sizes that its "
                       "blocksize divides; correct the input";
}

LogicalResult onnx::importDepthToSpace(NodeImporter &n) {
  FailureOr<int64_t> block = readBlock(n, {1}, 2);
  if (failed(block))
    return failure();
  GraphValue &x = n.in(0);
  OpFoldResult b = n.size(*block);
  OpFoldResult channels = n.size(*knownSize(x.shape[1]) / (*block * *block));
  bool isColumnFirst = n.getString("mode", "DCR") == "CRD";
  Shape split = isColumnFirst
                    ? Shape{x.shape[0], channels, b, b, x.shape[2], x.shape[3]}
                    : Shape{x.shape[0], b, b, channels, x.shape[2], x.shape[3]};
  GraphValue parts = reshape(n, x, split);
  GraphValue turned = isColumnFirst ? transpose(n, parts, {0, 1, 4, 2, 5, 3})
                                    : transpose(n, parts, {0, 3, 4, 1, 5, 2});
  return n.set(0, reshape(n, turned,
                          {x.shape[0], channels, n.mul(x.shape[2], b),
                           n.mul(x.shape[3], b)}));
}

LogicalResult onnx::importSpaceToDepth(NodeImporter &n) {
  FailureOr<int64_t> block = readBlock(n, {2, 3}, 1);
  if (failed(block))
    return failure();
  GraphValue &x = n.in(0);
  OpFoldResult b = n.size(*block);
  OpFoldResult h = n.floorDiv(x.shape[2], b), w = n.floorDiv(x.shape[3], b);
  GraphValue parts = reshape(n, x, {x.shape[0], x.shape[1], h, b, w, b});
  GraphValue turned = transpose(n, parts, {0, 3, 5, 1, 2, 4});
  return n.set(0, reshape(n, turned,
                          {x.shape[0], n.mul(x.shape[1], n.mul(b, b)), h, w}));
}
