//===- PrologueOp.cpp - Prologues as ops of their own ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrologueOp.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace qcc;

/// The dimensions of the operand, of the loops; nothing where they are not
/// loops, or where an operand of the prologue has others.
static std::optional<SmallVector<AffineExpr>>
dimensionsOfLoops(const MappedOperand &operand,
                  ArrayRef<MappedOperand> others) {
  MLIRContext *context = operand.map.getContext();
  SmallVector<AffineExpr> dimensions(operand.map.getNumDims());
  for (auto [position, expr] : llvm::enumerate(operand.map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || dimensions[loop.getPosition()])
      return std::nullopt;
    dimensions[loop.getPosition()] = getAffineDimExpr(position, context);
  }
  for (const MappedOperand &other : others)
    for (unsigned loop = 0; loop < dimensions.size(); ++loop)
      if (!dimensions[loop] && other.map.isFunctionOfDim(loop))
        return std::nullopt;
  // Loops that no operand reads need an expression as well.
  for (AffineExpr &expr : dimensions)
    if (!expr)
      expr = getAffineConstantExpr(0, context);
  return dimensions;
}

linalg::GenericOp qcc::createPrologueOp(OpBuilder &builder, Block &prologue,
                                        const MappedOperand &operand,
                                        ArrayRef<MappedOperand> others) {
  auto dimensions = dimensionsOfLoops(operand, others);
  if (!dimensions)
    return {};
  auto type = cast<RankedTensorType>(operand.value.getType());
  Type element = prologue.getTerminator()->getOperand(0).getType();
  Location loc = prologue.getArgument(0).getLoc();
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), element);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<Value> inputs{operand.value};
  SmallVector<AffineMap> maps{identity};
  for (const MappedOperand &other : others) {
    inputs.push_back(other.value);
    maps.push_back(
        other.map.replaceDimsAndSymbols(*dimensions, {}, type.getRank(), 0));
  }
  maps.push_back(identity);
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder, loc, empty.getType(), inputs, empty, maps, iterators,
      [&](OpBuilder &inside, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(prologue.getArguments(), arguments.drop_back());
        for (Operation &inner : prologue.without_terminator())
          inside.clone(inner, mapping);
        linalg::YieldOp::create(
            inside, loc,
            mapping.lookupOrDefault(prologue.getTerminator()->getOperand(0)));
      });
}
