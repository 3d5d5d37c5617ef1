//===- PackWords.cpp - Rows and columns to vectors of words ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackWords.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc::x86;

static int64_t sizeOf(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

static Value shuffle(KernelBuilder &builder, Value a, Value b,
                     ArrayRef<int64_t> order) {
  return vector::ShuffleOp::create(builder.rewriter, builder.loc, a, b, order);
}

static Value castTo(KernelBuilder &builder, Value vector, unsigned bits) {
  auto type = cast<VectorType>(vector.getType());
  VectorType result = builder.vectorType(
      type.getNumElements() * type.getElementTypeBitWidth() / bits, bits);
  return type == result ? vector
                        : vector::BitCastOp::create(builder.rewriter,
                                                    builder.loc, result, vector)
                              .getResult();
}

/// vpunpckl and vpunpckh: elements of the low or the high half of each 128 bits
/// of a and b in turn.
static Value unpack(KernelBuilder &builder, Value a, Value b, unsigned bits,
                    bool high) {
  a = castTo(builder, a, bits);
  b = castTo(builder, b, bits);
  int64_t size = sizeOf(a), block = 128 / bits;
  SmallVector<int64_t> order;
  for (int64_t first = high ? block / 2 : 0; first < size; first += block)
    for (int64_t i = 0; i < block / 2; ++i)
      order.append({first + i, size + first + i});
  return shuffle(builder, a, b, order);
}

/// Picks blocks of 128 bits of a, then of b, as i32.
static Value pickBlocks(KernelBuilder &builder, Value a, Value b,
                        ArrayRef<int64_t> blocks) {
  SmallVector<int64_t> order;
  for (int64_t block : blocks)
    for (int64_t i = 0; i < 4; ++i)
      order.push_back(4 * block + i);
  return shuffle(builder, a, b, order);
}

/// Block g of each of `parts`, in order: one vector of builder.lanes i32 for
/// each g. There are builder.lanes / 4 parts.
static SmallVector<Value> transposeBlocks(KernelBuilder &builder,
                                          ValueRange parts, int64_t count) {
  SmallVector<Value> result;
  int64_t blocks = sizeOf(parts[0]) / 4;
  if (parts.size() == 2) {
    for (int64_t g = 0; g < count; ++g)
      result.push_back(
          pickBlocks(builder, parts[0], parts[1], {g, blocks + g}));
    return result;
  }
  // Two of four blocks at a time.
  int64_t step = std::min<int64_t>(blocks, 2);
  for (int64_t first = 0; first < count; first += step) {
    SmallVector<int64_t> both;
    for (int64_t base : {int64_t(0), blocks})
      for (int64_t i = 0; i < step; ++i)
        both.push_back(base + first + i);
    Value low = pickBlocks(builder, parts[0], parts[1], both),
          high = pickBlocks(builder, parts[2], parts[3], both);
    for (int64_t g = 0; g < step && first + g < count; ++g)
      result.push_back(pickBlocks(builder, low, high,
                                  {g, step + g, 2 * step + g, 3 * step + g}));
  }
  return result;
}

/// Vectors of builder.lanes i32 from the i32 of `parts`, which follow each
/// other in this order.
static SmallVector<Value> inVectors(KernelBuilder &builder, ValueRange parts,
                                    int64_t count) {
  int64_t lanes = builder.lanes, size = sizeOf(parts[0]);
  auto sequence = [](int64_t first, int64_t count) {
    return llvm::to_vector(llvm::seq<int64_t>(first, first + count));
  };
  SmallVector<Value> vectors;
  if (size >= lanes) {
    for (int64_t i = 0; i < count; ++i) {
      Value part = parts[i * lanes / size];
      vectors.push_back(size == lanes
                            ? part
                            : shuffle(builder, part, part,
                                      sequence(i * lanes % size, lanes)));
    }
    return vectors;
  }
  SmallVector<Value> joined(parts.take_front(count * lanes / size));
  for (; size < lanes; size *= 2) {
    SmallVector<Value> next;
    for (size_t i = 0; i < joined.size(); i += 2)
      next.push_back(
          shuffle(builder, joined[i], joined[i + 1], sequence(0, 2 * size)));
    joined = next;
  }
  return joined;
}

SmallVector<Value> qcc::x86::interleaveRows(KernelBuilder &builder,
                                            ValueRange rows) {
  int64_t count = rows.size(), columns = sizeOf(rows[0]);
  unsigned bits = 32 / count;
  // Unpacking is done in each 128 bits alone, which have four columns in each
  // of `count` groups. So group i of block b has the columns that are to come
  // after those of block b - 1, and after group i - 1 of all blocks.
  int64_t width = std::max<int64_t>(columns, 128 / bits);
  int64_t blocks = width * bits / 128;
  SmallVector<int64_t> order;
  for (int64_t b = 0; b < blocks; ++b)
    for (int64_t i = 0; i < count; ++i)
      order.push_back((i * blocks + b) % (columns / 4));
  SmallVector<Value> parts;
  for (Value row : rows) {
    // A group is one element: shuffles of smaller ones are mixed with those
    // below, and take more instructions.
    Value groups = castTo(builder, row, 4 * bits);
    parts.push_back(width == columns && blocks == 1
                        ? row
                        : shuffle(builder, groups, groups, order));
  }
  // Pairs of rows, then pairs of pairs.
  for (int64_t size = 1; size < count; size *= 2, bits *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < count; i += 2 * size)
      for (int64_t j = 0; j < size; ++j)
        for (bool high : {false, true})
          next.push_back(
              unpack(builder, parts[i + j], parts[i + size + j], bits, high));
    parts = next;
  }
  for (Value &part : parts)
    part = castTo(builder, part, 32);
  return inVectors(builder, parts, columns / builder.lanes);
}

Value qcc::x86::interleaveBytes(KernelBuilder &builder, ValueRange rows,
                                ByteRange range) {
  Value mixed = packBlocks(builder, rows, range);
  // Byte r of word i of each 128 bits is byte i of word r.
  SmallVector<int64_t> order;
  for (int64_t i = 0, e = sizeOf(mixed); i < e; ++i)
    order.push_back(i / 16 * 16 + i % 4 * 4 + i % 16 / 4);
  return castTo(builder, shuffle(builder, mixed, mixed, order), 32);
}

SmallVector<Value> qcc::x86::transposeQuads(KernelBuilder &builder,
                                            ValueRange rows) {
  SmallVector<Value> result;
  for (bool high : {false, true}) {
    Value first = unpack(builder, rows[0], rows[1], 32, high),
          second = unpack(builder, rows[2], rows[3], 32, high);
    for (bool highPart : {false, true})
      result.push_back(
          castTo(builder, unpack(builder, first, second, 64, highPart), 32));
  }
  return result;
}

SmallVector<Value> qcc::x86::transposeWords(KernelBuilder &builder,
                                            ValueRange rows) {
  int64_t lanes = builder.lanes;
  // Word p of each 128 bits of four rows side by side.
  SmallVector<SmallVector<Value>> parts(4);
  for (int64_t i = 0; i < lanes; i += 4)
    for (auto [p, part] :
         llvm::enumerate(transposeQuads(builder, rows.slice(i, 4))))
      parts[p].push_back(part);
  SmallVector<Value> result(lanes);
  for (int64_t p = 0; p < 4; ++p) {
    SmallVector<Value> words = transposeBlocks(builder, parts[p], lanes / 4);
    for (auto [block, word] : llvm::enumerate(words))
      result[4 * block + p] = word;
  }
  return result;
}

Value qcc::x86::joinQuads(KernelBuilder &builder, ValueRange quads) {
  return inVectors(builder, quads, 1).front();
}
