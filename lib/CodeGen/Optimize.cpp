//===- Optimize.cpp - LLVM's optimizer ------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize.h"
#include "qcc/Support/WorkLimits.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace qcc;

/// Kernels keep in registers what they read again, and the pass takes long to
/// find that out: docs/Rationale/CodeGen.md has the measurement.
static constexpr llvm::StringLiteral kUselessPass = "LoopLoadEliminationPass";

/// LLVM must not assume any library: an artifact has no undefined symbols, so
/// loops must not turn into calls of memcpy or memset.
void qcc::optimize(llvm::Module &module, llvm::TargetMachine &machine,
                   Effort effort, WorkLimits *limits) {
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [limits](llvm::StringRef name, const llvm::Any &) {
        return name != kUselessPass && !(limits && limits->isExceeded());
      });
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, llvm::PipelineTuningOptions(),
                            std::nullopt, &callbacks);
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes =
      effort == Effort::Full
          ? builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
          : builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
  passes.run(module, modules);
}
