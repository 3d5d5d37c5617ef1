//===- EmitMovement.cpp - Movement of elements ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "Emit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Utils/ConstantData.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::frontend;

std::optional<GraphValue> frontend::moveIntegers(GraphBuilder &n, GraphValue &x,
                                                 ArrayRef<int64_t> order,
                                                 ArrayRef<int64_t> starts,
                                                 ArrayRef<int64_t> counts,
                                                 ArrayRef<int64_t> steps) {
  if (!n.knowsIntegers(x))
    return std::nullopt;
  int64_t rank = x.rank();
  SmallVector<int64_t> strides(rank, 1), index(rank, 0);
  for (int64_t d = rank - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * *knownSize(x.shape[d + 1]);
  GraphValue result;
  result.element = x.element;
  result.shape = n.shape(counts);
  result.integers.emplace();
  int64_t elements = 1;
  for (int64_t count : counts)
    elements *= count;
  for (int64_t i = 0; i < elements; ++i) {
    int64_t place = 0;
    for (int64_t d = 0; d < rank; ++d)
      place += (starts[d] + index[d] * steps[d]) * strides[order[d]];
    result.integers->push_back((*x.integers)[place]);
    for (int64_t d = rank - 1; d >= 0 && ++index[d] == counts[d]; --d)
      index[d] = 0;
  }
  return result;
}

GraphValue frontend::transpose(GraphBuilder &n, GraphValue &x,
                               ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, x.rank())))
    return x;
  TypedAttr constant = x.constant;
  if (x.value && !constant)
    matchPattern(x.value, m_Constant(&constant));
  if (TypedAttr moved =
          constant ? n.transposed(constant, permutation) : TypedAttr())
    return Constants::toValue(n.b, moved);
  Shape shape;
  for (int64_t d : permutation)
    shape.push_back(x.shape[d]);
  Value init = tensor::EmptyOp::create(
      n.b, n.loc, ArrayRef<OpFoldResult>(shape), x.element);
  Value result =
      linalg::TransposeOp::create(n.b, n.loc, n.tensor(x), init, permutation)
          ->getResult(0);
  return toGraphValue(result, shape);
}

//===----------------------------------------------------------------------===//
// Reshaping
//===----------------------------------------------------------------------===//

static bool isSameProduct(const SizeProduct &x, const SizeProduct &y) {
  auto sorted = [](const SizeProduct &product) {
    auto ids = llvm::map_to_vector(product.others, [](OpFoldResult size) {
      return size.getOpaqueValue();
    });
    llvm::sort(ids);
    return ids;
  };
  return x.constant == y.constant && sorted(x) == sorted(y);
}

namespace {
/// Dimensions of two shapes that have as many elements.
struct Group {
  SmallVector<int64_t> from, to;
};
} // namespace

/// The finest groups of neighbouring dimensions with equal products; nothing
/// if sizes that are not known do not allow to find them.
static std::optional<SmallVector<Group>> findGroups(const Shape &from,
                                                    const Shape &to) {
  SmallVector<Group> groups;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Group group;
    SizeProduct a, b;
    auto take = [](const Shape &shape, size_t &next, SizeProduct &product,
                   SmallVector<int64_t> &dims) {
      product.multiply(shape[next]);
      dims.push_back(next++);
    };
    if (i < from.size())
      take(from, i, a, group.from);
    if (j < to.size())
      take(to, j, b, group.to);
    while (!isSameProduct(a, b)) {
      bool growsFrom = a.others.size() < b.others.size() ||
                       (a.others.size() == b.others.size() &&
                        std::abs(a.constant) < std::abs(b.constant));
      if (growsFrom ? i == from.size() : j == to.size())
        growsFrom = !growsFrom;
      if (growsFrom && i < from.size())
        take(from, i, a, group.from);
      else if (!growsFrom && j < to.size())
        take(to, j, b, group.to);
      else
        return std::nullopt;
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

/// Groups with a dimension on both sides: one without joins its neighbour.
static SmallVector<Group> joinEmpty(ArrayRef<Group> groups) {
  SmallVector<Group> joined;
  for (const Group &group : groups) {
    bool joins = !joined.empty() &&
                 (group.from.empty() || group.to.empty() ||
                  joined.back().from.empty() || joined.back().to.empty());
    if (!joins) {
      joined.push_back(group);
      continue;
    }
    llvm::append_range(joined.back().from, group.from);
    llvm::append_range(joined.back().to, group.to);
  }
  return joined;
}

/// From a value to one with a dimension for each group.
static Value collapse(GraphBuilder &n, GraphValue &x, const Shape &middle,
                      ArrayRef<ReassociationIndices> groups) {
  if (static_cast<int64_t>(middle.size()) == x.rank())
    return n.tensor(x);
  return tensor::CollapseShapeOp::create(n.b, n.loc, n.type(x.element, middle),
                                         n.tensor(x), groups);
}

static Value expand(GraphBuilder &n, Value x, const Shape &shape,
                    ArrayRef<ReassociationIndices> groups) {
  auto type = cast<RankedTensorType>(x.getType());
  if (static_cast<int64_t>(shape.size()) == type.getRank())
    return x;
  return tensor::ExpandShapeOp::create(
      n.b, n.loc, n.type(type.getElementType(), shape), x, groups, shape);
}

/// The same tensor with other sizes known in its type.
static Value castTo(GraphBuilder &n, Value x, RankedTensorType type) {
  if (x.getType() == type)
    return x;
  return tensor::CastOp::create(n.b, n.loc, type, x);
}

/// A line of `size` elements, which callers are asked for: an expansion is
/// checked.
static Value castToLine(GraphBuilder &n, Value x, OpFoldResult size) {
  Type element = cast<RankedTensorType>(x.getType()).getElementType();
  if (knownSize(size))
    return castTo(n, x, n.type(element, {size}));
  SmallVector<ReassociationIndices> both{{0, 1}};
  Value column =
      expand(n, castTo(n, x, n.type(element, {size})), {size, n.size(1)}, both);
  return tensor::CollapseShapeOp::create(n.b, n.loc, n.type(element, {size}),
                                         column, both);
}

static bool isEmpty(const Shape &shape) {
  return llvm::is_contained(llvm::map_range(shape, knownSize), 0);
}

static bool hasSameSizes(const Shape &a, const Shape &b) {
  return ArrayRef<OpFoldResult>(a) == ArrayRef<OpFoldResult>(b);
}

GraphValue frontend::assumeSizes(GraphBuilder &n, GraphValue &x,
                                 const Shape &shape) {
  if (hasSameSizes(x.shape, shape))
    return x;
  return toGraphValue(castTo(n, n.tensor(x), n.type(x.element, shape)), shape);
}

GraphValue frontend::reshape(GraphBuilder &n, GraphValue &x,
                             const Shape &shape) {
  if (hasSameSizes(x.shape, shape))
    return x;
  // A constant keeps its bytes.
  if (x.constant && knownSizes(shape)) {
    TypedAttr attr = retypeConstant(x.constant, n.type(x.element, shape));
    if (attr)
      return Constants::toValue(n.b, attr);
  }
  // A product of sizes of which one is 0 is known, unlike the size of a group
  // of dimensions. MLIR has no numbers of unsigned types.
  if (isEmpty(x.shape) && isEmpty(shape) && !x.element.isUnsignedInteger())
    return toGraphValue(filled(n, x.element, shape, 0.0), shape);
  if (shape.empty() && !knownSizes(x.shape)) {
    GraphValue one = assumeSizes(n, x, Shape(x.shape.size(), n.size(1)));
    return reshape(n, one, shape);
  }
  SmallVector<Group> groups;
  auto found = findGroups(x.shape, shape);
  if (found) {
    groups = joinEmpty(*found);
  } else {
    Group all;
    all.from = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
    all.to = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
    groups.push_back(all);
  }
  SmallVector<ReassociationIndices> before, after;
  Shape from, to; // with a dimension for each group
  auto sizesOf = [&](const Shape &all, ArrayRef<int64_t> dims) {
    SmallVector<OpFoldResult> sizes;
    for (int64_t d : dims)
      sizes.push_back(all[d]);
    return n.product(sizes);
  };
  for (const Group &group : groups) {
    if (group.from.empty() || group.to.empty())
      continue; // All of it are ones on the other side.
    before.emplace_back(group.from.begin(), group.from.end());
    after.emplace_back(group.to.begin(), group.to.end());
    from.push_back(sizesOf(x.shape, group.from));
    to.push_back(sizesOf(shape, group.to));
  }
  Value collapsed = collapse(n, x, from, before);
  Value middle = !found && to.size() == 1 && shape.size() == 1
                     ? castToLine(n, collapsed, to[0])
                     : castTo(n, collapsed, n.type(x.element, to));
  return toGraphValue(expand(n, middle, shape, after), shape);
}

GraphValue frontend::unsqueeze(GraphBuilder &n, GraphValue &x,
                               ArrayRef<int64_t> dims) {
  Shape shape(x.shape.size() + dims.size());
  for (int64_t d : dims)
    shape[d] = n.size(1);
  auto next = x.shape.begin();
  for (OpFoldResult &size : shape)
    if (!size)
      size = *next++;
  return reshape(n, x, shape);
}

GraphValue frontend::squeeze(GraphBuilder &n, GraphValue &x,
                             ArrayRef<int64_t> dims) {
  Shape shape;
  for (auto [d, size] : llvm::enumerate(x.shape))
    if (!llvm::is_contained(dims, static_cast<int64_t>(d)))
      shape.push_back(size);
  return reshape(n, x, shape);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

GraphValue frontend::pad(GraphBuilder &n, GraphValue &x,
                         ArrayRef<OpFoldResult> low,
                         ArrayRef<OpFoldResult> high, Value value) {
  Shape shape;
  for (auto [size, before, after] : llvm::zip_equal(x.shape, low, high))
    shape.push_back(n.add(n.add(size, before), after));
  if (hasSameSizes(x.shape, shape))
    return x;
  return toGraphValue(tensor::PadOp::create(n.b, n.loc,
                                            n.type(x.element, shape),
                                            n.tensor(x), low, high, value),
                      shape);
}

GraphValue frontend::slice(GraphBuilder &n, GraphValue &x,
                           ArrayRef<OpFoldResult> offsets,
                           ArrayRef<OpFoldResult> sizes,
                           ArrayRef<int64_t> strides) {
  Shape shape(sizes);
  if (hasSameSizes(x.shape, shape))
    return x;
  // MLIR takes nothing of what has no elements. It has no numbers of unsigned
  // types.
  if (isEmpty(x.shape) && !x.element.isUnsignedInteger())
    return toGraphValue(filled(n, x.element, shape, 0.0), shape);
  SmallVector<OpFoldResult> steps, starts(offsets);
  for (int64_t stride : strides)
    steps.push_back(n.size(stride));
  // Nothing can be taken from anywhere, also from behind the end.
  for (auto [start, size] : llvm::zip_equal(starts, sizes))
    if (knownSize(size) == 0)
      start = n.size(0);
  return toGraphValue(tensor::ExtractSliceOp::create(n.b, n.loc, n.tensor(x),
                                                     starts, sizes, steps),
                      shape);
}

Value frontend::insertSlice(GraphBuilder &n, Value x, GraphValue &part,
                            ArrayRef<OpFoldResult> starts,
                            ArrayRef<int64_t> strides) {
  SmallVector<OpFoldResult> steps(starts.size(), n.size(1));
  for (auto [step, stride] : llvm::zip(steps, strides))
    step = n.size(stride);
  return tensor::InsertSliceOp::create(n.b, n.loc, n.tensor(part), x, starts,
                                       part.shape, steps);
}

/// Integers of the evaluator one after the other, which are a value of `shape`,
/// if all of them are known.
static std::optional<GraphValue> concatIntegers(GraphBuilder &n,
                                                ArrayRef<GraphValue *> values,
                                                const Shape &shape) {
  GraphValue result;
  result.element = values.front()->element;
  result.shape = shape;
  result.integers.emplace();
  for (GraphValue *x : values) {
    if (!n.knowsIntegers(*x))
      return std::nullopt;
    llvm::append_range(*result.integers, *x->integers);
  }
  return result;
}

FailureOr<GraphValue>
frontend::concat(GraphBuilder &n, ArrayRef<GraphValue *> values, int64_t axis) {
  GraphValue &first = *values.front();
  Shape shape = first.shape;
  for (GraphValue *x : values.drop_front()) {
    bool fits = x->rank() == first.rank();
    for (int64_t d = 0; fits && d < x->rank(); ++d) {
      if (d == axis) {
        shape[d] = n.add(shape[d], x->shape[d]);
        continue;
      }
      std::optional<int64_t> a = knownSize(shape[d]),
                             b = knownSize(x->shape[d]);
      fits = !a || !b || *a == *b;
      shape[d] = simpler(shape[d], x->shape[d]);
    }
    if (!fits)
      return n.refuse() << "joins values of different sizes; only the sizes "
                           "along axis "
                        << axis << " may differ";
  }
  if (std::optional<GraphValue> integers =
          axis == 0 ? concatIntegers(n, values, shape) : std::nullopt)
    return *integers;
  if (values.size() == 1)
    return first;
  SmallVector<Value> tensors;
  for (GraphValue *x : values) {
    // What has no elements is nowhere in the result.
    if (knownSize(x->shape[axis]) == 0)
      continue;
    // All operands get the sizes that are known of one of them.
    Shape own = shape;
    own[axis] = x->shape[axis];
    tensors.push_back(castTo(n, n.tensor(*x), n.type(first.element, own)));
  }
  if (tensors.empty())
    return first;
  return toGraphValue(tensor::ConcatOp::create(n.b, n.loc,
                                               n.type(first.element, shape),
                                               axis, tensors),
                      shape);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> frontend::repeat(
    GraphBuilder &n, OpFoldResult count, ValueRange start,
    llvm::function_ref<FailureOr<SmallVector<Value>>(Value, ValueRange)> body) {
  GraphBuilder::Region region(n);
  Value zero = n.index(n.size(0)), one = n.index(n.size(1));
  bool ok = true;
  auto loop = scf::ForOp::create(
      n.b, n.loc, zero, n.index(count), one, start,
      [&](OpBuilder &b, Location loc, Value i, ValueRange carried) {
        FailureOr<SmallVector<Value>> next = body(i, carried);
        ok = succeeded(next);
        SmallVector<Value> values(carried);
        if (ok)
          for (auto [value, result] : llvm::zip_equal(values, *next))
            value = castTo(n, result, cast<RankedTensorType>(value.getType()));
        scf::YieldOp::create(b, loc, values);
      });
  return ok ? SmallVector<Value>(loop.getResults()) : SmallVector<Value>();
}

FailureOr<GraphValue> frontend::accumulate(GraphBuilder &n, GraphValue &x,
                                           int64_t axis, Value start,
                                           bool isReverse, bool isExclusive,
                                           ScalarBody combine) {
  Shape row = x.shape;
  row[axis] = n.size(1);
  (void)n.tensor(x);
  Value first = filledWith(n, start, row),
        all = filled(n, x.element, x.shape, 0.0),
        last = n.index(n.sub(x.shape[axis], n.size(1)));
  SmallVector<int64_t> steps(x.rank(), 1);
  auto step = [&](Value i,
                  ValueRange carried) -> FailureOr<SmallVector<Value>> {
    SmallVector<OpFoldResult> at(x.rank(), n.size(0));
    at[axis] = isReverse ? Scalars(n.b, n.loc).sub(last, i) : i;
    GraphValue sum = toGraphValue(carried[0], row);
    GraphValue part = slice(n, x, at, SmallVector<OpFoldResult>(row), steps);
    auto next = elementwise(n, {&sum, &part}, x.element, combine);
    if (failed(next))
      return failure();
    return SmallVector<Value>{
        n.tensor(*next),
        insertSlice(n, carried[1], isExclusive ? sum : *next, at)};
  };
  SmallVector<Value> ends = repeat(n, x.shape[axis], {first, all}, step);
  if (ends.empty())
    return failure();
  return toGraphValue(ends[1], x.shape);
}
