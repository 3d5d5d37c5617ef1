//===- WorkKind.h - Kinds of work of steps ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_STEPS_WORKKIND_H
#define QCC_TRANSFORMS_STEPS_WORKKIND_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir {
class Operation;
} // namespace mlir

namespace qcc {

/// What a step computes, whether by a kernel or by generic loops.
enum class WorkKind {
  IntegerContraction, ///< sums of products
  FloatContraction,
  Reduction, ///< any other
  Elementwise,
  DataMovement,
  Packing, ///< of an operand of a contraction, at each call
  ControlFlow,
};

/// The kind of a linalg op, a contraction or a loop on tensors or memrefs.
WorkKind workKindOf(mlir::Operation *op);

/// "integer contraction", "data movement", ...
llvm::StringRef toString(WorkKind kind);
std::optional<WorkKind> workKindNamed(llvm::StringRef name);

} // namespace qcc

#endif // QCC_TRANSFORMS_STEPS_WORKKIND_H
