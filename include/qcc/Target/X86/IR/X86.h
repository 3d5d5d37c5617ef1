//===- X86.h - The x86 dialect ----------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_X86_IR_X86_H
#define QCC_TARGET_X86_IR_X86_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

#include "qcc/Target/X86/IR/X86IRDialect.h.inc"

#include "qcc/Target/X86/IR/X86Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "qcc/Target/X86/IR/X86IRAttrs.h.inc"

namespace qcc::x86 {
/// The config of a contraction that x86 computes; null where it has none.
inline ConfigAttr configOf(kernel::ContractOp op) {
  return mlir::dyn_cast_or_null<ConfigAttr>(op.getLoweringConfigAttr());
}
} // namespace qcc::x86

#endif // QCC_TARGET_X86_IR_X86_H
