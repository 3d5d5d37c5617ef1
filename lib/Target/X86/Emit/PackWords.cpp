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

SmallVector<Value> qcc::x86::interleaveRows(KernelBuilder &builder,
                                            ValueRange rows) {
  SmallVector<Value> bytes(rows);
  int64_t columns = sizeOf(bytes[0]);
  int64_t groups = columns / builder.lanes;
  if (columns < 16) // half of the 128 bits
    for (Value &row : bytes) {
      SmallVector<int64_t> order(16, ShapedType::kDynamic);
      for (int64_t i = 0; i < 16; ++i)
        order[i] = i % columns;
      row = shuffle(builder, row, row, order);
    }
  // Part p has columns 4 p .. 4 p + 3 of each 16.
  SmallVector<Value> parts;
  for (bool high : {false, true}) {
    Value low2 = unpack(builder, bytes[0], bytes[1], 8, high),
          high2 = unpack(builder, bytes[2], bytes[3], 8, high);
    for (bool highPart : {false, true})
      parts.push_back(
          castTo(builder, unpack(builder, low2, high2, 16, highPart), 32));
  }
  if (builder.lanes == 16)
    return transposeBlocks(builder, parts, groups);
  // Eight columns are two parts: the first two, then the other two.
  SmallVector<Value> low = transposeBlocks(
      builder, ValueRange(parts).take_front(2), llvm::divideCeil(groups, 2));
  SmallVector<Value> high =
      transposeBlocks(builder, ValueRange(parts).drop_front(2), groups / 2);
  SmallVector<Value> result;
  for (int64_t g = 0; g < groups; ++g)
    result.push_back((g % 2 ? high : low)[g / 2]);
  return result;
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

SmallVector<Value> qcc::x86::transposeWords(KernelBuilder &builder,
                                            ValueRange rows) {
  int64_t lanes = builder.lanes;
  // Word p of each 128 bits of four rows side by side.
  SmallVector<SmallVector<Value>> parts(4);
  for (int64_t i = 0; i < lanes; i += 4)
    for (bool high : {false, true}) {
      Value first = unpack(builder, rows[i], rows[i + 1], 32, high),
            second = unpack(builder, rows[i + 2], rows[i + 3], 32, high);
      for (bool highPart : {false, true})
        parts[2 * high + highPart].push_back(
            castTo(builder, unpack(builder, first, second, 64, highPart), 32));
    }
  SmallVector<Value> result(lanes);
  for (int64_t p = 0; p < 4; ++p) {
    SmallVector<Value> words = transposeBlocks(builder, parts[p], lanes / 4);
    for (auto [block, word] : llvm::enumerate(words))
      result[4 * block + p] = word;
  }
  return result;
}
