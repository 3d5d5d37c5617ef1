//===- StageBarriers.h - Barriers of a pipeline of stages -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that load and threads that multiply hand stages of shared memory to
// each other. Each stage has two barriers (mbarrier): it is full when all bytes
// of a slice have come, and empty when all who read them are done. The phase of
// a stage, 0 or 1, changes each time that the stage is filled; a wait names the
// phase that has to be over.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_STAGEBARRIERS_H
#define QCC_LIB_TARGET_NVPTX_EMIT_STAGEBARRIERS_H

#include "SharedTile.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"

namespace qcc::nvptx {

/// A stage and its phase, i32 both, on their way through a loop.
struct Stage {
  mlir::Value number, phase;
};

class StageBarriers {
public:
  /// `first` is where the barriers lie in shared memory.
  StageBarriers(ScalarCode &code, SharedMemory &memory, int64_t first,
                int64_t stages)
      : code(code), memory(memory), first(first), stages(stages) {}

  /// For one thread: stages are empty when so many readers have released them.
  void initialize(int64_t readers);
  /// The stage to begin with, and the one that follows.
  Stage firstStage();
  Stage next(const Stage &stage);

  /// For the thread that loads: waits until a stage is empty, and announces
  /// `bytes` that will come to it.
  void acquire(const Stage &stage, int64_t bytes);
  /// Starts the copy of a box to `to`, a place in shared memory, from
  /// coordinates of a tensor map, the innermost first.
  void copyBox(const Stage &stage, mlir::Value to, mlir::Value map,
               llvm::ArrayRef<mlir::Value> coordinates);
  /// For threads that read: waits until a stage is full.
  void waitUntilFull(const Stage &stage);
  /// For one thread of each reader: the stage of a number is read no more.
  void release(mlir::Value stage);

private:
  /// The address of a barrier, as i32.
  mlir::Value full(mlir::Value stage) { return barrier(stage, 0); }
  mlir::Value empty(mlir::Value stage) {
    return barrier(stage, kStageBarrierBytes / 2);
  }
  mlir::Value barrier(mlir::Value stage, int64_t offset);
  void wait(mlir::Value barrier, mlir::Value phase);

  ScalarCode &code;
  SharedMemory &memory;
  int64_t first, stages;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_STAGEBARRIERS_H
