//===- EarlyEnd.cpp - Code generation that ends early ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EarlyEnd.h"
#include "qcc/Support/WorkLimits.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Pass.h"

using namespace qcc;

llvm::Error qcc::checkLimits(WorkLimits *limits) {
  if (limits && limits->isExceeded())
    return llvm::createStringError(limits->status().message());
  return llvm::Error::success();
}

namespace {
struct EarlyEnd : llvm::FunctionPass {
  explicit EarlyEnd(WorkLimits &limits)
      : llvm::FunctionPass(identity), limits(limits) {}

  bool runOnFunction(llvm::Function &function) override {
    if (!limits.isExceeded())
      return false;
    for (llvm::BasicBlock &block : function)
      block.dropAllReferences();
    while (!function.empty())
      function.front().eraseFromParent();
    new llvm::UnreachableInst(
        function.getContext(),
        llvm::BasicBlock::Create(function.getContext(), "", &function));
    return true;
  }

  WorkLimits &limits;
  static char identity;
};
char EarlyEnd::identity = 0;
} // namespace

void EarlyEndingPasses::add(llvm::Pass *pass) {
  // The last pass of functions before instructions are selected. From there on
  // each function goes through all passes before the next one does.
  if (pass->getPassName() == "CodeGen Prepare")
    passes.add(new EarlyEnd(limits));
  passes.add(pass);
}
