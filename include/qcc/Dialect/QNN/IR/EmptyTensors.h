//===- EmptyTensors.h - Tensors whose elements have no values ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of tensor.empty have no values. The importer rejects a program
// that certainly reads one. If the program may read an element, the element is
// 0.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_EMPTYTENSORS_H
#define QCC_DIALECT_QNN_IR_EMPTYTENSORS_H

#include "mlir/IR/Operation.h"

namespace qcc {

/// How an operation uses a tensor without values.
enum class EmptyTensorUse {
  /// Reads its sizes only, or overwrites all of its elements.
  Harmless,
  /// Makes a view of the tensor, which has no values either.
  View,
  /// Reads elements.
  Read,
  /// Overwrites some of its elements, or passes it to another function or
  /// region.
  Unknown,
};

EmptyTensorUse classifyUseOfEmptyTensor(mlir::OpOperand &use);

} // namespace qcc

#endif // QCC_DIALECT_QNN_IR_EMPTYTENSORS_H
