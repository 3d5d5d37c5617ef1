//===- Compiler.h - Programs to artifacts -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The facade over the stages: an imported module goes in, the program after any
// stage, LLVM IR, assembly, an object or an artifact comes out. Failures of the
// stages are MLIR diagnostics; failures after them are llvm::Errors.
//
// A program may be compiled for several targets at once. The stages then turn
// the module into a module of modules, one *variant* for each target. All
// variants go into one artifact. Its loader takes the best variant that the
// host can run.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_COMPILER_COMPILER_H
#define QCC_COMPILER_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "qcc/Pipelines/Pipelines.h"
#include "qcc/Support/WorkLimits.h"
#include "qcc/Target/Effort.h"
#include "qcc/Target/Target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>
#include <vector>

namespace mlir {
class PassManager;
} // namespace mlir

namespace qcc {

struct CodeGenOptions;
enum class FileKind;
struct Variant;

/// The bytes of an ELF shared object that exports the descriptor.
using Artifact = llvm::SmallVector<char, 0>;

class Compiler {
public:
  explicit Compiler(TargetRef target) { targets.push_back(std::move(target)); }
  /// At least one, no two of one name.
  explicit Compiler(std::vector<TargetRef> targets)
      : targets(std::move(targets)) {}

  StageOptions stageOptions;
  Effort effort = Effort::Full;

  /// Threads that generate code at once, at least 1. The code is the same with
  /// any number of them.
  unsigned threads = 1;

  /// Whether artifacts have kernels of devices as machine code beside PTX.
  /// Needs ptxas, and at least one target that is a device.
  bool assemblesKernels = false;

  /// Called with the pass manager of each stage before it runs, for crash
  /// reproducers and timing.
  std::function<void(mlir::PassManager &, Stage)> configure;

  /// Frees the data of a constant, such as weights that have been packed, once
  /// no op of the module refers to it. Only for a module that has its context
  /// to itself, in which nothing else knows its constants. An artifact then
  /// takes the weights of the module, which has none afterwards.
  bool releasesConstants = false;

  /// Looked at while stages run and code is generated; null: none. What fails
  /// once they are exceeded leaves its reason there.
  WorkLimits *limits = nullptr;

  /// Runs the stages after `first` up to `last`. Diagnostics go to the module's
  /// context. For several targets, what was in the module is replaced by one
  /// module for each of them, which has the target's name.
  mlir::LogicalResult runStages(mlir::ModuleOp module, Stage last,
                                Stage first = Stage::Import) const;

  /// What can be made of a module after stage llvm.
  llvm::Expected<std::string> emitLLVM(mlir::ModuleOp module) const;
  llvm::Expected<std::string> emitAssembly(mlir::ModuleOp module) const;
  llvm::Expected<llvm::SmallVector<char, 0>>
  emitObject(mlir::ModuleOp module) const;
  llvm::Expected<Artifact> emitArtifact(mlir::ModuleOp module) const;
  /// The code of the kernels of a device: of the only target.
  llvm::Expected<std::string> emitPTX(mlir::ModuleOp module) const;
  /// The constants that steps read, as one blob.
  llvm::Expected<std::string> emitWeights(mlir::ModuleOp module) const;

  /// The first, or only, one.
  const TargetRef &getTarget() const { return targets.front(); }
  llvm::ArrayRef<TargetRef> getTargets() const { return targets; }

private:
  std::vector<Variant> variantsOf(mlir::ModuleOp module) const;
  CodeGenOptions codeGenOptions() const;
  llvm::Expected<llvm::SmallVector<char, 0>> emit(mlir::ModuleOp module,
                                                  FileKind kind) const;

  std::vector<TargetRef> targets;
};

} // namespace qcc

#endif // QCC_COMPILER_COMPILER_H
