//===- WideShifts.h - Shifts of 64 bits for a device ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CODEGEN_WIDESHIFTS_H
#define QCC_LIB_CODEGEN_WIDESHIFTS_H

namespace llvm {
class Module;
} // namespace llvm

namespace qcc {

/// Compares amounts of shifts of 64 bits with their width in two halves, so
/// that the code generator for devices keeps the comparison.
void splitWideShiftGuards(llvm::Module &module);

} // namespace qcc

#endif // QCC_LIB_CODEGEN_WIDESHIFTS_H
