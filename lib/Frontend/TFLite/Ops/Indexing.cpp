//===- Indexing.cpp - Elements at computed positions ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Sort.h"
#include "../Codes.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

LogicalResult tflite::importGather(OpImporter &n) {
  auto *options = n.options<fb::GatherOptions>(fb::OptionsType_Gather);
  if (!options)
    return failure();
  GraphValue &x = n.in(0), &indices = n.in(1);
  auto axis = n.axisOf(options->axis(), x.rank());
  if (failed(axis))
    return failure();
  int64_t batch = options->batch_dims();
  if (batch < 0)
    batch += indices.rank();
  if (batch < 0 || batch > *axis || batch > indices.rank() ||
      (!indices.element.isInteger(32) && !indices.element.isInteger(64)))
    return n.refuse() << "has " << batch
                      << " batch dimensions or indices that are not int32 or "
                         "int64; correct the model";
  // One known element of known integers.
  if (x.rank() == 1 && n.knowsIntegers(x) && n.knowsIntegers(indices)) {
    GraphValue result;
    result.element = x.element;
    result.shape = indices.shape;
    result.integers.emplace();
    bool isInside = true;
    for (OpFoldResult index : *indices.integers) {
      std::optional<int64_t> at = knownSize(index);
      isInside &=
          at && *at >= 0 && *at < static_cast<int64_t>(x.integers->size());
      if (isInside)
        result.integers->push_back((*x.integers)[*at]);
    }
    if (isInside)
      return n.set(result);
  }
  Shape shape(x.shape.begin(), x.shape.begin() + *axis);
  shape.append(indices.shape.begin() + batch, indices.shape.end());
  shape.append(x.shape.begin() + *axis + 1, x.shape.end());
  Value places = n.tensor(indices);
  OpFoldResult last = n.sub(x.shape[*axis], n.size(1));
  if (knownSize(x.shape[*axis]) == 0)
    return n.refuse() << "takes elements of a dimension that has none; correct "
                         "the model";
  Value most = n.index(last);
  int64_t inner = indices.rank() - batch;
  return n.set(gather(n, x, shape, [&](Scalars &s, ValueRange at) {
    SmallVector<Value> where(at.take_front(batch));
    llvm::append_range(where, at.slice(*axis, inner));
    Value index = arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(),
                                             s.extract(places, where));
    // Indices outside of the dimension are moved to its ends.
    index = s.min(s.max(index, s.constant(index.getType(), 0)), most);
    SmallVector<Value> from(at.take_front(*axis));
    from.push_back(index);
    llvm::append_range(from, at.drop_front(*axis + inner));
    return from;
  }));
}

/// An index of `at` in `indices`, moved to the ends of a dimension.
static Value readIndex(Scalars &s, Value indices, ValueRange at, Value last) {
  Value index = arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(),
                                           s.extract(indices, at));
  return s.min(s.max(index, s.constant(index.getType(), 0)), last);
}

/// How many dimensions the rows of operand `i` index, of a value of `shape`.
static FailureOr<int64_t> readDepth(OpImporter &n, unsigned i,
                                    const Shape &shape) {
  GraphValue &indices = n.in(i);
  std::optional<int64_t> depth;
  if (indices.rank() > 0)
    depth = knownSize(indices.shape.back());
  bool isInteger =
      indices.element.isInteger(32) || indices.element.isInteger(64);
  if (!depth || *depth < 0 || *depth > static_cast<int64_t>(shape.size()) ||
      !isInteger)
    return n.refuse() << "has indices of "
                      << n.type(indices.element, indices.shape)
                      << " for a value with " << shape.size()
                      << " dimensions; correct the model";
  for (OpFoldResult size : shape)
    if (knownSize(size) == 0)
      return n.refuse() << "indexes a value that has no elements; correct the "
                           "model";
  return *depth;
}

LogicalResult tflite::importGatherNd(OpImporter &n) {
  GraphValue &x = n.in(0), &indices = n.in(1);
  auto depth = readDepth(n, 1, x.shape);
  if (failed(depth))
    return failure();
  Shape shape(indices.shape.begin(), indices.shape.end() - 1);
  int64_t outer = shape.size();
  shape.append(x.shape.begin() + *depth, x.shape.end());
  Value places = n.tensor(indices);
  SmallVector<Value> last;
  for (int64_t d = 0; d < *depth; ++d)
    last.push_back(n.index(n.sub(x.shape[d], n.size(1))));
  return n.set(gather(n, x, shape, [&](Scalars &s, ValueRange at) {
    SmallVector<Value> from, row(at.take_front(outer));
    row.push_back(Value());
    for (int64_t d = 0; d < *depth; ++d) {
      row.back() = s.constant(s.b.getIndexType(), static_cast<double>(d));
      from.push_back(readIndex(s, places, row, last[d]));
    }
    llvm::append_range(from, at.drop_front(outer));
    return from;
  }));
}

/// SCATTER_ND: updates are added to zeros, one after the other; those outside
/// of the result are left out.
LogicalResult tflite::importScatterNd(OpImporter &n) {
  GraphValue &indices = n.in(0), &updates = n.in(1);
  auto sizes = n.integers(2, "its shape");
  if (failed(sizes))
    return failure();
  Shape shape(*sizes);
  for (OpFoldResult size : shape)
    if (int64_t known = knownSize(size).value_or(0);
        known < 0 || known > kMostSize)
      return n.refuse() << "has a shape with the size " << known
                        << "; correct the model";
  auto depth = readDepth(n, 0, shape);
  if (failed(depth))
    return failure();
  int64_t outer = indices.rank() - 1;
  Shape inner(shape.begin() + *depth, shape.end());
  bool fits = updates.rank() == outer + static_cast<int64_t>(inner.size());
  for (int64_t d = 0; fits && d < updates.rank(); ++d) {
    auto size = knownSize(updates.shape[d]),
         wanted = knownSize(d < outer ? indices.shape[d] : inner[d - outer]);
    fits = !size || !wanted || *size == *wanted;
  }
  if (!fits)
    return n.refuse() << "has updates of "
                      << n.type(updates.element, updates.shape)
                      << ", which do not fit its indices and its shape; "
                         "correct the model";
  OpFoldResult count = n.product(SmallVector<OpFoldResult>(
      indices.shape.begin(), indices.shape.end() - 1));
  Shape rows{count, n.size(*depth)}, parts{count};
  llvm::append_range(parts, inner);
  GraphValue lines = reshape(n, indices, rows),
             pieces = reshape(n, updates, parts);
  Value places = n.tensor(lines);
  (void)n.tensor(pieces);
  Scalars s(n.b, n.loc);
  SmallVector<Value> last;
  for (int64_t d = 0; d < *depth; ++d)
    last.push_back(n.index(n.sub(shape[d], n.size(1))));
  auto step = [&](Value i,
                  ValueRange carried) -> FailureOr<SmallVector<Value>> {
    Shape part(*depth, n.size(1)), from{i}, one{n.size(1)};
    llvm::append_range(part, inner);
    llvm::append_range(one, inner);
    from.append(inner.size(), n.size(0));
    SmallVector<OpFoldResult> at;
    Value isInside = s.constant(n.b.getI1Type(), 1);
    for (int64_t d = 0; d < *depth; ++d) {
      Value row[] = {i, s.constant(n.b.getIndexType(), static_cast<double>(d))};
      Value moved = readIndex(s, places, row, last[d]);
      Value index = arith::IndexCastOp::create(n.b, n.loc, n.b.getIndexType(),
                                               s.extract(places, row));
      isInside =
          arith::AndIOp::create(n.b, n.loc, isInside, s.equal(moved, index));
      at.push_back(moved);
    }
    at.append(inner.size(), n.size(0));
    SmallVector<int64_t> ones(shape.size(), 1), steps(one.size(), 1);
    GraphValue all = toGraphValue(carried[0], shape);
    GraphValue old = slice(n, all, at, SmallVector<OpFoldResult>(part), ones);
    GraphValue piece =
        slice(n, pieces, from, SmallVector<OpFoldResult>(one), steps);
    GraphValue update = reshape(n, piece, part);
    auto sum = elementwise(n, {&old, &update}, updates.element,
                           [&](Scalars &s, ValueRange x) {
                             return s.select(isInside, s.add(x[0], x[1]), x[0]);
                           });
    if (failed(sum))
      return failure();
    return SmallVector<Value>{insertSlice(n, carried[0], *sum, at)};
  };
  SmallVector<Value> ends =
      repeat(n, count, filled(n, updates.element, shape, 0.0), step);
  return ends.empty() ? failure() : n.set(toGraphValue(ends[0], shape));
}

LogicalResult tflite::importDynamicUpdateSlice(OpImporter &n) {
  GraphValue &x = n.in(0), &update = n.in(1), &starts = n.in(2);
  bool fits = update.element == x.element && update.rank() == x.rank() &&
              starts.rank() == 1 && knownSize(starts.shape[0]) == x.rank() &&
              (starts.element.isInteger(32) || starts.element.isInteger(64));
  for (int64_t d = 0; fits && d < x.rank(); ++d) {
    auto size = knownSize(update.shape[d]), all = knownSize(x.shape[d]);
    fits = !size || !all || *size <= *all;
  }
  if (!fits)
    return n.refuse() << "puts " << n.type(update.element, update.shape)
                      << " into " << n.type(x.element, x.shape)
                      << ", where it does not fit; correct the model";
  Value places = n.tensor(starts);
  Scalars s(n.b, n.loc);
  SmallVector<OpFoldResult> at;
  for (int64_t d = 0; d < x.rank(); ++d) {
    Value d0 = s.constant(n.b.getIndexType(), static_cast<double>(d));
    Value last = n.index(n.sub(x.shape[d], update.shape[d]));
    at.push_back(readIndex(s, places, {d0}, last));
  }
  return n.set(toGraphValue(insertSlice(n, n.tensor(x), update, at), x.shape));
}

/// The greatest elements of each row, and their positions.
LogicalResult tflite::importTopK(OpImporter &n) {
  GraphValue &x = n.in(0);
  auto count = n.constants(1, "its number of elements");
  if (failed(count))
    return failure();
  std::optional<int64_t> size =
      x.rank() > 0 ? knownSize(x.shape.back()) : std::nullopt;
  if (count->size() != 1 || n.numResults() != 2 || x.rank() == 0 ||
      count->front() < 0 || (size && count->front() > *size))
    return n.refuse() << "takes more elements of its rows than they have, or "
                         "has not two results; correct the model";
  auto keys = orderKeys(n, x);
  if (failed(keys))
    return failure();
  int64_t axis = x.rank() - 1;
  GraphValue ranks =
      findRanks(n, {&*keys}, axis, [](Scalars &s, ValueRange a, ValueRange b) {
        return s.less(b[0], a[0]);
      });
  GraphValue places = findPlaces(n, ranks, axis, n.size(count->front()));
  if (failed(n.set(0, takePlaces(n, x, places, axis))))
    return failure();
  return n.set(1, places);
}
