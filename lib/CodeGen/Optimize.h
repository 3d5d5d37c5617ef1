//===- Optimize.h - LLVM's optimizer ----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CODEGEN_OPTIMIZE_H
#define QCC_LIB_CODEGEN_OPTIMIZE_H

#include "qcc/Target/Effort.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace qcc {

class WorkLimits;

/// Optimizes a module for a processor. No library function exists: loops do not
/// become calls. Once `limits` are exceeded, which may be null, it ends early.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, Effort effort,
              WorkLimits *limits = nullptr);

} // namespace qcc

#endif // QCC_LIB_CODEGEN_OPTIMIZE_H
