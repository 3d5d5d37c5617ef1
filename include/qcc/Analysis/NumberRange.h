//===- NumberRange.h - Ranges of numbers ------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Epilogues end in a clamp, a rounding and a conversion to a byte. What a clamp
// proves allows to leave out other clamps, and instructions that saturate, that
// round while they convert, or that ignore NaN.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_ANALYSIS_NUMBERRANGE_H
#define QCC_ANALYSIS_NUMBERRANGE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <limits>
#include <optional>

namespace qcc {

/// DenseF64ArrayAttr: [least, greatest] result of the op. The result is NaN
/// only if the float whose sign it takes is NaN. Written by legalize-float on
/// the ops to which math functions expand, read by the analysis of ranges.
inline constexpr llvm::StringLiteral kBoundsAttr = "qcc.bounds";

/// Numbers that an integer or a float, or an element of a tensor of such, can
/// be; both ends are possible. Integers are signed. By default all of them.
struct NumberRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool canBeNaN = true;

  bool isWithin(double least, double most) const {
    return !canBeNaN && low >= least && high <= most;
  }
};

/// The range of all values of a type, or of all elements of a tensor type.
NumberRange fullRange(mlir::Type type);

/// The range of the elements of a constant of i32, of f32 without NaN, or of
/// i8, unsigned if `isUnsigned`; nothing if `value` is not such a constant.
/// Also of signed i64 whose elements are below 2^53, which a double has
/// exactly.
std::optional<NumberRange> rangeOfConstant(mlir::Value value,
                                           bool isUnsigned = false);

/// The range of the one result of `op`, given the ranges of its operands.
NumberRange rangeOfResult(mlir::Operation &op,
                          llvm::function_ref<NumberRange(mlir::Value)> rangeOf);

/// The range of a value, found by following at most `depth` defining ops in a
/// row.
NumberRange rangeOf(mlir::Value value, unsigned depth = 8);

/// The ranges of the values of a scalar region without control flow.
class RegionRanges {
public:
  /// `arguments` has a range for each argument of the region, or less; the
  /// others can be anything. Clamps of `without`, maxima and minima with a
  /// constant, are taken for what they clamp.
  explicit RegionRanges(mlir::Region &region,
                        llvm::ArrayRef<NumberRange> arguments = {},
                        const llvm::DenseSet<mlir::Operation *> &without = {});

  /// The range of a value of the region, or of a constant outside of it; the
  /// full range where nothing is known.
  NumberRange of(mlir::Value value) const;

private:
  llvm::DenseMap<mlir::Value, NumberRange> ranges;
};

/// The value that `select` passes on unless it is NaN; null if the condition
/// asks for something else.
mlir::Value passedUnlessNaN(mlir::arith::SelectOp select);

} // namespace qcc

#endif // QCC_ANALYSIS_NUMBERRANGE_H
