//===- FloatUses.h - Uses of float values -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_FLOATUSES_H
#define QCC_TRANSFORMS_FLOATUSES_H

#include "mlir/IR/Value.h"

namespace qcc {

/// Whether no use of a scalar float distinguishes -0 from +0. A yield or return
/// counts as a use that does.
bool isZeroSignUnused(mlir::Value value);

} // namespace qcc

#endif // QCC_TRANSFORMS_FLOATUSES_H
