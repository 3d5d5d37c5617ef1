//===- Movement.cpp - Ops that move elements ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Movement.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

static RankedTensorType resultType(OpImporter &n) {
  return dyn_cast<RankedTensorType>(n.op->getResult(0).getType());
}

//===----------------------------------------------------------------------===//
// Broadcasts
//===----------------------------------------------------------------------===//

LogicalResult stablehlo::importBroadcast(OpImporter &n) {
  FailureOr<SmallVector<int64_t>> sizes = n.ints("broadcast_sizes");
  if (failed(sizes))
    return failure();
  Shape shape = n.shape(*sizes);
  llvm::append_range(shape, n.in(0).shape);
  return n.set(broadcastTo(n, n.in(0), shape));
}

LogicalResult stablehlo::importBroadcastInDim(OpImporter &n) {
  GraphValue &x = n.in(0);
  RankedTensorType type = resultType(n);
  if (!type)
    return n.refuse() << "has a result without a rank; give it one";
  auto dims = n.dimensions("broadcast_dimensions", type.getRank());
  if (failed(dims))
    return failure();
  if (static_cast<int64_t>(dims->size()) != x.rank())
    return n.refuse() << "names " << dims->size()
                      << " dimensions for an operand that has " << x.rank()
                      << "; correct the attribute";
  Shape shape;
  if (n.numOperands() == 2) { // dynamic_broadcast_in_dim
    auto sizes = n.integers(1, "the shape of its result");
    if (failed(sizes))
      return failure();
    shape = Shape(*sizes);
  } else {
    if (!type.hasStaticShape())
      return n.refuse() << "has a result of unknown sizes; use "
                           "dynamic_broadcast_in_dim";
    shape = n.shape(type.getShape());
  }
  FailureOr<Shape> declared = n.declared(0, shape);
  if (failed(declared))
    return failure();
  SmallVector<AffineExpr> exprs;
  bool isIdentity = x.rank() == type.getRank();
  for (auto [i, d] : llvm::enumerate(*dims)) {
    std::optional<int64_t> from = knownSize(x.shape[i]),
                           to = knownSize((*declared)[d]);
    bool repeats = from == 1 && to != 1;
    if (from && to && *from != *to && !repeats)
      return n.refuse() << "repeats a dimension of size " << *from << " to "
                        << *to << ", which only one of size 1 can be; correct "
                        << "the program";
    isIdentity &= static_cast<int64_t>(i) == d && !repeats;
    exprs.push_back(repeats ? n.b.getAffineConstantExpr(0)
                            : n.b.getAffineDimExpr(d));
  }
  if (isIdentity)
    return n.set(x);
  // A known number as the only element of a shape.
  if (x.rank() == 0 && type.getRank() == 1 && knownSize((*declared)[0]) == 1 &&
      n.knowsIntegers(x)) {
    GraphValue line = x;
    line.shape = *declared;
    line.value = nullptr;
    line.constant = nullptr;
    return n.set(line);
  }
  // Equal elements are one constant, whatever their shape.
  auto dense = dyn_cast_or_null<DenseElementsAttr>(x.constant);
  auto sizes = knownSizes(*declared);
  if (dense && dense.isSplat() && sizes)
    return n.set(Constants::toValue(
        n.b, dense.resizeSplat(RankedTensorType::get(*sizes, x.element))));
  return n.set(
      broadcastTo(n, x, *declared,
                  AffineMap::get(type.getRank(), 0, exprs, n.b.getContext())));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult stablehlo::importReshape(OpImporter &n) {
  GraphValue &x = n.in(0);
  RankedTensorType type = resultType(n);
  if (!type)
    return n.refuse() << "has a result without a rank; give it one";
  Shape shape;
  if (n.numOperands() == 2) { // dynamic_reshape
    auto sizes = n.integers(1, "the shape of its result");
    if (failed(sizes))
      return failure();
    FailureOr<Shape> declared = n.declared(0, Shape(*sizes));
    if (failed(declared))
      return failure();
    shape = *declared;
  } else {
    if (!type.hasStaticShape())
      return n.refuse() << "has a result of unknown sizes; use dynamic_reshape";
    shape = n.shape(type.getShape());
  }
  auto from = knownSizes(x.shape), to = knownSizes(shape);
  if (from && to &&
      ShapedType::getNumElements(*from) != ShapedType::getNumElements(*to))
    return n.refuse() << "has another number of elements than its operand; "
                         "correct the shapes";
  if (to && n.knowsIntegers(x)) {
    GraphValue same = x;
    same.shape = shape;
    same.value = nullptr;
    same.constant = nullptr;
    return n.set(same);
  }
  return n.set(reshape(n, x, shape));
}

LogicalResult stablehlo::importGetDimensionSize(OpImporter &n) {
  FailureOr<int64_t> dim = n.integer("dimension", 0);
  if (failed(dim))
    return failure();
  if (*dim < 0 || *dim >= n.in(0).rank())
    return n.refuse() << "names dimension " << *dim
                      << ", which its operand does not have; correct the "
                         "attribute";
  GraphValue size;
  size.element = n.b.getI32Type();
  size.integers = {n.in(0).shape[*dim]};
  return n.set(size);
}

LogicalResult stablehlo::importSetDimensionSize(OpImporter &n) {
  GraphValue &x = n.in(0), &size = n.in(1);
  FailureOr<int64_t> dim = n.integer("dimension", 0);
  if (failed(dim))
    return failure();
  if (*dim < 0 || *dim >= x.rank())
    return n.refuse() << "names dimension " << *dim
                      << ", which its operand does not have; correct the "
                         "attribute";
  bool isKnown = n.knowsIntegers(size) && size.integers->size() == 1;
  std::optional<int64_t> to =
      isKnown ? knownSize(size.integers->front()) : std::nullopt;
  if (!to || to != knownSize(x.shape[*dim]))
    return n.refuse() << "gives a tensor a size that only data decide, which "
                         "is not supported; let the result have the size of "
                         "the operand, and return the number of elements";
  return n.set(x);
}

LogicalResult stablehlo::importTranspose(OpImporter &n) {
  GraphValue &x = n.in(0);
  auto order = n.dimensions("permutation", x.rank());
  if (failed(order))
    return failure();
  if (static_cast<int64_t>(order->size()) != x.rank())
    return n.refuse() << "permutes " << order->size()
                      << " dimensions of an operand that has " << x.rank()
                      << "; correct the attribute";
  return n.set(transpose(n, x, *order));
}

LogicalResult stablehlo::importConcatenate(OpImporter &n) {
  FailureOr<int64_t> dim = n.integer("dimension", 0);
  if (failed(dim))
    return failure();
  if (n.numOperands() == 0 || *dim < 0 || *dim >= n.in(0).rank())
    return n.refuse() << "joins along dimension " << *dim
                      << ", which its operands do not have; correct the "
                         "attribute";
  SmallVector<GraphValue *> values;
  for (unsigned i = 0; i < n.numOperands(); ++i)
    values.push_back(&n.in(i));
  auto joined = concat(n, values, *dim);
  return failed(joined) ? failure() : n.set(*joined);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<OpFoldResult>>
stablehlo::readSizes(OpImporter &n, StringRef name, unsigned operand,
                     size_t count, int64_t absent) {
  if (n.numOperands() > operand) {
    auto known = n.integers(operand, "sizes");
    if (failed(known) || known->size() == count)
      return known;
    return n.refuse() << "has " << known->size() << " numbers in operand "
                      << operand << " where its operands ask for " << count
                      << "; correct the program";
  }
  auto numbers = n.ints(name, count, absent);
  if (failed(numbers))
    return failure();
  return SmallVector<OpFoldResult>(n.shape(*numbers));
}

LogicalResult stablehlo::importSlice(OpImporter &n) {
  GraphValue &x = n.in(0);
  int64_t rank = x.rank();
  auto starts = readSizes(n, "start_indices", 1, rank, 0);
  auto limits = readSizes(n, "limit_indices", 2, rank, 0);
  auto steps = readSizes(n, "strides", 3, rank, 0);
  if (failed(starts) || failed(limits) || failed(steps))
    return failure();
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> strides;
  for (int64_t d = 0; d < rank; ++d) {
    std::optional<int64_t> stride = knownSize((*steps)[d]);
    if (!stride || *stride < 1)
      return n.refuse() << "has a stride that is not a constant of at least 1, "
                           "which is not supported; correct the program";
    std::optional<int64_t> start = knownSize((*starts)[d]),
                           limit = knownSize((*limits)[d]),
                           size = knownSize(x.shape[d]);
    if ((start && *start < 0) || (start && limit && *start > *limit) ||
        (limit && size && *limit > *size))
      return n.refuse() << "takes elements " << start.value_or(0) << " to "
                        << limit.value_or(-1) << " of a dimension of "
                        << size.value_or(-1) << "; correct the program";
    strides.push_back(*stride);
    sizes.push_back(
        n.ceilDiv(n.sub((*limits)[d], (*starts)[d]), n.size(*stride)));
  }
  auto known = knownSizes(x.shape), first = knownSizes(*starts),
       counts = knownSizes(sizes);
  if (known && first && counts && rank == 1)
    if (std::optional<GraphValue> integers =
            moveIntegers(n, x, {0}, *first, *counts, strides))
      return n.set(*integers);
  return n.set(slice(n, x, *starts, sizes, strides));
}

LogicalResult stablehlo::importReverse(OpImporter &n) {
  GraphValue &x = n.in(0);
  auto dims = n.dimensions("dimensions", x.rank());
  if (failed(dims))
    return failure();
  return n.set(reverse(n, x, *dims));
}

GraphValue stablehlo::reverse(GraphBuilder &n, GraphValue &x,
                              ArrayRef<int64_t> dims) {
  SmallVector<Value> last(x.rank());
  for (int64_t d : dims)
    last[d] = n.index(n.sub(x.shape[d], n.size(1)));
  return gather(n, x, x.shape, [&](Scalars &s, ValueRange i) {
    SmallVector<Value> place(i);
    for (int64_t d : dims)
      place[d] = s.sub(last[d], i[d]);
    return place;
  });
}

/// `x` with `gap` elements of `value` between neighbours.
static GraphValue spread(GraphBuilder &n, GraphValue &x, ArrayRef<int64_t> gaps,
                         Value value) {
  if (llvm::all_of(gaps, [](int64_t gap) { return gap == 0; }))
    return x;
  Shape shape;
  SmallVector<int64_t> strides;
  for (auto [size, gap] : llvm::zip_equal(x.shape, gaps)) {
    // size + (size - 1) * gap, and 0 for no elements.
    OpFoldResult wide = n.sub(n.mul(size, n.size(gap + 1)), n.size(gap));
    shape.push_back(gap == 0 ? size : n.max(wide, n.size(0)));
    strides.push_back(gap + 1);
  }
  // A slice of no elements may not begin behind the end.
  if (llvm::is_contained(llvm::map_range(x.shape, knownSize), 0))
    return toGraphValue(filledWith(n, value, shape), shape);
  SmallVector<OpFoldResult> starts(x.rank(), n.size(0));
  return toGraphValue(
      insertSlice(n, filledWith(n, value, shape), x, starts, strides), shape);
}

OpFoldResult stablehlo::countWindows(GraphBuilder &n, OpFoldResult size,
                                     OpFoldResult kernel, int64_t stride,
                                     int64_t dilation) {
  OpFoldResult extent =
      n.add(n.mul(n.sub(kernel, n.size(1)), n.size(dilation)), n.size(1));
  std::optional<int64_t> known = knownSize(size), needed = knownSize(extent);
  if (known && knownSize(kernel) == 0)
    return n.size(*known / stride);
  if (known && needed && *known < *needed)
    return n.size(0);
  return n.add(n.floorDiv(n.sub(size, extent), n.size(stride)), n.size(1));
}

GraphValue stablehlo::padAll(GraphBuilder &n, GraphValue &x, const Shape &low,
                             const Shape &high, ArrayRef<int64_t> interior,
                             Value value) {
  GraphValue wide = spread(n, x, interior, value);
  SmallVector<OpFoldResult> starts, sizes, before, after;
  OpFoldResult zero = n.size(0);
  auto cutOf = [&](OpFoldResult amount) {
    return n.isNeverNegative(amount) ? zero : n.max(n.sub(zero, amount), zero);
  };
  for (int64_t d = 0; d < x.rank(); ++d) {
    starts.push_back(cutOf(low[d]));
    sizes.push_back(n.sub(wide.shape[d], n.add(starts.back(), cutOf(high[d]))));
    before.push_back(n.max(low[d], zero));
    after.push_back(n.max(high[d], zero));
  }
  GraphValue cut =
      slice(n, wide, starts, sizes, SmallVector<int64_t>(x.rank(), 1));
  return pad(n, cut, before, after, value);
}

LogicalResult stablehlo::importPad(OpImporter &n) {
  GraphValue &x = n.in(0);
  if (n.in(1).rank() != 0)
    return n.refuse() << "pads with a tensor that has dimensions; use one "
                         "without";
  SmallVector<Shape> amounts;
  static constexpr StringLiteral kNames[] = {
      "edge_padding_low", "edge_padding_high", "interior_padding"};
  for (auto [i, name] : llvm::enumerate(kNames)) {
    auto found = readSizes(n, name, 2 + i, x.rank(), 0);
    if (failed(found))
      return failure();
    amounts.emplace_back(*found);
  }
  auto gaps = knownSizes(amounts[2]);
  if (!gaps)
    return n.refuse() << "pads between elements by amounts that are not "
                         "constant, which is not supported; give the program "
                         "constant sizes";
  for (int64_t d = 0; d < x.rank(); ++d) {
    std::optional<int64_t> size = knownSize(x.shape[d]);
    int64_t gap = (*gaps)[d];
    if (gap < 0)
      return n.refuse() << "has negative interior padding; correct it";
    if (!size)
      continue;
    int64_t wide = *size == 0 ? 0 : *size + (*size - 1) * gap;
    int64_t cut = std::max<int64_t>(-knownSize(amounts[0][d]).value_or(0), 0) +
                  std::max<int64_t>(-knownSize(amounts[1][d]).value_or(0), 0);
    if (cut > wide)
      return n.refuse() << "removes " << cut << " of " << wide
                        << " elements of a dimension; correct the program";
  }
  return n.set(
      padAll(n, x, amounts[0], amounts[1], *gaps, scalarOf(n, n.in(1))));
}

SmallVector<Value> stablehlo::indicesOf(GraphBuilder &n, Value number,
                                        ArrayRef<Value> sizes) {
  SmallVector<Value> at(sizes.size());
  for (int64_t d = sizes.size() - 1; d > 0; --d) {
    at[d] = arith::RemUIOp::create(n.b, n.loc, number, sizes[d]);
    number = arith::DivUIOp::create(n.b, n.loc, number, sizes[d]);
  }
  if (!at.empty())
    at[0] = number;
  return at;
}

Value stablehlo::forEach(GraphBuilder &n, const Shape &shape, Value start,
                         llvm::function_ref<Value(ValueRange, Value)> body) {
  OpFoldResult count = n.product(SmallVector<OpFoldResult>(shape));
  SmallVector<Value> sizes;
  for (OpFoldResult size : shape)
    sizes.push_back(n.index(size));
  SmallVector<Value> ends = repeat(
      n, count, start,
      [&](Value i, ValueRange carried) -> FailureOr<SmallVector<Value>> {
        return SmallVector<Value>{body(indicesOf(n, i, sizes), carried[0])};
      });
  return ends[0];
}
