//===- Dot.cpp - Instructions that multiply words of bytes ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

/// The instruction of each atom, as LLVM names it.
static StringRef intrinsicOf(const Atom &atom) {
  bool wide = atom.lanes == 16;
  if (atom.kr == 4 && atom.form != AtomForm::Bytes)
    return wide ? "llvm.x86.avx512.vpdpbusd.512"
                : "llvm.x86.avx512.vpdpbusd.256";
  return wide ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd";
}

static Value call(OpBuilder &builder, Location loc, Type result, StringRef name,
                  ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, loc, result,
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

/// `vector` as elements of the words of an atom, of 32 / KR bits.
static Value asElements(OpBuilder &builder, Location loc, const Atom &atom,
                        Value vector) {
  auto type = VectorType::get({(int64_t)atom.lanes * atom.kr},
                              builder.getIntegerType(32 / atom.kr));
  return builder.createOrFold<vector::BitCastOp>(loc, type, vector);
}

/// Sums of two products of unsigned by signed bytes, in i16.
static Value multiplyBytes(OpBuilder &builder, Location loc, const Atom &atom,
                           Value left, Value right) {
  auto words =
      VectorType::get({2 * (int64_t)atom.lanes}, builder.getIntegerType(16));
  return call(builder, loc, words,
              atom.lanes == 16 ? "llvm.x86.avx512.pmaddubs.w.512"
                               : "llvm.x86.avx2.pmadd.ub.sw",
              {asElements(builder, loc, atom, left),
               asElements(builder, loc, atom, right)});
}

/// `accumulators` plus the sums of two elements of `words` each.
static Value addWords(OpBuilder &builder, Location loc, const Atom &atom,
                      Value accumulators, Value words) {
  Value ones = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(cast<VectorType>(words.getType()),
                             builder.getI16IntegerAttr(1)));
  return arith::AddIOp::create(builder, loc, accumulators,
                               call(builder, loc, accumulators.getType(),
                                    intrinsicOf(atom), {words, ones}));
}

Value qcc::x86::multiplyAccumulate(OpBuilder &builder, Location loc,
                                   const Atom &atom, Value accumulators,
                                   Value left, Value right) {
  assert(cast<VectorType>(accumulators.getType()).getNumElements() ==
             int64_t(atom.lanes) &&
         "an accumulator for each lane");
  if (atom.hasFloats())
    return math::FmaOp::create(builder, loc, left, right, accumulators);
  assert((atom.kr == 2 || atom.kr == 4) &&
         "vectors are multiplied in words of two or four elements");
  if (atom.form == AtomForm::Bytes)
    return addWords(builder, loc, atom, accumulators,
                    multiplyBytes(builder, loc, atom, left, right));
  Value a = asElements(builder, loc, atom, left),
        b = asElements(builder, loc, atom, right);
  if (atom.kr == 4)
    return call(builder, loc, accumulators.getType(), intrinsicOf(atom),
                {accumulators, a, b});
  return arith::AddIOp::create(
      builder, loc, accumulators,
      call(builder, loc, accumulators.getType(), intrinsicOf(atom), {a, b}));
}

int64_t qcc::x86::mostPairsOfNibbles(const Atom &atom) {
  if (atom.form != AtomForm::Bytes)
    return 1;
  // Each word adds two products of a nibble by a byte to an i16.
  constexpr int64_t kMostOfPair = 2 * 2 * 15 * 128;
  return std::numeric_limits<int16_t>::max() / kMostOfPair;
}

std::array<Value, 2> qcc::x86::splitNibbles(OpBuilder &builder, Location loc,
                                            Value nibbles) {
  auto splat = [&](int64_t value) -> Value {
    auto type = cast<VectorType>(nibbles.getType());
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getI32IntegerAttr(value)));
  };
  Value high = arith::ShRUIOp::create(builder, loc, nibbles, splat(4));
  Value mask = splat(0x0f0f0f0f);
  return {arith::AndIOp::create(builder, loc, nibbles, mask),
          arith::AndIOp::create(builder, loc, high, mask)};
}

Value qcc::x86::multiplyNibbles(OpBuilder &builder, Location loc,
                                const Atom &atom, Value accumulators,
                                ArrayRef<Value> left, ArrayRef<Value> right) {
  if (atom.form != AtomForm::Bytes) {
    for (auto [a, b] : llvm::zip_equal(left, right))
      accumulators = multiplyAccumulate(builder, loc, atom, accumulators, b, a);
    return accumulators;
  }
  assert(left.size() <= 2 * size_t(mostPairsOfNibbles(atom)) &&
         "sums that fit an i16");
  Value sum;
  for (auto [a, b] : llvm::zip_equal(left, right)) {
    Value product = multiplyBytes(builder, loc, atom, b, a);
    sum = sum ? arith::AddIOp::create(builder, loc, sum, product).getResult()
              : product;
  }
  return addWords(builder, loc, atom, accumulators, sum);
}

Value qcc::x86::multiplyPairs(OpBuilder &builder, Location loc,
                              const Atom &atom, Value accumulators,
                              std::array<Value, 2> left,
                              std::array<Value, 2> right) {
  auto type = VectorType::get({(int64_t)atom.lanes * atom.kr},
                              builder.getIntegerType(32 / atom.kr));
  assert(atom.hasPairs() && "an atom that multiplies sums of pairs");
  auto sum = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(
        builder, loc, vector::BitCastOp::create(builder, loc, type, a),
        vector::BitCastOp::create(builder, loc, type, b));
  };
  return multiplyAccumulate(builder, loc, atom, accumulators,
                            sum(left[0], right[1]), sum(left[1], right[0]));
}
