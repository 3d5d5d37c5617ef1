//===- Compiler.cpp - Programs to artifacts -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Compiler/Compiler.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/CodeGen/CodeGen.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace qcc;

llvm::Expected<std::vector<TargetSpec>>
qcc::parseTargets(llvm::StringRef list,
                  llvm::ArrayRef<std::string> hostFeatures) {
  std::vector<TargetSpec> targets;
  llvm::SmallVector<llvm::StringRef> names;
  list.split(names, ',');
  for (llvm::StringRef name : names) {
    name = name.trim();
    if (name.empty())
      return llvm::createStringError(
          "no name between two commas in the list of processors '%s'; write "
          "for example x86-64-v3,cascadelake",
          list.str().c_str());
    if (llvm::any_of(targets, [&](auto &one) { return one.name == name; }))
      continue;
    llvm::StringRef cpu = name;
    cpu.consume_back(kEmulatedAMX);
    auto target = cpu == "native" ? TargetSpec::forFeatures(name, hostFeatures)
                                  : TargetSpec::forCPU(name);
    if (!target)
      return target.takeError();
    targets.push_back(std::move(*target));
  }
  return targets;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Replaces what is in the module by a copy of it for each target.
static void splitIntoVariants(mlir::ModuleOp module,
                              llvm::ArrayRef<TargetSpec> targets) {
  llvm::SmallVector<mlir::ModuleOp> variants;
  for (const TargetSpec &target : targets) {
    mlir::ModuleOp variant = module.clone();
    variant.setSymName(target.name);
    variants.push_back(variant);
  }
  while (!module.getBody()->empty())
    module.getBody()->back().erase();
  for (mlir::ModuleOp variant : variants)
    module.push_back(variant);
}

mlir::LogicalResult Compiler::runStages(mlir::ModuleOp module, Stage last,
                                        Stage first) const {
  auto run = [&](mlir::ModuleOp variant, const TargetSpec &target) {
    for (int i = static_cast<int>(first) + 1; i <= static_cast<int>(last);
         ++i) {
      Stage stage = static_cast<Stage>(i);
      mlir::PassManager pm(variant->getName());
      buildStage(pm, stage, target, stageOptions);
      if (configure)
        configure(pm, stage);
      if (mlir::failed(pm.run(variant)))
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

namespace {
/// LLVM IR and the code generator that it was made for.
struct Translated {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};
} // namespace

static llvm::Error translate(mlir::ModuleOp module,
                             llvm::ArrayRef<TargetSpec> targets, Effort effort,
                             Translated &result) {
  llvm::SmallVector<Variant> variants;
  if (targets.size() == 1)
    variants.push_back({module, &targets.front()});
  else
    for (auto [variant, target] :
         llvm::zip_equal(module.getOps<mlir::ModuleOp>(), targets))
      variants.push_back({variant, &target});
  // Every function says its own processor and features.
  auto machine = createTargetMachine(targets.front(), effort);
  if (!machine)
    return machine.takeError();
  result.machine = std::move(*machine);
  auto translated = translateToLLVM(variants, result.context, effort);
  if (!translated)
    return translated.takeError();
  result.module = std::move(*translated);
  return llvm::Error::success();
}

static llvm::Expected<llvm::SmallVector<char, 0>>
emit(mlir::ModuleOp module, llvm::ArrayRef<TargetSpec> targets, Effort effort,
     FileKind kind) {
  Translated translated;
  if (llvm::Error error = translate(module, targets, effort, translated))
    return std::move(error);
  return emitCode(*translated.module, *translated.machine, kind);
}

llvm::Expected<std::string> Compiler::emitLLVM(mlir::ModuleOp module) const {
  Translated translated;
  if (llvm::Error error = translate(module, targets, effort, translated))
    return std::move(error);
  std::string text;
  llvm::raw_string_ostream stream(text);
  translated.module->print(stream, nullptr);
  return text;
}

llvm::Expected<std::string>
Compiler::emitAssembly(mlir::ModuleOp module) const {
  auto bytes = emit(module, targets, effort, FileKind::Assembly);
  if (!bytes)
    return bytes.takeError();
  return std::string(bytes->begin(), bytes->end());
}

llvm::Expected<llvm::SmallVector<char, 0>>
Compiler::emitObject(mlir::ModuleOp module) const {
  return emit(module, targets, effort, FileKind::Object);
}

llvm::Expected<Artifact> Compiler::emitArtifact(mlir::ModuleOp module) const {
  auto object = emitObject(module);
  if (!object)
    return object.takeError();
  return linkSharedObject(*object);
}
