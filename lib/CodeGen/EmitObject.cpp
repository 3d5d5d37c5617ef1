//===- EmitObject.cpp - LLVM IR to machine code ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EarlyEnd.h"
#include "Parts.h"
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

/// LLVM IR of the functions that the host runs of one variant. Functions that
/// the table refers to get names with the prefix and are visible to other
/// parts of the program; everything else is internal.
static llvm::Expected<std::unique_ptr<llvm::Module>>
translateVariant(mlir::ModuleOp module, const Target &target,
                 const TranslatedVariant &variant, llvm::LLVMContext &context,
                 const CodeGenOptions &options) {
  auto machine = target.createTargetMachine(options.effort);
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
  return result;
}

namespace {
/// A program whose functions are in parts, not optimized yet.
struct SplitProgram {
  std::vector<TranslatedVariant> table;
  std::vector<Part> parts; ///< Of all variants.
  std::vector<std::string> functions;
};
} // namespace

/// PTX of the kernels of a variant for a device, and machine code of them.
static llvm::Error addKernels(const Variant &variant, TranslatedVariant &result,
                              const CodeGenOptions &options) {
  auto kernels = emitPTX(variant, options);
  if (!kernels)
    return kernels.takeError();
  if (variant.assembles) {
    auto assembled = assembleKernels(*kernels, variant.target->getName());
    if (!assembled)
      return assembled.takeError();
    result.binary = std::move(assembled->binary);
  }
  result.kernels = std::move(*kernels);
  return llvm::Error::success();
}

/// Translates all variants.
static llvm::Expected<SplitProgram>
splitProgram(llvm::ArrayRef<Variant> variants, const CodeGenOptions &options) {
  SplitProgram result;
  for (const Variant &variant : variants) {
    mlir::ModuleOp program = variant.module;
    mlir::registerBuiltinDialectTranslation(*program.getContext());
    mlir::registerLLVMDialectTranslation(*program.getContext());
    std::string prefix =
        variants.size() > 1 ? variant.target->getName() + "." : "";
    result.table.push_back(
        {Program::of(program), variant.target.get(), prefix, {}, {}});
    if (variant.target->isDevice())
      if (llvm::Error error = addKernels(variant, result.table.back(), options))
        return std::move(error);
    llvm::LLVMContext context;
    auto module = translateVariant(program, *variant.host, result.table.back(),
                                   context, options);
    if (!module)
      return module.takeError();
    llvm::append_range(result.functions, namesOfFunctions(**module));
    llvm::move(splitIntoParts(std::move(*module), *variant.host),
               std::back_inserter(result.parts));
  }
  return result;
}

/// Translates all variants, optimizes their parts, and makes of each part what
/// `finish` does.
static llvm::Expected<SplitProgram>
compileParts(llvm::ArrayRef<Variant> variants, const CodeGenOptions &options,
             llvm::function_ref<llvm::Expected<Part::Bytes>(
                 llvm::Module &, llvm::TargetMachine &, WorkLimits *)>
                 finish) {
  auto program = splitProgram(variants, options);
  if (!program)
    return program.takeError();
  if (llvm::Error error =
          finishParts(program->parts, options,
                      [&](llvm::Module &module, llvm::TargetMachine &machine,
                          WorkLimits *limits) {
                        scalarizeSingleLaneStores(module);
                        return finish(module, machine, limits);
                      }))
    return std::move(error);
  return program;
}

llvm::Expected<std::unique_ptr<llvm::Module>>
qcc::translateToLLVM(llvm::ArrayRef<Variant> variants,
                     llvm::LLVMContext &context,
                     const CodeGenOptions &options) {
  auto program = compileParts(variants, options,
                              [](llvm::Module &module, llvm::TargetMachine &,
                                 WorkLimits *) { return writePart(module); });
  if (!program)
    return program.takeError();
  auto result = joinParts(program->parts, program->functions, context);
  if (!result)
    return result.takeError();
  if (llvm::Error error = addDescriptor(**result, program->table))
    return std::move(error);
  return result;
}

/// A module that declares the functions that the table refers to.
static std::unique_ptr<llvm::Module>
declareFunctions(llvm::ArrayRef<TranslatedVariant> table,
                 const llvm::TargetMachine &machine,
                 llvm::LLVMContext &context) {
  auto module = std::make_unique<llvm::Module>("qcc", context);
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       /*isVarArg=*/false);
  for (const TranslatedVariant &variant : table)
    for (const auto &name : functionsOf(variant.program))
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                             variant.prefix + name.getKey(), *module)
          ->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return module;
}

llvm::Expected<std::vector<llvm::SmallVector<char, 0>>>
qcc::emitObjects(llvm::ArrayRef<Variant> variants, WeightsImage &weights,
                 const CodeGenOptions &options) {
  auto program =
      compileParts(variants, options,
                   [](llvm::Module &module, llvm::TargetMachine &machine,
                      WorkLimits *limits) {
                     return emitCode(module, machine, FileKind::Object, limits);
                   });
  if (!program)
    return program.takeError();
  std::vector<llvm::SmallVector<char, 0>> objects;
  for (Part &part : program->parts)
    objects.push_back(std::move(part.bytes));

  auto machine = variants.front().host->createTargetMachine(options.effort);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      declareFunctions(program->table, **machine, context);
  if (llvm::Error error = addDescriptor(*module, program->table, &weights))
    return std::move(error);
  auto descriptor =
      emitCode(*module, **machine, FileKind::Object, options.limits);
  if (!descriptor)
    return descriptor.takeError();
  objects.push_back(std::move(*descriptor));
  return objects;
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
