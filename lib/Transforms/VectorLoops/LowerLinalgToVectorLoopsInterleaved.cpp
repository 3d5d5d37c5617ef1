//===- LowerLinalgToVectorLoopsInterleaved.cpp - Interleaved results ------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops that put elements of several lines side by side, such as the
// phases of a transposed convolution:
//
//   y[.., v, q] = f(x[.., q, .., v])   for q < count
//
// Vectors lie along v: one of each line is loaded, and all of them are stored
// as one, interleaved by shuffles.
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace qcc;

/// Elements that one iteration of the forall computes at least.
static constexpr int64_t kBlock = 4096;

namespace {
class InterleavedEmitter {
public:
  InterleavedEmitter(LinalgLoops &loops, const InterleavedDims &dims,
                     unsigned vectorBits)
      : loops(loops), rewriter(loops.rewriter), loc(loops.loc), op(loops.op),
        dims(dims), vectorBits(vectorBits) {}

  void emit();

private:
  using Point = LinalgLoops::Point;

  /// The results at the lanes, of all phases.
  void emitAt(Point point, const Lanes &lanes);
  /// All elements of an operand that lies as the output does.
  Value load(OpOperand &operand, const Point &point, unsigned count);
  /// Every `dims.count`-th lane of a vector, from `first` on.
  Value pick(Value vector, int64_t first, unsigned count);
  /// [a0, b0, .., a1, b1, ..]
  Value interleave(ArrayRef<Value> vectors);
  SmallVector<Value> indicesOf(OpOperand &operand, const Point &point);
  Value shuffle(Value a, Value b, ArrayRef<int64_t> lanes) {
    return vector::ShuffleOp::create(rewriter, loc, a, b, lanes);
  }

  LinalgLoops &loops;
  RewriterBase &rewriter;
  Location loc;
  linalg::LinalgOp op;
  const InterleavedDims &dims;
  unsigned vectorBits;
};
} // namespace

static int64_t lanesOf(Value vector) {
  return cast<VectorType>(vector.getType()).getDimSize(0);
}

Value InterleavedEmitter::interleave(ArrayRef<Value> vectors) {
  // Two halves, each interleaved already, where there are as many vectors.
  if (vectors.size() == 1)
    return vectors.front();
  SmallVector<int64_t> lanes;
  if (vectors.size() % 2 == 0) {
    SmallVector<Value> halves[2];
    for (auto [i, vector] : llvm::enumerate(vectors))
      halves[i % 2].push_back(vector);
    Value even = interleave(halves[0]), odd = interleave(halves[1]);
    for (int64_t i = 0, e = lanesOf(even); i < e; ++i)
      lanes.append({i, e + i});
    return shuffle(even, odd, lanes);
  }
  // One vector after the other, each made as long as those before it.
  Value result = vectors.front();
  int64_t count = lanesOf(result);
  for (size_t n = 1; n < vectors.size(); ++n) {
    SmallVector<int64_t> wide(count * n, 0);
    for (int64_t i = 0; i < count; ++i)
      wide[i] = i;
    Value next = shuffle(vectors[n], vectors[n], wide);
    lanes.clear();
    for (int64_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < n; ++j)
        lanes.push_back(i * n + j);
      lanes.push_back(count * n + i);
    }
    result = shuffle(result, next, lanes);
  }
  return result;
}

Value InterleavedEmitter::pick(Value vector, int64_t first, unsigned count) {
  SmallVector<int64_t> lanes;
  for (unsigned i = 0; i < count; ++i)
    lanes.push_back(first + i * dims.count);
  return shuffle(vector, vector, lanes);
}

void InterleavedEmitter::emitAt(Point point, const Lanes &lanes) {
  point[dims.phase] = loops.constant(0);
  SmallVector<Value> wholes;
  Lanes all{dims.phase, unsigned(lanes.count * dims.count), Value()};
  if (lanes.count > 1)
    for (OpOperand *operand : dims.interleaved)
      wholes.push_back(loops.load(*operand, point, all));
  SmallVector<Value> results;
  OpOperand &output = *op.getDpsInitOperand(0);
  for (int64_t q = 0; q < dims.count; ++q) {
    Point here = point;
    here[dims.phase] = loops.constant(q);
    for (auto [i, operand] : llvm::enumerate(dims.interleaved))
      loops.setInput(*operand, lanes.count > 1
                                   ? pick(wholes[i], q, lanes.count)
                                   : loops.load(*operand, here, lanes));
    Value yielded = op.getBlock()->getTerminator()->getOperand(0);
    Value result = loops.emitBody(yielded, {}, here, lanes).front();
    if (lanes.count == 1)
      loops.store(result, output, here, lanes);
    else
      results.push_back(loops.spread(result, lanes));
  }
  if (lanes.count > 1)
    loops.store(interleave(results), output, point, all);
}

void InterleavedEmitter::emit() {
  Point point;
  LinalgLoops::Block block =
      loops
          .openForall({{dims.along, std::max<int64_t>(kBlock / dims.count, 1)}},
                      point, {dims.phase})
          .front();
  loops.emitInvariants(point, {dims.along, dims.phase});
  Segments segments{dims.along, {}};
  int64_t size = op.getStaticLoopRanges()[dims.along];
  for (unsigned width = loops.getVectorWidth(vectorBits); width > 0; width /= 2)
    if (ShapedType::isDynamic(size) || size >= int64_t(width))
      segments.widths.push_back(width);
  loops.emitSegments(block, segments, [&](Value iv, const Lanes &lanes) {
    point[dims.along] = iv;
    emitAt(point, lanes);
  });
}

void qcc::emitInterleavedLoops(LinalgLoops &loops, const InterleavedDims &dims,
                               unsigned vectorBits) {
  InterleavedEmitter(loops, dims, vectorBits).emit();
}
