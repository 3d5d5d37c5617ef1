//===- ContribAttention.cpp - Attentions of ONNX Runtime ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention, QAttention and MultiHeadAttention of com.microsoft: projections,
// then Softmax(Q * K^T * scale + bias + mask) * V.
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../Ops.h"
#include "Attention.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Ref = Composer::Ref;

namespace {
/// Numbers of inputs.
struct Extras {
  unsigned mask, bias;
};

/// Operands of an attention, [batch, heads, rows, size].
struct Operands {
  Ref q, k, v;
  /// How many rows of k and v are those of earlier calls.
  OpFoldResult past;
};
} // namespace

static bool areEqual(OpFoldResult x, OpFoldResult y) {
  return x == y || (knownSize(x) && knownSize(x) == knownSize(y));
}

FailureOr<int64_t> onnx::readCount(NodeImporter &n, StringRef name) {
  int64_t heads = n.getInt(name, 0);
  if (heads >= 1 && heads < (1 << 24))
    return heads;
  return n.refuse() << "has " << name << " = " << heads
                    << ", which is no number of heads; correct the attribute";
}

FailureOr<Ref> onnx::splitHeads(NodeImporter &n, Composer &c, Ref x,
                                int64_t heads) {
  if (c.failed())
    return failure();
  std::optional<int64_t> width =
      x->rank() == 3 ? knownSize(x->shape[2]) : std::nullopt;
  if (!width || *width % heads != 0)
    return n.refuse() << "has a value that is not [batch, rows, width] with a "
                         "width that its "
                      << heads << " heads divide; correct the shape";
  Ref split = c.reshape(
      x, {x->shape[0], x->shape[1], n.size(heads), n.size(*width / heads)});
  return c.transpose(split, {0, 2, 1, 3});
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// From how many keys, and up to how many, each batch may see; input `i` has
/// the ends, and behind them the starts where it has twice as many elements.
static FailureOr<Ref> readBounds(NodeImporter &n, Composer &c, unsigned i,
                                 Ref scores) {
  OpFoldResult batch = scores->shape[0], count = n.in(i).shape[0];
  bool hasStarts = areEqual(count, n.mul(batch, n.size(2)));
  if (!hasStarts && !areEqual(count, batch))
    return n.refuse() << "has a mask in one dimension that does not have one "
                         "or two elements for each batch; use [batch, keys]";
  Ref columns =
      c.op("Range", {c.integers(n.size(0)), c.integers(scores->shape[3]),
                     c.integers(n.size(1))});
  Ref given = c.convert(c.in(i), n.b.getI64Type());
  auto bounds = [&](OpFoldResult start) {
    Ref part = c.part(given, 0, start, batch);
    return c.reshape(part, {batch, n.size(1), n.size(1), n.size(1)});
  };
  Ref isSeen = c.op("Less", {columns, bounds(n.size(0))});
  if (hasStarts)
    isSeen =
        c.op("And", {isSeen, c.op("GreaterOrEqual", {columns, bounds(batch)})});
  return isSeen;
}

/// Which keys each row of scores may see, of input `i`.
static FailureOr<Ref> readMask(NodeImporter &n, Composer &c, unsigned i,
                               Ref scores) {
  GraphValue &given = n.in(i);
  if (given.rank() == 1)
    return readBounds(n, c, i, scores);
  Ref isSeen = c.op("Greater", {c.in(i), c.number(c.in(i), 0)});
  OpFoldResult one = n.size(1);
  if (given.rank() == 2)
    return c.reshape(isSeen, {given.shape[0], one, one, given.shape[1]});
  if (given.rank() == 3)
    return c.reshape(isSeen,
                     {given.shape[0], one, given.shape[1], given.shape[2]});
  return n.refuse() << "has a mask with " << given.rank()
                    << " dimensions, which is not supported; use [batch, "
                       "keys] or [batch, rows, keys]";
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Sets output 0, and output 3 of MultiHeadAttention, the scores.
static LogicalResult attend(NodeImporter &n, Composer &c,
                            const Operands &operands, const Extras &extras) {
  if (c.failed())
    return failure();
  float scale = n.getFloat("scale", 0);
  if (scale == 0)
    scale = static_cast<float>(
        1 / std::sqrt(static_cast<double>(*knownSize(operands.q->shape[3]))));
  Ref keys = c.transpose(operands.k, {0, 1, 3, 2});
  Ref scores = c.op("MatMul", {operands.q, keys});
  if (c.failed())
    return failure();
  scores = c.op("Mul", {scores, c.number(scores, scale)});
  if (n.has(extras.bias))
    scores = c.op("Add", {scores, c.in(extras.bias)});
  if (n.has(extras.mask)) {
    FailureOr<Ref> isSeen = readMask(n, c, extras.mask, scores);
    if (failed(isSeen) || c.failed())
      return failure();
    float hidden = n.getFloat("mask_filter_value", -10000);
    scores = c.op("Add", {scores, c.op("Where", {*isSeen, c.number(scores, 0),
                                                 c.number(scores, hidden)})});
  }
  if (n.getInt("unidirectional", 0)) {
    OpFoldResult rows = n.add(operands.q->shape[2], operands.past);
    if (!areEqual(rows, operands.k->shape[2]))
      return n.refuse() << "is unidirectional, and its query does not have one "
                           "row for each new key; remove the attribute, or "
                           "give a mask";
    scores = maskLater(n, c, scores, operands.past);
  }
  if (n.hasOutput(3))
    (void)c.set(3, scores);
  Ref weights = c.op("Softmax", {scores}, {attribute("axis", int64_t(-1))});
  return c.set(0, joinHeads(n, c, c.op("MatMul", {weights, operands.v})));
}

/// Puts keys or values in front that earlier calls gave.
static Ref joinRows(Composer &c, Ref past, Ref x) {
  return c.op("Concat", {past, x}, {attribute("axis", int64_t(2))});
}

//===----------------------------------------------------------------------===//
// Attention and QAttention
//===----------------------------------------------------------------------===//

/// The widths of Q, K and V.
static FailureOr<SmallVector<int64_t>> readWidths(NodeImporter &n, Ref joined,
                                                  int64_t heads) {
  std::optional<int64_t> width =
      joined->rank() == 3 ? knownSize(joined->shape[2]) : std::nullopt;
  SmallVector<int64_t> widths(n.getInts("qkv_hidden_sizes"));
  if (widths.empty() && width && *width % 3 == 0)
    widths.assign(3, *width / 3);
  bool fits = width && widths.size() == 3 && widths[0] == widths[1];
  int64_t total = 0;
  for (int64_t size : widths) {
    fits = fits && size >= 1 && size <= *width && size % heads == 0;
    total += fits ? size : 0;
  }
  if (fits && total == *width)
    return widths;
  return n.refuse() << "has an input that is not [batch, rows, size], or "
                       "weights whose width does not fit num_heads and "
                       "qkv_hidden_sizes; correct them";
}

/// The attention of Q, K and V side by side, [batch, rows, width], with earlier
/// keys and values in input `past`, which become output 1 with the new ones.
static LogicalResult attendJoined(NodeImporter &n, Composer &c, Ref joined,
                                  const Extras &extras, unsigned past) {
  FailureOr<int64_t> heads = readCount(n, "num_heads");
  if (failed(heads) || c.failed() || failed(n.requireInt("do_rotary", 0)) ||
      failed(n.requireInt("past_present_share_buffer", 0)))
    return failure();
  FailureOr<SmallVector<int64_t>> widths = readWidths(n, joined, *heads);
  if (failed(widths))
    return failure();
  SmallVector<Ref> parts;
  int64_t start = 0;
  for (int64_t width : *widths) {
    FailureOr<Ref> part = splitHeads(
        n, c, c.part(joined, 2, n.size(start), n.size(width)), *heads);
    if (failed(part))
      return failure();
    parts.push_back(*part);
    start += width;
  }
  Operands operands{parts[0], parts[1], parts[2], n.size(0)};
  if (n.has(past)) {
    GraphValue &given = n.in(past);
    if (given.rank() != 5 || knownSize(given.shape[0]) != 2)
      return n.refuse() << "has earlier keys and values that are not [2, "
                           "batch, heads, rows, size]; correct their shape";
    operands.past = given.shape[3];
    operands.k = joinRows(c, c.element(c.in(past), n.size(0)), operands.k);
    operands.v = joinRows(c, c.element(c.in(past), n.size(1)), operands.v);
  }
  if (n.hasOutput(1) && !c.failed())
    (void)c.set(1, c.op("Concat",
                        {c.hold(unsqueeze(n, *operands.k, {0})),
                         c.hold(unsqueeze(n, *operands.v, {0}))},
                        {attribute("axis", int64_t(0))}));
  return attend(n, c, operands, extras);
}

LogicalResult onnx::importMicrosoftAttention(NodeImporter &n) {
  if (n.has(6))
    return n.refuse() << "has past_sequence_length, which is not supported; "
                         "give earlier keys and values of the right size";
  Composer c(n);
  Ref joined = c.op("MatMul", {c.in(0), c.in(1)});
  if (n.has(2))
    joined = c.op("Add", {joined, c.in(2)});
  return attendJoined(n, c, joined, {3, 5}, 4);
}

/// The product of the input and the weights is one of integers.
LogicalResult onnx::importQAttention(NodeImporter &n) {
  Composer c(n);
  Ref scale = c.op("Mul", {c.in(3), c.in(4)});
  Ref joined =
      dequantizedProduct(c, c.in(0), c.in(1), scale, c.in(6), c.in(7), c.in(2));
  return attendJoined(n, c, joined, {5, ~0u}, 8);
}

//===----------------------------------------------------------------------===//
// MultiHeadAttention
//===----------------------------------------------------------------------===//

/// Q, K or V of an attention, plus its part of the bias.
static FailureOr<Ref> readProjected(NodeImporter &n, Composer &c, Ref x,
                                    bool mayBeSplit, int64_t heads,
                                    int64_t &biasStart) {
  if (mayBeSplit && x->rank() == 4 && !n.has(3))
    return x; // [batch, heads, rows, size]
  std::optional<int64_t> width =
      x->rank() == 3 ? knownSize(x->shape[2]) : std::nullopt;
  if (n.has(3) && width) {
    std::optional<int64_t> all =
        n.in(3).rank() == 1 ? knownSize(n.in(3).shape[0]) : std::nullopt;
    if (!all || biasStart + *width > *all)
      return n.refuse() << "has a bias that is shorter than the widths of its "
                           "query, key and value; correct it";
    x = c.op("Add", {x, c.part(c.in(3), 0, n.size(biasStart), n.size(*width))});
    biasStart += *width;
  }
  return splitHeads(n, c, x, heads);
}

/// The values that input `i` has beside each other, [batch, rows, heads, count,
/// size], each as [batch, rows, heads * size].
static FailureOr<SmallVector<Ref>>
unpack(NodeImporter &n, Composer &c, unsigned i, int64_t heads, int64_t count) {
  Ref x = c.in(i);
  if (x->rank() != 5 || knownSize(x->shape[2]) != heads ||
      knownSize(x->shape[3]) != count || !knownSize(x->shape[4]))
    return n.refuse() << "has " << count << " values in input " << i
                      << ", which is not [batch, rows, " << heads << ", "
                      << count
                      << ", size] with a known size; give each as an "
                         "input, or correct the shape";
  SmallVector<Ref> values;
  Shape shape{x->shape[0], x->shape[1], n.mul(x->shape[2], x->shape[4])};
  for (int64_t part = 0; part < count; ++part)
    values.push_back(c.reshape(c.part(x, 3, n.size(part), n.size(1)), shape));
  return values;
}

/// Query, key and value: three inputs, or two or three of them in one.
static FailureOr<SmallVector<Ref>> readValues(NodeImporter &n, Composer &c,
                                              int64_t heads) {
  if (n.has(1) && n.has(2))
    return SmallVector<Ref>{c.in(0), c.in(1), c.in(2)};
  if (n.has(2))
    return n.refuse() << "has a value and no key; give both";
  if (!n.has(1))
    return unpack(n, c, 0, heads, 3);
  FailureOr<SmallVector<Ref>> values = unpack(n, c, 1, heads, 2);
  if (succeeded(values))
    values->insert(values->begin(), c.in(0));
  return values;
}

LogicalResult onnx::importMultiHeadAttention(NodeImporter &n) {
  if (n.has(8) || n.has(9))
    return n.refuse() << "has past_sequence_length or cache_indirection, which "
                         "are not supported; give earlier keys and values of "
                         "the right size";
  if (n.has(6) != n.has(7))
    return n.refuse() << "has only one of the keys and values that went "
                         "before; give both";
  FailureOr<int64_t> heads = readCount(n, "num_heads");
  if (failed(heads))
    return failure();
  Composer c(n);
  FailureOr<SmallVector<Ref>> values = readValues(n, c, *heads);
  if (failed(values))
    return failure();
  int64_t biasStart = 0;
  for (auto [i, value] : llvm::enumerate(*values)) {
    FailureOr<Ref> split =
        readProjected(n, c, value, /*mayBeSplit=*/i > 0, *heads, biasStart);
    if (failed(split))
      return failure();
    value = *split;
  }
  Operands operands{(*values)[0], (*values)[1], (*values)[2], n.size(0)};
  if (n.has(6)) {
    if (n.in(6).rank() != 4 || n.in(7).rank() != 4)
      return n.refuse() << "has earlier keys or values that are not [batch, "
                           "heads, rows, size]; correct their shape";
    operands.past = n.in(6).shape[2];
    operands.k = joinRows(c, c.in(6), operands.k);
    operands.v = joinRows(c, c.in(7), operands.v);
  }
  (void)c.set(1, operands.k);
  (void)c.set(2, operands.v);
  return attend(n, c, operands, {4, 5});
}
