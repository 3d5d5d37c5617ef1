//===- Pipelines.h - The stages of the compiler -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each builder adds the passes of one stage, ending with the pass that verifies
// what may exist after it. docs/Pipeline.md describes them.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_PIPELINES_PIPELINES_H
#define QCC_PIPELINES_PIPELINES_H

#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace qcc {

class TuningDatabase;
class Target;

enum class Stage { Import, Graph, Tensor, Kernel, Buffer, Target, LLVM };

/// "import", "graph", ...
llvm::StringRef stageName(Stage stage);
std::optional<Stage> stageByName(llvm::StringRef name);

struct StageOptions {
  /// Fuse contractions with what surrounds them, and elementwise ops with each
  /// other. Without, each op is a step of its own, so that the value of every
  /// layer can be looked at: slower, but the same bits.
  bool fuse = true;
  /// Configs that were measured, which come before those of the model; may be
  /// null.
  std::shared_ptr<const TuningDatabase> tuning;
};

void buildGraphStage(mlir::OpPassManager &pm);
void buildTensorStage(mlir::OpPassManager &pm,
                      const std::shared_ptr<const Target> &target);
/// The first part of the kernel stage, after which contractions are formed for
/// `target`, but have no config and are not packed.
void buildFormContractions(mlir::OpPassManager &pm,
                           const std::shared_ptr<const Target> &target,
                           const StageOptions &options = StageOptions());
void buildKernelStage(mlir::OpPassManager &pm,
                      const std::shared_ptr<const Target> &target,
                      const StageOptions &options = StageOptions());
void buildBufferStage(mlir::OpPassManager &pm,
                      const std::shared_ptr<const Target> &target,
                      const StageOptions &options = StageOptions());
void buildLLVMStage(mlir::OpPassManager &pm,
                    const std::shared_ptr<const Target> &target);

/// Adds the passes of one stage after import.
void buildStage(mlir::OpPassManager &pm, Stage stage,
                const std::shared_ptr<const Target> &target,
                const StageOptions &options = StageOptions());

} // namespace qcc

#endif // QCC_PIPELINES_PIPELINES_H
