//===- Uniform.cpp - Tensors of one value ---------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Uniform.h"
#include "ContractionRewrites.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace qcc;

Value qcc::sizeSource(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  return op ? op.getDpsInits()[0] : tensor;
}

Uniform qcc::uniformOf(Value tensor) {
  DenseElementsAttr dense;
  if (matchPattern(tensor, m_Constant(&dense)) && dense.isSplat())
    return {dyn_cast<TypedAttr>(dense.getSplatValue<Attribute>()), {}};
  Value scalar;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    scalar = fill.value();
  else if (auto op = tensor.getDefiningOp<linalg::GenericOp>();
           op && op.getNumDpsInits() == 1 && op.getNumReductionLoops() == 0 &&
           op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation()) {
    scalar = op.getBody()->getTerminator()->getOperand(0);
    if (OpOperand *input = inputOf(op, scalar))
      scalar = input->get();
    Attribute constant;
    if (scalar.getParentRegion() == &op.getRegion() &&
        !matchPattern(scalar, m_Constant(&constant)))
      return {};
  }
  if (!scalar || !scalar.getType().isIntOrIndexOrFloat())
    return {};
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return {dyn_cast<TypedAttr>(constant), {}};
  return {{}, scalar};
}
