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
/// The most dimensions of a tensor map.
constexpr size_t kMostMapDims = 5;

/// Says why a tensor map is of no argument of a launch; nothing if it is one.
static std::optional<std::string> refuseMap(LaunchOp op, TensorMapAttr map) {
  OperandRange arguments = op.getArguments();
  auto hasType = [&](int64_t number, auto isType) {
    return number >= 0 && number < int64_t(arguments.size()) &&
           isType(arguments[number].getType());
  };
  if (!hasType(map.getArgument(),
               [](Type type) { return isa<MemRefType>(type); }))
    return "is of an argument that is no memref of the launch";
  size_t rank = map.getDims().size();
  if (rank < 2 || rank > kMostMapDims || map.getStrides().size() + 1 != rank ||
      map.getBox().size() != rank)
    return "has not from 2 to 5 dimensions, a stride for all but the "
           "innermost one, and a size of the box for each";
  for (int64_t size : map.getDims())
    if (size == 0 ||
        (size < 0 &&
         !hasType(-1 - size, [](Type type) { return type.isIndex(); })))
      return "has a size that is neither a number from 1 on nor an index of "
             "the launch";
  return std::nullopt;
}

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
  if (std::optional<ArrayAttr> maps = getTensorMaps())
    for (auto map : maps->getAsRange<TensorMapAttr>())
      if (std::optional<std::string> reason = refuseMap(*this, map))
        return emitOpError()
               << "has tensor map " << map << ", which " << *reason;
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
  size_t count =
      getArguments().size() + (getTensorMaps() ? getTensorMaps()->size() : 0);
  if (function.getNumArguments() != count)
    return emitOpError() << "launches " << getKernelAttr() << ", which has "
                         << function.getNumArguments() << " parameters, with "
                         << count << " arguments";
  return success();
}
