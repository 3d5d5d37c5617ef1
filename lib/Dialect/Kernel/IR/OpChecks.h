//===- OpChecks.h - Checks and effects that kernel ops share ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_DIALECT_KERNEL_IR_OPCHECKS_H
#define QCC_LIB_DIALECT_KERNEL_IR_OPCHECKS_H

#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace qcc::kernel {

int64_t product(llvm::ArrayRef<int64_t> sizes);

/// Adds reads of memref inputs and writes of memref outs; tensors have no
/// effects.
void addEffects(
    mlir::DestinationStyleOpInterface op,
    llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);

/// Checks the arguments and the yield of a region: `types` the arguments,
/// `results` the yielded types.
mlir::LogicalResult verifyRegion(mlir::Operation *op, mlir::Region &region,
                                 llvm::StringRef name,
                                 llvm::ArrayRef<mlir::Type> types,
                                 llvm::ArrayRef<mlir::Type> results);

llvm::SmallVector<mlir::Type> elementTypes(mlir::ValueRange values);

/// Whether all operands are tensors, or all are memrefs. Lowerings see an op
/// before or after bufferization, never in between.
bool haveOneKind(mlir::Operation *op);

} // namespace qcc::kernel

#endif // QCC_LIB_DIALECT_KERNEL_IR_OPCHECKS_H
