//===- Import.h - Programs from StableHLO -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_FRONTEND_STABLEHLO_IMPORT_H
#define QCC_FRONTEND_STABLEHLO_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace qcc {

/// Whether a module has ops of StableHLO or CHLO.
bool isStableHLO(mlir::ModuleOp module);

/// A program with one function, `main`, of linalg, tensor, arith, math and scf
/// ops, which computes what the function `main` of `module` computes (or its
/// only public function); functions that it calls are inlined.
/// docs/Numerics.md, section StableHLO, says what each op computes. A null
/// result has been reported as a diagnostic of the context, at the op that is
/// refused.
mlir::OwningOpRef<mlir::ModuleOp> importStableHLO(mlir::ModuleOp module);

} // namespace qcc

#endif // QCC_FRONTEND_STABLEHLO_IMPORT_H
