//===- NVPTXTarget.cpp - NVIDIA chips as targets --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/NVPTX/NVPTXTarget.h"
#include "Strategies/Tiled.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Passes.h"
#include "qcc/Transforms/Passes.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

NVPTXTarget::NVPTXTarget(Spec given) : Target(given.name.str()), spec(given) {
#define QCC_NVPTX_STRATEGY(name) strategies.push_back(make##name(spec));
#include "Strategies.def"
}

std::optional<double> NVPTXTarget::timeOfPass(int64_t bytes) const {
  return nvptx::timeOfPass(spec, bytes);
}

/// A load of a byte from a table that stays in the L1 cache, for each thread,
/// and the address.
std::optional<double> NVPTXTarget::lookupCost(LookupPlace) const { return 8; }

void NVPTXTarget::addContractionPasses(OpPassManager &pm) const {
  pm.addNestedPass<func::FuncOp>(createDivideContractions());
}

void NVPTXTarget::buildTargetStage(OpPassManager &pm) const {
  // What is equal by now is lowered once.
  ShareStepsOptions sharing;
  sharing.literals = false;
  pm.addPass(createShareSteps(sharing));
  pm.addNestedPass<func::FuncOp>(nvptx::createConvertKernelToNVPTX(*this));
  pm.addNestedPass<func::FuncOp>(createLowerLinalgToThreads());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createShareSteps());
  OutlineKernelsOptions outlining;
  outlining.programmatic = spec.hasProgrammaticLaunch();
  pm.addPass(createOutlineKernels(outlining));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  addVerifyStage(
      pm, "target",
      {"kernel", "vector", "memref", "arith", "math", "cf", "llvm", "nvvm"});
}

//===----------------------------------------------------------------------===//
// Names of targets
//===----------------------------------------------------------------------===//

llvm::Expected<TargetRef> qcc::nvptx::parseTarget(StringRef name) {
  llvm::Expected<Spec> spec = Spec::forChip(name);
  if (!spec)
    return spec.takeError();
  return std::make_shared<NVPTXTarget>(*spec);
}

namespace {
struct NVPTXTargetNames : TargetDialectInterface {
  using TargetDialectInterface::TargetDialectInterface;
  llvm::Expected<TargetRef> find(StringRef name) const override {
    if (!isChipName(name))
      return TargetRef();
    return parseTarget(name);
  }
};
} // namespace

void qcc::nvptx::registerTarget(DialectRegistry &registry) {
  registry.insert<NVPTXDialect, NVVM::NVVMDialect>();
  registry.addExtension(+[](MLIRContext *, NVPTXDialect *dialect) {
    dialect->addInterfaces<NVPTXTargetNames>();
  });
  registry.addExtension(+[](MLIRContext *context, kernel::KernelDialect *) {
    context->getOrLoadDialect<NVPTXDialect>();
  });
}
