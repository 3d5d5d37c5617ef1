//===- EntryDims.cpp - Indices of entries and what they depend on ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Steps/EntryDims.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "qcc/Transforms/Steps/Steps.h"

using namespace mlir;
using namespace qcc;

std::optional<EntryDim> qcc::entryDimOf(memref::DimOp dim) {
  auto source = dyn_cast<BlockArgument>(dim.getSource());
  std::optional<int64_t> index = dim.getConstantIndex();
  if (!source || !index)
    return std::nullopt;
  auto entry = dyn_cast<func::FuncOp>(source.getOwner()->getParentOp());
  if (!entry)
    return std::nullopt;
  unsigned arguments = 0, results = 0;
  for (BlockArgument argument : entry.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    bool isResult =
        !!entry.getArgAttr(argument.getArgNumber(), kDestinationAttr);
    unsigned &number = isResult ? results : arguments;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      if (!type.isDynamicDim(i))
        continue;
      if (argument == source && i == *index)
        return EntryDim{isResult, number};
      ++number;
    }
  }
  return std::nullopt;
}

unsigned qcc::countEntryDims(func::FuncOp entry) {
  unsigned count = 0;
  for (BlockArgument argument : entry.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    unsigned number = argument.getArgNumber();
    if (type && !entry.getArgAttr(number, kDestinationAttr) &&
        !entry.getArgAttr(number, kArenaAttr))
      count += type.getNumDynamicDims();
  }
  return count;
}

/// Whether the result of 64-bit arithmetic on these operands wraps.
static bool overflows(Operation *op, ArrayRef<Attribute> operands) {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) ||
      !op->getResult(0).getType().isIndex())
    return false;
  int64_t a = cast<IntegerAttr>(operands[0]).getInt(),
          b = cast<IntegerAttr>(operands[1]).getInt(), result;
  if (isa<arith::AddIOp>(op))
    return __builtin_add_overflow(a, b, &result);
  if (isa<arith::SubIOp>(op))
    return __builtin_sub_overflow(a, b, &result);
  return __builtin_mul_overflow(a, b, &result);
}

Attribute IndexEvaluator::evaluateAttr(Value value) {
  if (Attribute attr = known.lookup(value))
    return attr;
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  Attribute result;
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<EntryDim> entryDim = entryDimOf(dim);
    if (!entryDim)
      return {};
    if (entryDim->isResult) {
      Operation *ret =
          op->getParentOfType<func::FuncOp>().getBody().front().getTerminator();
      result = evaluateAttr(ret->getOperand(entryDim->number));
    } else if (entryDim->number < dims.size()) {
      result = Builder(op->getContext()).getIndexAttr(dims[entryDim->number]);
    }
  } else {
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(evaluateAttr(operand));
      if (!operands.back())
        return {};
    }
    SmallVector<OpFoldResult> results;
    if (!overflows(op, operands) && succeeded(op->fold(operands, results)) &&
        results.size() == op->getNumResults()) {
      OpFoldResult folded = results[cast<OpResult>(value).getResultNumber()];
      result = isa<Attribute>(folded) ? cast<Attribute>(folded)
                                      : evaluateAttr(cast<Value>(folded));
    }
  }
  if (result)
    known[value] = result;
  return result;
}

std::optional<int64_t> IndexEvaluator::evaluate(Value value) {
  auto integer = dyn_cast_or_null<IntegerAttr>(evaluateAttr(value));
  if (!integer)
    return std::nullopt;
  return integer.getInt();
}
