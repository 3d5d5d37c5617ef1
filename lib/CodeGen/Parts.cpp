//===- Parts.cpp - A module in parts --------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "EarlyEnd.h"
#include "Optimize.h"
#include "Threads.h"
#include "qcc/Target/Target.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/SplitModule.h"

using namespace qcc;

/// How large a part is at least. Small parts divide the work evenly, but each
/// is written, read, and given passes of its own.
static constexpr size_t kPartInstructions = 1000;

/// Enough for threads to end at about the same time.
static constexpr size_t kMaxParts = 64;

static bool hasDefinitions(const llvm::Module &module) {
  return llvm::any_of(
      module.global_values(),
      [](const llvm::GlobalValue &value) { return !value.isDeclaration(); });
}

/// Erases declarations of what other parts define. Their names would be taken
/// when the parts are joined.
static void eraseUnusedDeclarations(llvm::Module &module) {
  for (llvm::GlobalValue &value :
       llvm::make_early_inc_range(module.global_values()))
    if (value.isDeclaration() && value.use_empty())
      value.eraseFromParent();
}

std::vector<Part> qcc::splitIntoParts(std::unique_ptr<llvm::Module> module,
                                      const Target &target) {
  size_t count = std::clamp<size_t>(
      module->getInstructionCount() / kPartInstructions, 1, kMaxParts);
  std::vector<Part> parts;
  if (count == 1) {
    parts.push_back({&target, writePart(*module)});
    return parts;
  }
  llvm::SplitModule(
      *module, count,
      [&](std::unique_ptr<llvm::Module> part) {
        eraseUnusedDeclarations(*part);
        if (hasDefinitions(*part))
          parts.push_back({&target, writePart(*part)});
      },
      /*PreserveLocals=*/true, /*RoundRobin=*/true);
  assert(!parts.empty() && "instructions are in functions");
  return parts;
}

Part::Bytes qcc::writePart(const llvm::Module &module) {
  Part::Bytes bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return bytes;
}

static llvm::Expected<std::unique_ptr<llvm::Module>>
readPart(const Part &part, llvm::LLVMContext &context) {
  llvm::StringRef bytes(part.bytes.data(), part.bytes.size());
  return llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "qcc"), context);
}

llvm::Error
qcc::finishParts(llvm::MutableArrayRef<Part> parts,
                 const CodeGenOptions &options,
                 llvm::function_ref<llvm::Expected<Part::Bytes>(
                     llvm::Module &, llvm::TargetMachine &, WorkLimits *)>
                     finish) {
  return runOnThreads(parts.size(), options.threads, options.limits,
                      [&](size_t number, WorkLimits *limits) -> llvm::Error {
                        Part &part = parts[number];
                        llvm::LLVMContext context;
                        auto module = readPart(part, context);
                        if (!module)
                          return module.takeError();
                        auto machine =
                            part.target->createTargetMachine(options.effort);
                        if (!machine)
                          return machine.takeError();
                        optimize(**module, **machine, options.effort, limits);
                        if (llvm::Error error = checkLimits(limits))
                          return error;
                        auto finished = finish(**module, **machine, limits);
                        if (!finished)
                          return finished.takeError();
                        part.bytes = std::move(*finished);
                        return llvm::Error::success();
                      });
}

std::vector<std::string> qcc::namesOfFunctions(const llvm::Module &module) {
  std::vector<std::string> names;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration())
      names.push_back(function.getName().str());
  return names;
}

llvm::Expected<std::unique_ptr<llvm::Module>>
qcc::joinParts(llvm::ArrayRef<Part> parts, llvm::ArrayRef<std::string> names,
               llvm::LLVMContext &context) {
  std::unique_ptr<llvm::Module> result;
  for (const Part &part : parts) {
    auto module = readPart(part, context);
    if (!module)
      return module.takeError();
    if (!result)
      result = std::move(*module);
    else if (llvm::Linker::linkModules(*result, std::move(*module)))
      return llvm::createStringError(
          "the parts of the program could not be joined");
  }
  auto &functions = result->getFunctionList();
  for (const std::string &name : names)
    // The optimizer may have inlined it everywhere.
    if (llvm::Function *function = result->getFunction(name))
      functions.splice(functions.end(), functions, function->getIterator());
  return result;
}
