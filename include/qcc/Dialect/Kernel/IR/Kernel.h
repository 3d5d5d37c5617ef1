//===- Kernel.h - The kernel dialect ----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_KERNEL_IR_KERNEL_H
#define QCC_DIALECT_KERNEL_IR_KERNEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "qcc/Dialect/Kernel/IR/KernelOpsDialect.h.inc"

#include "qcc/Dialect/Kernel/IR/KernelEnums.h.inc"

#include "qcc/Dialect/Kernel/IR/KernelInterfaces.h.inc"

#define GET_OP_CLASSES
#include "qcc/Dialect/Kernel/IR/KernelOps.h.inc"

namespace qcc::kernel {
/// Whether each result is a dimension, none twice, or 0. Unlike a projected
/// permutation the map may have more results than dimensions.
bool isProjection(mlir::AffineMap map);
/// Lets one-shot bufferization handle the ops of the dialect.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);
} // namespace qcc::kernel

#endif // QCC_DIALECT_KERNEL_IR_KERNEL_H
