//===- NVPTXDialect.cpp - The nvptx dialect -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "qcc/Artifact/ABI.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Spec.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

#include "qcc/Target/NVPTX/IR/NVPTXIRDialect.cpp.inc"

using kernel::parseStrategyName;
using kernel::printStrategyName;

#define GET_ATTRDEF_CLASSES
#include "qcc/Target/NVPTX/IR/NVPTXIRAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "qcc/Target/NVPTX/IR/NVPTXIR.cpp.inc"

void NVPTXDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "qcc/Target/NVPTX/IR/NVPTXIRAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "qcc/Target/NVPTX/IR/NVPTXIR.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// More threads than blocks of any chip have.
constexpr int64_t kMostThreads = 1024;

static SmallVector<Type> bodyTypes(MLIRContext *context) {
  Type index = IndexType::get(context);
  return {index, index,
          LLVM::LLVMPointerType::get(
              context, static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared))};
}

void BlocksOp::build(OpBuilder &builder, OperationState &state, Value count,
                     int64_t threads, int64_t sharedBytes) {
  state.addOperands(count);
  state.getOrAddProperties<Properties>().threads =
      builder.getI64IntegerAttr(threads);
  state.getOrAddProperties<Properties>().shared_bytes =
      builder.getI64IntegerAttr(sharedBytes);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types = bodyTypes(builder.getContext());
  builder.createBlock(state.addRegion(), {}, types,
                      SmallVector<Location>(types.size(), state.location));
}

LogicalResult BlocksOp::verify() {
  int64_t threads = getThreads();
  if (threads < kWarp || threads > kMostThreads || threads % kWarp != 0)
    return emitOpError() << "must have a multiple of " << kWarp
                         << " threads up to " << kMostThreads << ", not "
                         << threads;
  if (int64_t(getSharedBytes()) < 0)
    return emitOpError() << "must not have " << int64_t(getSharedBytes())
                         << " bytes of shared memory";
  SmallVector<Type> types = bodyTypes(getContext());
  if (getBody().front().getArgumentTypes() != TypeRange(types))
    return emitOpError() << "needs a body with arguments of the types "
                         << types[0] << ", " << types[1] << " and " << types[2];
  return success();
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> TensorMapOp::getMixedDims() {
  return getMixedValues(getDims(), getDynamicDims(), getContext());
}

int64_t TensorMapOp::getByteOffset() {
  auto type = cast<MemRefType>(getSource().getType());
  return type.getStridesAndOffset().second *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

LogicalResult TensorMapOp::verify() {
  auto [elements, offset] =
      cast<MemRefType>(getSource().getType()).getStridesAndOffset();
  if (ShapedType::isDynamic(offset) ||
      getByteOffset() % QCC_DEVICE_ALIGNMENT != 0)
    return emitOpError() << "needs a source at a known offset, a multiple of "
                         << QCC_DEVICE_ALIGNMENT << " bytes";
  size_t rank = getDims().size();
  if (rank < 2 || rank > QCC_MAX_TENSOR_MAP_RANK ||
      getStrides().size() + 1 != rank || getBox().size() != rank)
    return emitOpError() << "needs from 2 to " << QCC_MAX_TENSOR_MAP_RANK
                         << " dimensions, strides of all but the innermost "
                            "one, and a box with a size for each";
  constexpr int64_t kAlignment = QCC_DEVICE_ALIGNMENT, kMostOfBox = 256;
  for (int64_t stride : getStrides())
    if (stride <= 0 || stride % kAlignment != 0)
      return emitOpError() << "needs strides that are multiples of "
                           << kAlignment << ", not " << stride;
  for (int64_t size : getBox())
    if (size < 1 || size > kMostOfBox)
      return emitOpError() << "needs a box of 1 to " << kMostOfBox
                           << " elements in each dimension, not " << size;
  if (!llvm::is_contained({0, 32, 64, 128}, int64_t(getSwizzle())))
    return emitOpError() << "needs a swizzle of 0, 32, 64 or 128 bytes, not "
                         << int64_t(getSwizzle());
  return success();
}
