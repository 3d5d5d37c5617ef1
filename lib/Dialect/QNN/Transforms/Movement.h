//===- Movement.h - Data movement of N3 ----------------------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations through which a dequantized value stays one, and what they do
// to the stored integers and to the parameters.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_DIALECT_QNN_TRANSFORMS_MOVEMENT_H
#define QCC_LIB_DIALECT_QNN_TRANSFORMS_MOVEMENT_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace qcc::qnn {

/// A scale or zero point: a tensor of f32 or i32 with a dimension for each of
/// the dimensions `dims` of the value that it belongs to.
struct ParamTensor {
  mlir::Value value; ///< null: absent
  llvm::SmallVector<int64_t> dims;
};

/// The tensor that `op` moves, or null if it is no movement of N3.
mlir::Value getMoved(mlir::Operation *op);

/// The dimensions of the result of a movement along which something differs
/// that differs along the dimensions `varies` of what is moved.
llvm::SmallVector<bool> varyingDims(mlir::Operation *op,
                                    llvm::ArrayRef<bool> varies);

/// The movement `op` on another tensor of the same shape; `fill` makes what a
/// pad adds.
mlir::Value moveElements(mlir::OpBuilder &builder, mlir::Operation *op,
                         mlir::Value tensor,
                         llvm::function_ref<mlir::Value()> fill);

/// Moves a parameter along with `value`, a tensor of the shape that `op` moves.
/// Only a scale moves through a pad, which adds scales of 1.
void moveParam(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value value,
               ParamTensor &param);

/// Drops the dimensions along which a parameter does not vary; their size is 1.
void narrowParam(mlir::OpBuilder &builder, mlir::Location loc,
                 llvm::ArrayRef<bool> varies, ParamTensor &param);

/// From the dimensions of a value of `rank` to those of its parameter.
mlir::AffineMap paramMap(mlir::OpBuilder &builder, const ParamTensor &param,
                         unsigned rank);

/// A linalg.generic without reduction whose iteration space has the given
/// sizes: `body` gets an element of each input and makes the element of the
/// result.
mlir::Value createElementwise(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange inputs,
    llvm::ArrayRef<mlir::AffineMap> maps,
    llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type elementType,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                   mlir::ValueRange)>
        body);

} // namespace qcc::qnn

#endif // QCC_LIB_DIALECT_QNN_TRANSFORMS_MOVEMENT_H
