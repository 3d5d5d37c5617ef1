//===- Dequantized.h - Dequantized values of N3 -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dequantized value is the result of a qnn.dequantize or of data movement on
// one. Tracing it changes nothing; materializing it repeats the movement on the
// stored integers, on the scales and on the zero points.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_DIALECT_QNN_TRANSFORMS_DEQUANTIZED_H
#define QCC_LIB_DIALECT_QNN_TRANSFORMS_DEQUANTIZED_H

#include "Movement.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

namespace qcc::qnn {

/// Where a dequantized value comes from.
struct DequantizedSource {
  DequantizeOp op;
  QuantParams params;
  /// The movement from the dequantize to the value, in order.
  llvm::SmallVector<mlir::Operation *> movement;
  /// Per dimension of the value: whether the scale differs along it.
  llvm::SmallVector<bool> scaleVaries;

  static std::optional<DequantizedSource> trace(mlir::Value value);
};

/// Stored integers as signless i8, and back as a tensor of `element`.
mlir::Value makeStorage(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value quantized);
mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value stored, mlir::Type element);

/// A dequantized value as integers.
struct IntegerOperand {
  /// The stored integers as signless i8; or the differences q - z as i32, where
  /// the zero point could not follow the movement.
  mlir::Value storage;
  bool isUnsigned = false;
  ParamTensor zeroPoint; ///< absent where it is 0
  ParamTensor scale;     ///< only dimensions along which it varies

  static IntegerOperand materialize(mlir::OpBuilder &builder,
                                    mlir::Location loc,
                                    const DequantizedSource &source);
};

} // namespace qcc::qnn

#endif // QCC_LIB_DIALECT_QNN_TRANSFORMS_DEQUANTIZED_H
