//===- GroupChain.cpp - Chains over groups of K ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupChain.h"
#include "RunOperands.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

/// The number of a result of a tile among all of them, row by row.
static int64_t numberOf(const FragmentTile &tile, unsigned run, unsigned row,
                        int64_t element) {
  return (row * tile.columns.size() + run) * tile.run + element;
}

SmallVector<Value> qcc::nvptx::initialTotals(ScalarCode &code, ContractOp op,
                                             const FragmentTile &tile) {
  Value zero = arith::ConstantOp::create(code.rewriter, code.loc,
                                         code.rewriter.getF32FloatAttr(0));
  SmallVector<Value> totals(tile.rows.size() * tile.columns.size() * tile.run,
                            zero);
  if (!op.getInit())
    return totals;
  RunOperands operands(code, op, tile);
  unsigned init = operands.add(op.getInit(), op.getInitMap());
  operands.forEachRow([&](unsigned run, unsigned row, auto values) {
    for (int64_t element = 0; element < tile.run; ++element)
      totals[numberOf(tile, run, row, element)] =
          RunOperands::at(values, init, element);
  });
  return totals;
}

void qcc::nvptx::addGroup(ScalarCode &code, ContractOp op, FragmentTile tile,
                          Value group, MutableArrayRef<Value> totals) {
  for (Point &row : tile.rows)
    row[op.getReductionDims().front()] = group;
  RunOperands operands(code, op, tile);
  operands.addZeroPoints();
  SmallVector<unsigned> ofGroup;
  for (auto [operand, map] :
       llvm::zip_equal(op.getGroupOperands(), op.getGroupMaps()))
    ofGroup.push_back(operands.add(operand, map));
  int64_t size = op.getReductionSize() / op.getReductionSizes().front();
  operands.forEachRow([&](unsigned run, unsigned row, auto values) {
    for (int64_t element = 0; element < tile.run; ++element) {
      Value &total = totals[numberOf(tile, run, row, element)];
      SmallVector<Value> arguments{
          operands.accumulator(run, row, element, size, values), total};
      for (unsigned operand : ofGroup)
        arguments.push_back(RunOperands::at(values, operand, element));
      total = code.inlineRegion(op.getGroupEpilogue(), arguments).front();
    }
  });
}

void qcc::nvptx::setTotals(FragmentTile &tile, ArrayRef<Value> totals) {
  int64_t ofRow = tile.columns.size() * tile.run;
  assert(int64_t(totals.size()) == int64_t(tile.rows.size()) * ofRow &&
         "a total for each result");
  tile.sums.clear();
  tile.rowSums.clear();
  for (; !totals.empty(); totals = totals.drop_front(ofRow))
    tile.sums.emplace_back(totals.take_front(ofRow));
}
