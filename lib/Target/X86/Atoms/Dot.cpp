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
  auto type = VectorType::get({(int64_t)atom.lanes * atom.kr},
                              builder.getIntegerType(32 / atom.kr));
  Value a = builder.createOrFold<vector::BitCastOp>(loc, type, left);
  Value b = builder.createOrFold<vector::BitCastOp>(loc, type, right);
  auto callOf = [&](Type result, StringRef name, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(builder, loc, result,
                                         builder.getStringAttr(name), operands)
        .getResult(0);
  };
  auto call = [&](ValueRange operands) {
    return callOf(accumulators.getType(), intrinsicOf(atom), operands);
  };
  if (atom.form == AtomForm::Bytes) {
    auto words =
        VectorType::get({2 * (int64_t)atom.lanes}, builder.getIntegerType(16));
    Value ones = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(words, builder.getI16IntegerAttr(1)));
    StringRef name = atom.lanes == 16 ? "llvm.x86.avx512.pmaddubs.w.512"
                                      : "llvm.x86.avx2.pmadd.ub.sw";
    return arith::AddIOp::create(builder, loc, accumulators,
                                 call({callOf(words, name, {a, b}), ones}));
  }
  if (atom.kr == 4)
    return call({accumulators, a, b});
  return arith::AddIOp::create(builder, loc, accumulators, call({a, b}));
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
