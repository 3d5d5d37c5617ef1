//===- BufferizeTensors.cpp - Tensors to memrefs --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Transforms/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_BUFFERIZETENSORS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;

/// Whether one-shot-bufferize says so of a tensor that cannot have one memory.
static bool isAboutOneMemory(const Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  return diagnostic.getSeverity() == DiagnosticSeverity::Error &&
         (StringRef(text).contains("not bufferizable under the given") ||
          StringRef(text).contains("is not equivalent to the corresponding"));
}

/// How many ops may have one tensor.empty as their output. Bufferization may
/// give all of their results one memory; its analysis takes time that is cubic
/// in their number.
static constexpr unsigned kMaxSharing = 16;

/// Whether a value, or a reshape of it, is copied to a part of another one.
static bool isPart(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return isPart(user->getResult(0));
    auto insert = dyn_cast<tensor::InsertSliceOp>(user);
    return isa<tensor::ConcatOp>(user) ||
           (insert && &insert.getSourceMutable() == &use);
  });
}

/// Gives each `kMaxSharing` ops that write to a tensor.empty, in the order of
/// the program, one of their own; and each op whose result is a part of
/// another value, so that place-temporaries can let it be computed there.
static void divideEmptyTensors(ModuleOp module) {
  DenseMap<Operation *, unsigned> writers;
  DenseMap<Operation *, Operation *> latest;
  module.walk([&](DestinationStyleOpInterface op) {
    for (OpOperand &output : op.getDpsInitsMutable()) {
      auto empty = output.get().getDefiningOp<tensor::EmptyOp>();
      if (!empty)
        continue;
      if (!empty->hasOneUse() && op->getNumResults() != 0 &&
          isPart(op.getTiedOpResult(&output))) {
        output.set(OpBuilder(op).clone(*empty)->getResult(0));
        continue;
      }
      unsigned count = writers[empty]++;
      if (count < kMaxSharing)
        continue;
      Operation *&copy = latest[empty];
      if (count % kMaxSharing == 0) {
        OpBuilder builder(empty->getContext());
        builder.setInsertionPointAfter(copy ? copy : empty.getOperation());
        copy = builder.clone(*empty);
      }
      output.set(copy->getResult(0));
    }
  });
}

/// Gives each op that continues from a tensor of one value a fill of its own.
/// Bufferization would copy the filled memory.
static void repeatFills(ModuleOp module) {
  module.walk([](linalg::GenericOp fill) {
    bool isFill = fill->getNumOperands() == 1 && fill->getNumResults() == 1 &&
                  llvm::hasSingleElement(*fill.getBody()) &&
                  !fill.payloadUsesValueFromOperand(fill.getDpsInitOperand(0));
    auto empty =
        fill.getDpsInitOperand(0)->get().getDefiningOp<tensor::EmptyOp>();
    if (!isFill || !empty)
      return;
    for (OpOperand &use : llvm::make_early_inc_range(fill->getUses())) {
      auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (!reader || !reader.isDpsInit(&use) || fill->hasOneUse())
        continue;
      OpBuilder builder(reader);
      IRMapping mapping;
      mapping.map(empty.getResult(), builder.clone(*empty)->getResult(0));
      use.set(builder.clone(*fill, mapping)->getResult(0));
    }
  });
}

/// Concatenations as slices that are inserted into a tensor.empty, which may
/// become the memory of a result. Bufferization would allocate memory for each.
/// Dynamic ones stay: the size of a result would be that of its own memory.
static void expandConcatenations(ModuleOp module) {
  module.walk([&](tensor::ConcatOp op) {
    if (!op.getResultType().hasStaticShape())
      return;
    OpBuilder builder(op);
    FailureOr<SmallVector<Value>> result = op.decomposeOperation(builder);
    if (failed(result))
      return;
    op->replaceAllUsesWith(*result);
    op.erase();
  });
}

namespace {
struct BufferizeTensors : qcc::impl::BufferizeTensorsBase<BufferizeTensors> {
  void runOnOperation() override {
    ScopedDiagnosticHandler handler(&getContext(), [](Diagnostic &diagnostic) {
      if (isAboutOneMemory(diagnostic))
        diagnostic.attachNote()
            << "a loop or a branch here needs elements of a tensor beside "
               "those that replace them; copy the tensor with linalg.copy "
               "before they do, select between elements instead of tensors, or "
               "unroll the loop";
      return failure(); // The next handler prints it.
    });
    expandConcatenations(getOperation());
    repeatFills(getOperation());
    divideEmptyTensors(getOperation());
    bufferization::OneShotBufferizePassOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.functionBoundaryTypeConversion =
        bufferization::LayoutMapOption::IdentityLayoutMap;
    options.bufferAlignment = 64;
    OpPassManager pipeline(ModuleOp::getOperationName());
    pipeline.addPass(bufferization::createEmptyTensorEliminationPass());
    pipeline.addPass(bufferization::createOneShotBufferizePass(options));
    if (failed(runPipeline(pipeline, getOperation())))
      signalPassFailure();
  }
};
} // namespace
