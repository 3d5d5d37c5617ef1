//===- Kernel.h - A problem, compiled ---------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_BENCH_KERNEL_H
#define QCC_TOOLS_QCC_BENCH_KERNEL_H

#include "Problem.h"
#include "qcc/Runtime/Module.h"
#include "qcc/Target/Target.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace qcc::bench {

/// What compiling a program gives.
struct Kernel {
  std::shared_ptr<const rt::Module> module;
  /// The decisions for its contractions, "; " between them.
  std::string config;
  /// The constant weight, row-major as in the program; empty without one.
  std::vector<int8_t> weights;
  double compileSeconds = 0; ///< From the text to a loaded module.
  int64_t artifactBytes = 0;
};

/// Imports a program and hands it to `body`; diagnostics of both become the
/// error, and so does a crash.
llvm::Error withProgram(llvm::StringRef text,
                        llvm::function_ref<llvm::Error(mlir::ModuleOp)> body);

llvm::Expected<Kernel> compile(llvm::StringRef text, const TargetRef &target);

/// Compares `result`, which compiled code has computed, with the reference
/// interpreter on some of its rows (all, where they are few). The error says
/// how many elements differ, and the first of them.
llvm::Error checkAgainstReference(const Problem &problem);

} // namespace qcc::bench

#endif // QCC_TOOLS_QCC_BENCH_KERNEL_H
