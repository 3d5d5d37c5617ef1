//===- EmptyTensors.cpp - Tensors whose elements have no values -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/QNN/IR/EmptyTensors.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace qcc;

/// Whether the op writes each element of the output, whatever the sizes.
static bool overwrites(linalg::LinalgOp op, OpOperand &output) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  return op.getMatchingIndexingMap(&output).isProjectedPermutation() &&
         llvm::all_of(reductions, [&](unsigned dim) {
           return !ShapedType::isDynamic(sizes[dim]) && sizes[dim] > 0;
         });
}

namespace {
struct Interval {
  int64_t low, high;
};
} // namespace

/// The elements along `dim` that a slice takes, if they are known and the slice
/// is whole along all other dimensions.
static std::optional<Interval> getSlab(tensor::InsertSliceOp slice,
                                       int64_t dim) {
  RankedTensorType type = slice.getDestType();
  if (!slice.hasUnitStride() || slice.isDynamicOffset(dim) ||
      slice.isDynamicSize(dim))
    return std::nullopt;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != dim && (slice.isDynamicOffset(i) || slice.getStaticOffset(i) ||
                     slice.isDynamicSize(i) || type.isDynamicDim(i) ||
                     slice.getStaticSize(i) != type.getDimSize(i)))
      return std::nullopt;
  int64_t low = slice.getStaticOffset(dim);
  return Interval{low, low + slice.getStaticSize(dim)};
}

/// Whether the insertion and those into its result, each the only use of the
/// one before, leave no element along `dim` out.
static bool isCovered(tensor::InsertSliceOp first, int64_t dim) {
  if (first.getDestType().isDynamicDim(dim))
    return false;
  SmallVector<Interval> slabs;
  for (tensor::InsertSliceOp slice = first; slice;) {
    std::optional<Interval> slab = getSlab(slice, dim);
    if (!slab)
      break;
    slabs.push_back(*slab);
    Value result = slice.getResult();
    slice = {};
    if (!result.hasOneUse())
      break;
    OpOperand &next = *result.use_begin();
    auto insertion = dyn_cast<tensor::InsertSliceOp>(next.getOwner());
    if (insertion && &next == &insertion.getDestMutable() &&
        insertion->getBlock() == first->getBlock())
      slice = insertion;
  }
  llvm::sort(slabs, [](Interval a, Interval b) { return a.low < b.low; });
  int64_t end = 0;
  for (Interval slab : slabs)
    if (slab.low <= end)
      end = std::max(end, slab.high);
  return end >= first.getDestType().getDimSize(dim);
}

EmptyTensorUse qcc::classifyUseOfEmptyTensor(OpOperand &use) {
  Operation *op = use.getOwner();
  auto type = dyn_cast<RankedTensorType>(use.get().getType());
  if (!type || (type.hasStaticShape() && type.getNumElements() == 0))
    return EmptyTensorUse::Harmless;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    if (structured.payloadUsesValueFromOperand(&use))
      return EmptyTensorUse::Read;
    return structured.isDpsInput(&use) || overwrites(structured, use)
               ? EmptyTensorUse::Harmless
               : EmptyTensorUse::Unknown;
  }
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op)) {
    if (&use == &slice.getSourceMutable())
      return EmptyTensorUse::Read;
    bool covered =
        llvm::any_of(llvm::seq<int64_t>(0, slice.getDestType().getRank()),
                     [&](int64_t dim) { return isCovered(slice, dim); });
    return covered ? EmptyTensorUse::Harmless : EmptyTensorUse::Unknown;
  }
  if (isa<tensor::DimOp>(op))
    return EmptyTensorUse::Harmless;
  if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::ExtractSliceOp, quant::StorageCastOp>(op))
    return EmptyTensorUse::View;
  if (isa<func::ReturnOp>(op))
    return cast<func::FuncOp>(op->getParentOp()).isPublic()
               ? EmptyTensorUse::Read
               : EmptyTensorUse::Unknown;
  if (isa<tensor::InsertOp, func::CallOp>(op) ||
      isa<scf::SCFDialect>(op->getDialect()))
    return EmptyTensorUse::Unknown;
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    if (destination.isDpsInit(&use))
      return EmptyTensorUse::Unknown;
  return EmptyTensorUse::Read;
}
