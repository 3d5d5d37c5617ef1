//===- Refusal.cpp - Why a fast path was not taken ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Refusal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

void qcc::refuse(Operation *op, const Twine &reason) {
  if (!op->hasAttr(kRefusedAttr))
    op->setAttr(kRefusedAttr, StringAttr::get(op->getContext(), reason));
}

void qcc::inheritNotes(Operation *op, ArrayRef<Operation *> from) {
  SmallVector<std::string> origins;
  for (Operation *old : from) {
    std::string all = originOf(old);
    for (StringRef origin : llvm::split(all, ", "))
      if (!llvm::is_contained(origins, origin))
        origins.push_back(origin.str());
    if (Attribute reason = old->getAttr(kRefusedAttr))
      op->setAttr(kRefusedAttr, reason);
  }
  op->setAttr(kOriginAttr,
              StringAttr::get(op->getContext(), llvm::join(origins, ", ")));
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
