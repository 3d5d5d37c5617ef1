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

mlir::LogicalResult Compiler::runStages(mlir::ModuleOp module,
                                        Stage last) const {
  for (int i = static_cast<int>(Stage::Import) + 1; i <= static_cast<int>(last);
       ++i) {
    Stage stage = static_cast<Stage>(i);
    mlir::PassManager pm(module->getName());
    buildStage(pm, stage, target);
    if (configure)
      configure(pm, stage);
    if (mlir::failed(pm.run(module)))
      return mlir::failure();
  }
  return mlir::success();
}

namespace {
/// LLVM IR and the code generator that it was made for.
struct Translated {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};
} // namespace

static llvm::Error translate(mlir::ModuleOp module, const TargetSpec &target,
                             Translated &result) {
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  result.machine = std::move(*machine);
  auto translated =
      translateToLLVM(module, target, *result.machine, result.context);
  if (!translated)
    return translated.takeError();
  result.module = std::move(*translated);
  return llvm::Error::success();
}

static llvm::Expected<llvm::SmallVector<char, 0>>
emit(mlir::ModuleOp module, const TargetSpec &target, FileKind kind) {
  Translated translated;
  if (llvm::Error error = translate(module, target, translated))
    return std::move(error);
  return emitCode(*translated.module, *translated.machine, kind);
}

llvm::Expected<std::string> Compiler::emitLLVM(mlir::ModuleOp module) const {
  Translated translated;
  if (llvm::Error error = translate(module, target, translated))
    return std::move(error);
  std::string text;
  llvm::raw_string_ostream stream(text);
  translated.module->print(stream, nullptr);
  return text;
}

llvm::Expected<std::string>
Compiler::emitAssembly(mlir::ModuleOp module) const {
  auto bytes = emit(module, target, FileKind::Assembly);
  if (!bytes)
    return bytes.takeError();
  return std::string(bytes->begin(), bytes->end());
}

llvm::Expected<llvm::SmallVector<char, 0>>
Compiler::emitObject(mlir::ModuleOp module) const {
  return emit(module, target, FileKind::Object);
}

llvm::Expected<Artifact> Compiler::emitArtifact(mlir::ModuleOp module) const {
  auto object = emitObject(module);
  if (!object)
    return object.takeError();
  return linkSharedObject(*object);
}
