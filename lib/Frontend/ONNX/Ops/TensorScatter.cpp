//===- TensorScatter.cpp - Rows into caches -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Batch b of the result has the rows of the update from row w =
// write_indices[b] on, and elsewhere those of the earlier cache. In the mode
// `circular` row r of the update is row (w + r) mod size.
//
//===----------------------------------------------------------------------===//

#include "../Ops.h"
#include "CacheRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;
using Ref = Composer::Ref;

namespace {
struct Update {
  Ref past, added;
  int64_t axis;
  Value places; // null: all are 0
  bool isCircular;

  /// The first row that a batch is written to.
  Value placeOf(Scalars &s, Value batch) const {
    Type index = s.b.getIndexType();
    if (!places)
      return s.constant(index, 0);
    return arith::IndexCastOp::create(s.b, s.loc, index,
                                      s.extract(places, {batch}));
  }
};
} // namespace

static FailureOr<Update> readUpdate(NodeImporter &n, Composer &c) {
  Ref past = c.in(0);
  FailureOr<int64_t> axis = n.axis(-2, past->rank());
  if (failed(axis))
    return failure();
  if (*axis == 0)
    return n.refuse() << "writes along dimension 0, which is that of batches; "
                         "correct the axis";
  StringRef mode = n.getString("mode", "linear");
  if (mode != "linear" && mode != "circular")
    return n.refuse() << "has mode = " << mode << "; give linear or circular";
  Shape shape = past->shape;
  if (c.in(1)->rank() == past->rank())
    shape[*axis] = c.in(1)->shape[*axis];
  FailureOr<Ref> added = requireSizes(n, c, c.in(1), shape, "an update",
                                      "of the cache's sizes beside the axis");
  if (failed(added))
    return failure();
  if (past->isUnsigned()) {
    past = c.hold(bitsOfBytes(n, *past));
    *added = c.hold(bitsOfBytes(n, **added));
  }
  Update update{past, *added, *axis, Value(), mode == "circular"};
  if (!n.has(2))
    return update;
  FailureOr<Ref> places =
      requireSizes(n, c, c.in(2), {past->shape[0]}, "write_indices", "[batch]");
  if (failed(places))
    return failure();
  update.places = n.tensor(**places);
  return update;
}

/// Refuses more rows than the cache has, or lets the entry do so.
static LogicalResult needRoom(NodeImporter &n, OpFoldResult rows,
                              OpFoldResult size) {
  OpFoldResult fits = n.compare(arith::CmpIPredicate::sle, rows, size);
  std::optional<int64_t> known = knownSize(fits);
  if (known && *known != 0)
    return success();
  if (known)
    return n.refuse() << "writes " << *knownSize(rows)
                      << " rows into a cache of " << *knownSize(size)
                      << "; correct the shapes";
  if (!isa<func::FuncOp>(n.b.getInsertionBlock()->getParentOp()))
    return n.refuse() << "is in a loop or a branch and writes a number of rows "
                         "that is not known; give constant sizes";
  cf::AssertOp::create(n.b, n.loc, n.truth(fits),
                       "op 'TensorScatter' writes more rows than its cache "
                       "has; give fewer");
  n.noteTrue(fits);
  return success();
}

/// Each row is looked up in [earlier cache, update].
static Ref lookUpRows(NodeImporter &n, Composer &c, const Update &update) {
  Ref all = c.op("Concat", {update.past, update.added},
                 {attribute("axis", update.axis)});
  if (c.failed())
    return all;
  Value size = n.index(update.past->shape[update.axis]),
        count = n.index(update.added->shape[update.axis]);
  return c.hold(
      gather(n, *all, update.past->shape, [&](Scalars &s, ValueRange at) {
        SmallVector<Value> place(at);
        Value first = update.placeOf(s, at[0]);
        Value zero = s.constant(first.getType(), 0);
        if (!update.isCircular)
          first = s.max(s.min(first, s.sub(size, count)), zero);
        Value row = s.sub(at[update.axis], first);
        // What is before the first row belongs to the end of a circle.
        if (update.isCircular) {
          row = arith::RemSIOp::create(s.b, s.loc, row, size);
          row = s.select(s.less(row, zero), s.add(row, size), row);
        }
        Value isNew = arith::AndIOp::create(
            s.b, s.loc, s.less(row, count),
            arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::sge, row,
                                  zero));
        place[update.axis] = s.select(isNew, s.add(size, row), at[update.axis]);
        return place;
      }));
}

LogicalResult onnx::importTensorScatter(NodeImporter &n) {
  Composer c(n);
  FailureOr<Update> update = readUpdate(n, c);
  if (failed(update))
    return failure();
  OpFoldResult rows = update->added->shape[update->axis],
               size = update->past->shape[update->axis];
  if (failed(needRoom(n, rows, size)))
    return failure();
  bool isInserted = !update->isCircular && canInsertRows(*update->past);
  Ref present =
      isInserted ? insertRows(n, c, update->past, update->added, update->axis,
                              [&](Scalars &s, Value batch) {
                                return update->placeOf(s, batch);
                              })
                 : lookUpRows(n, c, *update);
  if (!c.failed() && n.in(0).isUnsigned())
    present = c.hold(bytesOfBits(n, *present));
  return c.set(0, present);
}
