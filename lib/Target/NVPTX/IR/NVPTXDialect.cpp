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
