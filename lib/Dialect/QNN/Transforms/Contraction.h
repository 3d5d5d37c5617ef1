//===- Contraction.h - Contractions of real values ------------ -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What N3 calls a contraction, whatever op it was written as.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_DIALECT_QNN_TRANSFORMS_CONTRACTION_H
#define QCC_LIB_DIALECT_QNN_TRANSFORMS_CONTRACTION_H

#include "Dequantized.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"

namespace qcc::qnn {

/// result = function of (sum over the reduction loops of x * y, bias)
struct Contraction {
  mlir::Operation *op = nullptr;
  mlir::Value inputs[2];
  mlir::AffineMap maps[2], resultMap;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  /// f32, f16 or bf16; null: none.
  mlir::Value bias;
  /// From the dimensions of the result.
  mlir::AffineMap biasMap;
  mlir::FloatAttr clampMin, clampMax;

  mlir::RankedTensorType resultType() const {
    return mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  }
  /// The input dimension that loop `loop` runs over; prefers static sizes.
  std::optional<std::pair<mlir::Value, int64_t>> findLoop(unsigned loop) const;
  /// K, if the size of every reduction loop is static.
  std::optional<int64_t> getReductionSize() const;
  /// A map from loops to one from the dimensions of the result.
  mlir::AffineMap onResult(mlir::AffineMap map) const;

  /// Nothing, if `op` is no contraction of floats.
  static std::optional<Contraction> match(mlir::Operation *op);
};

/// Why N3 does not define the contraction on integers, or an empty text.
/// `sources` are where its inputs come from.
std::string findReasonToRefuse(const Contraction &c,
                               const std::optional<DequantizedSource> *sources);

} // namespace qcc::qnn

#endif // QCC_LIB_DIALECT_QNN_TRANSFORMS_CONTRACTION_H
