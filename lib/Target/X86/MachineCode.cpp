//===- MachineCode.cpp - How LLVM compiles for x86 ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/CodeGenerator.h"
#include "qcc/Target/X86/X86Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace qcc;
using namespace qcc::x86;

static constexpr llvm::StringLiteral kTriple = "x86_64-unknown-linux-gnu";

/// Code is scheduled for the target's processor, but its instructions are those
/// of this processor and of the target's features. LLVM would otherwise use all
/// features of the target's processor, and an artifact must ask for each
/// feature that it uses.
static constexpr llvm::StringLiteral kBaseline = "x86-64-v3";

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
X86Target::createTargetMachine(Effort effort) const {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
  });
  return createCodeGenerator(kTriple, kBaseline,
                             spec.featureString(/*permutesBytes=*/false),
                             effort, spec.name);
}

/// Whether a function permutes bytes, or calls one that does, which could not
/// be inlined otherwise. No function of a program calls itself.
static bool permutesBytes(const llvm::Function &function) {
  if (function.getIntrinsicID() ==
      llvm::Intrinsic::x86_avx512_vpermi2var_qi_512)
    return true;
  return llvm::any_of(
      llvm::instructions(function), [](const llvm::Instruction &instruction) {
        auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        const llvm::Function *callee =
            call ? call->getCalledFunction() : nullptr;
        return callee && permutesBytes(*callee);
      });
}

void X86Target::annotate(llvm::Function &function) const {
  function.addFnAttr("target-cpu", kBaseline);
  function.addFnAttr("tune-cpu", spec.cpu);
  function.addFnAttr("target-features",
                     spec.featureString(permutesBytes(function)));
  function.addFnAttr("prefer-vector-width", llvm::utostr(spec.vectorBits));
  // LLVM allocates registers before it knows of spills, and then no register is
  // left to align the stack with. Callers align it to 16 bytes: a spilled
  // vector would lie in two cache lines, or not, by the frames of its callers.
  function.addFnAttr("stackrealign");
}

namespace {
/// The features of a function are those that it names, not the target's.
class HostTarget : public X86Target {
public:
  explicit HostTarget(Spec spec) : X86Target(std::move(spec)) {}

  void annotate(llvm::Function &function) const override {
    function.addFnAttr("target-cpu", "x86-64");
    function.addFnAttr("target-features", "");
  }
};
} // namespace

TargetRef x86::hostTarget() {
  return std::make_shared<HostTarget>(llvm::cantFail(Spec::forCPU(kBaseline)));
}
