//===- Kernel.cpp - Compiling a problem -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Frontend/MLIR/Import.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Runtime/Module.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>

using namespace qcc;
using namespace qcc::bench;

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

llvm::Error
bench::withProgram(llvm::StringRef text,
                   llvm::function_ref<llvm::Error(mlir::ModuleOp)> body) {
  mlir::MLIRContext context(makeRegistry(),
                            mlir::MLIRContext::Threading::DISABLED);
  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          diagnostics += (diagnostics.empty() ? "" : "; ") + diagnostic.str();
        return mlir::success();
      });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(text, "program",
                                       /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  ImportOptions options;
  options.weights.kind = WeightsSource::Kind::Random;
  options.weights.seed = Problem::kSeed;
  llvm::Error error = llvm::Error::success();
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  bool survived = recovery.RunSafely([&] {
    auto module = importMLIR(sources, &context, options);
    if (module)
      error = body(*module);
  });
  if (!survived)
    return llvm::createStringError(
        "the compiler crashed; this is a bug of qcc, please report it with "
        "the shape and the options");
  if (diagnostics.empty())
    return error;
  return llvm::joinErrors(llvm::createStringError(diagnostics),
                          std::move(error));
}

/// The bytes of the only resource of a program.
static std::vector<int8_t> findWeights(mlir::ModuleOp module) {
  std::vector<int8_t> weights;
  module->walk([&](mlir::Operation *op) {
    op->getAttrDictionary().walk([&](mlir::DenseResourceElementsAttr attr) {
      if (mlir::AsmResourceBlob *blob = attr.getRawHandle().getBlob())
        weights.assign(blob->getData().begin(), blob->getData().end());
    });
  });
  return weights;
}

static std::string describeConfigs(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->walk([&](kernel::ContractOp op) {
    auto config = op.getLoweringConfigAttr();
    if (!config)
      return;
    os << (text.empty() ? "" : "; ") << config.getAtomName() << " "
       << config.describe() << " (" << stringifyConfigSource(config.getSource())
       << ")";
  });
  return text;
}

llvm::Expected<Kernel> bench::compile(llvm::StringRef text,
                                      const TargetRef &target) {
  auto start = std::chrono::steady_clock::now();
  Kernel kernel;
  llvm::Error error =
      withProgram(text, [&](mlir::ModuleOp module) -> llvm::Error {
        kernel.weights = findWeights(module);
        Compiler compiler(target);
        compiler.configure = [&](mlir::PassManager &, Stage stage) {
          if (stage == Stage::Buffer)
            kernel.config = describeConfigs(module);
        };
        if (mlir::failed(compiler.runStages(module, Stage::LLVM)))
          return llvm::Error::success(); // The diagnostics become the error.
        llvm::Expected<Artifact> artifact = compiler.emitArtifact(module);
        if (!artifact)
          return artifact.takeError();
        kernel.artifactBytes = artifact->size();
        auto loaded = rt::Module::load(artifact->data(), artifact->size());
        if (!loaded.isOk())
          return llvm::createStringError(loaded.message());
        kernel.module = std::move(*loaded);
        return llvm::Error::success();
      });
  if (error)
    return std::move(error);
  if (!kernel.module)
    return llvm::createStringError("compilation failed without a message");
  kernel.compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return kernel;
}
