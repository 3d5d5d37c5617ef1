//===- Emit.cpp - Emission of the formulas of qnn ops ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Dialect/Utils/Notes.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using Kind = qnn::QuantParams::Kind;

void qcc::emitRequirement(OpBuilder &builder, Operation *op, OpFoldResult a,
                          OpFoldResult b, const Twine &what) {
  if (getConstantIntValue(a) && getConstantIntValue(b))
    return;
  Location loc = op->getLoc();
  Value condition =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                            getValueOrCreateConstantIndexOp(builder, loc, a),
                            getValueOrCreateConstantIndexOp(builder, loc, b));
  auto assertion = cf::AssertOp::create(builder, loc, condition, what.str());
  assertion->setAttr(kOriginAttr, op->getName().getIdentifier());
}

void qcc::requireReduction(OpBuilder &builder, Operation *op, OpFoldResult size,
                           int64_t most) {
  emitRequirement(builder, op, size, builder.getIndexAttr(most),
                  "the sum of products could overflow i32: K must be at most " +
                      Twine(most));
}

void qcc::requireSize(OpBuilder &builder, Operation *op, Value input,
                      unsigned dim, int64_t least) {
  if (least <= 0)
    return;
  emitRequirement(builder, op, builder.getIndexAttr(least),
                  tensor::getMixedSize(builder, op->getLoc(), input, dim),
                  "the input needs at least " + Twine(least) +
                      " elements along " + (dim == 1 ? "H" : "W"));
}

Value qcc::emptyLike(OpBuilder &builder, Location loc, Value like,
                     Type elementType) {
  return tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, like), elementType);
}

Value qcc::emitPad(OpBuilder &builder, Location loc, Value tensor,
                   ArrayRef<OpFoldResult> low, ArrayRef<OpFoldResult> high,
                   Value value) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!llvm::is_contained(type.getShape(), 0))
    return tensor::PadOp::create(builder, loc, Type(), tensor, low, high, value)
        .getResult();
  // MLIR refuses to pad what has no elements.
  AffineExpr sum = builder.getAffineDimExpr(0) + builder.getAffineDimExpr(1) +
                   builder.getAffineDimExpr(2);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  for (auto [size, before, after] : llvm::zip_equal(sizes, low, high))
    size = affine::makeComposedFoldedAffineApply(builder, loc, sum,
                                                 {size, before, after});
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, value.getType());
  return linalg::FillOp::create(builder, loc, value, empty).getResult(0);
}

Value qcc::floatConstant(OpBuilder &builder, Location loc, float value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}

Value qcc::intConstant(OpBuilder &builder, Location loc, int32_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

/// A scalar as a tensor of rank 0; tensors as they are.
static Value asTensor(OpBuilder &builder, Location loc, Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return value;
  return tensor::FromElementsOp::create(
      builder, loc, RankedTensorType::get({}, value.getType()), value);
}

//===----------------------------------------------------------------------===//
// Param
//===----------------------------------------------------------------------===//

Param Param::constant(float value) {
  Param param;
  param.values = {value};
  return param;
}

Param Param::scale(ConversionPatternRewriter &rewriter, Location loc,
                   const qnn::QuantParams &params) {
  Param param;
  param.kind = params.scaleKind;
  param.axis = params.axis;
  if (params.isScaleConstant && param.kind != Kind::PerRow &&
      param.kind != Kind::PerGroup)
    param.values = params.scales;
  else
    param.tensor =
        asTensor(rewriter, loc, rewriter.getRemappedValue(params.scale));
  return param;
}

Param Param::perChannel(Value tensor, int64_t axis) {
  Param param;
  param.kind = Kind::PerChannel;
  param.axis = axis;
  if (!qnn::readConstantFloats(tensor, param.values))
    param.tensor = tensor;
  return param;
}

bool Param::isFinite() const {
  return isConstant() &&
         llvm::all_of(values, [](float v) { return std::isfinite(v); });
}

Value qcc::emitOp(OpBuilder &builder, Location loc, Param::Op op, Value a,
                  Value b) {
  if (op == Param::Op::Mul)
    return arith::MulFOp::create(builder, loc, a, b);
  return arith::DivFOp::create(builder, loc, a, b);
}

/// One f32 operation on two parameters, where it costs least.
static Param combine(OpBuilder &builder, Location loc, Param::Op op, Param a,
                     Param b) {
  Param result;
  result.kind = a.kind == Kind::PerTensor ? b.kind : a.kind;
  result.axis = a.kind == Kind::PerTensor ? b.axis : a.axis;
  bool sameVariation =
      a.kind == Kind::PerTensor || b.kind == Kind::PerTensor ||
      (a.kind == b.kind && (a.kind == Kind::PerRow || a.axis == b.axis));
  if (a.isConstant() && b.isConstant() && sameVariation) {
    size_t count = result.kind == a.kind ? a.values.size() : b.values.size();
    for (size_t i = 0; i < count; ++i) {
      float x = a.values[a.kind == Kind::PerTensor ? 0 : i];
      float y = b.values[b.kind == Kind::PerTensor ? 0 : i];
      result.values.push_back(op == Param::Op::Mul ? x * y : x / y);
    }
    return result;
  }
  if (!sameVariation || a.op != Param::Op::Leaf || b.op != Param::Op::Leaf) {
    result.op = op;
    result.args = {a, b};
    return result;
  }

  // On the small tensors.
  Type f32 = builder.getF32Type();
  Value shape = a.tensor && a.kind == result.kind ? a.tensor : Value();
  if (!shape && b.kind == result.kind)
    shape = b.tensor;
  Value init;
  int64_t loops = 0;
  if (result.kind == Kind::PerTensor) {
    init = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{}, f32);
  } else if (shape) {
    init = emptyLike(builder, loc, shape, f32);
    loops = cast<RankedTensorType>(shape.getType()).getRank();
  } else {
    const Param &wide = a.kind == result.kind ? a : b;
    init = tensor::EmptyOp::create(
        builder, loc, ArrayRef<int64_t>{(int64_t)wide.values.size()}, f32);
    loops = 1;
  }
  a.axis = b.axis = 0;
  GenericEmitter emitter(builder, loc, loops, loops);
  auto add = [&](const Param &param) -> GenericEmitter::Reader {
    if (param.kind != Kind::PerGroup)
      return emitter.add(param);
    return [number = emitter.addInput(param.tensor)](
               OpBuilder &, Location, ValueRange args) { return args[number]; };
  };
  GenericEmitter::Reader readA = add(a), readB = add(b);
  result.tensor = emitter.build(
      init, 0, "", [&](OpBuilder &b, Location loc, ValueRange args) {
        return emitOp(b, loc, op, readA(b, loc, args), readB(b, loc, args));
      });
  return result;
}

Param qcc::mul(OpBuilder &builder, Location loc, const Param &a,
               const Param &b) {
  return combine(builder, loc, Param::Op::Mul, a, b);
}

Param qcc::div(OpBuilder &builder, Location loc, const Param &a,
               const Param &b) {
  return combine(builder, loc, Param::Op::Div, a, b);
}

//===----------------------------------------------------------------------===//
// ZeroPoint
//===----------------------------------------------------------------------===//

ZeroPoint ZeroPoint::get(ConversionPatternRewriter &rewriter, Location loc,
                         const qnn::QuantParams &params) {
  ZeroPoint result;
  if (params.hasNoZeroPoint())
    return result;
  result.kind = params.zeroPointKind;
  result.axis = params.axis;
  if (params.isZeroPointConstant && result.kind == Kind::PerTensor) {
    result.constant = params.zeroPoints.front();
    return result;
  }
  result.constant = std::nullopt;
  if (params.isZeroPointConstant &&
      (result.kind == Kind::PerChannel || result.kind == Kind::PerGroup)) {
    SmallVector<int64_t> shape{(int64_t)params.zeroPoints.size()};
    if (result.kind == Kind::PerGroup)
      shape = llvm::to_vector(
          cast<RankedTensorType>(params.zeroPoint.getType()).getShape());
    auto type = RankedTensorType::get(shape, rewriter.getI32Type());
    result.tensor = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(type, ArrayRef<int32_t>(params.zeroPoints)));
    return result;
  }
  Value tensor =
      asTensor(rewriter, loc, rewriter.getRemappedValue(params.zeroPoint));
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType().isInteger(32)) {
    result.tensor = tensor;
    return result;
  }
  GenericEmitter emitter(rewriter, loc, type.getRank(), type.getRank());
  emitter.addInput(tensor);
  result.tensor = emitter.build(
      emptyLike(rewriter, loc, tensor, rewriter.getI32Type()), 0, "",
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        if (params.isSigned)
          return arith::ExtSIOp::create(b, loc, b.getI32Type(), args[0]);
        return arith::ExtUIOp::create(b, loc, b.getI32Type(), args[0]);
      });
  return result;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value qcc::emitDifference(OpBuilder &builder, Location loc, Value stored,
                          bool isSigned, const ZeroPoint &zeroPoint,
                          const GenericEmitter::Reader &read, ValueRange args) {
  Type i32 = builder.getI32Type();
  Value value = stored;
  if (stored.getType() != i32)
    value = isSigned
                ? arith::ExtSIOp::create(builder, loc, i32, stored).getResult()
                : arith::ExtUIOp::create(builder, loc, i32, stored).getResult();
  if (zeroPoint.isZero())
    return value;
  return arith::SubIOp::create(builder, loc, value, read(builder, loc, args));
}

Value qcc::emitWiden(OpBuilder &builder, Location loc, Value x) {
  if (x.getType().isF32())
    return x;
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), x);
}

Value qcc::emitRound(OpBuilder &builder, Location loc, Value x, Type type) {
  if (x.getType() == type)
    return x;
  return arith::TruncFOp::create(builder, loc, type, x);
}

static Value emitBounds(OpBuilder &builder, Location loc, Value v, float low,
                        float high) {
  v = arith::MaximumFOp::create(builder, loc, v,
                                floatConstant(builder, loc, low));
  return arith::MinimumFOp::create(builder, loc, v,
                                   floatConstant(builder, loc, high));
}

/// `number` where v is a number, `otherwise` where it is NaN.
static Value selectNumber(OpBuilder &builder, Location loc, Value v,
                          Value number, Value otherwise) {
  Value isNumber =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, v, v);
  return arith::SelectOp::create(builder, loc, isNumber, number, otherwise);
}

static Value emitToInteger(OpBuilder &builder, Location loc, Value v) {
  v = math::RoundEvenOp::create(builder, loc, v);
  return arith::FPToSIOp::create(builder, loc, builder.getI32Type(), v);
}

static Value emitStore(OpBuilder &builder, Location loc, Value q,
                       unsigned width) {
  return arith::TruncIOp::create(builder, loc, builder.getIntegerType(width),
                                 q);
}

Value QuantizeTail::emit(OpBuilder &builder, Location loc, Value v,
                         ValueRange args) const {
  // With a known zero point the saturation is a clamp in f32, before rounding:
  // the bounds are integers. Clamps pass NaN on; its integer is 0, which the
  // zero point follows.
  float least = -0x1p30f, greatest = 0x1p30f;
  if (zeroPoint.constant) {
    float bottom = qmin - *zeroPoint.constant, top = qmax - *zeroPoint.constant;
    least = std::clamp(low.value_or(bottom), bottom, top);
    greatest = std::clamp(high.value_or(top), bottom, top);
  }
  v = emitBounds(builder, loc, v, least, greatest);
  if (mayBeNaN)
    v = selectNumber(builder, loc, v, v, floatConstant(builder, loc, 0));
  Value q = emitToInteger(builder, loc, v);
  if (!zeroPoint.isZero())
    q = arith::AddIOp::create(builder, loc, q,
                              readZeroPoint(builder, loc, args));
  // Otherwise f32 holds any sum that does not saturate anyway, and the integers
  // saturate.
  if (!zeroPoint.constant) {
    q = arith::MaxSIOp::create(builder, loc, q,
                               intConstant(builder, loc, qmin));
    q = arith::MinSIOp::create(builder, loc, q,
                               intConstant(builder, loc, qmax));
  }
  return emitStore(builder, loc, q, width);
}

Value QuantizeTail::emitBeforeRounding(OpBuilder &builder, Location loc,
                                       Value v, ValueRange args) const {
  if (zeroPoint.isZero())
    return emit(builder, loc, v, args);
  Value z = readZeroPoint(builder, loc, args);
  Value shift = arith::SIToFPOp::create(builder, loc, builder.getF32Type(), z);
  v = arith::AddFOp::create(builder, loc, v, shift);
  v = emitBounds(builder, loc, v, qmin, qmax);
  Value number =
      selectNumber(builder, loc, v, v, floatConstant(builder, loc, 0));
  Value q =
      selectNumber(builder, loc, v, emitToInteger(builder, loc, number), z);
  return emitStore(builder, loc, q, width);
}

void qcc::replaceValue(ConversionPatternRewriter &rewriter, Operation *op,
                       Value value) {
  Type type = getElementTypeOrSelf(op->getResult(0));
  value.getDefiningOp()->setLoc(withType(op->getLoc(), type));
  rewriter.replaceOp(op, value);
}

QuantizeTail qcc::makeTail(ConversionPatternRewriter &rewriter, Location loc,
                           GenericEmitter &emitter,
                           const qnn::QuantParams &params, bool mayBeNaN) {
  QuantizeTail tail;
  tail.qmin = params.qmin;
  tail.qmax = params.qmax;
  tail.width = params.width;
  tail.zeroPoint = ZeroPoint::get(rewriter, loc, params);
  tail.readZeroPoint = emitter.add(tail.zeroPoint);
  tail.mayBeNaN = mayBeNaN;
  return tail;
}
