//===- InitialAccumulators.cpp - Initial accumulators ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InitialAccumulators.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

InitialAccumulators::Term InitialAccumulators::once(const Term &term) {
  auto known = std::make_shared<std::map<std::pair<int64_t, int64_t>, Value>>();
  Term result = term;
  result.emit = [term, known](int64_t i, int64_t j) {
    Value &value = (*known)[{term.onRow ? i : 0, term.onColumn ? j : 0}];
    if (!value)
      value = term.emit(i, j);
    return value;
  };
  return result;
}

InitialAccumulators::Term
InitialAccumulators::operand(Value memref, AffineMap map, int64_t shift) {
  if (!memref)
    return once(
        {false, false, [=](int64_t, int64_t) { return builder.splat(shift); }});
  Term term;
  const auto &roles = contraction.roles;
  term.onRow = roles.m && map.isFunctionOfDim(*roles.m);
  term.onColumn = map.isFunctionOfDim(roles.n);
  term.emit = [=](int64_t i, int64_t j) -> Value {
    Value value = readVector(builder.rewriter, builder.loc, memref, map,
                             tile.at(builder, contraction, i, j));
    if (shift == 0)
      return value;
    return arith::AddIOp::create(builder.rewriter, builder.loc, value,
                                 builder.splat(shift));
  };
  return once(term);
}

InitialAccumulators::Term InitialAccumulators::product(const Term &a,
                                                       const Term &b) {
  return once({a.onRow || b.onRow, a.onColumn || b.onColumn,
               [=](int64_t i, int64_t j) -> Value {
                 return arith::MulIOp::create(builder.rewriter, builder.loc,
                                              a.emit(i, j), b.emit(i, j));
               }});
}

Value InitialAccumulators::apply(Value sum, const Term &term, int64_t i,
                                 int64_t j) {
  Value value = term.emit(i, j);
  if (!sum && !term.isNegative)
    return value;
  if (!sum)
    sum = builder.splat(0);
  if (term.isNegative)
    return arith::SubIOp::create(builder.rewriter, builder.loc, sum, value);
  return arith::AddIOp::create(builder.rewriter, builder.loc, sum, value);
}

/// Sums of rows that are prepared.
static InitialAccumulators::Term rowSums(KernelBuilder &builder, LhsRows &rows,
                                         const Tile &tile) {
  Value row = tile.row, group = tile.group;
  return {true, false,
          [&builder, &rows, row, group](int64_t i, int64_t) -> Value {
            return vector::BroadcastOp::create(
                builder.rewriter, builder.loc, builder.accumulatorType(),
                rows.rowSum(builder.add(row, i), group));
          }};
}

InitialAccumulators::Term qcc::x86::columnSums(KernelBuilder &builder,
                                               Contraction &contraction,
                                               const Tile &tile) {
  return {false, true, [&builder, &contraction, tile](int64_t, int64_t j) {
            SmallVector<Value> at(tile.batch);
            if (tile.group)
              at.push_back(tile.group);
            at.push_back(builder.add(builder.mul(tile.column, contraction.nr),
                                     j * builder.lanes));
            return vector::LoadOp::create(builder.rewriter, builder.loc,
                                          builder.accumulatorType(),
                                          contraction.op.getRhsSums(), at)
                .getResult();
          }};
}

InitialAccumulators::InitialAccumulators(KernelBuilder &builder,
                                         Contraction &contraction,
                                         LhsRows &rows, ColumnProducts *columns,
                                         const Tile &tile)
    : InitialAccumulators(builder, contraction, tile,
                          rowSums(builder, rows, tile),
                          columnSums(builder, contraction, tile)) {
  if (!contraction.atom.hasPairs())
    return;
  terms.push_back(once({false, true, [this, columns](int64_t, int64_t j) {
                          return columns->load(this->tile, j);
                        }}));
  terms.push_back(
      once({true, false, [this, &rows](int64_t i, int64_t) -> Value {
              return vector::BroadcastOp::create(
                  this->builder.rewriter, this->builder.loc,
                  this->builder.accumulatorType(),
                  rows.rowProduct(this->builder.add(this->tile.row, i)));
            }}));
}

InitialAccumulators::InitialAccumulators(KernelBuilder &builder,
                                         Contraction &contraction,
                                         const Tile &tile, const Term &lhsSums,
                                         const Term &rhsSums)
    : builder(builder), contraction(contraction), tile(tile) {
  addTerms(lhsSums, rhsSums);
  parts = {sumOf(false, true), sumOf(true, false), sumOf(true, true)};
}

void InitialAccumulators::addTerms(const Term &lhsSums, const Term &rhsSums) {
  kernel::ContractOp op = contraction.op;
  Value zl = op.getLhsZeroPoint(), zr = op.getRhsZeroPoint();
  bool hasLeft = contraction.needsColumnSums(),
       hasRight = contraction.needsRowSums();
  Term left = operand(zl, zl ? op.getLhsZeroPointMap() : AffineMap(),
                      contraction.layout.lhsShift);
  Term right = operand(zr, zr ? op.getRhsZeroPointMap() : AffineMap(),
                       contraction.layout.rhsShift);
  if (op.getInit() && !op.hasGroups())
    terms.push_back(operand(op.getInit(), op.getInitMap()));
  if (hasLeft) {
    terms.push_back(product(left, once(rhsSums)));
    terms.back().isNegative = true;
  }
  if (hasRight) {
    terms.push_back(product(right, once(lhsSums)));
    terms.back().isNegative = true;
  }
  if (hasLeft && hasRight)
    terms.push_back(
        product(product(left, right), operand({}, {}, contraction.sumSize())));
}

InitialAccumulators::Term InitialAccumulators::sumOf(bool onRow,
                                                     bool onColumn) {
  auto belongs = [=](const Term &term) {
    return term.onRow == onRow && (!onRow || term.onColumn == onColumn);
  };
  return once({onRow, onColumn, [=](int64_t i, int64_t j) {
                 Value sum;
                 for (const Term &term : terms)
                   if (belongs(term))
                     sum = apply(sum, term, i, j);
                 return sum;
               }});
}

Value InitialAccumulators::emit(int64_t i, int64_t j) {
  Value sum;
  for (const Term &part : parts) {
    Value value = part.emit(i, j);
    if (!value)
      continue;
    sum = sum ? arith::AddIOp::create(builder.rewriter, builder.loc, sum, value)
                    .getResult()
              : value;
  }
  return sum;
}
