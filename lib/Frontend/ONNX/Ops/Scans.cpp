//===- Scans.cpp - Ops that go through their input in order ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../Compose.h"
#include "../Ops.h"
#include "Indexing.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Ref = Composer::Ref;

//===----------------------------------------------------------------------===//
// CumSum and CumProd
//===----------------------------------------------------------------------===//

/// The product of sizes; nothing if one is dynamic.
static std::optional<int64_t> productOf(ArrayRef<OpFoldResult> sizes) {
  int64_t product = 1;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> known = knownSize(size);
    if (!known)
      return std::nullopt;
    product *= *known;
  }
  return product;
}

/// Whether neighbours of one step along the axis lie far apart in memory: few
/// elements lie behind each element, and others before it.
static bool stepsAcrossLines(const GraphValue &x, int64_t axis) {
  constexpr int64_t kFewElements = 16;
  ArrayRef<OpFoldResult> shape(x.shape);
  std::optional<int64_t> behind = productOf(shape.drop_front(axis + 1));
  return behind && *behind < kFewElements &&
         productOf(shape.take_front(axis)) != 1;
}

LogicalResult onnx::importCumulative(NodeImporter &n) {
  GraphValue x = n.in(0);
  auto axes = n.constantIntegers(1, "its axis");
  if (failed(axes))
    return failure();
  if (axes->size() != 1)
    return n.refuse() << "has an axis that is not one number; correct it";
  FailureOr<int64_t> axis = n.dimension(axes->front(), x.rank());
  if (failed(axis))
    return failure();
  bool isProduct = n.op() == "CumProd";
  Value start = Scalars(n.b, n.loc).constant(x.element, isProduct ? 1.0 : 0.0);
  // Steps read and write whole lines if the axis comes first.
  SmallVector<int64_t> order, back(x.rank());
  bool isMoved = stepsAcrossLines(x, *axis);
  if (isMoved) {
    order.push_back(*axis);
    for (int64_t d = 0; d < x.rank(); ++d)
      if (d != *axis)
        order.push_back(d);
    for (auto [to, from] : llvm::enumerate(order))
      back[from] = to;
    x = transpose(n, x, order);
  }
  auto result =
      accumulate(n, x, isMoved ? 0 : *axis, start, n.getInt("reverse", 0) != 0,
                 n.getInt("exclusive", 0) != 0, [&](Scalars &s, ValueRange v) {
                   return isProduct ? s.mul(v[0], v[1]) : s.add(v[0], v[1]);
                 });
  if (failed(result))
    return failure();
  return n.set(0, isMoved ? transpose(n, *result, back) : *result);
}

//===----------------------------------------------------------------------===//
// ScatterND
//===----------------------------------------------------------------------===//

/// The op that combines an update with the old element; empty for none.
static FailureOr<StringRef> readCombination(NodeImporter &n) {
  StringRef reduction = n.getString("reduction", "none");
  if (reduction == "none")
    return StringRef();
  if (reduction == "add")
    return StringRef("Add");
  if (reduction == "mul")
    return StringRef("Mul");
  if (reduction == "max")
    return StringRef("Max");
  if (reduction == "min")
    return StringRef("Min");
  return n.refuse() << "has the reduction " << reduction
                    << ", which is not defined; correct the attribute";
}

LogicalResult onnx::importScatterND(NodeImporter &n) {
  GraphValue &x = n.in(0), &places = n.in(1), &updates = n.in(2);
  std::optional<int64_t> depth =
      places.rank() > 0 ? knownSize(places.shape.back()) : std::nullopt;
  bool fits = depth && *depth >= 1 && *depth <= x.rank() &&
              updates.rank() == places.rank() - 1 + x.rank() - *depth;
  if (!fits)
    return n.refuse() << "has indices or updates that do not fit its input; "
                         "correct their shapes";
  FailureOr<StringRef> combination = readCombination(n);
  if (failed(combination))
    return failure();
  Composer c(n);
  OpFoldResult count =
      n.product(ArrayRef<OpFoldResult>(places.shape).drop_back());
  if (knownSize(count) == 0)
    return n.set(0, x);
  Shape rest(x.shape.begin() + *depth, x.shape.end()), flat{count}, row{};
  llvm::append_range(flat, rest);
  Ref from = c.reshape(&updates, flat);
  Ref at = c.reshape(&places, {count, n.size(*depth)});
  Value indices = n.tensor(*at);
  (void)n.tensor(*from);
  SmallVector<Value> sizes, columns;
  for (int64_t d = 0; d < *depth; ++d) {
    sizes.push_back(n.index(x.shape[d]));
    columns.push_back(n.index(n.size(d)));
  }
  // The dimensions of the indices have the size 1 in a slice.
  Shape one(*depth, n.size(1));
  llvm::append_range(one, rest);
  SmallVector<Value> results = repeat(
      n, count, n.tensor(x),
      [&](Value i, ValueRange carried) -> FailureOr<SmallVector<Value>> {
        SmallVector<OpFoldResult> starts(x.rank(), n.size(0));
        Scalars s(n.b, n.loc);
        for (int64_t d = 0; d < *depth; ++d)
          starts[d] = toIndex(s, s.extract(indices, {i, columns[d]}), sizes[d]);
        Ref update = c.reshape(c.part(from, 0, i, n.size(1)), one);
        if (!combination->empty()) {
          GraphValue old = toGraphValue(carried[0], x.shape);
          SmallVector<int64_t> steps(x.rank(), 1);
          GraphValue found = slice(n, old, starts, one, steps);
          update = c.op(*combination, {c.hold(found), update});
        }
        if (c.failed())
          return failure();
        return SmallVector<Value>{insertSlice(n, carried[0], *update, starts)};
      });
  return results.empty() ? failure() : n.set(0, results[0], x.shape);
}

//===----------------------------------------------------------------------===//
// ScatterElements
//===----------------------------------------------------------------------===//

/// The places of updates as ScatterND has them: one index for each dimension of
/// the input, that along `axis` being data, the others the update's own.
static Ref placesOf(NodeImporter &n, Composer &c, int64_t axis) {
  GraphValue &data = n.in(1);
  Type i64 = n.b.getI64Type();
  Shape column = data.shape;
  column.push_back(n.size(1));
  Composer::Refs columns;
  for (int64_t d = 0; d < data.rank(); ++d) {
    if (d == axis) {
      columns.push_back(c.reshape(c.convert(&data, i64), column));
      continue;
    }
    Value own = tabulate(
        n, {data.shape[d]}, i64, [&](Scalars &s, ValueRange i) -> Value {
          return arith::IndexCastOp::create(s.b, s.loc, i64, i[0]);
        });
    GraphValue line = toGraphValue(own, {data.shape[d]});
    AffineMap map = AffineMap::get(column.size(), 0, n.b.getAffineDimExpr(d),
                                   n.b.getContext());
    columns.push_back(c.hold(broadcastTo(n, line, column, map)));
  }
  return c.op("Concat", columns, {attribute("axis", data.rank())});
}

LogicalResult onnx::importScatterElements(NodeImporter &n) {
  GraphValue &x = n.in(0), &places = n.in(1), &updates = n.in(2);
  FailureOr<int64_t> axis = n.axis(0, x.rank());
  if (failed(axis))
    return failure();
  bool fits = places.rank() == x.rank() && updates.rank() == x.rank();
  for (int64_t d = 0; fits && d < x.rank(); ++d) {
    std::optional<int64_t> size = knownSize(x.shape[d]),
                           count = knownSize(places.shape[d]),
                           given = knownSize(updates.shape[d]);
    fits = (!count || !given || *count == *given) &&
           (d == *axis || !count || !size || *count <= *size);
  }
  if (!fits)
    return n.refuse() << "has indices or updates that do not fit its input; "
                         "correct their shapes";
  if (failed(verifyRange(n, x.shape[*axis])))
    return failure();
  StringRef reduction = n.getString("reduction", "none");
  Composer c(n);
  Ref at = placesOf(n, c, *axis);
  std::string_view name(reduction.data(), reduction.size());
  return c.set(
      0, c.op("ScatterND", {&x, at, &updates}, {attribute("reduction", name)}));
}
