//===- StepValues.h - Values of the program in buffers of steps -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_STEPS_STEPVALUES_H
#define QCC_LIB_TRANSFORMS_STEPS_STEPVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace qcc {

/// The buffer that a memref is a view of, or the memref itself.
mlir::Value baseOf(mlir::Value memref);

/// Sets attributes on the operands of `call` that say which values of the
/// program they hold: layer, name, quantized type, order of dimensions, border,
/// shift of bytes. `work` is the op of the entry that `step` has a clone of,
/// and `mapping` maps its operands to arguments of the step.
void recordValues(mlir::func::CallOp call, mlir::func::FuncOp step,
                  mlir::Operation *work, const mlir::IRMapping &mapping);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_STEPS_STEPVALUES_H
