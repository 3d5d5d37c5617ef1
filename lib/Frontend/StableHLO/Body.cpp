//===- Body.cpp - Regions on scalars --------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Body.h"
#include "OpTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

/// The element of a stablehlo.constant without dimensions; null for others.
static TypedAttr scalarConstant(Operation &op) {
  auto dense = op.getName().getStringRef() == "stablehlo.constant"
                   ? dyn_cast_or_null<DenseElementsAttr>(op.getAttr("value"))
                   : DenseElementsAttr();
  if (!dense || dense.getType().getRank() != 0)
    return {};
  auto number = cast<TypedAttr>(*dense.value_begin<Attribute>());
  auto integer = dyn_cast<IntegerAttr>(number);
  if (!integer)
    return number;
  return IntegerAttr::get(signless(integer.getType()), integer.getValue());
}

static bool isScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0;
}

/// Puts the bodies of functions of one block, such as what jnp.where becomes,
/// in the place of calls of them; functions that call themselves stay.
static void inlineCalls(Block &block) {
  constexpr unsigned kMost = 256;
  for (unsigned i = 0; i < kMost; ++i) {
    auto calls = block.getOps<func::CallOp>();
    auto found = llvm::find_if(calls, [](func::CallOp call) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      return callee && callee.getBody().hasOneBlock() &&
             isa<func::ReturnOp>(callee.getBody().front().back());
    });
    if (found == calls.end())
      return;
    func::CallOp call = *found;
    Block &body = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                      call, call.getCalleeAttr())
                      .getBody()
                      .front();
    OpBuilder builder(call);
    IRMapping mapping;
    mapping.map(body.getArguments(), call.getOperands());
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    for (auto [result, value] : llvm::zip_equal(
             call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
  }
}

FailureOr<Body> Body::get(OpImporter &n, ArrayRef<Type> arguments,
                          unsigned results, unsigned region) {
  if (n.op->getNumRegions() <= region)
    return n.refuse() << "needs a region of one block; correct the program";
  return get(n, n.op->getRegion(region), arguments, results);
}

FailureOr<Body> Body::get(OpImporter &n, Region &region,
                          ArrayRef<Type> arguments, unsigned results) {
  if (!region.hasOneBlock())
    return n.refuse() << "needs a region of one block; correct the program";
  Body body;
  body.block = &region.front();
  inlineCalls(*body.block);
  bool fits = body.block->getNumArguments() == arguments.size() &&
              !body.block->empty() &&
              body.block->back().getNumOperands() == results;
  for (auto [argument, type] : llvm::zip(body.block->getArguments(), arguments))
    fits &= isScalar(argument.getType()) &&
            signless(getElementTypeOrSelf(argument.getType())) == type;
  if (!fits)
    return n.refuse() << "has a region of other arguments or results than its "
                         "operands ask for; correct the program";
  for (Operation &op : *body.block) {
    for (Value operand : op.getOperands()) {
      if (operand.getParentBlock() == body.block)
        continue;
      GraphValue *value = n.lookup(operand);
      if (!value || value->rank() != 0)
        return n.refuse() << "has a region that reads a tensor from outside, "
                             "which is not supported; pass its elements as "
                             "operands";
      body.outside[operand] = n.tensor(*value);
    }
    if (&op == &body.block->back())
      continue;
    const OpInfo *info = findOp(op.getName().getStringRef());
    bool isComputed = scalarConstant(op) || (info && info->scalar);
    if (!isComputed)
      return emitError(op.getLoc())
             << "'" << op.getName() << "' in a region of '" << n.op->getName()
             << "' is not supported; regions consist of elementwise ops";
    if (info && info->scalar && failed(verifyOp(&op, *info)))
      return failure();
    if (op.getNumResults() != 1 || !isScalar(op.getResult(0).getType()))
      return n.refuse() << "has a region that computes tensors; correct the "
                           "program";
  }
  return body;
}

SmallVector<Value> Body::compute(Scalars &s, ValueRange arguments) const {
  llvm::DenseMap<Value, Value> values;
  for (auto [argument, value] :
       llvm::zip_equal(block->getArguments(), arguments))
    values[argument] = value;
  auto find = [&](Value operand) {
    auto tensor = outside.find(operand);
    return tensor == outside.end() ? values.lookup(operand)
                                   : s.extract(tensor->second, {});
  };
  for (Operation &op : llvm::drop_end(*block)) {
    if (TypedAttr constant = scalarConstant(op)) {
      values[op.getResult(0)] = arith::ConstantOp::create(s.b, s.loc, constant);
      continue;
    }
    SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), find);
    values[op.getResult(0)] =
        findOp(op.getName().getStringRef())->scalar(s, &op, operands);
  }
  return llvm::map_to_vector(block->back().getOperands(), find);
}

bool Body::isOnly(StringRef name) const {
  if (block->getOperations().size() != 2 || block->getNumArguments() != 2)
    return false;
  Operation &op = block->front();
  Value a = block->getArgument(0), b = block->getArgument(1);
  return op.getName().getStringRef() == name && op.getNumOperands() == 2 &&
         block->back().getNumOperands() == 1 &&
         block->back().getOperand(0) == op.getResult(0) &&
         ((op.getOperand(0) == a && op.getOperand(1) == b) ||
          (op.getOperand(0) == b && op.getOperand(1) == a));
}
