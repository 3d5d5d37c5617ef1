//===- Pipelines.cpp - The stages of the compiler, in order ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Pipelines/Pipelines.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "qcc/Conversion/Passes.h"
#include "qcc/Dialect/QNN/Transforms/Passes.h"
#include "qcc/Target/Target.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace qcc;

static constexpr llvm::StringLiteral kStageNames[] = {
    "import", "graph", "tensor", "kernel", "buffer", "target", "llvm"};

StringRef qcc::stageName(Stage stage) {
  return kStageNames[static_cast<int>(stage)];
}

std::optional<Stage> qcc::stageByName(StringRef name) {
  for (auto [i, known] : llvm::enumerate(kStageNames))
    if (name == known)
      return static_cast<Stage>(i);
  return std::nullopt;
}

static void verifyStage(OpPassManager &pm, Stage stage,
                        ArrayRef<StringRef> dialects) {
  addVerifyStage(pm, stageName(stage), dialects);
}

static void cleanUp(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

// qnn, quant, linalg, tensor, arith, math, func
//   Q/DQ pairs around contractions folded into integer ops, constants folded.
void qcc::buildGraphStage(OpPassManager &pm) {
  // No canonicalization before legalize-float: folders of math functions and of
  // conversions round otherwise than N7 and N8 say.
  // The first pass sees the program as it was imported: N3 does not look
  // through calls.
  pm.addNestedPass<func::FuncOp>(createQNNIntegerizeMaxima());
  pm.addNestedPass<func::FuncOp>(createQNNIntegerizeContractions());
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());
  pm.addNestedPass<func::FuncOp>(createPromoteScalarArguments());
  QNNFoldConstantsOptions folding;
  folding.keepNarrow = true;
  pm.addNestedPass<func::FuncOp>(createQNNFoldConstants(folding));
  // What contractions give is known to be no NaN once they are of integers.
  pm.addNestedPass<func::FuncOp>(createQNNQuantizeBeforeMaxima());
  pm.addPass(createCSEPass());
  verifyStage(pm, Stage::Graph,
              {"qnn", "quant", "linalg", "tensor", "arith", "math", "cf"});
}

// linalg, tensor, arith, math, cf (assertions about shapes)
//   i32 accumulation, rounding and saturation spelled out; every float
//   operation is one that all targets compute alike.
void qcc::buildTensorStage(OpPassManager &pm, const TargetRef &target) {
  if (!target->contractsFloats())
    pm.addNestedPass<func::FuncOp>(createQNNFoldConstants());
  pm.addPass(createConvertQNNToLinalg());
  pm.addNestedPass<func::FuncOp>(createDecomposeSoftmax());
  pm.addNestedPass<func::FuncOp>(createFillEmptyTensors());
  pm.addNestedPass<func::FuncOp>(createGeneralizeElementwise());
  pm.addNestedPass<func::FuncOp>(createGeneralizeLinalg());
  pm.addNestedPass<func::FuncOp>(createExposeNarrowWeights());
  // Weights take the shapes that loops read.
  pm.addNestedPass<func::FuncOp>(createQNNFoldConstants());
  pm.addNestedPass<func::FuncOp>(createFoldWeightZeroPoints());
  pm.addNestedPass<func::FuncOp>(createInsertShapeChecks());
  pm.addNestedPass<func::FuncOp>(createClampIndices());
  LegalizeFloatOptions legalize;
  legalize.hasBF16Instructions = target->convertsBF16();
  pm.addPass(createLegalizeFloat(legalize));
  pm.addPass(createLegalizeInteger());
  cleanUp(pm);
  pm.addNestedPass<func::FuncOp>(createKeepInitialValues());
  pm.addNestedPass<func::FuncOp>(createExpandDivisions());
  verifyStage(pm, Stage::Tensor, {"linalg", "tensor", "arith", "math", "cf"});
}

void qcc::buildFormContractions(OpPassManager &pm, const TargetRef &target,
                                const StageOptions &options) {
  if (options.fuse) {
    ChannelsLastOptions layouts;
    layouts.floats = target->contractsFloats();
    pm.addNestedPass<func::FuncOp>(createChannelsLast(layouts));
    pm.addNestedPass<func::FuncOp>(createHoistNarrowing());
    pm.addNestedPass<func::FuncOp>(createSinkWidening());
    pm.addNestedPass<func::FuncOp>(createFoldByteFunctions(target));
    pm.addNestedPass<func::FuncOp>(createSplitDynamicReductions());
  }
  FormContractionsOptions forming;
  forming.fuse = options.fuse;
  forming.floats = target->contractsFloats();
  forming.groups = target->contractsGroups();
  pm.addNestedPass<func::FuncOp>(createFormContractions(forming));
  if (options.fuse) {
    pm.addNestedPass<func::FuncOp>(createReadUnpadded(target));
    pm.addNestedPass<func::FuncOp>(createSliceStridedOperands(target));
  }
  pm.addNestedPass<func::FuncOp>(createCollapseReductions());
  if (!options.fuse)
    return; // the value of each layer is to be seen as it is
  pm.addNestedPass<func::FuncOp>(createFuseElementwise());
  pm.addNestedPass<func::FuncOp>(createStoreUnsigned(target));
}

// kernel, linalg, tensor, arith, math, cf
//   fused contractions with a config and packed weights, linalg for the rest.
void qcc::buildKernelStage(OpPassManager &pm, const TargetRef &target,
                           const StageOptions &options) {
  buildFormContractions(pm, target, options);
  pm.addNestedPass<func::FuncOp>(createNegateGroups());
  pm.addNestedPass<func::FuncOp>(createMergeGroups(target));
  // Where all groups are one, their channels follow the columns of a window.
  pm.addNestedPass<func::FuncOp>(createCollapseReductions());
  pm.addNestedPass<func::FuncOp>(createSeparatePrologues(target));
  pm.addNestedPass<func::FuncOp>(
      createSelectLoweringConfig(target, options.tuning));
  pm.addNestedPass<func::FuncOp>(createFoldConstantPrologues(target));
  pm.addNestedPass<func::FuncOp>(createPackOperands(target));
  cleanUp(pm);
  pm.addNestedPass<func::FuncOp>(createAnnotateConstantRanges());
  pm.addNestedPass<func::FuncOp>(createAnnotateZeroBorders());
  pm.addNestedPass<func::FuncOp>(createDropNaNChecks());
  verifyStage(pm, Stage::Kernel,
              {"kernel", "linalg", "tensor", "arith", "math", "cf"});
}

// kernel, linalg, memref, arith, math, cf
//   an entry is a list of calls to steps; temporaries lie in one arena.
void qcc::buildBufferStage(OpPassManager &pm, const TargetRef &target,
                           const StageOptions &options) {
  pm.addNestedPass<func::FuncOp>(createMaterializeLoopResults());
  pm.addNestedPass<func::FuncOp>(createPadInPlace());
  // Ops that turn out to give what they get are gone before results have
  // destinations: a value that is returned twice needs a copy.
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createAddResultDestinations());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createBufferizeTensors());
  pm.addPass(memref::createResolveShapedTypeResultDimsPass());
  // A copy of a view to itself is one once equal views are the same.
  pm.addPass(createCSEPass());
  cleanUp(pm);
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addNestedPass<func::FuncOp>(createHoistTemporaries());
  pm.addNestedPass<func::FuncOp>(createPlaceTemporaries());
  pm.addNestedPass<func::FuncOp>(createAdaptLoweringConfig(target));
  pm.addNestedPass<func::FuncOp>(createPadRows(target));
  if (options.fuse)
    pm.addNestedPass<func::FuncOp>(createBlockRows(target));
  target->addContractionPasses(pm);
  pm.addPass(createOutlineSteps());
  if (!target->isDevice())
    pm.addPass(createFindInPlaceResults());
  pm.addNestedPass<func::FuncOp>(createPlanMemory());
  pm.addNestedPass<func::FuncOp>(createCollapseRows());
  pm.addNestedPass<func::FuncOp>(createExpandBorders());
  cleanUp(pm);
  verifyStage(pm, Stage::Buffer,
              {"kernel", "linalg", "memref", "arith", "math", "cf"});
}

// llvm
void qcc::buildLLVMStage(OpPassManager &pm, const TargetRef &target) {
  pm.addPass(createLowerEntries());
  pm.addNestedPass<func::FuncOp>(createLowerVectorTransfers());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  cleanUp(pm);
  pm.addPass(createReplaceBF16Type());
  SmallVector<StringRef> dialects{"llvm"};
  if (target->isDevice())
    dialects.push_back("nvvm"); // ops of LLVM's backend for devices
  verifyStage(pm, Stage::LLVM, dialects);
}

void qcc::buildStage(OpPassManager &pm, Stage stage, const TargetRef &target,
                     const StageOptions &options) {
  switch (stage) {
  case Stage::Import:
    return;
  case Stage::Graph:
    return buildGraphStage(pm);
  case Stage::Tensor:
    return buildTensorStage(pm, target);
  case Stage::Kernel:
    return buildKernelStage(pm, target, options);
  case Stage::Buffer:
    return buildBufferStage(pm, target, options);
  case Stage::Target:
    return target->buildTargetStage(pm);
  case Stage::LLVM:
    return buildLLVMStage(pm, target);
  }
}
