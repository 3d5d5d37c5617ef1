//===- DynamicExpansions.cpp - Views of several dynamic sizes -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's expand-strided-metadata computes the sizes of what a dimension
// becomes from its size, and crashes where more than one of them is dynamic.
// memref.expand_shape names all of them, and strides follow.
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace qcc;

/// Whether a dimension becomes several dimensions of dynamic sizes.
static bool hasDynamicGroup(memref::ExpandShapeOp op) {
  MemRefType type = op.getResultType();
  return llvm::any_of(op.getReassociationIndices(),
                      [&](ArrayRef<int64_t> dims) {
                        return llvm::count_if(dims, [&](int64_t d) {
                                 return type.isDynamicDim(d);
                               }) > 1;
                      });
}

void qcc::lowerDynamicExpansion(memref::ExpandShapeOp op) {
  if (!hasDynamicGroup(op))
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  MemRefType type = op.getResultType();
  auto source =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(),
                            strides(sizes.size());
  auto [known, offset] = type.getStridesAndOffset();
  SmallVector<OpFoldResult> outer = source.getConstifiedMixedStrides();
  for (auto [group, dims] : llvm::enumerate(op.getReassociationIndices())) {
    OpFoldResult stride = outer[group];
    for (int64_t d : llvm::reverse(dims)) {
      strides[d] = ShapedType::isDynamic(known[d])
                       ? stride
                       : OpFoldResult(builder.getIndexAttr(known[d]));
      Value next = arith::MulIOp::create(
          builder, loc, getValueOrCreateConstantIndexOp(builder, loc, stride),
          getValueOrCreateConstantIndexOp(builder, loc, sizes[d]));
      stride = next;
    }
  }
  Value view = memref::ReinterpretCastOp::create(
      builder, loc, type, source.getBaseBuffer(),
      source.getConstifiedMixedOffset(), sizes, strides);
  op.replaceAllUsesWith(view);
  op.erase();
}
