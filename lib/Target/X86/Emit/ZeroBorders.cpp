//===- ZeroBorders.cpp - Products with zeros are left out -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZeroBorders.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

/// How many words of a segment repay bounds of the loop over segments that are
/// computed, and how many words repay a loop of their own.
constexpr int64_t kLeastSegmentWords = 16, kLeastPartWords = 8;
/// One in so many products of a line repays a tile of its own at the line's
/// end.
constexpr int64_t kLeastShare = 200;

/// Whether `loop` is the only reduction dimension of `factors`.
static bool isAlone(kernel::ContractOp op, ArrayRef<int64_t> factors,
                    unsigned loop) {
  return factors[loop] != 0 &&
         llvm::count_if(op.getReductionDims(),
                        [&](int64_t dim) { return factors[dim] != 0; }) == 1;
}

ZeroBorders::ZeroBorders(const Contraction &contraction)
    : contraction(contraction),
      words(llvm::divideCeil(contraction.segmentSize, contraction.kr)) {
  kernel::ContractOp op = contraction.op;
  DenseI64ArrayAttr border = op.getKnownFacts().zeroBorder;
  // Atoms with pairs multiply sums of elements of both operands; what is
  // shifted or computed by a prologue is not 0.
  applies = border && !contraction.atom.hasPairs() &&
            contraction.layout.lhsShift == 0 && op.getLhsPrologue().empty();
  if (!applies || !contraction.roles.m)
    return;
  unsigned m = *contraction.roles.m, segment = op.getReductionDims().back();
  auto type = cast<MemRefType>(op.getLhs().getType());
  for (auto [d, expr] : llvm::enumerate(op.getLhsMap().getResults())) {
    SmallVector<int64_t> factors =
        *kernel::windowFactors(expr, op.getNumLoops());
    bool isOfRowsAlone = llvm::all_of(llvm::seq<unsigned>(op.getNumLoops()),
                                      [&, &factors = factors](unsigned loop) {
                                        return factors[loop] == 0 ||
                                               loop == m ||
                                               op.isReduction(loop);
                                      });
    if (factors[m] == 0 || !isOfRowsAlone || type.isDynamicDim(d) ||
        border[2 * d] + border[2 * d + 1] == 0)
      continue;
    begin = border[2 * d];
    end = type.getDimSize(d) - border[2 * d + 1];
    rowStride = factors[m];
    if (isAlone(op, factors, segment)) {
      isAlongRows = true;
      unitStride = factors[segment] * contraction.kr;
      width = factors[segment] * (contraction.kr - 1) + 1;
    } else if (op.getReductionDims().size() > 1) {
      unsigned tap = op.getReductionDims().drop_back().back();
      isAlongRows = isAlone(op, factors, tap);
      unitStride = factors[tap];
      if (isAlongRows)
        taps = op.getReductionSizes().drop_back().back();
    }
    return;
  }
}

std::pair<Value, Value> ZeroBorders::segmentsOf(KernelBuilder &builder,
                                                const Tile &tile) const {
  kernel::ContractOp op = contraction.op;
  ArrayRef<int64_t> dims = op.getReductionDims();
  // A segment is one step of the loop.
  if (dims.size() == 1 || contraction.segmentWords < kLeastSegmentWords)
    return {builder.index(0), builder.index(contraction.segments)};
  auto [first, last] = iterationsOf(builder, tile, dims.front());
  int64_t segments = contraction.segments / op.getReductionSizes().front();
  return {builder.mul(first, segments), builder.mul(last, segments)};
}

std::pair<Value, Value> ZeroBorders::iterationsOf(KernelBuilder &builder,
                                                  const Tile &tile,
                                                  unsigned dim) const {
  kernel::ContractOp op = contraction.op;
  int64_t count = op.getStaticLoopSizes()[dim];
  std::pair<Value, Value> all{builder.index(0), builder.index(count)};
  if (!applies)
    return all;
  ArrayRef<int64_t> border = op.getKnownFacts().zeroBorder;
  for (auto [d, expr] : llvm::enumerate(op.getLhsMap().getResults())) {
    SmallVector<int64_t> factors =
        *kernel::windowFactors(expr, op.getNumLoops());
    int64_t low = border[2 * d], high = border[2 * d + 1];
    bool variesInTile =
        contraction.roles.m && factors[*contraction.roles.m] != 0;
    if (!isAlone(op, factors, dim) || variesInTile || low + high == 0)
      continue;
    // The window of the tile begins at `start`: its element i lies inside of
    // the border if low <= start + i * factor < size - high.
    Value start = builder.index(0);
    for (auto [loop, factor] : llvm::enumerate(factors))
      if (factor != 0 && !op.isReduction(loop))
        start = builder.add(start, builder.mul(tile.loops[loop], factor));
    Value size = builder.rewriter.createOrFold<memref::DimOp>(builder.loc,
                                                              op.getLhs(), d);
    auto firstFrom = [&](Value place) {
      Value distance = builder.max(builder.sub(place, start), builder.index(0));
      return builder.min(builder.ceilDiv(distance, builder.index(factors[dim])),
                         builder.index(count));
    };
    return {firstFrom(builder.index(low)), firstFrom(builder.add(size, -high))};
  }
  return all;
}

bool ZeroBorders::isZero(int64_t unit, int64_t row) const {
  int64_t first = row * rowStride + unit * unitStride;
  return first + width <= begin || first >= end;
}

ZeroBorders::Part ZeroBorders::wholeOf(int64_t rows) const {
  return {0, taps, 0, words, SmallVector<bool>(rows, true)};
}

/// Makes one part of two that follow each other, for the rows of both.
static void join(ZeroBorders::Part &part, const ZeroBorders::Part &next) {
  part.lastSegment = next.lastSegment;
  part.lastWord = next.lastWord;
  for (auto [row, other] : llvm::zip_equal(part.rows, next.rows))
    row = row || other;
}

SmallVector<ZeroBorders::Part> ZeroBorders::partsAt(int64_t row,
                                                    int64_t rows) const {
  if (!isAlongRows)
    return {wholeOf(rows)};
  bool areTaps = taps > 1;
  SmallVector<Part> exact, parts;
  for (int64_t unit = 0, units = areTaps ? taps : words; unit < units; ++unit) {
    Part part = wholeOf(rows);
    (areTaps ? part.firstSegment : part.firstWord) = unit;
    (areTaps ? part.lastSegment : part.lastWord) = unit + 1;
    for (int64_t i = 0; i < rows; ++i)
      part.rows[i] = !isZero(unit, row + i);
    if (!exact.empty() && exact.back().rows == part.rows)
      join(exact.back(), part);
    else
      exact.push_back(part);
  }
  for (const Part &part : exact) {
    if (!parts.empty() && (part.countWords() < kLeastPartWords ||
                           parts.back().countWords() < kLeastPartWords))
      join(parts.back(), part);
    else
      parts.push_back(part);
  }
  return parts;
}

SmallVector<ZeroBorders::Part> ZeroBorders::partsOf(const Tile &tile) const {
  std::optional<int64_t> row = getConstantIntValue(tile.row);
  if (!row)
    return {wholeOf(tile.rows)};
  return partsAt(*row, tile.rows);
}

bool ZeroBorders::gainsFrom(int64_t row, int64_t rows) const {
  std::optional<int64_t> m = getConstantIntValue(contraction.m);
  if (!isAlongRows || !m)
    return false;
  int64_t leftOut = 0;
  for (const Part &part : partsAt(row, rows))
    leftOut += llvm::count(part.rows, false) * part.countWords();
  return leftOut * kLeastShare >= *m * taps * words;
}
