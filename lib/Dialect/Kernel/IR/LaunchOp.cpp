//===- LaunchOp.cpp - Steps that devices run ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

using namespace mlir;
using namespace qcc::kernel;

/// More threads than blocks of any chip have.
constexpr int64_t kMostThreads = 1024;

LogicalResult LaunchOp::verify() {
  int64_t block = getBlock(), sharedBytes = getSharedBytes();
  if (block < 1 || block > kMostThreads)
    return emitOpError() << "must have blocks of 1 to " << kMostThreads
                         << " threads, not " << block;
  if (sharedBytes < 0)
    return emitOpError() << "must not have " << sharedBytes
                         << " bytes of shared memory";
  for (int64_t number : getWrites())
    if (number < 0 || number >= int64_t(getArguments().size()) ||
        !isa<MemRefType>(getArguments()[number].getType()))
      return emitOpError() << "writes argument " << number
                           << ", which is no memref of the launch";
  if (getValues() && getValues()->size() != getArguments().size())
    return emitOpError() << "has values of " << getValues()->size()
                         << " arguments, but " << getArguments().size()
                         << " arguments";
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *found = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  auto function = dyn_cast_or_null<FunctionOpInterface>(found);
  if (!function)
    return emitOpError() << "launches " << getKernelAttr()
                         << ", which is no function";
  if (function.getNumArguments() != getArguments().size())
    return emitOpError() << "launches " << getKernelAttr() << ", which has "
                         << function.getNumArguments() << " parameters, with "
                         << getArguments().size() << " arguments";
  return success();
}
