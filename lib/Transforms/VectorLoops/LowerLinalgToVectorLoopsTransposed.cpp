//===- LowerLinalgToVectorLoopsTransposed.cpp - Transposed inputs ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops whose inputs have the elements of a line of the output in
// different lines, such as transpositions:
//
//   y[.., r, .., c] = f(x[.., c, .., r], ..)
//
// Tiles of W x W elements are read along r and turned in registers.
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace qcc;

/// Rows and columns that one iteration of the forall computes at least: lines
/// of a cache that are read for one tile are there for the next.
static constexpr int64_t kRowBlock = 64;
static constexpr int64_t kColumnBlock = 16;
/// What a cache reads at once.
static constexpr unsigned kLineBytes = 64;
/// The bits in which shuffles of two vectors are one instruction.
static constexpr int64_t kLaneBits = 128;

namespace {
class TransposedEmitter {
public:
  TransposedEmitter(LinalgLoops &loops, const TransposedDims &dims)
      : loops(loops), rewriter(loops.rewriter), loc(loops.loc), op(loops.op),
        dims(dims) {}

  void emit();

private:
  using Point = LinalgLoops::Point;

  /// The rows that are computed at once: those of a line of a cache, which then
  /// is read once, unless rows for a whole tile would be left.
  unsigned chooseHeight();
  /// A whole tile, or some elements of some rows of the output.
  void emitTile(ArrayRef<Point> rows);
  void emitElements(ArrayRef<Point> rows, const Lanes &lanes);
  void emitAt(const Point &row, const Lanes &lanes);
  /// The columns of a square of which the vectors are the rows.
  SmallVector<Value> turn(SmallVector<Value> rows);
  /// Alternate groups of `unit` elements of two vectors, of the lower or upper
  /// half of each 128 bits.
  Value unpack(Value a, Value b, int64_t unit, bool upper);

  LinalgLoops &loops;
  RewriterBase &rewriter;
  Location loc;
  linalg::LinalgOp op;
  const TransposedDims &dims;
};
} // namespace

/// The elements of a vector in 128 bits, or all if it is shorter.
static int64_t lengthOfLane(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  return std::min<int64_t>(type.getDimSize(0),
                           kLaneBits / type.getElementTypeBitWidth());
}

Value TransposedEmitter::unpack(Value a, Value b, int64_t unit, bool upper) {
  int64_t width = dims.width, lane = lengthOfLane(a);
  SmallVector<int64_t> mask;
  for (int64_t begin = upper ? lane / 2 : 0; begin < width; begin += lane)
    for (int64_t i = begin; i < begin + lane / 2; i += unit)
      for (int64_t source : {i, width + i})
        for (int64_t j = 0; j < unit; ++j)
          mask.push_back(source + j);
  return vector::ShuffleOp::create(rewriter, loc, a, b, mask);
}

SmallVector<Value> TransposedEmitter::turn(SmallVector<Value> rows) {
  int64_t width = dims.width, lane = lengthOfLane(rows.front());
  // Squares of 128 bits by as many rows. Afterwards, row i of such a group of
  // rows has column j of each square, where the bits of i and j are reversed.
  for (int64_t unit = 1; unit < lane; unit *= 2)
    for (int64_t i = 0; i < width; ++i)
      if ((i & unit) == 0) {
        Value a = rows[i], b = rows[i + unit];
        rows[i] = unpack(a, b, unit, /*upper=*/false);
        rows[i + unit] = unpack(a, b, unit, /*upper=*/true);
      }
  unsigned bits = llvm::Log2_64(lane);
  SmallVector<Value> columns(width);
  for (int64_t i = 0; i < width; ++i) {
    int64_t j = 0;
    for (unsigned bit = 0; bit < bits; ++bit)
      j |= (i >> bit & 1) << (bits - 1 - bit);
    columns[i / lane * lane + j] = rows[i];
  }
  // The squares change places across the diagonal.
  for (int64_t unit = lane; unit < width; unit *= 2)
    for (int64_t i = 0; i < width; ++i)
      if ((i & unit) == 0) {
        Value a = columns[i], b = columns[i + unit];
        SmallVector<int64_t> low, high;
        for (int64_t k = 0; k < width; ++k) {
          bool isOther = (k & unit) != 0;
          low.push_back(isOther ? width + k - unit : k);
          high.push_back(isOther ? width + k : k + unit);
        }
        columns[i] = vector::ShuffleOp::create(rewriter, loc, a, b, low);
        columns[i + unit] =
            vector::ShuffleOp::create(rewriter, loc, a, b, high);
      }
  return columns;
}

void TransposedEmitter::emitAt(const Point &row, const Lanes &lanes) {
  SmallVector<Value> yielded =
      llvm::to_vector(op.getBlock()->getTerminator()->getOperands());
  SmallVector<Value> results = loops.emitBody(yielded, {}, row, lanes);
  for (auto [result, output] :
       llvm::zip_equal(results, op.getDpsInitsMutable()))
    loops.store(result, output, row, lanes);
}

void TransposedEmitter::emitTile(ArrayRef<Point> rows) {
  Lanes alongRows{dims.row, dims.width, Value()},
      alongColumns{dims.column, dims.width, Value()};
  SmallVector<SmallVector<Value>> turned;
  for (OpOperand *input : dims.transposed) {
    SmallVector<Value> lines;
    for (const Point &column :
         loops.getRows(rows.front(), dims.column, dims.width))
      lines.push_back(loops.load(*input, column, alongRows));
    turned.push_back(turn(std::move(lines)));
  }
  for (auto [i, row] : llvm::enumerate(rows)) {
    for (auto [input, vectors] : llvm::zip_equal(dims.transposed, turned))
      loops.setInput(*input, vectors[i]);
    emitAt(row, alongColumns);
  }
}

void TransposedEmitter::emitElements(ArrayRef<Point> rows, const Lanes &lanes) {
  for (const Point &row : rows) {
    for (OpOperand *input : dims.transposed)
      loops.setInput(*input, loops.load(*input, row, lanes));
    emitAt(row, lanes);
  }
}

unsigned TransposedEmitter::chooseHeight() {
  unsigned elementBytes = 1;
  for (OpOperand *input : dims.transposed)
    elementBytes = std::max<unsigned>(
        elementBytes,
        getElementTypeOrSelf(input->get().getType()).getIntOrFloatBitWidth() /
            8);
  unsigned height = std::max<unsigned>(dims.width, kLineBytes / elementBytes);
  int64_t rows = op.getStaticLoopRanges()[dims.row];
  bool leavesTile =
      !ShapedType::isDynamic(rows) && rows % height >= int64_t(dims.width);
  return leavesTile ? dims.width : height;
}

void TransposedEmitter::emit() {
  Point point;
  SmallVector<LinalgLoops::Block> blocks = loops.openForall(
      {{dims.row, kRowBlock}, {dims.column, kColumnBlock}}, point);
  loops.emitInvariants(point, {dims.row, dims.column});
  Segments segments{dims.column, {dims.width, 1}};
  int64_t columns = op.getStaticLoopRanges()[dims.column];
  if (!ShapedType::isDynamic(columns) && columns % int64_t(dims.width) == 0)
    segments.widths.pop_back();
  loops.emitRows(
      blocks[0], dims.row, chooseHeight(), point, [&](unsigned count) {
        loops.emitSegments(
            blocks[1], segments, [&](Value iv, const Lanes &lanes) {
              point[dims.column] = iv;
              SmallVector<Point> rows = loops.getRows(point, dims.row, count);
              if (count == 1 || lanes.count == 1)
                return emitElements(rows, lanes);
              for (ArrayRef<Point> rest = rows; !rest.empty();
                   rest = rest.drop_front(dims.width))
                emitTile(rest.take_front(dims.width));
            });
      });
}

void qcc::emitTransposedLoops(LinalgLoops &loops, const TransposedDims &dims) {
  TransposedEmitter(loops, dims).emit();
}
