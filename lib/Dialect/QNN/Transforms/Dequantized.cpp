//===- Dequantized.cpp - Dequantized values of N3 -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Traces a value back to its dequantize, and repeats the movement in between on
// integers, zero points and scales. Where a zero point cannot follow, the
// differences q - z move instead.
//
//===----------------------------------------------------------------------===//

#include "Dequantized.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace qcc::qnn;
using Kind = QuantParams::Kind;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Tracing
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getDims(const QuantParams &params, Kind kind,
                                    int64_t rank) {
  if (kind == Kind::PerTensor)
    return {};
  if (kind == Kind::PerChannel) {
    assert(params.axis >= 0 && params.axis < rank &&
           "channels are a dimension of the tensor");
    return {params.axis};
  }
  assert(rank > 0 && "rows end with a dimension");
  return llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
}

/// The dimensions of a dequantized value along which its scale differs.
static SmallVector<bool> varyingAtSource(const QuantParams &params,
                                         RankedTensorType type) {
  SmallVector<bool> varies(type.getRank(), false);
  for (int64_t d : getDims(params, params.scaleKind, type.getRank()))
    varies[d] = type.getDimSize(d) != 1;
  return varies;
}

std::optional<DequantizedSource> DequantizedSource::trace(Value value) {
  DequantizedSource source;
  while (Operation *op = value.getDefiningOp()) {
    if (auto dequantize = dyn_cast<DequantizeOp>(op)) {
      source.op = dequantize;
      break;
    }
    value = getMoved(op);
    if (!value || !isa<RankedTensorType>(value.getType()))
      return std::nullopt;
    source.movement.push_back(op);
  }
  if (!source.op)
    return std::nullopt;
  std::reverse(source.movement.begin(), source.movement.end());
  FailureOr<QuantParams> params =
      getQuantParams(source.op.getInput().getType(), source.op.getScale(),
                     source.op.getZeroPoint(), source.op.getAxis());
  if (failed(params) || params->width != 8)
    return std::nullopt;
  source.params = std::move(*params);

  source.scaleVaries =
      varyingAtSource(source.params, source.op.getResult().getType());
  for (Operation *op : source.movement)
    source.scaleVaries = varyingDims(op, source.scaleVaries);
  return source;
}

//===----------------------------------------------------------------------===//
// Parameters as tensors
//===----------------------------------------------------------------------===//

/// The tensor of known parameters over the dimensions `dims` of `type`.
template <typename T>
static Value makeKnown(OpBuilder &builder, Location loc, ArrayRef<T> elements,
                       ArrayRef<int64_t> dims, RankedTensorType type,
                       Type element) {
  SmallVector<int64_t> shape;
  for (int64_t d : dims)
    shape.push_back(type.getDimSize(d));
  assert((elements.size() == 1 ||
          int64_t(elements.size()) == ShapedType::getNumElements(shape)) &&
         "one parameter, or one for each index of its dimensions");
  auto attr =
      DenseElementsAttr::get(RankedTensorType::get(shape, element), elements);
  return arith::ConstantOp::create(builder, loc, attr);
}

/// An operand that holds parameters without its unit dimensions.
static Value makeRunTime(OpBuilder &builder, Location loc, Value operand,
                         size_t rank) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type)
    return tensor::FromElementsOp::create(
        builder, loc, RankedTensorType::get({}, operand.getType()), operand);
  int64_t extra = type.getRank() - rank;
  assert(extra >= 0 && extra <= 1 &&
         "parameters have at most a unit dimension "
         "more than the dimensions they vary along");
  if (extra == 0)
    return operand;
  SmallVector<ReassociationIndices> groups;
  for (size_t d = 0; d < rank; ++d)
    groups.push_back({static_cast<int64_t>(d)});
  if (rank > 0)
    groups.back().push_back(rank);
  return tensor::CollapseShapeOp::create(
      builder, loc,
      RankedTensorType::get(type.getShape().take_front(rank),
                            type.getElementType()),
      operand, groups);
}

static ParamTensor makeScale(OpBuilder &builder, Location loc,
                             const QuantParams &params, RankedTensorType type) {
  ParamTensor scale;
  scale.dims = getDims(params, params.scaleKind, type.getRank());
  scale.value =
      params.isScaleConstant
          ? makeKnown<float>(builder, loc, params.scales, scale.dims, type,
                             builder.getF32Type())
          : makeRunTime(builder, loc, params.scale, scale.dims.size());
  return scale;
}

static ParamTensor makeZeroPoint(OpBuilder &builder, Location loc,
                                 const QuantParams &params,
                                 RankedTensorType type) {
  ParamTensor zero;
  if (params.hasNoZeroPoint())
    return zero;
  if (params.isZeroPointConstant) {
    ArrayRef<int32_t> zeroPoints = params.zeroPoints;
    // Equal zero points are one: kernels take no vector of them.
    if (llvm::all_equal(zeroPoints))
      zeroPoints = zeroPoints.take_front();
    else
      zero.dims = getDims(params, params.zeroPointKind, type.getRank());
    zero.value = makeKnown<int32_t>(builder, loc, zeroPoints, zero.dims, type,
                                    builder.getI32Type());
    return zero;
  }
  zero.dims = getDims(params, params.zeroPointKind, type.getRank());
  zero.value = makeRunTime(builder, loc, params.zeroPoint, zero.dims.size());
  RankedTensorType zeroType = getTensorType(zero.value);
  if (zeroType.getElementType().isInteger(32))
    return zero;
  bool isUnsigned = zeroType.getElementType().isUnsignedInteger();
  if (isUnsigned)
    zero.value = tensor::BitcastOp::create(
        builder, loc, zeroType.clone(builder.getI8Type()), zero.value);
  zero.value = createElementwise(
      builder, loc, zero.value,
      builder.getMultiDimIdentityMap(zero.dims.size()),
      tensor::getMixedSizes(builder, loc, zero.value), builder.getI32Type(),
      [&](OpBuilder &b, Location l, ValueRange args) -> Value {
        if (isUnsigned)
          return arith::ExtUIOp::create(b, l, b.getI32Type(), args[0]);
        return arith::ExtSIOp::create(b, l, b.getI32Type(), args[0]);
      });
  return zero;
}

/// q - z as i32.
static Value makeDifference(OpBuilder &builder, Location loc,
                            const IntegerOperand &operand) {
  unsigned rank = getTensorType(operand.storage).getRank();
  SmallVector<Value> inputs{operand.storage};
  SmallVector<AffineMap> maps{builder.getMultiDimIdentityMap(rank)};
  if (operand.zeroPoint.value) {
    inputs.push_back(operand.zeroPoint.value);
    maps.push_back(paramMap(builder, operand.zeroPoint, rank));
  }
  return createElementwise(
      builder, loc, inputs, maps,
      tensor::getMixedSizes(builder, loc, operand.storage),
      builder.getI32Type(), [&](OpBuilder &b, Location l, ValueRange args) {
        Value wide =
            operand.isUnsigned
                ? Value(arith::ExtUIOp::create(b, l, b.getI32Type(), args[0]))
                : Value(arith::ExtSIOp::create(b, l, b.getI32Type(), args[0]));
        return args.size() == 1
                   ? wide
                   : Value(arith::SubIOp::create(b, l, wide, args[1]));
      });
}

//===----------------------------------------------------------------------===//
// Materializing
//===----------------------------------------------------------------------===//

Value qcc::qnn::makeStorage(OpBuilder &builder, Location loc, Value quantized) {
  RankedTensorType type = getTensorType(quantized);
  RankedTensorType stored = type.clone(builder.getI8Type());
  if (isa<quant::QuantizedType>(type.getElementType()))
    return quant::StorageCastOp::create(builder, loc, stored, quantized);
  if (type.getElementType().isUnsignedInteger())
    return tensor::BitcastOp::create(builder, loc, stored, quantized);
  return quantized;
}

Value qcc::qnn::fromStorage(OpBuilder &builder, Location loc, Value stored,
                            Type element) {
  RankedTensorType type = getTensorType(stored).clone(element);
  if (isa<quant::QuantizedType>(element))
    return quant::StorageCastOp::create(builder, loc, type, stored);
  if (element.isUnsignedInteger())
    return tensor::BitcastOp::create(builder, loc, type, stored);
  return stored;
}

IntegerOperand IntegerOperand::materialize(OpBuilder &builder, Location loc,
                                           const DequantizedSource &source) {
  const QuantParams &params = source.params;
  DequantizeOp dequantize = source.op;
  RankedTensorType type = getTensorType(dequantize.getInput());
  IntegerOperand operand;
  operand.isUnsigned = !params.isSigned;
  operand.storage = makeStorage(builder, loc, dequantize.getInput());
  operand.scale = makeScale(builder, loc, params, type);
  operand.zeroPoint = makeZeroPoint(builder, loc, params, type);
  // A pad adds the zero point to the stored integers if it is one constant.
  int64_t padding = params.isZeroPointConstant ? params.zeroPoints.front() : 0;

  assert(padding >= -128 && padding <= 255 && "zero points are bytes");
  SmallVector<bool> varies = varyingAtSource(params, type);
  narrowParam(builder, loc, varies, operand.scale);
  for (Operation *op : source.movement) {
    // Parameters need the value's shape before the movement.
    Value before = operand.storage;
    if (isa<tensor::PadOp>(op) && operand.zeroPoint.value &&
        !(params.isZeroPointConstant && operand.zeroPoint.dims.empty())) {
      operand.storage = makeDifference(builder, loc, operand);
      operand.zeroPoint = {};
      padding = 0;
    }
    moveParam(builder, op, before, operand.zeroPoint);
    operand.storage =
        moveElements(builder, op, operand.storage, [&]() -> Value {
          Type element = getTensorType(operand.storage).getElementType();
          return arith::ConstantOp::create(
              builder, op->getLoc(),
              builder.getIntegerAttr(
                  element,
                  APInt(element.getIntOrFloatBitWidth(), padding, true, true)));
        });
    moveParam(builder, op, before, operand.scale);
    varies = varyingDims(op, varies);
    narrowParam(builder, loc, varies, operand.scale);
  }
  return operand;
}
