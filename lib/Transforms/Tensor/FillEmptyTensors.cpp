//===- FillEmptyTensors.cpp - Zeros where nothing else was written --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/EmptyTensors.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "fill-empty-tensors"

namespace qcc {
#define GEN_PASS_DEF_FILLEMPTYTENSORS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numFilled, "Empty tensors filled with zeros");

/// Whether an element of `value`, none of which was written, may be read.
static bool mayBeRead(Value value);

static bool mayBeRead(OpOperand &use) {
  switch (classifyUseOfEmptyTensor(use)) {
  case EmptyTensorUse::Harmless:
    return false;
  case EmptyTensorUse::View:
    return mayBeRead(use.getOwner()->getResult(0));
  case EmptyTensorUse::Read:
  case EmptyTensorUse::Unknown:
    return true;
  }
  llvm_unreachable("all uses are listed");
}

static bool mayBeRead(Value value) {
  return llvm::any_of(value.getUses(),
                      [](OpOperand &use) { return mayBeRead(use); });
}

namespace {
struct FillEmptyTensors : qcc::impl::FillEmptyTensorsBase<FillEmptyTensors> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    getOperation().walk([&](tensor::EmptyOp empty) {
      SmallVector<OpOperand *> reads;
      for (OpOperand &use : empty->getUses())
        if (mayBeRead(use))
          reads.push_back(&use);
      if (reads.empty())
        return;
      ++numFilled;
      LDBG() << "fills the empty tensor at " << empty.getLoc() << ": "
             << reads.size() << " ops may read elements that nobody wrote";
      builder.setInsertionPointAfter(empty);
      Location loc = empty.getLoc();
      Value zero = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(empty.getType().getElementType()));
      Value filled =
          linalg::FillOp::create(builder, loc, zero, empty.getResult())
              .getResult(0);
      for (OpOperand *use : reads)
        use->set(filled);
    });
  }
};
} // namespace
