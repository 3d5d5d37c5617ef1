//===- PackBytes.cpp - Vectors of i32 to a vector of bytes ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vpmovdb, which truncates one vector, costs as much as the whole sequence for
// four: vpackssdw twice and vpackuswb (or vpacksswb) once, which saturate, and
// vpermd, which undoes what they do to the order, for they work on each 128
// bits alone:
//
//   a, b, c, d of lanes [x0 x1 x2 x3 | x4 ..]  each lane a number
//   pack   [a0..a3 b0..b3 c0..c3 d0..d3 | a4 ..]  each a byte: i32 words a, b,
//   .. vpermd [a0..a3 a4..a7 .. | b0 ..]
//
//===----------------------------------------------------------------------===//

#include "PackBytes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

/// Keeps bytes within what is left of a range after they saturated.
static Value clamp(KernelBuilder &builder, Value bytes, ByteRange range) {
  OpBuilder &rewriter = builder.rewriter;
  auto type = cast<VectorType>(bytes.getType());
  bool isSigned = range.saturation == Saturation::Signed;
  auto with = [&](int64_t bound) {
    return builder.splat(type, isSigned ? bound : int64_t(int8_t(bound)));
  };
  if (range.least)
    bytes = isSigned ? arith::MaxSIOp::create(rewriter, builder.loc, bytes,
                                              with(*range.least))
                           .getResult()
                     : arith::MaxUIOp::create(rewriter, builder.loc, bytes,
                                              with(*range.least));
  if (range.most)
    bytes = isSigned ? arith::MinSIOp::create(rewriter, builder.loc, bytes,
                                              with(*range.most))
                           .getResult()
                     : arith::MinUIOp::create(rewriter, builder.loc, bytes,
                                              with(*range.most));
  return bytes;
}

Value qcc::x86::packBlocks(KernelBuilder &builder, ValueRange vectors,
                           ByteRange range) {
  OpBuilder &rewriter = builder.rewriter;
  Location loc = builder.loc;
  int64_t lanes = builder.lanes;
  bool wide = lanes == 16;
  auto call = [&](StringRef narrow, StringRef wideName, VectorType type,
                  Value a, Value b) {
    return LLVM::CallIntrinsicOp::create(
               rewriter, loc, type,
               rewriter.getStringAttr(wide ? wideName : narrow),
               ValueRange{a, b})
        .getResult(0);
  };
  SmallVector<Value> words;
  for (Value vector : vectors) {
    if (range.saturation == Saturation::None)
      vector = arith::AndIOp::create(rewriter, loc, vector,
                                     builder.splat(builder.integerType(), 255));
    words.push_back(vector);
  }
  auto toShorts = [&](Value a, Value b) {
    return call("llvm.x86.avx2.packssdw", "llvm.x86.avx512.packssdw.512",
                builder.vectorType(2 * lanes, 16), a, b);
  };
  Value low = toShorts(words[0], words[1]);
  Value high = words.size() == 4 ? toShorts(words[2], words[3]) : low;
  VectorType bytes = builder.vectorType(4 * lanes, 8);
  Value packed = range.saturation == Saturation::Signed
                     ? call("llvm.x86.avx2.packsswb",
                            "llvm.x86.avx512.packsswb.512", bytes, low, high)
                     : call("llvm.x86.avx2.packuswb",
                            "llvm.x86.avx512.packuswb.512", bytes, low, high);
  return clamp(builder, packed, range);
}

Value qcc::x86::packBytes(KernelBuilder &builder, ValueRange vectors,
                          ByteRange range) {
  OpBuilder &rewriter = builder.rewriter;
  Location loc = builder.loc;
  int64_t lanes = builder.lanes, count = vectors.size();
  assert((count == 1 || count == 2 || count == 4) && "a power of 2");
  if (count == 1) {
    Value vector = vectors.front();
    if (range.saturation != Saturation::None) {
      bool isSigned = range.saturation == Saturation::Signed;
      int64_t least = range.least.value_or(isSigned ? -128 : 0),
              most = range.most.value_or(isSigned ? 127 : 255);
      vector = arith::MaxSIOp::create(
          rewriter, loc, vector, builder.splat(builder.integerType(), least));
      vector = arith::MinSIOp::create(
          rewriter, loc, vector, builder.splat(builder.integerType(), most));
    }
    return arith::TruncIOp::create(rewriter, loc, builder.vectorType(lanes, 8),
                                   vector);
  }
  Value packed = packBlocks(builder, vectors, range);
  SmallVector<int64_t> order;
  for (int64_t v = 0; v < count; ++v)
    for (int64_t group = 0; group < lanes / 4; ++group)
      order.push_back(4 * group + v);
  Value mixed =
      vector::BitCastOp::create(rewriter, loc, builder.integerType(), packed);
  Value ordered = vector::ShuffleOp::create(rewriter, loc, mixed, mixed, order);
  return vector::BitCastOp::create(
      rewriter, loc, builder.vectorType(count * lanes, 8), ordered);
}
