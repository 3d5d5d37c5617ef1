//===- CodeGenerator.cpp - LLVM's code generators -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/CodeGenerator.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
qcc::createCodeGenerator(llvm::StringRef triple, llvm::StringRef processor,
                         const std::string &features, Effort effort,
                         llvm::StringRef name) {
  llvm::Triple parsed(triple);
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(parsed, error);
  if (!backend)
    return llvm::createStringError(error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      parsed, processor, features, options, llvm::Reloc::PIC_, std::nullopt,
      effort == Effort::Full ? llvm::CodeGenOptLevel::Aggressive
                             : llvm::CodeGenOptLevel::None));
  if (!machine)
    return llvm::createStringError("no code generator for processor '" + name +
                                   "'");
  return machine;
}
