//===- Contraction.h - Emission of contractions -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CONVERSION_QNNTOLINALG_CONTRACTION_H
#define QCC_LIB_CONVERSION_QNNTOLINALG_CONTRACTION_H

#include "Emit.h"
#include "qcc/Dialect/QNN/IR/WeightNote.h"
#include "qcc/Dialect/Utils/Notes.h"

namespace qcc {

/// A contraction that is about to be emitted. Its loops are the dimensions of
/// the result, followed by those of the reduction. Channels are the last
/// dimension of the result.
struct Contraction {
  llvm::StringRef origin;
  /// Why it is not a contraction of integers; or null.
  mlir::Attribute refusal;
  /// The note on a constant operand (WeightNote.h); or null.
  mlir::Attribute weight;
  /// Null for sums of no products.
  mlir::Value lhs, rhs;
  /// From the loops.
  mlir::AffineMap lhsMap, rhsMap;
  unsigned reductions = 1;
  /// If not 0, K has groups of so many elements with parameters of their own.
  int64_t groupSize = 0;
  /// If not 1, channels are the last two dimensions of the result: the groups,
  /// and the channels of each.
  int64_t groups = 1;
  /// One element per channel, i32 or f32, or null.
  mlir::Value bias;
  llvm::SmallVector<mlir::OpFoldResult> sizes; ///< of the result
  mlir::Type resultElement;                    ///< converted
  std::optional<float> clampMin, clampMax;
  /// Absent where operands are real, or the result is not quantized.
  std::optional<qnn::QuantParams> lhsParams, rhsParams, resultParams;
  /// Instead of the zero point of `lhsParams`.
  std::optional<ZeroPoint> lhsZero;

  /// Notes the right operand `source` of the op. rhsParams must be set.
  void noteWeight(mlir::Value source) {
    weight = noteOfWeight(source, rhsParams ? &*rhsParams : nullptr);
  }

  int64_t rank() const { return sizes.size(); }
  int64_t channelAxis() const { return rank() - (groups == 1 ? 1 : 2); }
  GenericEmitter emitter(mlir::OpBuilder &builder, mlir::Location loc,
                         unsigned reductions) const {
    return GenericEmitter(builder, loc, rank() + reductions, rank(), groups);
  }

  /// What follows from the result of `op` and its attributes, whatever its
  /// operands are.
  template <typename OpTy>
  static Contraction of(OpTy op, const mlir::TypeConverter &converter) {
    auto toFloat = [](std::optional<llvm::APFloat> value) {
      return value ? std::optional(value->convertToFloat()) : std::nullopt;
    };
    Contraction c;
    c.origin = op->getName().getStringRef();
    c.refusal = op->getAttr(kRefusedAttr);
    c.resultElement = mlir::getElementTypeOrSelf(
        converter.convertType(op.getResult().getType()));
    c.clampMin = toFloat(op.getClampMin());
    c.clampMax = toFloat(op.getClampMax());
    if (op.hasQuantizedResult())
      c.resultParams = op.getResultParams();
    return c;
  }
};

/// The result of `c`, by one linalg.generic or two.
mlir::Value emitContraction(mlir::ConversionPatternRewriter &rewriter,
                            mlir::Location loc, const Contraction &c);

} // namespace qcc

#endif // QCC_LIB_CONVERSION_QNNTOLINALG_CONTRACTION_H
