//===- StepInfo.h - Kind and work of a step ---------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_STEPS_STEPINFO_H
#define QCC_TRANSFORMS_STEPS_STEPINFO_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace qcc {

/// The ops that a loop over blocks of rows runs (block-rows), in order; none
/// for other work.
llvm::SmallVector<mlir::Operation *> membersOf(mlir::Operation *work);

/// The rows of a block, if a step runs by blocks of rows.
std::optional<int64_t> rowsOfBlock(mlir::func::FuncOp step);

/// The operations of one iteration of all loops of an op; 0 for an op without
/// arithmetic.
int64_t operationsOfIteration(mlir::Operation *op);

/// Describes an op on memrefs, for people and for `qcc explain`, by the keys
/// kind, work, layer, model_op, location, fused, config, not_tuned, weight
/// (WeightNote.h) and refused. Keys without a value are left out.
mlir::DictionaryAttr describeWork(mlir::Operation *work);

/// The number of arithmetic operations, and the number of bytes that are read
/// and written. A multiply-accumulate is two operations; each byte counts once.
/// Both are index values at the insertion point.
struct WorkCounts {
  mlir::Value operations, bytes;
};
WorkCounts emitWorkCounts(mlir::OpBuilder &builder, mlir::Operation *work);

/// The sizes of a memref. The sizes of views are computed from their sources.
llvm::SmallVector<mlir::OpFoldResult>
sizesOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memref);

/// Replaces the sizes of views by sizes of their sources, so that the plan can
/// compute them.
void resolveViewSizes(mlir::func::FuncOp entry);

/// "file:line:column" of a location, or "file" without a line, or "".
std::string sourcePosition(mlir::Location loc);

} // namespace qcc

#endif // QCC_TRANSFORMS_STEPS_STEPINFO_H
