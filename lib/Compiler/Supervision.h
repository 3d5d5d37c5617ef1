//===- Supervision.h - Supervision between passes ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes, and parts of those that make many constants, are actions of the
// context. Here is who handles them: before each it looks at the limits, after
// it frees constants that nothing refers to any more.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_COMPILER_SUPERVISION_H
#define QCC_LIB_COMPILER_SUPERVISION_H

#include "mlir/IR/Action.h"
#include "mlir/IR/BuiltinOps.h"
#include "qcc/Support/WorkLimits.h"

namespace qcc {

/// As long as it lives. Passes are left out once the limits are exceeded.
class Supervision {
public:
  /// `limits` may be null.
  Supervision(mlir::ModuleOp module, bool releasesConstants,
              WorkLimits *limits);
  Supervision(const Supervision &) = delete;
  Supervision &operator=(const Supervision &) = delete;
  ~Supervision();

  /// Says whether the passes that follow make or drop constants.
  void setMakesConstants(bool value) { makesConstants = value; }

private:
  void handle(llvm::function_ref<void()> work,
              const mlir::tracing::Action &action);
  void releaseUnusedConstants();

  mlir::ModuleOp module;
  bool releasesConstants;
  WorkLimits *limits;
  bool makesConstants = true;
  /// Of constants that were made since unused ones were freed.
  int64_t bytesMade = 0;
};

} // namespace qcc

#endif // QCC_LIB_COMPILER_SUPERVISION_H
