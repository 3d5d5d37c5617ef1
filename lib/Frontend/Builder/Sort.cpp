//===- Sort.cpp - Elements in order ---------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sort.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::frontend;

using Iterator = utils::IteratorType;

FailureOr<GraphValue> frontend::orderKeys(GraphBuilder &n, GraphValue &x) {
  if (!x.isFloat())
    return x.isUnsigned() ? convert(n, x, n.b.getI32Type())
                          : FailureOr<GraphValue>(x);
  Type wide = x.element.isF64() ? x.element : Type(n.b.getF32Type());
  FailureOr<GraphValue> real = convert(n, x, wide);
  if (failed(real))
    return failure();
  unsigned width = wide.getIntOrFloatBitWidth();
  Type word = n.b.getIntegerType(width);
  return elementwise(
      n, {&*real}, word, [&](Scalars &s, ValueRange args) -> Value {
        // The sum makes one zero of two.
        Value v = s.add(args[0], s.constant(wide, 0));
        Value bits = arith::BitcastOp::create(s.b, s.loc, word, v);
        auto integer = [&](const APInt &value) -> Value {
          return arith::ConstantOp::create(s.b, s.loc,
                                           s.b.getIntegerAttr(word, value));
        };
        // Negative floats are ordered against their bits.
        Value magnitude = integer(APInt::getSignedMaxValue(width));
        Value turned = arith::XOrIOp::create(s.b, s.loc, bits, magnitude);
        Value key = s.select(s.less(bits, s.constant(word, 0)), turned, bits);
        Value isNaN =
            arith::CmpFOp::create(s.b, s.loc, arith::CmpFPredicate::UNO, v, v);
        return s.select(isNaN, magnitude, key);
      });
}

GraphValue frontend::findRanks(GraphBuilder &n, ArrayRef<GraphValue *> values,
                               int64_t axis, IsBefore isBefore) {
  int64_t rank = values.front()->rank();
  SmallVector<AffineExpr> exprs;
  for (int64_t d = 0; d < rank; ++d)
    exprs.push_back(n.b.getAffineDimExpr(d));
  AffineMap self = AffineMap::get(rank + 1, 0, exprs, n.b.getContext());
  exprs[axis] = n.b.getAffineDimExpr(rank);
  AffineMap other = AffineMap::get(rank + 1, 0, exprs, n.b.getContext());
  SmallVector<Iterator> iterators(rank, Iterator::parallel);
  iterators.push_back(Iterator::reduction);
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (AffineMap map : {self, other})
    for (GraphValue *value : values) {
      tensors.push_back(n.tensor(*value));
      maps.push_back(map);
    }
  maps.push_back(self);
  Type word = n.b.getI32Type();
  const Shape &shape = values.front()->shape;
  return toGraphValue(
      generic(n, tensors, filled(n, word, shape, 0), maps, iterators,
              [&](Scalars &s, ValueRange args) -> Value {
                ValueRange mine = args.take_front(values.size()),
                           its = args.slice(values.size(), values.size());
                Value i = linalg::IndexOp::create(s.b, s.loc, axis),
                      j = linalg::IndexOp::create(s.b, s.loc, rank);
                Value isAfter = isBefore(s, mine, its);
                Value isNotAfter = arith::XOrIOp::create(
                    s.b, s.loc, isAfter, s.constant(s.b.getI1Type(), 1));
                Value isTie =
                    arith::AndIOp::create(s.b, s.loc, isNotAfter, s.less(j, i));
                Value comes = arith::OrIOp::create(
                    s.b, s.loc, isBefore(s, its, mine), isTie);
                return s.add(args.back(),
                             arith::ExtUIOp::create(s.b, s.loc, word, comes));
              }),
      shape);
}

GraphValue frontend::findPlaces(GraphBuilder &n, GraphValue &ranks,
                                int64_t axis, OpFoldResult count) {
  int64_t rank = ranks.rank();
  SmallVector<AffineExpr> exprs;
  for (int64_t d = 0; d < rank; ++d)
    exprs.push_back(n.b.getAffineDimExpr(d));
  AffineMap write = AffineMap::get(rank + 1, 0, exprs, n.b.getContext());
  exprs[axis] = n.b.getAffineDimExpr(rank);
  AffineMap read = AffineMap::get(rank + 1, 0, exprs, n.b.getContext());
  SmallVector<Iterator> iterators(rank, Iterator::parallel);
  iterators.push_back(Iterator::reduction);
  Shape shape = ranks.shape;
  shape[axis] = count;
  Type word = n.b.getI32Type();
  return toGraphValue(
      generic(
          n, n.tensor(ranks), filled(n, word, shape, 0), {read, write},
          iterators,
          [&](Scalars &s, ValueRange args) -> Value {
            Value wanted = arith::IndexCastOp::create(
                s.b, s.loc, word, linalg::IndexOp::create(s.b, s.loc, axis));
            Value place = arith::IndexCastOp::create(
                s.b, s.loc, word, linalg::IndexOp::create(s.b, s.loc, rank));
            return s.add(args[1], s.select(s.equal(args[0], wanted), place,
                                           s.constant(word, 0)));
          }),
      shape);
}

GraphValue frontend::takePlaces(GraphBuilder &n, GraphValue &x,
                                GraphValue &places, int64_t axis) {
  Value from = n.tensor(places);
  return gather(n, x, places.shape, [&](Scalars &s, ValueRange at) {
    SmallVector<Value> indices(at);
    indices[axis] = arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(),
                                               s.extract(from, at));
    return indices;
  });
}
