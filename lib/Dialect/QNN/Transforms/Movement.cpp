//===- Movement.cpp - Data movement of N3 ---------------------------------===//
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

#include "Movement.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Utils/ConstantData.h"

using namespace mlir;
using namespace qcc::qnn;

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
Value qcc::qnn::getMoved(Operation *op) {
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
SmallVector<bool> qcc::qnn::varyingDims(Operation *op, ArrayRef<bool> varies) {
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
  TypedAttr constant = qcc::foldMovement(op);
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
Value qcc::qnn::moveElements(OpBuilder &builder, Operation *op, Value tensor,
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

/// Repeats a parameter over `dims`, dimensions of `value` that include its own.
static void spreadParam(OpBuilder &builder, Location loc, Value value,
                        ArrayRef<int64_t> dims, ParamTensor &param) {
  SmallVector<AffineExpr> exprs;
  for (int64_t d : param.dims)
    exprs.push_back(
        builder.getAffineDimExpr(llvm::find(dims, d) - dims.begin()));
  SmallVector<OpFoldResult> sizes;
  for (int64_t d : dims)
    sizes.push_back(tensor::getMixedSize(builder, loc, value, d));
  param.value = createElementwise(
      builder, loc, param.value,
      AffineMap::get(dims.size(), 0, exprs, builder.getContext()), sizes,
      getTensorType(param.value).getElementType(),
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  param.dims.assign(dims.begin(), dims.end());
}

/// Takes the parameter at one index of each dimension for which `indices` has
/// one.
static void takeIndices(OpBuilder &builder, Location loc,
                        ArrayRef<std::optional<int64_t>> indices,
                        ParamTensor &param) {
  RankedTensorType type = getTensorType(param.value);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, param.value);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
      ones(sizes.size(), builder.getIndexAttr(1));
  SmallVector<int64_t> dims, shape;
  for (auto [p, index] : llvm::enumerate(indices)) {
    if (!index) {
      dims.push_back(param.dims[p]);
      shape.push_back(type.getDimSize(p));
      continue;
    }
    offsets[p] = builder.getIndexAttr(*index);
    sizes[p] = builder.getIndexAttr(1);
  }
  if (dims.size() == param.dims.size())
    return;
  param.value = foldIfConstant(
      builder,
      tensor::ExtractSliceOp::create(
          builder, loc, RankedTensorType::get(shape, type.getElementType()),
          param.value, offsets, sizes, ones));
  param.dims = dims;
}

static void moveThroughLinalg(OpBuilder &builder, linalg::LinalgOp op,
                              ParamTensor &param) {
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap map = maps[0].compose(inversePermutation(maps[1]));
  SmallVector<std::optional<int64_t>> indices;
  for (int64_t d : param.dims) {
    auto constant = dyn_cast<AffineConstantExpr>(map.getResult(d));
    indices.push_back(constant ? std::optional(constant.getValue())
                               : std::nullopt);
  }
  takeIndices(builder, loc, indices, param);
  // What is left depends on these dimensions of the result.
  SmallVector<AffineExpr> exprs,
      renumbered(map.getNumDims(), builder.getAffineConstantExpr(0));
  bool isPermuted = true;
  SmallVector<int64_t> dims;
  for (int64_t d : param.dims) {
    AffineExpr expr = exprs.emplace_back(map.getResult(d));
    auto dim = dyn_cast<AffineDimExpr>(expr);
    isPermuted &= dim && !llvm::is_contained(dims, dim.getPosition());
    for (unsigned i = 0; i < map.getNumDims(); ++i)
      if (expr.isFunctionOfDim(i) && !llvm::is_contained(dims, i))
        dims.push_back(i);
  }
  if (!isPermuted) {
    SmallVector<OpFoldResult> sizes;
    for (auto [i, d] : llvm::enumerate(dims)) {
      renumbered[d] = builder.getAffineDimExpr(i);
      sizes.push_back(
          tensor::getMixedSize(builder, loc, op.getDpsInits()[0], d));
    }
    AffineMap read =
        AffineMap::get(map.getNumDims(), 0, exprs, builder.getContext())
            .replaceDimsAndSymbols(renumbered, {}, dims.size(), 0);
    param.value = createElementwise(
        builder, loc, param.value, read, sizes,
        getTensorType(param.value).getElementType(),
        [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  }
  param.dims = dims;
}

static void moveThroughExpand(OpBuilder &builder, tensor::ExpandShapeOp op,
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
}

static void moveThroughCollapse(OpBuilder &builder, tensor::CollapseShapeOp op,
                                Value value, ParamTensor &param) {
  auto isOwn = [&](int64_t d) { return llvm::is_contained(param.dims, d); };
  SmallVector<ReassociationIndices> joined;
  SmallVector<int64_t> dims, whole;
  for (auto [i, group] : llvm::enumerate(op.getReassociationIndices())) {
    if (llvm::none_of(group, isOwn))
      continue;
    dims.push_back(i);
    ReassociationIndices &part = joined.emplace_back();
    for (int64_t d : group)
      if (isOwn(d) || op.getSrcType().getDimSize(d) != 1) {
        part.push_back(whole.size());
        whole.push_back(d);
      }
  }
  // What differs along one dimension of a group is repeated along the others.
  if (param.dims != whole)
    spreadParam(builder, op.getLoc(), value, whole, param);
  if (dims.size() != whole.size()) {
    auto type = tensor::CollapseShapeOp::inferCollapsedType(
        getTensorType(param.value), joined);
    param.value = foldIfConstant(
        builder, tensor::CollapseShapeOp::create(builder, op.getLoc(), type,
                                                 param.value, joined));
  }
  param.dims = dims;
}

static void moveThroughSlice(OpBuilder &builder, tensor::ExtractSliceOp op,
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
}

/// What a pad adds has the scale 1.
static void moveThroughPad(OpBuilder &builder, tensor::PadOp op,
                           ParamTensor &scale) {
  SmallVector<OpFoldResult> low, high;
  SmallVector<int64_t> shape;
  for (int64_t d : scale.dims) {
    low.push_back(op.getMixedLowPad()[d]);
    high.push_back(op.getMixedHighPad()[d]);
    shape.push_back(op.getResultType().getDimSize(d));
  }
  if (llvm::all_of(low, isZeroInteger) && llvm::all_of(high, isZeroInteger))
    return;
  auto type =
      RankedTensorType::get(shape, getTensorType(scale.value).getElementType());
  Value one = arith::ConstantOp::create(builder, op.getLoc(),
                                        builder.getF32FloatAttr(1.0f));
  scale.value = foldIfConstant(
      builder, tensor::PadOp::create(builder, op.getLoc(), type, scale.value,
                                     low, high, one));
}

void qcc::qnn::moveParam(OpBuilder &builder, Operation *op, Value value,
                         ParamTensor &param) {
  if (!param.value || param.dims.empty())
    return;
  if (auto movement = dyn_cast<linalg::LinalgOp>(op))
    moveThroughLinalg(builder, movement, param);
  else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    moveThroughExpand(builder, expand, param);
  else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    moveThroughCollapse(builder, collapse, value, param);
  else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    moveThroughSlice(builder, slice, param);
  else if (auto pad = dyn_cast<tensor::PadOp>(op))
    moveThroughPad(builder, pad, param);
}

AffineMap qcc::qnn::paramMap(OpBuilder &builder, const ParamTensor &param,
                             unsigned rank) {
  SmallVector<AffineExpr> exprs;
  for (int64_t d : param.dims)
    exprs.push_back(builder.getAffineDimExpr(d));
  return AffineMap::get(rank, 0, exprs, builder.getContext());
}

void qcc::qnn::narrowParam(OpBuilder &builder, Location loc,
                           ArrayRef<bool> varies, ParamTensor &param) {
  SmallVector<std::optional<int64_t>> indices;
  for (int64_t d : param.dims)
    indices.push_back(varies[d] ? std::nullopt : std::optional<int64_t>(0));
  takeIndices(builder, loc, indices, param);
}
