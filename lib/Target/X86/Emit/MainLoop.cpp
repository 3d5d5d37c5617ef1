//===- MainLoop.cpp - The accumulators of one register tile ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With u, s the stored elements and zu, zs the moved zero points (Atoms/Dot.h),
// exactly in wrapping i32,
//
//   sum (u - zu)(s - zs) = sum u s - zu sum s - zs sum u + K zu zs
//
// Only the first term takes a loop. The others and the initial value are known
// before it: the accumulators start from them. A term is emitted once for each
// row or column of the tile where it does not depend on the other.
//
//===----------------------------------------------------------------------===//

#include "MainLoop.h"
#include "../Atoms/Dot.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

namespace {
/// A vector of i32 for each vector of a tile.
struct Term {
  bool onRow = false, onColumn = false; // what it depends on
  std::function<Value(int64_t i, int64_t j)> emit;
  bool isNegative = false;
};

class InitialAccumulators {
public:
  InitialAccumulators(KernelBuilder &builder, Contraction &contraction,
                      LhsRows &rows, const Tile &tile)
      : builder(builder), contraction(contraction), rows(rows), tile(tile) {}

  SmallVector<Value> emit();

private:
  /// Emits a term once for each place where it differs.
  Term once(Term term);
  Term operand(Value memref, AffineMap map, int64_t shift = 0);
  Term product(Term a, Term b);
  Value apply(Value sum, const Term &term, int64_t i, int64_t j);

  KernelBuilder &builder;
  Contraction &contraction;
  LhsRows &rows;
  const Tile &tile;
};
} // namespace

Term InitialAccumulators::once(Term term) {
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

Term InitialAccumulators::operand(Value memref, AffineMap map, int64_t shift) {
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

Term InitialAccumulators::product(Term a, Term b) {
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

SmallVector<Value> InitialAccumulators::emit() {
  kernel::ContractOp op = contraction.op;
  Value zl = op.getLhsZeroPoint(), zr = op.getRhsZeroPoint();
  bool hasLeft = zl || contraction.lhsShift != 0,
       hasRight = zr || contraction.rhsShift != 0;
  Term left = operand(zl, zl ? op.getLhsZeroPointMap() : AffineMap(),
                      contraction.lhsShift);
  Term right = operand(zr, zr ? op.getRhsZeroPointMap() : AffineMap(),
                       contraction.rhsShift);
  SmallVector<Term> terms;
  if (op.getInit())
    terms.push_back(operand(op.getInit(), op.getInitMap()));
  if (hasLeft) {
    Term sums{false, true, [&](int64_t, int64_t j) -> Value {
                SmallVector<Value> at(tile.batch);
                at.push_back(
                    builder.add(builder.mul(tile.column, contraction.nr),
                                j * builder.lanes));
                return vector::LoadOp::create(builder.rewriter, builder.loc,
                                              builder.accumulatorType(),
                                              op.getRhsSums(), at);
              }};
    terms.push_back(product(left, once(sums)));
    terms.back().isNegative = true;
  }
  if (hasRight) {
    Term sums{true, false, [&](int64_t i, int64_t) -> Value {
                return vector::BroadcastOp::create(
                    builder.rewriter, builder.loc, builder.accumulatorType(),
                    rows.rowSum(builder.add(tile.row, i)));
              }};
    terms.push_back(product(right, once(sums)));
    terms.back().isNegative = true;
  }
  if (hasLeft && hasRight)
    terms.push_back(
        product(product(left, right), operand({}, {}, contraction.k)));

  // What depends on columns only and on rows only is summed up first.
  auto sumOf = [&](bool onRow, bool onColumn) {
    auto belongs = [=](const Term &term) {
      return term.onRow == onRow && (onRow ? term.onColumn == onColumn : true);
    };
    return once({onRow, onColumn, [=](int64_t i, int64_t j) {
                   Value sum;
                   for (const Term &term : terms)
                     if (belongs(term))
                       sum = apply(sum, term, i, j);
                   return sum;
                 }});
  };
  Term columns = sumOf(false, true), ofRow = sumOf(true, false),
       both = sumOf(true, true);
  SmallVector<Value> result;
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.vectors; ++j) {
      Value sum;
      for (const Term &part : {columns, ofRow, both}) {
        Value value = part.emit(i, j);
        if (!value)
          continue;
        sum = sum ? arith::AddIOp::create(builder.rewriter, builder.loc, sum,
                                          value)
                        .getResult()
                  : value;
      }
      result.push_back(sum ? sum : builder.splat(0));
    }
  return result;
}

SmallVector<Value> qcc::x86::emitInitialAccumulators(KernelBuilder &builder,
                                                     Contraction &contraction,
                                                     LhsRows &rows,
                                                     const Tile &tile) {
  return InitialAccumulators(builder, contraction, rows, tile).emit();
}

SmallVector<Value> qcc::x86::emitMainLoop(KernelBuilder &builder,
                                          Contraction &contraction,
                                          LhsRows &rows, const Tile &tile) {
  SmallVector<Value> initial =
      emitInitialAccumulators(builder, contraction, rows, tile);
  return rows.reduce(
      tile, initial,
      [&](Value word, function_ref<Value(int64_t)> left,
          ValueRange accumulators) {
        SmallVector<Value> right, next;
        for (int64_t j = 0; j < tile.vectors; ++j) {
          SmallVector<Value> at(tile.batch);
          at.append({tile.column, word, builder.index(j * builder.lanes)});
          right.push_back(vector::LoadOp::create(builder.rewriter, builder.loc,
                                                 builder.accumulatorType(),
                                                 contraction.op.getRhs(), at));
        }
        for (int64_t i = 0; i < tile.rows; ++i) {
          Value word = left(i);
          for (int64_t j = 0; j < tile.vectors; ++j)
            next.push_back(multiplyAccumulate(
                builder.rewriter, builder.loc, contraction.atom,
                accumulators[i * tile.vectors + j], word, right[j]));
        }
        return next;
      });
}
