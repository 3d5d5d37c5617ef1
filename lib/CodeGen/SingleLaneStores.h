//===- SingleLaneStores.h - Masked stores of one lane -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CODEGEN_SINGLELANESTORES_H
#define QCC_LIB_CODEGEN_SINGLELANESTORES_H

namespace llvm {
class Module;
} // namespace llvm

namespace qcc {

/// Replaces masked stores with a constant mask of one lane by scalar stores.
void scalarizeSingleLaneStores(llvm::Module &module);

} // namespace qcc

#endif // QCC_LIB_CODEGEN_SINGLELANESTORES_H
