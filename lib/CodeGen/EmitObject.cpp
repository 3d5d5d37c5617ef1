//===- EmitObject.cpp - LLVM IR to machine code ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EarlyEnd.h"
#include "Optimize.h"
#include "SingleLaneStores.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "qcc/CodeGen/CodeGen.h"
#include "qcc/Target/Target.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace qcc;

/// The names in the table of a program: the functions that it refers to.
static llvm::StringSet<> functionsOf(const Program &program) {
  llvm::StringSet<> names;
  for (const ProgramEntry &entry : program.entries) {
    names.insert(entry.plan);
    for (const ProgramStep &step : entry.steps)
      if (!step.launch)
        names.insert(step.function);
  }
  return names;
}

/// Translates and optimizes the functions that the host runs of one variant.
/// Functions that the table refers to get names with the prefix and are visible
/// to other variants; everything else is internal.
static llvm::Expected<std::unique_ptr<llvm::Module>>
translateVariant(mlir::ModuleOp module, const Target &target,
                 const TranslatedVariant &variant, llvm::LLVMContext &context,
                 Effort effort, WorkLimits *limits) {
  auto machine = target.createTargetMachine(effort);
  if (!machine)
    return machine.takeError();
  std::unique_ptr<llvm::Module> result =
      mlir::translateModuleToLLVMIR(module, context, "qcc");
  if (!result)
    return llvm::createStringError(
        "the program could not be translated to LLVM IR");
  result->setTargetTriple((*machine)->getTargetTriple());
  result->setDataLayout((*machine)->createDataLayout());
  llvm::StringSet<> referenced = functionsOf(variant.program);
  for (llvm::Function &function : *result) {
    if (function.isDeclaration())
      continue;
    if (referenced.contains(function.getName())) {
      function.setName(variant.prefix + function.getName());
      function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    } else {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    function.addFnAttr("no-builtins");
    target.annotate(function);
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(*result, &stream))
    return llvm::createStringError("invalid LLVM IR: %s", message.c_str());
  optimize(*result, **machine, effort, limits);
  if (llvm::Error error = checkLimits(limits))
    return std::move(error);
  scalarizeSingleLaneStores(*result);
  return result;
}

llvm::Expected<std::unique_ptr<llvm::Module>>
qcc::translateToLLVM(llvm::ArrayRef<Variant> variants,
                     llvm::LLVMContext &context, Effort effort,
                     WeightsImage *apart, WorkLimits *limits) {
  std::unique_ptr<llvm::Module> result;
  std::vector<TranslatedVariant> table;
  for (Variant variant : variants) {
    mlir::registerBuiltinDialectTranslation(*variant.module.getContext());
    mlir::registerLLVMDialectTranslation(*variant.module.getContext());
    std::string prefix =
        variants.size() > 1 ? variant.target->getName() + "." : "";
    table.push_back(
        {Program::of(variant.module), variant.target, prefix, {}, {}});
    if (variant.target->isDevice()) {
      auto kernels = emitPTX(variant, effort, limits);
      if (!kernels)
        return kernels.takeError();
      if (variant.assembles) {
        auto assembled = assembleKernels(*kernels, variant.target->getName());
        if (!assembled)
          return assembled.takeError();
        table.back().binary = std::move(assembled->binary);
      }
      table.back().kernels = std::move(*kernels);
    }
    auto translated = translateVariant(variant.module, *variant.host,
                                       table.back(), context, effort, limits);
    if (!translated)
      return translated.takeError();
    if (!result)
      result = std::move(*translated);
    else if (llvm::Linker::linkModules(*result, std::move(*translated)))
      return llvm::createStringError(
          "the variants of the program could not be joined");
  }
  if (llvm::Error error = addDescriptor(*result, table, apart))
    return std::move(error);
  return result;
}

llvm::Expected<llvm::SmallVector<char, 0>>
qcc::emitCode(llvm::Module &module, llvm::TargetMachine &machine, FileKind kind,
              WorkLimits *limits) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  std::optional<EarlyEndingPasses> ending;
  if (limits)
    ending.emplace(passes, *limits);
  llvm::legacy::PassManagerBase &added =
      ending ? static_cast<llvm::legacy::PassManagerBase &>(*ending) : passes;
  llvm::CodeGenFileType type = kind == FileKind::Assembly
                                   ? llvm::CodeGenFileType::AssemblyFile
                                   : llvm::CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(added, stream, nullptr, type))
    return llvm::createStringError("the code generator cannot write this file");
  passes.run(module);
  if (llvm::Error error = checkLimits(limits))
    return std::move(error);
  return bytes;
}
