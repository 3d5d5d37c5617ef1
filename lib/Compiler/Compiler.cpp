//===- Compiler.cpp - Programs to artifacts -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Compiler/Compiler.h"
#include "Supervision.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/CodeGen/CodeGen.h"
#include "qcc/KnownTargets/KnownTargets.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace qcc;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Replaces what is in the module by a copy of it for each target.
static void splitIntoVariants(mlir::ModuleOp module,
                              llvm::ArrayRef<TargetRef> targets) {
  llvm::SmallVector<mlir::ModuleOp> variants;
  for (const TargetRef &target : targets) {
    mlir::ModuleOp variant = module.clone();
    variant.setSymName(target->getName());
    variants.push_back(variant);
  }
  while (!module.getBody()->empty())
    module.getBody()->back().erase();
  for (mlir::ModuleOp variant : variants)
    module.push_back(variant);
}

/// Whether the IR is verified after each pass, so that the message names the
/// pass, and not only after each stage, which takes less time.
#ifdef NDEBUG
static constexpr bool kVerifiesEachPass = false;
#else
static constexpr bool kVerifiesEachPass = true;
#endif

mlir::LogicalResult Compiler::runStages(mlir::ModuleOp module, Stage last,
                                        Stage first) const {
  Supervision supervision(module, releasesConstants, limits);
  auto run = [&](mlir::ModuleOp variant, const TargetRef &target) {
    for (int i = static_cast<int>(first) + 1; i <= static_cast<int>(last);
         ++i) {
      Stage stage = static_cast<Stage>(i);
      // Then constants are weights, and steps are functions of many ops.
      supervision.setMakesConstants(stage < Stage::Buffer);
      mlir::PassManager pm(variant->getName());
      buildStage(pm, stage, target, stageOptions);
      pm.enableVerifier(kVerifiesEachPass);
      if (configure)
        configure(pm, stage);
      if (mlir::failed(pm.run(variant)) || (limits && limits->isExceeded()) ||
          mlir::failed(mlir::verify(variant)))
        return mlir::failure();
    }
    return mlir::success();
  };
  if (last <= first)
    return mlir::success();
  if (targets.size() == 1)
    return run(module, targets.front());
  splitIntoVariants(module, targets);
  for (auto [variant, target] :
       llvm::zip_equal(module.getOps<mlir::ModuleOp>(), targets))
    if (mlir::failed(run(variant, target)))
      return mlir::failure();
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// The one target of a module of kernels, or an error.
static llvm::Expected<Variant>
deviceVariant(mlir::ModuleOp module, llvm::ArrayRef<TargetRef> targets) {
  if (targets.size() != 1)
    return llvm::createStringError(
        "PTX is the code of one chip, but there are %zu targets; compile for "
        "each of them by itself",
        targets.size());
  if (!targets.front()->isDevice())
    return llvm::createStringError(
        "target '%s' is a processor, which does not run PTX; compile for a "
        "chip of target cuda such as sm_80",
        targets.front()->getName().c_str());
  return Variant{module, targets.front(), nullptr};
}

CodeGenOptions Compiler::codeGenOptions() const {
  return {effort, threads, limits};
}

std::vector<Variant> Compiler::variantsOf(mlir::ModuleOp module) const {
  TargetRef host = hostTarget();
  std::vector<Variant> variants;
  auto add = [&](mlir::ModuleOp variant, const TargetRef &target) {
    variants.push_back({variant, target, target->isDevice() ? host : target,
                        assemblesKernels});
  };
  if (targets.size() == 1)
    add(module, targets.front());
  else
    for (auto [variant, target] :
         llvm::zip_equal(module.getOps<mlir::ModuleOp>(), targets))
      add(variant, target);
  return variants;
}

llvm::Expected<llvm::SmallVector<char, 0>> Compiler::emit(mlir::ModuleOp module,
                                                          FileKind kind) const {
  std::vector<Variant> variants = variantsOf(module);
  // The functions name their own processors and features, so that the code
  // generator of any of them will do.
  auto machine = variants.front().host->createTargetMachine(effort);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  auto translated = translateToLLVM(variants, context, codeGenOptions());
  if (!translated)
    return translated.takeError();
  return emitCode(**translated, **machine, kind, limits);
}

llvm::Expected<std::string> Compiler::emitLLVM(mlir::ModuleOp module) const {
  llvm::LLVMContext context;
  auto translated =
      translateToLLVM(variantsOf(module), context, codeGenOptions());
  if (!translated)
    return translated.takeError();
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*translated)->print(stream, nullptr);
  return text;
}

llvm::Expected<std::string>
Compiler::emitAssembly(mlir::ModuleOp module) const {
  auto bytes = emit(module, FileKind::Assembly);
  if (!bytes)
    return bytes.takeError();
  return std::string(bytes->begin(), bytes->end());
}

llvm::Expected<llvm::SmallVector<char, 0>>
Compiler::emitObject(mlir::ModuleOp module) const {
  return emit(module, FileKind::Object);
}

llvm::Expected<Artifact> Compiler::emitArtifact(mlir::ModuleOp module) const {
  WeightsImage weights;
  auto objects = emitObjects(variantsOf(module), weights, codeGenOptions());
  if (!objects)
    return objects.takeError();
  return linkSharedObject(*objects, weights, releasesConstants);
}

llvm::Expected<std::string> Compiler::emitPTX(mlir::ModuleOp module) const {
  llvm::Expected<Variant> variant = deviceVariant(module, targets);
  if (!variant)
    return variant.takeError();
  return qcc::emitPTX(*variant, codeGenOptions());
}

llvm::Expected<std::string> Compiler::emitWeights(mlir::ModuleOp module) const {
  if (targets.size() != 1)
    return llvm::createStringError(
        "each of %zu targets has weights of its own; compile for each of them "
        "by itself",
        targets.size());
  Weights weights = Program::of(module).weights;
  std::string bytes(weights.size(), '\0');
  weights.copyTo(bytes.data());
  return bytes;
}
