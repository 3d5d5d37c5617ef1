//===- Movement.h - Generics that only move data ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_MOVEMENT_H
#define QCC_TRANSFORMS_MOVEMENT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace qcc {

/// The generic on tensors that computes `value`, if its body only yields its
/// single tensor input: a transpose or a broadcast. Null otherwise.
mlir::linalg::GenericOp movementOf(mlir::Value value);

} // namespace qcc

#endif // QCC_TRANSFORMS_MOVEMENT_H
