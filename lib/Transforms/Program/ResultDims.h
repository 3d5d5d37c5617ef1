//===- ResultDims.h - Dimensions that results have in common ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each dynamic dimension of a result has a place in the values table. A caller
// that looks at the entry wants to know which of them are the same, such as the
// batch.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_PROGRAM_RESULTDIMS_H
#define QCC_LIB_TRANSFORMS_PROGRAM_RESULTDIMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "qcc/Transforms/Program/Program.h"

namespace qcc {

/// Makes a dimension of a result that is one of an argument, or of a result
/// before it, the same size of the program. The places in the values table are
/// filled as before.
void shareResultDims(mlir::func::FuncOp entry, ProgramEntry &program);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_PROGRAM_RESULTDIMS_H
