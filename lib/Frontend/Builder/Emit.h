//===- Emit.h - MLIR that several ops are made of ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_BUILDER_EMIT_H
#define QCC_LIB_FRONTEND_BUILDER_EMIT_H

#include "GraphBuilder.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

namespace qcc::frontend {

using mlir::AffineExpr;
using mlir::AffineMap;
using mlir::ArrayRef;
using mlir::FailureOr;
using mlir::OpFoldResult;
using mlir::SmallVector;
using mlir::Value;
using mlir::ValueRange;

/// Makes scalars of scalars. Every op it makes has one location.
class Scalars {
public:
  Scalars(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  Value constant(mlir::Type type, double value);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  /// Of integers: rounded towards 0.
  Value div(Value x, Value y);
  /// NaN if an operand is NaN.
  Value max(Value x, Value y);
  Value min(Value x, Value y);
  Value neg(Value x) { return sub(constant(x.getType(), -0.0), x); }
  Value exp(Value x);
  Value log(Value x);
  Value sqrt(Value x);
  Value abs(Value x);
  /// 1 / (1 + exp(-x))
  Value sigmoid(Value x);
  /// Ordered, or signed, comparisons; i1.
  Value less(Value x, Value y);
  Value equal(Value x, Value y);
  /// Whether a float is a NaN, or a number.
  Value isNaN(Value x);
  Value isOrdered(Value x);
  Value select(Value condition, Value x, Value y);
  /// An element of a tensor.
  Value extract(Value tensor, ValueRange indices);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

using ScalarBody = llvm::function_ref<Value(Scalars &, ValueRange)>;
using ScalarsBody =
    llvm::function_ref<SmallVector<Value>(Scalars &, ValueRange)>;

/// A value of tensor type as a GraphValue.
GraphValue toGraphValue(Value value, const Shape &shape);
/// The same with the sizes of its type; others are asked of the tensor.
GraphValue toGraphValue(mlir::OpBuilder &b, Value tensor);

/// The element of a value without dimensions; a constant if that is known.
Value scalarOf(GraphBuilder &n, GraphValue &x);

/// A tensor of one scalar, or of one constant.
Value filledWith(GraphBuilder &n, Value scalar, const Shape &shape);
Value filled(GraphBuilder &n, mlir::Type element, const Shape &shape,
             double value);
/// A constant tensor of float32.
Value constantFloats(GraphBuilder &n, ArrayRef<float> values,
                     ArrayRef<int64_t> shape);

/// The more informative of two sizes that must be equal: a constant, otherwise
/// the size of an input. The entry checks that the sizes are equal.
OpFoldResult simpler(OpFoldResult x, OpFoldResult y);
/// The shape of elementwise results: dimensions are aligned at the end, and a
/// size 1 is repeated. A dynamic size that is a quotient of sizes is repeated
/// by `repeatOnes` where it turns out to be 1; where another dynamic size meets
/// a size, the entry asks for equal ones. Refuses shapes that do not fit.
FailureOr<Shape> broadcast(GraphBuilder &n, ArrayRef<const Shape *> shapes);
/// An operand with the sizes of `result` in those dimensions whose size is a
/// quotient of sizes: its elements, or the one that it has if it turns out to
/// have only one. The entry checks that it is one or the other.
GraphValue repeatOnes(GraphBuilder &n, GraphValue &x, const Shape &result);
/// The indexing map of an operand of `shape` in loops over `result`. The
/// dimensions of the operand are the last ones of the result.
AffineMap broadcastMap(GraphBuilder &n, const Shape &shape,
                       const Shape &result);

/// Computes `body` for every element; operands are broadcast.
FailureOr<GraphValue> elementwise(GraphBuilder &n,
                                  ArrayRef<GraphValue *> operands,
                                  mlir::Type element, ScalarBody body);
/// The value, repeated to `shape`; `map` reads it.
GraphValue broadcastTo(GraphBuilder &n, GraphValue &value, const Shape &shape,
                       AffineMap map);
/// The value, broadcast to `shape`.
GraphValue broadcastTo(GraphBuilder &n, GraphValue &value, const Shape &shape);

/// A linalg.generic: `maps` are those of the inputs and of `inits`, `body` gets
/// elements of the inputs and the accumulators, and computes the new ones.
SmallVector<Value> generics(GraphBuilder &n, ValueRange inputs,
                            ValueRange inits, ArrayRef<AffineMap> maps,
                            ArrayRef<mlir::utils::IteratorType> iterators,
                            ScalarsBody body);
/// The same with one result.
Value generic(GraphBuilder &n, ValueRange inputs, Value init,
              ArrayRef<AffineMap> maps,
              ArrayRef<mlir::utils::IteratorType> iterators, ScalarBody body);

/// A tensor: `body` computes each element from its indices.
Value tabulate(GraphBuilder &n, const Shape &shape, mlir::Type element,
               ScalarBody body);

/// `combine(accumulator, of(element))` over the dimensions `dims`, which the
/// result does not have, from `start`.
GraphValue reduce(GraphBuilder &n, GraphValue &x, ArrayRef<int64_t> dims,
                  double start, ScalarBody combine,
                  llvm::function_ref<Value(Scalars &, Value)> of = nullptr);

/// The elements divided by a number of elements, in their type.
FailureOr<GraphValue> divideBySize(GraphBuilder &n, GraphValue &x,
                                   OpFoldResult count);

/// The elements of `x` at computed positions: `place` gets the indices of an
/// element of the result, and returns an index for each dimension of `x`.
GraphValue
gather(GraphBuilder &n, GraphValue &x, const Shape &shape,
       llvm::function_ref<SmallVector<Value>(Scalars &, ValueRange)> place);

/// The integers of `x` in another order, if the integer evaluator knows `x`:
/// dimension d of the result has `counts[d]` elements, which are elements
/// `starts[d]`, `starts[d]` + `steps[d]`, ... of dimension `order[d]` of `x`.
std::optional<GraphValue> moveIntegers(GraphBuilder &n, GraphValue &x,
                                       ArrayRef<int64_t> order,
                                       ArrayRef<int64_t> starts,
                                       ArrayRef<int64_t> counts,
                                       ArrayRef<int64_t> steps);

GraphValue transpose(GraphBuilder &n, GraphValue &x,
                     ArrayRef<int64_t> permutation);
/// The same elements in another shape; the number of them is the same.
GraphValue reshape(GraphBuilder &n, GraphValue &x, const Shape &shape);
/// The value with `shape` as its sizes. The entry asks callers for sizes that
/// the value does not have by its type.
GraphValue assumeSizes(GraphBuilder &n, GraphValue &x, const Shape &shape);
/// Adds dimensions of size 1, which are dimensions `dims` of the result.
GraphValue unsqueeze(GraphBuilder &n, GraphValue &x, ArrayRef<int64_t> dims);
/// Removes dimensions of size 1.
GraphValue squeeze(GraphBuilder &n, GraphValue &x, ArrayRef<int64_t> dims);
/// Adds `low` and `high` elements of `value` along each dimension.
GraphValue pad(GraphBuilder &n, GraphValue &x, ArrayRef<OpFoldResult> low,
               ArrayRef<OpFoldResult> high, Value value);
/// The slice of `sizes` at `offsets`, with strides of at least 1.
GraphValue slice(GraphBuilder &n, GraphValue &x, ArrayRef<OpFoldResult> offsets,
                 ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> strides);

/// `x` with `part` at `starts`, with steps of `strides`, or of 1.
Value insertSlice(GraphBuilder &n, Value x, GraphValue &part,
                  ArrayRef<OpFoldResult> starts,
                  ArrayRef<int64_t> strides = {});
/// Values side by side along `axis`; refuses other sizes that do not agree.
FailureOr<GraphValue> concat(GraphBuilder &n, ArrayRef<GraphValue *> values,
                             int64_t axis);

/// A loop over `count` iterations that carries tensors; gives the last ones.
/// Constants that `body` reads have to be tensors already.
SmallVector<Value> repeat(
    GraphBuilder &n, OpFoldResult count, ValueRange start,
    llvm::function_ref<FailureOr<SmallVector<Value>>(Value, ValueRange)> body);

/// x - trunc(x / y) * y of floats, exactly, with the sign of x; NaN for an
/// infinite x and for y = 0.
Value floatRemainder(Scalars &s, Value x, Value y);

/// The type that elements have in linalg: signless where `type` is unsigned.
mlir::Type signless(mlir::Type type);
/// An element of type `from` in type `to`. Integers are truncated, or extended
/// by their sign or by zeros; a float is rounded to nearest even, or towards 0
/// and saturated where it becomes an integer; NaN becomes 0.
/// Signless integers are signed.
Value convertScalar(Scalars &s, Value x, mlir::Type from, mlir::Type to);

/// All elements of `x` up to each one along `axis`, combined one after the
/// other from the scalar `start`; from the last one on if it is reverse, and
/// without the element itself if it is exclusive.
FailureOr<GraphValue> accumulate(GraphBuilder &n, GraphValue &x, int64_t axis,
                                 Value start, bool isReverse, bool isExclusive,
                                 ScalarBody combine);

/// The value in another element type: exact, or rounded once, or truncated
/// towards 0 and saturated. Refuses pairs of types without a conversion.
FailureOr<GraphValue> convert(GraphBuilder &n, GraphValue &x,
                              mlir::Type element);

/// The bits of a value of uint8, as int8; and a value of uint8 of these bits.
/// Entries have uint8, ops do not.
FailureOr<GraphValue> bitsOfBytes(GraphBuilder &n, GraphValue &bytes);
FailureOr<GraphValue> bytesOfBits(GraphBuilder &n, GraphValue &bits);

} // namespace qcc::frontend

#endif // QCC_LIB_FRONTEND_BUILDER_EMIT_H
