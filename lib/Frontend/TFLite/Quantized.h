//===- Quantized.h - Arithmetic of TFLite's quantized kernels ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/Numerics.md, section TFLite, has the formulas.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_TFLITE_QUANTIZED_H
#define QCC_LIB_FRONTEND_TFLITE_QUANTIZED_H

#include "OpImporter.h"

namespace qcc::tflite {

/// A factor as an integer: it is value / 2^shift.
struct Multiplier {
  int32_t value = 0;
  int shift = 31;
  /// Whether products are rounded once, half up. Otherwise they are rounded to
  /// 31 bits behind the point, half up, and then half away from zero.
  bool roundsOnce = false;
};
/// A factor with the rounding that the import asks for.
Multiplier quantizeMultiplier(const OpImporter &n, double factor);

/// x · m / 2^shift of an i32, rounded to i32.
Value multiply(Scalars &s, Value x, Multiplier m);
/// The same of a number that is known.
int64_t multiply(int64_t x, Multiplier m);

/// The integers that a type, or an activation, allows.
struct StoredRange {
  int64_t least, most;
};
StoredRange rangeOf(Type type);
/// The range of `activation` for integers of `type`, which have parameters.
FailureOr<StoredRange> activationRange(OpImporter &n, fb::Activation activation,
                                       Type type, const Affine &affine);
Value clamp(Scalars &s, Value x, StoredRange range);

/// An i32 that holds an element of a narrower type, less its zero point.
Value widen(Scalars &s, Value x, int32_t zeroPoint);
/// An integer as an element of `type` with a zero point, clamped to `range`.
Value narrow(Scalars &s, Value x, Type type, int32_t zeroPoint,
             StoredRange range);

/// Sums of products as integers of `type`: each is multiplied by its factor,
/// of which there is one or one for each element of the last dimension. With
/// `roundsOnce`, products are rounded once whatever the import asks for.
FailureOr<GraphValue> requantize(OpImporter &n, GraphValue &sums,
                                 ArrayRef<double> factors, Type type,
                                 int32_t zeroPoint, StoredRange range,
                                 bool roundsOnce = false);

/// Integers of 8 bits as those that have the real numbers of `function`, looked
/// up in a table of all of them.
FailureOr<GraphValue> lookUp(OpImporter &n, GraphValue &x,
                             llvm::function_ref<int64_t(int64_t)> function);
/// The same for a function of real numbers.
FailureOr<GraphValue> lookUpReal(OpImporter &n,
                                 llvm::function_ref<float(float)> function);

/// A rounded float as an integer: 0 for a NaN, and far beyond 8 bits for large
/// ones.
int64_t toStored(float scaled);

/// A fused activation of floats, or of integers that are not quantized.
FailureOr<GraphValue> activate(OpImporter &n, GraphValue x,
                               fb::Activation activation);

} // namespace qcc::tflite

#endif // QCC_LIB_FRONTEND_TFLITE_QUANTIZED_H
