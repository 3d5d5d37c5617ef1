//===- GroupQueryCaches.cpp - Keys and values of all tokens ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   present[p] = P <= p < P + Q ? new[p - P] : past[p]
//
// and 0 where the earlier caches have no row p; P and Q are explained in
// GroupQueryAttention.cpp.
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../Ops.h"
#include "Attention.h"
#include "GroupQueryAttention.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;
using namespace qcc::onnx::group_query;

/// The row of [past, new rows, a row of zeros] that is each row of the new
/// caches, [batch, rows].
static Value findRows(NodeImporter &n, OpFoldResult batch,
                      const Tokens &tokens) {
  Value before = n.index(tokens.before);
  Value zeros = n.index(n.add(tokens.before, tokens.rows));
  return tabulate(
      n, {batch, tokens.after}, n.b.getI64Type(),
      [&](Scalars &s, ValueRange at) -> Value {
        Value past = tokens.pastOf(s, at[0]), row = s.sub(at[1], past);
        Value own = s.select(s.less(at[1], before), at[1], zeros);
        Value place = s.select(s.less(row, tokens.addedOf(s, at[0])),
                               s.add(before, row), own);
        place = s.select(s.less(at[1], past), own, place);
        return arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), place);
      });
}

/// The earlier cache of input `i`, for rows such as the new ones.
static FailureOr<Ref> readCache(NodeImporter &n, Composer &c, unsigned i,
                                Ref added, const CacheForm &form,
                                const Tokens &tokens) {
  Ref past = c.in(i);
  bool isPacked = form.bits == 4;
  Type element = isPacked ? Type(n.b.getIntegerType(8, /*isSigned=*/false))
                          : added->element;
  if (past->element != element)
    return n.refuse() << "has caches of " << elementName(past->element)
                      << " for values of " << elementName(element)
                      << "; export the model with caches of "
                      << elementName(element);
  Shape shape = added->shape;
  shape[2] = tokens.before;
  if (isPacked)
    past = c.hold(bitsOfBytes(n, *past));
  return requireSizes(n, c, past, shape, "an earlier cache",
                      "[batch, kv_num_heads, rows, size]");
}

/// Whether new rows are written into the earlier caches, which the results can
/// then continue in place. Otherwise each row of the new caches is looked up.
static bool canUpdate(NodeImporter &n, const Operands &operands,
                      const Tokens &tokens) {
  std::optional<int64_t> rows = knownSize(tokens.rows),
                         after = knownSize(tokens.after);
  return n.has(kPastKey) && !tokens.added && canInsertRows(*operands.q) &&
         !(rows && after && *rows > *after);
}

/// Writes the new rows of each batch into its earlier cache.
static Ref updateCache(NodeImporter &n, Composer &c, Ref past, Ref added,
                       const Tokens &tokens) {
  Shape shape = added->shape;
  SmallVector<OpFoldResult> low(4, n.size(0)), high(low);
  shape[2] = tokens.after;
  high[2] = n.sub(tokens.after, tokens.before);
  if (knownSize(high[2]) != 0)
    past = c.hold(pad(n, *past, low, high,
                      Scalars(n.b, n.loc).constant(past->element, 0)));
  Ref all = insertRows(n, c, past, added, 2, [&](Scalars &s, Value batch) {
    return tokens.pastOf(s, batch);
  });
  return c.failed() ? all : c.hold(toGraphValue(n.tensor(*all), shape));
}

/// Keys or values of all tokens: those of input `i`, if the node has it, and
/// the new ones, by the rows of `findRows`.
static FailureOr<Ref> lookUpCache(NodeImporter &n, Composer &c, Ref past,
                                  Ref added, const Tokens &tokens,
                                  Value places) {
  Shape shape = added->shape;
  SmallVector<Ref> parts;
  if (past)
    parts.push_back(past);
  parts.push_back(added);
  shape[2] = n.size(1);
  parts.push_back(
      c.hold(toGraphValue(filled(n, added->element, shape, 0), shape)));
  Ref all = c.op("Concat", parts, {attribute("axis", int64_t(2))});
  if (c.failed())
    return failure();
  shape[2] = tokens.after;
  return c.hold(gather(n, *all, shape, [&](Scalars &s, ValueRange at) {
    Value place = s.extract(places, {at[0], at[2]});
    place = arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), place);
    return SmallVector<Value>{at[0], at[1], place, at[3]};
  }));
}

FailureOr<CacheForms> group_query::readCacheForms(NodeImporter &n, Composer &c,
                                                  const Operands &operands) {
  FailureOr<CacheForm> keys = readCacheForm(n, c, "k_quant_type", kKeyScale,
                                            operands.keyHeads, operands.size);
  if (failed(keys))
    return failure();
  FailureOr<CacheForm> values = readCacheForm(n, c, "v_quant_type", kValueScale,
                                              operands.keyHeads, operands.size);
  if (failed(values))
    return failure();
  if (keys->isQuantized() != values->isQuantized())
    return n.refuse() << "has only one of k_quant_type and v_quant_type; "
                         "quantize both caches, or neither";
  return CacheForms{*keys, *values};
}

LogicalResult group_query::joinCaches(NodeImporter &n, Composer &c,
                                      Operands &operands, const Tokens &tokens,
                                      const CacheForms &forms) {
  bool updates = canUpdate(n, operands, tokens);
  Value places = updates ? Value() : findRows(n, operands.q->shape[0], tokens);
  for (auto [i, rows, form] : {std::tuple{1u, &operands.k, &forms.keys},
                               {2u, &operands.v, &forms.values}}) {
    Type element = (*rows)->element;
    Ref added = form->isQuantized() ? quantizeRows(n, c, *rows, *form) : *rows;
    if (c.failed())
      return failure();
    FailureOr<Ref> past = Ref();
    if (n.has(kPastKey))
      past =
          readCache(n, c, i == 1 ? kPastKey : kPastValue, added, *form, tokens);
    if (failed(past))
      return failure();
    FailureOr<Ref> all = updates
                             ? updateCache(n, c, *past, added, tokens)
                             : lookUpCache(n, c, *past, added, tokens, places);
    if (failed(all) || c.failed())
      return failure();
    bool isPacked = form->bits == 4;
    if (failed(c.set(i, isPacked ? c.hold(bytesOfBits(n, **all)) : *all)))
      return failure();
    *rows = c.part(*all, 2, n.size(0), tokens.total);
    if (form->isQuantized())
      *rows = dequantizeRows(n, c, *rows, *form, element);
  }
  return success(!c.failed());
}
