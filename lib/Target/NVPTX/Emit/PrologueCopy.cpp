//===- PrologueCopy.cpp - Tiles that a prologue computes ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarRegion.h"
#include "StagedCopy.h"
#include "StridedOperand.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

namespace {
class PrologueCopy : public StagedCopy {
public:
  PrologueCopy(ScalarCode &code, SharedMemory memory, ThreadShare given,
               ContractOp op, LhsPoints points);

private:
  SmallVector<Values> load(Value step) override;
  Value toWords(int64_t pass, ValueRange values, Value step) override;
  Value mask(Value chunk, int64_t pass, Value step);
  /// Elements of an operand at a chunk.
  SmallVector<Value> loadElements(unsigned operand, Point point);
  bool isInvariant(unsigned operand);
  int64_t run() { return op.getReductionSizes().back(); }
  /// Whether chunks may lie partly outside of a run.
  bool hasRest() { return run() % share.getDepth() != 0; }

  ContractOp op;
  LhsPoints points;
  unsigned k;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<Point> rows;
  /// For each pass, the operands that are the same for all elements of a row.
  SmallVector<SmallVector<Value>> invariants;
};
} // namespace

PrologueCopy::PrologueCopy(ScalarCode &code, SharedMemory memory,
                           ThreadShare given, ContractOp op, LhsPoints points)
    : StagedCopy(code, memory, given), op(op), points(std::move(points)),
      k(op.getReductionDims().back()), operands{op.getLhs()},
      maps{op.getLhsMap()} {
  llvm::append_range(operands, op.getLhsOperands());
  llvm::append_range(maps, op.getLhsOperandMaps());
  for (int64_t pass = 0; pass < share.passes(); ++pass) {
    rows.push_back(this->points.row(share.row(pass)));
    SmallVector<Value> &values = invariants.emplace_back();
    for (unsigned i = 0; i < operands.size(); ++i)
      values.push_back(isInvariant(i)
                           ? code.load(operands[i], maps[i], rows.back())
                           : Value());
  }
}

bool PrologueCopy::isInvariant(unsigned operand) {
  return llvm::none_of(op.getReductionDims(), [&](int64_t dim) {
    return maps[operand].isFunctionOfDim(dim);
  });
}

SmallVector<Value> PrologueCopy::loadElements(unsigned operand, Point point) {
  RewriterBase &rewriter = code.rewriter;
  StridedOperand lies(code, operands[operand], maps[operand]);
  Value first = point[k];
  SmallVector<Value> elements;
  int64_t lanes = lies.elementBytes() == 0 ? 1 : kChunk / lies.elementBytes();
  if (lanes > 1 && lies.isContiguousAlong(k) && run() % kChunk == 0 &&
      lies.divisorWithout(k) % lanes == 0) {
    if (hasRest())
      first = arith::SelectOp::create(rewriter, code.loc,
                                      code.less(first, code.index(run())),
                                      first, code.index(0));
    auto type = VectorType::get({lanes}, lies.elementType());
    for (int64_t i = 0; i < kChunk; i += lanes) {
      point[k] = code.create<arith::AddIOp>(first, code.index(i));
      auto load =
          vector::LoadOp::create(rewriter, code.loc, type, operands[operand],
                                 code.indices(maps[operand], point));
      load.setAlignment(kChunk);
      for (int64_t lane = 0; lane < lanes; ++lane)
        elements.push_back(vector::ExtractOp::create(rewriter, code.loc,
                                                     load.getResult(), lane));
    }
    return elements;
  }
  for (int64_t i = 0; i < kChunk; ++i) {
    point[k] = code.create<arith::AddIOp>(first, code.index(i));
    if (hasRest())
      point[k] = code.create<arith::MinUIOp>(point[k], code.index(run() - 1));
    elements.push_back(code.load(operands[operand], maps[operand], point));
  }
  return elements;
}

SmallVector<SmallVector<Value>> PrologueCopy::load(Value step) {
  SmallVector<Values> chunks;
  for (Point point : rows) {
    points.setStep(point, step);
    point[k] = code.create<arith::AddIOp>(point[k], share.byte());
    Values &values = chunks.emplace_back();
    for (unsigned i = 0; i < operands.size(); ++i)
      if (!isInvariant(i))
        llvm::append_range(values, loadElements(i, point));
  }
  return chunks;
}

Value PrologueCopy::toWords(int64_t pass, ValueRange values, Value step) {
  RewriterBase &rewriter = code.rewriter;
  SmallVector<SmallVector<Value>> lists(kChunk);
  for (auto [element, arguments] : llvm::enumerate(lists)) {
    unsigned next = element;
    for (Value invariant : invariants[pass]) {
      arguments.push_back(invariant ? invariant : values[next]);
      next += invariant ? 0 : kChunk;
    }
  }
  auto type = VectorType::get({kChunk}, rewriter.getI8Type());
  Value chunk;
  if (op.getLhsPrologue().empty())
    chunk = vector::FromElementsOp::create(
        rewriter, code.loc, type,
        llvm::map_to_vector(lists, [](auto &list) { return list.front(); }));
  else
    chunk =
        ScalarRegion(op.getLhsPrologue(), {}).emit(code, lists, true).front();
  if (hasRest() && op.getRhsZeroPoint())
    chunk = mask(chunk, pass, step);
  return vector::BitCastOp::create(
      rewriter, code.loc, VectorType::get({kWords}, rewriter.getI32Type()),
      chunk);
}

/// What lies behind a run does not count in sums of rows.
Value PrologueCopy::mask(Value chunk, int64_t pass, Value step) {
  RewriterBase &rewriter = code.rewriter;
  Point point = rows[pass];
  points.setStep(point, step);
  Value first = code.create<arith::AddIOp>(point[k], share.byte());
  SmallVector<Value> bytes;
  for (int64_t i = 0; i < kChunk; ++i) {
    Value here = code.create<arith::AddIOp>(first, code.index(i));
    bytes.push_back(arith::SelectOp::create(
        rewriter, code.loc, code.less(here, code.index(run())),
        vector::ExtractOp::create(rewriter, code.loc, chunk, i),
        arith::ConstantIntOp::create(rewriter, code.loc, 0, 8)));
  }
  return vector::FromElementsOp::create(rewriter, code.loc, chunk.getType(),
                                        bytes);
}

std::unique_ptr<TileCopy> qcc::nvptx::makePrologueCopy(ScalarCode &code,
                                                       SharedMemory memory,
                                                       ThreadShare share,
                                                       ContractOp op,
                                                       LhsPoints points) {
  return std::make_unique<PrologueCopy>(code, memory, share, op,
                                        std::move(points));
}
