//===- FragmentEpilogue.cpp - Results of a warp's fragments ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentEpilogue.h"
#include "RunOperands.h"
#include "ScalarRegion.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qcc/Target/NVPTX/Spec.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

namespace {
class FragmentEpilogue {
public:
  FragmentEpilogue(ScalarCode &code, ContractOp op, const FragmentTile &tile)
      : code(code), op(op), tile(tile), operands(code, op, tile),
        roles(operands.getRoles()),
        region(op.getEpilogue(), epilogueArgumentRanges(op)) {}

  void emit();

private:
  using Values = RunOperands::Values;

  void emitRow(unsigned run, unsigned row, ArrayRef<Values> values);
  /// What the epilogue takes.
  Value argument(unsigned run, unsigned row, int64_t element,
                 ArrayRef<Values> values);
  /// Stores results of a run, a vector, in the parts that are aligned.
  void store(RunOperand &out, Value results, unsigned run, unsigned row);
  /// Stores them one by one; all of them exist if `isWhole`.
  void storeEach(RunOperand &out, Value results, Point at, Value column,
                 bool isWhole);
  /// Both conditions, each of which may be null: it holds.
  Value both(Value a, Value b) {
    return a && b ? code.create<arith::AndIOp>(a, b) : a ? a : b;
  }
  /// Whether the columns from one on exist; null where all do.
  Value hasColumns(Value column, int64_t count);

  ScalarCode &code;
  ContractOp op;
  const FragmentTile &tile;
  RunOperands operands;
  const ContractOp::Roles &roles;
  ScalarRegion region;
  std::vector<RunOperand> outs;
  /// Which of the operands these are.
  SmallVector<unsigned> ofEpilogue;
  std::optional<unsigned> init;
};
} // namespace

Value FragmentEpilogue::argument(unsigned run, unsigned row, int64_t element,
                                 ArrayRef<Values> values) {
  // Totals have everything in them.
  if (op.hasGroups())
    return tile.sums[row][run * tile.run + element];
  Value sum =
      operands.accumulator(run, row, element, op.getReductionSize(), values);
  if (!init)
    return sum;
  return code.create<arith::AddIOp>(sum,
                                    RunOperands::at(values, *init, element));
}

Value FragmentEpilogue::hasColumns(Value column, int64_t count) {
  if (tile.hasAllColumns)
    return Value();
  Value last = code.create<arith::AddIOp>(column, code.index(count - 1));
  return code.less(last, tile.columnCount);
}

void FragmentEpilogue::storeEach(RunOperand &out, Value results, Point at,
                                 Value column, bool isWhole) {
  for (int64_t i = 0; i < tile.run; ++i) {
    Value here = code.create<arith::AddIOp>(column, code.index(i));
    Value result =
        vector::ExtractOp::create(code.rewriter, code.loc, results, i);
    code.emitIf(isWhole ? Value() : hasColumns(here, 1), [&] {
      at[roles.n] = here;
      if (result.getType() != out.lies.elementType())
        result = arith::TruncIOp::create(code.rewriter, code.loc,
                                         out.lies.elementType(), result);
      code.store(result, out.memref, out.map, at);
    });
  }
}

void FragmentEpilogue::store(RunOperand &out, Value results, unsigned run,
                             unsigned row) {
  RewriterBase &rewriter = code.rewriter;
  int64_t lanes = operands.lanesOf(out);
  Value exists = tile.exists[row], column = tile.columns[run];
  Point at = tile.rows[row];
  if (lanes == 1) {
    code.emitIf(exists, [&] {
      code.emitIf(
          hasColumns(column, tile.run),
          [&] { storeEach(out, results, at, column, /*isWhole=*/true); },
          [&] { storeEach(out, results, at, column, /*isWhole=*/false); });
    });
    return;
  }
  for (int64_t i = 0; i < tile.run; i += lanes) {
    Value part = results;
    if (lanes < tile.run) {
      Values elements;
      for (int64_t lane = i; lane < i + lanes; ++lane)
        elements.push_back(
            vector::ExtractOp::create(rewriter, code.loc, results, lane));
      part = vector::FromElementsOp::create(
          rewriter, code.loc, VectorType::get({lanes}, out.lies.elementType()),
          elements);
    }
    Value here = code.create<arith::AddIOp>(column, code.index(i));
    code.emitIf(both(exists, hasColumns(here, lanes)), [&] {
      at[roles.n] = here;
      auto stored = vector::StoreOp::create(
          rewriter, code.loc, part, out.memref, code.indices(out.map, at));
      stored.setAlignment(lanes * out.lies.elementBytes());
    });
  }
}

void FragmentEpilogue::emitRow(unsigned run, unsigned row,
                               ArrayRef<Values> values) {
  SmallVector<Values> lists;
  for (int64_t element = 0; element < tile.run; ++element) {
    Values &arguments =
        lists.emplace_back(1, argument(run, row, element, values));
    for (unsigned operand : ofEpilogue)
      arguments.push_back(RunOperands::at(values, operand, element));
  }
  SmallVector<bool> isUsedWhole;
  for (const RunOperand &out : outs)
    isUsedWhole.push_back(operands.lanesOf(out) > 1);
  for (auto [out, results] :
       llvm::zip_equal(outs, region.emit(code, lists, isUsedWhole)))
    store(out, results, run, row);
}

void FragmentEpilogue::emit() {
  assert(tile.exists.size() == tile.rows.size() &&
         tile.sums.size() == tile.rows.size() && "each row has its sums");
  assert(llvm::all_of(tile.sums,
                      [&](const Values &sums) {
                        return sums.size() ==
                               tile.columns.size() * size_t(tile.run);
                      }) &&
         "a sum for each column of each run");
  assert((!op.getRhsZeroPoint() || op.hasGroups() ||
          tile.rowSums.size() == tile.rows.size()) &&
         "zero points of columns need sums of rows");
  for (auto [operand, map] :
       llvm::zip_equal(op.getEpilogueOperands(), op.getEpilogueMaps()))
    ofEpilogue.push_back(operands.add(operand, map));
  if (!op.hasGroups()) {
    if (op.getInit())
      init = operands.add(op.getInit(), op.getInitMap());
    operands.addZeroPoints();
  }
  for (auto [out, map] : llvm::zip_equal(op.getOuts(), op.getOutMaps()))
    outs.push_back(RunOperand(code, op, roles, out, map));
  operands.forEachRow([&](unsigned run, unsigned row, auto values) {
    emitRow(run, row, values);
  });
}

void qcc::nvptx::emitFragmentEpilogue(ScalarCode &code, ContractOp op,
                                      const FragmentTile &tile) {
  FragmentEpilogue(code, op, tile).emit();
}

FragmentTile qcc::nvptx::makeFragmentTile(ScalarCode &code, ContractOp op,
                                          ConfigAttr config, BlockTiles &tiles,
                                          const WarpPlace &place) {
  FragmentTile tile;
  Value group = code.create<arith::DivUIOp>(place.lane, code.index(4));
  Value row = code.create<arith::AddIOp>(place.row, group);
  for (int64_t i = 0; i < config.getWarpRows() / 8; ++i) {
    Value here = code.create<arith::AddIOp>(row, code.index(8 * i));
    tile.rows.push_back(tiles.rowPoint(here));
    tile.exists.push_back(tiles.hasRow(here));
  }
  int64_t ownColumns = columnsOfThread(op, config);
  Value member = code.create<arith::RemUIOp>(place.lane, code.index(4));
  Value column = code.create<arith::AddIOp>(
      tiles.column(place.column),
      code.create<arith::MulIOp>(member, code.index(ownColumns)));
  for (int64_t c = 0; c < config.getWarpColumns(); c += 4 * ownColumns)
    tile.columns.push_back(code.create<arith::AddIOp>(column, code.index(c)));
  tile.run = ownColumns;
  tile.columnCount = tiles.columnCount;
  tile.hasAllColumns = tiles.hasAllColumns();
  return tile;
}

void qcc::nvptx::setSums(ContractOp op, ConfigAttr config, FragmentTile &tile,
                         ArrayRef<Value> sums) {
  int64_t rowSums = op.getRhsZeroPoint() ? kSums : 0;
  // Of the fragments of 16 rows.
  int64_t ofFragments = config.getWarpColumns() / 2 + rowSums;
  assert(int64_t(sums.size()) ==
             config.getWarpRows() / kFragmentRows * ofFragments &&
         "a thread has the sums of all fragments");
  tile.sums.clear();
  tile.rowSums.clear();
  for (int64_t i = 0; i < config.getWarpRows() / 8; ++i) {
    // The sums of its rows g or g + 8.
    ArrayRef<Value> ofRow =
        sums.slice(i / 2 * ofFragments, ofFragments).drop_front(i % 2 * 2);
    SmallVector<Value> &inColumns = tile.sums.emplace_back();
    for (int64_t c = 0; c + rowSums < ofFragments; c += kSums)
      inColumns.append({ofRow[c], ofRow[c + 1]});
    if (rowSums)
      tile.rowSums.push_back(ofRow[ofFragments - kSums]);
  }
}
