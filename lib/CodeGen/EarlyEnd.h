//===- EarlyEnd.h - Code generation that ends early -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code generator cannot be told to end, but a function without instructions
// takes it no time.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CODEGEN_EARLYEND_H
#define QCC_LIB_CODEGEN_EARLYEND_H

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/Error.h"

namespace qcc {

class WorkLimits;

/// Fails, with the reason, once `limits` are exceeded, which may be null.
llvm::Error checkLimits(WorkLimits *limits);

/// Hands the passes of a code generator on, and adds one of its own before
/// instructions are selected: it takes the bodies of functions away once the
/// limits are exceeded.
class EarlyEndingPasses : public llvm::legacy::PassManagerBase {
public:
  EarlyEndingPasses(llvm::legacy::PassManagerBase &passes, WorkLimits &limits)
      : passes(passes), limits(limits) {}

  void add(llvm::Pass *pass) override;

private:
  llvm::legacy::PassManagerBase &passes;
  WorkLimits &limits;
};

} // namespace qcc

#endif // QCC_LIB_CODEGEN_EARLYEND_H
