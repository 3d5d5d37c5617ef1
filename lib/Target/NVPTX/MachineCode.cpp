//===- MachineCode.cpp - LLVM's code generator for NVIDIA chips -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/CodeGenerator.h"
#include "qcc/Target/NVPTX/NVPTXTarget.h"
#include "llvm/IR/Function.h"
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
  return createCodeGenerator(kTriple, spec.name, featuresOf(spec), effort,
                             name);
}

void NVPTXTarget::annotate(llvm::Function &function) const {
  function.addFnAttr("target-cpu", spec.name);
  function.addFnAttr("target-features", featuresOf(spec));
}
