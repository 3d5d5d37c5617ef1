//===- ContractAssembly.h - Attributes of kernel.contract as text -*- C++ -*-=//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_DIALECT_KERNEL_IR_CONTRACTASSEMBLY_H
#define QCC_LIB_DIALECT_KERNEL_IR_CONTRACTASSEMBLY_H

#include "qcc/Dialect/Kernel/IR/Kernel.h"

namespace qcc::kernel {

/// The types of the operands of a contraction, by the names of its segments.
/// `rhsSums` is null where the weight is not packed.
struct ContractTypes {
  mlir::Type lhs, rhs, rhsSums, init, lhsZeroPoint, rhsZeroPoint;
  mlir::TypeRange lhsOperands, rhsOperands, epilogueOperands, outs;
};

/// Parses the attribute dictionary of a contraction, and adds those of
/// `indexing_maps`, `reduction_dims` and `reduction_sizes` that it does not
/// have.
mlir::ParseResult parseWithDefaults(mlir::OpAsmParser &parser,
                                    mlir::NamedAttrList &attributes,
                                    const ContractTypes &types);

/// Prints the attribute dictionary without what parsing adds.
void printWithoutDefaults(mlir::OpAsmPrinter &printer,
                          mlir::DictionaryAttr attributes,
                          const ContractTypes &types);

} // namespace qcc::kernel

#endif // QCC_LIB_DIALECT_KERNEL_IR_CONTRACTASSEMBLY_H
