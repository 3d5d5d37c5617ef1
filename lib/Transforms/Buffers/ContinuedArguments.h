//===- ContinuedArguments.h - Results that update arguments -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_BUFFERS_CONTINUEDARGUMENTS_H
#define QCC_LIB_TRANSFORMS_BUFFERS_CONTINUEDARGUMENTS_H

#include "mlir/IR/Builders.h"

namespace qcc {

/// The operand through which a result of an entry updates an argument, or an
/// argument with more elements at the end of one dimension, as caches of
/// decoders have; null for another result. It is the destination of the first
/// update.
mlir::OpOperand *findContinuedArgument(mlir::Value result);

/// Copies the argument to the memory of the result, which the updates then
/// change; returns the copy. Where the caller gives both the same memory, the
/// copy is idle (find-in-place-results).
mlir::Value startInDestination(mlir::OpBuilder &builder,
                               mlir::OpOperand &argument,
                               mlir::Value destination);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_BUFFERS_CONTINUEDARGUMENTS_H
