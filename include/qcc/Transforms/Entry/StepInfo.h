//===- StepInfo.h - Kind and amount of work of a step -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_ENTRY_STEPINFO_H
#define QCC_TRANSFORMS_ENTRY_STEPINFO_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace qcc {

/// {kind, layer, fused, atom, config, not_tuned, refused} of a piece of work on
/// memrefs, for people and for `qcc explain`. Keys without a value are left
/// out.
mlir::DictionaryAttr describeWork(mlir::Operation *work);

/// Arithmetic operations (a multiply-accumulate counts two) and bytes read and
/// written, each once, as index values at the insertion point.
struct WorkAmount {
  mlir::Value operations, bytes;
};
WorkAmount emitWorkAmount(mlir::OpBuilder &builder, mlir::Operation *work);

/// The sizes of a memref in terms of what its base depends on: views are looked
/// through.
llvm::SmallVector<mlir::OpFoldResult>
sizesOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memref);

/// Puts the sizes of views in terms of what they view, so that they can be
/// planned.
void resolveViewSizes(mlir::func::FuncOp entry);

/// "file:line:column" of a location, or "".
std::string sourcePosition(mlir::Location loc);

} // namespace qcc

#endif // QCC_TRANSFORMS_ENTRY_STEPINFO_H
