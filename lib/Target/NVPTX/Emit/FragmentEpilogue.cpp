//===- FragmentEpilogue.cpp - Results of a warp's fragments ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentEpilogue.h"
#include "ScalarRegion.h"
#include "SharedTile.h"
#include "StridedOperand.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qcc/Target/NVPTX/Spec.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

/// Registers for operands that differ in rows and columns, at most.
constexpr int64_t kOperandRegisters = 32;

namespace {
/// An operand or a result at runs of columns.
struct RunOperand {
  RunOperand(ScalarCode &code, ContractOp op, const ContractOp::Roles &roles,
             Value memref, AffineMap map)
      : memref(memref), map(map), lies(code, memref, map),
        byColumn(map.isFunctionOfDim(roles.n)) {
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      byRow |= map.isFunctionOfDim(loop) && loop != roles.n &&
               !op.isReduction(loop) && !llvm::is_contained(roles.batch, loop);
  }

  Value memref;
  AffineMap map;
  StridedOperand lies;
  bool byColumn, byRow = false;
};

class FragmentEpilogue {
public:
  FragmentEpilogue(ScalarCode &code, ContractOp op, const FragmentTile &tile)
      : code(code), op(op), roles(*op.getRoles()), tile(tile),
        region(op.getEpilogue(), epilogueArgumentRanges(op)) {}

  void emit();

private:
  using Values = SmallVector<Value>;

  void collectOperands();
  unsigned add(Value memref, AffineMap map) {
    operands.push_back(RunOperand(code, op, roles, memref, map));
    return operands.size() - 1;
  }
  /// Elements of an access: 1 where it has no vectors.
  int64_t lanesOf(const RunOperand &operand);
  /// An operand at the columns of a run; one value where it is the same at all.
  Values load(RunOperand &operand, Point at, Value column);
  /// Loads the operands for which `isWanted` holds.
  void loadAll(SmallVectorImpl<Values> &into, const Point &at, Value column,
               llvm::function_ref<bool(const RunOperand &)> isWanted);
  /// Registers for an operand at the columns of a run.
  int64_t registersOf(const RunOperand &operand);
  /// Rows whose operands that differ in rows and columns are loaded together.
  int64_t rowsAtOnce();
  void emitRun(unsigned run);
  void emitRow(unsigned run, unsigned row, ArrayRef<Values> values);
  /// The accumulator: sums of products of elements less their zero points.
  Value accumulator(unsigned run, unsigned row, int64_t element,
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
  ContractOp::Roles roles;
  const FragmentTile &tile;
  ScalarRegion region;
  std::vector<RunOperand> operands, outs;
  /// Which of the operands these are.
  SmallVector<unsigned> ofEpilogue;
  std::optional<unsigned> init, lhsZero, rhsZero, rhsSums;
  /// What is loaded once: for all, and for each row.
  SmallVector<Values> constants;
  SmallVector<SmallVector<Values>> ofRows;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

void FragmentEpilogue::collectOperands() {
  for (auto [operand, map] :
       llvm::zip_equal(op.getEpilogueOperands(), op.getEpilogueMaps()))
    ofEpilogue.push_back(add(operand, map));
  if (op.getInit())
    init = add(op.getInit(), op.getInitMap());
  if (op.getLhsZeroPoint()) {
    lhsZero = add(op.getLhsZeroPoint(), op.getLhsZeroPointMap());
    SmallVector<AffineExpr> columns;
    for (unsigned loop : roles.batch)
      columns.push_back(code.rewriter.getAffineDimExpr(loop));
    columns.push_back(code.rewriter.getAffineDimExpr(roles.n));
    rhsSums = add(op.getRhsSums(), AffineMap::get(op.getNumLoops(), 0, columns,
                                                  op.getContext()));
  }
  if (op.getRhsZeroPoint())
    rhsZero = add(op.getRhsZeroPoint(), op.getRhsZeroPointMap());
  for (auto [out, map] : llvm::zip_equal(op.getOuts(), op.getOutMaps()))
    outs.push_back(RunOperand(code, op, roles, out, map));
}

int64_t FragmentEpilogue::lanesOf(const RunOperand &operand) {
  int64_t bytes = operand.lies.elementBytes();
  int64_t n = op.getStaticLoopSizes()[roles.n];
  if (bytes == 0 || !operand.lies.isContiguousAlong(roles.n) ||
      ShapedType::isDynamic(n))
    return 1;
  int64_t lanes = std::min(tile.run, std::max<int64_t>(1, kChunk / bytes));
  int64_t divisor = operand.lies.divisorWithout(roles.n);
  while (divisor % lanes != 0 || n % lanes != 0)
    lanes /= 2;
  assert(lanes > 0 && tile.run % lanes == 0 && "a run is whole accesses");
  return lanes;
}

SmallVector<Value> FragmentEpilogue::load(RunOperand &operand, Point at,
                                          Value column) {
  RewriterBase &rewriter = code.rewriter;
  if (!operand.byColumn)
    return {code.load(operand.memref, operand.map, at)};
  int64_t lanes = lanesOf(operand);
  Values values;
  for (int64_t i = 0; i < tile.run; i += lanes) {
    Value first = code.create<arith::AddIOp>(column, code.index(i));
    // Columns that do not exist have others.
    if (!tile.hasAllColumns)
      first = code.create<arith::MinUIOp>(
          first,
          code.create<arith::SubIOp>(tile.columnCount, code.index(lanes)));
    at[roles.n] = first;
    if (lanes == 1) {
      values.push_back(code.load(operand.memref, operand.map, at));
      continue;
    }
    auto type = VectorType::get({lanes}, operand.lies.elementType());
    auto loaded =
        vector::LoadOp::create(rewriter, code.loc, type, operand.memref,
                               code.indices(operand.map, at));
    loaded.setAlignment(lanes * operand.lies.elementBytes());
    for (int64_t lane = 0; lane < lanes; ++lane)
      values.push_back(vector::ExtractOp::create(rewriter, code.loc,
                                                 loaded.getResult(), lane));
  }
  return values;
}

void FragmentEpilogue::loadAll(
    SmallVectorImpl<Values> &into, const Point &at, Value column,
    llvm::function_ref<bool(const RunOperand &)> isWanted) {
  for (auto [values, operand] : llvm::zip_equal(into, operands))
    if (isWanted(operand))
      values = load(operand, at, column);
}

int64_t FragmentEpilogue::registersOf(const RunOperand &operand) {
  constexpr int64_t kRegisterBytes = 4;
  // An element that is loaded on its own has a register, and its address one.
  if (lanesOf(operand) == 1)
    return 2 * tile.run;
  return llvm::divideCeil(operand.lies.elementBytes() * tile.run,
                          kRegisterBytes);
}

int64_t FragmentEpilogue::rowsAtOnce() {
  int64_t registers = 0;
  for (const RunOperand &operand : operands)
    if (operand.byRow && operand.byColumn)
      registers += registersOf(operand);
  if (registers == 0)
    return tile.rows.size();
  return std::clamp<int64_t>(kOperandRegisters / registers, 1,
                             tile.rows.size());
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Value FragmentEpilogue::accumulator(unsigned run, unsigned row, int64_t element,
                                    ArrayRef<Values> values) {
  auto at = [&](unsigned operand) {
    const Values &here = values[operand];
    return here.size() == 1 ? here.front() : here[element];
  };
  Value sum = tile.sums[row][run * tile.run + element];
  auto subtract = [&](Value a, Value b) {
    sum = code.create<arith::SubIOp>(sum, code.create<arith::MulIOp>(a, b));
  };
  if (lhsZero)
    subtract(at(*lhsZero), at(*rhsSums));
  if (rhsZero)
    subtract(at(*rhsZero), tile.rowSums[row]);
  if (lhsZero && rhsZero)
    subtract(code.create<arith::MulIOp>(at(*lhsZero), at(*rhsZero)),
             code.i32(-op.getReductionSize()));
  return init ? code.create<arith::AddIOp>(sum, at(*init)) : sum;
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
  int64_t lanes = lanesOf(out);
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
        lists.emplace_back(1, accumulator(run, row, element, values));
    for (unsigned operand : ofEpilogue) {
      const Values &here = values[operand];
      arguments.push_back(here.size() == 1 ? here.front() : here[element]);
    }
  }
  SmallVector<bool> isUsedWhole;
  for (const RunOperand &out : outs)
    isUsedWhole.push_back(lanesOf(out) > 1);
  for (auto [out, results] :
       llvm::zip_equal(outs, region.emit(code, lists, isUsedWhole)))
    store(out, results, run, row);
}

void FragmentEpilogue::emitRun(unsigned run) {
  SmallVector<Values> ofRun = constants;
  Value column = tile.columns[run];
  loadAll(ofRun, tile.rows.front(), column, [](const RunOperand &operand) {
    return operand.byColumn && !operand.byRow;
  });
  unsigned atOnce = rowsAtOnce();
  for (unsigned first = 0; first < tile.rows.size(); first += atOnce) {
    unsigned end = std::min<unsigned>(first + atOnce, tile.rows.size());
    SmallVector<SmallVector<Values>> values;
    for (unsigned row = first; row < end; ++row) {
      SmallVector<Values> &here = values.emplace_back(ofRun);
      for (auto [value, ofRow] : llvm::zip_equal(here, ofRows[row]))
        if (!ofRow.empty())
          value = ofRow;
      loadAll(here, tile.rows[row], column, [](const RunOperand &operand) {
        return operand.byColumn && operand.byRow;
      });
    }
    for (unsigned row = first; row < end; ++row)
      emitRow(run, row, values[row - first]);
  }
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
  assert((!op.getRhsZeroPoint() || tile.rowSums.size() == tile.rows.size()) &&
         "zero points of columns need sums of rows");
  collectOperands();
  constants.resize(operands.size());
  loadAll(constants, tile.rows.front(), Value(), [](const RunOperand &operand) {
    return !operand.byColumn && !operand.byRow;
  });
  for (const Point &row : tile.rows)
    loadAll(ofRows.emplace_back(operands.size()), row, Value(),
            [](const RunOperand &operand) {
              return !operand.byColumn && operand.byRow;
            });
  for (unsigned run = 0; run < tile.columns.size(); ++run)
    emitRun(run);
}

void qcc::nvptx::emitFragmentEpilogue(ScalarCode &code, ContractOp op,
                                      const FragmentTile &tile) {
  FragmentEpilogue(code, op, tile).emit();
}

FragmentTile qcc::nvptx::makeFragmentTile(ScalarCode &code, ContractOp op,
                                          ConfigAttr config, BlockTiles &tiles,
                                          const WarpPlace &place,
                                          ArrayRef<Value> sums) {
  FragmentTile tile;
  int64_t rowSums = op.getRhsZeroPoint() ? kSums : 0;
  // Of the fragments of 16 rows.
  int64_t ofFragments = config.getWarpColumns() / 2 + rowSums;
  assert(int64_t(sums.size()) ==
             config.getWarpRows() / kFragmentRows * ofFragments &&
         "a thread has the sums of all fragments");
  Value group = code.create<arith::DivUIOp>(place.lane, code.index(4));
  Value row = code.create<arith::AddIOp>(place.row, group);
  for (int64_t i = 0; i < config.getWarpRows() / 8; ++i) {
    Value here = code.create<arith::AddIOp>(row, code.index(8 * i));
    tile.rows.push_back(tiles.rowPoint(here));
    tile.exists.push_back(tiles.hasRow(here));
    // The sums of its rows g or g + 8.
    ArrayRef<Value> ofRow =
        sums.slice(i / 2 * ofFragments, ofFragments).drop_front(i % 2 * 2);
    SmallVector<Value> &inColumns = tile.sums.emplace_back();
    for (int64_t c = 0; c + rowSums < ofFragments; c += kSums)
      inColumns.append({ofRow[c], ofRow[c + 1]});
    if (rowSums)
      tile.rowSums.push_back(ofRow[ofFragments - kSums]);
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
