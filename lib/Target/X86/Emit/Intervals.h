//===- Intervals.h - What values of a region can be -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prologues and epilogues end in a clamp, a rounding and a conversion to a
// byte. What the clamp proves allows instructions that saturate, that round
// while they convert, or that ignore NaN.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_INTERVALS_H
#define QCC_LIB_TARGET_X86_EMIT_INTERVALS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <limits>

namespace qcc::x86 {

/// Numbers that an i32, i8 or f32 can be; both ends are possible.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool canBeNaN = true;

  bool isWithin(double least, double most) const {
    return !canBeNaN && low >= least && high <= most;
  }
};

/// The intervals of the values of a scalar region without control flow.
class Intervals {
public:
  /// `arguments` has an interval for each argument of the region, or less; the
  /// others can be anything. Clamps of `without`, maxima and minima with a
  /// constant, are taken for what they clamp.
  explicit Intervals(mlir::Region &region,
                     llvm::ArrayRef<Interval> arguments = {},
                     const llvm::DenseSet<mlir::Operation *> &without = {});

  /// Everything, where nothing is known.
  Interval of(mlir::Value value) const { return intervals.lookup(value); }

  /// The value that `select` passes on unless it is NaN; null if the condition
  /// asks for something else.
  static mlir::Value passedUnlessNaN(mlir::arith::SelectOp select);

private:
  Interval compute(mlir::Operation &op) const;

  llvm::DenseMap<mlir::Value, Interval> intervals;
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_INTERVALS_H
