//===- Steps.cpp - Emitting fixed sequences -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace qcc;

Type Steps::typeLike(Type element) const {
  if (auto vector = dyn_cast<VectorType>(shape))
    return vector.clone(element);
  return element;
}

Value Steps::constant(TypedAttr scalar) {
  Type type = typeLike(scalar.getType());
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(vector, scalar));
  return arith::ConstantOp::create(builder, loc, scalar);
}

Value Steps::floating(FloatType type, double value) {
  return constant(builder.getFloatAttr(type, value));
}

Value Steps::integer(unsigned width, uint64_t value) {
  return constant(builder.getIntegerAttr(
      builder.getIntegerType(width),
      APInt(width, value, /*isSigned=*/false, /*implicitTrunc=*/true)));
}

Value Steps::f32(uint32_t bits) {
  return constant(builder.getFloatAttr(builder.getF32Type(),
                                       APFloat(llvm::bit_cast<float>(bits))));
}

Value Steps::f64(uint64_t bits) {
  return constant(builder.getFloatAttr(builder.getF64Type(),
                                       APFloat(llvm::bit_cast<double>(bits))));
}

Value Steps::add(Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b);
}
Value Steps::sub(Value a, Value b) {
  return arith::SubFOp::create(builder, loc, a, b);
}
Value Steps::mul(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b);
}
Value Steps::div(Value a, Value b) {
  return arith::DivFOp::create(builder, loc, a, b);
}
Value Steps::fma(Value a, Value b, Value c) {
  return math::FmaOp::create(builder, loc, a, b, c);
}
Value Steps::addi(Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}
Value Steps::subi(Value a, Value b) {
  return arith::SubIOp::create(builder, loc, a, b);
}
Value Steps::andi(Value a, Value b) {
  return arith::AndIOp::create(builder, loc, a, b);
}
Value Steps::ori(Value a, Value b) {
  return arith::OrIOp::create(builder, loc, a, b);
}
Value Steps::shl(Value a, unsigned amount) {
  unsigned width = getElementTypeOrSelf(a).getIntOrFloatBitWidth();
  return arith::ShLIOp::create(builder, loc, a, integer(width, amount));
}
Value Steps::shrs(Value a, unsigned amount) {
  unsigned width = getElementTypeOrSelf(a).getIntOrFloatBitWidth();
  return arith::ShRSIOp::create(builder, loc, a, integer(width, amount));
}
Value Steps::shru(Value a, unsigned amount) {
  unsigned width = getElementTypeOrSelf(a).getIntOrFloatBitWidth();
  return arith::ShRUIOp::create(builder, loc, a, integer(width, amount));
}
Value Steps::bitcast(Value a, Type element) {
  return arith::BitcastOp::create(builder, loc, typeLike(element), a);
}
Value Steps::cmp(arith::CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}
Value Steps::select(Value c, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, c, a, b);
}
Value Steps::abs(Value a) { return math::AbsFOp::create(builder, loc, a); }
