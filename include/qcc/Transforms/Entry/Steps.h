//===- Steps.h - The convention of step functions ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After the buffer stage an entry calls step functions. Here are the arguments
// and results that passes rely on. The attributes of step functions are in
// qcc/Dialect/QNN/IR/Notes.h.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_ENTRY_STEPS_H
#define QCC_TRANSFORMS_ENTRY_STEPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qcc/Dialect/QNN/IR/Notes.h"

namespace qcc {

inline bool isStep(mlir::func::FuncOp func) { return func->hasAttr(kStepAttr); }

/// The last arguments of a step function, in this order.
enum class StepArgument { Operations = 4, Bytes = 3, Thread = 2, Threads = 1 };

inline mlir::BlockArgument getStepArgument(mlir::func::FuncOp step,
                                           StepArgument which) {
  return step.getArgument(step.getNumArguments() - static_cast<int>(which));
}

/// The last results of an entry after plan-memory, in this order. LiveBytes is
/// the greatest number of bytes of temporaries that are alive at one step.
/// ArenaBytes is the size of the arena. The dynamic dimensions of the results
/// precede them.
enum class EntryResult { LiveBytes = 2, ArenaBytes = 1 };

inline mlir::Value getEntryResult(mlir::func::FuncOp entry, EntryResult which) {
  mlir::Operation *ret = entry.getBody().front().getTerminator();
  return ret->getOperand(ret->getNumOperands() - static_cast<int>(which));
}

/// The view of the arena that is the temporary `memref`, whose rows may have
/// gaps between them. Null if `memref` is not a temporary.
inline mlir::memref::ViewOp viewOf(mlir::Value memref) {
  while (auto cast = memref.getDefiningOp<mlir::memref::CastOp>())
    memref = cast.getSource();
  if (auto rows = memref.getDefiningOp<mlir::memref::SubViewOp>())
    memref = rows.getSource();
  return memref.getDefiningOp<mlir::memref::ViewOp>();
}

/// The number of elements from the start of one row of a temporary to the next;
/// 0 if the temporary is compact.
inline int64_t rowPitchOf(mlir::MemRefType type) {
  return type.getLayout().isIdentity()
             ? 0
             : type.getStridesAndOffset().first.end()[-2];
}

} // namespace qcc

#endif // QCC_TRANSFORMS_ENTRY_STEPS_H
