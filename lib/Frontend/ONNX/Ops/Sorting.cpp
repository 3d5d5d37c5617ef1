//===- Sorting.cpp - TopK -------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../../Builder/Emit.h"
#include "../NodeImporter.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Iterator = utils::IteratorType;

/// An integer for each element, ordered as the elements: a NaN is more than
/// everything else, and zeros are equal.
static FailureOr<GraphValue> orderKeys(NodeImporter &n, GraphValue &x) {
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

/// How many elements along `axis` come before each element.
static GraphValue findRanks(NodeImporter &n, GraphValue &keys, int64_t axis,
                            bool isLargest) {
  int64_t rank = keys.rank();
  SmallVector<AffineExpr> exprs;
  for (int64_t d = 0; d < rank; ++d)
    exprs.push_back(n.b.getAffineDimExpr(d));
  AffineMap self = AffineMap::get(rank + 1, 0, exprs, n.b.getContext());
  exprs[axis] = n.b.getAffineDimExpr(rank);
  AffineMap other = AffineMap::get(rank + 1, 0, exprs, n.b.getContext());
  SmallVector<Iterator> iterators(rank, Iterator::parallel);
  iterators.push_back(Iterator::reduction);
  Value tensor = n.tensor(keys);
  Type word = n.b.getI32Type();
  return toGraphValue(
      generic(n, {tensor, tensor}, filled(n, word, keys.shape, 0),
              {self, other, self}, iterators,
              [&](Scalars &s, ValueRange args) -> Value {
                Value isBetter = isLargest ? s.less(args[0], args[1])
                                           : s.less(args[1], args[0]);
                // Of equal elements the first comes first.
                Value mine = linalg::IndexOp::create(s.b, s.loc, axis),
                      its = linalg::IndexOp::create(s.b, s.loc, rank);
                Value isTie = arith::AndIOp::create(
                    s.b, s.loc, s.equal(args[0], args[1]), s.less(its, mine));
                Value comes = arith::OrIOp::create(s.b, s.loc, isBetter, isTie);
                return s.add(args[2],
                             arith::ExtUIOp::create(s.b, s.loc, word, comes));
              }),
      keys.shape);
}

/// The places along `axis` of the elements of ranks 0 to `count` - 1.
static GraphValue findPlaces(NodeImporter &n, GraphValue &ranks, int64_t axis,
                             OpFoldResult count) {
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

LogicalResult onnx::importTopK(NodeImporter &n) {
  if (n.since < 10)
    return importOldTopK(n);
  GraphValue &x = n.in(0);
  FailureOr<int64_t> axis = n.axis(-1, x.rank());
  auto counts = n.integers(1, "how many elements it takes");
  if (failed(axis) || failed(counts))
    return failure();
  if (counts->size() != 1)
    return n.refuse() << "has a k that is not one number; correct it";
  OpFoldResult count = counts->front();
  std::optional<int64_t> k = knownSize(count), size = knownSize(x.shape[*axis]);
  if ((k && *k < 0) || (k && size && *k > *size))
    return n.refuse() << "takes " << *k << " of "
                      << (size ? std::to_string(*size) : "any number of")
                      << " elements; correct k";
  FailureOr<GraphValue> keys = orderKeys(n, x);
  if (failed(keys))
    return failure();
  GraphValue ranks = findRanks(n, *keys, *axis, n.getInt("largest", 1) != 0);
  GraphValue places = findPlaces(n, ranks, *axis, count);
  Value from = n.tensor(places);
  (void)n.set(0, gather(n, x, places.shape, [&](Scalars &s, ValueRange at) {
                SmallVector<Value> indices(at);
                indices[*axis] = arith::IndexCastOp::create(
                    s.b, s.loc, s.b.getIndexType(), s.extract(from, at));
                return indices;
              }));
  FailureOr<GraphValue> wide = convert(n, places, n.b.getI64Type());
  return failed(wide) ? failure() : n.set(1, *wide);
}
