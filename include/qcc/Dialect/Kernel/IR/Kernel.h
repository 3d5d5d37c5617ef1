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
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
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
/// A term loop floordiv size * stride, both constants positive: where the group
/// of a column begins, each group having so many columns and elements.
struct GroupTerm {
  unsigned loop;
  int64_t size, stride;
};
/// The first such term of a sum.
std::optional<GroupTerm> groupTerm(mlir::AffineExpr expr);
/// Whether each result is a sum of dimensions times positive constants, or 0,
/// and no dimension occurs twice: how windows of a convolution slide. Every
/// projection is one. A term may be the group of `columns`, where there are
/// some.
bool isWindow(mlir::AffineMap map, std::optional<unsigned> columns = {});
/// What each of `loops` dimensions is multiplied by in such a sum, 0 where it
/// does not occur or chooses a group; nothing for another expression.
std::optional<llvm::SmallVector<int64_t>> windowFactors(mlir::AffineExpr expr,
                                                        unsigned loops);
/// The result of a window along which `loop` goes from one element to the next;
/// nothing where the loop is in none, or with a factor other than 1.
std::optional<unsigned> resultAlong(mlir::AffineMap map, unsigned loop);
/// Whether `loop` leaves out elements of a dimension that it goes along.
bool leavesOut(mlir::AffineMap map, unsigned loop);
/// Lets one-shot bufferization handle the ops of the dialect.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);
} // namespace qcc::kernel

#endif // QCC_DIALECT_KERNEL_IR_KERNEL_H
