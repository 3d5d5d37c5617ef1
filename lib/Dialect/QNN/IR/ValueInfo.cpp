//===- ValueInfo.cpp - Names and types of values in the source ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

using namespace mlir;
using namespace qcc;

static constexpr StringLiteral kLayer = "layer";
static constexpr StringLiteral kName = "name";
static constexpr StringLiteral kType = "type";
static constexpr StringLiteral kPart = "part";
static constexpr StringLiteral kOrder = "order";
static constexpr StringLiteral kByteShift = "byte_shift";

StringRef qcc::layerName(Location loc) {
  StringRef name;
  loc->walk([&](Location inner) {
    if (auto named = dyn_cast<NameLoc>(inner)) {
      name = named.getName().getValue();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return name;
}

/// What follows `prefix` in the first name of a location that begins with it.
static StringRef nameAfter(Location loc, StringRef prefix) {
  StringRef name;
  loc->walk([&](Location inner) {
    auto named = dyn_cast<NameLoc>(inner);
    if (!named || !named.getName().getValue().starts_with(prefix))
      return WalkResult::advance();
    name = named.getName().getValue().drop_front(prefix.size());
    return WalkResult::interrupt();
  });
  return name;
}

StringRef qcc::modelOp(Location loc) { return nameAfter(loc, kModelOpPrefix); }

static ValueInfo fromDictionary(DictionaryAttr dict) {
  ValueInfo info;
  if (auto layer = dict.getAs<StringAttr>(kLayer))
    info.layer = layer.getValue();
  if (auto name = dict.getAs<StringAttr>(kName))
    info.name = name.getValue();
  if (auto type = dict.getAs<TypeAttr>(kType))
    info.type = type.getValue();
  if (auto order = dict.getAs<DenseI64ArrayAttr>(kOrder))
    info.order = llvm::to_vector(order.asArrayRef());
  if (auto shift = dict.getAs<IntegerAttr>(kByteShift))
    info.byteShift = shift.getInt();
  return info;
}

static DictionaryAttr toDictionary(MLIRContext *context,
                                   const ValueInfo &info) {
  NamedAttrList attrs;
  if (!info.layer.empty())
    attrs.set(kLayer, StringAttr::get(context, info.layer));
  if (!info.name.empty())
    attrs.set(kName, StringAttr::get(context, info.name));
  if (info.type)
    attrs.set(kType, TypeAttr::get(info.type));
  if (!info.order.empty())
    attrs.set(kOrder, DenseI64ArrayAttr::get(context, info.order));
  if (info.byteShift != 0)
    attrs.set(kByteShift,
              IntegerAttr::get(IntegerType::get(context, 64), info.byteShift));
  return attrs.getDictionary(context);
}

/// Our metadata of a location, or null.
static DictionaryAttr metadataOf(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  return dyn_cast_or_null<DictionaryAttr>(fused ? fused.getMetadata()
                                                : Attribute());
}

static Location withMetadata(Location loc, StringRef key, Attribute value) {
  MLIRContext *context = loc.getContext();
  DictionaryAttr old = metadataOf(loc);
  NamedAttrList entries(old);
  entries.set(key, value);
  ArrayRef<Location> inner = loc;
  if (old)
    inner = cast<FusedLoc>(loc).getLocations();
  return FusedLoc::get(context, inner, entries.getDictionary(context));
}

ValueInfo qcc::valueInfo(Location loc) {
  ValueInfo info;
  DictionaryAttr dict = metadataOf(loc);
  if (dict && dict.contains(kPart))
    return info;
  if (dict)
    info = fromDictionary(dict);
  if (info.layer.empty()) {
    info.layer = layerName(loc);
    info.name = nameAfter(loc, kModelValuePrefix);
  }
  return info;
}

Location qcc::withType(Location loc, Type type) {
  if (!isa_and_nonnull<quant::QuantizedType>(type))
    return loc;
  return withMetadata(loc, kType, TypeAttr::get(type));
}

Location qcc::withOrder(Location loc, ArrayRef<int64_t> order) {
  DictionaryAttr old = metadataOf(loc);
  if (!order.empty())
    return withMetadata(loc, kOrder,
                        DenseI64ArrayAttr::get(loc.getContext(), order));
  if (!old || !old.contains(kOrder))
    return loc;
  NamedAttrList entries(old);
  entries.erase(kOrder);
  return FusedLoc::get(loc.getContext(), cast<FusedLoc>(loc).getLocations(),
                       entries.getDictionary(loc.getContext()));
}

Location qcc::asFormOfLayer(Location loc, const ValueInfo &source) {
  MLIRContext *context = loc.getContext();
  loc = withMetadata(loc, kLayer, StringAttr::get(context, source.layer));
  return source.name.empty()
             ? loc
             : withMetadata(loc, kName, StringAttr::get(context, source.name));
}

bool qcc::isFormOfLayer(Location loc) {
  DictionaryAttr dict = metadataOf(loc);
  return dict && dict.contains(kLayer);
}

/// Views that pass a value on.
static Value lookThroughViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

void qcc::inheritLayers(Operation *root) {
  root->walk<WalkOrder::PreOrder>([](Operation *op) {
    auto elementwise = dyn_cast<qnn::ElementwiseOpInterface>(op);
    bool isPair = isa<qnn::DequantizeOp>(op) && !modelOp(op->getLoc()).empty();
    if (!elementwise || !(elementwise.onlyQuantizes() || isPair))
      return;
    Operation *source = lookThroughViews(op->getOperand(0)).getDefiningOp();
    ValueInfo info = source ? valueInfo(source->getLoc()) : ValueInfo();
    if (!info.layer.empty())
      op->setLoc(asFormOfLayer(op->getLoc(), info));
  });
}

Location qcc::asPartOfLayer(Location loc) {
  return withMetadata(loc, kPart, UnitAttr::get(loc.getContext()));
}

SmallVector<ValueInfo> qcc::valueInfos(Operation *op, unsigned count) {
  auto attr = op->getAttrOfType<ArrayAttr>(kValuesAttr);
  // A rewrite that dropped a result cannot have known which entry to drop.
  if (attr && attr.size() != count)
    return SmallVector<ValueInfo>(count);
  if (!attr)
    return SmallVector<ValueInfo>(count, valueInfo(op->getLoc()));
  return llvm::map_to_vector(attr, [](Attribute entry) {
    auto dict = dyn_cast<DictionaryAttr>(entry);
    return dict ? fromDictionary(dict) : ValueInfo();
  });
}

void qcc::setValueInfos(Operation *op, ArrayRef<ValueInfo> infos) {
  ValueInfo own = valueInfo(op->getLoc());
  if (llvm::all_of(infos, [&](const ValueInfo &info) { return info == own; })) {
    op->removeDiscardableAttr(kValuesAttr);
    return;
  }
  Builder builder(op->getContext());
  op->setDiscardableAttr(kValuesAttr,
                         builder.getArrayAttr(llvm::map_to_vector(
                             infos, [&](const ValueInfo &info) -> Attribute {
                               return toDictionary(op->getContext(), info);
                             })));
}
