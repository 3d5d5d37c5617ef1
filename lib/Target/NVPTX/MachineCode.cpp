//===- MachineCode.cpp - LLVM's code generator for NVIDIA chips -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/CodeGen/Effort.h"
#include "qcc/Target/NVPTX/NVPTXTarget.h"
#include "llvm/IR/Function.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace qcc;
using namespace qcc::nvptx;

static constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";

static std::string featuresOf(const Spec &spec) {
  return "+ptx" + std::to_string(spec.ptxVersion);
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
NVPTXTarget::createTargetMachine(Effort effort) const {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple(kTriple);
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return llvm::createStringError(error);
  llvm::TargetOptions options;
  // A multiplication and an addition stay two operations (N4).
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, spec.name, featuresOf(spec), options, llvm::Reloc::PIC_,
      std::nullopt,
      effort == Effort::Full ? llvm::CodeGenOptLevel::Aggressive
                             : llvm::CodeGenOptLevel::None));
  if (!machine)
    return llvm::createStringError("no code generator for chip '%s'",
                                   name.c_str());
  return machine;
}

void NVPTXTarget::annotate(llvm::Function &function) const {
  function.addFnAttr("target-cpu", spec.name);
  function.addFnAttr("target-features", featuresOf(spec));
}
