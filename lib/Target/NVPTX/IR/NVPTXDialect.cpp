//===- NVPTXDialect.cpp - The nvptx dialect -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Spec.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

#include "qcc/Target/NVPTX/IR/NVPTXIRDialect.cpp.inc"

#include "qcc/Target/NVPTX/IR/NVPTXEnums.cpp.inc"

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
// Configs
//===----------------------------------------------------------------------===//

LogicalResult ConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StrategyKind strategy, StringRef, int64_t rows,
                                 int64_t columns, int64_t depth,
                                 int64_t warpRows, int64_t warpColumns,
                                 int64_t stages, kernel::ConfigSource) {
  if (strategy == StrategyKind::Threads) {
    if (rows || columns || depth || warpRows || warpColumns || stages)
      return emitError() << "threads computes one result at a time; leave out "
                            "tile, warp and stages";
    return success();
  }
  for (int64_t size : {rows, columns, depth, warpRows, warpColumns, stages})
    if (size < 1)
      return emitError() << "multistage needs tile, warp and stages, all of "
                            "them positive";
  if (rows % warpRows != 0 || columns % warpColumns != 0)
    return emitError() << "rows and columns of the tile must be multiples of "
                          "those of a warp";
  return success();
}

int64_t ConfigAttr::getThreads() const {
  if (getStrategy() == StrategyKind::Threads)
    return kBlock;
  return getRows() / getWarpRows() * (getColumns() / getWarpColumns()) * kWarp;
}

int64_t ConfigAttr::getSharedBytes() const {
  return getStages() * (getRows() + getColumns()) * getDepth();
}

StringRef ConfigAttr::getStrategyName() const {
  return stringifyStrategyKind(getStrategy());
}

kernel::LoweringConfigAttrInterface
ConfigAttr::withSource(kernel::ConfigSource source) const {
  return get(getContext(), getStrategy(), getAtom(), getRows(), getColumns(),
             getDepth(), getWarpRows(), getWarpColumns(), getStages(), source);
}

std::string ConfigAttr::describe() const {
  if (getStrategy() == StrategyKind::Threads)
    return "a thread for each result";
  return llvm::formatv(
      "tile {0}x{1}x{2}, {3} warps of {4}x{5}, {6} stages, {7} bytes of shared "
      "memory",
      getRows(), getColumns(), getDepth(), getThreads() / kWarp, getWarpRows(),
      getWarpColumns(), getStages(), getSharedBytes());
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
