//===- StepValues.cpp - Values of the program in buffers of steps ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepValues.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Transforms/Steps/StepInfo.h"
#include "qcc/Transforms/Steps/Steps.h"

using namespace mlir;
using namespace qcc;

Value qcc::baseOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// Whether a buffer that is written through views holds just what is written,
/// that is, the views cover the whole buffer. `sameShape` tells whether they
/// keep its shape.
static bool isWhole(Value memref, bool &sameShape) {
  sameShape = true;
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>()) {
    if (!isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
            view.getOperation()))
      return false;
    sameShape &= isa<memref::CastOp>(view.getOperation());
    memref = view.getViewSource();
  }
  return true;
}

/// Whether the layer replaces a part of the buffer afterwards: padding fills
/// the whole before it copies what it surrounds.
static bool isReplacedInPart(Value memref, StringRef layer) {
  return llvm::any_of(baseOf(memref).getUsers(), [&](Operation *user) {
    return isa<memref::SubViewOp>(user) && layerName(user->getLoc()) == layer;
  });
}

void qcc::recordValues(func::CallOp call, func::FuncOp step, Operation *work,
                       const IRMapping &mapping) {
  auto destination = dyn_cast<DestinationStyleOpInterface>(work);
  if (!destination)
    return;
  Builder builder(step.getContext());
  SmallVector<NamedAttrList> values(call.getNumOperands());
  SmallVector<ValueInfo> infos = valueInfos(work, destination.getNumDpsInits());
  for (auto [init, info] : llvm::zip(destination.getDpsInits(), infos)) {
    bool sameShape;
    auto type = dyn_cast<MemRefType>(init.getType());
    if (!type)
      continue;
    auto arg = dyn_cast<BlockArgument>(mapping.lookupOrDefault(baseOf(init)));
    if (!arg || arg.getOwner() != &step.getBody().front())
      continue;
    if (info.byteShift != 0)
      values[arg.getArgNumber()].set(kByteShiftAttr,
                                     builder.getI64IntegerAttr(info.byteShift));
    if (!isWhole(init, sameShape))
      continue;
    if (!info.order.empty()) {
      if (!sameShape || type.getRank() != int64_t(info.order.size()))
        continue; // its dimensions are not those of the value
      values[arg.getArgNumber()].set(kOrderAttr,
                                     builder.getDenseI64ArrayAttr(info.order));
    }
    if (!info.layer.empty() && !isReplacedInPart(init, info.layer))
      values[arg.getArgNumber()].set(kLayerAttr,
                                     builder.getStringAttr(info.layer));
    // A type that is quantized per channel names a dimension, so that it needs
    // the same shape.
    auto quantized = dyn_cast_or_null<quant::QuantizedType>(info.type);
    if (quantized &&
        type.getElementType().isInteger(
            quantized.getStorageTypeIntegralWidth()) &&
        (sameShape || isa<quant::UniformQuantizedType>(quantized)))
      values[arg.getArgNumber()].set(kSourceTypeAttr, TypeAttr::get(quantized));
  }
  if (llvm::all_of(values, [](NamedAttrList &attrs) { return attrs.empty(); }))
    return;
  call.setArgAttrsAttr(builder.getArrayAttr(
      llvm::map_to_vector(values, [&](NamedAttrList &attrs) {
        return Attribute(attrs.getDictionary(builder.getContext()));
      })));
}
