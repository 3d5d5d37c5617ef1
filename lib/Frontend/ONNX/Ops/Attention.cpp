//===- Attention.cpp - Attention and RotaryEmbedding ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "../ModelConstants.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Ref = Composer::Ref;

/// [batch, rows, heads * size] as [batch, heads, rows, size].
static FailureOr<Ref> splitBy(NodeImporter &n, Composer &c, Ref x,
                              StringRef attribute) {
  if (x->rank() == 4)
    return x;
  int64_t heads = n.getInt(attribute, 0);
  std::optional<int64_t> width =
      x->rank() == 3 ? knownSize(x->shape[2]) : std::nullopt;
  if (!width || heads < 1 || *width % heads != 0) {
    n.refuse()
        << "has a value that is not [batch, rows, heads, size] and whose "
           "last size "
        << attribute << " does not divide; correct the attribute";
    return failure();
  }
  return splitHeads(n, c, x, heads);
}

Ref onnx::joinHeads(NodeImporter &n, Composer &c, Ref x) {
  if (c.failed())
    return x;
  Ref turned = c.transpose(x, {0, 2, 1, 3});
  return c.reshape(turned, {turned->shape[0], turned->shape[1],
                            n.mul(turned->shape[2], turned->shape[3])});
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// Operands of an attention, [batch, heads, rows, size].
struct Heads {
  Ref q, k, v;
  OpFoldResult past;
  /// Number of heads of q that share a head of k and v.
  int64_t group;
};
} // namespace

static FailureOr<Heads> readHeads(NodeImporter &n, Composer &c) {
  FailureOr<Ref> q = splitBy(n, c, c.in(0), "q_num_heads"),
                 k = splitBy(n, c, c.in(1), "kv_num_heads"),
                 v = splitBy(n, c, c.in(2), "kv_num_heads");
  if (failed(q) || failed(k) || failed(v))
    return failure();
  Heads heads{*q, *k, *v, n.size(0), 1};
  if (n.has(4) != n.has(5))
    return n.refuse() << "has only one of the keys and values that went "
                         "before; give both";
  NodeAttribute rows = attribute("axis", int64_t(2));
  if (n.has(4)) {
    if (n.in(4).rank() != 4 || n.in(5).rank() != 4)
      return n.refuse() << "has earlier keys or values that are not [batch, "
                           "heads, rows, size]; correct their shape";
    heads.past = n.in(4).shape[2];
    heads.k = c.op("Concat", {c.in(4), heads.k}, {rows});
    heads.v = c.op("Concat", {c.in(5), heads.v}, {rows});
  }
  if (c.failed())
    return failure();
  std::optional<int64_t> many = knownSize(heads.q->shape[1]),
                         few = knownSize(heads.k->shape[1]);
  if (!many || !few || *few == 0 || *many % *few != 0 ||
      few != knownSize(heads.v->shape[1]) || !knownSize(heads.q->shape[3]))
    return n.refuse() << "needs a known number of heads, of which those of the "
                         "keys divide those of the queries; correct the shapes";
  heads.group = *many / *few;
  return heads;
}

/// [batch, heads, ...] as [batch, heads / group, group, ...], or back.
static Ref group(NodeImporter &n, Composer &c, Ref x, int64_t size) {
  int64_t heads = *knownSize(x->shape[1]);
  Shape shape{x->shape[0], n.size(heads / size), n.size(size)};
  shape.append(x->shape.begin() + 2, x->shape.end());
  return c.reshape(x, shape);
}

static Ref ungroup(NodeImporter &n, Composer &c, Ref x) {
  Shape shape{x->shape[0], n.mul(x->shape[1], x->shape[2])};
  shape.append(x->shape.begin() + 3, x->shape.end());
  return c.reshape(x, shape);
}

Ref onnx::multiplyHeads(NodeImporter &n, Composer &c, Ref x, Ref y,
                        int64_t size) {
  if (c.failed())
    return x;
  if (size == 1)
    return c.op("MatMul", {x, y});
  Ref product = c.op("MatMul", {group(n, c, x, size), group(n, c, y, 1)});
  return c.failed() ? product : ungroup(n, c, product);
}

Ref onnx::maskUnseen(Composer &c, Ref scores, Ref isSeen) {
  return c.op("Where",
              {isSeen, scores,
               c.number(scores, -std::numeric_limits<double>::infinity())});
}

Ref onnx::capScores(Composer &c, Ref scores, float cap) {
  if (cap == 0)
    return scores;
  Ref limit = c.number(scores, cap);
  return c.op("Mul", {c.op("Tanh", {c.op("Div", {scores, limit})}), limit});
}

Ref onnx::maskLater(NodeImporter &n, Composer &c, Ref scores,
                    OpFoldResult past) {
  if (c.failed())
    return scores;
  Shape shape(scores->shape.end() - 2, scores->shape.end());
  Value before = n.index(past);
  Value init = filled(n, n.b.getI1Type(), shape, 0);
  Ref isSeen = c.hold(toGraphValue(
      generic(n, {}, init, n.b.getMultiDimIdentityMap(2),
              {utils::IteratorType::parallel, utils::IteratorType::parallel},
              [&](Scalars &s, ValueRange) -> Value {
                Value row = linalg::IndexOp::create(s.b, s.loc, 0),
                      column = linalg::IndexOp::create(s.b, s.loc, 1);
                return arith::CmpIOp::create(s.b, s.loc,
                                             arith::CmpIPredicate::sle, column,
                                             s.add(row, before));
              }),
      shape));
  return maskUnseen(c, scores, isSeen);
}

/// The mask of a node, with columns up to `columns` that nothing may see.
static FailureOr<Ref> readMask(NodeImporter &n, Composer &c,
                               OpFoldResult columns) {
  Ref given = c.in(3);
  if (given->rank() == 0 || given->rank() > 4 ||
      (!given->isBool() && given->element != n.in(0).element))
    return n.refuse() << "has a mask of " << elementName(given->element)
                      << " or of a shape that is not supported; use bool, or "
                         "the type of the query, in up to four dimensions";
  OpFoldResult last = given->shape.back();
  std::optional<int64_t> have = knownSize(last), want = knownSize(columns);
  if (have == want || have == 1 || !have || !want)
    return given;
  if (*have > *want)
    return n.refuse() << "has a mask of " << *have << " columns for " << *want
                      << " keys; correct the mask";
  if (given->isBool())
    given = c.op("Where",
                 {given, c.number(c.in(0), 0),
                  c.number(c.in(0), -std::numeric_limits<double>::infinity())});
  SmallVector<OpFoldResult> low(given->rank(), n.size(0)), high(low);
  high.back() = n.size(*want - *have);
  Value never =
      Scalars(n.b, n.loc)
          .constant(given->element, -std::numeric_limits<double>::infinity());
  return c.hold(pad(n, *given, low, high, never));
}

/// Masks of the node that apply to the scores, in their order.
static FailureOr<Ref> maskScores(NodeImporter &n, Composer &c, Ref scores,
                                 const Heads &heads) {
  if (n.has(3)) {
    FailureOr<Ref> given = readMask(n, c, heads.k->shape[2]);
    if (failed(given))
      return failure();
    scores = (*given)->isBool() ? maskUnseen(c, scores, *given)
                                : c.op("Add", {scores, *given});
  }
  if (n.getInt("is_causal", 0))
    scores = maskLater(n, c, scores, heads.past);
  if (n.has(6)) {
    // Number of keys of each batch.
    Ref columns =
        c.op("Range", {c.integers(n.size(0)), c.integers(heads.k->shape[2]),
                       c.integers(n.size(1))});
    Ref counts =
        c.reshape(c.in(6), {n.in(6).shape[0], n.size(1), n.size(1), n.size(1)});
    scores = maskUnseen(c, scores, c.op("Less", {columns, counts}));
  }
  return scores;
}

LogicalResult onnx::importAttention(NodeImporter &n) {
  if (n.in(0).element.isF64())
    return n.refuse() << "does not take float64; cast it to float32";
  Composer c(n);
  FailureOr<Heads> heads = readHeads(n, c);
  if (failed(heads))
    return failure();
  (void)c.set(1, heads->k);
  (void)c.set(2, heads->v);
  double size = static_cast<double>(*knownSize(heads->q->shape[3]));
  float scale = n.getFloat("scale", static_cast<float>(1 / std::sqrt(size)));
  int64_t mode = n.getInt("qk_matmul_output_mode", 0);
  Ref keys = c.transpose(heads->k, {0, 1, 3, 2});
  Ref scores = multiplyHeads(n, c, heads->q, keys, heads->group);
  scores = c.op("Mul", {scores, c.number(scores, scale)});
  Ref shown = scores; // output 3
  scores = capScores(c, scores, n.getFloat("softcap", 0));
  if (mode == 1)
    shown = scores;
  FailureOr<Ref> masked = maskScores(n, c, scores, *heads);
  if (failed(masked) || c.failed())
    return failure();
  if (mode == 2)
    shown = *masked;
  Ref weights = *masked;
  if (Type type =
          elementType(n.getInt("softmax_precision", 0), n.b.getContext());
      type && type.isF32())
    weights = c.convert(weights, type);
  weights = c.op("Softmax", {weights}, {attribute("axis", int64_t(-1))});
  weights = c.convert(weights, n.in(0).element);
  if (mode == 3)
    shown = weights;
  (void)c.set(3, shown);
  Ref y = multiplyHeads(n, c, weights, heads->v, heads->group);
  return c.set(0, n.in(0).rank() == 3 ? joinHeads(n, c, y) : y);
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

/// The cosines or sines, input `i`, as [batch, 1, rows, half].
static Ref readAngles(NodeImporter &n, Composer &c, unsigned i) {
  Ref angles = n.has(3) ? c.op("Gather", {c.in(i), c.in(3)}) : c.in(i);
  if (c.failed() || angles->rank() != 3)
    return angles;
  return c.reshape(angles, {angles->shape[0], n.size(1), angles->shape[1],
                            angles->shape[2]});
}

LogicalResult onnx::importRotaryEmbedding(NodeImporter &n) {
  Composer c(n);
  FailureOr<Ref> x = splitBy(n, c, c.in(0), "num_heads");
  if (failed(x))
    return failure();
  std::optional<int64_t> size = knownSize((*x)->shape[3]);
  int64_t rotated = n.getInt("rotary_embedding_dim", 0);
  if (rotated == 0)
    rotated = size.value_or(0);
  Ref cosines = readAngles(n, c, 1), sines = readAngles(n, c, 2);
  if (c.failed())
    return failure();
  int64_t half = rotated / 2;
  if (!size || rotated % 2 != 0 || rotated > *size || rotated < 2 ||
      cosines->rank() != 4 || sines->rank() != 4 ||
      knownSize(cosines->shape[3]) != half ||
      knownSize(sines->shape[3]) != half)
    return n.refuse() << "has heads whose size, rotary_embedding_dim or caches "
                         "do not fit; correct the shapes";
  Ref turned = c.part(*x, 3, n.size(0), n.size(rotated));
  // Pairs of elements are neighbours, or half of the elements apart.
  bool isInterleaved = n.getInt("interleaved", 0) != 0;
  Shape pairs(turned->shape.begin(), turned->shape.begin() + 3);
  pairs.append(
      {n.size(isInterleaved ? half : 2), n.size(isInterleaved ? 2 : half)});
  Ref split = c.reshape(turned, pairs);
  int64_t pair = isInterleaved ? 4 : 3;
  auto partOf = [&](int64_t i) {
    Ref one = c.part(split, pair, n.size(i), n.size(1));
    return c.hold(squeeze(n, *one, {pair}));
  };
  Ref first = partOf(0), second = partOf(1);
  Ref real = c.op(
          "Sub", {c.op("Mul", {cosines, first}), c.op("Mul", {sines, second})}),
      imaginary = c.op(
          "Add", {c.op("Mul", {sines, first}), c.op("Mul", {cosines, second})});
  if (c.failed())
    return failure();
  Ref joined = c.op("Concat",
                    {c.hold(unsqueeze(n, *real, {pair})),
                     c.hold(unsqueeze(n, *imaginary, {pair}))},
                    {attribute("axis", pair)});
  Ref y = c.failed() ? joined : c.reshape(joined, turned->shape);
  if (rotated != *size)
    y = c.op("Concat",
             {y, c.part(*x, 3, n.size(rotated), n.size(*size - rotated))},
             {attribute("axis", int64_t(3))});
  if (n.in(0).rank() == 3 && !c.failed())
    y = c.reshape(c.transpose(y, {0, 2, 1, 3}), n.in(0).shape);
  return c.set(0, y);
}
