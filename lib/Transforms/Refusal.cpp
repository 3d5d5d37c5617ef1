//===- Refusal.cpp - Why a fast path was not taken ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Refusal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Transforms/Steps/WorkKind.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qcc;

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

static std::string whyNoContraction(linalg::LinalgOp op) {
  SmallVector<std::string> types;
  bool areBytes = true;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Type type = getElementTypeOrSelf(input->get().getType());
    areBytes &= type.isInteger(8);
    std::string text;
    llvm::raw_string_ostream(text) << type;
    if (!llvm::is_contained(types, text))
      types.push_back(text);
  }
  if (areBytes)
    return "its body is not acc + x * w of two different operands that are "
           "extended to i32";
  return "its operands are " + llvm::join(types, " and ") +
         "; only contractions of 8-bit integers, or of values dequantized "
         "from them, have kernels, and on x86 those of f32";
}

static std::string whyStructured(linalg::LinalgOp op) {
  WorkKind kind = workKindOf(op);
  if (kind == WorkKind::Reduction)
    return "it is a reduction, but no sum of products of two operands; only "
           "such contractions have kernels";
  if (kind == WorkKind::Elementwise)
    return "it is elementwise, and no contraction with a kernel computes its "
           "operands or reads its result";
  if (kind != WorkKind::DataMovement)
    return whyNoContraction(op);
  bool reads = llvm::any_of(op.getDpsInputOperands(), [](OpOperand *input) {
    return isa<MemRefType>(input->get().getType());
  });
  return reads ? "it moves data, and no kernel computes or reads it in its "
                 "other order"
               : "it sets a tensor to one value, which no kernel needs";
}

std::string qcc::whyGeneric(Operation *op) {
  if (originOf(op) == kLayoutChange)
    return "it moves data, since qcc computes the steps around it in another "
           "order of dimensions, such as channels innermost";
  if (auto reason = op->getAttrOfType<StringAttr>(kRefusedAttr))
    return reason.getValue().str();
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return whyStructured(structured);
  if (isa<memref::CopyOp>(op))
    return "it copies: its source is an argument or a constant, or is used "
           "again, or belongs in another place";
  if (isa<LoopLikeOpInterface>(op))
    return "it is a loop of the program: one step, run by one thread in order";
  if (isa<RegionBranchOpInterface>(op))
    return "it is a branch of the program: one step, run by one thread";
  return "no kernel does what it does";
}

/// The ops of a body, "mulf+addf"; empty if the body computes nothing.
static std::string bodyText(linalg::GenericOp op) {
  std::string result;
  unsigned count = 0;
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (isa<arith::ConstantOp>(inner))
      continue;
    if (++count > 4)
      return result + "+...";
    if (!result.empty())
      result += '+';
    result += inner.getName().stripDialect();
  }
  return result;
}

/// Words for a linalg.generic whose body computes nothing.
static StringRef movementText(linalg::GenericOp op) {
  OpOperand &out = *op.getDpsInitOperand(0);
  Block *body = op.getBlock();
  bool reads = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return isa<ShapedType>(input->get().getType()) &&
           !body->getArgument(input->getOperandNumber()).use_empty();
  });
  if (!reads)
    return "fill";
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperands().front());
  if (map.getNumResults() < op.getMatchingIndexingMap(&out).getNumResults())
    return "broadcast";
  return map == op.getMatchingIndexingMap(&out) ? "copy"
                                                : "copy in another order";
}

std::string qcc::originOf(Operation *op) {
  if (auto origin = op->getAttrOfType<StringAttr>(kOriginAttr))
    return origin.getValue().str();
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return op->getName().getStringRef().str();
  std::string body = bodyText(generic);
  // Nodes of a model have names that its author knows.
  if (StringRef node = modelOp(op->getLoc()); !node.empty())
    return body.empty() ? node.str() : (node + " (" + body + ")").str();
  return body.empty() ? movementText(generic).str() : body;
}
