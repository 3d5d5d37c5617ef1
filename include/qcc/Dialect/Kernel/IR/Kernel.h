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

#define GET_ATTRDEF_CLASSES
#include "qcc/Dialect/Kernel/IR/KernelOpsAttrs.h.inc"

namespace qcc::kernel {
/// The fields of #kernel.facts, to be changed one by one.
struct Facts {
  mlir::DenseI64ArrayAttr rhsRange;
  mlir::DenseF64ArrayAttr epilogueRanges;
  mlir::DenseI64ArrayAttr zeroBorder;

  /// Of null: no facts.
  static Facts of(FactsAttr facts);
  /// Null if there are no facts.
  FactsAttr toAttr(mlir::MLIRContext *context) const;
};
} // namespace qcc::kernel

#define GET_OP_CLASSES
#include "qcc/Dialect/Kernel/IR/KernelOps.h.inc"

namespace qcc::kernel {
/// Whether each result is a dimension or 0, and no dimension occurs twice.
/// Unlike a projected permutation, the map may have more results than
/// dimensions.
bool isProjection(mlir::AffineMap map);
/// A term loop floordiv size * stride, with positive constants. It is the
/// position at which the group of a column begins. Each group has `size`
/// columns and `stride` elements.
struct GroupTerm {
  unsigned loop;
  int64_t size, stride;
};
/// The first such term of a sum; nothing if the sum has no such term.
std::optional<GroupTerm> groupTerm(mlir::AffineExpr expr);
/// Whether the map describes sliding windows, as of a convolution. Then each
/// result is 0 or a sum of dimensions times positive constants, and no
/// dimension occurs twice. Every projection is such a map. If `columns` is
/// given, a term may be the group of this loop.
bool isWindow(mlir::AffineMap map, std::optional<unsigned> columns = {});
/// The factor of each of `loops` dimensions in such a sum; 0 if the dimension
/// does not occur or chooses a group. Nothing if `expr` is not such a sum.
std::optional<llvm::SmallVector<int64_t>> windowFactors(mlir::AffineExpr expr,
                                                        unsigned loops);
/// The number of the result of a window in which `loop` has the factor 1, so
/// that it goes from one element to the next. Nothing if no result has it so.
std::optional<unsigned> resultAlong(mlir::AffineMap map, unsigned loop);
/// Whether `loop` skips elements of a dimension: the map depends on it, but not
/// with the factor 1.
bool leavesOut(mlir::AffineMap map, unsigned loop);
/// The name of a strategy in the text of a config: a word. The target says
/// which names there are.
mlir::ParseResult parseStrategyName(mlir::AsmParser &parser, std::string &name);
void printStrategyName(mlir::AsmPrinter &printer, llvm::StringRef name);
/// Lets one-shot bufferization handle the ops of the dialect.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);
} // namespace qcc::kernel

#endif // QCC_DIALECT_KERNEL_IR_KERNEL_H
