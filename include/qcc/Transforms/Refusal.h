//===- Refusal.h - Reasons why ops take no fast path ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writing and reading of the notes on ops, `qcc.origin` and `qcc.refused`.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_REFUSAL_H
#define QCC_TRANSFORMS_REFUSAL_H

#include "qcc/Dialect/Utils/Notes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace mlir {
class Operation;
} // namespace mlir

namespace qcc {

/// Records why `op` takes no fast path; the first reason stays.
void refuse(mlir::Operation *op, const llvm::Twine &reason);

/// Gives `op` the notes of the ops that it replaces: all their origins, "a, b",
/// and the reason of the last op that has one.
void inheritNotes(mlir::Operation *op, llvm::ArrayRef<mlir::Operation *> from);

/// Why an op on memrefs is not a kernel: the reason that a pass noted on the
/// op, or else a reason that follows from the kind of the op.
std::string whyGeneric(mlir::Operation *op);

/// A description of an op for people: its `qcc.origin`; or for a linalg.generic
/// the type of its node of a model and the ops of its body ("Mul (mulf)",
/// "mulf+addf"), or what it moves ("fill"); or else its name.
std::string originOf(mlir::Operation *op);

} // namespace qcc

#endif // QCC_TRANSFORMS_REFUSAL_H
