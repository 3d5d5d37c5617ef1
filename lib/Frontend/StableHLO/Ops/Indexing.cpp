//===- Indexing.cpp - Ops that read and write at computed places ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Body.h"
#include "../Ops.h"
#include "../ScalarOps.h"
#include "Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

/// An element of declared type `type` as an index. No tensor has the elements
/// that unsigned numbers beyond the range of an index name.
static Value toIndex(Scalars &s, Value element, Type type) {
  Type index = s.b.getIndexType();
  if (isUnsigned(type)) {
    if (type.getIntOrFloatBitWidth() == 64)
      element = arith::MinUIOp::create(
          s.b, s.loc, element,
          arith::ConstantIntOp::create(s.b, s.loc, element.getType(),
                                       std::numeric_limits<int64_t>::max()));
    return arith::IndexCastUIOp::create(s.b, s.loc, index, element);
  }
  return arith::IndexCastOp::create(s.b, s.loc, index, element);
}

static Value clampIndex(Scalars &s, Value index, Value last) {
  return s.min(s.max(index, s.constant(index.getType(), 0)), last);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Where a slice of `sizes` begins in `x`: operands from `first` on, each one
/// number, clamped so that the slice fits.
static FailureOr<SmallVector<OpFoldResult>>
readStarts(OpImporter &n, GraphValue &x, unsigned first, const Shape &sizes) {
  if (n.numOperands() != first + x.rank())
    return n.refuse() << "has " << n.numOperands() - first << " indices for "
                      << x.rank() << " dimensions; correct the program";
  SmallVector<OpFoldResult> starts;
  Scalars s(n.b, n.loc);
  for (int64_t d = 0; d < x.rank(); ++d) {
    unsigned i = first + d;
    if (n.in(i).rank() != 0)
      return n.refuse() << "has an index with dimensions; use tensors without";
    OpFoldResult last = n.max(n.sub(x.shape[d], sizes[d]), n.size(0));
    if (n.knowsIntegers(n.in(i)) && n.in(i).integers->size() == 1) {
      starts.push_back(
          n.min(n.max(n.in(i).integers->front(), n.size(0)), last));
      continue;
    }
    Value index = toIndex(s, s.extract(n.value(i), {}), n.elementOf(i));
    starts.push_back(clampIndex(s, index, n.index(last)));
  }
  return starts;
}

static LogicalResult verifyFits(OpImporter &n, GraphValue &x,
                                const Shape &sizes) {
  for (auto [size, whole] : llvm::zip_equal(sizes, x.shape)) {
    std::optional<int64_t> part = knownSize(size), all = knownSize(whole);
    if (part && (*part < 0 || (all && *part > *all)))
      return n.refuse() << "takes " << *part << " of "
                        << (all ? std::to_string(*all) : "?")
                        << " elements; correct the sizes";
  }
  return success();
}

LogicalResult stablehlo::importDynamicSlice(OpImporter &n) {
  GraphValue &x = n.in(0);
  auto sizes = n.ints("slice_sizes", x.rank(), 0);
  if (failed(sizes))
    return failure();
  Shape shape = n.shape(*sizes);
  if (failed(verifyFits(n, x, shape)))
    return failure();
  auto starts = readStarts(n, x, 1, shape);
  if (failed(starts))
    return failure();
  return n.set(slice(n, x, *starts, SmallVector<OpFoldResult>(shape),
                     SmallVector<int64_t>(x.rank(), 1)));
}

LogicalResult stablehlo::importDynamicUpdateSlice(OpImporter &n) {
  GraphValue &x = n.in(0), &update = n.in(1);
  if (update.rank() != x.rank())
    return n.refuse() << "updates " << x.rank() << " dimensions with "
                      << update.rank() << "; correct the program";
  if (failed(verifyFits(n, x, update.shape)))
    return failure();
  auto starts = readStarts(n, x, 2, update.shape);
  if (failed(starts))
    return failure();
  if (llvm::any_of(update.shape,
                   [](OpFoldResult size) { return knownSize(size) == 0; }))
    return n.set(x);
  return n.set(
      toGraphValue(insertSlice(n, n.tensor(x), update, *starts), x.shape));
}

//===----------------------------------------------------------------------===//
// gather and scatter
//===----------------------------------------------------------------------===//

namespace {
/// How indices and windows of gather and scatter correspond to dimensions of
/// the tensor that is read or written, which is called the whole here.
struct Places {
  /// Dimensions of the result (gather) or the updates (scatter) that run over
  /// a window.
  SmallVector<int64_t> window;
  /// Dimensions of the whole that windows do not have: of size 1 there.
  SmallVector<int64_t> dropped;
  /// Dimensions of the whole, and of the indices, that go together.
  SmallVector<int64_t> batch, indicesBatch;
  /// The dimension of the whole that each number of an index vector is of.
  SmallVector<int64_t> indexed;
  int64_t vectorDim = 0;
  Shape windowSizes; ///< Of each dimension of the whole.
};
} // namespace

static LogicalResult verifyPlaces(OpImporter &n, const Places &p,
                                  GraphValue &whole, GraphValue &indices,
                                  int64_t otherRank) {
  auto areIn = [](ArrayRef<int64_t> dims, int64_t rank) {
    return llvm::all_of(dims, [&](int64_t d) { return d >= 0 && d < rank; });
  };
  int64_t batchDims = otherRank - static_cast<int64_t>(p.window.size());
  int64_t vector = p.vectorDim == indices.rank() ? 1
                   : p.vectorDim >= 0 && p.vectorDim < indices.rank()
                       ? knownSize(indices.shape[p.vectorDim]).value_or(-1)
                       : -1;
  bool hasVector = p.vectorDim < indices.rank();
  bool fits = areIn(p.window, otherRank) && areIn(p.dropped, whole.rank()) &&
              areIn(p.batch, whole.rank()) &&
              areIn(p.indicesBatch, indices.rank()) &&
              areIn(p.indexed, whole.rank()) &&
              p.batch.size() == p.indicesBatch.size() &&
              vector == static_cast<int64_t>(p.indexed.size()) &&
              batchDims == indices.rank() - (hasVector ? 1 : 0) &&
              static_cast<int64_t>(p.window.size() + p.dropped.size() +
                                   p.batch.size()) == whole.rank() &&
              static_cast<int64_t>(p.windowSizes.size()) == whole.rank();
  if (fits)
    return success();
  return n.refuse() << "has dimension numbers that do not fit its operands; "
                       "correct the program";
}

/// The place in the whole that indices `at` of the result or the updates stand
/// for: its start, which is not clamped, and the distance from there.
static void placeOf(Scalars &s, OpImporter &n, const Places &p,
                    GraphValue &whole, Value indices, Type indexType,
                    int64_t indicesRank, ValueRange at,
                    SmallVector<Value> &starts, SmallVector<Value> &offsets) {
  SmallVector<Value> vector; // position in the indices
  for (auto [d, index] : llvm::enumerate(at))
    if (!llvm::is_contained(p.window, static_cast<int64_t>(d)))
      vector.push_back(index);
  Value zero = s.constant(s.b.getIndexType(), 0);
  if (p.vectorDim < indicesRank)
    vector.insert(vector.begin() + p.vectorDim, zero);
  starts.assign(whole.rank(), zero);
  offsets.assign(whole.rank(), zero);
  for (auto [i, d] : llvm::enumerate(p.indexed)) {
    if (p.vectorDim < indicesRank)
      vector[p.vectorDim] = s.constant(s.b.getIndexType(), i);
    starts[d] = toIndex(s, s.extract(indices, vector), indexType);
  }
  for (auto [d, from] : llvm::zip_equal(p.batch, p.indicesBatch))
    offsets[d] = vector[from];
  auto window = p.window.begin();
  for (int64_t d = 0; d < whole.rank(); ++d)
    if (!llvm::is_contained(p.dropped, d) && !llvm::is_contained(p.batch, d))
      offsets[d] = at[*window++];
}

/// The number of the first element of a window of `sizes` along a dimension of
/// `x`, clamped so that the window, which is not larger than `x`, fits.
static OpFoldResult clampStart(OpImporter &n, GraphValue &x, int64_t d,
                               OpFoldResult start, OpFoldResult size) {
  OpFoldResult first = n.max(start, n.size(0));
  return knownSize(first) == 0 ? first : n.min(first, n.sub(x.shape[d], size));
}

/// A gather of one window from a known position, such as x[1:], as a slice.
static std::optional<GraphValue> sliceWindow(OpImporter &n, const Places &p,
                                             GraphValue &x,
                                             GraphValue &indices) {
  bool isOne = indices.rank() == 1 && p.vectorDim == 0 && p.batch.empty() &&
               p.dropped.size() + p.window.size() == size_t(x.rank()) &&
               llvm::is_sorted(p.window);
  if (!isOne || !n.knowsIntegers(indices))
    return std::nullopt;
  SmallVector<OpFoldResult> starts(x.rank(), n.size(0));
  for (auto [d, start] : llvm::zip_equal(p.indexed, *indices.integers))
    starts[d] = clampStart(n, x, d, start, p.windowSizes[d]);
  GraphValue window =
      slice(n, x, starts, SmallVector<OpFoldResult>(p.windowSizes),
            SmallVector<int64_t>(x.rank(), 1));
  return squeeze(n, window, p.dropped);
}

LogicalResult stablehlo::importGather(OpImporter &n) {
  GraphValue &x = n.in(0), &indices = n.in(1);
  auto fields = n.fields("dimension_numbers");
  // dynamic_gather has sizes as its last operand.
  auto sizes = readSizes(n, "slice_sizes", 2, x.rank(), 1);
  auto type = dyn_cast<RankedTensorType>(n.op->getResult(0).getType());
  if (failed(fields) || failed(sizes) || !type)
    return failure();
  auto number = [&](StringRef name) {
    ArrayRef<int64_t> list = (*fields)[name];
    return list.empty() ? 0 : list.front();
  };
  Places p{(*fields)["offset_dims"],
           (*fields)["collapsed_slice_dims"],
           (*fields)["operand_batching_dims"],
           (*fields)["start_indices_batching_dims"],
           (*fields)["start_index_map"],
           number("index_vector_dim"),
           Shape(*sizes)};
  if (failed(verifyPlaces(n, p, x, indices, type.getRank())) ||
      failed(verifyFits(n, x, p.windowSizes)))
    return failure();
  if (std::optional<GraphValue> window = sliceWindow(n, p, x, indices))
    return n.set(*window);
  // The shape: dimensions of the indices, and of the window between them.
  Shape shape, batch;
  for (int64_t d = 0; d < indices.rank(); ++d)
    if (d != p.vectorDim)
      batch.push_back(indices.shape[d]);
  Shape windowSizes;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (!llvm::is_contained(p.dropped, d) && !llvm::is_contained(p.batch, d))
      windowSizes.push_back((*sizes)[d]);
  auto nextBatch = batch.begin();
  auto nextWindow = windowSizes.begin();
  for (int64_t d = 0; d < type.getRank(); ++d)
    shape.push_back(llvm::is_contained(p.window, d) ? *nextWindow++
                                                    : *nextBatch++);
  Value table = n.tensor(indices);
  SmallVector<Value> last;
  for (int64_t d = 0; d < x.rank(); ++d)
    last.push_back(n.index(n.sub(x.shape[d], (*sizes)[d])));
  Type indexType = n.elementOf(1);
  return n.set(gather(n, x, shape, [&](Scalars &s, ValueRange at) {
    SmallVector<Value> starts, offsets;
    placeOf(s, n, p, x, table, indexType, indices.rank(), at, starts, offsets);
    for (int64_t d : p.indexed)
      starts[d] = clampIndex(s, starts[d], last[d]);
    for (auto [start, offset] : llvm::zip_equal(starts, offsets))
      start = s.add(start, offset);
    return starts;
  }));
}

LogicalResult stablehlo::importScatter(OpImporter &n) {
  if (n.numOperands() != 3)
    return n.refuse() << "updates several tensors at once, which is not "
                         "supported; use a scatter for each";
  GraphValue &x = n.in(0), &indices = n.in(1), &updates = n.in(2);
  auto fields = n.fields("scatter_dimension_numbers");
  if (failed(fields))
    return failure();
  ArrayRef<int64_t> vectorDim = (*fields)["index_vector_dim"];
  Places p{(*fields)["update_window_dims"],
           (*fields)["inserted_window_dims"],
           (*fields)["input_batching_dims"],
           (*fields)["scatter_indices_batching_dims"],
           (*fields)["scatter_dims_to_operand_dims"],
           vectorDim.empty() ? 0 : vectorDim.front(),
           Shape(x.rank(), n.size(1))};
  if (failed(verifyPlaces(n, p, x, indices, updates.rank())))
    return failure();
  auto body = Body::get(n, {x.element, updates.element}, 1);
  if (failed(body))
    return failure();
  // The last start of a window that is inside.
  SmallVector<Value> last;
  auto window = p.window.begin();
  for (int64_t d = 0; d < x.rank(); ++d) {
    bool has =
        !llvm::is_contained(p.dropped, d) && !llvm::is_contained(p.batch, d);
    OpFoldResult size = has ? updates.shape[*window++] : n.size(1);
    last.push_back(n.index(n.sub(x.shape[d], size)));
  }
  if (llvm::any_of(updates.shape,
                   [](OpFoldResult size) { return knownSize(size) == 0; }))
    return n.set(x);
  Value table = n.tensor(indices), given = n.tensor(updates);
  Type indexType = n.elementOf(1);
  Value result =
      forEach(n, updates.shape, n.tensor(x), [&](ValueRange at, Value carried) {
        Scalars s(n.b, n.loc);
        SmallVector<Value> starts, offsets;
        placeOf(s, n, p, x, table, indexType, indices.rank(), at, starts,
                offsets);
        // A window that is not inside is left out as a whole.
        Value zero = s.constant(s.b.getIndexType(), 0),
              isInside = s.constant(s.b.getI1Type(), 1);
        for (int64_t d : p.indexed) {
          Value fits = arith::AndIOp::create(
              s.b, s.loc,
              arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::sge,
                                    starts[d], zero),
              arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::sle,
                                    starts[d], last[d]));
          isInside = arith::AndIOp::create(s.b, s.loc, isInside, fits);
          starts[d] = clampIndex(s, starts[d], last[d]);
        }
        for (auto [start, offset] : llvm::zip_equal(starts, offsets))
          start = s.add(start, offset);
        Value old = s.extract(carried, starts);
        Value next = body->compute(s, {old, s.extract(given, at)}).front();
        next = s.select(isInside, next, old);
        return Value(
            tensor::InsertOp::create(n.b, n.loc, next, carried, starts));
      });
  return n.set(toGraphValue(result, x.shape));
}
