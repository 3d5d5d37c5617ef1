//===- QNNInterfaces.h - Interface of elementwise qnn ops -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_QNNINTERFACES_H
#define QCC_DIALECT_QNN_IR_QNNINTERFACES_H

#include "mlir/IR/OpDefinition.h"
#include "qcc/Dialect/QNN/IR/QuantParams.h"

namespace qcc::qnn {
class ElementwiseOpInterface;

namespace detail {
/// Checks shapes, axis and parameters. Afterwards the verifier of the op checks
/// its other rules.
mlir::LogicalResult verifyElementwise(ElementwiseOpInterface op);
} // namespace detail
} // namespace qcc::qnn

#include "qcc/Dialect/QNN/IR/QNNInterfaces.h.inc"

#endif // QCC_DIALECT_QNN_IR_QNNINTERFACES_H
