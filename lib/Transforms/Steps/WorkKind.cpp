//===- WorkKind.cpp - Kinds of work of steps ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Steps/WorkKind.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

using namespace mlir;
using namespace qcc;

static constexpr std::pair<WorkKind, llvm::StringLiteral> kNames[] = {
    {WorkKind::IntegerContraction, "integer contraction"},
    {WorkKind::FloatContraction, "float contraction"},
    {WorkKind::Reduction, "reduction"},
    {WorkKind::Elementwise, "elementwise"},
    {WorkKind::DataMovement, "data movement"},
    {WorkKind::Packing, "packing"},
    {WorkKind::ControlFlow, "control flow"},
};

StringRef qcc::toString(WorkKind kind) {
  return llvm::find_if(kNames, [&](auto &item) { return item.first == kind; })
      ->second;
}

std::optional<WorkKind> qcc::workKindNamed(StringRef name) {
  for (auto &[kind, text] : kNames)
    if (text == name)
      return kind;
  return std::nullopt;
}

/// Whether each output of a reduction is a sum of products of two operands. Not
/// a sum of squares, nor of values times a scale of all iterations.
static bool isSumOfProducts(linalg::LinalgOp op) {
  auto varies = [&](Value value) {
    return value.getParentBlock() == op.getBlock() &&
           !matchPattern(value, m_Constant());
  };
  auto isProduct = [&](Operation *def) {
    Value a = def->getOperand(0), b = def->getOperand(1);
    return a != b && varies(a) && varies(b);
  };
  return llvm::all_of(
      op.getBlock()->getTerminator()->getOperands(), [&](Value yielded) {
        // Accumulators of f16 are rounded.
        if (auto rounded = yielded.getDefiningOp<arith::TruncFOp>())
          yielded = rounded.getIn();
        Operation *def = yielded.getDefiningOp();
        if (isa_and_nonnull<math::FmaOp>(def))
          return isProduct(def);
        return isa_and_nonnull<arith::AddIOp, arith::AddFOp>(def) &&
               llvm::any_of(def->getOperands(), [&](Value term) {
                 Operation *product = term.getDefiningOp();
                 return isa_and_nonnull<arith::MulIOp, arith::MulFOp>(
                            product) &&
                        isProduct(product);
               });
      });
}

WorkKind qcc::workKindOf(Operation *op) {
  if (isa<kernel::PackOp>(op))
    return WorkKind::Packing;
  if (auto contract = dyn_cast<kernel::ContractOp>(op))
    return isa<FloatType>(contract.getAccumulatorType())
               ? WorkKind::FloatContraction
               : WorkKind::IntegerContraction;
  // A loop over blocks of rows (block-rows) does what its contractions do, or
  // its reductions.
  if (isa<scf::ForallOp>(op)) {
    WorkKind kind = WorkKind::ControlFlow;
    op->walk([&](linalg::LinalgOp inner) {
      if (inner.getNumReductionLoops() > 0)
        kind = workKindOf(inner);
    });
    op->walk([&](kernel::ContractOp inner) { kind = workKindOf(inner); });
    return kind;
  }
  if (isa<LoopLikeOpInterface, RegionBranchOpInterface>(op) &&
      !isa<linalg::LinalgOp>(op))
    return WorkKind::ControlFlow;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured)
    return WorkKind::DataMovement;
  if (structured.getNumReductionLoops() > 0) {
    if (!isSumOfProducts(structured))
      return WorkKind::Reduction;
    Type result = getElementTypeOrSelf(structured.getDpsInits()[0].getType());
    return isa<FloatType>(result) ? WorkKind::FloatContraction
                                  : WorkKind::IntegerContraction;
  }
  // The body computes something unless each yielded value is an argument of the
  // body or comes from outside.
  bool computes = llvm::any_of(
      structured.getBlock()->without_terminator(),
      [](Operation &inner) { return !isa<arith::ConstantOp>(inner); });
  return computes ? WorkKind::Elementwise : WorkKind::DataMovement;
}
