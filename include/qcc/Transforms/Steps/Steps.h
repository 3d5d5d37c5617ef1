//===- Steps.h - The convention of step functions ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After the buffer stage an entry calls step functions. Here are the
// attributes, arguments and results that passes rely on. Losing an attribute of
// an entry or a step prevents writing the descriptor.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_STEPS_STEPS_H
#define QCC_TRANSFORMS_STEPS_STEPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringRef.h"

namespace qcc {

//===----------------------------------------------------------------------===//
// Attributes of entries
//===----------------------------------------------------------------------===//

/// Unit, on an argument of an entry that is the destination of a result.
/// Written by add-result-destinations.
inline constexpr llvm::StringLiteral kDestinationAttr = "qcc.result";
/// Index, on a destination: the number of the argument that it may share memory
/// with. Written by find-in-place-results.
inline constexpr llvm::StringLiteral kInPlaceAttr = "qcc.in_place";
/// Unit, on the last argument of an entry: the memory of its temporaries.
/// Written by plan-memory.
inline constexpr llvm::StringLiteral kArenaAttr = "qcc.arena";

//===----------------------------------------------------------------------===//
// Attributes of step functions, written by outline-steps unless said otherwise
//===----------------------------------------------------------------------===//

/// Unit: the function is a step.
inline constexpr llvm::StringLiteral kStepAttr = "qcc.step";
/// Unit: the ops of the step touch different memory. So they may run in any
/// order and at the same time.
inline constexpr llvm::StringLiteral kIndependentAttr = "qcc.independent";
/// DenseI64ArrayAttr of a parallel loop over threads: the rows and the columns
/// of the grid that they share; kDynamic if sizes decide.
inline constexpr llvm::StringLiteral kGridAttr = "qcc.grid";
/// The same of a step whose threads share its work. The iterations of other
/// loops are rows of one column. Of several loops the largest. Written by
/// distribute-steps.
inline constexpr llvm::StringLiteral kParallelAttr = "qcc.parallel";
/// Integer: bytes of scratch memory per thread. Written by assign-scratch.
inline constexpr llvm::StringLiteral kScratchAttr = "qcc.scratch";
/// DenseI64ArrayAttr: the numbers of the memref arguments that the step writes.
inline constexpr llvm::StringLiteral kWritesAttr = "qcc.writes";

//===----------------------------------------------------------------------===//
// Attributes of calls of steps, written by outline-steps: several calls may
// share a step
//===----------------------------------------------------------------------===//

/// Dictionary: the name of the step, and its description for `qcc explain`
/// (describeWork).
inline constexpr llvm::StringLiteral kKernelAttr = "qcc.kernel";
/// String, on an operand (arg_attrs): the layer whose value the step writes to
/// it.
inline constexpr llvm::StringLiteral kLayerAttr = "qcc.layer";
/// Unit: the step copies an argument to a result, and has nothing to do where
/// both share memory. Written by find-in-place-results.
inline constexpr llvm::StringLiteral kIdleInPlaceAttr = "qcc.idle_in_place";
/// Integer, on an operand: the number that the step adds to each byte of the
/// value that it writes there.
inline constexpr llvm::StringLiteral kByteShiftAttr = "qcc.byte_shift";
/// DenseI64ArrayAttr, on an operand: the dimensions of the value that the step
/// writes there, in the order in which they lie in memory.
inline constexpr llvm::StringLiteral kOrderAttr = "qcc.order";
/// DenseI64ArrayAttr, on an operand: how many elements of the buffer are before
/// the value that the step writes there in each dimension of the buffer, then
/// how many are behind it.
inline constexpr llvm::StringLiteral kBorderAttr = "qcc.border";

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

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

#endif // QCC_TRANSFORMS_STEPS_STEPS_H
