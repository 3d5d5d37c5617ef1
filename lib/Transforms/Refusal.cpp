//===- Refusal.cpp - Why a fast path was not taken ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Refusal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

void qcc::refuse(Operation *op, const Twine &reason) {
  if (!op->hasAttr(kRefusedAttr))
    op->setAttr(kRefusedAttr, StringAttr::get(op->getContext(), reason));
}

std::string qcc::originOf(Operation *op) {
  if (auto origin = op->getAttrOfType<StringAttr>(kOriginAttr))
    return origin.getValue().str();
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return op->getName().getStringRef().str();
  std::string result;
  unsigned count = 0;
  for (Operation &inner : generic.getBody()->without_terminator()) {
    if (isa<arith::ConstantOp>(inner))
      continue;
    if (++count > 4)
      return result + "+...";
    if (!result.empty())
      result += '+';
    result += inner.getName().stripDialect();
  }
  return result.empty() ? "linalg.generic" : result;
}
