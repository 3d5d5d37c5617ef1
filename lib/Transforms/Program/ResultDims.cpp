//===- ResultDims.cpp - Dimensions that results have in common ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResultDims.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace qcc;

/// The size of an argument's dimension that the value is.
static std::optional<int64_t> sizeOfArgument(Value value,
                                             const ProgramEntry &program) {
  auto dim = value.getDefiningOp<memref::DimOp>();
  auto argument = dim ? dyn_cast<BlockArgument>(dim.getSource()) : nullptr;
  if (!argument || !dim.getConstantIndex() ||
      argument.getArgNumber() >= program.arguments.size())
    return std::nullopt;
  return program.arguments[argument.getArgNumber()]
      .dims[*dim.getConstantIndex()];
}

/// Results have the names of the arguments' dimensions that they have.
static void nameResultDims(ProgramEntry &program) {
  DenseMap<int64_t, std::string> names;
  for (const ProgramTensor &argument : program.arguments)
    for (auto [dim, name] : llvm::zip(argument.dims, argument.dimNames))
      if (dim < 0 && !name.empty())
        names.try_emplace(dim, name);
  for (ProgramTensor &result : program.results) {
    if (llvm::none_of(result.dims,
                      [&](int64_t dim) { return names.contains(dim); }))
      continue;
    for (int64_t dim : result.dims)
      result.dimNames.push_back(names.lookup(dim));
  }
}

void qcc::shareResultDims(func::FuncOp entry, ProgramEntry &program) {
  Operation *ret = entry.getBody().front().getTerminator();
  DenseMap<Value, int64_t> sizes;
  unsigned next = 0;
  for (ProgramTensor &result : program.results)
    for (int64_t &dim : result.dims) {
      if (dim >= 0)
        continue;
      Value value = ret->getOperand(next++);
      if (std::optional<int64_t> size = sizeOfArgument(value, program))
        dim = *size;
      else
        dim = sizes.try_emplace(value, dim).first->second;
    }
  nameResultDims(program);
}
