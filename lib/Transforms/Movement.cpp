//===- Movement.cpp - Generics that only move data ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Movement.h"

using namespace mlir;
using namespace qcc;

linalg::GenericOp qcc::movementOf(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 ||
      !isa<RankedTensorType>(op.getDpsInputOperand(0)->get().getType()))
    return {};
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  if (yield.getOperand(0) != op.getBody()->getArgument(0) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation())
    return {};
  return op;
}
