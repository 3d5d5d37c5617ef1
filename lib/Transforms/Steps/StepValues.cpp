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
#include "qcc/Dialect/Kernel/IR/Kernel.h"
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

namespace {
/// Where in its buffer a value lies that is written through views.
struct Placement {
  bool sameShape = true;       ///< as the buffer, but for the border
  kernel::FillBorderOp border; ///< around the value, or null
};
} // namespace

/// Whether an op writes the buffer through the view.
static bool isWritten(memref::SubViewOp view, Operation *user) {
  auto writer = dyn_cast<DestinationStyleOpInterface>(user);
  return writer && llvm::is_contained(writer.getDpsInits(), view.getResult());
}

/// The border of a buffer that is around the view, and around all that is
/// written to the buffer; or null. Of several forms of an op for other numbers
/// of rows, the first fills the border, and another may write the value.
static kernel::FillBorderOp borderAround(memref::SubViewOp view) {
  kernel::FillBorderOp border;
  Value base = baseOf(view.getSource());
  SmallVector<Value> aliases{base};
  for (size_t i = 0; i < aliases.size(); ++i)
    for (Operation *user : aliases[i].getUsers()) {
      if (auto cast = dyn_cast<memref::CastOp>(user))
        aliases.push_back(cast);
      else if (auto fill = dyn_cast<kernel::FillBorderOp>(user))
        border = fill;
    }
  if (!border)
    return {};
  auto isInside = [&](memref::SubViewOp inside) {
    return llvm::equal(inside.getStaticOffsets(), border.getLow()) &&
           llvm::all_of(inside.getStaticStrides(),
                        [](int64_t stride) { return stride == 1; }) &&
           inside.getDroppedDims().none();
  };
  unsigned numWriters = 0;
  for (Value alias : aliases)
    for (Operation *user : alias.getUsers())
      if (auto inside = dyn_cast<memref::SubViewOp>(user)) {
        if (!isInside(inside))
          return {};
        numWriters += llvm::count_if(inside->getUsers(), [&](Operation *op) {
          return isWritten(inside, op);
        });
      }
  return numWriters > 1 ? kernel::FillBorderOp() : border;
}

/// Nothing unless the value is all that the buffer holds, but for a border.
static std::optional<Placement> placementOf(Value memref) {
  Placement placement;
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>()) {
    auto part = dyn_cast<memref::SubViewOp>(view.getOperation());
    bool isCast = isa<memref::CastOp>(view.getOperation());
    if (part && placement.sameShape && !placement.border)
      placement.border = borderAround(part);
    else if (part || (placement.border && !isCast) ||
             !isa<memref::CastOp, memref::ExpandShapeOp,
                  memref::CollapseShapeOp>(view.getOperation()))
      return std::nullopt;
    if (part && !placement.border)
      return std::nullopt;
    placement.sameShape &= isCast || part;
    memref = view.getViewSource();
  }
  return placement;
}

/// Whether the layer replaces a part of the buffer afterwards: padding fills
/// the whole before it copies what it surrounds.
static bool isReplacedInPart(Value memref, StringRef layer) {
  return llvm::any_of(baseOf(memref).getUsers(), [&](Operation *user) {
    return isa<memref::SubViewOp>(user) && layerName(user->getLoc()) == layer;
  });
}

/// What work writes: the operand of the entry, and what the program calls it.
/// Members of a group write blocks of rows, or temporaries of their own.
static SmallVector<std::pair<Value, ValueInfo>> writtenValues(Operation *work) {
  SmallVector<std::pair<Value, ValueInfo>> written;
  SmallVector<Operation *> ops = membersOf(work);
  bool isGroup = !ops.empty();
  if (!isGroup)
    ops.push_back(work);
  for (Operation *op : ops) {
    auto destination = dyn_cast<DestinationStyleOpInterface>(op);
    if (!destination)
      continue;
    for (auto [init, info] :
         llvm::zip(destination.getDpsInits(),
                   valueInfos(op, destination.getNumDpsInits()))) {
      auto block = init.getDefiningOp<memref::SubViewOp>();
      written.emplace_back(isGroup && block ? block.getSource() : init, info);
    }
  }
  return written;
}

void qcc::recordValues(func::CallOp call, func::FuncOp step, Operation *work,
                       const IRMapping &mapping) {
  Builder builder(step.getContext());
  SmallVector<NamedAttrList> values(call.getNumOperands());
  for (auto &[init, info] : writtenValues(work)) {
    auto type = dyn_cast<MemRefType>(init.getType());
    if (!type)
      continue;
    auto arg = dyn_cast<BlockArgument>(mapping.lookupOrDefault(baseOf(init)));
    if (!arg || arg.getOwner() != &step.getBody().front())
      continue;
    if (info.byteShift != 0)
      values[arg.getArgNumber()].set(kByteShiftAttr,
                                     builder.getI64IntegerAttr(info.byteShift));
    std::optional<Placement> placement = placementOf(init);
    if (!placement)
      continue;
    if (!info.order.empty()) {
      if (!placement->sameShape || type.getRank() != int64_t(info.order.size()))
        continue; // its dimensions are not those of the value
      values[arg.getArgNumber()].set(kOrderAttr,
                                     builder.getDenseI64ArrayAttr(info.order));
    }
    if (!info.layer.empty() &&
        (placement->border || !isReplacedInPart(init, info.layer))) {
      if (kernel::FillBorderOp border = placement->border) {
        SmallVector<int64_t> widths(border.getLow());
        llvm::append_range(widths, border.getHigh());
        values[arg.getArgNumber()].set(kBorderAttr,
                                       builder.getDenseI64ArrayAttr(widths));
      }
      values[arg.getArgNumber()].set(kLayerAttr,
                                     builder.getStringAttr(info.layer));
      if (!info.name.empty())
        values[arg.getArgNumber()].set(kNameAttr,
                                       builder.getStringAttr(info.name));
    }
    // A type that is quantized per channel names a dimension, so that it needs
    // the same shape.
    auto quantized = dyn_cast_or_null<quant::QuantizedType>(info.type);
    if (quantized &&
        type.getElementType().isInteger(
            quantized.getStorageTypeIntegralWidth()) &&
        (placement->sameShape || isa<quant::UniformQuantizedType>(quantized)))
      values[arg.getArgNumber()].set(kSourceTypeAttr, TypeAttr::get(quantized));
  }
  if (llvm::all_of(values, [](NamedAttrList &attrs) { return attrs.empty(); }))
    return;
  call.setArgAttrsAttr(builder.getArrayAttr(
      llvm::map_to_vector(values, [&](NamedAttrList &attrs) {
        return Attribute(attrs.getDictionary(builder.getContext()));
      })));
}
