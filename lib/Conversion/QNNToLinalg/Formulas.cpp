//===- Formulas.cpp - The formulas of elementwise qnn ops -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// N5 and N6 in arith and math, and the table of what has a formula. A formula
// first says what it reads: parameters that are known are combined at compile
// time, others on small tensors or in the body. It returns what emits one
// element.
//
//===----------------------------------------------------------------------===//

#include "Formula.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using Reader = GenericEmitter::Reader;

//===----------------------------------------------------------------------===//
// What formulas read
//===----------------------------------------------------------------------===//

FormulaInputs::FormulaInputs(ConversionPatternRewriter &rewriter,
                             qnn::ElementwiseOpInterface op)
    : op(op), rewriter(rewriter), loc(op.getLoc()),
      emitter(rewriter, loc, op.getTensors().back().getType().getRank(),
              op.getTensors().back().getType().getRank()) {
  SmallVector<qnn::QuantTensor> tensors = op.getTensors();
  for (auto [i, tensor] : llvm::enumerate(ArrayRef(tensors).drop_back()))
    emitter.addInput(rewriter.getRemappedValue(tensor.value), mapOf(i));
}

AffineMap FormulaInputs::mapOf(unsigned tensor) {
  int64_t rank = op.getTensors().back().getType().getRank();
  SmallVector<AffineExpr> exprs;
  for (int64_t d = 0; d < rank; ++d)
    exprs.push_back(op.isBroadcast(tensor, d)
                        ? rewriter.getAffineConstantExpr(0)
                        : rewriter.getAffineDimExpr(d));
  return AffineMap::get(rank, 0, exprs, rewriter.getContext());
}

SmallVector<OpFoldResult> FormulaInputs::sizes() {
  SmallVector<qnn::QuantTensor> tensors = op.getTensors();
  SmallVector<OpFoldResult> sizes;
  for (auto [d, size] : llvm::enumerate(tensors.back().getType().getShape())) {
    unsigned tensor = 0;
    while (op.isBroadcast(tensor, d))
      ++tensor;
    sizes.push_back(tensor::getMixedSize(
        rewriter, loc, rewriter.getRemappedValue(tensors[tensor].value), d));
  }
  return sizes;
}

void FormulaInputs::spreadRows(unsigned tensor, qnn::QuantParams::Kind kind,
                               Value &values) {
  AffineMap map = mapOf(tensor);
  ArrayRef<AffineExpr> rows = map.getResults();
  if (kind != qnn::QuantParams::Kind::PerRow ||
      llvm::all_of(rows.drop_back(), llvm::IsaPred<AffineDimExpr>))
    return;
  SmallVector<OpFoldResult> shape = sizes();
  shape.back() = rewriter.getIndexAttr(1);
  Value init = tensor::EmptyOp::create(rewriter, loc, shape,
                                       getElementTypeOrSelf(values));
  GenericEmitter spread(rewriter, loc, shape.size(), shape.size());
  spread.addInput(values, map);
  values =
      spread.build(init, 0, "", [](OpBuilder &, Location, ValueRange args) {
        return args[0];
      });
}

Reader FormulaInputs::stored(unsigned tensor) const {
  return
      [tensor](OpBuilder &, Location, ValueRange args) { return args[tensor]; };
}

Reader FormulaInputs::real(unsigned tensor) const {
  return [tensor](OpBuilder &b, Location loc, ValueRange args) {
    return emitWiden(b, loc, args[tensor]);
  };
}

Reader FormulaInputs::difference(unsigned tensor) {
  qnn::QuantParams params = op.getParams(tensor);
  ZeroPoint zeroPoint = ZeroPoint::get(rewriter, loc, params);
  spreadRows(tensor, zeroPoint.kind, zeroPoint.tensor);
  Reader readZeroPoint = emitter.add(zeroPoint);
  return [=, isSigned = params.isSigned](OpBuilder &b, Location loc,
                                         ValueRange args) {
    return emitDifference(b, loc, args[tensor], isSigned, zeroPoint,
                          readZeroPoint, args);
  };
}

Param FormulaInputs::scale(unsigned tensor) {
  Param scale = Param::scale(rewriter, loc, op.getParams(tensor));
  spreadRows(tensor, scale.kind, scale.tensor);
  return scale;
}

Param FormulaInputs::resultScale() {
  return Param::scale(rewriter, loc, op.getResultParams());
}

QuantizeTail FormulaInputs::tail(bool mayBeNaN) {
  return makeTail(rewriter, loc, emitter, op.getResultParams(), mayBeNaN);
}

//===----------------------------------------------------------------------===//
// Between real and quantized
//===----------------------------------------------------------------------===//

static Value toFloat(OpBuilder &b, Location loc, Value integer) {
  return arith::SIToFPOp::create(b, loc, b.getF32Type(), integer);
}

static Reader makeQuantize(qnn::QuantizeOp op, FormulaInputs &in) {
  Reader x = in.real(0), scale = in.read(in.resultScale());
  QuantizeTail tail = in.tail(/*mayBeNaN=*/true);
  bool before = op.getZeroPointBeforeRounding();
  return [=](OpBuilder &b, Location loc, ValueRange args) {
    Value real = x(b, loc, args);
    Value v = arith::DivFOp::create(b, loc, real, scale(b, loc, args));
    return before ? tail.emitBeforeRounding(b, loc, v, args)
                  : tail.emit(b, loc, v, args);
  };
}

static Reader makeDequantize(qnn::DequantizeOp op, FormulaInputs &in) {
  Reader scale = in.read(in.scale(0)), q = in.difference(0);
  Type element = op.getResult().getType().getElementType();
  return [=](OpBuilder &b, Location loc, ValueRange args) {
    Value v = toFloat(b, loc, q(b, loc, args));
    v = arith::MulFOp::create(b, loc, v, scale(b, loc, args));
    return emitRound(b, loc, v, element);
  };
}

static Reader makeRequantize(qnn::RequantizeOp, FormulaInputs &in) {
  Param from = in.scale(0), to = in.resultScale();
  Param ratio = div(in.rewriter, in.loc, from, to);
  Reader readRatio = in.read(ratio), q = in.difference(0);
  QuantizeTail tail = in.tail(/*mayBeNaN=*/!ratio.isFinite());
  return [=](OpBuilder &b, Location loc, ValueRange args) {
    Value v = toFloat(b, loc, q(b, loc, args));
    v = arith::MulFOp::create(b, loc, v, readRatio(b, loc, args));
    return tail.emit(b, loc, v, args);
  };
}

//===----------------------------------------------------------------------===//
// Of two tensors
//===----------------------------------------------------------------------===//

static Reader makeAdd(qnn::AddOp, FormulaInputs &in) {
  Param scaleX = in.scale(0), scaleY = in.scale(1), to = in.resultScale();
  Reader x = in.difference(0), y = in.difference(1);
  Param first = div(in.rewriter, in.loc, scaleX, to);
  Param second = div(in.rewriter, in.loc, scaleY, to);
  Reader readFirst = in.read(first), readSecond = in.read(second);
  QuantizeTail tail =
      in.tail(/*mayBeNaN=*/!first.isFinite() || !second.isFinite());
  return [=](OpBuilder &b, Location loc, ValueRange args) {
    Value dx = x(b, loc, args), dy = y(b, loc, args);
    Value fx = toFloat(b, loc, dx), fy = toFloat(b, loc, dy);
    Value addend = arith::MulFOp::create(b, loc, fy, readSecond(b, loc, args));
    Value v = math::FmaOp::create(b, loc, fx, readFirst(b, loc, args), addend);
    return tail.emit(b, loc, v, args);
  };
}

static Reader makeMul(qnn::MulOp, FormulaInputs &in) {
  Param scaleX = in.scale(0), scaleY = in.scale(1), to = in.resultScale();
  Reader x = in.difference(0), y = in.difference(1);
  Param product = mul(in.rewriter, in.loc, scaleX, scaleY);
  Param factor = div(in.rewriter, in.loc, product, to);
  Reader readFactor = in.read(factor);
  QuantizeTail tail = in.tail(/*mayBeNaN=*/!factor.isFinite());
  return [=](OpBuilder &b, Location loc, ValueRange args) {
    Value dx = x(b, loc, args), dy = y(b, loc, args);
    Value v = toFloat(b, loc, arith::MulIOp::create(b, loc, dx, dy));
    v = arith::MulFOp::create(b, loc, v, readFactor(b, loc, args));
    return tail.emit(b, loc, v, args);
  };
}

//===----------------------------------------------------------------------===//
// Clamp
//===----------------------------------------------------------------------===//

/// saturate(rint(v) + z) of a v that is not NaN.
static int64_t saturatedRound(float v, int64_t zeroPoint,
                              const qnn::QuantParams &params) {
  float least = params.qmin - zeroPoint, greatest = params.qmax - zeroPoint;
  float rounded = std::nearbyint(std::clamp(v, least, greatest));
  return static_cast<int64_t>(rounded) + zeroPoint;
}

/// Q(bound) of N5 as storage: a constant, or a tensor of what varies.
static Reader quantizeBound(FormulaInputs &in, std::optional<APFloat> bound) {
  using Kind = qnn::QuantParams::Kind;
  if (!bound)
    return {};
  ConversionPatternRewriter &rewriter = in.rewriter;
  Location loc = in.loc;
  qnn::QuantParams params = in.params(0);
  Param quotient =
      div(rewriter, loc, Param::constant(bound->convertToFloat()), in.scale(0));
  ZeroPoint zeroPoint = ZeroPoint::get(rewriter, loc, params);
  Type storage = rewriter.getIntegerType(params.width);
  if (quotient.isConstant() && zeroPoint.constant) {
    int64_t q =
        saturatedRound(quotient.values.front(), *zeroPoint.constant, params);
    return [q, storage](OpBuilder &b, Location loc, ValueRange) {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(storage, q))
          .getResult();
    };
  }
  // Either varies per row or not at all.
  ZeroPoint result;
  result.constant = std::nullopt;
  Value shape;
  if (quotient.kind == Kind::PerRow)
    shape = quotient.tensor;
  else if (zeroPoint.kind == Kind::PerRow)
    shape = zeroPoint.tensor;
  result.kind = shape ? Kind::PerRow : Kind::PerTensor;
  Value init = shape ? emptyLike(rewriter, loc, shape, storage)
                     : tensor::EmptyOp::create(rewriter, loc,
                                               ArrayRef<int64_t>{}, storage)
                           .getResult();
  int64_t loops = cast<RankedTensorType>(init.getType()).getRank();
  GenericEmitter small(rewriter, loc, loops, loops);
  auto read = small.add(quotient);
  QuantizeTail tail = makeTail(rewriter, loc, small, params,
                               /*mayBeNaN=*/!quotient.isConstant());
  result.tensor = small.build(
      init, 0, "", [&](OpBuilder &b, Location loc, ValueRange args) {
        return tail.emit(b, loc, read(b, loc, args), args);
      });
  return in.emitter.add(result);
}

static Reader makeClamp(qnn::ClampOp op, FormulaInputs &in) {
  Reader low = quantizeBound(in, op.getMin());
  Reader high = quantizeBound(in, op.getMax());
  bool isSigned = in.params(0).isSigned;
  return [=, x = in.stored(0)](OpBuilder &b, Location loc, ValueRange args) {
    Value q = x(b, loc, args);
    if (low)
      q = isSigned
              ? arith::MaxSIOp::create(b, loc, q, low(b, loc, args)).getResult()
              : arith::MaxUIOp::create(b, loc, q, low(b, loc, args));
    if (high)
      q = isSigned ? arith::MinSIOp::create(b, loc, q, high(b, loc, args))
                         .getResult()
                   : arith::MinUIOp::create(b, loc, q, high(b, loc, args));
    return q;
  };
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

static Reader makeLookup(qnn::LookupOp op, FormulaInputs &in) {
  bool isSigned = in.params(0).isSigned;
  Value table = in.rewriter.getRemappedValue(op.getTable());
  return [=, x = in.stored(0)](OpBuilder &b, Location loc,
                               ValueRange args) -> Value {
    Value q = x(b, loc, args);
    if (isSigned) {
      Value sign = arith::ConstantOp::create(
          b, loc, b.getIntegerAttr(b.getI8Type(), -128));
      q = arith::XOrIOp::create(b, loc, q, sign);
    }
    Value index = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), q);
    return tensor::ExtractOp::create(b, loc, table, index);
  };
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

using Formula = std::function<Reader(Operation *, FormulaInputs &)>;

template <typename OpTy>
static std::pair<StringRef, Formula> entry(Reader (*formula)(OpTy,
                                                             FormulaInputs &)) {
  return {OpTy::getOperationName(),
          [formula](Operation *op, FormulaInputs &inputs) {
            return formula(cast<OpTy>(op), inputs);
          }};
}

Reader qcc::makeFormula(FormulaInputs &inputs) {
  static const llvm::StringMap<Formula> table = {
      entry(makeQuantize), entry(makeDequantize), entry(makeRequantize),
      entry(makeAdd),      entry(makeMul),        entry(makeClamp),
      entry(makeLookup),
  };
  auto found = table.find(inputs.op->getName().getStringRef());
  return found == table.end() ? Reader() : found->second(inputs.op, inputs);
}
