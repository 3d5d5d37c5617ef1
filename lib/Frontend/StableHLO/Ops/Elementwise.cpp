//===- Elementwise.cpp - Elementwise ops on tensors -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OpTable.h"
#include "../Ops.h"
#include "../ScalarOps.h"
#include "Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/Utils/ConstantData.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

LogicalResult stablehlo::importElementwise(OpImporter &n) {
  if (std::optional<GraphValue> sizes = computeSizes(n))
    return n.set(*sizes);
  SmallVector<GraphValue *> operands;
  for (unsigned i = 0; i < n.numOperands(); ++i)
    operands.push_back(&n.in(i));
  for (GraphValue *operand : ArrayRef(operands).drop_front())
    if (operand->rank() != operands.front()->rank())
      return n.refuse() << "has operands of different ranks; correct the "
                           "program";
  ScalarFunction scalar = findOp(n.op->getName().getStringRef())->scalar;
  auto result =
      elementwise(n, operands, signless(n.resultElement()),
                  [&](Scalars &s, ValueRange x) { return scalar(s, n.op, x); });
  return failed(result) ? failure() : n.set(*result);
}

LogicalResult stablehlo::importConstant(OpImporter &n) {
  auto value = dyn_cast_or_null<ElementsAttr>(n.op->getAttr("value"));
  auto type =
      value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (!type || !type.hasStaticShape())
    return n.refuse() << "has no value that is a tensor; correct the program";
  Type element = signless(type.getElementType());
  RankedTensorType plain = type.clone(element);
  if (plain == type)
    return n.set(Constants::toValue(n.b, cast<TypedAttr>(value)));
  auto dense = dyn_cast<DenseIntElementsAttr>(value);
  if (dense)
    return n.set(
        Constants::toValue(n.b, cast<TypedAttr>(dense.bitcast(element))));
  std::optional<ConstantData> data = ConstantData::get(cast<TypedAttr>(value));
  if (!data)
    return n.refuse() << "has a value that cannot be read; correct the program";
  return n.set(
      Constants::toValue(n.b, makeConstant(plain, data->bytes, "constant")));
}

LogicalResult stablehlo::importIota(OpImporter &n) {
  auto type = dyn_cast<RankedTensorType>(n.op->getResult(0).getType());
  FailureOr<int64_t> dim = n.integer("iota_dimension", 0);
  if (failed(dim))
    return failure();
  if (!type || *dim < 0 || *dim >= type.getRank())
    return n.refuse() << "counts along dimension " << *dim
                      << ", which its result does not have; correct the "
                         "attribute";
  Shape shape;
  if (n.numOperands() == 1) { // dynamic_iota
    auto sizes = n.integers(0, "the shape of its result");
    if (failed(sizes))
      return failure();
    shape = Shape(*sizes);
  } else {
    if (!type.hasStaticShape())
      return n.refuse() << "has a result of unknown sizes; use dynamic_iota";
    shape = n.shape(type.getShape());
  }
  FailureOr<Shape> declared = n.declared(0, shape);
  if (failed(declared))
    return failure();
  Type element = signless(type.getElementType());
  Value result =
      tabulate(n, *declared, element, [&](Scalars &s, ValueRange i) -> Value {
        Type i64 = s.b.getI64Type();
        Value index = arith::IndexCastOp::create(s.b, s.loc, i64, i[*dim]);
        return convertScalar(s, index, i64, element);
      });
  return n.set(toGraphValue(result, *declared));
}

/// The operand as a tensor of the shape of another one, unless it has it or is
/// a constant: select and clamp repeat tensors without dimensions.
static void repeatScalar(OpImporter &n, unsigned i, unsigned like,
                         std::array<GraphValue, 3> &storage,
                         SmallVector<GraphValue *> &operands) {
  GraphValue &x = n.in(i);
  operands.push_back(&x);
  if (x.rank() != 0 || n.in(like).rank() == 0)
    return;
  storage[i] = reshape(n, x, Shape(n.in(like).rank(), n.size(1)));
  operands.back() = &storage[i];
}

LogicalResult stablehlo::importTernary(OpImporter &n) {
  if (std::optional<GraphValue> sizes = computeSizes(n))
    return n.set(*sizes);
  constexpr unsigned like = 1;
  std::array<GraphValue, 3> storage;
  SmallVector<GraphValue *> operands;
  for (unsigned i = 0; i < 3; ++i) {
    if (n.in(i).rank() != 0 && n.in(i).rank() != n.in(like).rank())
      return n.refuse() << "has operands of different ranks; correct the "
                           "program";
    repeatScalar(n, i, like, storage, operands);
  }
  ScalarFunction scalar = findOp(n.op->getName().getStringRef())->scalar;
  auto result =
      elementwise(n, operands, signless(n.resultElement()),
                  [&](Scalars &s, ValueRange x) { return scalar(s, n.op, x); });
  return failed(result) ? failure() : n.set(*result);
}

/// A number of type `from` as convert gives it in type `to`.
static TypedAttr convertNumber(Attribute number, Type from, Type to) {
  Type type = signless(to);
  auto real = dyn_cast<FloatType>(to);
  bool isInexact = false;
  if (auto value = dyn_cast<FloatAttr>(number)) {
    APFloat x = value.getValue();
    if (to.isInteger(1))
      return IntegerAttr::get(type, APInt(1, !x.isZero()));
    if (real) {
      x.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &isInexact);
      return FloatAttr::get(type, x);
    }
    APSInt result(to.getIntOrFloatBitWidth(), to.isUnsignedInteger());
    x.convertToInteger(result, APFloat::rmTowardZero, &isInexact);
    return IntegerAttr::get(type, result);
  }
  APInt x = cast<IntegerAttr>(number).getValue();
  bool isUnsignedFrom = isUnsigned(from) || from.isInteger(1);
  if (real) {
    APFloat result(real.getFloatSemantics());
    result.convertFromAPInt(x, !isUnsignedFrom, APFloat::rmNearestTiesToEven);
    return FloatAttr::get(type, result);
  }
  if (to.isInteger(1))
    return IntegerAttr::get(type, APInt(1, !x.isZero()));
  unsigned width = to.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, isUnsignedFrom ? x.zextOrTrunc(width)
                                               : x.sextOrTrunc(width));
}

LogicalResult stablehlo::importConvert(OpImporter &n) {
  GraphValue &x = n.in(0);
  Type from = n.elementOf(0), to = n.resultElement();
  if (signless(from) == signless(to))
    return n.set(x);
  // JAX writes bounds and factors as converted numbers.
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(x.constant);
      dense && dense.isSplat()) {
    TypedAttr number = convertNumber(*dense.value_begin<Attribute>(), from, to);
    return n.set(Constants::toValue(
        n.b, DenseElementsAttr::get(dense.getType().clone(signless(to)),
                                    Attribute(number))));
  }
  // Sizes stay known.
  if (std::optional<GraphValue> sizes = computeSizes(n))
    return n.set(*sizes);
  if (from.isSignlessInteger() && to.isSignlessInteger() &&
      !from.isInteger(1) && to.getIntOrFloatBitWidth() >= 32 &&
      n.knowsIntegers(x)) {
    GraphValue result;
    result.element = to;
    result.shape = x.shape;
    result.integers = x.integers;
    return n.set(result);
  }
  return importElementwise(n);
}

static Value bitcastTo(Scalars &s, Value x, Type type) {
  if (x.getType() == type)
    return x;
  return arith::BitcastOp::create(s.b, s.loc, type, x);
}

/// How far the bits of part `i` of a wide element lie from its lowest bit.
static Value shiftOf(Scalars &s, int64_t dim, unsigned width, Type wide) {
  Value i = linalg::IndexOp::create(s.b, s.loc, dim);
  return s.mul(arith::IndexCastOp::create(s.b, s.loc, wide, i),
               s.constant(wide, width));
}

/// Each element as several narrow ones, along a new last dimension; the lowest
/// bits come first.
static LogicalResult splitBits(OpImporter &n, Type from, Type to) {
  GraphValue &x = n.in(0);
  unsigned width = to.getIntOrFloatBitWidth();
  Type wide = n.b.getIntegerType(from.getIntOrFloatBitWidth()),
       narrow = n.b.getIntegerType(width), type = signless(to);
  int64_t rank = x.rank();
  Shape shape = x.shape;
  shape.push_back(n.size(from.getIntOrFloatBitWidth() / width));
  Value init =
      tensor::EmptyOp::create(n.b, n.loc, ArrayRef<OpFoldResult>(shape), type);
  AffineMap read = n.b.getMultiDimIdentityMap(rank + 1).dropResult(rank);
  SmallVector<utils::IteratorType> loops(rank + 1,
                                         utils::IteratorType::parallel);
  Value result = generic(
      n, n.tensor(x), init, {read, n.b.getMultiDimIdentityMap(rank + 1)}, loops,
      [&](Scalars &s, ValueRange args) {
        Value bits =
            arith::ShRUIOp::create(s.b, s.loc, bitcastTo(s, args[0], wide),
                                   shiftOf(s, rank, width, wide));
        return bitcastTo(s, arith::TruncIOp::create(s.b, s.loc, narrow, bits),
                         type);
      });
  return n.set(toGraphValue(result, shape));
}

/// The elements of the last dimension as one wide element.
static LogicalResult joinBits(OpImporter &n, Type from, Type to) {
  GraphValue &x = n.in(0);
  unsigned width = from.getIntOrFloatBitWidth(),
           wanted = to.getIntOrFloatBitWidth();
  if (x.rank() == 0 || knownSize(x.shape.back()) != wanted / width)
    return n.refuse() << "joins " << wanted / width
                      << " elements, which are not the last dimension of its "
                         "operand; correct the shapes";
  Type wide = n.b.getIntegerType(wanted), narrow = n.b.getIntegerType(width);
  int64_t last = x.rank() - 1;
  Shape shape(ArrayRef<OpFoldResult>(x.shape).drop_back());
  SmallVector<utils::IteratorType> loops(x.rank(),
                                         utils::IteratorType::parallel);
  loops.back() = utils::IteratorType::reduction;
  AffineMap all = n.b.getMultiDimIdentityMap(x.rank());
  Value bits = generic(
      n, n.tensor(x), filled(n, wide, shape, 0.0), {all, all.dropResult(last)},
      loops, [&](Scalars &s, ValueRange args) -> Value {
        Value part = arith::ExtUIOp::create(s.b, s.loc, wide,
                                            bitcastTo(s, args[0], narrow));
        Value moved = arith::ShLIOp::create(s.b, s.loc, part,
                                            shiftOf(s, last, width, wide));
        return arith::OrIOp::create(s.b, s.loc, args[1], moved);
      });
  GraphValue words = toGraphValue(bits, shape);
  Type type = signless(to);
  auto result = elementwise(n, {&words}, type, [&](Scalars &s, ValueRange v) {
    return bitcastTo(s, v[0], type);
  });
  return failed(result) ? failure() : n.set(*result);
}

LogicalResult stablehlo::importBitcastConvert(OpImporter &n) {
  Type from = n.elementOf(0), to = n.resultElement();
  unsigned width = from.getIntOrFloatBitWidth(),
           wanted = to.getIntOrFloatBitWidth();
  if (from.isInteger(1) || to.isInteger(1)) {
    if (from == to)
      return n.set(n.in(0));
    return n.refuse() << "changes bits of bool, from " << from << " to " << to
                      << ", which is not defined; use convert";
  }
  if (width > wanted)
    return splitBits(n, from, to);
  if (width < wanted)
    return joinBits(n, from, to);
  if (signless(from) == signless(to))
    return n.set(n.in(0));
  return importElementwise(n);
}

LogicalResult stablehlo::importReducePrecision(OpImporter &n) {
  FailureOr<int64_t> exponent = n.integer("exponent_bits", 0),
                     mantissa = n.integer("mantissa_bits", 0);
  if (failed(exponent) || failed(mantissa))
    return failure();
  bool isType = (*exponent == 8 && *mantissa == 7) ||
                (*exponent == 5 && *mantissa == 10) ||
                (*exponent == 8 && *mantissa == 23);
  if (!isType)
    return n.refuse() << "rounds to " << *exponent << " bits of exponent and "
                      << *mantissa
                      << " of mantissa, which is not supported; use those of "
                         "bf16 (8, 7), f16 (5, 10) or f32 (8, 23)";
  return importElementwise(n);
}

LogicalResult stablehlo::importIdentity(OpImporter &n) {
  for (unsigned i = 0; i < n.op->getNumResults(); ++i) {
    if (i >= n.numOperands())
      return n.refuse() << "has more results than operands; correct the "
                           "program";
    if (failed(n.set(i, n.in(i))))
      return failure();
  }
  return success();
}
