//===- RunOperands.cpp - Operands at runs of columns ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOperands.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qcc/Target/NVPTX/Spec.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

/// Registers for operands that differ in rows and columns, at most.
constexpr int64_t kOperandRegisters = 32;

RunOperand::RunOperand(ScalarCode &code, ContractOp op,
                       const ContractOp::Roles &roles, Value memref,
                       AffineMap map)
    : memref(memref), map(map), lies(code, memref, map),
      byColumn(map.isFunctionOfDim(roles.n)) {
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    byRow |= map.isFunctionOfDim(loop) && loop != roles.n &&
             !op.isReduction(loop) && !llvm::is_contained(roles.batch, loop);
}

RunOperands::RunOperands(ScalarCode &code, ContractOp op,
                         const FragmentTile &tile)
    : code(code), op(op), roles(*op.getRoles()), tile(tile) {}

unsigned RunOperands::add(Value memref, AffineMap map) {
  operands.push_back(RunOperand(code, op, roles, memref, map));
  return operands.size() - 1;
}

void RunOperands::addZeroPoints() {
  if (op.getLhsZeroPoint()) {
    lhsZero = add(op.getLhsZeroPoint(), op.getLhsZeroPointMap());
    SmallVector<unsigned> loops(roles.batch);
    if (op.hasGroups())
      loops.push_back(op.getReductionDims().front());
    loops.push_back(roles.n);
    SmallVector<AffineExpr> columns;
    for (unsigned loop : loops)
      columns.push_back(code.rewriter.getAffineDimExpr(loop));
    rhsSums = add(op.getRhsSums(), AffineMap::get(op.getNumLoops(), 0, columns,
                                                  op.getContext()));
  }
  if (op.getRhsZeroPoint())
    rhsZero = add(op.getRhsZeroPoint(), op.getRhsZeroPointMap());
}

int64_t RunOperands::lanesOf(const RunOperand &operand) {
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

SmallVector<Value> RunOperands::load(RunOperand &operand, Point at,
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

void RunOperands::loadAll(
    SmallVectorImpl<Values> &into, const Point &at, Value column,
    llvm::function_ref<bool(const RunOperand &)> isWanted) {
  for (auto [values, operand] : llvm::zip_equal(into, operands))
    if (isWanted(operand))
      values = load(operand, at, column);
}

int64_t RunOperands::registersOf(const RunOperand &operand) {
  constexpr int64_t kRegisterBytes = 4;
  // An element that is loaded on its own has a register, and its address one.
  if (lanesOf(operand) == 1)
    return 2 * tile.run;
  return llvm::divideCeil(operand.lies.elementBytes() * tile.run,
                          kRegisterBytes);
}

int64_t RunOperands::rowsAtOnce() {
  int64_t registers = 0;
  for (const RunOperand &operand : operands)
    if (operand.byRow && operand.byColumn)
      registers += registersOf(operand);
  if (registers == 0)
    return tile.rows.size();
  return std::clamp<int64_t>(kOperandRegisters / registers, 1,
                             tile.rows.size());
}

void RunOperands::forEachRow(
    function_ref<void(unsigned, unsigned, ArrayRef<Values>)> body) {
  SmallVector<Values> constants(operands.size());
  loadAll(constants, tile.rows.front(), Value(), [](const RunOperand &operand) {
    return !operand.byColumn && !operand.byRow;
  });
  SmallVector<SmallVector<Values>> ofRows;
  for (const Point &row : tile.rows)
    loadAll(ofRows.emplace_back(operands.size()), row, Value(),
            [](const RunOperand &operand) {
              return !operand.byColumn && operand.byRow;
            });
  unsigned atOnce = rowsAtOnce();
  for (auto [run, column] : llvm::enumerate(tile.columns)) {
    SmallVector<Values> ofRun = constants;
    loadAll(ofRun, tile.rows.front(), column, [](const RunOperand &operand) {
      return operand.byColumn && !operand.byRow;
    });
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
        body(run, row, values[row - first]);
    }
  }
}

Value RunOperands::at(ArrayRef<Values> values, unsigned operand,
                      int64_t element) {
  const Values &here = values[operand];
  return here.size() == 1 ? here.front() : here[element];
}

Value RunOperands::accumulator(unsigned run, unsigned row, int64_t element,
                               int64_t size, ArrayRef<Values> values) {
  Value sum = tile.sums[row][run * tile.run + element];
  auto subtract = [&](Value a, Value b) {
    sum = code.create<arith::SubIOp>(sum, code.create<arith::MulIOp>(a, b));
  };
  if (lhsZero)
    subtract(at(values, *lhsZero, element), at(values, *rhsSums, element));
  if (rhsZero)
    subtract(at(values, *rhsZero, element), tile.rowSums[row]);
  if (lhsZero && rhsZero)
    subtract(code.create<arith::MulIOp>(at(values, *lhsZero, element),
                                        at(values, *rhsZero, element)),
             code.i32(-size));
  return sum;
}
