//===- QuantizationBlocks.cpp - Scales for blocks along an axis -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// QuantizeLinear and DequantizeLinear with `block_size`. The axis becomes the
// last dimension, and each block a row, which has parameters in qnn. A shorter
// block at the end is a tensor of its own.
//
//===----------------------------------------------------------------------===//

#include "Quantization.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

namespace {
/// A tensor, its scales and zero points, all with the axis of blocks last.
struct Blocks {
  GraphValue x, scale;
  std::optional<GraphValue> zeroPoint;
  int64_t length, size;
  /// From the order of the node, and back.
  SmallVector<int64_t> toLast, fromLast;
};
} // namespace

/// A parameter with the axis last and the other sizes of `x`; refuses others.
static FailureOr<GraphValue> readParameter(NodeImporter &n, unsigned input,
                                           const Blocks &blocks) {
  GraphValue &given = n.in(input);
  auto refuse = [&]() -> FailureOr<GraphValue> {
    return n.refuse() << "has " << (input == 1 ? "scales" : "zero points")
                      << " that are not one for each block of " << blocks.size
                      << " elements; correct their shape";
  };
  if (given.rank() != blocks.x.rank())
    return refuse();
  GraphValue param = transpose(n, given, blocks.toLast);
  Shape shape(blocks.x.shape);
  shape.back() = n.size((blocks.length + blocks.size - 1) / blocks.size);
  for (auto [size, wanted] : llvm::zip_equal(param.shape, shape))
    if (knownSize(size) && knownSize(wanted) &&
        *knownSize(size) != *knownSize(wanted))
      return refuse();
  return assumeSizes(n, param, shape);
}

static FailureOr<Blocks> readBlocks(NodeImporter &n, const GraphValue &given) {
  Blocks blocks;
  blocks.size = n.getInt("block_size", 0);
  if (blocks.size < 1)
    return n.refuse() << "has blocks of " << blocks.size
                      << " elements; give a positive block_size";
  if (given.rank() == 0)
    return n.refuse() << "quantizes a number in blocks; leave out block_size";
  FailureOr<int64_t> axis = n.axis(1, given.rank());
  if (failed(axis))
    return failure();
  std::optional<int64_t> length = knownSize(given.shape[*axis]);
  if (!length)
    return n.refuse() << "quantizes blocks along axis " << *axis
                      << ", whose size is not known; give it (--dim, --shape)";
  blocks.length = *length;
  for (int64_t d = 0; d < given.rank(); ++d)
    if (d != *axis)
      blocks.toLast.push_back(d);
  blocks.toLast.push_back(*axis);
  blocks.fromLast.resize(given.rank());
  for (auto [to, from] : llvm::enumerate(blocks.toLast))
    blocks.fromLast[from] = static_cast<int64_t>(to);
  GraphValue x = given;
  blocks.x = transpose(n, x, blocks.toLast);
  if (!n.in(1).isFloat())
    return n.refuse() << "has a scale of " << elementName(n.in(1).element)
                      << ", which is not supported; make it float32";
  FailureOr<GraphValue> scale = readParameter(n, 1, blocks);
  if (succeeded(scale))
    scale = convert(n, *scale, n.b.getF32Type());
  if (failed(scale) || failed(verifyScale(n, *scale)))
    return failure();
  blocks.scale = *scale;
  if (!n.has(2) || isConstantByte(n.in(2), 0))
    return blocks;
  FailureOr<GraphValue> zeroPoint = readParameter(n, 2, blocks);
  if (failed(zeroPoint))
    return failure();
  blocks.zeroPoint = *zeroPoint;
  return blocks;
}

/// Elements [from, to) along the last dimension.
static GraphValue sliceLast(NodeImporter &n, GraphValue &x, int64_t from,
                            int64_t to) {
  SmallVector<OpFoldResult> starts(x.rank(), n.size(0)), sizes(x.shape);
  starts.back() = n.size(from);
  sizes.back() = n.size(to - from);
  return slice(n, x, starts, sizes, SmallVector<int64_t>(x.rank(), 1));
}

using RowOp = llvm::function_ref<Value(Value x, const Shape &shape, Value scale,
                                       Value zeroPoint)>;

/// `count` blocks of `size` elements, the first of which is block `first`.
static GraphValue computeBlocks(NodeImporter &n, Blocks &blocks, int64_t first,
                                int64_t count, int64_t size, Type element,
                                RowOp op) {
  int64_t start = first * blocks.size;
  GraphValue part = sliceLast(n, blocks.x, start, start + count * size);
  auto withLast = [&](std::initializer_list<int64_t> last) {
    Shape shape(part.shape.begin(), part.shape.end() - 1);
    for (int64_t length : last)
      shape.push_back(n.size(length));
    return shape;
  };
  auto parameter = [&](GraphValue &all) {
    GraphValue own = sliceLast(n, all, first, first + count);
    GraphValue perRow = reshape(n, own, withLast({count, 1}));
    return n.tensor(perRow);
  };
  Shape shape = withLast({count, size});
  GraphValue rows = reshape(n, part, shape);
  GraphValue y = toGraphValue(
      op(n.tensor(rows), shape, parameter(blocks.scale),
         blocks.zeroPoint ? parameter(*blocks.zeroPoint) : Value()),
      shape);
  y.element = element;
  return reshape(n, y, part.shape);
}

static LogicalResult compute(NodeImporter &n, Blocks &blocks, Type element,
                             RowOp op) {
  int64_t whole = blocks.length / blocks.size,
          rest = blocks.length % blocks.size;
  SmallVector<GraphValue> parts;
  if (whole > 0 || rest == 0)
    parts.push_back(
        computeBlocks(n, blocks, 0, whole, blocks.size, element, op));
  if (rest > 0)
    parts.push_back(computeBlocks(n, blocks, whole, 1, rest, element, op));
  GraphValue y = parts.front();
  if (parts.size() > 1) {
    FailureOr<GraphValue> joined =
        concat(n, {&parts[0], &parts[1]}, blocks.x.rank() - 1);
    if (failed(joined))
      return failure();
    y = *joined;
  }
  return n.set(0, transpose(n, y, blocks.fromLast));
}

LogicalResult onnx::quantizeInBlocks(NodeImporter &n, const GraphValue &x,
                                     Type element) {
  FailureOr<Blocks> blocks = readBlocks(n, x);
  if (failed(blocks))
    return failure();
  return compute(n, *blocks, element,
                 [&](Value rows, const Shape &shape, Value scale, Value zero) {
                   return qnn::QuantizeOp::create(
                              n.b, n.loc, n.type(element, shape), rows, scale,
                              zero, IntegerAttr(), UnitAttr())
                       .getResult();
                 });
}

LogicalResult onnx::dequantizeInBlocks(NodeImporter &n, Type element) {
  GraphValue &x = n.in(0);
  FailureOr<Blocks> blocks = readBlocks(n, x);
  if (failed(blocks))
    return failure();
  if (blocks->zeroPoint && !x.isByte())
    return n.refuse() << "dequantizes " << elementName(x.element)
                      << " in blocks with zero points, which is not "
                         "supported; make them 0";
  return compute(n, *blocks, element,
                 [&](Value rows, const Shape &shape, Value scale, Value zero) {
                   return qnn::DequantizeOp::create(
                              n.b, n.loc, n.type(element, shape), rows, scale,
                              zero, IntegerAttr())
                       .getResult();
                 });
}
