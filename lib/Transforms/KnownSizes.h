//===- KnownSizes.h - Sizes known at compile time ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes and indices that follow from the dimensions of the arguments of an
// entry alone, traced back to these dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_KNOWNSIZES_H
#define QCC_LIB_TRANSFORMS_KNOWNSIZES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace qcc {

/// The operands of tensor.empty, splat and generate that are sizes.
mlir::ValueRange dynamicSizesOf(mlir::Operation *op);

class KnownSizes {
public:
  /// Whether to remember sizes that are constants or dimensions of arguments:
  /// then a chain of tensors, each of which has its size from the one before,
  /// is not followed to its start again and again. Nothing may erase tensors or
  /// change their sizes meanwhile.
  enum class Memory { None, Keep };

  explicit KnownSizes(mlir::func::FuncOp func, Memory memory = Memory::None)
      : func(func), top(&func.getBody().front()), builder(func.getContext()),
        loc(func.getLoc()), memory(memory) {}

  /// Whether an index follows from constants and dimensions alone.
  bool isKnown(mlir::Value index);
  /// Such an index in its simplest form, or null.
  mlir::OpFoldResult known(mlir::OpFoldResult index);
  /// Null where the size is not known before the program runs.
  mlir::OpFoldResult sizeOf(mlir::Value tensor, int64_t dim);
  /// The number of iterations of a loop of a linalg op, or null.
  mlir::OpFoldResult sizeOfLoop(mlir::Operation *linalgOp, unsigned loop);

  /// New operations go before `op`, or before the op around it in the body of
  /// the function; false if `op` is in no function.
  bool setInsertionPoint(mlir::Operation *op);

  mlir::Value valueOf(mlir::OpFoldResult size) {
    return mlir::getValueOrCreateConstantIndexOp(builder, loc, size);
  }
  mlir::OpFoldResult apply(mlir::AffineExpr expr,
                           mlir::ArrayRef<mlir::OpFoldResult> operands) {
    auto map = mlir::AffineMap::get(operands.size(), 0, expr);
    return mlir::affine::makeComposedFoldedAffineApply(builder, loc, map,
                                                       operands);
  }

protected:
  mlir::OpFoldResult sizeOfResult(mlir::OpResult tensor, int64_t dim);
  mlir::OpFoldResult productOf(mlir::ArrayRef<mlir::OpFoldResult> factors);
  mlir::Value hoisted(mlir::Value index);

  mlir::func::FuncOp func;
  mlir::Block *top;
  mlir::OpBuilder builder;
  mlir::Location loc;

private:
  mlir::OpFoldResult traceSize(mlir::Value tensor, int64_t dim);
  bool isDimOfArgument(mlir::OpFoldResult size);

  using Dim = std::pair<mlir::Value, int64_t>;
  Memory memory;
  mlir::DenseMap<Dim, mlir::Value> argumentSizes;
  mlir::DenseMap<Dim, mlir::OpFoldResult> remembered;
};

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_KNOWNSIZES_H
