//===- StepInfo.cpp - Kind and work of a step -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Steps/StepInfo.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Dialect/QNN/IR/WeightNote.h"
#include "qcc/Dialect/Utils/Notes.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
#include "qcc/Transforms/Contraction/TunedConfigs.h"
#include "qcc/Transforms/Refusal.h"
#include "qcc/Transforms/Steps/WorkKind.h"

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

std::string qcc::sourcePosition(Location loc) {
  std::string position;
  loc->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      position = file.getFilename().str();
      // A node of a model has none.
      if (file.getLine() > 0)
        position +=
            (":" + Twine(file.getLine()) + ":" + Twine(file.getColumn())).str();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return position;
}

//===----------------------------------------------------------------------===//
// Description
//===----------------------------------------------------------------------===//

DictionaryAttr qcc::describeWork(Operation *work) {
  Builder builder(work->getContext());
  NamedAttrList info;
  auto setString = [&](StringRef key, const Twine &value) {
    std::string text = value.str();
    if (!text.empty())
      info.set(key, builder.getStringAttr(text));
  };
  Location loc = work->getLoc();
  setString("layer",
            isFormOfLayer(loc) ? valueInfo(loc).layer : layerName(loc));
  setString("model_op", modelOp(loc));
  setString("location", sourcePosition(loc));
  setString("work", toString(workKindOf(work)));
  if (auto contract = dyn_cast<kernel::ContractOp>(work)) {
    setString("kind", "contract");
    if (contract.getFused())
      info.set("fused", contract.getFusedAttr());
    info.set("config", contract.getLoweringConfigAttr());
    if (Attribute reason = contract->getAttr(kNotTunedAttr))
      info.set("not_tuned", reason);
  } else {
    setString("kind", isa<kernel::PackOp>(work) ? "pack" : "generic");
    std::string origin = originOf(work);
    info.set("fused", builder.getStrArrayAttr(
                          llvm::to_vector(llvm::split(origin, ", "))));
  }
  if (Attribute weight = work->getAttr(kWeightAttr))
    info.set("weight", weight);
  if (!isa<kernel::PackOp, kernel::ContractOp>(work))
    setString("refused", whyGeneric(work));
  else if (Attribute refused = work->getAttr(kRefusedAttr))
    info.set("refused", refused);
  return info.getDictionary(work->getContext());
}

//===----------------------------------------------------------------------===//
// Sizes and cost
//===----------------------------------------------------------------------===//

static OpFoldResult multiply(OpBuilder &builder, Location loc,
                             ArrayRef<OpFoldResult> factors) {
  int64_t constant = 1;
  SmallVector<OpFoldResult> dynamic;
  for (OpFoldResult factor : factors) {
    if (std::optional<int64_t> value = getConstantIntValue(factor))
      constant *= *value;
    else
      dynamic.push_back(factor);
  }
  // Products of symbols are not affine: multiply step by step.
  Value product;
  for (OpFoldResult factor : dynamic) {
    Value value = cast<Value>(factor);
    product =
        product
            ? arith::MulIOp::create(builder, loc, product, value).getResult()
            : value;
  }
  if (!product)
    return builder.getIndexAttr(constant);
  if (constant == 1)
    return product;
  Value scale = arith::ConstantIndexOp::create(builder, loc, constant);
  return arith::MulIOp::create(builder, loc, product, scale).getResult();
}

SmallVector<OpFoldResult> qcc::sizesOf(OpBuilder &builder, Location loc,
                                       Value memref) {
  if (auto cast = memref.getDefiningOp<memref::CastOp>())
    return sizesOf(builder, loc, cast.getSource());
  if (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    SmallVector<OpFoldResult> sizes;
    llvm::SmallBitVector dropped = view.getDroppedDims();
    for (auto [i, size] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped.test(i))
        sizes.push_back(size);
    return sizes;
  }
  if (auto expand = memref.getDefiningOp<memref::ExpandShapeOp>())
    return expand.getMixedOutputShape();
  if (auto collapse = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    SmallVector<OpFoldResult> source = sizesOf(builder, loc, collapse.getSrc());
    SmallVector<OpFoldResult> sizes;
    for (ArrayRef<int64_t> group : collapse.getReassociationIndices()) {
      SmallVector<OpFoldResult> factors;
      for (int64_t i : group)
        factors.push_back(source[i]);
      sizes.push_back(multiply(builder, loc, factors));
    }
    return sizes;
  }
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return alloc.getMixedSizes();
  SmallVector<OpFoldResult> sizes;
  auto type = cast<MemRefType>(memref.getType());
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (ShapedType::isDynamic(size))
      sizes.push_back(
          memref::DimOp::create(builder, loc, memref, i).getResult());
    else
      sizes.push_back(builder.getIndexAttr(size));
  }
  return sizes;
}

void qcc::resolveViewSizes(func::FuncOp entry) {
  SmallVector<memref::DimOp> dims;
  entry.walk([&](memref::DimOp dim) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    if (index && type && *index < type.getRank() &&
        dim.getSource().getDefiningOp<ViewLikeOpInterface>())
      dims.push_back(dim);
  });
  for (memref::DimOp dim : dims) {
    OpBuilder builder(dim);
    Location loc = dim.getLoc();
    OpFoldResult size =
        sizesOf(builder, loc, dim.getSource())[*dim.getConstantIndex()];
    dim.replaceAllUsesWith(getValueOrCreateConstantIndexOp(builder, loc, size));
    dim.erase();
  }
}

/// The product of the loop sizes of a structured op, read off its operands.
static OpFoldResult iterationCount(OpBuilder &builder, Location loc,
                                   ArrayRef<Value> operands,
                                   ArrayRef<AffineMap> maps) {
  unsigned loops = maps.front().getNumDims();
  SmallVector<OpFoldResult> extent(loops);
  for (auto [operand, map] : llvm::zip(operands, maps)) {
    if (!isa<MemRefType>(operand.getType()))
      continue;
    SmallVector<OpFoldResult> sizes = sizesOf(builder, loc, operand);
    for (auto [size, expr] : llvm::zip(sizes, map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        extent[dim.getPosition()] = size;
  }
  SmallVector<OpFoldResult> known;
  for (OpFoldResult size : extent)
    if (size)
      known.push_back(size);
  return multiply(builder, loc, known);
}

WorkCounts qcc::emitWorkCounts(OpBuilder &builder, Operation *work) {
  Location loc = work->getLoc();
  OpFoldResult operations = builder.getIndexAttr(0);
  if (auto contract = dyn_cast<kernel::ContractOp>(work)) {
    SmallVector<Value> outs(contract.getOuts());
    SmallVector<AffineMap> maps = contract.getOutMaps();
    int64_t reduction = contract.getReductionSize();
    if (auto merged = contract->getAttrOfType<IntegerAttr>(kMergedGroupsAttr))
      reduction /= merged.getInt();
    operations = multiply(builder, loc,
                          {iterationCount(builder, loc, outs, maps),
                           builder.getIndexAttr(2 * reduction)});
  } else if (auto op = dyn_cast<linalg::LinalgOp>(work)) {
    int64_t scalars = 0;
    for (Operation &inner : op.getBlock()->without_terminator())
      scalars += !isa<arith::ConstantOp>(inner);
    operations = multiply(
        builder, loc,
        {iterationCount(builder, loc, llvm::to_vector(work->getOperands()),
                        op.getIndexingMapsArray()),
         builder.getIndexAttr(scalars)});
  }
  Value bytes = arith::ConstantIndexOp::create(builder, loc, 0);
  llvm::SmallSetVector<Value, 8> operands;
  for (Value operand : work->getOperands())
    if (isa<MemRefType>(operand.getType()))
      operands.insert(operand);
  for (Value operand : operands) {
    SmallVector<OpFoldResult> factors = sizesOf(builder, loc, operand);
    Type element = cast<MemRefType>(operand.getType()).getElementType();
    unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    factors.push_back(builder.getIndexAttr(std::max(1u, bits / 8)));
    Value size = getValueOrCreateConstantIndexOp(
        builder, loc, multiply(builder, loc, factors));
    bytes = builder.createOrFold<arith::AddIOp>(loc, bytes, size);
  }
  return {getValueOrCreateConstantIndexOp(builder, loc, operations), bytes};
}
