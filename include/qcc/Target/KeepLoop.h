//===- KeepLoop.h - Loops that are not unrolled -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_KEEPLOOP_H
#define QCC_TARGET_KEEPLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace qcc {

/// Tells LLVM not to unroll `loop`.
void keepLoop(mlir::scf::ForOp loop);

} // namespace qcc

#endif // QCC_TARGET_KEEPLOOP_H
