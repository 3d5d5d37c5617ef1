//===- VerifyTensors.cpp - What programs read and write of tensors --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rejects programs whose results would depend on what memory held before, or on
// the order in which parallel iterations run.
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

LogicalResult qcc::verifyTensors(ModuleOp module) {
  bool ok = true;
  module.walk([&](tensor::EmptyOp empty) {
    ok &= succeeded(verifyEmptyTensor(empty));
  });
  module.walk([&](linalg::LinalgOp op) {
    for (OpOperand &output : op.getDpsInitsMutable())
      ok &= succeeded(verifyOutput(op, output));
  });
  return success(ok);
}
