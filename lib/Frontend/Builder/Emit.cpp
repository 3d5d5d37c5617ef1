//===- Emit.cpp - MLIR that several ops are made of -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace qcc;
using namespace qcc::frontend;

using Iterator = utils::IteratorType;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static bool isFloat(Value x) { return isa<FloatType>(x.getType()); }

Value Scalars::constant(Type type, double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  // The greatest int64 is no double.
  int64_t integer = value >= 0x1p63 ? std::numeric_limits<int64_t>::max()
                                    : static_cast<int64_t>(value);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, integer));
}
Value Scalars::add(Value x, Value y) {
  if (isFloat(x))
    return arith::AddFOp::create(b, loc, x, y);
  return arith::AddIOp::create(b, loc, x, y);
}
Value Scalars::sub(Value x, Value y) {
  if (isFloat(x))
    return arith::SubFOp::create(b, loc, x, y);
  return arith::SubIOp::create(b, loc, x, y);
}
Value Scalars::mul(Value x, Value y) {
  if (isFloat(x))
    return arith::MulFOp::create(b, loc, x, y);
  return arith::MulIOp::create(b, loc, x, y);
}
Value Scalars::div(Value x, Value y) {
  if (isFloat(x))
    return arith::DivFOp::create(b, loc, x, y);
  return arith::DivSIOp::create(b, loc, x, y);
}
Value Scalars::max(Value x, Value y) {
  if (isFloat(x))
    return arith::MaximumFOp::create(b, loc, x, y);
  return arith::MaxSIOp::create(b, loc, x, y);
}
Value Scalars::min(Value x, Value y) {
  if (isFloat(x))
    return arith::MinimumFOp::create(b, loc, x, y);
  return arith::MinSIOp::create(b, loc, x, y);
}
Value Scalars::exp(Value x) { return math::ExpOp::create(b, loc, x); }
Value Scalars::log(Value x) { return math::LogOp::create(b, loc, x); }
Value Scalars::sqrt(Value x) { return math::SqrtOp::create(b, loc, x); }
Value Scalars::abs(Value x) {
  if (isFloat(x))
    return math::AbsFOp::create(b, loc, x);
  return math::AbsIOp::create(b, loc, x);
}
Value Scalars::sigmoid(Value x) {
  Value one = constant(x.getType(), 1.0);
  return div(one, add(one, exp(arith::NegFOp::create(b, loc, x))));
}
Value Scalars::less(Value x, Value y) {
  if (isFloat(x))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
}
Value Scalars::equal(Value x, Value y) {
  if (isFloat(x))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
}
Value Scalars::isNaN(Value x) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
}
Value Scalars::isOrdered(Value x) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, x, x);
}
Value Scalars::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, loc, condition, x, y);
}
Value Scalars::extract(Value tensor, ValueRange indices) {
  return tensor::ExtractOp::create(b, loc, tensor, indices);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

GraphValue frontend::toGraphValue(Value value, const Shape &shape) {
  GraphValue result;
  result.element = cast<RankedTensorType>(value.getType()).getElementType();
  result.shape = shape;
  result.value = value;
  return result;
}

GraphValue frontend::toGraphValue(OpBuilder &b, Value tensor) {
  Shape shape;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    shape.push_back(
        ShapedType::isDynamic(size)
            ? OpFoldResult(tensor::DimOp::create(b, tensor.getLoc(), tensor, d)
                               .getResult())
            : b.getIndexAttr(size));
  return toGraphValue(tensor, shape);
}

static Value empty(GraphBuilder &n, Type element, const Shape &shape) {
  return tensor::EmptyOp::create(n.b, n.loc, ArrayRef<OpFoldResult>(shape),
                                 element);
}

Value frontend::filledWith(GraphBuilder &n, Value scalar, const Shape &shape) {
  return linalg::FillOp::create(n.b, n.loc, scalar,
                                empty(n, scalar.getType(), shape))
      .getResult(0);
}

Value frontend::filled(GraphBuilder &n, Type element, const Shape &shape,
                       double value) {
  return filledWith(n, Scalars(n.b, n.loc).constant(element, value), shape);
}

Value frontend::constantFloats(GraphBuilder &n, ArrayRef<float> values,
                               ArrayRef<int64_t> shape) {
  assert(int64_t(values.size()) == ShapedType::getNumElements(shape) &&
         "a number for each element");
  auto type = RankedTensorType::get(shape, n.b.getF32Type());
  return arith::ConstantOp::create(n.b, n.loc,
                                   DenseElementsAttr::get(type, values));
}

SmallVector<Value> frontend::generics(GraphBuilder &n, ValueRange inputs,
                                      ValueRange inits,
                                      ArrayRef<AffineMap> maps,
                                      ArrayRef<Iterator> iterators,
                                      ScalarsBody body) {
  assert(maps.size() == inputs.size() + inits.size() &&
         "a map for each input and each result");
  return llvm::to_vector_of<Value>(
      linalg::GenericOp::create(
          n.b, n.loc, inits.getTypes(), inputs, inits, maps, iterators,
          [&](OpBuilder &b, Location loc, ValueRange args) {
            Scalars scalars(b, loc);
            linalg::YieldOp::create(b, loc, body(scalars, args));
          })
          .getResults());
}

Value frontend::generic(GraphBuilder &n, ValueRange inputs, Value init,
                        ArrayRef<AffineMap> maps, ArrayRef<Iterator> iterators,
                        ScalarBody body) {
  return generics(n, inputs, init, maps, iterators,
                  [&](Scalars &s, ValueRange args) {
                    return SmallVector<Value>{body(s, args)};
                  })
      .front();
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

OpFoldResult frontend::simpler(OpFoldResult x, OpFoldResult y) {
  auto cost = [](OpFoldResult size) {
    if (knownSize(size))
      return 0;
    return cast<Value>(size).getDefiningOp<tensor::DimOp>() ? 1 : 2;
  };
  return cost(y) < cost(x) ? y : x;
}

/// The size of a result dimension where operands have `x` and `y`.
static std::optional<OpFoldResult>
broadcastSize(GraphBuilder &n, OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> kx = knownSize(x), ky = knownSize(y);
  if (kx == 1)
    return y;
  if (ky == 1)
    return x;
  if (kx && ky && *kx != *ky)
    return std::nullopt;
  bool mayRepeatX = x != y && SizeArithmetic::isQuotient(x),
       mayRepeatY = x != y && SizeArithmetic::isQuotient(y);
  if (mayRepeatX && mayRepeatY)
    return n.broadcastSize(x, y);
  if (mayRepeatX || mayRepeatY)
    return mayRepeatX ? y : x;
  return simpler(x, y);
}

FailureOr<Shape> frontend::broadcast(GraphBuilder &n,
                                     ArrayRef<const Shape *> shapes) {
  size_t rank = 0;
  for (const Shape *shape : shapes)
    rank = std::max(rank, shape->size());
  Shape result(rank, n.size(1));
  for (const Shape *shape : shapes) {
    size_t offset = rank - shape->size();
    for (auto [i, size] : llvm::enumerate(*shape)) {
      std::optional<OpFoldResult> joined =
          broadcastSize(n, result[offset + i], size);
      if (!joined)
        return n.refuse() << "has operands of sizes "
                          << *knownSize(result[offset + i]) << " and "
                          << *knownSize(size)
                          << " along one dimension, which do not fit; correct "
                             "the shapes";
      result[offset + i] = *joined;
    }
  }
  return result;
}

AffineMap frontend::broadcastMap(GraphBuilder &n, const Shape &shape,
                                 const Shape &result) {
  assert(shape.size() <= result.size() && "operands are broadcast to results");
  SmallVector<AffineExpr> exprs;
  size_t offset = result.size() - shape.size();
  for (auto [i, size] : llvm::enumerate(shape)) {
    bool repeats = knownSize(size) == 1 && knownSize(result[offset + i]) != 1;
    exprs.push_back(repeats ? n.b.getAffineConstantExpr(0)
                            : n.b.getAffineDimExpr(offset + i));
  }
  return AffineMap::get(result.size(), 0, exprs, n.b.getContext());
}

GraphValue frontend::repeatOnes(GraphBuilder &n, GraphValue &x,
                                const Shape &result) {
  // [n] becomes [1, n], or [times, 1] where n is 1, and then [times * n].
  // Elements that are not repeated stay side by side.
  assert(x.shape.size() <= result.size() &&
         "operands are broadcast to results");
  Shape wide, shape = x.shape;
  SmallVector<AffineExpr> read;
  SmallVector<ReassociationIndices> joined;
  size_t offset = result.size() - x.shape.size();
  for (auto [i, size] : llvm::enumerate(x.shape)) {
    OpFoldResult wanted = result[offset + i];
    joined.emplace_back();
    if (size != wanted && SizeArithmetic::isQuotient(size)) {
      joined.back().push_back(wide.size());
      wide.push_back(n.repeats(size, wanted));
      shape[i] = wanted;
    }
    joined.back().push_back(wide.size());
    read.push_back(n.b.getAffineDimExpr(wide.size()));
    wide.push_back(size);
  }
  if (wide.size() == x.shape.size())
    return x;
  GraphValue repeated = broadcastTo(
      n, x, wide, AffineMap::get(wide.size(), 0, read, n.b.getContext()));
  Value value =
      tensor::CollapseShapeOp::create(n.b, n.loc, repeated.value, joined);
  RankedTensorType type = n.type(x.element, shape);
  if (value.getType() != type)
    value = tensor::CastOp::create(n.b, n.loc, type, value);
  return toGraphValue(value, shape);
}

/// The element of a constant whose elements are equal, as a scalar.
static Value scalarConstant(GraphBuilder &n, GraphValue &operand) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(operand.constant);
  if (!dense || !dense.isSplat() || operand.isUnsigned())
    return {};
  return arith::ConstantOp::create(
      n.b, n.loc, cast<TypedAttr>(*dense.value_begin<Attribute>()));
}

Value frontend::scalarOf(GraphBuilder &n, GraphValue &x) {
  if (Value constant = scalarConstant(n, x))
    return constant;
  return Scalars(n.b, n.loc).extract(n.tensor(x), {});
}

FailureOr<GraphValue> frontend::elementwise(GraphBuilder &n,
                                            ArrayRef<GraphValue *> operands,
                                            Type element, ScalarBody body) {
  SmallVector<const Shape *> shapes;
  for (GraphValue *operand : operands)
    shapes.push_back(&operand->shape);
  FailureOr<Shape> shape = broadcast(n, shapes);
  if (failed(shape))
    return failure();
  SmallVector<Value> inputs, scalars(operands.size());
  SmallVector<AffineMap> maps;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    scalars[i] = scalarConstant(n, *operand);
    if (scalars[i])
      continue;
    n.tensor(*operand);
    GraphValue repeated = repeatOnes(n, *operand, *shape);
    inputs.push_back(repeated.value);
    maps.push_back(broadcastMap(n, repeated.shape, *shape));
  }
  maps.push_back(n.b.getMultiDimIdentityMap(shape->size()));
  SmallVector<Iterator> iterators(shape->size(), Iterator::parallel);
  Value result = generic(n, inputs, empty(n, element, *shape), maps, iterators,
                         [&](Scalars &s, ValueRange args) {
                           SmallVector<Value> all(scalars);
                           unsigned next = 0;
                           for (Value &value : all)
                             if (!value)
                               value = args[next++];
                           return body(s, all);
                         });
  return toGraphValue(result, *shape);
}

GraphValue frontend::broadcastTo(GraphBuilder &n, GraphValue &value,
                                 const Shape &shape, AffineMap map) {
  assert(map.getNumDims() == shape.size() &&
         "the map is of the result's loops");
  SmallVector<Iterator> iterators(shape.size(), Iterator::parallel);
  return toGraphValue(
      generic(n, n.tensor(value), empty(n, value.element, shape),
              {map, n.b.getMultiDimIdentityMap(shape.size())}, iterators,
              [](Scalars &, ValueRange args) { return args[0]; }),
      shape);
}

GraphValue frontend::broadcastTo(GraphBuilder &n, GraphValue &value,
                                 const Shape &shape) {
  n.tensor(value);
  GraphValue repeated = repeatOnes(n, value, shape);
  return broadcastTo(n, repeated, shape,
                     broadcastMap(n, repeated.shape, shape));
}

Value frontend::tabulate(GraphBuilder &n, const Shape &shape, Type element,
                         ScalarBody body) {
  SmallVector<Iterator> iterators(shape.size(), Iterator::parallel);
  return generic(n, {}, empty(n, element, shape),
                 n.b.getMultiDimIdentityMap(shape.size()), iterators,
                 [&](Scalars &s, ValueRange) {
                   SmallVector<Value> indices;
                   for (size_t d = 0; d < shape.size(); ++d)
                     indices.push_back(linalg::IndexOp::create(s.b, s.loc, d));
                   return body(s, indices);
                 });
}

GraphValue frontend::reduce(GraphBuilder &n, GraphValue &x,
                            ArrayRef<int64_t> dims, double start,
                            ScalarBody combine,
                            llvm::function_ref<Value(Scalars &, Value)> of) {
  assert(
      llvm::all_of(dims, [&](int64_t d) { return d >= 0 && d < x.rank(); }) &&
      "dimensions are counted from the front by now");
  Shape shape;
  SmallVector<Iterator> iterators(x.rank(), Iterator::parallel);
  SmallVector<AffineExpr> kept;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (llvm::is_contained(dims, d)) {
      iterators[d] = Iterator::reduction;
      continue;
    }
    shape.push_back(x.shape[d]);
    kept.push_back(n.b.getAffineDimExpr(d));
  }
  Value init = filled(n, x.element, shape, start);
  Value result = generic(n, n.tensor(x), init,
                         {n.b.getMultiDimIdentityMap(x.rank()),
                          AffineMap::get(x.rank(), 0, kept, n.b.getContext())},
                         iterators, [&](Scalars &s, ValueRange args) {
                           Value element = of ? of(s, args[0]) : args[0];
                           return combine(s, {args[1], element});
                         });
  return toGraphValue(result, shape);
}

FailureOr<GraphValue> frontend::divideBySize(GraphBuilder &n, GraphValue &x,
                                             OpFoldResult count) {
  std::optional<int64_t> known = knownSize(count);
  Value size = known ? Value() : n.index(count);
  return elementwise(n, {&x}, x.element, [&](Scalars &s, ValueRange args) {
    Type type = x.element;
    if (known)
      return s.div(args[0], s.constant(type, *known));
    Value wide = arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), size);
    if (isa<FloatType>(type))
      return s.div(args[0], arith::SIToFPOp::create(s.b, s.loc, type, wide));
    if (type.getIntOrFloatBitWidth() < 64)
      wide = arith::TruncIOp::create(s.b, s.loc, type, wide);
    return s.div(args[0], wide);
  });
}

GraphValue frontend::gather(
    GraphBuilder &n, GraphValue &x, const Shape &shape,
    llvm::function_ref<SmallVector<Value>(Scalars &, ValueRange)> place) {
  Value source = n.tensor(x);
  SmallVector<Iterator> iterators(shape.size(), Iterator::parallel);
  Value result =
      generic(n, {}, empty(n, x.element, shape),
              n.b.getMultiDimIdentityMap(shape.size()), iterators,
              [&](Scalars &s, ValueRange) {
                SmallVector<Value> indices;
                for (size_t d = 0; d < shape.size(); ++d)
                  indices.push_back(linalg::IndexOp::create(s.b, s.loc, d));
                return s.extract(source, place(s, indices));
              });
  return toGraphValue(result, shape);
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// x * 2^power, by factors that are numbers of f64.
static Value scaleByPower(Scalars &s, Value x, int power) {
  for (; power > 0; power -= 1000)
    x = s.mul(x,
              s.constant(x.getType(), std::ldexp(1.0, std::min(power, 1000))));
  return x;
}

/// In f64. A quotient of float32 or narrower floats has at most 277 bits before
/// the point, one of float64 2,098. Each division takes away 51 of them: such a
/// quotient is exact, or rounded up to the next integer, and what an fma leaves
/// is a multiple of the last bit of the rest or of the divisor, so it is exact.
Value qcc::frontend::floatRemainder(Scalars &s, Value x, Value y) {
  Type type = x.getType(), wide = s.b.getF64Type();
  auto widen = [&](Value value) -> Value {
    return type == wide ? value
                        : arith::ExtFOp::create(s.b, s.loc, wide, value);
  };
  Value a = s.abs(widen(x)), d = s.abs(widen(y)), zero = s.constant(wide, 0),
        infinity = s.constant(wide, std::numeric_limits<double>::infinity());
  Value rest = a;
  constexpr int kBits = 51;
  for (int power = kBits * (type == wide ? 41 : 5); power >= 0;
       power -= kBits) {
    Value divisor = scaleByPower(s, d, power);
    Value quotient = math::TruncOp::create(s.b, s.loc, s.div(rest, divisor));
    Value next =
        math::FmaOp::create(s.b, s.loc, s.neg(quotient), divisor, rest);
    // A quotient that was rounded up to the next integer.
    next = s.select(s.less(next, zero), s.add(next, divisor), next);
    // A divisor that overflows is greater than the rest.
    Value leaves = arith::AndIOp::create(s.b, s.loc, s.equal(divisor, infinity),
                                         s.less(rest, infinity));
    rest = s.select(leaves, rest, next);
  }
  if (type != wide)
    rest = arith::TruncFOp::create(s.b, s.loc, type, rest);
  return math::CopySignOp::create(s.b, s.loc, rest, x);
}
