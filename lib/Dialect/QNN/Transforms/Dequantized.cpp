//===- Dequantized.cpp - Dequantized values of N3 -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Movement in N3 is one of: a linalg op that only yields its input (transpose,
// broadcast, generic), tensor.expand_shape, collapse_shape, extract_slice, cast
// and pad with 0.0. Each is described once for the dimensions (varyingDims),
// once for the stored integers (moveElements) and once for parameters
// (moveParam).
//
//===----------------------------------------------------------------------===//

#include "Dequantized.h"
#include "ConstantData.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace qcc::qnn;
using Kind = QuantParams::Kind;

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// A linalg op whose result only repeats the elements of its one input.
static bool isLinalgMovement(Operation *op) {
  if (isa<linalg::TransposeOp, linalg::BroadcastOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !generic.hasPureTensorSemantics() ||
      generic.getNumDpsInputs() != 1 || generic.getNumDpsInits() != 1 ||
      generic.getNumReductionLoops() != 0)
    return false;
  Value yielded = generic.getBody()->getTerminator()->getOperand(0);
  return yielded == generic.getBody()->getArgument(0) &&
         isa<RankedTensorType>(
             generic.getDpsInputOperand(0)->get().getType()) &&
         generic.getIndexingMapsArray()[1].isPermutation();
}

/// The tensor that `op` moves, or null if it is no movement of N3.
static Value getMoved(Operation *op) {
  if (isLinalgMovement(op))
    return cast<linalg::LinalgOp>(op).getDpsInputOperand(0)->get();
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::ExtractSliceOp, tensor::CastOp>(op))
    return op->getOperand(0);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    if (Value value = pad.getConstantPaddingValue())
      if (matchPattern(value, m_PosZeroFloat()))
        return pad.getSource();
  return {};
}

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static SmallVector<ReassociationIndices> getReassociation(Operation *op) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return expand.getReassociationIndices();
  return cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
}

/// The dimensions of the result of a movement along which something differs
/// that differs along the dimensions `varies` of what is moved.
static SmallVector<bool> varyingDims(Operation *op, ArrayRef<bool> varies) {
  RankedTensorType type = getTensorType(op->getResult(0));
  SmallVector<bool> result(type.getRank(), false);
  if (isLinalgMovement(op)) {
    auto maps = cast<linalg::LinalgOp>(op).getIndexingMapsArray();
    for (auto [i, out] : llvm::enumerate(maps[1].getResults()))
      for (auto [expr, differs] : llvm::zip_equal(maps[0].getResults(), varies))
        result[i] |= differs && expr.isFunctionOfDim(
                                    cast<AffineDimExpr>(out).getPosition());
    return result;
  }
  if (isa<tensor::ExpandShapeOp>(op)) {
    for (auto [differs, group] : llvm::zip_equal(varies, getReassociation(op)))
      for (int64_t d : group)
        result[d] = differs && type.getDimSize(d) != 1;
    return result;
  }
  if (isa<tensor::CollapseShapeOp>(op)) {
    for (auto [i, group] : llvm::enumerate(getReassociation(op)))
      result[i] = llvm::any_of(group, [&](int64_t d) { return varies[d]; });
    return result;
  }
  llvm::SmallBitVector dropped(varies.size());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    dropped = slice.getDroppedDims();
  unsigned i = 0;
  for (auto [d, differs] : llvm::enumerate(varies))
    if (!dropped[d])
      result[i++] = differs;
  return result;
}

//===----------------------------------------------------------------------===//
// Tracing
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getDims(const QuantParams &params, Kind kind,
                                    int64_t rank) {
  if (kind == Kind::PerTensor)
    return {};
  if (kind == Kind::PerChannel)
    return {params.axis};
  return llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
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

  RankedTensorType type = source.op.getResult().getType();
  source.scaleVaries.assign(type.getRank(), false);
  for (int64_t d :
       getDims(source.params, source.params.scaleKind, type.getRank()))
    source.scaleVaries[d] = type.getDimSize(d) != 1;
  for (Operation *op : source.movement)
    source.scaleVaries = varyingDims(op, source.scaleVaries);
  return source;
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Value qcc::qnn::createElementwise(
    OpBuilder &builder, Location loc, ValueRange inputs,
    ArrayRef<AffineMap> maps, ArrayRef<OpFoldResult> sizes, Type elementType,
    function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, elementType);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(builder.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), inputs, empty, allMaps, iterators,
             [&](OpBuilder &b, Location l, ValueRange args) {
               linalg::YieldOp::create(b, l, body(b, l, args.drop_back()));
             })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Moving the stored integers
//===----------------------------------------------------------------------===//

/// A movement operation on a constant is evaluated at once.
static Value foldIfConstant(OpBuilder &builder, Operation *op) {
  TypedAttr constant = foldMovement(op);
  if (!constant)
    return op->getResult(0);
  Value result = arith::ConstantOp::create(builder, op->getLoc(), constant);
  op->erase();
  return result;
}

static RankedTensorType withElement(Value like, Type element) {
  return getTensorType(like).clone(element);
}

/// The movement `op` on another tensor of the same shape; `fill` makes what a
/// pad adds.
static Value moveElements(OpBuilder &builder, Operation *op, Value tensor,
                          function_ref<Value()> fill) {
  Location loc = op->getLoc();
  Type element = getTensorType(tensor).getElementType();
  RankedTensorType type = withElement(op->getResult(0), element);
  if (auto movement = dyn_cast<linalg::LinalgOp>(op)) {
    Value init = movement.getDpsInits()[0];
    // Iterating over the result keeps the result's map an identity.
    SmallVector<AffineMap> maps = movement.getIndexingMapsArray();
    return createElementwise(
        builder, loc, tensor, maps[0].compose(inversePermutation(maps[1])),
        tensor::getMixedSizes(builder, loc, init), element,
        [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return foldIfConstant(
        builder, tensor::ExpandShapeOp::create(builder, loc, type, tensor,
                                               expand.getReassociationIndices(),
                                               expand.getMixedOutputShape()));
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return foldIfConstant(builder, tensor::CollapseShapeOp::create(
                                       builder, loc, type, tensor,
                                       collapse.getReassociationIndices()));
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return foldIfConstant(
        builder, tensor::ExtractSliceOp::create(
                     builder, loc, type, tensor, slice.getMixedOffsets(),
                     slice.getMixedSizes(), slice.getMixedStrides()));
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return tensor::PadOp::create(builder, loc, type, tensor,
                                 pad.getMixedLowPad(), pad.getMixedHighPad(),
                                 fill());
  return foldIfConstant(builder,
                        tensor::CastOp::create(builder, loc, type, tensor));
}

//===----------------------------------------------------------------------===//
// Moving parameters
//===----------------------------------------------------------------------===//

static std::optional<size_t> positionOf(ArrayRef<int64_t> dims, int64_t dim) {
  const auto *it = llvm::find(dims, dim);
  if (it == dims.end())
    return std::nullopt;
  return it - dims.begin();
}

static bool moveThroughLinalg(linalg::LinalgOp op, ParamTensor &param) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap map = maps[0].compose(inversePermutation(maps[1]));
  SmallVector<int64_t> dims;
  for (int64_t d : param.dims) {
    auto dim = dyn_cast<AffineDimExpr>(map.getResult(d));
    if (!dim || llvm::is_contained(dims, dim.getPosition()))
      return false;
    dims.push_back(dim.getPosition());
  }
  param.dims = dims;
  return true;
}

static bool moveThroughExpand(OpBuilder &builder, tensor::ExpandShapeOp op,
                              ParamTensor &param) {
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices(),
                                    split;
  SmallVector<OpFoldResult> allSizes = op.getMixedOutputShape(), sizes;
  SmallVector<int64_t> dims, shape;
  for (int64_t d : param.dims) {
    ReassociationIndices &part = split.emplace_back();
    for (int64_t e : groups[d]) {
      part.push_back(dims.size());
      dims.push_back(e);
      sizes.push_back(allSizes[e]);
      shape.push_back(op.getResultType().getDimSize(e));
    }
  }
  if (dims.size() != param.dims.size()) {
    auto type = RankedTensorType::get(
        shape, getTensorType(param.value).getElementType());
    param.value = foldIfConstant(
        builder, tensor::ExpandShapeOp::create(builder, op.getLoc(), type,
                                               param.value, split, sizes));
  }
  param.dims = dims;
  return true;
}

static bool moveThroughCollapse(OpBuilder &builder, tensor::CollapseShapeOp op,
                                ParamTensor &param) {
  SmallVector<ReassociationIndices> joined;
  SmallVector<int64_t> dims, shape;
  size_t covered = 0;
  for (auto [i, group] : llvm::enumerate(op.getReassociationIndices())) {
    ReassociationIndices part;
    for (int64_t d : group) {
      if (std::optional<size_t> p = positionOf(param.dims, d))
        part.push_back(*p);
      else if (op.getSrcType().getDimSize(d) != 1 &&
               llvm::any_of(group, [&](int64_t e) {
                 return llvm::is_contained(param.dims, e);
               }))
        return false; // It would have to be repeated along d.
    }
    for (int64_t p : part)
      if (p != static_cast<int64_t>(covered++))
        return false;
    if (part.empty())
      continue;
    int64_t size = 1;
    for (int64_t p : part) {
      int64_t dim = getTensorType(param.value).getDimSize(p);
      size = ShapedType::isDynamic(size) || ShapedType::isDynamic(dim)
                 ? ShapedType::kDynamic
                 : size * dim;
    }
    joined.push_back(part);
    dims.push_back(i);
    shape.push_back(size);
  }
  if (dims.size() != param.dims.size()) {
    auto type = RankedTensorType::get(
        shape, getTensorType(param.value).getElementType());
    param.value = foldIfConstant(
        builder, tensor::CollapseShapeOp::create(builder, op.getLoc(), type,
                                                 param.value, joined));
  }
  param.dims = dims;
  return true;
}

static bool moveThroughSlice(OpBuilder &builder, tensor::ExtractSliceOp op,
                             ParamTensor &param) {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<int64_t> dims, shape;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  bool whole = true;
  for (int64_t d : param.dims) {
    offsets.push_back(op.getMixedOffsets()[d]);
    sizes.push_back(op.getMixedSizes()[d]);
    strides.push_back(op.getMixedStrides()[d]);
    whole &= !dropped[d] && isZeroInteger(offsets.back()) &&
             isOneInteger(strides.back()) &&
             !ShapedType::isDynamic(op.getStaticSizes()[d]) &&
             op.getStaticSizes()[d] == op.getSourceType().getDimSize(d);
    if (dropped[d])
      continue;
    // Its position among the dimensions that are kept.
    int64_t kept = d;
    for (int64_t e = 0; e < d; ++e)
      kept -= dropped[e];
    dims.push_back(kept);
    shape.push_back(op.getStaticSizes()[d]);
  }
  if (!whole) {
    auto type = RankedTensorType::get(
        shape, getTensorType(param.value).getElementType());
    param.value = foldIfConstant(
        builder,
        tensor::ExtractSliceOp::create(builder, op.getLoc(), type, param.value,
                                       offsets, sizes, strides));
  }
  param.dims = dims;
  return true;
}

/// Moves a parameter along with its value; false, and nothing changed, where it
/// does not vary along whole dimensions afterwards.
static bool moveParam(OpBuilder &builder, Operation *op, ParamTensor &param) {
  if (!param.value || param.dims.empty())
    return true;
  if (auto movement = dyn_cast<linalg::LinalgOp>(op))
    return moveThroughLinalg(movement, param);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return moveThroughExpand(builder, expand, param);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return moveThroughCollapse(builder, collapse, param);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return moveThroughSlice(builder, slice, param);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return llvm::none_of(param.dims, [&](int64_t d) {
      return !isZeroInteger(pad.getMixedLowPad()[d]) ||
             !isZeroInteger(pad.getMixedHighPad()[d]);
    });
  return isa<tensor::CastOp>(op);
}

static AffineMap paramMap(OpBuilder &builder, const ParamTensor &param,
                          unsigned rank) {
  SmallVector<AffineExpr> exprs;
  for (int64_t d : param.dims)
    exprs.push_back(builder.getAffineDimExpr(d));
  return AffineMap::get(rank, 0, exprs, builder.getContext());
}

/// Repeats a parameter over the whole shape of `value`.
static void spreadParam(OpBuilder &builder, Location loc, Value value,
                        ParamTensor &param) {
  unsigned rank = getTensorType(value).getRank();
  param.value = createElementwise(
      builder, loc, param.value, paramMap(builder, param, rank),
      tensor::getMixedSizes(builder, loc, value),
      getTensorType(param.value).getElementType(),
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  param.dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

/// Drops the dimensions along which a spread parameter is known to be the same.
static void narrowParam(OpBuilder &builder, Location loc, ArrayRef<bool> varies,
                        ParamTensor &param) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, param.value);
  SmallVector<int64_t> dims, shape;
  for (auto [p, d] : llvm::enumerate(param.dims)) {
    if (varies[d]) {
      dims.push_back(d);
      shape.push_back(getTensorType(param.value).getDimSize(p));
    } else {
      sizes[p] = builder.getIndexAttr(1);
    }
  }
  if (dims.size() == param.dims.size())
    return;
  SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0)),
      ones(sizes.size(), builder.getIndexAttr(1));
  auto type =
      RankedTensorType::get(shape, getTensorType(param.value).getElementType());
  param.value = foldIfConstant(
      builder, tensor::ExtractSliceOp::create(builder, loc, type, param.value,
                                              zeros, sizes, ones));
  param.dims = dims;
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
  zero.dims = getDims(params, params.zeroPointKind, type.getRank());
  if (params.isZeroPointConstant) {
    zero.value = makeKnown<int32_t>(builder, loc, params.zeroPoints, zero.dims,
                                    type, builder.getI32Type());
    return zero;
  }
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

/// The stored integers as signless i8.
static Value makeStorage(OpBuilder &builder, Location loc, Value quantized) {
  RankedTensorType type = getTensorType(quantized);
  RankedTensorType stored = type.clone(builder.getI8Type());
  if (isa<quant::QuantizedType>(type.getElementType()))
    return quant::StorageCastOp::create(builder, loc, stored, quantized);
  if (type.getElementType().isUnsignedInteger())
    return tensor::BitcastOp::create(builder, loc, stored, quantized);
  return quantized;
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

  for (Operation *op : source.movement) {
    bool isPad = isa<tensor::PadOp>(op);
    // moveParam needs the value's shape before the movement.
    Value before = operand.storage;
    bool zeroPointFollows =
        !(isPad && operand.zeroPoint.value &&
          !(params.isZeroPointConstant && operand.zeroPoint.dims.empty())) &&
        moveParam(builder, op, operand.zeroPoint);
    if (!zeroPointFollows) {
      operand.storage = makeDifference(builder, loc, operand);
      operand.zeroPoint = {};
      padding = 0;
    }
    operand.storage =
        moveElements(builder, op, operand.storage, [&]() -> Value {
          Type element = getTensorType(operand.storage).getElementType();
          return arith::ConstantOp::create(
              builder, op->getLoc(),
              builder.getIntegerAttr(
                  element,
                  APInt(element.getIntOrFloatBitWidth(), padding, true, true)));
        });
    if (!moveParam(builder, op, operand.scale)) {
      spreadParam(builder, loc, before, operand.scale);
      operand.scale.value =
          moveElements(builder, op, operand.scale.value, [&]() -> Value {
            return arith::ConstantOp::create(builder, op->getLoc(),
                                             builder.getF32FloatAttr(1.0f));
          });
      operand.scale.dims = llvm::to_vector(
          llvm::seq<int64_t>(0, getTensorType(operand.scale.value).getRank()));
    }
  }
  narrowParam(builder, loc, source.scaleVaries, operand.scale);
  return operand;
}
