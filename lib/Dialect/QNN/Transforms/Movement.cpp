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
#include "ConstantData.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

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
bool qcc::qnn::moveParam(OpBuilder &builder, Operation *op,
                         ParamTensor &param) {
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

AffineMap qcc::qnn::paramMap(OpBuilder &builder, const ParamTensor &param,
                             unsigned rank) {
  SmallVector<AffineExpr> exprs;
  for (int64_t d : param.dims)
    exprs.push_back(builder.getAffineDimExpr(d));
  return AffineMap::get(rank, 0, exprs, builder.getContext());
}

/// Repeats a parameter over the whole shape of `value`.
void qcc::qnn::spreadParam(OpBuilder &builder, Location loc, Value value,
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
void qcc::qnn::narrowParam(OpBuilder &builder, Location loc,
                           ArrayRef<bool> varies, ParamTensor &param) {
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
