//===- GroupQueryAttention.cpp - Attention of decoders --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GroupQueryAttention of com.microsoft. A batch has T tokens after the node, of
// which the node adds Q to the P that its caches have: T is `seqlens_k` + 1, Q
// is `query_seqlens` or else at most the rows S of the query, P is T - Q. All
// three are data; the sizes of caches are not.
//
// Row s has position P + s. It sees the positions before min(P + s + 1, T), or
// the last `local_window_size` of these.
//
//===----------------------------------------------------------------------===//

#include "GroupQueryAttention.h"
#include "../Ops.h"
#include "Attention.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;
using namespace qcc::onnx::group_query;

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

static LogicalResult verifyForms(NodeImporter &n) {
  if (failed(n.requireInt("sliding_window_cache", 0)))
    return failure();
  if (n.has(kQueryNorm) || n.has(kKeyNorm))
    return n.refuse() << "has q_norm_weight or k_norm_weight, which are not "
                         "supported; export the model for CPUs, with nodes "
                         "SimplifiedLayerNormalization before this one";
  if (n.has(kPastKey) != n.has(kPastValue))
    return n.refuse() << "has only one of past_key and past_value; give both";
  if (n.getInt("do_rotary", 0) && !(n.has(kCosines) && n.has(kSines)))
    return n.refuse() << "has do_rotary without cos_cache and sin_cache; give "
                         "both, or remove the attribute";
  bool isCausal = n.getInt("causal", 1) != 0;
  if (!isCausal && n.getInt("local_window_size", -1) > 0)
    return n.refuse() << "has local_window_size and causal = 0; remove one of "
                         "them";
  if (n.has(kRows) && (!isCausal || !n.has(kPastKey)))
    return n.refuse() << "has query_seqlens, which needs past_key, past_value "
                         "and causal = 1; give them, or leave it out";
  return success();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Query, key and value of three inputs, or side by side in one.
static FailureOr<Operands> readOperands(NodeImporter &n, Composer &c) {
  FailureOr<int64_t> heads = readCount(n, "num_heads"),
                     keyHeads = readCount(n, "kv_num_heads");
  if (failed(heads) || failed(keyHeads))
    return failure();
  if (*heads % *keyHeads != 0)
    return n.refuse() << "has num_heads = " << *heads
                      << ", which is no multiple of kv_num_heads = "
                      << *keyHeads << "; correct the attributes";
  if (n.has(1) != n.has(2))
    return n.refuse() << "has only one of key and value; give both, or neither "
                         "where the query has them beside it";
  bool isPacked = !n.has(1);
  Ref x = c.in(0);
  int64_t all = isPacked ? *heads + 2 * *keyHeads : *heads;
  std::optional<int64_t> width =
      x->rank() == 3 ? knownSize(x->shape[2]) : std::nullopt;
  if (!width || *width % all != 0)
    return n.refuse() << "has a query that is not [batch, rows, width] with a "
                         "width that its "
                      << all << " heads divide; correct the shape";
  int64_t size = *width / all;
  SmallVector<Ref> parts{x};
  OpFoldResult keyWidth = n.size(*keyHeads * size);
  if (isPacked) {
    parts = {c.part(x, 2, n.size(0), n.size(*heads * size)),
             c.part(x, 2, n.size(*heads * size), keyWidth),
             c.part(x, 2, n.size((*heads + *keyHeads) * size), keyWidth)};
  } else {
    for (unsigned i : {1u, 2u}) {
      FailureOr<Ref> part = requireSizes(
          n, c, c.in(i), {x->shape[0], x->shape[1], keyWidth},
          i == 1 ? "a key" : "a value", "[batch, rows of the query, width]");
      if (failed(part))
        return failure();
      parts.push_back(*part);
    }
  }
  Operands operands{nullptr, nullptr, nullptr, *heads, *keyHeads, size};
  Ref *to[] = {&operands.q, &operands.k, &operands.v};
  for (auto [i, part] : llvm::enumerate(parts)) {
    FailureOr<Ref> split = splitHeads(n, c, part, i == 0 ? *heads : *keyHeads);
    if (failed(split))
      return failure();
    *to[i] = *split;
  }
  return operands;
}

/// A count of each batch.
static FailureOr<Value> readCounts(NodeImporter &n, Composer &c, unsigned i,
                                   OpFoldResult batch) {
  Ref given = c.in(i);
  if (given->rank() == 2 && knownSize(given->shape[1]) == 1)
    given = c.reshape(given, {given->shape[0]});
  FailureOr<Ref> counts =
      requireSizes(n, c, given, {batch},
                   i == kRows ? "query_seqlens" : "seqlens_k", "[batch]");
  if (failed(counts))
    return failure();
  return n.tensor(**counts);
}

static FailureOr<Tokens> readTokens(NodeImporter &n, Composer &c,
                                    const Operands &operands) {
  FailureOr<SmallVector<OpFoldResult>> total =
      n.integers(kTotal, "total_sequence_length, the size of new caches,");
  if (failed(total))
    return failure();
  if (total->size() != 1)
    return n.refuse() << "has a total_sequence_length of " << total->size()
                      << " elements; give one";
  OpFoldResult batch = operands.q->shape[0];
  FailureOr<Value> last = readCounts(n, c, kLastPositions, batch);
  FailureOr<Value> added = Value();
  if (n.has(kRows))
    added = readCounts(n, c, kRows, batch);
  if (failed(last) || failed(added))
    return failure();
  Tokens tokens;
  tokens.rows = operands.q->shape[2];
  tokens.rowsValue = n.index(tokens.rows);
  tokens.before = n.size(0);
  tokens.total = total->front();
  if (n.has(kPastKey) && n.in(kPastKey).rank() == 4)
    tokens.before = n.in(kPastKey).shape[2];
  tokens.after = n.max(tokens.total, tokens.before);
  tokens.last = *last;
  tokens.added = *added;
  return tokens;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The position of each row of the query, [batch, rows]. Where the node is the
/// first one, its position_ids have only the first position.
static FailureOr<Ref> readRowPositions(NodeImporter &n, Composer &c,
                                       const Operands &operands,
                                       const Tokens &tokens) {
  Shape shape{operands.q->shape[0], tokens.rows};
  Value given, isFirst;
  if (n.has(kPositions)) {
    FailureOr<Ref> positions = requireSizes(n, c, c.in(kPositions), shape,
                                            "position_ids", "[batch, rows]");
    if (failed(positions))
      return failure();
    given = n.tensor(**positions);
    if (!tokens.added)
      isFirst = n.truth(
          n.compare(arith::CmpIPredicate::eq, tokens.rows, tokens.total));
  }
  auto position = [&](Scalars &s, ValueRange at) -> Value {
    Type i64 = s.b.getI64Type();
    auto toInteger = [&](Value index) {
      return arith::IndexCastOp::create(s.b, s.loc, i64, index);
    };
    if (!given)
      return toInteger(s.add(tokens.pastOf(s, at[0]), at[1]));
    Value own = s.extract(given, at);
    if (!isFirst)
      return own;
    Value zero = s.constant(s.b.getIndexType(), 0);
    Value start = s.extract(given, {zero, zero});
    return s.select(isFirst, s.add(start, toInteger(at[1])), own);
  };
  return c.hold(
      toGraphValue(tabulate(n, shape, n.b.getI64Type(), position), shape));
}

/// Rotates the query and the keys.
static LogicalResult rotate(NodeImporter &n, Composer &c, Operands &operands,
                            const Tokens &tokens) {
  FailureOr<Ref> positions = readRowPositions(n, c, operands, tokens);
  if (failed(positions))
    return failure();
  std::optional<int64_t> half = n.in(kCosines).rank() == 2
                                    ? knownSize(n.in(kCosines).shape[1])
                                    : std::nullopt;
  if (!half)
    return n.refuse() << "has a cos_cache that is not [positions, size] with a "
                         "known size; correct the shape";
  for (Ref *x : {&operands.q, &operands.k})
    *x = c.op("RotaryEmbedding", {*x, c.in(kCosines), c.in(kSines), *positions},
              {attribute("interleaved", n.getInt("rotary_interleaved", 0)),
               attribute("rotary_embedding_dim", 2 * *half)});
  return success(!c.failed());
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Which tokens each row sees, [batch, 1, rows, tokens].
static Ref findSeen(NodeImporter &n, Composer &c, OpFoldResult batch,
                    const Tokens &tokens) {
  bool isCausal = n.getInt("causal", 1) != 0;
  int64_t window = n.getInt("local_window_size", -1);
  Shape shape{batch, n.size(1), tokens.rows, tokens.total};
  auto isSeen = [&](Scalars &s, ValueRange at) -> Value {
    Type index = s.b.getIndexType();
    Value end = tokens.totalOf(s, at[0]);
    if (isCausal) {
      Value own = s.add(tokens.pastOf(s, at[0]), at[2]);
      end = s.min(end, s.add(own, s.constant(index, 1)));
    }
    Value seen = s.less(at[3], end);
    if (window <= 0)
      return seen;
    Value start = s.sub(end, s.constant(index, static_cast<double>(window)));
    return s.select(s.less(at[3], start), s.constant(s.b.getI1Type(), 0), seen);
  };
  return c.hold(
      toGraphValue(tabulate(n, shape, n.b.getI1Type(), isSeen), shape));
}

/// Softmax; a sink is one more column, which then goes away.
static Ref weigh(NodeImporter &n, Composer &c, Ref scores,
                 const Operands &operands) {
  NodeAttribute axis = attribute("axis", int64_t(-1));
  if (!n.has(kSink) && n.getInt("smooth_softmax", 0) != 1)
    return c.op("Softmax", {scores}, {axis});
  Ref sink = n.has(kSink)
                 ? c.reshape(c.in(kSink), {n.size(1), n.size(operands.heads),
                                           n.size(1), n.size(1)})
                 : c.number(scores, 0);
  if (c.failed())
    return scores;
  OpFoldResult columns = scores->shape[3];
  Shape shape = scores->shape;
  shape[3] = n.size(1);
  Ref column = c.hold(broadcastTo(n, *sink, shape));
  Ref all = c.op("Concat", {scores, column}, {attribute("axis", int64_t(3))});
  return c.part(c.op("Softmax", {all}, {axis}), 3, n.size(0), columns);
}

static LogicalResult attend(NodeImporter &n, Composer &c,
                            const Operands &operands, const Tokens &tokens) {
  float scale = n.getFloat("scale", 0);
  if (scale == 0)
    scale =
        static_cast<float>(1 / std::sqrt(static_cast<double>(operands.size)));
  int64_t group = operands.heads / operands.keyHeads;
  Ref keys = c.transpose(operands.k, {0, 1, 3, 2});
  Ref scores = multiplyHeads(n, c, operands.q, keys, group);
  scores = c.op("Mul", {scores, c.number(scores, scale)});
  scores = capScores(c, scores, n.getFloat("softcap", 0));
  if (n.has(kBias))
    scores = c.op("Add", {scores, c.in(kBias)});
  if (c.failed())
    return failure();
  Ref isSeen = findSeen(n, c, scores->shape[0], tokens);
  Ref weights = weigh(n, c, maskUnseen(c, scores, isSeen), operands);
  if (n.hasOutput(3)) {
    Ref shown = n.getInt("qk_output", 0) == 1
                    ? c.op("Where", {isSeen, scores, c.number(scores, 0)})
                    : weights;
    (void)c.set(3, shown);
  }
  Ref y = multiplyHeads(n, c, weights, operands.v, group);
  return c.set(0, joinHeads(n, c, y));
}

LogicalResult onnx::importGroupQueryAttention(NodeImporter &n) {
  if (failed(verifyForms(n)))
    return failure();
  Composer c(n);
  FailureOr<Operands> operands = readOperands(n, c);
  if (failed(operands) || c.failed())
    return failure();
  FailureOr<CacheForms> forms = readCacheForms(n, c, *operands);
  FailureOr<Tokens> tokens = readTokens(n, c, *operands);
  if (failed(forms) || failed(tokens))
    return failure();
  if (n.getInt("do_rotary", 0) && failed(rotate(n, c, *operands, *tokens)))
    return failure();
  if (failed(joinCaches(n, c, *operands, *tokens, *forms)))
    return failure();
  return attend(n, c, *operands, *tokens);
}
