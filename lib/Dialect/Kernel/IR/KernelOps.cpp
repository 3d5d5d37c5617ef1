//===- KernelOps.cpp - The classes of kernel ops --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractAssembly.h"
#include "OpChecks.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/OpImplementation.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

using namespace mlir;
using namespace qcc::kernel;

static ParseResult
parseContractAttributes(OpAsmParser &parser, NamedAttrList &attributes,
                        Type lhs, Type rhs, Type rhsSums, Type init,
                        Type lhsZeroPoint, Type rhsZeroPoint,
                        TypeRange lhsOperands, TypeRange rhsOperands,
                        TypeRange epilogueOperands, TypeRange outs) {
  return parseWithDefaults(parser, attributes,
                           {lhs, rhs, rhsSums, init, lhsZeroPoint, rhsZeroPoint,
                            lhsOperands, rhsOperands, epilogueOperands, outs});
}

static void printContractAttributes(
    OpAsmPrinter &printer, ContractOp, DictionaryAttr attributes, Type lhs,
    Type rhs, Type rhsSums, Type init, Type lhsZeroPoint, Type rhsZeroPoint,
    TypeRange lhsOperands, TypeRange rhsOperands, TypeRange epilogueOperands,
    TypeRange outs) {
  printWithoutDefaults(printer, attributes,
                       {lhs, rhs, rhsSums, init, lhsZeroPoint, rhsZeroPoint,
                        lhsOperands, rhsOperands, epilogueOperands, outs});
}

#define GET_OP_CLASSES
#include "qcc/Dialect/Kernel/IR/KernelOps.cpp.inc"

int64_t qcc::kernel::product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes) {
    assert(!ShapedType::isDynamic(size) && "the product of known sizes");
    result *= size;
  }
  return result;
}

void qcc::kernel::addEffects(
    DestinationStyleOpInterface op,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

LogicalResult qcc::kernel::verifyRegion(Operation *op, Region &region,
                                        StringRef name, ArrayRef<Type> types,
                                        ArrayRef<Type> results) {
  Block &block = region.front();
  if (block.getArgumentTypes() != TypeRange(types))
    return op->emitOpError()
           << "arguments of the " << name << " must be " << TypeRange(types)
           << ", got " << block.getArgumentTypes();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError() << name << " must end with kernel.yield";
  if (yield.getValues().getTypes() != TypeRange(results))
    return op->emitOpError() << name << " must yield " << TypeRange(results)
                             << ", got " << yield.getValues().getTypes();
  return success();
}

SmallVector<Type> qcc::kernel::elementTypes(ValueRange values) {
  return llvm::map_to_vector(
      values, [](Value v) { return getElementTypeOrSelf(v.getType()); });
}

bool qcc::kernel::haveOneKind(Operation *op) {
  bool tensors = isa<TensorType>(op->getOperand(0).getType());
  return llvm::all_of(op->getOperandTypes(), [&](Type type) {
    return isa<TensorType>(type) == tensors;
  });
}
