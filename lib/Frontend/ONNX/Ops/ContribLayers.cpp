//===- ContribLayers.cpp - Layers of transformers of ONNX Runtime ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Compose.h"
#include "../Ops.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Ref = Composer::Ref;

//===----------------------------------------------------------------------===//
// EmbedLayerNormalization
//===----------------------------------------------------------------------===//

/// The numbers of the positions, [1, rows], where the node has none.
static Ref countPositions(NodeImporter &n, Composer &c) {
  OpFoldResult rows = n.in(0).shape[1];
  Ref all = c.op("Range", {c.integers(n.size(0)), c.integers(rows),
                           c.integers(n.size(1))});
  return c.reshape(all, {n.size(1), rows});
}

/// How many elements of each row of the mask are 1; without a mask, 0.
static Ref countMask(NodeImporter &n, Composer &c) {
  if (!n.has(7))
    return c.op("Expand", {c.number(c.in(0), 0), c.integers(n.in(0).shape[0])});
  Ref isOne = c.op("Equal", {c.in(7), c.number(c.in(7), 1)});
  Ref ones = c.convert(isOne, n.in(7).element);
  return c.op("ReduceSum", {ones, c.integers(n.size(1))},
              {attribute("keepdims", int64_t(0))});
}

namespace {
/// Rows of words, of positions and of segments, and what normalizes their sums;
/// without segments `segments` is null.
struct Embeddings {
  Ref words, positions, segments, scale, bias;
};
} // namespace

/// The words are input 0, the segments input 1; `places` are the numbers of
/// positions.
static LogicalResult embed(NodeImporter &n, Composer &c,
                           const Embeddings &tables, Ref places) {
  Ref sum = c.op("Add", {c.op("Gather", {tables.words, c.in(0)}),
                         c.op("Gather", {tables.positions, places})});
  if (n.has(1))
    sum = c.op("Add", {sum, c.op("Gather", {tables.segments, c.in(1)})});
  (void)c.set(0, c.op("LayerNormalization", {sum, tables.scale, tables.bias},
                      {attribute("epsilon", n.getFloat("epsilon", 1e-12f))}));
  if (n.hasOutput(1))
    (void)c.set(1, countMask(n, c));
  return c.set(2, sum);
}

/// Refuses words that are not [batch, rows], and segments without a table or a
/// table without segments.
static LogicalResult verifyWords(NodeImporter &n) {
  if (n.in(0).rank() == 2 && n.has(1) == n.has(4))
    return success();
  return n.refuse() << "needs words in two dimensions, and both segments and "
                       "their embedding or neither; correct its inputs";
}

LogicalResult onnx::importEmbedLayerNormalization(NodeImporter &n) {
  if (failed(verifyWords(n)))
    return failure();
  Composer c(n);
  Ref places = n.has(8) ? c.in(8) : countPositions(n, c);
  return embed(n, c, {c.in(2), c.in(3), c.in(4), c.in(5), c.in(6)}, places);
}

/// The same of bytes: for each table a scale and a zero point.
LogicalResult onnx::importQEmbedLayerNormalization(NodeImporter &n) {
  if (failed(verifyWords(n)))
    return failure();
  Composer c(n);
  auto dequantize = [&](unsigned i, unsigned scale) -> Ref {
    return n.has(i) ? c.op("DequantizeLinear",
                           {c.in(i), c.in(scale), c.in(scale + 5)})
                    : nullptr;
  };
  Embeddings tables{dequantize(2, 8), dequantize(3, 9), dequantize(4, 10),
                    dequantize(5, 11), dequantize(6, 12)};
  return embed(n, c, tables, countPositions(n, c));
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

/// How many heads a value [batch, rows, width] has.
static int64_t countHeads(NodeImporter &n) {
  int64_t heads = n.getInt("num_heads", 0);
  if (heads > 0 || n.in(0).rank() != 3 || n.in(2).rank() != 2)
    return heads;
  std::optional<int64_t> width = knownSize(n.in(0).shape[2]),
                         half = knownSize(n.in(2).shape[1]);
  return width && half && *half > 0 ? *width / (2 * *half) : 0;
}

/// RotaryEmbedding of ONNX, whose inputs have another order.
LogicalResult onnx::importMicrosoftRotaryEmbedding(NodeImporter &n) {
  if (failed(n.requireInt("is_packed_batching", 0)))
    return failure();
  if (n.getFloat("scale", 1) != 1)
    return n.refuse() << "has a scale other than 1, which is not supported; "
                         "multiply by it in a node of its own";
  int64_t rank = n.in(0).rank();
  if (rank != 3 && rank != 4)
    return n.refuse() << "takes values in three or four dimensions, not in "
                      << rank << "; reshape them";
  Composer c(n);
  Ref places = c.in(1);
  if (places->rank() == 1) {
    // The first of them.
    OpFoldResult rows = n.in(0).shape[rank - 2];
    if (rank == 3)
      rows = n.in(0).shape[1];
    Ref all = c.op("Range", {c.integers(n.size(0)), c.integers(rows),
                             c.integers(n.size(1))});
    places = c.op("Add", {all, c.convert(places, n.b.getI64Type())});
    places = c.reshape(places, {n.size(1), rows});
  }
  return c.set(0, c.op("RotaryEmbedding", {c.in(0), c.in(2), c.in(3), places},
                       {attribute("num_heads", countHeads(n)),
                        attribute("interleaved", n.getInt("interleaved", 0)),
                        attribute("rotary_embedding_dim",
                                  n.getInt("rotary_embedding_dim", 0))}));
}

//===----------------------------------------------------------------------===//
// Sums with biases
//===----------------------------------------------------------------------===//

/// BiasAdd: x + bias + skip.
LogicalResult onnx::importBiasAdd(NodeImporter &n) {
  Composer c(n);
  Ref moved = c.op("Add", {c.in(0), c.in(1)});
  return c.set(0, c.op("Add", {moved, c.in(2)}));
}

/// BiasSplitGelu: the left half of x + bias times the Gelu of the right half.
LogicalResult onnx::importBiasSplitGelu(NodeImporter &n) {
  int64_t last = n.in(0).rank() - 1;
  std::optional<int64_t> width =
      last >= 0 ? knownSize(n.in(0).shape[last]) : std::nullopt;
  if (!width || *width % 2 != 0)
    return n.refuse() << "splits a last dimension whose size is not known to "
                         "be even; correct the shape";
  Composer c(n);
  Ref moved = c.op("Add", {c.in(0), c.in(1)});
  OpFoldResult half = n.size(*width / 2);
  Ref right = c.op("Gelu", {c.part(moved, last, half, half)});
  return c.set(0, c.op("Mul", {c.part(moved, last, n.size(0), half), right}));
}
