//===- StepsOfK.h - The steps in which K is read ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// K is runs of elements that follow each other in both operands, of which the
// packed one has whole steps of 64. A step is a number of elements of one run.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_STEPSOFK_H
#define QCC_LIB_TARGET_NVPTX_EMIT_STEPSOFK_H

#include "ScalarCode.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/NVPTX/Spec.h"
#include "llvm/Support/MathExtras.h"
#include <functional>

namespace qcc::nvptx {

class StepsOfK {
public:
  StepsOfK(ScalarCode &code, kernel::ContractOp op, int64_t depth)
      : code(code), op(op), depth(depth) {}

  /// The elements of a run, as they are and as they are packed.
  int64_t run() { return op.getReductionSizes().back(); }
  int64_t packedRun() { return llvm::alignTo(run(), kPackedStep); }
  int64_t perRun() { return llvm::divideCeil(packedRun(), depth); }
  int64_t count() { return op.getReductionSize() / run() * perRun(); }
  int64_t getDepth() const { return depth; }

  /// The run of a step, and the element of K in it.
  std::pair<mlir::Value, mlir::Value> split(mlir::Value step);
  /// Sets the reduction loops to a step.
  void set(Point &at, mlir::Value step);
  /// How many of `size` elements a run has from a step on; null where there are
  /// no fewer than the step has.
  std::function<mlir::Value(mlir::Value step)> restOf(int64_t size);
  /// From the beginning of a packed column to a step, in bytes.
  mlir::Value packedOffset(mlir::Value step);

private:
  ScalarCode &code;
  kernel::ContractOp op;
  int64_t depth;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_STEPSOFK_H
