//===- EmptyTensors.h - Tensors whose elements have no values ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of tensor.empty have no values. A program that is known to read
// one is rejected; where an element may be read, it is 0.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_EMPTYTENSORS_H
#define QCC_DIALECT_QNN_IR_EMPTYTENSORS_H

#include "mlir/IR/Operation.h"

namespace qcc {

/// What an operation does with a tensor none of whose elements has a value.
enum class EmptyTensorUse {
  /// Reads its sizes only, or overwrites all of its elements.
  Harmless,
  /// Gives another view of it, which has no values either.
  View,
  /// Reads elements.
  Read,
  /// Overwrites some of its elements, or hands it to somebody else.
  Unknown,
};

EmptyTensorUse classifyUseOfEmptyTensor(mlir::OpOperand &use);

} // namespace qcc

#endif // QCC_DIALECT_QNN_IR_EMPTYTENSORS_H
