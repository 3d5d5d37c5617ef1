//===- VerifyTensors.cpp - Verifier of tensor accesses --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rejects programs whose results would depend on what memory held before, or on
// the order in which parallel iterations run, and reshapes of dimensions that
// do not exist.
//
//===----------------------------------------------------------------------===//

#include "ImportSteps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/EmptyTensors.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace qcc;

/// Rejects what is known to read an element of `empty` or of a view of it.
static LogicalResult verifyEmptyTensor(tensor::EmptyOp empty) {
  SmallVector<Value> pending{empty.getResult()};
  while (!pending.empty()) {
    for (OpOperand &use : pending.pop_back_val().getUses()) {
      switch (classifyUseOfEmptyTensor(use)) {
      case EmptyTensorUse::Harmless:
      case EmptyTensorUse::Unknown:
        break;
      case EmptyTensorUse::View:
        pending.push_back(use.getOwner()->getResult(0));
        break;
      case EmptyTensorUse::Read: {
        InFlightDiagnostic error = use.getOwner()->emitOpError(
            "reads a tensor.empty, whose elements have no values; give it "
            "values first, with linalg.fill");
        error.attachNote(empty.getLoc()) << "the tensor.empty";
        return error;
      }
      }
    }
  }
  return success();
}

/// Checks that no two parallel iterations write one element of an output.
static LogicalResult verifyOutput(linalg::LinalgOp op, OpOperand &output) {
  AffineMap map = op.getMatchingIndexingMap(&output);
  unsigned number = output.getOperandNumber() - op.getNumDpsInputs();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  llvm::SmallBitVector loops(op.getNumLoops());
  for (AffineExpr result : map.getResults()) {
    if (isa<AffineConstantExpr>(result))
      continue;
    auto loop = dyn_cast<AffineDimExpr>(result);
    if (!loop || loops.test(loop.getPosition()))
      return op->emitOpError()
             << "indexes output " << number << " by " << llvm::to_string(result)
             << " in " << llvm::to_string(map)
             << ", so that iterations may write the same element; index "
             << "each dimension of an output by a loop of its own";
    if (linalg::isReductionIterator(kinds[loop.getPosition()]))
      return op->emitOpError() << "indexes output " << number << " by loop "
                               << llvm::to_string(loop)
                               << ", a reduction; make that loop parallel";
    loops.set(loop.getPosition());
  }
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (auto [loop, kind] : llvm::enumerate(kinds))
    if (linalg::isParallelIterator(kind) && !loops.test(loop) &&
        sizes[loop] != 1)
      return op->emitOpError()
             << "has parallel loop "
             << llvm::to_string(getAffineDimExpr(loop, op.getContext()))
             << " that does not index output " << number
             << ", so that its iterations write the same element; make the "
                "loop a reduction";
  return success();
}

/// Checks that groups of dimensions name each of `rank` dimensions once, in
/// order. The op's own verifier looks at the low 32 bits of an index only.
static LogicalResult verifyGroups(Operation *op, ArrayAttr groups,
                                  int64_t rank) {
  int64_t next = 0;
  for (Attribute group : groups)
    for (Attribute dim : cast<ArrayAttr>(group))
      if (int64_t index = cast<IntegerAttr>(dim).getInt(); index != next++)
        return op->emitOpError()
               << "groups dimension " << index << " where dimension "
               << next - 1 << " of " << rank
               << " stands; list every dimension once, in order";
  return success();
}

LogicalResult qcc::verifyTensors(ModuleOp module) {
  bool ok = true;
  module.walk([&](Operation *op) {
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      ok &= succeeded(verifyGroups(op, expand.getReassociation(),
                                   expand.getResultType().getRank()));
    else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      ok &= succeeded(verifyGroups(op, collapse.getReassociation(),
                                   collapse.getSrcType().getRank()));
  });
  module.walk([&](tensor::EmptyOp empty) {
    ok &= succeeded(verifyEmptyTensor(empty));
  });
  module.walk([&](linalg::LinalgOp op) {
    for (OpOperand &output : op.getDpsInitsMutable())
      ok &= succeeded(verifyOutput(op, output));
  });
  return success(ok);
}
