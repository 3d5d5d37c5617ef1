//===- FloatOps.h - Float operations, one rounding each ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The float operations of docs/Numerics.md that need more than one operation of
// `arith`, and the recognition of float reductions and contractions (N3, N8).
// Every function works on scalars and on vectors.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_CONVERSION_LEGALIZEFLOAT_FLOATOPS_H
#define QCC_CONVERSION_LEGALIZEFLOAT_FLOATOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace qcc {

/// Unit, on the combining operation of each output of a float reduction (N8).
/// Written by legalize-float, which decides how an op reduces; later passes
/// rewrite bodies. A body whose combining operations are not marked runs in
/// order, so losing the attribute changes results.
inline constexpr llvm::StringLiteral kCombineAttr = "qcc.combine";

/// How code converts between f32 and bf16.
enum class BF16Conversions {
  /// On integers, which every target can do.
  OnIntegers,
  /// By arith.extf and arith.truncf, for which the target has instructions
  /// (Target::convertsBF16).
  ByInstructions
};

/// The combining operation of a float reduction.
enum class FloatCombine { Add, Mul, Maximum, Minimum, MaxNum, MinNum };

/// The combine that `op` is, if it is one.
std::optional<FloatCombine> getFloatCombine(mlir::Operation *op);

/// One output of a float reduction: combine(accumulator, element).
struct FloatReductionOutput {
  unsigned number;
  FloatCombine combine;
  mlir::Value element;
  mlir::Operation *combineOp;
};

/// Marks the combining operations of `op` with kCombineAttr if it is a float
/// reduction in the sense of N8. The op must not be a contraction that still
/// has the form acc + x * y.
void markFloatReduction(mlir::linalg::LinalgOp op);

/// The outputs of `op` whose combining operations are marked; nothing if `op`
/// is no float reduction. Outputs that are left out keep their initial values:
/// canonicalization has found their elements to be neutral.
std::optional<llvm::SmallVector<FloatReductionOutput>>
getFloatReduction(mlir::linalg::LinalgOp op);

/// The neutral element of a combine: -0.0, 1.0, an infinity or NaN.
mlir::TypedAttr getNeutralElement(FloatCombine combine, mlir::FloatType type);

/// combine(a, b) with the zeros and NaNs of N7; f16 and bf16 widen to f32 and
/// round once.
mlir::Value emitCombine(mlir::OpBuilder &builder, mlir::Location loc,
                        FloatCombine combine, mlir::Value a, mlir::Value b,
                        BF16Conversions bf16);

/// Widens f16, bf16 or f32 to f32 or f64, exactly; `type` is an element type.
mlir::Value emitExtend(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, mlir::FloatType type,
                       BF16Conversions bf16);

/// Rounds f32 or f64 to a narrower element type, once, half to even.
mlir::Value emitRound(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, mlir::FloatType type,
                      BF16Conversions bf16);

} // namespace qcc

#endif // QCC_CONVERSION_LEGALIZEFLOAT_FLOATOPS_H
