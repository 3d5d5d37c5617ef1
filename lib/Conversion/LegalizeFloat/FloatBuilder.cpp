//===- FloatBuilder.cpp - Emitting fixed sequences ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace qcc;

Type FloatBuilder::typeLike(Type element) const {
  if (auto vector = dyn_cast<VectorType>(shape))
    return vector.clone(element);
  return element;
}

Value FloatBuilder::constant(TypedAttr scalar) {
  Type type = typeLike(scalar.getType());
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(vector, scalar));
  return arith::ConstantOp::create(builder, loc, scalar);
}

Value FloatBuilder::floating(FloatType type, double value) {
  return constant(builder.getFloatAttr(type, value));
}

Value FloatBuilder::integer(unsigned width, uint64_t value) {
  return constant(builder.getIntegerAttr(
      builder.getIntegerType(width),
      APInt(width, value, /*isSigned=*/false, /*implicitTrunc=*/true)));
}

Value FloatBuilder::f32(uint32_t bits) {
  return constant(builder.getFloatAttr(builder.getF32Type(),
                                       APFloat(llvm::bit_cast<float>(bits))));
}

Value FloatBuilder::f64(uint64_t bits) {
  return constant(builder.getFloatAttr(builder.getF64Type(),
                                       APFloat(llvm::bit_cast<double>(bits))));
}

Value FloatBuilder::add(Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b);
}
Value FloatBuilder::sub(Value a, Value b) {
  return arith::SubFOp::create(builder, loc, a, b);
}
Value FloatBuilder::mul(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b);
}
Value FloatBuilder::div(Value a, Value b) {
  return arith::DivFOp::create(builder, loc, a, b);
}
Value FloatBuilder::fma(Value a, Value b, Value c) {
  return math::FmaOp::create(builder, loc, a, b, c);
}
Value FloatBuilder::addi(Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}
Value FloatBuilder::subi(Value a, Value b) {
  return arith::SubIOp::create(builder, loc, a, b);
}
Value FloatBuilder::andi(Value a, Value b) {
  return arith::AndIOp::create(builder, loc, a, b);
}
Value FloatBuilder::ori(Value a, Value b) {
  return arith::OrIOp::create(builder, loc, a, b);
}
Value FloatBuilder::shl(Value a, unsigned amount) {
  unsigned width = getElementTypeOrSelf(a).getIntOrFloatBitWidth();
  return arith::ShLIOp::create(builder, loc, a, integer(width, amount));
}
Value FloatBuilder::shrs(Value a, unsigned amount) {
  unsigned width = getElementTypeOrSelf(a).getIntOrFloatBitWidth();
  return arith::ShRSIOp::create(builder, loc, a, integer(width, amount));
}
Value FloatBuilder::shru(Value a, unsigned amount) {
  unsigned width = getElementTypeOrSelf(a).getIntOrFloatBitWidth();
  return arith::ShRUIOp::create(builder, loc, a, integer(width, amount));
}
Value FloatBuilder::bitcast(Value a, Type element) {
  return arith::BitcastOp::create(builder, loc, typeLike(element), a);
}
Value FloatBuilder::cmp(arith::CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}
Value FloatBuilder::select(Value c, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, c, a, b);
}
Value FloatBuilder::abs(Value a) {
  return math::AbsFOp::create(builder, loc, a);
}
