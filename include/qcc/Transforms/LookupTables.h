//===- LookupTables.h - Tables of functions of a byte -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_LOOKUPTABLES_H
#define QCC_TRANSFORMS_LOOKUPTABLES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "llvm/ADT/DenseMap.h"

namespace qcc {

/// The tables of the lookups of a module, as global constants of the module.
/// Lookups with equal tables share one constant.
class LookupTables {
public:
  explicit LookupTables(mlir::ModuleOp module) : module(module) {}

  /// Loads the result of a lookup of a scalar byte from its table.
  mlir::Value load(mlir::OpBuilder &builder, kernel::LookupOp op);

private:
  mlir::LLVM::GlobalOp globalOf(kernel::LookupOp op);

  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Attribute, mlir::LLVM::GlobalOp> globals;
};

} // namespace qcc

#endif // QCC_TRANSFORMS_LOOKUPTABLES_H
