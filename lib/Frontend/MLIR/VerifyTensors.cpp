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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/EmptyTensors.h"

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

LogicalResult qcc::verifyTensors(ModuleOp module) {
  bool ok = true;
  module.walk([&](tensor::EmptyOp empty) {
    ok &= succeeded(verifyEmptyTensor(empty));
  });
  return success(ok);
}
